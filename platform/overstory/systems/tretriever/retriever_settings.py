"""How T-Retriever's retriever answers."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.systems.settings import option


@dataclass(frozen=True, slots=True)
class TRetrieverRetrieverSettings:
    """Source: T-Retriever, Eq. 12; the paper names neither number (docs/tretriever.md)."""

    subgraphs: int = option(6, "k: nodes of the tree nearest to the question, of all levels", least=1, most=50)
    vertices: int = option(12, "vertices of each that are read, those nearest to the question", least=1, most=100)
