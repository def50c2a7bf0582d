"""The vectors of derived texts (names, sentences, descriptions, summaries), each stored once for all systems.

The vector of a text by an embedder is a node `DerivedVector`, whose id is a function of corpus, embedder and text. The
nodes that have the text are its users, joined to it by `HAS_VECTOR`; systems that use the same text share one node. A
vector is written before its users are, marked as awaited by their stage (`awaited_by`), so that a run that was killed
between the two embeds nothing again. `settle_awaited` or `remove_unused`, at the end of a stage, takes the marks off
and deletes what nothing uses.
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
"""Most work lost in a kill: about four seconds of embedding. Also one write transaction."""
_DERIVED_TEXTS_A_PAGE = 1_024
"""Texts whose vectors are looked for with one statement."""


@dataclass(frozen=True, slots=True)
class VectorPage:
    """Some texts with their vectors.

    Attributes:
        ids: of the nodes, for the statement that joins users to them.
        vectors: float32[len(texts), dimension].
    """

    texts: list[str]
    ids: list[str]
    vectors: Vectors


class DerivedVectors:
    """The store of a corpus, for one stage and one embedder.

    The stage asks for vectors (`of` or `pages`), joins its nodes to those of `ids` by `HAS_VECTOR` in its own write
    statement, and calls `settle_awaited` or `remove_unused` when all is written. Between asking and joining it must not
    delete other users of these vectors, which may take the vectors with them.

    Attributes:
        embedded: how many texts were embedded so far; the vectors of all others were there.
    """

    def __init__(self, writer: Writer, embedder: Embedder, *, stage: str) -> None:
        self._writer = writer
        self._embedder = embedder
        self._stage = stage
        self.embedded = 0

    def ids(self, texts: Iterable[str]) -> list[str]:
        """The ids of the nodes that the vectors of these texts have, or will have."""
        label, embedder = self._writer.corpus.label, self._embedder.fingerprint
        return [derived_vector_id(label, embedder, text) for text in texts]

    def of(self, texts: Sequence[str]) -> Vectors:
        """float32[len(texts), dimension]: what is stored is read, the rest embedded once and written, in batches.

        Values have the precision in which they are stored (float16), whether they were stored before or not.
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
        """As `of`, for texts that need not fit in memory: a page at a time, in their order."""
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
    """Ends a stage that deletes the vectors of its former users itself (`remove_unused_of`): what it looks at are the
    vectors that were written for it. Safe to repeat.
    """
    writer.graph.run_in_batches("vectors/settle_awaited", writer.corpus.label, stage=stage)


def remove_unused_of(tx: Transaction, label: str, ids: Sequence[str]) -> None:
    """Deletes those of some vectors that nothing uses, and no stage awaits."""
    if ids:
        tx.run("vectors/remove_unused_of", label, ids=list(ids))


def remove_unused(writer: Writer, *, stage: str) -> None:
    """Deletes the vectors that nothing uses, but for those that another stage awaits, which was interrupted.

    A stage calls it when all of its users are written, and when they were removed. Looks at all vectors of the corpus.
    Safe to repeat.
    """
    writer.graph.run_in_batches("vectors/forget_awaited", writer.corpus.label, stage=stage)
    writer.graph.run_in_batches("vectors/remove_unused", writer.corpus.label)


def remove_other_embedders(writer: Writer) -> None:
    """Deletes, used or not, the vectors that are not by the embedder that the corpus has now.

    To be called after a change of the embedder: no index with the old vectors can be asked any more. Safe to repeat.
    """
    corpus = writer.corpus
    if corpus.embedder:
        writer.graph.run_in_batches("vectors/remove_other_embedders", corpus.label, embedder=corpus.embedder)
