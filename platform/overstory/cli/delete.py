"""overstory delete"""

from __future__ import annotations

import click

from overstory.cli.options import json_option, knowledge_options
from overstory.cli.output import show_json
from overstory.display import counted
from overstory.errors import CorpusNotFound
from overstory.knowledge import Knowledge


@click.command()
@click.argument("ids", nargs=-1, metavar="[DOCUMENT_ID…]")
@click.option(
    "--source", metavar="PATH", help="Delete all documents of this source, as shown by `overstory documents`."
)
@click.option("--all", "everything", is_flag=True, help="Delete the whole corpus.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@knowledge_options
def delete(
    knowledge: Knowledge, ids: tuple[str, ...], source: str | None, everything: bool, yes: bool, as_json: bool
) -> int:
    """Delete documents, with names that only they mention, or a whole corpus.

    \b
    Examples:
      overstory delete 3f1c0e5f0a5c4c9c8a3f6a1b2c3d4e5f   (`overstory documents` shows ids)
      overstory delete --source /data/old.md
      overstory delete --all --corpus wiki --yes
    """
    if sum((bool(ids), source is not None, everything)) != 1:
        raise click.UsageError("Name document ids, or --source, or --all.")
    if everything:
        _delete_corpus(knowledge, yes=yes, as_json=as_json)
        return 0
    wanted = list(dict.fromkeys(ids)) or [document.id for document in knowledge.documents(source=source)]
    if not yes and not ids:
        click.confirm(f"Delete {counted(len(wanted), 'document')} of {source}?", abort=True, err=True)
    removed = knowledge.delete_documents(wanted)
    if as_json:
        show_json({"deleted": removed, "not_found": len(wanted) - removed})
    else:
        missing = len(wanted) - removed
        click.echo(f"Deleted {counted(removed, 'document')}" + (f"; {missing:,} not found." if missing else "."))
    return CorpusNotFound.exit_code if removed < len(wanted) else 0


def _delete_corpus(knowledge: Knowledge, *, yes: bool, as_json: bool) -> None:
    counts = knowledge.status().counts
    if not yes:
        what = f"corpus {knowledge.corpus_name!r} with {counted(counts['documents'], 'document')}"
        click.confirm(f"Delete {what}?", abort=True, err=True)
    knowledge.delete_corpus()
    if as_json:
        show_json({"deleted": counts["documents"], "corpus": knowledge.corpus_name})
    else:
        click.echo(f"Deleted corpus {knowledge.corpus_name!r} with {counted(counts['documents'], 'document')}.")
