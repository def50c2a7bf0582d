"""Names of what T-Retriever stores, and its trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from overstory.graph import Corpus, GraphClient
from overstory.index.ledger import corpus_counts
from overstory.systems.tree.kinds import TreeKind
from overstory_systems.tretriever.settings import TRetrieverIndexSettings, Vertices

NAME: Final = "tretriever"
"""Of the system, of its tree, and of its generations."""
NODE: Final = "TretrieverNode"
SUMMARY: Final = "TretrieverSummary"
EDGE: Final = "TRETRIEVER_EDGE"
"""Between leaves that stand for entities; documents have their LINKS."""
KEPT: Final = "kept"
"""Among the details of an index: which of the trees that were built had the least entropy."""

DOCUMENT_TREE: Final = TreeKind(
    NAME, "T-Retriever tree", "document", NODE, structure=NAME, options="over=documents", reports=SUMMARY
)
ENTITY_TREE: Final = TreeKind(
    NAME, "T-Retriever tree of names", "entity", NODE, structure=NAME, options="over=entities", reports=SUMMARY
)

KINDS: Mapping[Vertices, TreeKind] = {"documents": DOCUMENT_TREE, "entities": ENTITY_TREE}


def vertices_of(settings: TRetrieverIndexSettings, graph: GraphClient, corpus: Corpus) -> Vertices:
    """As the settings say; "auto" is documents where one links to another that is stored, else entities."""
    if settings.over != "auto":
        return settings.over
    return "documents" if corpus_counts(graph, corpus.label).links else "entities"
