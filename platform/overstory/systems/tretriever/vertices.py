"""What the vertices of a corpus' graph are."""

from __future__ import annotations

from overstory.graph import Corpus, GraphClient
from overstory.systems.tretriever.index_settings import TRetrieverIndexSettings, Vertices


def vertices_of(settings: TRetrieverIndexSettings, graph: GraphClient, corpus: Corpus) -> Vertices:
    """As the settings say; "auto" is documents where one links to another that is stored, else entities.

    Raises:
        DatabaseError: as `GraphClient.run`.
    """
    if settings.over != "auto":
        return settings.over
    (row,) = graph.run("corpus/link_counts", corpus.label, read=True)
    return "documents" if row["links"] else "entities"
