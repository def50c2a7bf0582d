"""Scores of passages by the subgraphs that they are on, on figures that can be checked by hand."""

from __future__ import annotations

import pytest

from overstory_systems.tretriever.retriever import (
    _NEAR_SET_WEIGHT,
    _NEIGHBOUR_WEIGHT,
    SubgraphScore,
    SubgraphStatement,
    relevance,
    scores,
)

EINSTEIN = SubgraphStatement("edge", "Einstein", "Bern", 1.0, ["c1", "c2"])
ULM = SubgraphStatement("edge", "Ulm", "Bern", 0.5, ["c2"])
BORN = SubgraphStatement("edge", "Ulm", "Einstein", 0.8, ["c2", "c3"])
PHYSICS = SubgraphStatement("set", "Physics", "", 0.6, ["c1", "c3"])


def test_the_nearest_counts_whole_the_farthest_not_at_all_and_the_others_in_proportion() -> None:
    assert relevance({"a": 0.6, "b": 0.5, "c": 0.2}) == pytest.approx({"a": 1.0, "b": 0.75, "c": 0.0})
    assert relevance({"a": 0.4, "b": 0.4}) == {"a": 1.0, "b": 1.0}
    assert relevance({"a": -0.1}) == {"a": 1.0}
    assert relevance({}) == {}


def test_a_passage_gets_its_cosine_and_the_most_relevant_of_each_kind() -> None:
    found = scores({"c1": 0.5, "c2": 0.4, "c3": 0.3, "c9": 0.9}, [ULM, EINSTEIN, BORN, PHYSICS])
    assert found["c1"] == SubgraphScore(0.5, edge=EINSTEIN, set=PHYSICS)
    assert found["c2"] == SubgraphScore(0.4, edge=EINSTEIN)
    assert found["c3"] == SubgraphScore(0.3, edge=BORN, set=PHYSICS)
    assert found["c9"] == SubgraphScore(0.9)
    assert found["c2"].total == pytest.approx(0.4 + _NEIGHBOUR_WEIGHT * 1.0)
    assert found["c3"].total == pytest.approx(0.3 + _NEIGHBOUR_WEIGHT * 0.8 + _NEAR_SET_WEIGHT * 0.6)
    assert found["c9"].total == 0.9


def test_what_does_not_count_and_passages_without_a_cosine_are_left_out() -> None:
    far = ULM._replace(relevance=0.0)
    assert scores({"c2": 0.4}, [far, EINSTEIN._replace(chunks=["c7"])]) == {"c2": SubgraphScore(0.4)}


def test_of_equally_relevant_statements_the_first_by_name_is_told() -> None:
    twin = EINSTEIN._replace(what="Albert")
    assert scores({"c1": 0.1}, [EINSTEIN, twin]) == {"c1": SubgraphScore(0.1, edge=twin)}
