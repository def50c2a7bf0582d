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
    """Export a corpus to a file.

    FILE gets JSON lines with documents, chunks, vectors, mentions and facts; - is standard output. `overstory ingest
    FILE` restores the corpus without recomputing anything, and with the same digest.

    With --where, only matching documents are exported, without links to other documents. Entity edits and
    vocabularies are left out, too, because they may contain names from other documents.

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
