"""Who summarises the sets of a tree: rules, or a language model."""

from __future__ import annotations

from overstory.llm import Chat, Estimate
from overstory.systems.base import SystemView
from overstory.systems.entity_graph.counts import most_names
from overstory_systems.tretriever.index_settings import TRetrieverIndexSettings
from overstory_systems.tretriever.summaries import RuleSummariser, Summariser
from overstory_systems.tretriever.vertices import vertices_of


def summariser_for(chat: Chat | None, model: str) -> Summariser:
    """
    Args:
        model: the name of the language model.
    """
    if chat is None:
        return RuleSummariser()
    from overstory_systems.tretriever.model_summaries import ModelSummariser  # pydantic, which only a model needs

    return ModelSummariser(chat, model)


def fingerprint(chat: Chat | None) -> str:
    """Changes whenever the same set may get another summary."""
    return summariser_for(chat, "").fingerprint


def estimate(view: SystemView[TRetrieverIndexSettings], behind: int) -> Estimate:
    """An upper bound on what a build asks of a language model, as if all sets were new.

    Args:
        behind: documents or passages that the index lacks, or that were deleted since.

    Raises:
        LlmError, DatabaseError: as `System.estimate`.
    """
    from overstory_systems.tretriever.model_summaries import ModelSummariser

    if view.is_as_built and not behind:
        return Estimate.nothing()
    if vertices_of(view.settings, view.graph, view.corpus) == "documents":
        (row,) = view.graph.run("corpus/count_documents", view.corpus.label, read=True)
        vertices = int(row["documents"])
    else:
        vertices = most_names(view.graph, view.corpus.label)
    return ModelSummariser(view.context.chat(view.model), view.model).estimate(vertices)
