"""Who writes the texts of the index: rules, or a language model."""

from __future__ import annotations

from collections.abc import Sequence

from overstory.llm import Chat
from overstory_systems.hirag.knowledge_graph import LayerEntity
from overstory_systems.hirag.reports import Reporter, RuleReporter
from overstory_systems.hirag.summaries import RuleClusterSummariser, Summariser


def summariser_for(chat: Chat | None, model: str) -> Summariser:
    """Who writes summary entities.

    Args:
        model: the name of the language model.
    """
    if chat is None:
        return RuleClusterSummariser()
    from overstory_systems.hirag.model_summaries import ModelClusterSummariser  # pydantic, which only a model needs

    return ModelClusterSummariser(chat, model)


def reporter_for(chat: Chat | None, model: str, entities: Sequence[LayerEntity] = ()) -> Reporter:
    """Who writes reports on communities.

    Args:
        entities: of the whole corpus.
    """
    if chat is None:
        return RuleReporter(entities)
    from overstory_systems.hirag.model_reports import ModelReporter

    return ModelReporter(chat, model, entities)
