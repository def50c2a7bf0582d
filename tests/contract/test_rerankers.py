"""The contract of every reranker. Add a new one to `CASES`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.embeddings_endpoint import running_endpoint

from overstory import plugins
from overstory.protocols import Reranker
from overstory.rerank import make_reranker
from overstory.rerank.registry import GROUP
from overstory.settings import RerankSettings

CASES = ["endpoint"]

QUESTION = "Where was the author of Dracula born?"
PASSAGES = [
    "Bread is cheap.",
    "The author of Dracula was born in Dublin.",
    "",
    "word " * 3_000,
    "北京 Ελλάδα संस्कृति 🌳",
    "\ud800 half a character, and \0 a zero",
    *(f"Sentence {number}." for number in range(300)),
]


@pytest.fixture(scope="module", params=CASES)
def reranker(request: pytest.FixtureRequest) -> Iterator[Reranker]:
    with running_endpoint() as endpoint:
        yield make_reranker(RerankSettings(request.param, model="m", base_url=endpoint.url, api_key="secret"))


def test_all_installed_rerankers_are_tried() -> None:
    assert plugins.names(GROUP) == CASES


def test_a_reranker_has_a_name(reranker: Reranker) -> None:
    assert isinstance(reranker, Reranker)
    assert reranker.name.strip()


def test_each_passage_has_a_finite_score_in_its_place_the_answer_the_highest(reranker: Reranker) -> None:
    scores = list(reranker.rerank(QUESTION, PASSAGES))
    assert len(scores) == len(PASSAGES)
    assert all(math.isfinite(score) for score in scores)
    assert scores.index(max(scores)) == 1


def test_no_passages_have_no_scores(reranker: Reranker) -> None:
    assert list(reranker.rerank(QUESTION, [])) == []


def test_the_order_of_passages_does_not_matter(reranker: Reranker) -> None:
    assert list(reranker.rerank(QUESTION, PASSAGES[::-1]))[::-1] == list(reranker.rerank(QUESTION, PASSAGES))


def test_several_threads_get_what_one_gets(reranker: Reranker) -> None:
    expected = list(reranker.rerank(QUESTION, PASSAGES))
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(reranker.rerank, [QUESTION] * 8, [PASSAGES] * 8))
    assert list(map(list, found)) == [expected] * 8
