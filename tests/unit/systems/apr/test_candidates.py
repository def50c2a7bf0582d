"""AutoPrunedRetriever's scores, against the definitions in plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from overstory.protocols import Vectors
from overstory.vectors.packed import of_unit_length
from overstory_systems.apr.candidates import FineScore, coarse, fine, links, relevance

DIMENSION = 8


def vectors(seed: int, rows: int) -> Vectors:
    """Unit vectors near each other, so that many cosines are around the thresholds."""
    drawn = np.random.default_rng(seed).normal(0.6, 1.0, (rows, DIMENSION))
    return of_unit_length(drawn.astype(np.float32))


def sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))


def greedy(similar: Sequence[Sequence[float]]) -> list[float]:
    """The similarities of lines paired one to one, the most similar first."""
    entries = sorted(((-value, i, j) for i, row in enumerate(similar) for j, value in enumerate(row)))
    rows: set[int] = set()
    columns: set[int] = set()
    found: list[float] = []
    for negative, i, j in entries:
        if -negative >= 0.50 and i not in rows and j not in columns:
            rows.add(i)
            columns.add(j)
            found.append(-negative)
    return found


def oracle(question: Vectors, whole: Vectors, run: Vectors) -> FineScore:
    """The terms as the design writes them, one run at a time."""
    similar = [[sum(float(a) * float(b) for a, b in zip(q, c, strict=True)) for c in run] for q in question]
    flat = sorted((value for row in similar for value in row), reverse=True)[:3]
    pairs = greedy(similar)
    centre = [sum(float(vector[d]) for vector in run) for d in range(DIMENSION)]
    alike = sum(a * float(b) for a, b in zip(centre, whole, strict=True)) / math.sqrt(sum(a * a for a in centre))
    overlap = sum(sigmoid((value - 0.55) / 0.10) for row in similar for value in row)
    return FineScore(
        relation=sum(flat) / len(flat),
        coverage=sum(max(row) >= 0.45 for row in similar) / len(similar),
        overlap=math.log1p(overlap / math.sqrt(len(question) * len(run))),
        distinct=sum(pairs) / math.sqrt(len(pairs)) if pairs else 0.0,
        whole=sigmoid((alike - 0.55) / 0.15) * alike / math.sqrt(len(run)),
    )


@pytest.mark.parametrize("lines", [1, 2, 7])
def test_fine_scores_of_runs_of_any_length_are_those_of_the_definition(lines: int) -> None:
    question, whole = vectors(lines, lines), vectors(100, 1)[0]
    runs = [vectors(200 + seed, length) for seed, length in enumerate((1, 2, 3, 1, 5, 8, 9, 40))]
    for found, run in zip(fine(question, whole, runs), runs, strict=True):
        assert found == pytest.approx(oracle(question, whole, run), abs=1e-5)


def test_the_score_of_a_run_does_not_depend_on_the_runs_beside_it() -> None:
    question, whole = vectors(1, 3), vectors(2, 1)[0]
    runs = [vectors(10 + seed, length) for seed, length in enumerate((4, 3, 4, 1))]
    alone = [fine(question, whole, [run])[0] for run in runs]
    assert fine(question, whole, runs) == [pytest.approx(each, abs=1e-6) for each in alone]


def test_the_whole_is_the_weighted_sum_of_the_terms() -> None:
    assert FineScore(0.7, 0.5, 0.4, 0.9, 0.2).total == pytest.approx(0.7 + 0.05 + 0.08 + 0.09 + 0.02)


def test_a_run_that_says_what_the_question_says_is_better_than_one_that_says_something_else() -> None:
    question = vectors(1, 3)
    whole = of_unit_length(question.sum(axis=0, keepdims=True))[0]
    same, other = fine(question, whole, [question, -question])
    assert same.relation == pytest.approx(1.0, abs=1e-5)
    assert same.coverage == 1.0
    assert other.distinct == 0.0
    assert same.total > other.total


def test_no_runs_have_no_scores() -> None:
    assert fine(vectors(1, 2), vectors(2, 1)[0], []) == []


def test_a_relation_counts_for_less_than_an_entity() -> None:
    assert coarse({"a": 0.8, "b": 0.7}, {"b": 0.9}) == pytest.approx({"a": 0.8, "b": 0.97})


def test_relevance_goes_from_the_lowest_score_to_the_highest() -> None:
    assert relevance({"a": 3.0, "b": 2.0, "c": 1.0}) == {"a": 1.0, "b": 0.5, "c": 0.0}
    assert relevance({"a": 2.0, "b": 2.0}) == {"a": 1.0, "b": 1.0}
    assert relevance({}) == {}


def test_a_name_leads_on_the_more_the_fewer_passages_have_it() -> None:
    names = [("a", "rare", ["a", "b"]), ("a", "common", ["a", "b", "c", "d", "e", "f", "g", "h"]), ("a", "own", ["a"])]
    found = links({"a": 0.8}, names)
    assert (found["b"].source, found["b"].name, found["c"].name) == ("a", "rare", "common")
    assert [found["b"].value, found["c"].value] == pytest.approx([0.8, 0.4])
    assert "a" not in found


def test_of_equal_links_the_first_stands_and_an_irrelevant_passage_leads_nowhere() -> None:
    names = [("a", "one", ["a", "x"]), ("b", "two", ["b", "x"]), ("c", "three", ["c", "y"])]
    found = links({"a": 0.5, "b": 0.5, "c": 0.0}, names)
    assert {passage: link.name for passage, link in found.items()} == {"x": "one"}
