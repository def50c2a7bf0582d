"""Who writes the texts of the index: rules, or a language model."""

from __future__ import annotations

from collections.abc import Sequence

from overstory.llm import Chat, Estimate
from overstory.systems.base import SystemView
from overstory.systems.entity_graph.counts import most_names
from overstory.systems.entity_graph.descriptions import VERSION
from overstory_systems.hirag.index_settings import HiragIndexSettings
from overstory_systems.hirag.knowledge_graph import LayerEntity
from overstory_systems.hirag.reports import Reporter, RuleReporter
from overstory_systems.hirag.summaries import RuleSummariser, Summariser

NAMES_A_CLUSTER = 5
NAMES_A_COMMUNITY = 2
"""For an estimate before anything was read: real graphs have twice as many names for each."""


def summariser_for(chat: Chat | None, model: str) -> Summariser:
    """Who writes summary entities.

    Args:
        model: the name of the language model.
    """
    if chat is None:
        return RuleSummariser()
    from overstory_systems.hirag.model_summaries import ModelSummariser  # pydantic, which only a model needs

    return ModelSummariser(chat, model)


def reporter_for(chat: Chat | None, model: str, entities: Sequence[LayerEntity] = ()) -> Reporter:
    """Who writes reports on communities.

    Args:
        entities: of the whole corpus.
    """
    if chat is None:
        return RuleReporter(entities)
    from overstory_systems.hirag.model_reports import ModelReporter

    return ModelReporter(chat, model, entities)


def fingerprint(chat: Chat | None, settings: HiragIndexSettings) -> str:
    """Changes whenever the same passages may be described, summarised or reported on in another way."""
    parts = [str(VERSION), summariser_for(chat, "").fingerprint, reporter_for(chat, "").fingerprint]
    if chat is not None:
        from overstory_systems.hirag.model_reading import reader_fingerprint

        parts.insert(0, reader_fingerprint(chat, settings))
    return " ".join(parts)


def estimate(view: SystemView[HiragIndexSettings], behind: int) -> Estimate:
    """An upper bound on what a build asks of a language model. How many clusters and communities there will be is taken
    from the names that the corpus has, and that all of them are new.

    Args:
        behind: passages that the index lacks, or that were deleted since.

    Raises:
        LlmError, DatabaseError: as `System.estimate`.
    """
    from overstory_systems.hirag.model_reading import estimate_reading
    from overstory_systems.hirag.model_reports import ModelReporter
    from overstory_systems.hirag.model_summaries import ModelSummariser

    if view.is_as_built and not behind:
        return Estimate.nothing()
    reading = estimate_reading(view)
    chat = view.context.chat(view.model)
    names = most_names(view.graph, view.corpus.label)
    clusters = 0 if view.settings.flat else -(-names // NAMES_A_CLUSTER)
    communities = -(-names // NAMES_A_COMMUNITY)
    summaries = ModelSummariser(chat, view.model).estimate(clusters)
    return reading + summaries + ModelReporter(chat, view.model).estimate(communities)
