"""Vectors of derived texts (names, sentences, descriptions, summaries), stored once for all systems.

A vector of a text is a `DerivedVector` node, whose id depends on corpus, embedder and text. Nodes with the text are its
users, connected by `HAS_VECTOR`; systems share the node. A vector is written before its users, with its stage in
`awaited_by`, so that a run after a kill does not embed it again. At the end of a stage, `settle_awaited` or
`remove_unused` removes these marks and deletes unused vectors.
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
"""Maximum work lost in a kill: about four seconds of embedding. Also the size of a write transaction."""
_DERIVED_TEXTS_A_PAGE = 1_024


@dataclass(frozen=True, slots=True)
class VectorPage:
    """A page of texts with their vectors.

    Attributes:
        ids: ids of the vector nodes, to which the stage connects its own nodes.
        vectors: float32[len(texts), dimension].
    """

    texts: list[str]
    ids: list[str]
    vectors: Vectors


class DerivedVectors:
    """The stored vectors of a corpus, for one stage and one embedder.

    A stage requests vectors (`of` or `pages`), connects its nodes to the nodes of `ids` by `HAS_VECTOR` in its own
    write statement, and calls `settle_awaited` or `remove_unused` at the end. Between requesting and connecting it must
    not delete other users of these vectors, which could delete the vectors as well.

    Attributes:
        embedded: number of texts embedded so far; all other vectors were stored.
    """

    def __init__(self, writer: Writer, embedder: Embedder, *, stage: str) -> None:
        self._writer = writer
        self._embedder = embedder
        self._stage = stage
        self.embedded = 0

    def ids(self, texts: Iterable[str]) -> list[str]:
        """Return the ids of the vector nodes of these texts, whether stored or not."""
        label, embedder = self._writer.corpus.label, self._embedder.fingerprint
        return [derived_vector_id(label, embedder, text) for text in texts]

    def of(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts as float32[len(texts), dimension].

        Reads stored vectors, and embeds and stores the others in batches. Values always have the stored precision
        (float16).
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
        """Yield pages of texts with their vectors, in order, for texts that need not fit in memory."""
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
    """Remove the marks of a stage, and delete its vectors without users. Safe to repeat."""
    writer.graph.run_in_batches("vectors/settle_awaited", writer.corpus.label, stage=stage)


def remove_unused_of(tx: Transaction, label: str, ids: Sequence[str]) -> None:
    """Delete those of the given vectors that have no users and that no stage awaits."""
    if ids:
        tx.run("vectors/remove_unused_of", label, ids=list(ids))


def remove_unused(writer: Writer, *, stage: str) -> None:
    """Delete all vectors without users, except those awaited by another, interrupted stage.

    A stage calls this after writing or removing its users. Reads all vectors of the corpus. May be repeated.
    """
    writer.graph.run_in_batches("vectors/forget_awaited", writer.corpus.label, stage=stage)
    writer.graph.run_in_batches("vectors/remove_unused", writer.corpus.label)


def remove_other_embedders(writer: Writer) -> None:
    """Delete all vectors that are not from the corpus's current embedder, used or not.

    Call it after a change of the embedder, when no index with old vectors can be queried any more. May be repeated.
    """
    corpus = writer.corpus
    if corpus.embedder:
        writer.graph.run_in_batches("vectors/remove_other_embedders", corpus.label, embedder=corpus.embedder)
