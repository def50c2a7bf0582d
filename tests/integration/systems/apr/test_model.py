"""AutoPrunedRetriever's index read by a language model behind an endpoint: answers, failures, a stop, and the cost."""

from __future__ import annotations

import json
import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, LiteralString

import pytest
from tests.chat_endpoint import Endpoint, Handler, running_chat_endpoint, saying
from tests.passages import PASSAGES, OpenCorpus
from tests.reopening import reopened

from overstory.errors import BudgetExhausted
from overstory.knowledge import Knowledge
from overstory.settings import LlmSettings

MODEL = "reader"
BORN = re.compile(r"^(\d+)\. (.+?) was born in (\w+)\.", re.MULTILINE)
SAID: LiteralString = """
MATCH (d:Document)<-[:PART_OF]-(:Chunk)<-[:PART_OF]-(r:AprRun {corpus: $label})-[at:HAS_EDGE]->(e)
RETURN d.source_key, e.head + '|' + e.relation + '|' + e.tail, at.sentence ORDER BY d.source_key, r.seq, at.position
"""


def where_born(handler: Handler, request: dict[str, Any]) -> None:
    """Reads births, and nothing else."""
    found = BORN.findall(request["messages"][-1]["content"])
    triples = [
        {"head": who, "relation": "was born in", "tail": where, "sentence": int(number)} for number, who, where in found
    ]
    saying(json.dumps({"triples": triples}))(handler, request)


def with_model(knowledge: Knowledge, endpoint: Endpoint, cache: Path) -> AbstractContextManager[Knowledge]:
    """The corpus with this endpoint as its model, and a cache of its own."""
    llm = LlmSettings("openai", model=MODEL, base_url=endpoint.url, max_tokens=200, at_once=1, retries=0)
    return reopened(knowledge, llm, cache)


def facts(knowledge: Knowledge, key: str) -> list[tuple[str, int]]:
    """Return the facts of a document, each with the number of its sentence."""
    label = knowledge.status().corpus.label
    found, _, _ = knowledge.graph.native_driver().execute_query(SAID, label=label, database_=knowledge.graph.database)
    return [(fact, sentence) for document, fact, sentence in found if document == key]


@pytest.mark.slow
def test_a_model_reads_what_it_can_and_rules_the_rest(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index(systems=["apr"])
    by_rules = facts(knowledge, "danube")
    with running_chat_endpoint() as endpoint, with_model(knowledge, endpoint, tmp_path) as reading:
        endpoint.then = where_born
        assert reading.estimate_index(["apr"], model=MODEL).requests == len(PASSAGES)
        assert not endpoint.requests
        notes = reading.index(systems=["apr"], model=MODEL).notes
        assert any("1 of 4 windows of sentences were read by rules" in note for note in notes)
        assert facts(reading, "einstein") == [("Albert Einstein|was born in|Ulm", 0)]
        assert facts(reading, "ulm") == [("Albert Einstein|was born in|Ulm", 1)]
        assert facts(reading, "danube") == by_rules != []
        (report,) = reading.system_reports()
        assert (report.pending, report.how) == (0, f"triples by {MODEL}")
        asked = len(endpoint.requests)
        assert asked == len(PASSAGES)
        assert reading.index().done == ()
        reading.index(systems=["apr:cohesion=0"])
        assert len(endpoint.requests) == asked  # answers are remembered
    knowledge.index(systems=["apr"], model="none")
    assert len(facts(knowledge, "einstein")) > 1


@pytest.mark.slow
def test_a_run_that_is_out_of_budget_leaves_an_index_that_the_next_one_finishes(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    with running_chat_endpoint() as endpoint:
        endpoint.then = where_born
        with with_model(knowledge, endpoint, tmp_path) as reading:
            reading.use_model(MODEL, budget_tokens=10)
            with pytest.raises(BudgetExhausted):
                reading.index(systems=["apr"], model=MODEL)
            assert reading.status().pending["apr"] == len(PASSAGES)
            assert not endpoint.requests
            reading.use_model(MODEL)
            reading.index()
            assert facts(reading, "einstein") == [("Albert Einstein|was born in|Ulm", 0)]
