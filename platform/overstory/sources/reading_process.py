"""The worker process in which loaders read files, with limits on memory and processor time per file.

Even a small file can crash a parser or use up all memory. In a worker process, only the worker ends: the file is
reported as broken, and a new worker is started for the next file.
"""

from __future__ import annotations

import math
import os
import queue
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final

from overstory import cancellation
from overstory.closable import Closable
from overstory.errors import BrokenSource
from overstory.model import Document, Loaded
from overstory.processes import AnsweringProcess, ProcessEnded, answering, from_line, to_line
from overstory.protocols import Loader, OnBroken, OnSkipped
from overstory.sources.encodings import DecodedFile, OnDecoded

_READER_MEMORY_GIGABYTES = 2.0
"""Maximum memory for reading a file, in addition to what the worker already holds, such as the OCR model.

Large but harmless files, such as 64 MiB of text, a million XML elements or a scanned page, need up to 0.8 GB.
"""
_READER_SECONDS = 120
"""Maximum processor time for reading a small file, in seconds. Large files get more: see the next constant."""
_READER_SECONDS_A_MEGABYTE = 1_000
"""Additional seconds of processor time per megabyte. OCR takes about 8 s for a page, which may have only 8 kB."""
_WORKERS_DEEP = 2
"""Maximum depth to which workers are nested.

A file in an archive or in an email is read by a second worker, which the first worker starts. If the file crashes that
worker, only the file is reported as broken, not the archive. Files inside that file are read by the same worker.
"""
_SENT_EVENTS = 500
SENT_CHARACTERS = 2**18
"""A worker sends its items and reports as soon as the texts of the documents among them reach this many characters."""
_OOM_SCORE = 500
"""Added to a worker's OOM score (0 to 1,000), so that the kernel kills the worker first if memory runs out."""

_REMEDY = "Split it, or leave it out."


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits for reading one file."""

    memory_gigabytes: float = _READER_MEMORY_GIGABYTES
    seconds: int = _READER_SECONDS
    seconds_a_megabyte: int = _READER_SECONDS_A_MEGABYTE

    def seconds_for(self, source: str) -> int:
        """Return the maximum processor time for reading a file, in seconds. It depends on the size of the file."""
        with suppress(OSError, ValueError):
            return self.seconds + math.ceil(Path(source).stat().st_size * self.seconds_a_megabyte / 2**20)
        return self.seconds


READING_LIMITS: Final = ReadingLimits()


class _FileOutcome(Enum):
    MORE = "there are more messages about the file"
    DONE = "the file was read"
    WORN = "the file was read, and the worker holds much memory"
    OUT_OF_MEMORY = "the file needs more memory than it may have"


@dataclass(frozen=True, slots=True)
class _FileRequest:
    loader: Loader
    source: str
    encoding: str
    within: tuple[str, ...]
    memory_bytes: int
    seconds: int


@dataclass(frozen=True, slots=True)
class _Broken:
    """The fields of a `BrokenSource` error, which cannot be pickled itself."""

    reason: str
    source: str
    line: int | None
    remedy: str
    hides: bool

    def error(self) -> BrokenSource:
        return BrokenSource(self.reason, source=self.source, line=self.line, remedy=self.remedy, hides=self.hides)


_Event = Loaded | _Broken | DecodedFile | str
"""An item that a worker sends, or a report of a broken, decoded or skipped file. A string reports a skipped file."""


class ReadingProcess(Closable):
    """Reads files in a worker process, one after another. The worker is started for the first file."""

    def __init__(self, limits: ReadingLimits = READING_LIMITS) -> None:
        self._limits = limits
        self._process: AnsweringProcess | None = None
        self._ahead = ""  # the next file, if the worker has already been asked to read it
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def items(
        self,
        source: str,
        loader: Loader,
        *,
        encoding: str,
        within: Sequence[str],
        on_broken: OnBroken,
        on_skipped: OnSkipped,
        on_decoded: OnDecoded,
        following: tuple[str, Loader] | None = None,
    ) -> Iterator[Loaded]:
        """Yield the items that a loader reads from a file in the worker, and pass its reports to the callbacks.

        Items and reports arrive in the order in which the loader produces them. If the worker ends while it reads the
        file, the file is reported as broken.

        Args:
            following: the file that will probably be read next, and its loader. The worker begins to read it while the
                caller is still processing the items of the current file.
        """
        outcome = _FileOutcome.MORE
        try:
            if self._ahead and self._ahead != source:
                self.close()
            process = self._started()
            if self._ahead != source:
                process.ask(self._request(source, loader, encoding, within))
            self._ahead = ""
            if following is not None:
                process.ask(self._request(*following, encoding, within))
                self._ahead = following[0]
            while outcome is _FileOutcome.MORE:
                try:
                    with cancellation.ended_by(process.kill):
                        line = process.next_line()
                except ProcessEnded as ended:
                    on_broken(_killed_by(ended, source, self._limits))
                    return
                events, outcome = from_line(line)
                for event in events:
                    if isinstance(event, _Broken):
                        on_broken(event.error())
                    elif isinstance(event, DecodedFile):
                        on_decoded(event)
                    elif isinstance(event, str):
                        on_skipped(event)
                    else:
                        yield event
            if outcome is _FileOutcome.OUT_OF_MEMORY:
                on_broken(_needs_memory(source, self._limits))
        finally:
            if outcome is not _FileOutcome.DONE:
                self.close()

    def close(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process = None
        self._ahead = ""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _request(self, source: str, loader: Loader, encoding: str, within: Sequence[str]) -> bytes:
        memory = int(self._limits.memory_gigabytes * 2**30)
        seconds = self._limits.seconds_for(source)
        return to_line(_FileRequest(loader, source, encoding, tuple(within), memory, seconds))

    def _started(self) -> AnsweringProcess:
        if self._process is None:
            # If a worker is killed, it cannot delete its temporary files. Therefore this process creates the folder.
            self._folder = tempfile.TemporaryDirectory(prefix="overstory-", ignore_cleanup_errors=True)
            self._process = AnsweringProcess(f"{__name__}:main", str(_depth + 1), self._folder.name)
        return self._process


_depth = 0
"""The nesting depth: 0 in the user's process, 1 in a worker of that process, 2 in a worker started by a worker."""


