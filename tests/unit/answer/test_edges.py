"""Answers that consist of edges of a graph."""

from __future__ import annotations

import dataclasses

import pytest

from overstory.answer import Answer, Context, Extract, answer
from overstory.answer.overview import _MOST_EDGES_OF_AN_ANSWER, edges_in, without_other_numbers
from overstory.model import Evidence, Hit, LinkEdge


def vertex(name: str, text: str, label: str = "Plant") -> Hit:
    return Hit(name, name, f"neo4j:{label}", f"{label}:{name}", name, "", text, 1.0)


ADA = vertex("Ada Huber", "Ada Huber is an engineer, born in 1957.", "Person")
PLANT = vertex("Plant Sueddorf", "A factory in Sueddorf that opened in 1901.")
LENSES = vertex("lenses", "lenses", "Product")


def edge(source: Hit, type_: str, target: Hit, *, step: int = 1, forwards: bool = True, text: str = "") -> LinkEdge:
    return LinkEdge.between(
        source.title,
        type_,
        target.title,
        text=text,
        step=step,
        at_source=forwards,
        chunks=(source.chunk_id, target.chunk_id),
        documents=(source.document_id, target.document_id),
    )


MANAGES = edge(ADA, "MANAGES", PLANT)
MAKES = edge(PLANT, "MAKES", LENSES, step=2)


def evidence(question: str, *edges: LinkEdge) -> Evidence:
    return Evidence(question, "test", (ADA,), parts=edges, sources=(PLANT, LENSES))


def answered(found: Evidence) -> Answer:
    def never(question: str, context: Context) -> Extract:
        raise AssertionError(question)

    return answer(found, chat=None, extracting=never)


def test_an_edge_is_a_sentence_with_the_passages_of_both_ends() -> None:
    managed = edge(ADA, "MANAGES", PLANT, forwards=False)
    found = answered(evidence("Who manages Plant Sueddorf?", managed))
    assert found.text == "Ada Huber MANAGES Plant Sueddorf [1]"
    assert (found.short, found.guess, found.state) == ("Ada Huber", "Ada Huber", "answered")
    (citation,) = found.citations
    assert (citation.kind, [each.title for each in citation.passages]) == ("relation", ["Ada Huber", "Plant Sueddorf"])


def test_two_steps_are_two_sentences_in_order_and_the_answer_is_where_the_last_leads() -> None:
    found = answered(evidence("What does the plant that Ada Huber manages make?", MANAGES, MAKES))
    assert found.text == "Ada Huber MANAGES Plant Sueddorf [1]\nPlant Sueddorf MAKES lenses [2]"
    assert found.short == "lenses"


def test_what_no_edge_says_a_sentence_on_the_vertex_may_say() -> None:
    found = answered(evidence("When was the plant that Ada Huber manages opened?", MANAGES))
    assert found.text == ("Ada Huber MANAGES Plant Sueddorf [1]\nA factory in Sueddorf that opened in 1901. [2]")
    assert found.guess == ""


def test_what_an_edge_says_beside_its_type_counts_too() -> None:
    acted = edge(ADA, "ACTED_IN", PLANT, text="Marcee Tidwell")
    found = answered(
        evidence("Who acted as Marcee Tidwell in Plant Sueddorf?", dataclasses.replace(acted, at_source=False))
    )
    assert found.text == "Ada Huber ACTED_IN Plant Sueddorf: Marcee Tidwell [1]"
    assert found.short == "Ada Huber"


@pytest.mark.parametrize(
    "question",
    [
        "What is the salary of the person who manages Plant Sueddorf?",
        "How many windows has the plant that Ada Huber manages?",
    ],
)
def test_edges_that_leave_a_word_of_the_question_open_do_not_answer_it(question: str) -> None:
    assert edges_in(evidence(question, MANAGES)) is None


def test_without_edges_there_is_no_such_answer_and_of_many_a_note_says_how_many_are_left_out() -> None:
    assert edges_in(evidence("Who manages Plant Sueddorf?")) is None
    many = [vertex(f"Plant {number}", "A plant.") for number in range(_MOST_EDGES_OF_AN_ANSWER + 2)]
    found = Evidence(
        "Which plants does Ada Huber manage?", "test", (ADA, *many), parts=tuple(edge(ADA, "MANAGES", p) for p in many)
    )
    shown = answered(found)
    assert len(shown.citations) == _MOST_EDGES_OF_AN_ANSWER
    assert shown.guess == ""
    assert shown.notes[-1].startswith("2 more edges")


def orders(question: str, *titles: str) -> list[str]:
    hits = tuple(vertex(title, "An order.", "Order") for title in titles)
    return [hit.title for hit in without_other_numbers(Evidence(question, "test", hits)).hits]


def test_a_number_is_matched_as_a_whole() -> None:
    titles = ("Order 7000", "Order 7001", "Order 70011", "Hanna Kern")
    assert orders("Who signed order 7001?", *titles) == ["Order 7001", "Hanna Kern"]
    assert orders("What is order 700?", *titles) == list(titles)
    assert orders("Is order 7001 before Order 7000?", *titles) == ["Order 7000", "Order 7001", "Hanna Kern"]
    assert orders("What is new in release 8.4.2?", "Release 8.4.2", "Release 8.4.1") == ["Release 8.4.2"]
    assert orders("Which orders are there?", *titles) == list(titles)
