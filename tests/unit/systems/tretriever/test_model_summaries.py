"""Summaries of sets of vertices by a language model with prepared answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from tests.fakes import ScriptedChat

from overstory.llm import Chat
from overstory.systems.texts.model_reports import _MOST_SOURCES_BESIDE_PARTS, _SOURCES_CHARACTERS
from overstory.systems.texts.reports import RULES, Finding, Report
from overstory_systems.tretriever.model_summaries import _MOST_REQUESTED_PASSAGES, ModelSetSummariser
from overstory_systems.tretriever.summaries import (
    SHOWN_SET_MEMBERS,
    SetToSummarise,
    SetWithTexts,
    ShownEdge,
    Summariser,
    writer_for,
)
from overstory_systems.tretriever.vertex_graphs import VertexText

VERTICES = [
    VertexText("The Matrix", "Neo is a hacker.", ("c0", "c0b")),
    VertexText("Keanu Reeves", "", ("c1",)),
    VertexText("Speed", "A bus must not slow down.", ("c2",)),
    VertexText("Deleted Name", "A secret.", ()),
]
EDGES = [ShownEdge(1, 0, ("e0",), "plays Neo in"), ShownEdge(1, 2), ShownEdge(3, 0, ("e1",), "secret")]
FILMS = SetToSummarise("films", [0, 1, 2, 3], 4, 0.5, EDGES)


def answer(*findings: tuple[str, list[int]], title: str = "Films\nof Keanu", summary: str = "He acts.") -> str:
    said = [{"text": text, "sources": sources} for text, sources in findings]
    return json.dumps({"title": title, "summary": summary, "rating": 7.25, "findings": said})


def read(sets: Iterable[SetToSummarise], vertices: Sequence[VertexText] = VERTICES) -> Iterator[SetWithTexts]:
    summariser = Summariser(writer_for(None, ""), lambda places: [vertices[at] for at in places], SHOWN_SET_MEMBERS)
    return summariser.with_texts(sets)


def summaries_of(
    model: ScriptedChat, *sets: SetToSummarise, vertices: Sequence[VertexText] = VERTICES
) -> tuple[list[Report], ModelSetSummariser]:
    summariser = ModelSetSummariser(Chat(model, at_once=1), "model-x")
    return list(summariser.write(read(sets, vertices))), summariser


def part(number: int, *chunks: str) -> Report:
    finding = Finding(f"Part {number} says so.", chunks[:1], (f"Name {number}",))
    return Report(f"key {number}", f"Title {number}", "All of it.", 5.0, [finding], "model-x", chunks)


def test_the_model_reads_vertices_and_edges_but_none_without_a_passage() -> None:
    model = ScriptedChat(answer(("He plays Neo.", [1])))
    summaries_of(model, FILMS)
    text = model.asked[0][-1].text
    shown = re.findall(r">\n(.*)\n</source", text)
    assert shown == [
        "Vertex The Matrix: Neo is a hacker.",
        "Vertex Keanu Reeves",
        "Vertex Speed: A bus must not slow down.",
        "Edge Keanu Reeves – The Matrix: plays Neo in",
        "Edge Keanu Reeves – Speed",
    ]
    assert "Vertices of the part: 4" in text


def test_a_set_with_parts_is_told_of_through_these_and_stands_on_all_that_they_stand_on() -> None:
    vertices = [VertexText(f"V{place}", "Said.", (f"v{place}",)) for place in range(30)]
    parts = [part(1, "p1", "q1"), part(2, "p2", "q2")]
    model = ScriptedChat(answer(("Of the second part.", [_MOST_SOURCES_BESIDE_PARTS + 2])))
    (report,), summariser = summaries_of(model, SetToSummarise("k", range(30), 90, 0.5, (), parts), vertices=vertices)
    assert report.findings[0].chunks == ("p2",)
    assert set(report.stands_on) == {
        *(f"v{place}" for place in range(_MOST_SOURCES_BESIDE_PARTS)),
        "p1",
        "q1",
        "p2",
        "q2",
    }
    assert "Part Title 1: All of it. Part 1 says so." in model.asked[0][-1].text
    assert summariser.notes == ()


def test_a_source_that_would_bring_too_many_passages_is_left_out_and_counted() -> None:
    wide = part(1, *(f"p{number}" for number in range(_MOST_REQUESTED_PASSAGES)))
    model = ScriptedChat(answer(("It is so.", [1])))
    (report,), summariser = summaries_of(model, SetToSummarise("k", [0, 1, 2], 90, 0.5, (), [wide]))
    assert set(report.stands_on) == {"c0", "c0b", "c1", "c2"}
    assert summariser.notes == ("1 text of vertices, edges and parts did not fit into the prompts of summaries",)


def test_a_prompt_is_bounded_and_what_it_lacks_is_counted() -> None:
    vertices = [VertexText(f"V{place}", "Word " * 500, (f"v{place}",)) for place in range(40)]
    model = ScriptedChat(answer(("It is so.", [1])))
    _, summariser = summaries_of(model, SetToSummarise("k", range(40), 100, 0.5), vertices=vertices)
    text = model.asked[0][-1].text
    shown = text.count(" nr=")
    assert 1 < shown < 40
    assert len(text) < _SOURCES_CHARACTERS + 100 * ModelSetSummariser.most_sources
    (note,) = summariser.notes
    assert note.startswith(f"{100 - shown} texts")


def test_a_set_whose_answer_cannot_be_used_is_summarised_by_rules_and_counted() -> None:
    (report,), summariser = summaries_of(ScriptedChat("no JSON"), FILMS)
    assert report.by == RULES
    assert report.title.startswith("The Matrix; Keanu Reeves; Speed and others")
    assert summariser.notes == ("1 of 1 set of vertices summarised by rules: the answers of model-x could not be used",)


def test_a_set_without_any_passage_is_not_asked_for() -> None:
    model = ScriptedChat(answer())
    (report,), summariser = summaries_of(model, SetToSummarise("k", [3], 2, 0.5))
    assert model.asked == []
    assert report.stands_on == ()
    assert summariser.notes == ()
