"""Who summarises the sets of a tree: rules, or a language model."""

from __future__ import annotations

from overstory.llm import Chat
from overstory.text.key_phrases import CommonWords
from overstory_systems.tretriever.summaries import RuleSetSummariser, Summariser


def summariser_for(chat: Chat | None, model: str, common: CommonWords | None = None) -> Summariser:
    """
    Args:
        model: the name of the language model.
        common: how specific words are in the graph.
    """
    if chat is None:
        return RuleSetSummariser(common)
    from overstory_systems.tretriever.model_summaries import ModelSetSummariser  # pydantic, which only a model needs

    return ModelSetSummariser(chat, model, common)
