"""overstory documents"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import click

from overstory.display import counted, escaped, on_one_line, printable, shortened
from overstory.errors import DocumentNotFound
from overstory.index import BoilerplateBlock, FailedFile, StoredDocument
from overstory.knowledge import MOST_BLOCKS_LISTED, Knowledge
from overstory.model.metadata import as_json
from overstory.retrieve.matching_documents import NONE_MATCHES
from overstory_cli.options import Result, json_option, knowledge_options, wants_json, where_option
from overstory_cli.output import from_here, harmless, show_notes


@click.command()
@click.argument("named", nargs=-1, metavar="[NAME…]")
@click.option(
    "--disable",
    is_flag=True,
    help="Disable documents, chosen by ids, sources or --where. With --where and NAME, both must match.",
)
@click.option("--enable", is_flag=True, help="Enable documents, chosen as for --disable.")
@click.option("--disabled", "only_disabled", is_flag=True, help="List only disabled documents.")
@click.option(
    "--state",
    type=click.Choice(["failed"]),
    help="failed: list files that `overstory ingest` could not read, or only in part, with the reason and the remedy.",
)
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="SOURCE",
    help="List only documents of this file, folder, pattern ('docs/*.html') or other source; may be repeated.",
)
@where_option
@click.option(
    "--boilerplate",
    is_flag=True,
    help="List boilerplate instead: blocks repeated in most documents of a folder, with counts and first words.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Maximum number of documents (default: all) or blocks (default: {MOST_BLOCKS_LISTED:,}).",
)
@knowledge_options
@json_option
def documents(
    knowledge: Knowledge,
    named: tuple[str, ...],
    disable: bool,
    enable: bool,
    only_disabled: bool,
    state: str | None,
    sources: tuple[str, ...],
    where: str | None,
    boilerplate: bool,
    limit: int | None,
) -> Result | None:
    """List, disable or enable the documents of a corpus.

    Documents are sorted by source and shown with id, number of passages, title, source and number of links. With
    --json, each line is a JSON object.

    A disabled document does not appear in any results until it is enabled again. This takes effect at once, in all
    processes, and without indexing. Loading the document again does not enable it.

    \b
    Examples:
      overstory documents --corpus wiki --limit 20
      overstory documents --source docs/ --where "author = 'Ada' or not author exists"
      overstory documents --boilerplate
      overstory documents --state failed
      overstory documents --disable docs/old.md 'docs/drafts/*'
      overstory documents --enable --where "author = 'Ada'"
    """
    if disable or enable:
        if (disable and enable) or only_disabled or state or boilerplate or limit is not None:
            raise click.UsageError("--disable and --enable can only be combined with NAME, --source and --where.")
        if not named and not sources and where is None:
            raise click.UsageError("Choose documents by id, source or --where.")
        return _set_disabled(knowledge, [*named, *sources], where, disabled=disable)
    if named:
        raise click.UsageError("NAME needs --disable or --enable; to list documents of a source, use --source SOURCE.")
    if state:
        if only_disabled or where is not None or boilerplate:
            raise click.UsageError("--state cannot be combined with --disabled, --where or --boilerplate.")
        _show_failed(knowledge.failed_files(sources), limit)
    elif only_disabled:
        if sources or where is not None or boilerplate:
            raise click.UsageError("--disabled cannot be combined with --source, --where or --boilerplate.")
        _show_some(iter(knowledge.disabled_documents()), limit)
    elif boilerplate:
        if sources or where is not None:
            raise click.UsageError("--boilerplate cannot be combined with --source or --where.")
        _show_blocks(knowledge.boilerplate(limit=limit or MOST_BLOCKS_LISTED), limit or MOST_BLOCKS_LISTED)
    else:
        _show_documents(knowledge, sources, where, limit)
    return None


def _show_documents(knowledge: Knowledge, sources: Sequence[str], where: str | None, limit: int | None) -> None:
    listed = knowledge.documents(source=sources or None, where=where)
    some = _show_some(listed, limit)
    if where is not None:
        notes = knowledge.filter_notes(where)
        show_notes(notes if notes or some else (NONE_MATCHES,))
    for source in sources:
        _note_if_unknown(knowledge, source)
    if disabled := knowledge.count_disabled():
        click.echo(f"{_are(disabled)} disabled; list them with: overstory documents --disabled", err=True)


def _show_some(listed: Iterator[StoredDocument], limit: int | None) -> bool:
    """Show at most `limit` documents; return True if there is at least one."""
    some = False
    for document in itertools.islice(listed, limit):
        some = True
        click.echo(_json(document) if wants_json() else _line(document))
    if limit is not None and next(listed, None) is not None:
        click.echo(f"There are more than {counted(limit, 'document')}.", err=True)
    return some


def _show_failed(found: list[FailedFile], limit: int | None) -> None:
    for each in found[:limit]:
        if wants_json():
            click.echo(harmless(json.dumps(asdict(each), ensure_ascii=False)))
            continue
        place = from_here(escaped(each.source)) + (f", line {each.line}" if each.line else "")
        more = f" ({each.faults - 1:,} similar problems)" if each.faults > 1 else ""
        click.echo(f"{place}: {printable(each.reason)}{more}")
        click.echo(f"  {each.since[:10]}  {printable(each.remedy)}".rstrip())
    if limit is not None and len(found) > limit:
        click.echo(f"There are more than {counted(limit, 'file')}.", err=True)
    if not found:
        click.echo("There are no failed files.", err=True)


def _set_disabled(knowledge: Knowledge, named: list[str], where: str | None, *, disabled: bool) -> Result:
    change = knowledge.disable_documents if disabled else knowledge.enable_documents
    changed, now = change(named, where=where), knowledge.count_disabled()
    done = "disabled" if disabled else "enabled"
    text = f"{done.capitalize()} {counted(changed, 'document')}. {_are(now)} disabled now."
    return Result({done: changed, "disabled_now": now}, lambda: click.echo(text))


def _are(number: int) -> str:
    return counted(number, "document is", "documents are")


def _note_if_unknown(knowledge: Knowledge, source: str) -> None:
    if next(knowledge.documents(source=source), None) is None:
        try:
            knowledge.count_documents(source=source)
        except DocumentNotFound as error:
            show_notes([f"{error} {error.remedy}"])


def _show_blocks(blocks: list[BoilerplateBlock], limit: int) -> None:
    if wants_json():
        for block in blocks:
            click.echo(harmless(json.dumps(asdict(block), ensure_ascii=False)))
        return
    if not blocks:
        click.echo("No boilerplate was found, or this corpus keeps it (--keep-boilerplate).")
    for folder, found in itertools.groupby(blocks, key=lambda block: block.folder):
        click.echo(on_one_line(folder))
        for block in found:
            words = shortened(on_one_line(block.words))
            click.echo(f"  {block.documents:,} of {counted(block.of, 'document')}: {words}")
    if len(blocks) == limit:
        click.echo(f"These are the first {counted(limit, 'block')}; use --limit to see more.", err=True)


def _line(document: StoredDocument) -> str:
    title = " ".join(document.title.split()) or "(no title)"
    links = f"  {counted(document.links, 'link')}" if document.links else ""
    disabled = "  disabled" if document.disabled else ""
    where = f"[{from_here(escaped(document.origin))}]"
    return f"{document.id}  {document.chunks:>5,}  {escaped(title)}  {where}{links}{disabled}"


def _json(document: StoredDocument) -> str:
    line = json.dumps(
        {
            "id": document.id,
            "title": document.title,
            "source": document.source,
            "source_key": document.source_key,
            "chunks": document.chunks,
            "links": document.links,
            "disabled": document.disabled,
            "metadata": as_json(document.metadata),
        },
        ensure_ascii=False,
    )
    return harmless(line)
