"""overstory watch"""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType

import click

from overstory.display import printable
from overstory.index import DocumentChange
from overstory.knowledge import Knowledge
from overstory.knowledge.watching import MINUTES_BETWEEN_FULL_SYNCS, WatchOptions
from overstory.knowledge.watching import watch as watch_folders
from overstory.sources.read_options import ReadOptions
from overstory_cli.options import knowledge_options
from overstory_cli.source_options import (
    Metadata,
    delete_excluded_option,
    metadata_option,
    reading_options,
    shown_change,
)


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER…")
@click.option("--index", "then_index", is_flag=True, help="Bring the index up to date after each change.")
@click.option(
    "--every",
    default=MINUTES_BETWEEN_FULL_SYNCS,
    show_default=True,
    type=click.FloatRange(min=0),
    metavar="MINUTES",
    help="Also sync everything this often, for changes of which the system did not tell; 0 for at the start alone.",
)
@metadata_option
@delete_excluded_option
@reading_options
@knowledge_options
def watch(
    knowledge: Knowledge,
    options: ReadOptions,
    folders: tuple[str, ...],
    then_index: bool,
    every: float,
    metadata: Metadata,
) -> None:
    """Keep a corpus a mirror of folders while they change, until Ctrl-C: `overstory ingest --sync` of everything at the
    start, then of what changed, a line for each document.

    It waits for another process that writes to the corpus, and for the database while that cannot be reached, and
    then goes on. A folder that is suddenly missing or empty, as a disk that is not mounted, deletes nothing.

    \b
    Examples:
      overstory watch docs/ --index
      overstory watch . --gitignore --include '*.md' --corpus notes
    """
    stop = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)

    def show_change(change: DocumentChange) -> None:
        _show(shown_change(change))

    given = WatchOptions(read=options, metadata=metadata, index=then_index, full_sync_minutes=every)
    try:
        watch_folders(knowledge, folders, given, on_change=show_change, on_note=_show, stop=stop)
    except KeyboardInterrupt:
        _show("stopped  The next start finds what changed meanwhile.")


def _show(line: str) -> None:
    click.echo(f"{time.strftime('%H:%M:%S')} {printable(line)}")
