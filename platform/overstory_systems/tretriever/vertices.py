"""What the vertices of a corpus' graph are."""

from __future__ import annotations

from collections.abc import Mapping

from overstory.graph import Corpus, GraphClient
from overstory.index.ledger import corpus_counts
from overstory.systems.tree.kinds import TreeKind
from overstory_systems.tretriever.index_settings import TRetrieverIndexSettings, Vertices
from overstory_systems.tretriever.names import DOCUMENT_TREE, ENTITY_TREE

KINDS: Mapping[Vertices, TreeKind] = {"documents": DOCUMENT_TREE, "entities": ENTITY_TREE}


def vertices_of(settings: TRetrieverIndexSettings, graph: GraphClient, corpus: Corpus) -> Vertices:
    """As the settings say; "auto" is documents where one links to another that is stored, else entities."""
    if settings.over != "auto":
        return settings.over
    return "documents" if corpus_counts(graph, corpus.label).links else "entities"


def deletions_of(corpus: Corpus, over: Vertices) -> int:
    """How many of what the vertices are was ever deleted."""
    return corpus.deletions["document" if over == "documents" else "entity"]
