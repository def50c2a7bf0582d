"""overstory delete"""

from __future__ import annotations

import click

from overstory.display import counted, escaped
from overstory.errors import CorpusNotFound
from overstory.knowledge import Knowledge
from overstory_cli.options import Result, json_option, knowledge_options, where_option
from overstory_cli.output import show_notes


@click.command()
@click.argument("ids", nargs=-1, metavar="[DOCUMENT_ID…]")
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="SOURCE",
    help="Delete all documents of this file, folder, pattern ('docs/*.html') or other source; may be repeated.",
)
@where_option
@click.option(
    "--all", "everything", is_flag=True, help="Delete the whole corpus. If interrupted, run the command again."
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@knowledge_options
@json_option
def delete(
    knowledge: Knowledge, ids: tuple[str, ...], sources: tuple[str, ...], where: str | None, everything: bool, yes: bool
) -> Result:
    """Delete documents or a whole corpus.

    Entities that only these documents mention and cached language model responses that quote them are deleted, too.
    A source path is relative to the current folder, as in `overstory ingest`; a folder includes everything below it.
    The exit code is 7 if an id or source matches no document, for example because it was deleted before.

    \b
    Examples:
      overstory delete 3f1c0e5f0a5c4c9c8a3f6a1b2c3d4e5f   (`overstory documents` shows ids)
      overstory delete --source docs/old.md --source 'docs/man/*.html'
      overstory delete --source docs/ --where "modified < 2020-01-01"
      overstory delete --all --corpus wiki --yes
    """
    if sum((bool(ids), bool(sources) or where is not None, everything)) != 1:
        raise click.UsageError("Give document ids, or --source or --where, or --all.")
    if everything:
        return _delete_corpus(knowledge, yes=yes)
    if sources or where is not None:
        return _deleted(_delete_chosen(knowledge, sources, where, yes=yes), missing=0)
    named = list(dict.fromkeys(ids))
    removed = knowledge.delete_documents(named)
    return _deleted(removed, missing=len(named) - removed)


def _deleted(removed: int, *, missing: int) -> Result:
    note = f"; {missing:,} not found." if missing else "."
    return Result(
        {"deleted": removed, "not_found": missing},
        lambda: click.echo(f"Deleted {counted(removed, 'document')}{note}"),
        CorpusNotFound.exit_code if missing else 0,
    )


def _delete_chosen(knowledge: Knowledge, sources: tuple[str, ...], where: str | None, *, yes: bool) -> int:
    show_notes(() if where is None else knowledge.filter_notes(where))
    if not yes:
        found = knowledge.count_documents(source=sources or None, where=where)
        of = f" of {', '.join(map(escaped, sources))}" if sources else ""
        that = "" if where is None else f" with {escaped(where)}"
        if found:
            click.confirm(f"Delete {counted(found, 'document')}{of}{that}?", abort=True, err=True)
    return knowledge.delete_documents(source=sources or None, where=where)


def _delete_corpus(knowledge: Knowledge, *, yes: bool) -> Result:
    name = knowledge.corpus_name
    found = [size.documents for size in knowledge.corpora() if size.corpus.name == name]
    documents = sum(found)
    if found and not yes:
        click.confirm(f"Delete corpus {name!r} with {counted(documents, 'document')}?", abort=True, err=True)
    knowledge.delete_corpus()
    text = f"Deleted corpus {name!r} with {counted(documents, 'document')}."
    return Result({"deleted": documents, "corpus": name}, lambda: click.echo(text))
