"""overstory corpora"""

from __future__ import annotations

import click

from overstory.display import counted, delete_command
from overstory.graph.driver import import_driver_alone
from overstory.knowledge import Knowledge
from overstory.protocols import Progress
from overstory_cli.options import json_option, verbosity_options
from overstory_cli.output import show_json


@click.command()
@json_option
@verbosity_options
def corpora(progress: Progress, as_json: bool) -> None:
    """List all corpora with their sizes.

    \b
    Example:
      overstory corpora --json
    """
    import_driver_alone()
    with Knowledge(progress=progress) as knowledge:
        found = knowledge.corpora()
    if as_json:
        show_json(found)
    elif not found:
        click.echo("No corpus yet. Load something: overstory ingest PATH")
    for size in [] if as_json else found:
        name, deleting = size.corpus.name, size.corpus.is_deleting
        rest = f"; being deleted, or that was interrupted: {delete_command(name)}"
        click.echo(
            f"{name}: {counted(size.documents, 'document')}, {counted(size.chunks, 'chunk')}{rest if deleting else ''}"
        )
