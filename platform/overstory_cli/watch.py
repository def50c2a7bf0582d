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
from overstory.knowledge.watch import MINUTES_BETWEEN_FULL_SYNCS, WatchOptions
from overstory.knowledge.watch import watch as watch_folders
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
@click.option("--index", "then_index", is_flag=True, help="Update the index after each change.")
@click.option(
    "--every",
    default=MINUTES_BETWEEN_FULL_SYNCS,
    show_default=True,
    type=click.FloatRange(min=0),
    metavar="MINUTES",
    help="Interval of full syncs, which catch changes that the operating system did not report; 0: only at the start.",
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
    """Sync folders into a corpus whenever files change, until Ctrl-C.

    The command starts with a full `overstory ingest --sync`, then syncs changed files and prints a line for each
    document. If another process is writing to the corpus or the database is down, it waits and continues later. If a
    folder is suddenly missing or empty, such as an unmounted disk, no documents are deleted.

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
        _show("stopped  Changes made from now on are found at the next start.")


def _show(line: str) -> None:
    click.echo(f"{time.strftime('%H:%M:%S')} {printable(line)}")
