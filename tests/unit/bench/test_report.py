from __future__ import annotations

import json
from io import StringIO

import pytest
from rich.console import Console
from rich.table import Table

from overstory.bench.metrics import Interval, Scores, mean_interval
from overstory.bench.runner import BenchResult, BenchRow
from overstory_cli.bench import as_objects, as_table, difference_of, interval_of

PROMISED = "retriever R@2 R@5 R@10 all@5 nDCG@10 p50_ms p95_ms index_s queries"


def each(*recalls: float) -> dict[str, Scores]:
    """Scores of questions q1, q2, … with this R@5."""
    return {f"q{number}": Scores(0.0, r, 1.0, float(r == 1.0), 0.5) for number, r in enumerate(recalls, start=1)}


RESULTS = [
    BenchResult(BenchRow("dense", Scores(0.5, 0.75, 1.0, 0.5, 2 / 3), 12.3456, 20.0, 4.5, 2), {}, each(0.5, 1.0)),
    BenchResult(BenchRow("lexi[cal]", Scores(0.25, 0.8, 1.0, 0.4, 0.5), 3.0, 5.0, 0.0, 2), {}, each(0.5, 0.5)),
]


def printed(table: Table, width: int = 80) -> list[str]:
    console = Console(width=width, record=True, file=StringIO())
    console.print(table)
    return console.export_text().splitlines()


def test_the_objects_have_the_promised_keys_in_order() -> None:
    assert json.loads(json.dumps(as_objects(RESULTS)))[0] == {
        "retriever": "dense",
        "R@2": 0.5,
        "R@5": 0.75,
        "R@10": 1.0,
        "all@5": 0.5,
        "nDCG@10": 0.666667,
        "p50_ms": 12.346,
        "p95_ms": 20.0,
        "index_s": 4.5,
        "queries": 2,
    }
    assert " ".join(as_objects(RESULTS)[1]) == PROMISED


def test_intervals_add_keys_after_the_promised_ones() -> None:
    first, second = as_objects(RESULTS, intervals=True)
    assert " ".join(first) == f"{PROMISED} R@5_low R@5_high all@5_low all@5_high"
    assert [first[key] for key in list(first)[-4:]] == [0.5, 1.0, 0.0, 1.0]
    assert [second[key] for key in list(second)[-4:]] == [0.5, 0.5, 0.0, 0.0]
    assert [{key: row[key] for key in PROMISED.split()} for row in (first, second)] == as_objects(RESULTS)


def test_the_table_has_one_line_a_retriever() -> None:
    lines = printed(as_table(RESULTS))
    text = "\n".join(lines)
    assert "nDCG@10" in text
    assert "0.667" in text
    assert "lexi[cal]" in text
    assert len(lines) == 6  # with a rule below the head, and blank lines around


def test_intervals_stand_below_their_means_and_fit_on_a_terminal() -> None:
    lines = printed(as_table(RESULTS, intervals=True))
    assert len(lines) == 8
    assert lines[3].split()[0] == "dense"
    assert lines[4].split() == ["95", "%", ".50–1.0", ".00–1.0"]
    assert lines[4].index(".50–1.0") + 7 == lines[3].index("0.750") + 5  # aligned on the right


def test_an_interval_is_of_the_scores_of_the_questions() -> None:
    assert interval_of(RESULTS[0], lambda scores: scores.recall_5) == mean_interval([0.5, 1.0])


def test_a_difference_pairs_the_questions_whatever_their_order() -> None:
    (ours, _), theirs = RESULTS, BenchResult(RESULTS[1].row, {}, dict(reversed(each(0.25, 0.75).items())))
    assert difference_of(ours, theirs, lambda scores: scores.recall_5) == Interval(mean=0.25, low=0.25, high=0.25)


def test_a_difference_of_other_questions_is_refused() -> None:
    other = BenchResult(RESULTS[1].row, {}, each(0.5, 0.5, 0.5))
    with pytest.raises(ValueError, match=r"dense and lexi\[cal\] were not asked the same questions"):
        difference_of(RESULTS[0], other, lambda scores: scores.recall_5)
