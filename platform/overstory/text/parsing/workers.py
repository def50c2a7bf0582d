"""Several processes that parse texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from types import TracebackType
from typing import Generic, Self, TypeVar

from overstory.errors import ModelError
from overstory.processes import AnsweringProcess, ProcessEnded, ProcessPool
from overstory.text.parsing.readings import Reading

T = TypeVar("T")

_BATCHES_AHEAD = 4
"""Batches that wait for each process or in it: they are to last while what was found before is written."""


class Workers(Generic[T]):
    """A context in which `count` processes run; they are stopped at its end."""

    def __init__(self, pipeline: str, count: int, reading: Reading[T]) -> None:
        self._decoded = reading.decoded
        start = partial(AnsweringProcess, "overstory.text.parsing.worker:main", pipeline, reading.address)
        self._processes = ProcessPool(start, self._ask, count, tries=1)

    def parse(self, batches: Iterable[Sequence[str]]) -> Iterator[list[T]]:
        """The contents of each batch, in order, lazily; a few batches are read ahead."""
        return self._processes.answers(batches, ahead=_BATCHES_AHEAD)

    def _ask(self, process: AnsweringProcess, texts: Sequence[str]) -> list[T]:
        try:
            answer = json.loads(process.answer(json.dumps(list(texts)).encode()))
        except ProcessEnded as ended:
            raise ModelError(
                f"An extraction process ended unexpectedly ({ended}).",
                remedy="It may have run out of memory: try again with OVERSTORY_PROCESSES=1.",
            ) from ended
        if isinstance(answer, dict):
            raise ModelError(answer["error"], remedy=answer["remedy"])
        return [self._decoded(fields) for fields in answer]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._processes.__exit__(kind, error, trace)
