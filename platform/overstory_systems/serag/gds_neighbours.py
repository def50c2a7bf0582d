"""Nearest neighbours by exact search, or approximate ones by Graph Data Science above a size where that is faster."""

from __future__ import annotations

from collections.abc import Sequence

from overstory.graph import Corpus, GraphClient, Writer
from overstory.graph.client import Row
from overstory.graph.gds import projection
from overstory.vectors.nearest import NO_NEIGHBOUR, Neighbours, nobody
from overstory_systems.serag.index_settings import NAME, SeragIndexSettings

_MOST_EXACT_CHUNKS = 200_000
"""Chunks: where the seconds of both meet by what was measured up to 63,000 (docs/research/serag.md)."""


def is_for_gds(graph: GraphClient, settings: SeragIndexSettings, chunks: int) -> bool:
    if settings.search == "gds":
        graph.capabilities.require_gds("the search for similar chunks")
        return True
    return settings.search == "auto" and chunks > _MOST_EXACT_CHUNKS and bool(graph.capabilities.gds)


def find_by_gds(writer: Writer, corpus: Corpus, nearest: int) -> None:
    """Writes SIMILAR between the chunks of a corpus."""
    graph = writer.graph
    forget_similar(writer)
    with projection(writer, "gds/project_vectors", stage=NAME, property=corpus.embedding_property) as name:
        graph.run("gds/write_similar", graph=name, nearest=nearest)


def forget_similar(writer: Writer) -> None:
    """Deletes SIMILAR."""
    writer.graph.run_in_batches("systems/serag/unlink_similar", writer.corpus.label)


def stored_neighbours(graph: GraphClient, corpus: Corpus, ids: Sequence[str], nearest: int) -> Neighbours:
    """The stored SIMILAR relationships as cosines, for chunks in this order."""
    number = {id_: place for place, id_ in enumerate(ids)}
    found = nobody(len(ids), nearest)
    for row in graph.stream("systems/serag/similar", corpus.label):
        place = number.get(row["id"], NO_NEIGHBOUR)
        others = [(number[id_], _cosine(score)) for id_, score in row["others"] if id_ in number][:nearest]
        if place != NO_NEIGHBOUR and others:
            found.ids[place, : len(others)], found.scores[place, : len(others)] = zip(*others, strict=True)
    return found


def similar_row(id_: str, nearest: Sequence[tuple[str, float]]) -> Row:
    """A row of `systems/serag/write_similar`.

    Args:
        nearest: ids and cosines.
    """
    return {"id": id_, "others": [{"id": other, "score": (1.0 + cosine) / 2.0} for other, cosine in nearest]}


def _cosine(score: float) -> float:
    """The cosine in GDS's score, (1 + cosine) / 2, in steps of 2⁻²⁰ as `nearest` has them."""
    return round((2.0 * score - 1.0) * 2**20) / 2**20
