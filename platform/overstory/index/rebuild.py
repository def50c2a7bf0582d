"""All indexes of a corpus, dropped and made again from what is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from overstory.graph import Writer, schema
from overstory.index.stages.embed import sync_vectors
from overstory.protocols import Progress


def rebuild_indexes(writer: Writer, others: Mapping[str, Callable[[], None]], *, progress: Progress) -> None:
    """Drops the indexes over vectors and words, and makes them again; then those of systems.

    Searches by meaning scan all vectors meanwhile. Those by words fail between the drop of their index and the moment
    when it is made, and say why.

    Args:
        others: how each other index is made again, by its name.
    """
    graph, label = writer.graph, writer.corpus.label
    corpus = writer.corpus
    progress.start("rebuild", len(schema.SET_INDEXES) + 1 + len(others), "indexes")
    if corpus.vector_index:
        writer.set(vector_index="")  # first: from now on searches scan
    for each in schema.PROPERTIES:
        schema.drop_vector_index(graph, label, each)
    if corpus.embedder:
        sync_vectors(writer, dimension=corpus.dimension)
    progress.advance(1)
    for kind in schema.SET_INDEXES:
        writer.renew()  # or another corpus may have the set by now
        schema.drop_set_index(graph, kind, corpus.index_set)
        schema.create_set_indexes(graph, corpus.index_set)
        progress.advance(1)
    for make in others.values():
        make()
        progress.advance(1)
    progress.finish("all indexes were made again")