@contextmanager
def process_of_run() -> Generator[ReadingProcess | None]:
    """Provide the worker that reads the files of a run during the `with` block.

    In the user's process, this is a new worker. Inside a worker, it is the result of `worker_of_worker`.
    """
    if _depth:
        yield worker_of_worker()
    else:
        with ReadingProcess() as process:
            yield process


def worker_of_worker() -> ReadingProcess | None:
    """Return the second worker, in which this worker reads files inside files, or None if it reads them itself."""
    return _inner() if 0 < _depth < _WORKERS_DEEP else None


@cache
def _inner() -> ReadingProcess:
    return ReadingProcess()


def main(depth: str, folder: str) -> None:
    """Run the main loop of a worker, which reads requests from standard input and answers with items and reports.

    Args:
        depth: the nesting depth of this worker, as a string.
        folder: the folder for temporary files.
    """
    global _depth  # a global variable, because the depth belongs to the process
    _depth = int(depth)
    tempfile.tempdir = folder
    _set_soft_limit(resource.RLIMIT_CORE, 0)
    with suppress(OSError):  # the file exists only on Linux
        Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE), encoding="ascii")
    with answering() as give:
        for line in _requests(folder):
            _FileReading(from_line(line), give).answer()


def _requests(folder: str) -> Iterator[bytes]:
    """When the parent process ends, this process exits at once, even while it is reading a file."""
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            lines.put(line)
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        yield lines.get()


class _OutOfMemory(BaseException):
    """Ends the reading of a file. It is not a subclass of `Exception`, so that loaders do not catch it by accident."""


class _FileReading:
    def __init__(self, request: _FileRequest, give: Callable[[bytes], None]) -> None:
        self._request, self._give = request, give
        self._events: list[_Event] = []
        self._characters = 0

    def answer(self) -> None:
        from overstory.sources.loader_runner import (
            LoaderRunner,
        )  # imported here because loader_runner imports this module

        request = self._request
        _set_soft_limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + request.seconds)
        if (held := _held_bytes()) is not None:
            # RLIMIT_AS would also count memory that is reserved but not used, which is 1 GB with OCR.
            _set_soft_limit(resource.RLIMIT_DATA, held + request.memory_bytes)
        loading = LoaderRunner(
            self._report_broken, self._add, self._add, encoding=request.encoding, within=request.within
        )
        try:
            for item in loading.items_here(request.source, request.loader):
                self._add(item)
            outcome = _FileOutcome.WORN if (_held_bytes() or 0) > request.memory_bytes else _FileOutcome.DONE
        except (_OutOfMemory, MemoryError):
            outcome = _FileOutcome.OUT_OF_MEMORY
        _set_soft_limit(resource.RLIMIT_DATA, resource.RLIM_INFINITY)
        self._send(outcome)

    def _report_broken(self, error: BrokenSource) -> None:
        if _is_out_of_memory(error):
            raise _OutOfMemory
        self._add(_Broken(error.reason, error.source, error.line, error.remedy, error.hides))

    def _add(self, event: _Event) -> None:
        self._events.append(event)
        self._characters += len(event.text) if isinstance(event, Document) else 0
        if len(self._events) >= _SENT_EVENTS or self._characters >= SENT_CHARACTERS:
            self._send(_FileOutcome.MORE)

    def _send(self, outcome: _FileOutcome) -> None:
        events, self._events, self._characters = self._events, [], 0
        self._give(to_line((events, outcome)))


def _is_out_of_memory(error: BrokenSource) -> bool:
    each: BaseException | None = error
    while each is not None and not isinstance(each, MemoryError):
        each = each.__cause__ or each.__context__
    return each is not None or isinstance(sys.exception(), MemoryError)


def _held_bytes() -> int | None:
    """Return how many bytes of this process RLIMIT_DATA counts, or None if the system does not provide this number."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:  # noqa: PTH123 # twice as fast as `Path.open`
            pages = file.read().split()[5]
    except OSError:
        return None
    return int(pages) * resource.getpagesize()


def _set_soft_limit(what: int, value: int) -> None:
    """The hard limit is not changed, so that the soft limit can be raised again."""
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY and (value == resource.RLIM_INFINITY or value > hard):
        value = hard
    resource.setrlimit(what, (value, hard))


def _killed_by(ended: ProcessEnded, source: str, limits: ReadingLimits) -> BrokenSource:
    if ended.status == -signal.SIGXCPU:
        reason, remedy = f"takes longer than {limits.seconds_for(source):,} s of processor time to read", _REMEDY
    elif ended.status == -signal.SIGKILL:
        reason = "its reader process was killed, probably because this machine ran out of memory"
        remedy = "Free some memory, and load the file again."
    else:
        how = signal.Signals(-ended.status).name if ended.status < 0 else f"exit status {ended.status}"
        reason = f"its reader process crashed ({how}); it may need more than {limits.memory_gigabytes:g} GB of memory"
        remedy = "Leave it out, or save it again with another program."
    return BrokenSource(reason, source=source, remedy=remedy)


def _needs_memory(source: str, limits: ReadingLimits) -> BrokenSource:
    return BrokenSource(
        f"needs more than {limits.memory_gigabytes:g} GB of memory to be read", source=source, remedy=_REMEDY
    )
