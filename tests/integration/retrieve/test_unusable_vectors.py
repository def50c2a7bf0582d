"""Stored vectors without a direction: their passages are not found by vector, and all others are found as before."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.passages import OpenCorpus, passage

from overstory.knowledge import Knowledge

QUESTION = "How do I ignore a given exception in a with statement?"
UNUSABLE = passage("unusable", "", f"{QUESTION} Ada Stone wrote suppress for the Leith Library.")
OTHERS = [passage(f"o{i}", "", f"How do I use thing {i} in a function {i}? Ada Stone{i} knows.") for i in range(12)]
SPOIL = "MATCH (c:Overstory {corpus: $label, text: $text})-[:HAS_VECTOR]->(v) SET v.embedding = $vector RETURN count(v)"


@pytest.fixture(scope="module")
def corpus(open_module_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_module_corpus()
    knowledge.ingest_documents([replace(each, metadata={"n": 1}) for each in (UNUSABLE, *OTHERS)])
    knowledge.index()
    return knowledge


@pytest.fixture(params=[0.0, math.nan], ids=["zeros", "NaN"])
def spoilt(request: pytest.FixtureRequest, corpus: Knowledge) -> Iterator[Knowledge]:
    vector = [float(request.param)] * corpus.embedder.dimension
    spoil(corpus, vector)
    yield corpus
    (usable,) = corpus.embedder.embed([UNUSABLE.text])
    spoil(corpus, usable.tolist())


def spoil(corpus: Knowledge, vector: list[float]) -> None:
    label = corpus.status().corpus.label
    rows, _, _ = corpus.graph.native_driver().execute_query(
        SPOIL, label=label, text=UNUSABLE.text, vector=vector, database_="neo4j"
    )
    assert rows[0][0] == 1


def test_a_passage_without_a_usable_vector_is_found_by_its_words_alone(spoilt: Knowledge) -> None:
    for retriever in ("dense", "hybrid", "canopy", "lexical"):
        hits = spoilt.search(QUESTION, 20, retriever=retriever).hits
        assert all(math.isfinite(hit.score) for hit in hits)
        assert ("unusable" in {hit.source_key for hit in hits}) == (retriever != "dense"), retriever
        assert len(hits) > 10 or retriever == "lexical"
        among = spoilt.search(QUESTION, 20, retriever=retriever, where="n >= 0").hits
        assert len(among) == len(hits)


def test_an_export_leaves_the_vector_out_and_the_passage_is_embedded_again(
    spoilt: Knowledge, open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    with (tmp_path / "export.jsonl").open("w", encoding="utf-8") as out:
        spoilt.export(out.write)
    restored = open_corpus()
    report = restored.ingest(tmp_path / "export.jsonl")
    assert (report.added, report.broken) == (len(OTHERS) + 1, [])
    restored.index()
    assert restored.search(QUESTION, 1, retriever="dense").hits[0].source_key == "unusable"


@pytest.mark.slow
def test_systems_are_built_and_asked_without_it(spoilt: Knowledge) -> None:
    spoilt.index(systems=["serag", "tretriever", "slimrag"])
    for retriever in ("serag", "tretriever", "slimrag"):
        hits = spoilt.search(QUESTION, 5, retriever=retriever).hits
        assert all(math.isfinite(hit.score) for hit in hits)
