"""Answers that are lists: of reports for questions on all documents, of things of a kind, of edges of a graph."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import pytest
from tests.fakes import ScriptedChat

from overstory.answer import Answer, Context, Extract, answer
from overstory.answer.overview import _MOST_EDGES_OF_AN_ANSWER, _MOST_OVERVIEW_POINTS, edges_in, without_other_numbers
from overstory.errors import LlmUnreachable
from overstory.llm import Chat
from overstory.model import Evidence, Hit, LinkEdge, Part, RatedReport, ReportFinding, ShareKind

QUESTION = "What are the main themes of these documents?"


def report(heading: str, *findings: ReportFinding, summary: str = "", chunks: tuple[str, ...] = ("c1",)) -> RatedReport:
    return RatedReport(
        text="\n".join([heading, summary, *(finding.text for finding in findings)]),
        score=1.0,
        chunks=chunks,
        documents=("d1",),
        community="t",
        level=1,
        size=3,
        heading=heading,
        summary=summary,
        rating=5.0,
        findings=findings,
    )


PHYSICS = report(
    "Physics",
    ReportFinding("Curie found\npolonium. [7]", ("c2",)),
    ReportFinding("Einstein was born in Ulm.", ("c1",)),
    chunks=("c1", "c2"),
)
RIVERS = report("Rivers", summary="Rivers of Europe. The Danube passes Ulm.")
HITS = (Hit("c1", "d1", "notes", "k1", "Ulm", "", "Ulm is on the Danube.", 1.0),)
SOURCE = Hit("c2", "d1", "notes", "k1", "Curie", "", "She found polonium.", 0.0)
EVIDENCE = Evidence(QUESTION, "test", HITS, parts=(PHYSICS, RIVERS), sources=(SOURCE,), shares={"report": 1.0})


def never_called(question: str, context: Context) -> Extract:
    raise AssertionError(question)


def no_sentence(question: str, context: Context) -> Extract:
    return Extract(())


def overview(evidence: Evidence = EVIDENCE) -> Answer:
    return answer(evidence, chat=None, extracting=never_called)


def test_each_report_is_a_line_with_its_best_finding_and_the_passages_that_state_it() -> None:
    found = overview()
    assert found.text == "Physics — Curie found polonium. [1]\nRivers — Rivers of Europe. [2]"
    assert (found.kind, found.state, found.short) == ("extractive", "answered", "Physics; Rivers")
    first, second = found.citations
    assert (first.number, first.kind, first.title, first.text) == (1, "report", "Physics", found.text.split(" [1]")[0])
    assert [each.chunk_id for each in first.passages] == ["c2"]
    assert [each.chunk_id for each in second.passages] == ["c1"]


def test_a_report_that_says_what_another_said_is_left_out_and_the_list_is_short() -> None:
    many = [report(f"Theme {number // 2}") for number in range(4 * _MOST_OVERVIEW_POINTS)]
    found = overview(dataclasses.replace(EVIDENCE, parts=tuple(many)))
    assert found.text.splitlines() == [f"Theme {number} [{number + 1}]" for number in range(_MOST_OVERVIEW_POINTS)]
    assert [each.number for each in found.citations] == list(range(1, _MOST_OVERVIEW_POINTS + 1))


def test_a_finding_that_is_understood_alone_is_preferred() -> None:
    he, cut, whole = (
        ReportFinding(text, ("c1",)) for text in ("He was born there.", "… of a village.", "Ulm is a city.")
    )
    found = overview(dataclasses.replace(EVIDENCE, parts=(report("Ulm", he, cut, whole), report("Bern", he, cut))))
    assert found.text == "Ulm — Ulm is a city. [1]\nBern — He was born there. [2]"


def test_a_report_of_another_kind_is_read_by_its_lines() -> None:
    plain = Part(kind="report", text="Physics\nOf atoms. And more.", score=1.0, chunks=("c1",), documents=("d1",))
    assert overview(dataclasses.replace(EVIDENCE, parts=(plain,))).text == "Physics — Of atoms. [1]"


@pytest.mark.parametrize(
    "evidence",
    [
        dataclasses.replace(EVIDENCE, question="What is the main theme of Dracula?"),
        dataclasses.replace(EVIDENCE, parts=()),
        dataclasses.replace(EVIDENCE, parts=(report("Gone", chunks=("c9",)),)),
    ],
    ids=["names something", "no reports", "no passage"],
)
def test_without_such_a_question_or_reports_sentences_are_looked_for(evidence: Evidence) -> None:
    found = answer(dataclasses.replace(evidence), chat=None, extracting=no_sentence)
    assert found.state in ("not_in_documents", "nothing_read", "nothing_found")


@pytest.mark.parametrize("shares", [{}, {"passage": 1.0}])
def test_without_a_share_for_reports_each_passage_is_a_line(shares: Mapping[ShareKind, float]) -> None:
    texts = [
        "From: Ada. To: Ben.",
        "Hello Ben,\n\nThe bus is a queue of messages.",
        "It was late. Invoices go out every week.",
    ]
    hits = [Hit(f"c{n}", f"d{n}", "mail", "", f"Title {n}", "", text, 1.0) for n, text in enumerate(texts)]
    found = overview(Evidence(QUESTION, "central passages", tuple(hits), shares=shares))
    assert found.text == "Title 1 — The bus is a queue of messages. [1]\nTitle 2 — Invoices go out every week. [2]"
    assert [(each.number, each.chunk_id) for each in found.citations] == [(1, "c1"), (2, "c2")]
    assert {each.kind for each in found.citations} == {"passage"}


def test_things_of_a_kind_are_listed_each_with_what_it_is() -> None:
    texts = [
        "The Kestrel team was formed in 2019. It has six people. The Heron team runs the bus.",
        "Our teams are small. The Kestrel team maintains billing.",
        "Merlin is a small team of writers.",
    ]
    hits = tuple(Hit(f"c{n}", f"d{n}", "s", "", "", "", text, 1.0) for n, text in enumerate(texts))
    found = overview(Evidence("Which teams are there and what do they do?", "test", hits))
    assert found.text.splitlines() == [
        "The Kestrel team was formed in 2019. [1]",
        "The Heron team runs the bus. [1]",
        "Merlin is a small team of writers. [2]",
    ]
    assert found.short == "Kestrel team; Heron team; Merlin"
    assert [(each.number, each.chunk_id) for each in found.citations] == [(1, "c0"), (2, "c2")]


def test_a_language_model_reads_the_reports_and_one_that_fails_leaves_the_list() -> None:
    model = ScriptedChat("Physics [1] and rivers [2].")
    written = answer(EVIDENCE, chat=Chat(model), extracting=never_called)
    assert (written.kind, [each.title for each in written.citations]) == ("llm", ["Physics", "Rivers"])
    assert "Curie found" in model.asked[0][-1].text
    failed = answer(EVIDENCE, chat=Chat(ScriptedChat(LlmUnreachable("gone"))), extracting=never_called)
    assert failed.text == overview().text
    assert "gone" in failed.notes[0]


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
    return answer(found, chat=None, extracting=never_called)


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
