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
@click.option("--out", required=True, metavar="DIR", help="Folder for the shards: a new one, or one of an earlier run.")
@loader_option
@strict_option
@metadata_option
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of processes that embed and extract; each loads its own models, some 500 MB.",
)
@click.option("--on", metavar="WHERE", help="Use Ray workers: ray for this machine or its cluster, or ray://HOST:PORT.")
@click.option("--worker-cpus", default=1.0, show_default=True, metavar="X", help="CPUs that each Ray worker reserves.")
@click.option("--worker-gpus", default=0.0, show_default=True, metavar="X", help="GPUs that each Ray worker reserves.")
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
    """Read, embed and extract files without a database.

    These steps take most of the time of a first load, and can run on any machine. On the machine with the database,
    `overstory ingest DIR` then loads the result, and `overstory index` completes the index.

    The output folder gets shards in the format of `overstory export`. If the command is interrupted, run it again: it
    writes only the missing shards. If documents have changed, it replaces only their shards.

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
        f"{report.written:,} written, {report.kept:,} unchanged, {report.deleted:,} deleted."
    )
    show_files(report.skipped, report.decoded, report.broken)
    if report.left_out:
        left_out = counted(report.left_out, "link or annotation", "links and annotations")
        show_notes([f"{left_out} left out: shards cannot hold them. To load them, ingest the source itself."])
    click.echo(f"Next: overstory ingest {escaped(out)} --index", err=True)
