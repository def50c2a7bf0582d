"""Parse jobs: many texts through a spaCy pipeline, in several processes when that pays."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from types import TracebackType
from typing import Generic, Self, TypeVar

from overstory.errors import ModelError
from overstory.machine import processors
from overstory.processes import AnsweringProcess, ProcessEnded, ProcessPool
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.parsing.readings import Reading
from overstory.text.parsing.spacy_parser import TEXTS_PARSED_TOGETHER, SpacyParser

A = TypeVar("A")
T = TypeVar("T")

_CHARACTERS_WORTH_A_PROCESS = 100_000
"""Characters to parse from which on the start of more processes pays."""

CHARACTERS_LOOKED_AT = 4 * _CHARACTERS_WORTH_A_PROCESS
"""Characters looked at to decide that; fewer than a quarter of them to parse is work for one process."""

_MOST_PROCESSES = 8
"""Processes that are started unasked; each holds a pipeline, some 300 MB."""

_BATCHES_AHEAD = 4
"""Batches that wait for each process or in it: they are to last while what was found before is written."""


@dataclass(frozen=True, slots=True)
class _Job(Generic[A, T]):
    """A text to read.

    Attributes:
        known: its value from an earlier parse; None if it has to be parsed.
    """

    item: A
    text: str
    known: T | None


def read_texts(
    parser: SpacyParser[T],
    items: Iterable[A],
    text_of: Callable[[A], str],
    *,
    processes: int,
    parsed: ParsedTexts | None = None,
) -> Iterator[tuple[A, T]]:
    """Each item with its text's value, in order. Best called once with all: processes live as long as the iterator.

    Args:
        processes: 0 for as many as pay.
        parsed: texts that were parsed before; they are not parsed again.
    """
    jobs = _jobs(parser, items, text_of, parsed)
    first: list[_Job[A, T]] = []
    for job in jobs:
        if job.known is None:  # only now is it clear that there is something to parse
            first = [job, *_first(jobs, _CHARACTERS_WORTH_A_PROCESS - len(job.text))]
            break
        yield job.item, job.known
    to_parse = [job.text for job in first if job.known is None]
    count = processes or _as_many_as_pay(sum(map(len, to_parse)))
    remaining = _batches(chain(first, jobs))
    if count > 1 and len(to_parse) > TEXTS_PARSED_TOGETHER and sys.executable:
        with Workers(parser.pipeline.name, count, parser.reading) as workers:
            sent: deque[list[_Job[A, T]]] = deque()
            for found in workers.parse(_sent(remaining, sent)):
                yield from _filled(sent.popleft(), found)
    else:
        for batch in remaining:
            yield from _filled(batch, parser.parse(_texts(batch)))


def _jobs(
    parser: SpacyParser[T], items: Iterable[A], text_of: Callable[[A], str], parsed: ParsedTexts | None
) -> Iterator[_Job[A, T]]:
    for batch in _batches(iter(items)):
        texts = [text_of(item) for item in batch]
        known = parsed.find(parser.pipeline, parser.reading, texts) if parsed else [None] * len(texts)
        for item, text, value in zip(batch, texts, known, strict=True):
            yield _Job(item, text, value)


def _first(jobs: Iterator[_Job[A, T]], characters: int) -> Iterator[_Job[A, T]]:
    """Jobs until they have so many characters to parse."""
    looked_at = 0
    while characters > 0 and looked_at < CHARACTERS_LOOKED_AT and (job := next(jobs, None)) is not None:
        yield job
        looked_at += len(job.text)
        characters -= len(job.text) if job.known is None else 0


def _as_many_as_pay(characters: int) -> int:
    return min(_MOST_PROCESSES, processors()) if characters >= _CHARACTERS_WORTH_A_PROCESS else 1


def _batches(items: Iterator[A]) -> Iterator[list[A]]:
    while batch := list(islice(items, TEXTS_PARSED_TOGETHER)):
        yield batch


def _sent(batches: Iterable[list[_Job[A, T]]], sent: deque[list[_Job[A, T]]]) -> Iterator[Sequence[str]]:
    """The texts of each batch to parse; the batch itself goes to the end of `sent`."""
    for batch in batches:
        sent.append(batch)
        yield _texts(batch)


def _texts(batch: Iterable[_Job[A, T]]) -> list[str]:
    return [job.text for job in batch if job.known is None]


def _filled(batch: Iterable[_Job[A, T]], found: Iterable[T]) -> Iterator[tuple[A, T]]:
    values = iter(found)
    for job in batch:
        yield job.item, next(values) if job.known is None else job.known


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
