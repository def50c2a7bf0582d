"""A bounded cache of vectors, emptied when the corpus changes."""

from __future__ import annotations

import datetime
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np

from overstory.graph import Corpus, Transaction
from overstory.protocols import Vectors
from overstory.vectors.packed import unpacked

MOST_BYTES = 64_000_000
"""Of one cache: some 40,000 vectors of 384 dimensions."""


ReadVectors = Callable[[Transaction, Corpus, Sequence[str]], dict[str, Vectors]]
"""Vectors by id; ids without one are left out."""


def chunk_vectors(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> dict[str, Vectors]:
    """The vectors of chunks."""
    (row,) = tx.run("retrieve/vectors", corpus.label, ids=list(ids), property=corpus.embedding_property)
    return {id_: np.asarray(vector, dtype=np.float32) for id_, vector in row["vectors"]}


def derived_vectors(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> dict[str, Vectors]:
    """The vectors of derived texts (`overstory.index.derived_vectors`), by the ids of the nodes that have the texts."""
    (row,) = tx.run("retrieve/derived_vectors", corpus.label, ids=list(ids))
    return {id_: unpacked(vector) for id_, vector in row["vectors"]}


class VectorCache:
    """The most recently used vectors; safe to share between threads."""

    def __init__(self, read: ReadVectors = chunk_vectors, most_bytes: int = MOST_BYTES) -> None:
        self._read = read
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._state: tuple[str, datetime.datetime, str, int] | None = None
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()

    def of(self, tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> Vectors:
        """float32[len(ids), dimension]; zeros where there is no vector yet."""
        found = self._known(corpus, ids)
        missing = [id_ for id_ in ids if id_ not in found]
        if missing:
            new = self._read(tx, corpus, missing)
            self._keep(corpus, new)
            found |= new
        none = np.zeros(corpus.dimension, dtype=np.float32)
        rows = [found.get(id_, none) for id_ in ids] or [none[:0]]
        return np.concatenate(rows).reshape(len(ids), corpus.dimension)

    def _known(self, corpus: Corpus, ids: Sequence[str]) -> dict[str, Vectors]:
        with self._lock:
            if self._state != _state(corpus):
                self._vectors.clear()
                self._state = _state(corpus)
            found: dict[str, Vectors] = {}
            for id_ in ids:
                vector = self._vectors.get(id_)
                if vector is not None:
                    found[id_] = vector
                    self._vectors.move_to_end(id_)
            return found

    def _keep(self, corpus: Corpus, new: dict[str, Vectors]) -> None:
        with self._lock:
            if self._state != _state(corpus):
                return  # read before or after a change that another thread has seen
            self._vectors |= new
            while len(self._vectors) * corpus.dimension * 4 > self._most_bytes:
                self._vectors.popitem(last=False)


def _state(corpus: Corpus) -> tuple[str, datetime.datetime, str, int]:
    """The key of cached vectors; a chunk keeps its id when its title, and so its vector, changes."""
    return corpus.id, corpus.created, corpus.embedding_property, corpus.version
