"""Texts through a spaCy pipeline: what is taken out of them is a `Reading`; several processes read when that pays."""

from __future__ import annotations

import importlib
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from overstory.cpus import processors

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from overstory.text.parsing.spacy_parser import SpacyParser

A = TypeVar("A")
T = TypeVar("T")

BATCH = 64
"""Texts that spaCy reads at a time."""

PAYS = 100_000
"""Characters from which on the start of more processes is won back."""

MOST = 8
"""Processes that are started unasked; each holds a pipeline, some 300 MB."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What is taken out of a parsed text. Its values become JSON on their way between processes.

    Attributes:
        address: "module:NAME" of this very reading, by which another process finds it.
        of: what a document holds.
        united: what a text holds, from its parts, each with its first character in the text.
        decoded: a value from the lists that JSON made of it.
    """

    address: str
    of: Callable[[Doc], T]
    united: Callable[[list[tuple[int, T]]], T]
    decoded: Callable[[list[Any]], T]


def find_reading(address: str) -> Reading[Any]:
    """The reading at this address."""
    module, _, name = address.partition(":")
    found: Reading[Any] = getattr(importlib.import_module(module), name)
    return found


def read_texts(
    parser: SpacyParser[T], items: Iterable[A], text_of: Callable[[A], str], *, processes: int
) -> Iterator[tuple[A, T]]:
    """Each item with what its text holds, in order. Best called once with all: processes live as long as the iterator.

    Args:
        processes: 0 for as many as pay.

    Raises:
        ModelError: the pipeline cannot be loaded, or a process died.
    """
    from overstory.text.parsing.workers import Workers

    waiting = iter(items)
    first = list(_first(waiting, text_of, PAYS))
    items = chain(first, waiting)
    count = processes or _as_many_as_pay(sum(len(text_of(item)) for item in first))
    if count > 1 and len(first) > BATCH and sys.executable:
        with Workers(parser.pipeline.name, count, parser.reading) as workers:
            asked: deque[list[A]] = deque()
            for found in workers.parse(_remembered(items, text_of, asked)):
                yield from zip(asked.popleft(), found, strict=True)
    else:
        for batch in _batches(iter(items)):
            yield from zip(batch, parser.parse([text_of(item) for item in batch]), strict=True)


def _first(items: Iterator[A], text_of: Callable[[A], str], characters: int) -> Iterator[A]:
    """Items until their texts have so many characters."""
    for item in items:
        yield item
        characters -= len(text_of(item))
        if characters <= 0:
            return


def _as_many_as_pay(characters: int) -> int:
    return min(MOST, processors()) if characters >= PAYS else 1


def _batches(items: Iterator[A]) -> Iterator[list[A]]:
    while batch := list(islice(items, BATCH)):
        yield batch


def _remembered(items: Iterable[A], text_of: Callable[[A], str], asked: deque[list[A]]) -> Iterator[Sequence[str]]:
    """The texts of each batch; the batch itself goes to the end of `asked`."""
    for batch in _batches(iter(items)):
        asked.append(batch)
        yield [text_of(item) for item in batch]
