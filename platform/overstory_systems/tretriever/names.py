"""Names of T-Retriever's labels, relationship type and state keys, and its trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from overstory.graph import Corpus, GraphClient
from overstory.index.ledger import corpus_counts
from overstory.systems.tree.kinds import TreeKind
from overstory_systems.tretriever.settings import TRetrieverIndexSettings, Vertices

NAME: Final = "tretriever"
"""Name of the system, of its tree, and of its generations."""
NODE: Final = "TretrieverNode"
SUMMARY: Final = "TretrieverSummary"
EDGE: Final = "TRETRIEVER_EDGE"
"""Type of the relationships between leaves that are entities. Documents are connected by their LINKS instead."""
KEPT: Final = "kept"
"""Key in the state's details for the name of the tree with the lowest entropy."""

DOCUMENT_TREE: Final = TreeKind(
    NAME, "T-Retriever tree", "document", NODE, structure=NAME, options="over=documents", reports=SUMMARY
)
ENTITY_TREE: Final = TreeKind(
    NAME, "T-Retriever tree of entities", "entity", NODE, structure=NAME, options="over=entities", reports=SUMMARY
)

KINDS: Mapping[Vertices, TreeKind] = {"documents": DOCUMENT_TREE, "entities": ENTITY_TREE}


def vertices_of(settings: TRetrieverIndexSettings, graph: GraphClient, corpus: Corpus) -> Vertices:
    """Return the kind of vertices. "auto" means documents if the corpus contains links, otherwise entities."""
    if settings.over != "auto":
        return settings.over
    return "documents" if corpus_counts(graph, corpus.label).links else "entities"
