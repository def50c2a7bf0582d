"""Who summarises the sets of a tree: rules, or a language model."""

from __future__ import annotations

from overstory.llm import Chat, Estimate
from overstory.systems.base import SystemView
from overstory.systems.tretriever.index_settings import TRetrieverIndexSettings, Vertices
from overstory.systems.tretriever.summaries import RuleSummariser, Summariser

NAMES_A_CHUNK = 10
"""Where names were not extracted yet; real corpora have six."""


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


def estimate(view: SystemView[TRetrieverIndexSettings], over: Vertices, behind: int) -> Estimate:
    """An upper bound on what a build asks of a language model, as if all sets were new.

    Args:
        over: what the vertices are.
        behind: documents or passages that the index lacks, or that were deleted since.

    Raises:
        LlmError, DatabaseError: as `System.estimate`.
    """
    from overstory.systems.tretriever.model_summaries import ModelSummariser

    before = view.before
    same = before is not None and before.built and (before.settings, before.model) == (view.settings, view.model)
    if same and before is not None and before.embedder == view.context.embedder.fingerprint and not behind:
        return Estimate.nothing()
    statement = "corpus/count_documents" if over == "documents" else "systems/entity_graph/count_names"
    (row,) = view.graph.run(statement, view.corpus.label, read=True)
    vertices = row["documents"] if over == "documents" else row["names"] or NAMES_A_CHUNK * row["chunks"]
    return ModelSummariser(view.context.chat(view.model), view.model).estimate(vertices)
