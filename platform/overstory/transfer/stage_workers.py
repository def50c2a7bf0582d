"""Who writes shards besides this process: several processes of this machine. `stage_on_ray` has those of a cluster."""

from __future__ import annotations

import base64
import pickle
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from overstory.errors import ModelError, OverstoryError, SourceError
from overstory.machine import processors
from overstory.processes import AnsweringProcess, ProcessEnded, ProcessPool, answering
from overstory.transfer.shards import Shard, ShardJob, ShardWriter, Slice

SLICES_AHEAD = 2
"""Slices that are with each worker: one waits while the other is written."""

_TRIES_OF_A_SLICE = 2
"""Processes that may end over a slice: one may be killed for what others do, two are killed for what is in it."""


class StageEngine(Protocol):
    """Has each slice written as a shard. A slice may be written several times: its shard is the same."""

    def shards(self, slices: Iterable[Slice]) -> Iterator[Shard]:
        """What was written, in any order, lazily: only few slices are read ahead of it.

        Raises:
            SourceError: a shard cannot be written.
            ModelError: a model cannot be used, or a worker ended unexpectedly.
        """
        ...


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a worker wrote no shard: an error that can be sent."""

    message: str
    remedy: str
    of_source: bool

    def raised(self) -> OverstoryError:
        """The error, to be raised here."""
        return (SourceError if self.of_source else ModelError)(self.message, remedy=self.remedy)


class StageWorker:
    """Writes shards for another process; loads the models for the first."""

    def __init__(self, job: ShardJob) -> None:
        self._job = job
        self._writer: ShardWriter | None = None

    def write(self, some: Slice) -> Shard | Refusal:
        """The shard of a slice."""
        try:
            if self._writer is None:
                self._writer = self._job.writer()
            (shard,) = self._writer.shards([some])
        except OverstoryError as error:
            return Refusal(str(error), error.remedy, isinstance(error, SourceError))
        return shard


class StageProcesses:
    """An `StageEngine` of processes on this machine, each with models of its own. One that is killed is replaced."""

    def __init__(self, job: ShardJob, workers: int) -> None:
        self._job = with_threads(job, max(1, processors() // workers))
        self._workers = workers

    def shards(self, slices: Iterable[Slice]) -> Iterator[Shard]:
        start = partial(AnsweringProcess, f"{__name__}:main", told=_packed(self._job))
        with ProcessPool(start, _asked, self._workers, tries=_TRIES_OF_A_SLICE) as processes:
            try:
                yield from processes.answers(slices, ahead=SLICES_AHEAD)
            except ProcessEnded as ended:
                raise ModelError(
                    f"{_TRIES_OF_A_SLICE} worker processes ended unexpectedly over the same documents ({ended}).",
                    remedy="They may have run out of memory: try again with fewer --workers. The same command goes on "
                    "with what is missing.",
                ) from ended


def with_threads(job: ShardJob, threads: int) -> ShardJob:
    """A job for one of several workers of a machine: with so many threads, and without processes of its own."""
    return replace(
        job, embedding=replace(job.embedding, threads=threads), extraction=replace(job.extraction, processes=1)
    )


def _asked(process: AnsweringProcess, some: Slice) -> Shard:
    answer: Shard | Refusal = _unpacked(process.answer(_packed(some)))
    if isinstance(answer, Refusal):
        raise answer.raised()
    return answer


def main() -> None:
    """The main loop of a worker process: a job, and then slices in, shards out."""
    with answering() as give:
        worker = StageWorker(_unpacked(sys.stdin.buffer.readline()))
        for line in sys.stdin.buffer:
            give(_packed(worker.write(_unpacked(line))))


def _packed(value: object) -> bytes:
    return base64.b64encode(pickle.dumps(value))


def _unpacked(line: bytes) -> Any:  # pickle's
    return pickle.loads(base64.b64decode(line))  # noqa: S301 # of this program's own processes
