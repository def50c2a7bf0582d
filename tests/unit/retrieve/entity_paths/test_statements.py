"""The statement of a step, chosen from the graph's facts about two entities."""

from __future__ import annotations

import pytest

from overstory.graph.client import Row
from overstory.retrieve.entity_paths.path_search import Statement, containing_names, stated, statements


def passage(chunk: str, first: list[int], second: list[int], *, about: str = "", longer: tuple[str, ...] = ()) -> Row:
    return {
        "chunk": chunk,
        "first": [first],
        "second": [second],
        "about_first": [about] if about else [],
        "about_second": [],
        "longer_first": [],
        "longer_second": list(longer),
    }


def fact(chunk: str, sentence: int | None) -> Row:
    return {
        "chunk": chunk,
        "subject": "Ada",
        "predicate": "meet",
        "object": "Bob",
        "quote": "" if sentence is None else "Ada met Bob.",
        "sentence": sentence,
        "times": {},
    }


def said(passages: list[Row], *facts: Row) -> list[Statement]:
    return statements({"passages": passages, "facts": list(facts)}, ("ada", "bob"))


@pytest.mark.parametrize(
    ("row", "kind", "sentences"),
    [
        (passage("c", [0, 2], [2, 3]), "sentence", (2,)),
        (passage("c", [], [4], about="title"), "subject", (4,)),
        (passage("c", [0], [4], about="title"), "subject", (4,)),
        (passage("c", [0], [4], about="lead"), "subject", (0, 4)),
        (passage("c", [7, 3], [5, 0]), "passage", (3, 5)),
        (passage("c", [], [4]), "passage", (4,)),
        (passage("c", [], []), "passage", (0,)),
    ],
)
def test_what_two_names_have_to_do_with_each_other_in_a_passage(
    row: Row, kind: str, sentences: tuple[int, ...]
) -> None:
    (statement,) = said([row])
    assert (statement.kind, statement.sentences) == (kind, sentences)


def test_the_closest_statement_comes_first() -> None:
    apart, near = passage("c1", [0], [9]), passage("c2", [0], [1])
    kinds = [(each.kind, each.chunk) for each in said([apart, near, passage("c3", [1], [1])], fact("c3", 1))]
    assert kinds == [("fact", "c3"), ("sentence", "c3"), ("passage", "c2"), ("passage", "c1")]


def test_a_fact_that_came_without_its_sentence_has_that_of_its_names() -> None:
    assert said([passage("c", [2], [2])], fact("c", None))[0].sentences == (2,)
    assert said([], fact("elsewhere", None))[0].sentences == (0,)


def test_that_one_is_the_other_says_no_more_than_the_sentence() -> None:
    assert [each.kind for each in said([passage("c", [2], [2])], fact("c", 2) | {"predicate": "be"})] == ["sentence"]


def between(start: str, end: str, *, text: str = "") -> Row:
    return {
        "type": "KNOWS",
        "text": text,
        "subject": "Ada",
        "object": "Bob",
        "chunks": [f"{start} begins", f"{end} begins"],
        "documents": [start, end],
    }


def test_a_link_comes_after_a_fact_and_before_a_sentence() -> None:
    row = {"passages": [passage("c", [1], [1])], "facts": [fact("c", 1)]}
    found = statements(row, ("ada", "bob"), [between("d1", "d2")])
    assert [each.kind for each in found] == ["fact", "link", "sentence"]
    assert found[1].chunks == ("d1 begins", "d2 begins")


def test_links_meet_at_one_document_of_those_that_have_a_name_as_title() -> None:
    def linked(pair: tuple[str, str], *rows: Row) -> list[Statement]:
        return statements({"passages": [], "facts": []}, pair, rows)

    first = linked(("a", "x"), between("d1", "planet"), between("d1", "metal"))
    assert stated(["a", "x", "b"], [first, linked(("x", "b"), between("moon", "d2"))], set()) is None
    chosen = stated(["a", "x", "b"], [first, linked(("b", "x"), between("d2", "metal"))], set())
    assert chosen is not None
    assert [each.documents["x"] for each in chosen] == ["metal", "metal"]
    assert stated(["a", "x", "b"], [first, [step("d1 begins")]], set()) is not None


def step(chunk: str, cost: float = 0.1, *, fact: bool = False, **longer: set[str]) -> Statement:
    return Statement(chunk, "fact" if fact else "sentence", cost, (0,), longer)


def chunks(*steps: list[Statement], ambiguous: bool = False) -> list[str] | None:
    chosen = stated(["a", "x", "y", "b"], steps, {"x"} if ambiguous else set())
    return None if chosen is None else [each.chunk for each in chosen]


def test_no_passage_states_two_steps_that_meet() -> None:
    assert chunks([step("c1")], [step("c1")]) is None
    assert chunks([step("c1"), step("c2", 0.3)], [step("c1")]) == ["c2", "c1"]
    assert chunks([step("c1")], [step("c2")], [step("c1")]) == ["c1", "c2", "c1"]


def test_two_facts_of_one_passage_state_two_steps() -> None:
    assert chunks([step("c", fact=True)], [step("c", fact=True)]) == ["c", "c"]


def test_the_statements_together_are_the_closest() -> None:
    first = [step("c1", 0.1), step("c2", 0.2)]
    assert chunks(first, [step("c1", 0.1), step("c3", 0.5)]) == ["c2", "c1"]
    assert chunks(first, [step("c1", 0.4), step("c3", 0.2)]) == ["c1", "c3"]


def test_a_family_name_is_not_that_of_somebody_else_in_the_next_passage() -> None:
    cliff, hilarie, alone = step("c1", x={"cliff burton"}), step("c2", x={"hilarie burton"}), step("c3")
    assert chunks([cliff], [hilarie], ambiguous=True) is None
    assert chunks([cliff], [alone], ambiguous=True) == ["c1", "c3"]
    assert chunks([cliff], [step("c4", x={"cliff burton", "burton hall"})], ambiguous=True) == ["c1", "c4"]
    assert chunks([cliff], [hilarie]) == ["c1", "c2"]


def test_a_shortened_name_may_stand_for_the_longer_ones() -> None:
    chosen = [step("c1", x={"lars"}), step("c2", x={"lars", "ulrich hall"})]
    assert containing_names(["a", "x", "b"], chosen, {"x"}) == [{"x", "lars", "ulrich hall"}]
    assert containing_names(["a", "x", "b"], chosen, set()) == [{"x"}]
