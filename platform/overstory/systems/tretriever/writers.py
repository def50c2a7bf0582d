"""Who summarises the sets of a tree: rules, or a language model."""

from __future__ import annotations

from overstory.llm import Chat
from overstory.systems.tretriever.summaries import RuleSummariser, Summariser


def summariser_for(chat: Chat | None, model: str) -> Summariser:
    """
    Args:
        model: the name of the language model.
    """
    if chat is None:
        return RuleSummariser()
    from overstory.systems.tretriever.model_summaries import ModelSummariser  # pydantic, which only a model needs

    return ModelSummariser(chat, model)


def fingerprint(chat: Chat | None) -> str:
    """Changes whenever the same set may get another summary."""
    return summariser_for(chat, "").fingerprint
