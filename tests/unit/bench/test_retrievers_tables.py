"""The tables that benchmarks/retrievers.py prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.retrievers import (
    CAPTIONS,
    LAYOUTS,
    Run,
    as_object,
    bounds,
    difference,
    differences_table,
    in_order,
    index_table,
    scores_table,
    share,
    show,
    signed,
)

from overstory.bench.metrics import Interval, Scores, mean_scores
from overstory.bench.runner import BenchResult, BenchRow

ROOT = Path(__file__).parents[3]


def result(name: str, *recalls: float, p50: float = 4.6, p95: float = 9.4) -> BenchResult:
    """A retriever that finds this share of each question's gold among its first five."""
    each = {f"q{number}": Scores(0.0, r, 1.0, float(r == 1.0), 0.0) for number, r in enumerate(recalls)}
    return BenchResult(BenchRow(name, mean_scores(each.values()), p50, p95, 3.25, len(recalls)), {}, each)


def run(*results: BenchResult, name: str = "films", layout: str = "field", **stages: float) -> Run:
    questions = results[0].row.queries
    return Run(name, layout, "bench-films", questions, 1234, 1234, 1300, stages or {"embed": 1.0}, list(results))


def test_a_table_of_scores_has_a_row_a_retriever_and_two_columns_a_benchmark() -> None:
    films = run(result("dense", 0.5, 0.5), result("hybrid", 1.0, 1.0))
    novels = run(result("dense", 1.0, 1.0, 1.0, p50=120.0), result("hybrid", 0.5, 0.5, 0.5), name="novels")
    assert scores_table([films, novels])[1:] == [
        ["`dense`", ".500 [.500, .500] / .000", "5 / 9", "**1.000** [1.000, 1.000] / 1.000", "120 / 9"],
        ["`hybrid`", "**1.000** [1.000, 1.000] / 1.000", "5 / 9", ".500 [.500, .500] / .000", "5 / 9"],
    ]
    assert scores_table([films, novels])[0][1:] == ["films, 2 questions", "ms", "novels, 3 questions", "ms"]


def test_a_difference_is_to_the_best_other() -> None:
    ours, close, far = result("canopy", 1.0, 0.75), result("lexical", 0.75, 0.5), result("dense", 0.25, 0.25)
    found = difference([far, close, ours], "canopy")
    assert found is not None
    assert (found.other, found.recall_5) == ("lexical", Interval(mean=0.25, low=0.25, high=0.25))
    assert (found.all_5.mean, found.all_5.low, found.all_5.high) == (0.5, 0.0, 1.0)
    assert differences_table([(run(ours, close, layout="pack5"), found)])[1] == [
        "no titles, passages packed by 5",
        "films",
        "`lexical`",
        "+.250 [+.250, +.250]",
        "+.500 [.000, +1.000]",
    ]


def test_without_the_compared_one_or_without_others_there_is_no_difference() -> None:
    assert difference([result("dense", 1.0), result("hybrid", 1.0)], "canopy") is None
    assert difference([result("canopy", 1.0)], "canopy") is None


def test_the_index_table_has_every_stage_of_any_run() -> None:
    dense = result("dense", 1.0)
    rows = index_table([run(dense, embed=2.0, entities=3.04), run(dense, embed=1.0, mentions=9.0)])
    assert rows[0][-4:] == ["embed", "entities", "mentions", "together"]
    assert [row[2:] for row in rows[1:]] == [
        ["1,234", "1,234", "1,300", "2.0", "3.0", "–", "3.2"],
        ["1,234", "1,234", "1,300", "1.0", "–", "9.0", "3.2"],
    ]


def test_a_table_is_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    show("Films", [["a", "b"], ["1", "2|3"]])
    assert capsys.readouterr().out == "\n### Films\n\n| a | b |\n|---|---|\n| 1 | 2\\|3 |\n"


def test_the_figures_of_a_run_are_json() -> None:
    written = json.loads(json.dumps(as_object(run(result("canopy", 1.0), result("dense", 0.5)), "canopy")))
    assert (written["benchmark"], written["layout"], written["stages"]) == ("films", "field", {"embed": 1.0})
    assert [row["R@5_low"] for row in written["retrievers"]] == [1.0, 0.5]
    assert written["difference"]["recall_5"] == {"mean": 0.5, "low": 0.5, "high": 0.5}
    assert as_object(run(result("dense", 0.5)), "canopy")["difference"] is None


def test_numbers_are_short() -> None:
    assert [share(value) for value in (0.0, 0.6274, 1.0)] == [".000", ".627", "1.000"]
    assert [signed(value) for value in (0.13, -0.02, 0.0, -0.0001, 1.0)] == ["+.130", "−.020", ".000", ".000", "+1.000"]
    assert bounds(Interval(0.5, 0.25, 0.75)) == "[.250, .750]"


def test_our_retrievers_come_first() -> None:
    assert in_order(["canopy", "apple", "hybrid", "dense", "zeta", "lexical"]) == [
        *("dense", "lexical", "hybrid", "canopy", "apple", "zeta")
    ]


def test_the_page_tells_every_layout() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert LAYOUTS.keys() == CAPTIONS.keys()
    for layout, caption in CAPTIONS.items():
        assert f"`{layout}`" in page
        assert f"| {caption.lower()} |" in page
