"""Creates rerankers by name."""

from __future__ import annotations

from typing import cast

from overstory import plugins
from overstory.errors import ModelError
from overstory.protocols import Reranker
from overstory.settings import RerankSettings

GROUP = "overstory.rerankers"


def make_reranker(settings: RerankSettings) -> Reranker:
    """Create the reranker that `settings.reranker` names. It can be built in or registered by another package."""
    if settings.reranker is None:
        raise ModelError(
            "No reranker is set.",
            remedy="Set OVERSTORY_RERANK_BASE_URL to an endpoint like http://localhost:8080/v1, and"
            " OVERSTORY_RERANK_MODEL and OVERSTORY_RERANK_API_KEY if needed. Or search without reranking.",
        )
    made = plugins.make(
        GROUP, settings.reranker, settings, error=ModelError, requires=["name", "rerank"], setting="OVERSTORY_RERANKER"
    )
    return cast("Reranker", made)
