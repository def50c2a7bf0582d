"""Contents of the store of derived vectors."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.graph import Corpus, GraphClient

_COUNTED = """
MATCH (v:Overstory {corpus: $label}) WHERE $label + '_DerivedVector' IN labels(v)
WITH v, COUNT { (v)<-[:HAS_VECTOR]-() } AS users
RETURN count(v) AS vectors, sum(users) AS uses, count(CASE WHEN users = 0 THEN 1 END) AS unused,
  count(v.awaited_by) AS awaited, count(CASE WHEN v.embedder <> $embedder THEN 1 END) AS other_embedders
"""


@dataclass(frozen=True, slots=True)
class VectorCounts:
    """The contents of a corpus' store.

    Attributes:
        vectors: of all embedders.
        uses: relationships to them; more than `vectors` where texts are shared.
        unused: vectors without a user.
        awaited: vectors of stages that have not finished.
        other_embedders: vectors that are not by the corpus' embedder.
    """

    vectors: int
    uses: int
    unused: int
    awaited: int
    other_embedders: int


def count_vectors(graph: GraphClient, corpus: Corpus) -> VectorCounts:
    (row,), _, _ = graph.native_driver().execute_query(
        _COUNTED, label=corpus.label, embedder=corpus.embedder, database_=graph.database
    )
    return VectorCounts(**row.data())
