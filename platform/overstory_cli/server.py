"""overstory server …"""

from __future__ import annotations

import datetime
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

import click

from overstory import server as embedded
from overstory.errors import OverstoryError
from overstory.protocols import Progress
from overstory.server import process
from overstory.settings import Settings
from overstory_cli.options import Result, json_option, verbosity_options


@click.group()
def server() -> None:
    """Control the embedded Neo4j server.

    If OVERSTORY_NEO4J_URI is not set, other commands start the server on demand. It stops when it has not been used
    for OVERSTORY_SERVER_IDLE_MINUTES minutes. All processes with the same OVERSTORY_HOME share one server.
    """


@server.command()
@verbosity_options
@json_option
def start(progress: Progress) -> Result:
    """Start the server and show its address. Neo4j is downloaded first if necessary.

    \b
    Example:
      overstory server start
    """
    settings = Settings.from_environment()
    began = time.time()
    connection = embedded.ensure_running(settings, progress=progress)
    found = embedded.status(settings)
    if found.started is not None and found.started > began:
        _warm_up(connection)
    return _status(found)


@server.command()
def stop() -> None:
    """Stop the server, even if it is in use. The data is kept.

    \b
    Example:
      overstory server stop
    """
    click.echo("Stopped." if embedded.stop(Settings.from_environment()) else "No server was running.")


@server.command()
@json_option
def status() -> Result:
    """Show the server's state, address, memory and disk space. The exit code is 1 unless it is running.

    \b
    Example:
      overstory server status --json
    """
    from overstory.graph.driver import import_driver_alone  # imported here because `start` should not import numpy

    import_driver_alone()
    return _status(embedded.status(Settings.from_environment()))


@server.command()
@click.option("-n", "--lines", type=click.IntRange(min=0), default=50, show_default=True, help="Number of lines.")
@click.option("-f", "--follow", is_flag=True, help="Keep printing new lines until Ctrl-C.")
def logs(lines: int, follow: bool) -> None:
    """Print the server's log.

    \b
    Example:
      overstory server logs -n 20 -f
    """
    with suppress(KeyboardInterrupt):  # with -f, the user ends the command with Ctrl-C
        for line in embedded.read_log(Settings.from_environment(), lines=lines, follow=follow):
            click.echo(line)


@server.command()
def password() -> None:
    """Print the password for Neo4j Browser. The user is neo4j.

    \b
    Example:
      overstory server password
    """
    click.echo(embedded.password(Settings.from_environment()))


@server.command()
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
def remove(yes: bool) -> None:
    """Delete the server's graph, password and logs. The Neo4j jars are kept.

    \b
    Example:
      overstory server remove
    """
    settings = Settings.from_environment()
    if not yes:
        click.confirm(f"Delete the graph in {settings.places.data} with all its corpora?", abort=True, err=True)
    click.echo("Removed." if embedded.remove(settings) else f"There is no server in {settings.places.data}.")


@server.command()
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Copy the jars from this folder instead of the network.",
)
@verbosity_options
def fetch(progress: Progress, source: Path | None) -> None:
    """Download Neo4j and the embedding models, verify every jar, and print the folder of the jars.

    For a machine without network access: run this command on another machine, copy the folder, and give it with --from.

    \b
    Examples:
      overstory server fetch
      overstory server fetch --from /media/usb/jars
    """
    from overstory.embed.int8 import fetch_models

    settings = Settings.from_environment()
    folder = embedded.fetch(settings, source=source, progress=progress)
    fetch_models(settings.places.jar_cache, source=source, progress=progress)
    click.echo(folder)


def _status(found: embedded.ServerStatus) -> Result:
    started = None if found.started is None else datetime.datetime.fromtimestamp(found.started).astimezone()
    fields = {
        "state": found.state,
        "uri": found.uri,
        "http_url": found.http_url,
        "user": embedded.USER,
        "password_file": str(found.password_file),
        "pid": found.pid,
        "neo4j": found.neo4j,
        "started": started,
        "memory_bytes": found.memory,
        "disk_bytes": found.disk,
        "class_archive_bytes": found.archive,
        "answered_after_seconds": found.answered,
        "data": str(found.data),
    }
    return Result(fields, lambda: _show(found, started), code=0 if found.state == "running" else 1)


def _show(found: embedded.ServerStatus, started: datetime.datetime | None) -> None:
    click.echo(f"Server   {found.shown_state}" + (f", Neo4j {found.neo4j}, process {found.pid}" if found.pid else ""))
    if found.pid is not None:
        click.echo(f"Drivers  {found.uri}, user {embedded.USER}")
        click.echo(f"Browser  {found.http_url} (password: overstory server password)")
    if started is not None and found.memory is not None:
        click.echo(f"Since    {started:%Y-%m-%d %H:%M:%S}, {found.memory / 1e6:,.0f} MB of memory")
    archive = f", {found.archive / 1e6:,.0f} MB for a faster start" if found.archive else ""
    click.echo(f"Files    {found.data}, {found.disk / 1e6:,.0f} MB{archive}")


# After a start, a separate process asks a question, so that Neo4j plans its statements before the user asks the first.
_PROGRAM = "from overstory_cli.server import ask_first_question; ask_first_question()"
FIRST_QUESTION = "Who wrote the first of them, and when?"


def _warm_up(connection: embedded.Connection) -> None:
    # Without this address, the process would start another server if this server has been stopped in the meantime.
    environ = process.inherited() | {
        "OVERSTORY_NEO4J_URI": connection.uri,
        "OVERSTORY_NEO4J_USER": connection.user,
        "OVERSTORY_NEO4J_PASSWORD": connection.password,
    }
    if sys.executable:
        process.spawn_python(_PROGRAM, folder=Path.cwd(), log=Path(os.devnull), environ=environ)


def ask_first_question() -> None:
    """Send a question to the first corpus that contains passages."""
    from overstory.graph.driver import import_driver_alone

    import_driver_alone()
    from overstory.knowledge import Knowledge

    with suppress(OverstoryError), Knowledge() as every:
        found = next((size.corpus for size in every.corpora() if size.chunks and not size.corpus.is_deleting), None)
        if found is not None:
            with Knowledge(found.name) as knowledge:
                knowledge.search(FIRST_QUESTION)
