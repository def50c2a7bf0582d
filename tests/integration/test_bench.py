"""`overstory bench` on a small corpus against a real server, once in a process of its own."""

from __future__ import annotations

import functools
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import ir_measures
import pytest
from ir_measures import R, nDCG
from tests.commands import PROGRAM, Ran, Run, environment
from tests.embeddings_endpoint import running_endpoint

from overstory.bench.dataset import load_dataset
from overstory.knowledge import Knowledge
from overstory.settings import Settings

pytestmark = pytest.mark.changes_schema  # each layout is a corpus that is new to the server

PASSAGES = {
    "p1": ("Nosferatu", "Nosferatu is a silent film of 1922, directed by F. W. Murnau and based on the novel Dracula."),
    "p2": ("Bram Stoker", "Bram Stoker was an Irish author, born in Dublin, who wrote the novel Dracula."),
    "p3": ("Sunrise", "Sunrise is a film of 1927 by F. W. Murnau, who received the first Academy Awards with it."),
    "p4": ("Dublin", "Dublin is the capital of Ireland and lies on the River Liffey."),
    "p5": ("Boso", "Boso the Elder was a count in Italy and the father of Queen Teutberga of Lotharingia."),
}
QUESTIONS = {
    "q1": ("Who wrote the novel that Nosferatu is based on?", ["p1", "p2"]),
    "q2": ("On which river lies the city where Bram Stoker was born?", ["p2", "p4"]),
}
ANSWERS = {"q1": ["Bram Stoker", "Stoker"], "q2": ["the River Liffey"]}
QRELS = {question: dict.fromkeys(gold, 1) for question, (_, gold) in QUESTIONS.items()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    passages = [{"_id": id_, "title": title, "text": text} for id_, (title, text) in PASSAGES.items()]
    questions = [
        {"_id": id_, "text": text, "metadata": {"answers": ANSWERS[id_]}} for id_, (text, _) in QUESTIONS.items()
    ]
    (tmp_path / "qrels").mkdir()
    for name, records in (("corpus.jsonl", passages), ("queries.jsonl", questions)):
        (tmp_path / name).write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    rows = [f"{question}\t{passage}\t1\n" for question, gold in QRELS.items() for passage in gold]
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(rows), encoding="utf-8")
    return tmp_path


Bench = Callable[..., Ran]


@pytest.fixture
def bench(overstory: Run) -> Bench:
    """Runs `overstory bench`."""
    return functools.partial(overstory, "bench")


def test_a_second_run_finds_the_index_and_the_metrics_of_the_first(
    bench: Bench, settings: Settings, folder: Path
) -> None:
    asked = (str(folder), "--json", "--retriever", "dense", "--retriever", "lexical")
    first = subprocess.run(
        [PROGRAM, "bench", *asked, "--run", str(folder / "run.trec")],
        env=environment(settings),
        capture_output=True,
        text=True,
        check=False,
    )
    assert first.returncode == 0, first.stderr
    rows = json.loads(first.stdout)
    assert [list(row) for row in rows] == [
        ["retriever", "R@2", "R@5", "R@10", "all@5", "nDCG@10", "p50_ms", "p95_ms", "index_s", "queries"]
    ] * 2
    assert [(row["retriever"], row["queries"], row["R@5"], row["all@5"]) for row in rows] == [
        ("dense", 2, 1.0, 1.0),
        ("lexical", 2, 1.0, 1.0),
    ]
    for row in rows:
        run = ir_measures.read_trec_run(str(folder / f"run.{row['retriever']}.trec"))  # type: ignore[no-untyped-call] # ir-measures types little
        theirs = ir_measures.calc_aggregate([R @ 2, nDCG @ 10], QRELS, run)
        assert (row["R@2"], row["nDCG@10"]) == pytest.approx((theirs[R @ 2], theirs[nDCG @ 10]), abs=1e-6)
    stages = ledger(settings, folder)

    second = bench(*asked)
    times = {"p50_ms", "p95_ms"}
    assert [strip(row, times) for row in json.loads(second.out)] == [strip(row, times) for row in rows]
    assert ledger(settings, folder) == stages


def test_intervals_are_added_where_they_are_asked_for(bench: Bench, folder: Path) -> None:
    asked = (folder, "--retriever", "lexical", "--intervals")
    as_json = bench(*asked, "--json")
    assert as_json.code == 0, as_json.err
    (row,) = json.loads(as_json.out)
    assert list(row)[-5:] == ["queries", "R@5_low", "R@5_high", "all@5_low", "all@5_high"]
    assert (row["R@5_low"], row["R@5"], row["R@5_high"]) == (1.0, 1.0, 1.0)
    assert re.search(r"^ lexical .*\n   95 % +1\.0–1\.0 +1\.0–1\.0 *$", bench(*asked).out, re.MULTILINE)


