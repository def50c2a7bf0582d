"""Generations of derived structures (trees, communities, summaries): built next to the current one, then switched.

A derived node has the label `Corpus_…_Derived` and the properties `derived` (name of the structure) and `generation`.
Readers ask `current` once and match that generation, so they never mix two generations.

Nodes in a vector index also have the label of their kind and slot (`ids.derived_label`). The generation being built and
the current one are in different slots, A and B, each with its own index, so that a search finds nodes of one generation
only. The label and the index name (`schema.derived_index(label, kind, slot_of(generation))`) follow from the generation
number. A builder passes the kinds of such nodes:

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
    """Return the slot of a generation: A if its number is odd, B if it is even."""
    return "A" if generation % 2 else "B"


def current(graph: GraphClient, corpus: Corpus, name: str) -> int:
    """Return the generation that readers use; 0 before the first is published."""
    return _generation(graph.run("corpus/read", corpus.label, read=True), corpus, name)


def read(graph: GraphClient, corpus: Corpus, name: str, doing: str, ask: Callable[[Transaction, int], T]) -> T:
    """Run `ask` in one transaction on a generation that stays current throughout, and return its result.

    If another generation is published meanwhile, `ask` runs again, because nodes and indexes of the old one are
    deleted.

    Args:
        doing: name of the transaction on the server; starts with "retrieve/" if a user waits for it.
        ask: takes the transaction and the generation, 0 before the first is published. Nodes may disappear between two
            of its statements.
    """
    asked: list[int] = []

    def work(tx: Transaction) -> tuple[T, bool]:
        generation = _generation(tx.run("corpus/read", corpus.label), corpus, name)
        asked.append(generation)
        found = ask(tx, generation)
        return found, _generation(tx.run("corpus/read", corpus.label), corpus, name) == generation

    while True:  # terminates, because a build takes longer than a question
        try:
            found, whole = graph.reading(doing, work)
        except StatementFailed:
            if not asked or current(graph, corpus, name) == asked[-1]:
                raise
            continue
        if whole:
            return found


def begin(writer: Writer, name: str, kinds: Sequence[str] = ()) -> int:
    """Return the number for a new generation, in the slot that is not in use, and empty this slot.

    The number is higher than that of any generation with nodes, including those of interrupted builds.

    Args:
        kinds: kinds of nodes with a vector index.
    """
    used = writer.graph.run("corpus/used_generations", writer.corpus.label, read=True, name=name)
    in_use = _in_use(writer.properties, name)
    generation = max([in_use, *(int(row["generation"]) for row in used)]) + 1
    _delete_others(writer, name, in_use, kinds)
    return generation + (slot_of(generation) == slot_of(in_use))


def publish(writer: Writer, name: str, generation: int, kinds: Sequence[str] = (), /, **also: object) -> None:
    """Switch readers to a finished generation, then delete all others in batches. May be repeated.

    Args:
        generation: 0 to delete all generations.
        kinds: kinds of nodes with a vector index; drops the indexes of the other slot, or of both slots for 0.
        also: corpus properties that change at the same time.
    """
    writer.set(**{_property(name): generation or None}, **also)
    _delete_others(writer, name, generation, kinds)


def _delete_others(writer: Writer, name: str, keep: int, kinds: Sequence[str]) -> None:
    """Delete the other generations, their indexes first, because an index slows the deletion of nodes."""
    label = writer.corpus.label
    for kind in kinds:
        schema.drop_derived_index(writer.graph, label, kind, slot=_other(slot_of(keep)) if keep else None)
    writer.graph.run_in_batches("corpus/delete_generation", label, name=name, keep=keep)


def _other(slot: Slot) -> Slot:
    return "B" if slot == "A" else "A"


def _generation(rows: Sequence[Row], corpus: Corpus, name: str) -> int:
    if not rows:
        raise CorpusNotFound(f"Corpus {corpus.name!r} was deleted.")
    return _in_use(rows[0]["corpus"], name)


def _in_use(properties: Row, name: str) -> int:
    return int(properties.get(_property(name), 0))


def _property(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a valid name of a derived structure")
    return f"generation_{name}"
