"""overstory documents"""

from __future__ import annotations

import itertools
import json

import click

from overstory.cli.options import json_option, knowledge_options
from overstory.cli.output import harmless
from overstory.display import counted, escaped
from overstory.index import StoredDocument
from overstory.knowledge import Knowledge


@click.command()
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="SOURCE",
    help="Only documents of this file, folder, pattern ('docs/*.html') or other source; may be repeated.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="List at most N documents.")
@json_option
@knowledge_options
def documents(knowledge: Knowledge, sources: tuple[str, ...], limit: int | None, as_json: bool) -> None:
    """List the documents of a corpus by source: id, number of passages, title, source. With --json, one object per
    line.

    \b
    Examples:
      overstory documents --corpus wiki --limit 20
      overstory documents --source docs/
    """
    listed = knowledge.documents(source=sources or None)
    for document in itertools.islice(listed, limit):
        click.echo(_json(document) if as_json else _line(document))
    if limit is not None and next(listed, None) is not None:
        click.echo(f"There are more than {counted(limit, 'document')}.", err=True)


def _line(document: StoredDocument) -> str:
    title = " ".join(document.title.split()) or "(no title)"
    return f"{document.id}  {document.chunks:>5,}  {escaped(title)}  [{escaped(document.origin)}]"


def _json(document: StoredDocument) -> str:
    line = json.dumps(
        {
            "id": document.id,
            "title": document.title,
            "source": document.source,
            "source_key": document.source_key,
            "chunks": document.chunks,
            "metadata": document.metadata,
        },
        ensure_ascii=False,
    )
    return harmless(line)
