"""Summaries of sets of vertices by rules: what they are called, what they say, and what they stand on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from overstory.systems.texts.reports import RULES, Finding, Report
from overstory_systems.tretriever.summaries import (
    _LONGEST_SET_SUMMARY_CHARACTERS,
    _MOST_SET_CHUNKS,
    _MOST_SET_FINDINGS,
    _VERTEX_TEXTS_A_PAGE,
    NAMED_SET_MEMBERS,
    RuleSetSummariser,
    SetToSummarise,
    ShownEdge,
    Summariser,
    common_words,
)
from overstory_systems.tretriever.vertex_graphs import VertexText, VertexTexts

MATRIX = VertexText("The Matrix", "Neo is a hacker. The Wachowskis tell of machines that keep people quiet.", ("c0",))
RELOADED = VertexText("Reloaded", "A film of 2003. The hacker Neo of the Wachowskis looks for the Keymaker.", ("c1",))
KEANU = VertexText("Keanu Reeves", "Keanu Reeves", ("c2",))
SPEED = VertexText("Speed", "A bus must not slow down.", ("c3",))
NOWHERE = VertexText("Deleted Name", "A secret.", ())
REST = [VertexText(f"Town {place}", f"A town of {place} houses.", (f"t{place}",)) for place in range(60)]


def of(*members: int, size: int = 0, edges: Sequence[ShownEdge] = (), parts: Sequence[Report] = ()) -> SetToSummarise:
    return SetToSummarise("key", members, size or len(members), 0.5, edges, parts)


def summaries(sets: Sequence[SetToSummarise], texts: VertexTexts, vertices: int) -> Iterator[Report]:
    writer = RuleSetSummariser(common_words(texts, range(vertices)))
    return Summariser(writer, texts, NAMED_SET_MEMBERS).write(sets)


def summary_of(one: SetToSummarise, vertices: Sequence[VertexText]) -> Report:
    every = [*vertices, *REST]
    (report,) = summaries([one], lambda places: [every[place] for place in places], len(every))
    return report


def test_a_summary_has_names_what_the_texts_share_and_sentences_with_their_passages() -> None:
    report = summary_of(of(0, 1, 2, 3), [MATRIX, RELOADED, KEANU, SPEED])
    assert report.title == "The Matrix and others – hacker"
    assert report.summary.startswith("The Matrix; Reloaded; Keanu Reeves; Speed. In common: hacker, Neo, Wachowskis.")
    assert report.findings == [
        Finding("The Matrix: Neo is a hacker.", ("c0",), ("The Matrix",)),
        Finding("Reloaded: The hacker Neo of the Wachowskis looks for the Keymaker.", ("c1",), ("Reloaded",)),
        Finding("Speed: A bus must not slow down.", ("c3",), ("Speed",)),
    ]
    assert all(finding.text in report.summary for finding in report.findings)
    assert (report.by, report.key) == (RULES, "key")
    assert sorted(report.stands_on) == ["c0", "c1", "c2", "c3"]


def test_two_members_are_both_in_the_title() -> None:
    assert summary_of(of(0, 1), [KEANU, SPEED]).title == "Keanu Reeves and Speed"


@pytest.mark.parametrize("name", ["", "Overview"])
def test_vertices_of_one_name_or_none_are_all_read(name: str) -> None:
    one, other = VertexText(name, "Glaziers of Ulm.", ("a",)), VertexText(name, "Glaziers of Bonn.", ("b",))
    report = summary_of(of(0, 1, 2), [one, other, VertexText(name, "A comet.", ("c",))])
    assert report.title == f"{name or '3 vertices'}{' and others' if name else ''} – Glaziers"
    assert len(report.findings) == 3
    assert report.stands_on == ("a", "b", "c")


def test_a_text_that_is_the_name_alone_is_not_repeated() -> None:
    report = summary_of(of(0, 1), [KEANU, KEANU._replace(name="Hugo Weaving", text="", chunks=("c9",))])
    assert report.summary == "Keanu Reeves; Hugo Weaving."
    assert report.findings == []
    assert report.stands_on == ("c2", "c9")


def test_a_summary_says_nothing_of_vertices_without_a_passage() -> None:
    report = summary_of(of(0, 1, 2), [NOWHERE, MATRIX, SPEED])
    assert report.title == "The Matrix; Speed and others"
    assert report.summary.startswith("The Matrix; Speed and 1 more.")
    assert "Deleted" not in f"{report}"
    assert "secret" not in f"{report}"


def test_a_set_without_any_passage_has_a_summary_that_quotes_nothing() -> None:
    report = summary_of(of(0, 1, size=1_234), [NOWHERE, NOWHERE])
    assert report.title == "1,234 vertices without a passage"
    assert (report.findings, report.stands_on) == ([], ())


def test_edges_with_a_text_are_findings_with_the_passages_that_state_them_or_name_the_ends() -> None:
    edges = [ShownEdge(2, 0, (), "ACTED_IN"), ShownEdge(1, 0, ("e1", "e2"), "continues it"), ShownEdge(1, 2)]
    report = summary_of(of(0, 1, 2, edges=edges), [MATRIX, RELOADED, KEANU])
    assert report.findings[1:3] == [
        Finding("Keanu Reeves – The Matrix: ACTED_IN", ("c2", "c0"), ("Keanu Reeves", "The Matrix"), ("c2", "c0")),
        Finding("Reloaded – The Matrix: continues it", ("e1",), ("Reloaded", "The Matrix"), ("c1", "c0")),
    ]
    assert "Keanu Reeves – The Matrix: ACTED_IN." in report.summary
    assert "e1" in report.stands_on
    assert "e2" not in report.stands_on


def test_a_sentence_that_several_texts_have_is_one_finding() -> None:
    same = [VertexText(name, "Ada and Ben found a comet.", (name,)) for name in ("Ada", "Ben")]
    report = summary_of(of(0, 1, 2), [*same, SPEED])
    assert [finding.chunks for finding in report.findings] == [("Ada",), ("c3",)]


def test_a_large_set_is_described_by_its_members_and_the_first_findings_of_its_parts() -> None:
    parts = [summary_of(of(1), [MATRIX, RELOADED]), summary_of(of(3), [MATRIX, RELOADED, KEANU, SPEED])]
    report = summary_of(of(0, *range(4, 20), size=40, parts=parts), [MATRIX, RELOADED, KEANU, SPEED])
    assert report.title.startswith("The Matrix; Reloaded and others")
    assert report.summary.startswith("The Matrix; Reloaded; Speed; Town 0;")
    assert [finding.text for finding in report.findings[1:3]] == [
        "Reloaded: The hacker Neo of the Wachowskis looks for the Keymaker.",
        "Speed: A bus must not slow down.",
    ]
    assert {"c0", "c1", "c3"} < set(report.stands_on)


def test_a_part_that_a_model_wrote_brings_all_passages_that_it_stands_on() -> None:
    finding = Finding("They fight machines.", ("c1",), ("Reloaded",))
    part = Report("part", "Wachowski films", "…", 5.0, [finding], "model-x", ("c1", "read too"))
    report = summary_of(of(0, *range(4, 20), size=40, parts=[part]), [MATRIX, RELOADED, KEANU, SPEED])
    assert "read too" in report.stands_on


@pytest.mark.parametrize("size", [2, 9, 40, 5_000])
def test_a_summary_is_bounded_whatever_its_members_are(size: int) -> None:
    long = [
        VertexText(f"Name {place} " * 20, f"Word {place} and more. " * 200, tuple(f"c{place}.{n}" for n in range(5)))
        for place in range(min(size, 50))
    ]
    report = summary_of(of(*range(len(long)), size=size), long)
    assert len(report.summary) <= _LONGEST_SET_SUMMARY_CHARACTERS
    assert len(report.stands_on) <= _MOST_SET_CHUNKS
    assert 0 < len(report.findings) <= _MOST_SET_FINDINGS
    assert {chunk for finding in report.findings for chunk in finding.chunks} <= set(report.stands_on)
    assert 0 <= report.rating <= 10


def test_what_is_larger_and_holds_together_better_matters_more() -> None:
    def rating(size: int, inside: float) -> float:
        one = SetToSummarise("key", [0, 1], size, inside)
        return summary_of(one, [MATRIX, SPEED]).rating

    assert rating(2, 0.1) < rating(2, 0.9) < rating(500, 0.9) <= 10


def test_texts_are_read_for_many_sets_at_once_and_summaries_come_in_order() -> None:
    vertices = [
        VertexText(f"Thing {place}", f"It is number {place}.", (f"c{place}",))
        for place in range(3 * _VERTEX_TEXTS_A_PAGE)
    ]
    calls: list[int] = []

    def texts(places: Sequence[int]) -> list[VertexText]:
        calls.append(len(places))
        return [vertices[place] for place in places]

    sets = [SetToSummarise(str(place), [place, place + 1], 2, 0.5) for place in range(0, len(vertices), 2)]
    reports = summaries(sets, texts, len(vertices))
    first = next(reports)
    assert sum(calls) < len(vertices)
    found = [first, *reports]
    assert [report.key for report in found] == [each.key for each in sets]
    assert max(calls) <= _VERTEX_TEXTS_A_PAGE + 1
    assert len(calls) <= 8
    again = summaries(sets, texts, len(vertices))
    assert list(again) == found
