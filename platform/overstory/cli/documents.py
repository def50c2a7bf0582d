"""overstory documents"""

from __future__ import annotations

import json

import click

from overstory.cli.options import json_option, knowledge_options
from overstory.cli.output import harmless
from overstory.display import printable
from overstory.index import StoredDocument
from overstory.knowledge import Knowledge


@click.command()
@click.option("--source", metavar="PATH", help="Only documents of this source, as shown by `overstory documents`.")
@json_option
@knowledge_options
def documents(knowledge: Knowledge, source: str | None, as_json: bool) -> None:
    """List the documents of a corpus: id, title, source. With --json, one object per line.

    \b
    Example:
      overstory documents --corpus wiki | head
    """
    for document in knowledge.documents(source=source):
        click.echo(_json(document) if as_json else _line(document))


def _line(document: StoredDocument) -> str:
    title = " ".join(printable(document.title).split())
    return f"{document.id}  {title or '(no title)'}  [{document.origin}]"


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
