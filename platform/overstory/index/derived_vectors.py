"""Vectors of derived texts (names, sentences, descriptions, summaries), stored once for all systems.

The vector of a text is stored in a `DerivedVector` node, whose id is derived from the corpus, the embedder and the
text. The nodes that represent the text are the users of the vector; each is connected to it by `HAS_VECTOR`. If several
systems have the same text, they share one vector.

A stage writes a vector before its users exist, and puts its own name in the vector's property `awaited_by`. If the
stage is killed, the next run finds the vector and need not embed the text again. At the end of the stage,
`settle_awaited` or `remove_unused` removes these marks and deletes vectors without users.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from overstory.graph import Transaction, Writer, batches
from overstory.graph.client import Row
from overstory.graph.ids import derived_vector_id
from overstory.index.stages.embed import check_vectors
from overstory.protocols import Embedder, Vectors
from overstory.vectors.packed import packed, unpacked

_DERIVED_TEXTS_A_BATCH = 256
"""Texts that are embedded and written in one transaction. A killed process loses at most this work, about 4 s."""
_DERIVED_TEXTS_A_PAGE = 1_024


@dataclass(frozen=True, slots=True)
class VectorPage:
    """A batch of texts with their vectors.

    Attributes:
        ids: ids of the vector nodes. The stage must connect its own nodes to them.
        vectors: float32[len(texts), dimension].
    """

    texts: list[str]
    ids: list[str]
    vectors: Vectors


class DerivedVectors:
    """The stored vectors of a corpus, as one stage uses them with one embedder.

    The stage proceeds as follows:

    1. It requests vectors with `of` or `pages`.
    2. Its own write statement connects its nodes to the vector nodes (`ids`) by `HAS_VECTOR`. Until then, the stage
       must not delete other users of these vectors, because the vectors could be deleted with them.
    3. At the end, it calls `settle_awaited` or `remove_unused`.

    Attributes:
        embedded: number of texts embedded so far. All other requested vectors were already stored.
    """

    def __init__(self, writer: Writer, embedder: Embedder, *, stage: str) -> None:
        self._writer = writer
        self._embedder = embedder
        self._stage = stage
        self.embedded = 0

    def ids(self, texts: Iterable[str]) -> list[str]:
        """Return the ids of the vector nodes for these texts, whether or not the nodes exist."""
        label, embedder = self._writer.corpus.label, self._embedder.fingerprint
        return [derived_vector_id(label, embedder, text) for text in texts]

    def of(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts as float32[len(texts), dimension].

        Vectors that are already stored are read. The other texts are embedded, and their vectors stored, in batches.
        All values are rounded to float16, the precision in which vectors are stored.
        """
        places: dict[str, list[int]] = {}
        for place, id_ in enumerate(self.ids(texts)):
            places.setdefault(id_, []).append(place)
        found = np.zeros((len(texts), self._embedder.dimension), dtype=np.float32)
        for page in batches(places, _DERIVED_TEXTS_A_PAGE):
            for id_, vector in self._read_or_embedded({id_: texts[places[id_][0]] for id_ in page}):
                found[places[id_]] = unpacked(vector)
        return found

    def pages(self, texts: Iterable[str]) -> Iterator[VectorPage]:
        """Yield the texts with their vectors in batches, in order. The texts need not fit in memory."""
        for page in batches(texts, _DERIVED_TEXTS_A_PAGE):
            yield VectorPage(page, self.ids(page), self.of(page))

    def _read_or_embedded(self, texts: dict[str, str]) -> Iterator[tuple[str, bytes]]:
        (row,) = self._writer.graph.run("vectors/read", self._writer.corpus.label, read=True, ids=list(texts))
        known: dict[str, bytes] = dict(row["vectors"])
        yield from known.items()
        for batch in batches((id_ for id_ in texts if id_ not in known), _DERIVED_TEXTS_A_BATCH):
            vectors = self._embedder.embed([texts[id_] for id_ in batch])
            check_vectors(vectors, len(batch), self._embedder)
            new = dict(zip(batch, packed(vectors), strict=True))
            self._write(new)
            self.embedded += len(new)
            yield from new.items()

    def _write(self, new: dict[str, bytes]) -> None:
        label = self._writer.corpus.label
        rows: list[Row] = [{"id": id_, "vector": vector} for id_, vector in new.items()]

        def write(tx: Transaction) -> None:
            embedder = self._embedder.fingerprint
            tx.run("vectors/write", label, embedder=embedder, stage=self._stage, rows=rows)

        self._writer.commit(self._stage, write)


def settle_awaited(writer: Writer, *, stage: str) -> None:
    """Remove the stage's `awaited_by` marks, and delete the marked vectors that have no users. Repeating is safe."""
    writer.graph.run_in_batches("vectors/settle_awaited", writer.corpus.label, stage=stage)


def remove_unused_of(tx: Transaction, label: str, ids: Sequence[str]) -> None:
    """Delete each of the given vectors that has no users and that no stage awaits."""
    if ids:
        tx.run("vectors/remove_unused_of", label, ids=list(ids))


def remove_unused(writer: Writer, *, stage: str) -> None:
    """Delete all vectors without users, except those that another, interrupted stage still awaits.

    A stage calls this after it has written or removed users of vectors. All vectors of the corpus are read. Repeating
    is safe.
    """
    writer.graph.run_in_batches("vectors/forget_awaited", writer.corpus.label, stage=stage)
    writer.graph.run_in_batches("vectors/remove_unused", writer.corpus.label)


def remove_other_embedders(writer: Writer) -> None:
    """Delete all vectors that do not come from the corpus's current embedder, even if they have users.

    Call this after a change of the embedder, when no index with old vectors can be queried any more. Repeating is safe.
    """
    corpus = writer.corpus
    if corpus.embedder:
        writer.graph.run_in_batches("vectors/remove_other_embedders", corpus.label, embedder=corpus.embedder)
