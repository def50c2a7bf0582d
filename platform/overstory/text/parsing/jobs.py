"""Parses many texts with a spaCy pipeline, in several processes if there is enough text."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from overstory.errors import ModelError
from overstory.machine import processors
from overstory.processes import AnsweringProcess, ProcessEnded, ProcessPool, answering
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.readings import Reading, encoded, find_reading
from overstory.text.parsing.spacy_parser import TEXTS_PARSED_TOGETHER, SpacyParser

A = TypeVar("A")
T = TypeVar("T")

_CHARACTERS_WORTH_A_PROCESS = 100_000
"""Minimum number of characters to parse for which it is faster to start several processes."""

CHARACTERS_LOOKED_AT = 4 * _CHARACTERS_WORTH_A_PROCESS
"""Number of characters that are inspected before the number of processes is chosen. If more than three quarters of them
need not be parsed again, one process is enough."""

_MOST_PROCESSES = 8
"""Maximum number of processes by default. Each process loads a pipeline, which takes about 300 MB."""

_BATCHES_AHEAD = 4
"""Number of batches queued for each process, so that it stays busy while earlier results are written."""


@dataclass(frozen=True, slots=True)
class _Job(Generic[A, T]):
    """An item, its text, and the value that an earlier parse of the text returned (None if there is none)."""

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
    """Yield each item with the value that the parser returns for its text, in order.

    Call it once for all items, because each call may start processes.

    Args:
        processes: number of processes. With 0, it depends on the amount of text.
        parsed: values from earlier parses. A text with such a value is not parsed again.
    """
    jobs = _jobs(parser, items, text_of, parsed)
    first: list[_Job[A, T]] = []
    for job in jobs:
        if job.known is None:  # the first text that must be parsed
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
    """Yield jobs until they contain `characters` characters to parse, or until enough text has been inspected."""
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
    """Append each batch to `sent`, and yield the texts in the batch that must be parsed."""
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
    """A context manager that runs `count` parser processes and stops them at its end."""

    def __init__(self, pipeline: str, count: int, reading: Reading[T]) -> None:
        self._decoded = reading.decoded
        start = partial(AnsweringProcess, "overstory.text.parsing.jobs:parse_lines", pipeline, reading.address)
        self._processes = ProcessPool(start, self._ask, count, tries=1)

    def parse(self, batches: Iterable[Sequence[str]]) -> Iterator[list[T]]:
        """Yield the values for each batch of texts, in order. A few batches are read ahead."""
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


def parse_lines(pipeline: str, reading: str) -> None:
    """Run the main loop of a parser process until the parent process closes the pipe or ends.

    Each line of standard input is a JSON list of texts. The answer is a JSON list of their values, or an error.
    """
    with answering() as give:
        parser: SpacyParser[Any] = SpacyParser(find_pipeline(pipeline), find_reading(reading))
        for line in sys.stdin.buffer:
            try:
                answer: object = parser.parse(json.loads(line))
            except ModelError as error:
                answer = {"error": str(error), "remedy": error.remedy}
            give(encoded(answer).encode())
