"""Passages in the order of a reranker, and what their reasons and the parts around them then say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from overstory.errors import ModelError
from overstory.knowledge.passage_questions import Reranked
from overstory.model import BridgePath, BridgeStep, Evidence, Excerpt, Hit, Reason


def hit(number: int, text: str) -> Hit:
    return Hit(
        chunk_id=f"c{number}",
        document_id=f"d{number}",
        source=f"{number}.txt",
        source_key="",
        title=f"Title {number}",
        heading="",
        text=text,
        score=1.0 / number,
        reasons=(Reason("dense", 1.0 / number, "cosine", "is near the question"),),
    )


def path(*ends: int) -> BridgePath:
    """A path from one passage to another."""
    source, target = (f"c{number}" for number in ends)
    step = BridgeStep("Ulm", "mentions", source, "Source", "Ulm is a city.", target, "Target", "He saw Ulm.")
    return BridgePath.along([step], asked="", score=0.1, documents=[f"d{number}" for number in ends])


FOUND = Evidence(
    question="?",
    retriever="ranked",
    hits=(hit(1, "one"), hit(2, "three"), hit(3, "seventeen"), hit(4, "three")),
    notes=("a note",),
    parts=(
        path(1, 3),
        path(3, 1),
        Excerpt(text="one", score=0.2, chunks=("c1",), documents=("d1",)),
        Excerpt(text="seventeen", score=0.1, chunks=("c3",), documents=("d3",)),
    ),
)


class Ranked:
    """Finds the first k of these hits."""

    name = "ranked"

    def __init__(self, found: Evidence = FOUND) -> None:
        self.asked: list[int] = []
        self._found = found

    def retrieve(self, question: str, k: int) -> Evidence:
        self.asked.append(k)
        return replace(self._found, question=question, hits=self._found.hits[:k])


class ByLength:
    """The longer a passage, the more relevant."""

    name = "by-length"

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str]]] = []

    def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        self.asked.append((question, list(passages)))
        return [float(len(passage)) for passage in passages]


class Saying:
    """Gives these scores, whatever the passages."""

    name = "saying"

    def __init__(self, *scores: float) -> None:
        self._scores = scores

    def rerank(self, question: str, passages: Sequence[str]) -> Sequence[float]:  # noqa: ARG002 # the protocol's
        return self._scores


def test_the_first_passages_are_ordered_by_relevance_and_k_are_kept() -> None:
    ranked, reranker = Ranked(), ByLength()
    evidence = Reranked(ranked, reranker, passages=3).retrieve("?", 2)
    assert [each.chunk_id for each in evidence.hits] == ["c3", "c2"]
    assert ranked.asked == [3]
    assert reranker.asked == [("?", ["Title 1\none", "Title 2\nthree", "Title 3\nseventeen"])]
    assert (evidence.retriever, evidence.notes) == ("ranked+rerank", ("a note",))


def test_as_many_as_are_asked_for_are_reranked() -> None:
    ranked = Ranked()
    assert len(Reranked(ranked, ByLength(), passages=2).retrieve("?", 4).hits) == 4
    assert ranked.asked == [4]


def test_a_score_is_the_relevance_and_the_reasons_say_what_was_before() -> None:
    [first] = Reranked(Ranked(), ByLength(), passages=4).retrieve("?", 1).hits
    relevance, retrieved = first.reasons
    assert first.score == relevance.score + retrieved.score == len("Title 3\nseventeen")
    assert (relevance.kind, retrieved.kind) == ("rerank", "retrieved")
    assert retrieved.detail == "rank 3 of ranked, score 0.3333 (dense 0.333: cosine)"
    assert first.in_words == (
        "It has relevance 17.000 to the question for the reranker by-length; is near the question."
    )


def test_equally_relevant_passages_stay_in_the_retrievers_order() -> None:
    evidence = Reranked(Ranked(), Saying(0.5, 0.5, 0.5, 0.5), passages=4).retrieve("?", 4)
    assert [each.chunk_id for each in evidence.hits] == ["c1", "c2", "c3", "c4"]


def test_equal_texts_are_sent_once_and_are_equally_relevant() -> None:
    same = tuple(replace(each, title="") for each in FOUND.hits)
    reranker = ByLength()
    evidence = Reranked(Ranked(replace(FOUND, hits=same)), reranker, passages=4).retrieve("?", 4)
    assert reranker.asked == [("?", ["one", "three", "seventeen"])]
    assert [(each.chunk_id, each.score) for each in evidence.hits] == [("c3", 9), ("c2", 5), ("c4", 5), ("c1", 3)]


def test_parts_of_passages_that_are_gone_go_and_what_others_stand_on_becomes_a_source() -> None:
    evidence = Reranked(Ranked(), ByLength(), passages=4).retrieve("?", 1)
    assert evidence.parts == (FOUND.parts[0], FOUND.parts[3])
    assert [(each.chunk_id, each.score, each.reasons) for each in evidence.sources] == [("c1", 0.0, ())]


def test_where_nothing_was_found_nothing_is_sent() -> None:
    reranker = ByLength()
    assert Reranked(Ranked(Evidence("?", "ranked", ())), reranker, passages=4).retrieve("?", 2).hits == ()
    assert reranker.asked == []


@pytest.mark.parametrize("scores", [(), (1.0,) * 3, (1.0,) * 5, (1.0, 1.0, 1.0, float("nan"))])
def test_scores_that_cannot_be_used_are_refused(scores: tuple[float, ...]) -> None:
    with pytest.raises(ModelError, match="did not return a finite score for each of 4 passages"):
        Reranked(Ranked(), Saying(*scores), passages=4).retrieve("?", 2)
