"""overstory watch"""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType

import click

from overstory.display import escaped, printable
from overstory.index import DocumentChange
from overstory.knowledge import Knowledge
from overstory.knowledge.watching import MINUTES_BETWEEN_FULL_SYNCS, WatchOptions
from overstory.knowledge.watching import watch as watch_folders
from overstory.sources.read_options import ReadOptions
from overstory_cli.given_metadata import given_metadata
from overstory_cli.options import knowledge_options
from overstory_cli.output import from_here
from overstory_cli.reading import delete_excluded_option, reading_options


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
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Add this to the metadata of each document."
)
@delete_excluded_option
@reading_options
@knowledge_options
def watch(
    knowledge: Knowledge,
    options: ReadOptions,
    folders: tuple[str, ...],
    then_index: bool,
    every: float,
    settings: tuple[str, ...],
) -> int:
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
    given = WatchOptions(read=options, metadata=given_metadata(settings), index=then_index, full_sync_minutes=every)
    try:
        watch_folders(knowledge, folders, given, on_change=_show_change, on_note=_show, stop=stop)
    except KeyboardInterrupt:
        _show("stopped  The next start finds what changed meanwhile.")
    return 0


def _show_change(change: DocumentChange) -> None:
    before = f"{from_here(escaped(change.before))} → " if change.before else ""
    _show(f"{change.kind:<8} {before}{from_here(escaped(change.origin))}")


def _show(line: str) -> None:
    click.echo(f"{time.strftime('%H:%M:%S')} {printable(line)}")
