"""overstory corpora"""

from __future__ import annotations

import click

from overstory.display import counted, delete_command
from overstory.graph.driver import import_driver_alone
from overstory.knowledge import Knowledge
from overstory.protocols import Progress
from overstory_cli.options import Result, json_option, verbosity_options


@click.command()
@verbosity_options
@json_option
def corpora(progress: Progress) -> Result:
    """List all corpora with their sizes.

    \b
    Example:
      overstory corpora --json
    """
    import_driver_alone()
    with Knowledge(progress=progress) as knowledge:
        found = knowledge.corpora()

    def show() -> None:
        if not found:
            click.echo("There are no corpora yet. Load documents: overstory ingest PATH")
        for size in found:
            name = size.corpus.name
            sizes = f"{counted(size.documents, 'document')}, {counted(size.chunks, 'chunk')}"
            rest = f"; being deleted. If the deletion was interrupted, run: {delete_command(name)}"
            click.echo(f"{name}: {sizes}{rest if size.corpus.is_deleting else ''}")

    return Result(found, show)
