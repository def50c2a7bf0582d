"""Derived structures (trees, communities, summaries) are built alongside the ones in use, and switched by one property.

A derived node carries the label `Corpus_…_Derived`, `derived` (the structure's name) and `generation`. Readers ask
`current` once and match that generation, so they never mix two generations.

Nodes that a vector index finds also carry the label of their kind and slot (`ids.derived_label`). A generation
that is built and the one in use are in different slots, A and B, and each slot has an index of its own, so that the
nearest nodes are all of the generation that was asked. The label and the name of the index
(`schema.derived_index(label, kind, slot_of(generation))`) follow from the number of the generation: a reader learns all
three at once. A builder with such nodes names their kinds in `kinds`:

    generation = begin(writer, "reports", KINDS)
    …nodes with the label derived_label(corpus.label, "Report", slot_of(generation))…
    schema.create_derived_index(graph, corpus.label, "Report", dimension=384, slot=slot_of(generation))
    publish(writer, "reports", generation, KINDS)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from overstory.errors import CorpusNotFound, StatementFailed
from overstory.graph import schema
from overstory.graph.client import GraphClient, Row, Transaction
from overstory.graph.corpora import Corpus
from overstory.graph.ids import Slot
from overstory.graph.lease import Writer

T = TypeVar("T")

_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


def slot_of(generation: int) -> Slot:
    """The slot of a generation: A if its number is odd, B if it is even."""
    return "A" if generation % 2 else "B"


def current(graph: GraphClient, corpus: Corpus, name: str) -> int:
    """The generation that readers use; 0 before the first is published."""
    return _generation(graph.run("corpus/read", corpus.label, read=True), corpus, name)


def read(graph: GraphClient, corpus: Corpus, name: str, doing: str, ask: Callable[[Transaction, int], T]) -> T:
    """Runs `ask` in one transaction, on a generation that stays in use throughout, and returns its result.

    If another is published meanwhile, nodes and indexes of this one are deleted: then `ask` is called again.

    Args:
        doing: names the transaction to the server ("retrieve/…" if somebody waits for it).
        ask: takes the transaction and the generation, 0 before the first was published. Nodes may be gone between two
            of its statements.
    """
    asked: list[int] = []

    def work(tx: Transaction) -> tuple[T, bool]:
        generation = _generation(tx.run("corpus/read", corpus.label), corpus, name)
        asked.append(generation)
        found = ask(tx, generation)
        return found, _generation(tx.run("corpus/read", corpus.label), corpus, name) == generation

    while True:  # ends: a build takes longer than a question
        try:
            found, whole = graph.reading(doing, work)
        except StatementFailed:
            if not asked or current(graph, corpus, name) == asked[-1]:
                raise
            continue
        if whole:
            return found


def begin(writer: Writer, name: str, kinds: Sequence[str] = ()) -> int:
    """A number for a new generation: above every one that left nodes behind, and in the slot that is not in use.

    Deletes what an interrupted build left, so that the slot is empty.

    Args:
        kinds: of nodes with a vector index.
    """
    used = writer.graph.run("corpus/used_generations", writer.corpus.label, read=True, name=name)
    in_use = _in_use(writer.properties, name)
    generation = max([in_use, *(int(row["generation"]) for row in used)]) + 1
    _delete_others(writer, name, in_use, kinds)
    return generation + (slot_of(generation) == slot_of(in_use))


def publish(writer: Writer, name: str, generation: int, kinds: Sequence[str] = (), /, **also: object) -> None:
    """Switches readers to a finished generation, then deletes all others in batches. Safe to repeat.

    Args:
        generation: 0 for none: every one is deleted.
        kinds: of nodes with a vector index; the indexes of the other slot are dropped, with 0 those of both.
        also: properties of the corpus that change in the same moment.
    """
    writer.set(**{_property(name): generation or None}, **also)
    _delete_others(writer, name, generation, kinds)


def _delete_others(writer: Writer, name: str, keep: int, kinds: Sequence[str]) -> None:
    """Indexes first: they would be updated for every node."""
    label = writer.corpus.label
    for kind in kinds:
        schema.drop_derived_index(writer.graph, label, kind, slot=_other(slot_of(keep)) if keep else None)
    writer.graph.run_in_batches("corpus/delete_generation", label, name=name, keep=keep)


def _other(slot: Slot) -> Slot:
    return "B" if slot == "A" else "A"


def _generation(rows: Sequence[Row], corpus: Corpus, name: str) -> int:
    if not rows:
        raise CorpusNotFound(f"Corpus {corpus.name!r} is gone.")
    return _in_use(rows[0]["corpus"], name)


def _in_use(properties: Row, name: str) -> int:
    return int(properties.get(_property(name), 0))


def _property(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a derived structure")
    return f"generation_{name}"
