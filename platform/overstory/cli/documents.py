"""overstory documents"""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import groupby, islice

import click

from overstory.cli.options import json_option, knowledge_options
from overstory.cli.output import harmless
from overstory.display import counted, printable, shortened
from overstory.index import BoilerplateBlock, StoredDocument
from overstory.knowledge import MOST_BLOCKS, Knowledge


@click.command()
@click.option("--source", metavar="PATH", help="Only documents of this source, as shown by `overstory documents`.")
@click.option(
    "--boilerplate",
    is_flag=True,
    help="List the blocks that most documents of their folder repeat instead: how many have each, and its first words.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"At most N documents, by default all, or blocks, by default {MOST_BLOCKS:,}.",
)
@json_option
@knowledge_options
def documents(knowledge: Knowledge, source: str | None, boilerplate: bool, limit: int | None, as_json: bool) -> None:
    """List the documents of a corpus: id, title, source. With --json, one object per line.

    \b
    Examples:
      overstory documents --corpus wiki | head
      overstory documents --boilerplate
    """
    if boilerplate:
        if source is not None:
            raise click.UsageError("--boilerplate lists folders; it does not go with --source.")
        _show_blocks(knowledge.boilerplate(limit=limit or MOST_BLOCKS), limit or MOST_BLOCKS, as_json=as_json)
        return
    for document in islice(knowledge.documents(source=source), limit):
        click.echo(_json(document) if as_json else _line(document))


def _show_blocks(blocks: list[BoilerplateBlock], limit: int, *, as_json: bool) -> None:
    if as_json:
        for block in blocks:
            click.echo(harmless(json.dumps(asdict(block), ensure_ascii=False)))
        return
    if not blocks:
        click.echo("No block is in most documents of its folder, or this corpus keeps such blocks.")
    for folder, found in groupby(blocks, key=lambda block: block.folder):
        click.echo(_on_one_line(folder))
        for block in found:
            click.echo(
                f"  {block.documents:,} of {counted(block.of, 'document')}: {shortened(_on_one_line(block.words))}"
            )
    if len(blocks) == limit:
        click.echo(f"The first {counted(limit, 'block')}; --limit shows more.", err=True)


def _on_one_line(text: str) -> str:
    return " ".join(printable(text).split())


def _line(document: StoredDocument) -> str:
    title = " ".join(printable(document.title).split())
    return printable(f"{document.id}  {title or '(no title)'}  [{document.origin}]")


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
