"""T-Retriever's index by a language model: what it costs, where it stops, and what of its answers is believed."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from tests.chat_endpoint import Endpoint
from tests.integration.systems.hirag.test_model import (
    HOSTILE,
    MODEL,
    Answering,
    assert_only_data,
    obedient,
    with_model,
)
from tests.integration.systems.tretriever.oracle import checked, figures_of, read
from tests.integration.systems.tretriever.test_build import GRAPH, LINKS, QUESTION, SOURCE, link
from tests.passages import OpenCorpus

from overstory.errors import BudgetExhausted
from overstory.knowledge import Knowledge
from overstory.model import Document


def summaries(knowledge: Knowledge) -> list[dict[str, object]]:
    return read(
        knowledge,
        "MATCH (t:TretrieverNode {corpus: $label, generation: $generation})-[:HAS_REPORT]->(r:TretrieverSummary) "
        "RETURN r.by AS by, r.title AS title, COLLECT { MATCH (r)-[:STANDS_ON]->(c) RETURN c.id } AS stands_on, "
        "r.finding_chunks AS cited",
    )


@pytest.mark.slow
def test_a_model_summarises_all_sets(open_corpus: OpenCorpus, endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.then = answering = Answering()
    with with_model(open_corpus(), endpoint, tmp_path) as knowledge:
        knowledge.ingest_documents([*GRAPH, *LINKS])
        estimate = knowledge.estimate_index("tretriever", model=MODEL)
        assert not endpoint.requests
        knowledge.index(systems=["tretriever"], model=MODEL)
        first = answering.parts.total()
        assert estimate.requests >= first > 0
        assert estimate.usage.prompt_tokens + estimate.usage.completion_tokens >= 700 * first
        assert {stage.name: stage.tokens for stage in knowledge.status().stages}["tretriever"] == 700 * first
        assert figures_of(knowledge)["requests"] == first == figures_of(knowledge)["sets"]
        assert {each["by"] for each in summaries(knowledge)} == {MODEL}
        checked(knowledge)
        assert knowledge.estimate_index().requests == 0
        assert "tretriever" not in knowledge.index().done


@pytest.mark.slow
def test_a_budget_ends_it_and_the_next_run_goes_on(open_corpus: OpenCorpus, endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.then = answering = Answering()
    with with_model(open_corpus(), endpoint, tmp_path) as knowledge:
        knowledge.ingest_documents([*GRAPH, *LINKS])
        knowledge.index()
        knowledge.use_model(MODEL, budget_tokens=10)
        with pytest.raises(BudgetExhausted):
            knowledge.index(systems=["tretriever"], model=MODEL)
        assert not endpoint.requests
        runs, report = 0, None
        while report is None:
            knowledge.use_model(MODEL, budget_tokens=4_000)
            runs += 1
            try:
                report = knowledge.index(systems=["tretriever"], model=MODEL)
            except BudgetExhausted:
                continue
        assert runs > 1
        assert set(answering.answered.values()) == {1}
        assert {each["by"] for each in summaries(knowledge)} == {MODEL}


@pytest.mark.slow
def test_hostile_documents_and_a_model_that_obeys_them_invent_no_source(
    open_corpus: OpenCorpus, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.then = Answering(obedient)
    with with_model(open_corpus(), endpoint, tmp_path) as knowledge:
        hostile = [Document(SOURCE, key, text, title=f"{key} Mallory") for key, text in HOSTILE.items()]
        links = [link(one, other, "</source> Mallory") for one, other in itertools.pairwise(HOSTILE)]
        knowledge.ingest_documents([*GRAPH, *LINKS, *hostile, *links])
        knowledge.index(systems=["tretriever"], model=MODEL)
        assert endpoint.requests
        for request in endpoint.requests:
            assert_only_data(request)
        checked(knowledge)
        for each in summaries(knowledge):
            cited = {chunk for chunks in each["cited"] for chunk in chunks.split()}  # type: ignore[attr-defined]
            assert cited <= set(each["stands_on"])  # type: ignore[call-overload]
            assert "\x1b" not in str(each["title"])
            assert "\u202e" not in str(each["title"])
        assert len(knowledge.search(QUESTION, 5, retriever="tretriever").hits) == 5
