"""overstory ingest"""

from __future__ import annotations

import click

from overstory.cli.options import json_option, knowledge_options
from overstory.cli.output import show_json
from overstory.display import counted, escaped, index_command
from overstory.errors import SourceError
from overstory.index import LoadReport
from overstory.knowledge import Knowledge

MOST_LISTED = 20


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--loader", metavar="NAME", help="Use this loader instead of the one that recognises the source.")
@click.option("--strict", is_flag=True, help="Stop at the first broken source instead of skipping it.")
@click.option("--dry-run", is_flag=True, help="Show what would happen, and change nothing.")
@json_option
@knowledge_options
def ingest(
    knowledge: Knowledge, paths: tuple[str, ...], loader: str | None, strict: bool, dry_run: bool, as_json: bool
) -> int:
    """Load files and folders into a corpus: text, Markdown, HTML, PDF, DOCX, JSON lines, CSV, BEIR folders, OpenIE
    triples, and files of `overstory export`.

    Unchanged content is skipped; changed content replaces the old. Broken sources are reported and skipped, and the
    exit code is then 8. Run `overstory index` afterwards.

    \b
    Examples:
      overstory ingest docs/ report.pdf
      overstory ingest passages.jsonl --corpus wiki --dry-run
    """
    if dry_run:
        report = knowledge.preview(paths, loader=loader, strict=strict)
    else:
        report = knowledge.ingest(paths, loader=loader, strict=strict)
    if as_json:
        show_json(report)
    else:
        _show(report, knowledge.corpus_name, dry_run=dry_run)
    return SourceError.exit_code if report.broken else 0


def _show(report: LoadReport, corpus: str, *, dry_run: bool) -> None:
    would = "would be " if dry_run else ""
    click.echo(
        f"{counted(report.documents, 'document')} {'for' if dry_run else 'in'} corpus {corpus!r}: "
        f"{report.added:,} {would}added, {report.changed:,} {would}changed, {report.unchanged:,} unchanged"
        + (f"; {report.annotated:,} {would}annotated" if report.annotated else "")
        + "."
    )
    _show_some("skipped, because no loader reads them", [escaped(path) for path in report.skipped])
    _show_some("broken and skipped", [_with_remedy(str(error), error.remedy) for error in report.broken])
    if report.added + report.changed + report.annotated and not dry_run:
        click.echo(f"Next: {index_command(corpus)}")


def _with_remedy(message: str, remedy: str) -> str:
    return f"{message} ({remedy})" if remedy else message


def _show_some(what: str, items: list[str]) -> None:
    if items:
        click.echo(f"{len(items):,} {what}:", err=True)
        for item in items[:MOST_LISTED]:
            click.echo(f"  {item}", err=True)
        if len(items) > MOST_LISTED:
            click.echo(f"  … and {len(items) - MOST_LISTED:,} more (--json lists all)", err=True)
