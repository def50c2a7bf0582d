"""overstory export"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from overstory.cli.options import json_option, knowledge_options
from overstory.cli.output import show_json
from overstory.display import counted
from overstory.errors import SettingsError
from overstory.knowledge import ExportReport, Knowledge


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
    if file == "-":
        if as_json:
            raise click.UsageError("--json and an export to - both use standard output; name a file.")
        out = sys.stdout.buffer  # UTF-8, whatever the terminal uses
        report = knowledge.export(lambda line: out.write(line.encode()))
        click.echo(_summary(report), err=True)
        return
    target = Path(file).resolve()  # a link is kept, and its target is written
    if not file or (target.exists() and not target.is_file()):
        raise SettingsError(f"{file!r} is not a file.", remedy="Name a file; - is standard output.")
    if target.exists() and not force:
        raise SettingsError(f"{file} already exists.", remedy="Name another file, or replace it with --force.")
    report = _to_file(knowledge, target)
    if as_json:
        show_json(report)
    else:
        click.echo(_summary(report))


def _to_file(knowledge: Knowledge, target: Path) -> ExportReport:
    """Write to a temporary file and rename it, so that an interrupted export leaves no incomplete file."""
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with partial.open("w", encoding="utf-8") as out:
            report = knowledge.export(out.write)
            out.flush()
            os.fsync(out.fileno())
        partial.replace(target)
    except OSError as error:
        why = error.strerror or error  # without the name of the temporary file
        raise SettingsError(f"{target} cannot be written: {why}.", remedy="Choose another path.") from error
    finally:
        partial.unlink(missing_ok=True)
    return report


def _summary(report: ExportReport) -> str:
    return f"Exported {counted(report.documents, 'document')}, digest {report.digest}"
