from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import R, nDCG

from overstory.bench.metrics import mean_scores, scores_by_question
from overstory.bench.runner import RankedDocument
from overstory.errors import BenchError
from overstory_cli.bench import check_ids, check_run, falling_scores, run_files, write_run

Rankings = dict[str, tuple[RankedDocument, ...]]


def tied_rankings(seed: int) -> tuple[Rankings, dict[str, dict[str, int]]]:
    """Questions with many equal scores, and graded judgements, some of documents that were not found."""
    dice = random.Random(seed)  # noqa: S311 # nothing secret
    rankings: Rankings = {}
    qrels: dict[str, dict[str, int]] = {}
    for number in range(30):
        documents = dice.sample([f"d{each}" for each in range(40)], k=dice.randint(0, 20))
        scores = sorted((dice.choice([0.5, 0.25, 1 / 3, 1 / 3 + 1e-12, -1.0]) for _ in documents), reverse=True)
        rankings[f"q{number}"] = tuple(map(RankedDocument, documents, scores))
        qrels[f"q{number}"] = {f"d{dice.randrange(40)}": dice.choice([0, 1, 2]) for _ in range(6)} | {"d1": 1}
    return rankings, qrels


def read_run(path: Path) -> list[ir_measures.ScoredDoc]:
    return list(ir_measures.read_trec_run(str(path)))  # type: ignore[no-untyped-call] # ir-measures types little


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_ir_measures_finds_our_metrics_in_the_run(tmp_path: Path, seed: int) -> None:
    rankings, qrels = tied_rankings(seed)
    write_run(tmp_path / "run.trec", rankings, tag="fake")
    run = read_run(tmp_path / "run.trec")
    theirs = ir_measures.calc_aggregate([R @ 2, R @ 5, R @ 10, nDCG @ 10], qrels, run)
    found = {question: [each.key for each in ranking] for question, ranking in rankings.items()}
    ours = mean_scores(scores_by_question(found, qrels).values())
    assert (ours.recall_2, ours.recall_5, ours.recall_10, ours.ndcg_10) == pytest.approx(
        (theirs[R @ 2], theirs[R @ 5], theirs[R @ 10], theirs[nDCG @ 10]), abs=1e-9
    )


def test_the_tools_order_is_ours_where_scores_are_equal(tmp_path: Path) -> None:
    rankings: Rankings = {"q": (RankedDocument("a", 1.0), RankedDocument("z", 1.0), RankedDocument("m", 1.0))}
    write_run(tmp_path / "run.trec", rankings, tag="fake")
    run = read_run(tmp_path / "run.trec")
    found_by = {
        document: [ir_measures.calc_aggregate([R @ k], {"q": {document: 1}}, run)[R @ k] for k in (1, 2, 3)]
        for document in "azm"
    }
    assert found_by == {"a": [1.0, 1.0, 1.0], "z": [0.0, 1.0, 1.0], "m": [0.0, 0.0, 1.0]}


def test_a_run_has_six_columns_and_keeps_scores_that_fall(tmp_path: Path) -> None:
    write_run(tmp_path / "run.trec", {"q1": (RankedDocument("d1", 0.75), RankedDocument("d2", 0.5))}, tag="dense")
    assert (tmp_path / "run.trec").read_text(encoding="utf-8") == "q1 Q0 d1 1 0.75 dense\nq1 Q0 d2 2 0.5 dense\n"


@given(st.lists(st.floats(-1e30, 1e30), max_size=50))
def test_written_scores_always_fall_in_single_precision(scores: list[float]) -> None:
    falling = list(falling_scores(scores))
    assert all(later < earlier for earlier, later in pairwise(falling))


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_no_number_is_refused(score: float) -> None:
    with pytest.raises(BenchError, match="not finite"):
        list(falling_scores([1.0, score]))


@pytest.mark.parametrize("bad", ["two words", "tab\there", "no\u00a0break", ""])
def test_ids_with_white_space_are_refused_and_named(tmp_path: Path, bad: str) -> None:
    with pytest.raises(BenchError, match="cannot be written to a TREC run"):
        check_ids(["fine", bad])
    with pytest.raises(BenchError, match="cannot be written to a TREC run"):
        write_run(tmp_path / "run.trec", {"q": (RankedDocument(bad, 1.0),)}, tag="fake")


def test_a_run_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="cannot be written"):
        write_run(tmp_path / "missing" / "run.trec", {}, tag="fake")


def test_one_retriever_writes_the_file_itself_and_several_one_each() -> None:
    assert run_files(Path("out/my.trec"), ["dense"]) == {"dense": Path("out/my.trec")}
    assert run_files(Path("out/my.trec"), ["dense", "hybrid:no/words"]) == {
        "dense": Path("out/my.dense.trec"),
        "hybrid:no/words": Path("out/my.hybrid-no-words.trec"),
    }


def test_what_would_spoil_a_run_is_found_before_it(tmp_path: Path) -> None:
    check_run({"dense": tmp_path / "run.trec"}, ["q1", "p1"])
    with pytest.raises(BenchError, match="folder does not exist"):
        check_run({"dense": tmp_path / "missing" / "run.trec"}, ["q1", "p1"])
    with pytest.raises(BenchError, match="The id 'p 1' is empty or has white space"):
        check_run({"dense": tmp_path / "run.trec"}, ["q1", "p 1"])
    with pytest.raises(BenchError, match="The id 'my retriever' is empty or has white space"):
        check_run({"my retriever": tmp_path / "run.trec"}, ["q1"])
