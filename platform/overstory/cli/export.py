"""overstory export"""

from __future__ import annotations

import click

from overstory.cli.line_files import STANDARD_OUTPUT, write_lines
from overstory.cli.options import json_option, knowledge_options
from overstory.cli.output import show_json
from overstory.display import counted
from overstory.knowledge import Knowledge


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option
@knowledge_options
def export(knowledge: Knowledge, file: str, force: bool, as_json: bool) -> None:
    """Write a corpus to a file of JSON lines (- is standard output) that `overstory ingest` can restore: documents,
    chunks, vectors, mentions and facts. Nothing is computed again, and the digest stays the same.

    \b
    Examples:
      overstory export wiki.jsonl --corpus wiki
      overstory export - | gzip > backup.jsonl.gz
    """
    report = write_lines(file, knowledge.export, force=force, as_json=as_json)
    if as_json:
        show_json(report)
    else:
        summary = f"Exported {counted(report.documents, 'document')}, digest {report.digest}"
        click.echo(summary, err=file == STANDARD_OUTPUT)
