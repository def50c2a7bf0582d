"""overstory status"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from overstory.display import counted, index_command
from overstory_cli.options import Result, json_option, knowledge_options
from overstory_cli.output import shown_time, wrapped

if TYPE_CHECKING:
    from overstory.index import CorpusStatus, StageRecord
    from overstory.knowledge import Knowledge
    from overstory.systems import SystemReport


@click.command()
@click.option(
    "--digest", is_flag=True, help="Also compute the digest, which is the same for corpora with equal contents."
)
@knowledge_options
@json_option
def status(knowledge: Knowledge, digest: bool) -> Result:
    """Show the contents of a corpus and the state of its index.

    \b
    Example:
      overstory status --corpus wiki
    """
    found = knowledge.status()
    computed = knowledge.digest() if digest else None
    systems = knowledge.system_reports()
    shown = {"status": found} | ({"systems": systems} if systems else {}) | ({"digest": computed} if digest else {})

    def show() -> None:
        _show(found)
        for system in systems:
            click.echo(_figures(system))
            for note in system.notes:
                click.echo(wrapped(note, 12))
        if computed:
            click.echo(f"digest   {computed}")

    return Result(shown, show)


def _figures(system: SystemReport) -> str:
    shown = ", ".join(f"{number:,} {what.replace('_', ' ')}" for what, number in system.figures.items())
    return wrapped(f"{system.name:<9} {system.how}{': ' if shown else ''}{shown}", 2, hanging=12)


def _show(found: CorpusStatus) -> None:
    corpus = found.corpus
    click.echo(f"Corpus {corpus.name!r}, version {corpus.version}, label {corpus.label}")
    click.echo("  " + ", ".join(f"{number:,} {what.replace('_', ' ')}" for what, number in found.counts.items()))
    click.echo(f"  embedder {corpus.embedder or '(none yet)'}, vectors {_vectors(found)}")
    only, some = found.boilerplate.get("only", 0), found.boilerplate.get("some", 0)
    if only or some:
        click.echo(
            f"  {counted(only, 'passage is', 'passages are')} boilerplate only, {counted(some, 'holds', 'hold')} some: "
            f"overstory documents --boilerplate --corpus {shlex.quote(corpus.name)}"
        )
    pending = {stage: number for stage, number in found.pending.items() if number}
    if pending:
        click.echo(
            "  to do: "
            + ", ".join(f"{stage} {number:,}" for stage, number in pending.items())
            + f"{shown_time(found.index_time)} — run: {index_command(corpus.name)}"
        )
    else:
        click.echo("  the index is up to date")
    if found.writer:
        click.echo(f"  being changed by: {found.writer}")
    for stage in found.stages:
        counts = ", ".join(f"{number:,} {what}" for what, number in sorted(stage.counts.items()) if number)
        tokens = f", {stage.tokens:,} tokens" if stage.tokens else ""
        status = _status(stage)
        when = f"{stage.started:%Y-%m-%d %H:%M}"
        click.echo(f"  {stage.name:<9} {status:<8} {when} {stage.seconds:8.1f} s  {counts}{tokens}")


def _status(stage: StageRecord) -> str:
    if stage.at is None or stage.total is None:
        return stage.status
    return f"{stage.status} at {stage.at:,} of {stage.total:,}"


def _vectors(found: CorpusStatus) -> str:
    return "in their own index" if found.corpus.vector_index else "scanned exactly"
