"""The sentences that AutoPrunedRetriever quotes."""

from __future__ import annotations

import numpy as np

from overstory.graph.client import Row
from overstory_systems.apr.codebook import CodebookEdge, FactRun, ScoredRun
from overstory_systems.apr.retriever import excerpts, stating

SENTENCES = ("Ada lived in Kiel. ", "She met Bo. ", "Bo left Kiel for Ulm.")
TEXT = "".join(SENTENCES)


def row(text: str = TEXT) -> Row:
    starts = [0, len(SENTENCES[0]), len(SENTENCES[0]) + len(SENTENCES[1])]
    return {"text": text, "boilerplate": None, "sentences": starts}


def edge(head: str, tail: str) -> CodebookEdge:
    return CodebookEdge(f"{head}-{tail}", f"{head}-{tail}", head, "to", tail)


def run(chunk: str, score: float, *edges: tuple[CodebookEdge, int]) -> ScoredRun:
    told = FactRun(chunk + str(score), chunk, "of " + chunk, tuple(e for e, _ in edges), tuple(s for _, s in edges))
    return ScoredRun(told, score, np.zeros((len(edges), 2), dtype=np.float32))


def test_sentences_are_quoted_once_in_the_order_of_their_passage_the_best_first() -> None:
    runs = [
        run("a", 0.9, (edge("Bo", "Ulm"), 2)),
        run("b", 0.8, (edge("Ada", "Bo"), 1)),
        run("a", 0.7, (edge("Ada", "Kiel"), 0), (edge("Bo", "Kiel"), 2)),
    ]
    found = list(excerpts(runs, {"a": row(), "b": row()}))
    assert [(each.chunk_id, each.text, each.score) for each in found] == [
        ("a", "Ada lived in Kiel.", 0.7),
        ("a", "Bo left Kiel for Ulm.", 0.9),
        ("b", "She met Bo.", 0.8),
    ]
    assert found[0].documents == ("of a",)


def test_a_fact_without_a_place_is_quoted_by_the_sentence_that_has_most_of_it() -> None:
    assert stating(edge("bo", "kiel"), SENTENCES) == 2
    assert stating(edge("Ada", "Bo"), SENTENCES) == 1
    assert stating(edge("Ada", "Rome"), SENTENCES) == 0
    assert stating(edge("Cid", "Rome"), SENTENCES) == 0


def test_a_passage_that_is_gone_is_not_quoted() -> None:
    assert list(excerpts([run("a", 0.9, (edge("Bo", "Ulm"), 2))], {})) == []


def test_a_sentence_beyond_the_end_of_a_shorter_text_is_looked_for() -> None:
    assert [
        each.text for each in excerpts([run("a", 0.9, (edge("Ada", "Kiel"), 7))], {"a": row("Ada lived in Kiel.")})
    ] == ["Ada lived in Kiel."]
