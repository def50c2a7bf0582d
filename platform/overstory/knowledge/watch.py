"""Watching folders, so that files are loaded again whenever they change.

The package watchfiles reports changed paths. It misses changes that happen before the start, through symbolic links, or
when its queue overflows. They are found by full syncs, at the start and at intervals. A changed path stays pending
until its sync has finished, so no change is lost while the database is unavailable or another process is writing.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from overstory.display import counted
from overstory.errors import (
    DatabaseError,
    ExtraMissing,
    LeaseLost,
    OverstoryError,
    ServerError,
    SourceError,
    SourcesEmpty,
    WriterBusy,
)
from overstory.index import DocumentChange, LoadReport
from overstory.knowledge.knowledge import Knowledge
from overstory.model import Metadata
from overstory.sources import ReadOptions, absolute

_QUIET_MILLISECONDS = 1_000
"""A sync starts this long after the last change, because a program that saves one file often saves others."""
_LONGEST_UNQUIET_MILLISECONDS = 15_000
"""If changes continue without a pause, a sync starts after this time at the latest."""
_TICK_MILLISECONDS = 1_000
"""How often to check whether a sync is due, and whether a watched folder was replaced."""
MINUTES_BETWEEN_FULL_SYNCS = 60.0
_FIRST_RETRY_SECONDS = 2.0
_LONGEST_RETRY_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """Options for watching folders.

    Attributes:
        full_sync_minutes: time between full syncs; 0 means that only the first one is made.
        quiet_milliseconds: how long to wait after the last change before a sync starts.
    """

    read: ReadOptions = field(default_factory=ReadOptions)
    metadata: Metadata | None = None
    index: bool = False
    full_sync_minutes: float = MINUTES_BETWEEN_FULL_SYNCS
    quiet_milliseconds: int = _QUIET_MILLISECONDS


def watch(
    knowledge: Knowledge,
    folders: Sequence[str | Path],
    options: WatchOptions,
    *,
    on_change: Callable[[DocumentChange], object],
    on_note: Callable[[str], object],
    stop: threading.Event | None = None,
) -> None:
    """Keep the corpus in sync with folders until `stop` is set. Without `stop`, this never returns.

    Args:
        on_change: called for each document that was added, changed, moved or removed, once the change is stored.
        on_note: called with a line of text about any other event, such as a failure or a wait.

    Raises:
        SourceError: a path is not a folder.
        ExtraMissing: watchfiles is not installed.
        SettingsError, ModelError, SchemaError: as for `Knowledge.ingest`.
    """
    if find_spec("watchfiles") is None:
        raise ExtraMissing("watchfiles", extra="watch")
    roots = [absolute(str(folder)) for folder in folders]
    for root in roots:
        if not root.is_dir():
            raise SourceError(f"{root} is not a folder that can be watched.", remedy="Check the path.")
    _Watch(knowledge, roots, options, on_change, on_note, stop or threading.Event()).run()


class _Watch:
    def __init__(
        self,
        knowledge: Knowledge,
        roots: Sequence[Path],
        options: WatchOptions,
        on_change: Callable[[DocumentChange], object],
        on_note: Callable[[str], object],
        stop: threading.Event,
    ) -> None:
        self._knowledge = knowledge
        self._roots = roots
        self._options = options
        self._on_change = on_change
        self._on_note = on_note
        self._stop = stop
        self._changed: set[str] = set()
        self._full_at = 0.0
        self._to_index = options.index
        self._retry_at = 0.0
        self._retry_seconds = _FIRST_RETRY_SECONDS
        self._failed: dict[str, str] = {}
        self._empty = ""

    def run(self) -> None:
        there: dict[Path, tuple[int, int] | None] = {}
        while not self._stop.is_set():
            if there != (there := {root: _identity(root) for root in self._roots}):
                self._full_at = 0.0
            for changed in _changes([root for root in there if there[root]], self._options, self._stop):
                self._changed |= {path for path in changed if not self._is_hidden(path)}
                self._sync()
                if there != {root: _identity(root) for root in self._roots}:
                    break  # a folder was replaced or removed, but watchfiles still watches the old one

    def _is_hidden(self, path: str) -> bool:
        root = next((root for root in self._roots if Path(path).is_relative_to(root)), None)
        return root is None or any(part.startswith(".") for part in Path(path).relative_to(root).parts)

    def _sync(self) -> None:
        now = time.monotonic()
        is_full = now >= self._full_at
        if now < self._retry_at or not (is_full or self._changed or self._to_index):
            return
        changed = sorted(self._changed)
        try:
            if is_full or changed:
                self._ingest(None if is_full else changed)
                self._changed.difference_update(changed)
                if is_full:
                    minutes = self._options.full_sync_minutes
                    self._full_at = time.monotonic() + minutes * 60 if minutes else float("inf")
            if self._to_index:
                done = self._knowledge.index().done
                self._to_index = False
                if done:
                    self._on_note(f"indexed  {', '.join(done)}")
        except SourcesEmpty as error:
            if (message := f"{error} {error.remedy}") != self._empty:
                self._on_note(message)
            self._empty = message
            self._changed.difference_update(changed)
            self._full_at = time.monotonic() + _LONGEST_RETRY_SECONDS  # in case a missing disk is mounted again
        except (WriterBusy, LeaseLost, DatabaseError, ServerError) as error:
            self._wait_after(error)
            return
        else:
            self._empty = ""
        self._retry_seconds = _FIRST_RETRY_SECONDS

    def _ingest(self, only: Sequence[str] | None) -> None:
        options = self._options
        report = self._knowledge.ingest(
            self._roots,
            sync=True,
            options=options.read,
            metadata=options.metadata,
            only=only,
            on_change=self._on_change,
        )
        changed = report.added + report.changed + report.moved + report.removed + report.metadata_only
        self._to_index = self._to_index or (options.index and changed > 0)
        self._report(report, is_full=only is None)

    def _report(self, report: LoadReport, *, is_full: bool) -> None:
        failed = {error.source: f"{error} ({error.remedy})" if error.remedy else str(error) for error in report.broken}
        for source, what in failed.items():
            if self._failed.get(source) != what:
                self._on_note(f"failed   {what}")
        self._failed = failed if is_full else {**self._failed, **failed}
        if is_full:
            self._on_note(f"synced   {counted(report.documents, 'document')} in {counted(len(self._roots), 'folder')}")
            for kept in report.kept:
                self._on_note(f"kept     {kept.path}: {counted(kept.documents, 'document')}; {kept.why}")

    def _wait_after(self, error: OverstoryError) -> None:
        self._on_note(f"waiting  {self._retry_seconds:.0f} s: {error}")
        self._retry_at = time.monotonic() + self._retry_seconds
        self._retry_seconds = min(2 * self._retry_seconds, _LONGEST_RETRY_SECONDS)
        if not isinstance(error, WriterBusy):
            self._knowledge.close()  # the next attempt opens a new connection, and restarts the server if needed


def _changes(roots: Sequence[Path], options: WatchOptions, stop: threading.Event) -> Iterator[set[str]]:
    """Yield a set of changed paths after each pause, or an empty set after every tick without a change.

    The first set is yielded once watching has started.
    """
    from watchfiles import watch as watched

    if not roots:
        stop.wait(_TICK_MILLISECONDS / 1_000)
        yield set()
        return
    for changed in watched(
        *roots,
        watch_filter=None,
        debounce=_LONGEST_UNQUIET_MILLISECONDS,
        step=options.quiet_milliseconds,
        stop_event=stop,
        rust_timeout=_TICK_MILLISECONDS,
        yield_on_timeout=True,
        raise_interrupt=True,
        ignore_permission_denied=True,
    ):
        yield {path for _, path in changed}


def _identity(folder: Path) -> tuple[int, int] | None:
    """Return a value that changes if the folder is replaced by another; None if there is no folder at this path."""
    try:
        found = os.stat(folder)  # noqa: PTH116 # the same call as in sources.walk
    except OSError:
        return None
    return found.st_dev, found.st_ino
