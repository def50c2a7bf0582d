"""Derived structures (trees, communities, summaries) are built beside the ones in use, and switched by one property.

A derived node carries the label `Corpus_…_Derived`, `derived` (the structure's name) and `generation`. Readers ask
`current` once and match that generation, so that they never see half of one and half of another.
"""

from __future__ import annotations

import re

from overstory.graph.client import GraphClient
from overstory.graph.corpora import Corpus
from overstory.graph.lease import Writer

_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


def current(graph: GraphClient, corpus: Corpus, name: str) -> int:
    """The generation that readers use; 0 before the first was published."""
    (row,) = graph.run("corpus/read", read=True, id=corpus.id)
    return int(row["corpus"].get(_property(name), 0))


def begin(writer: Writer, name: str) -> int:
    """A number for a new generation, above every one that left nodes behind."""
    used = writer.graph.run("corpus/used_generations", writer.corpus.label, read=True, name=name)
    in_use = current(writer.graph, writer.corpus, name)
    return max([in_use, *(int(row["generation"]) for row in used)]) + 1


def publish(writer: Writer, name: str, generation: int, **also: object) -> None:
    """Switches readers to a finished generation, then deletes all others in batches. Safe to repeat.

    Args:
        generation: 0 for none: every one is deleted.
        also: properties of the corpus that change in the same moment.

    Raises:
        LeaseLost: somebody else writes to the corpus now; readers keep the old generation.
    """
    writer.set(**{_property(name): generation or None}, **also)
    writer.graph.run_in_batches("corpus/delete_generation", writer.corpus.label, name=name, keep=generation)


def discard_unpublished(writer: Writer, name: str) -> None:
    """Deletes what an interrupted build left behind."""
    keep = current(writer.graph, writer.corpus, name)
    writer.graph.run_in_batches("corpus/delete_generation", writer.corpus.label, name=name, keep=keep)


def _property(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a derived structure")
    return f"generation_{name}"
