"""overstory documents"""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict

import click

from overstory.cli.options import json_option, knowledge_options, where_option
from overstory.cli.output import from_here, harmless
from overstory.display import counted, escaped, on_one_line, printable, shortened
from overstory.errors import DocumentNotFound
from overstory.index import BoilerplateBlock, StoredDocument
from overstory.knowledge import MOST_BLOCKS_LISTED, Knowledge
from overstory.model.metadata import as_json


@click.command()
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="SOURCE",
    help="Only documents of this file, folder, pattern ('docs/*.html') or other source; may be repeated.",
)
@where_option
@click.option(
    "--boilerplate",
    is_flag=True,
    help="List the blocks that most documents of their folder repeat instead: how many have each, and its first words.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"At most N documents, by default all, or blocks, by default {MOST_BLOCKS_LISTED:,}.",
)
@json_option
@knowledge_options
def documents(
    knowledge: Knowledge,
    sources: tuple[str, ...],
    where: str | None,
    boilerplate: bool,
    limit: int | None,
    as_json: bool,
) -> None:
    """List the documents of a corpus by source: id, number of passages, title, source, and how many links start there
    if any do. With --json, one object per line.

    \b
    Examples:
      overstory documents --corpus wiki --limit 20
      overstory documents --source docs/ --where "author = 'Ada' or not author exists"
      overstory documents --boilerplate
    """
    if boilerplate:
        if sources or where is not None:
            raise click.UsageError("--boilerplate lists folders; it does not go with --source or --where.")
        _show_blocks(
            knowledge.boilerplate(limit=limit or MOST_BLOCKS_LISTED), limit or MOST_BLOCKS_LISTED, as_json=as_json
        )
        return
    listed = knowledge.documents(source=sources or None, where=where)
    for document in itertools.islice(listed, limit):
        click.echo(_json(document) if as_json else _line(document))
    for source in sources:
        _note_if_unknown(knowledge, source)
    if limit is not None and next(listed, None) is not None:
        click.echo(f"There are more than {counted(limit, 'document')}.", err=True)


def _note_if_unknown(knowledge: Knowledge, source: str) -> None:
    """Says that a source has no documents, and which ones are like it; reads a page of documents where it has some."""
    if next(knowledge.documents(source=source), None) is None:
        try:
            knowledge.count_documents(source=source)
        except DocumentNotFound as error:
            click.echo(f"Note: {printable(str(error))} {printable(error.remedy)}", err=True)


def _show_blocks(blocks: list[BoilerplateBlock], limit: int, *, as_json: bool) -> None:
    if as_json:
        for block in blocks:
            click.echo(harmless(json.dumps(asdict(block), ensure_ascii=False)))
        return
    if not blocks:
        click.echo("No block is in most documents of its folder, or this corpus keeps such blocks.")
    for folder, found in itertools.groupby(blocks, key=lambda block: block.folder):
        click.echo(on_one_line(folder))
        for block in found:
            click.echo(
                f"  {block.documents:,} of {counted(block.of, 'document')}: {shortened(on_one_line(block.words))}"
            )
    if len(blocks) == limit:
        click.echo(f"The first {counted(limit, 'block')}; --limit shows more.", err=True)


def _line(document: StoredDocument) -> str:
    title = " ".join(document.title.split()) or "(no title)"
    links = f"  {counted(document.links, 'link')}" if document.links else ""
    return f"{document.id}  {document.chunks:>5,}  {escaped(title)}  [{from_here(escaped(document.origin))}]{links}"


def _json(document: StoredDocument) -> str:
    line = json.dumps(
        {
            "id": document.id,
            "title": document.title,
            "source": document.source,
            "source_key": document.source_key,
            "chunks": document.chunks,
            "links": document.links,
            "metadata": as_json(document.metadata),
        },
        ensure_ascii=False,
    )
    return harmless(line)
