"""Generations of derived structures, such as trees, communities and summaries.

A rebuild writes a new generation of a structure next to the current one. When the new generation is complete, readers
are switched to it and the old generation is deleted.

A derived node has the label `Corpus_…_Derived` and the properties `derived` (name of the structure) and `generation`.
Readers call `current` once and match only nodes of that generation. They therefore never mix two generations.

A node in a vector index also has a label that states its kind and slot (`ids.derived_label`). There are two slots, A
and B, each with its own index. The current generation occupies one slot and the generation being built the other.
Therefore a search finds nodes of one generation only. The label and the name of the index
(`schema.derived_index(label, kind, slot_of(generation))`) follow from the number of the generation. The code that
builds a generation passes the kinds of nodes that are in a vector index:

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
    """Return the number of the generation that readers use; 0 before the first generation is published."""
    return _generation(graph.run("corpus/read", corpus.label, read=True), corpus, name)


def read(graph: GraphClient, corpus: Corpus, name: str, doing: str, ask: Callable[[Transaction, int], T]) -> T:
    """Run `ask` in one transaction on the current generation of a structure, and return its result.

    If another generation is published while `ask` runs, `ask` runs again, because the nodes and indexes of the old
    generation are then deleted.

    Args:
        doing: name of the transaction. Start it with "retrieve/" if a user waits for the result.
        ask: function of the transaction and the number of the generation, which is 0 before the first generation is
            published. Nodes may disappear between two statements of `ask`.
    """
    asked: list[int] = []

    def work(tx: Transaction) -> tuple[T, bool]:
        generation = _generation(tx.run("corpus/read", corpus.label), corpus, name)
        asked.append(generation)
        found = ask(tx, generation)
        return found, _generation(tx.run("corpus/read", corpus.label), corpus, name) == generation

    while True:  # this ends, because building a generation takes longer than answering a question
        try:
            found, whole = graph.reading(doing, work)
        except StatementFailed:
            if not asked or current(graph, corpus, name) == asked[-1]:
                raise
            continue
        if whole:
            return found


def begin(writer: Writer, name: str, kinds: Sequence[str] = ()) -> int:
    """Return the number for a new generation, and empty the slot that this generation will occupy.

    The number is higher than the numbers of all generations that have nodes, even if their builds were interrupted. The
    new generation occupies the slot that the current generation does not use.

    Args:
        kinds: kinds of nodes that are in a vector index.
    """
    used = writer.graph.run("corpus/used_generations", writer.corpus.label, read=True, name=name)
    in_use = _in_use(writer.properties, name)
    generation = max([in_use, *(int(row["generation"]) for row in used)]) + 1
    _delete_others(writer, name, in_use, kinds)
    return generation + (slot_of(generation) == slot_of(in_use))


def publish(writer: Writer, name: str, generation: int, kinds: Sequence[str] = (), /, **also: object) -> None:
    """Switch readers to a finished generation, then delete all other generations in batches. Repeating this is safe.

    Args:
        generation: number of the finished generation; 0 deletes all generations.
        kinds: kinds of nodes that are in a vector index. The indexes of the other slot are dropped; for generation 0,
            the indexes of both slots.
        also: properties of the corpus node that change at the same moment.
    """
    writer.set(**{_property(name): generation or None}, **also)
    _delete_others(writer, name, generation, kinds)


def _delete_others(writer: Writer, name: str, keep: int, kinds: Sequence[str]) -> None:
    """Delete all generations except `keep`. Their indexes are dropped first, because these slow down the deletion."""
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
