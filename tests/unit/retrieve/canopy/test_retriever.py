from __future__ import annotations

import pytest

from overstory.retrieve.canopy.retriever import _UNASKED_LINK_WEIGHT, linked
from overstory.retrieve.canopy.scoring import (
    LINKED_WEIGHT,
    SECOND_LINK_WEIGHT,
    Candidate,
    DocumentLink,
    Reached,
    final_scores,
    first_scores,
    second_sources,
    with_second_hop,
)
from overstory.text.questions.asked_words import AskedWords

ASKED = AskedWords.of("Who plays Neo in the film that was directed in 1999?")


def link(
    to: str, type_: str = "ACTED_IN", text: str = "", *, outgoing: bool = False, source: str = "p"
) -> DocumentLink:
    return DocumentLink(source, f"d-{to}", to, type_, text, outgoing)


def values(*links: DocumentLink, rest: dict[str, float] | None = None, activation: float = 0.8) -> dict[str, float]:
    reached = {each: each.first or "" for each in links}
    candidates = {chunk: Candidate(0.1, (rest or {}).get(chunk, 0.1)) for chunk in reached.values()}
    return {chunk: found.value for chunk, found in linked({"p": activation}, reached, ASKED, candidates).items()}


def test_a_link_whose_type_or_text_the_question_says_counts_in_full() -> None:
    found = values(link("a", "DIRECTED"), link("b", text="Neo"), link("c", "WROTE"))
    assert found == pytest.approx({"a": 0.8, "b": 0.8, "c": 0.8 * _UNASKED_LINK_WEIGHT})


def test_of_many_links_of_one_kind_the_one_nearest_to_the_question_is_meant() -> None:
    found = values(*(link(chunk) for chunk in "abcd"), rest={"c": 0.6})
    assert found == pytest.approx(
        {"c": 0.8 * _UNASKED_LINK_WEIGHT} | dict.fromkeys("abd", 0.8 * _UNASKED_LINK_WEIGHT / 2)
    )


def test_directions_and_types_are_kinds_of_their_own() -> None:
    found = values(link("a"), link("b", outgoing=True), link("c", "WROTE"))
    assert found == pytest.approx(dict.fromkeys("abc", 0.8 * _UNASKED_LINK_WEIGHT))


def test_of_several_links_to_one_chunk_the_best_counts() -> None:
    assert values(link("a", "WROTE"), link("a", "DIRECTED")) == pytest.approx({"a": 0.8})


def test_nothing_is_reached_from_what_is_far_from_the_question() -> None:
    assert values(link("a"), activation=0.0) == {}


def test_links_add_to_the_score_and_lead_on() -> None:
    candidates = {"p": Candidate(0.9, 0.5, 4.0), "a": Candidate(0.1, 0.1), "b": Candidate(0.1, 0.1)}
    first = first_scores({"p": candidates["p"]})
    once = linked({"p": 1.0}, {link("a", "DIRECTED"): "a"}, ASKED, candidates)
    scored = final_scores(candidates, first, Reached(), once)
    assert scored["a"].score - scored["b"].score == pytest.approx(LINKED_WEIGHT)
    assert scored["a"].came_from() == ["p"]
    again = second_sources(scored, {chunk: one.score for chunk, one in scored.items()}, ["p"])
    assert list(again) == ["a"]
    twice = linked(again, {link("b", "DIRECTED", source="a"): "b"}, ASKED, candidates)
    ranked = with_second_hop(scored, Reached(), twice)
    assert ranked["b"].score - scored["b"].score == pytest.approx(SECOND_LINK_WEIGHT * again["a"])
    assert with_second_hop(scored, Reached(), once)["a"].score == scored["a"].score  # it was linked before


def test_a_link_is_called_by_its_type_or_what_it_says() -> None:
    assert [each.name for each in (link("a"), link("a", "", "Neo"), link("a", ""))] == ["ACTED_IN", "Neo", "link"]