@pytest.mark.slow
def test_answers_are_measured_where_they_are_asked_for(bench: Bench, folder: Path) -> None:
    result = bench(folder, "--retriever", "dense", "--answers", "--model", "none", "--json")
    assert result.code == 0, result.err
    (row,) = json.loads(result.out)
    named_last = bench("--retriever", "dense", "--model", "none", "--json", "--answers", folder)
    assert strip(json.loads(named_last.out)[0], {"p50_ms", "p95_ms"}) == strip(row, {"p50_ms", "p95_ms"})
    assert list(row)[-8:] == ["queries", "EM", "F1", "ROUGE-L", "substring", "answered", "uncited", "kind"]
    assert (row["substring"], row["answered"], row["kind"]) == (1.0, 1.0, "extractive")


def test_answers_that_nobody_gave_end_the_run_before_the_server_is_asked(bench: Bench, folder: Path) -> None:
    bare = folder / "bare.jsonl"
    bare.write_text(json.dumps({"_id": "q1", "text": "Who?"}) + "\n", encoding="utf-8")
    result = bench(folder, "--queries", bare, "--answers")
    assert result.code == 11
    assert "no question has an answer to compare with" in result.err


def test_packed_passages_make_a_corpus_of_their_own(bench: Bench, settings: Settings, folder: Path) -> None:
    result = bench(folder, "--retriever", "dense", "--pack", "2", "--pack-seed", "3", "--titles", "text")
    assert result.code == 0, result.err
    assert "nDCG@10" in result.out
    with Knowledge(corpus_of(settings, folder, "text-pack2-seed3"), settings=settings) as knowledge:
        keys = sorted(document.source_key for document in knowledge.documents())
    assert keys == ["pack000000", "pack000001", "pack000002"]


def test_a_gold_passage_that_is_not_in_the_corpus_ends_the_run_before_the_server_is_asked(
    bench: Bench, folder: Path
) -> None:
    other = folder / "other.tsv"
    other.write_text("q1\tp1\t1\nq1\tp99\t1\n", encoding="utf-8")
    result = bench(folder, "--qrels", other, "--json")
    assert result.code == 11
    assert result.out == ""
    assert f"{other}, line 2: the gold passage 'p99'" in result.err


def corpus_of(settings: Settings, folder: Path, layout: str) -> str:
    """The name of the corpus that a run made."""
    prefix = f"bench-{load_dataset(folder).digest[:16]}-{layout}-"
    with Knowledge(settings=settings) as knowledge:
        (name,) = [
            size.corpus.name for size in knowledge.corpora() if re.match(rf"{prefix}[0-9a-f]{{8}}$", size.corpus.name)
        ]
    return name


def ledger(settings: Settings, folder: Path) -> list[tuple[str, object]]:
    """When each stage of indexing last began."""
    with Knowledge(corpus_of(settings, folder, "field"), settings=settings) as knowledge:
        return [(stage.name, stage.started) for stage in knowledge.status().stages if stage.name != "load"]


def strip(row: dict[str, object], keys: set[str]) -> dict[str, object]:
    return {key: value for key, value in row.items() if key not in keys}


def test_every_retriever_is_reranked_where_that_is_asked_for(
    bench: Bench, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_endpoint() as endpoint:
        monkeypatch.setenv("OVERSTORY_RERANK_BASE_URL", endpoint.url)
        asked = (folder, "--retriever", "dense", "--retriever", "lexical", "--rerank", "-q", "--answers")
        ran = bench(*asked, "--model", "none")
        assert ran.code == 0, ran.err
        assert "; --rerank\n" in ran.out
        asked_for = [request["query"] for request in endpoint.requests]
    assert set(asked_for) == {question for question, _ in QUESTIONS.values()}
    assert len(asked_for) >= 2 * 2 * len(QUESTIONS)  # ranked and answered, by both retrievers


def test_with_a_filter_matching_documents_alone_are_found_and_relevant(bench: Bench, folder: Path) -> None:
    lines = (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    kept = [record | {"metadata": {"film": record["_id"] in ("p1", "p3"), "year": 1922}} for record in records]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(each) + "\n" for each in kept), encoding="utf-8")
    ran = bench(folder, "--retriever", "dense", "--where", "film = true", "--run", folder / "run.trec")
    assert ran.code == 0, ran.err
    assert "1 question of 2 left out" in ran.err
    found = {line.split()[2] for line in (folder / "run.trec").read_text(encoding="utf-8").splitlines()}
    assert found == {"p1", "p3"}
    assert "--where 'film = true'" in ran.out
    none = bench(folder, "--retriever", "dense", "--where", "year > 1922")
    assert none.code != 0
    assert "relevant to any of the 2 questions" in none.err
