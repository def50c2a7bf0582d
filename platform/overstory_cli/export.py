"""overstory export"""

from __future__ import annotations

import click

from overstory.display import counted
from overstory.knowledge import Knowledge
from overstory_cli.options import Result, json_option, knowledge_options, wants_json, where_option
from overstory_cli.output import STANDARD_OUTPUT, show_notes, write_lines


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@where_option
@knowledge_options
@json_option
def export(knowledge: Knowledge, file: str, force: bool, where: str | None) -> Result:
    """Write a corpus to a file of JSON lines (- is standard output) that `overstory ingest` can restore: documents,
    chunks, vectors, mentions and facts. Nothing is computed again, and the digest stays the same.

    With --where only matching documents are written, and nothing of others: no links to them, and no edits of names and
    vocabularies, whose names may be theirs.

    \b
    Examples:
      overstory export wiki.jsonl --corpus wiki
      overstory export - | gzip > backup.jsonl.gz
      overstory export of-ada.jsonl --where "author = 'Ada'"
    """
    report = write_lines(file, lambda write: knowledge.export(write, where=where), force=force, as_json=wants_json())

    def show() -> None:
        show_notes(report.notes)
        digest = f", digest {report.digest}" if report.digest else ""
        click.echo(f"Exported {counted(report.documents, 'document')}{digest}", err=file == STANDARD_OUTPUT)

    return Result(report, show)
