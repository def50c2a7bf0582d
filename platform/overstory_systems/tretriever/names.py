"""Names of what T-Retriever stores."""

from __future__ import annotations

from typing import Final

from overstory.systems.tree.kinds import TreeKind

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
