"""overstory stage"""

from __future__ import annotations

import click

from overstory.display import counted, escaped
from overstory.errors import SourceError
from overstory.knowledge import Knowledge
from overstory.sources.read_options import ReadOptions
from overstory.transfer import StageReport
from overstory_cli.options import Result, json_option, knowledge_options
from overstory_cli.output import show_notes
from overstory_cli.source_options import (
    Metadata,
    loader_option,
    metadata_option,
    reading_options,
    show_files,
    strict_option,
)


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--out", required=True, metavar="DIR", help="The folder that the shards go to: new, or staged before.")
@loader_option
@strict_option
@metadata_option
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Embed and extract in N processes, each with models of its own, some 500 MB.",
)
@click.option(
    "--on",
    metavar="WHERE",
    help="Have workers of Ray do it: ray for this machine or the cluster it is of, or ray://HOST:PORT.",
)
@click.option("--worker-cpus", default=1.0, show_default=True, metavar="X", help="Processors that Ray keeps for each.")
@click.option("--worker-gpus", default=0.0, show_default=True, metavar="X", help="GPUs that Ray keeps for each.")
@reading_options
@knowledge_options
@json_option
def stage(
    knowledge: Knowledge,
    options: ReadOptions,
    paths: tuple[str, ...],
    out: str,
    loader: str | None,
    strict: bool,
    metadata: Metadata,
    workers: int | None,
    on: str | None,
    worker_cpus: float,
    worker_gpus: float,
) -> Result:
    """Read, embed and extract files and folders without a database: what takes most of the time of a first load, on any
    machine. `overstory ingest DIR` loads the result where the database is, and `overstory index` then does the rest.

    DIR gets shards, which are files of `overstory export`. Killed, the same command goes on with those that are
    missing; after a change, it writes those with changed documents, and deletes those that they replace.

    \b
    Examples:
      overstory stage docs/ --out staged/
      overstory stage docs/ --out staged/ --workers 8
      overstory ingest staged/ --corpus docs --index
    """
    report = knowledge.stage(
        paths,
        out,
        loader=loader,
        strict=strict,
        metadata=metadata,
        workers=workers,
        on=on,
        worker_cpus=worker_cpus,
        worker_gpus=worker_gpus,
        options=options,
    )
    return Result(report, lambda: _show(report, out), SourceError.exit_code if report.broken else 0)


def _show(report: StageReport, out: str) -> None:
    shards = counted(report.written + report.kept, "shard")
    click.echo(
        f"{shards} with {counted(report.documents, 'document')} and {counted(report.chunks, 'chunk')}: "
        f"{report.written:,} written, {report.kept:,} there already, {report.deleted:,} deleted."
    )
    show_files(report.skipped, report.decoded, report.broken)
    if report.left_out:
        left_out = counted(report.left_out, "link or annotation", "links and annotations")
        show_notes([f"{left_out} left out: ingest the source itself for these."])
    click.echo(f"Next: overstory ingest {escaped(out)} --index", err=True)
