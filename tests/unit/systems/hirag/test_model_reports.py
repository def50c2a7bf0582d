"""Reports of communities by a language model: what is asked, and what of the answer is believed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.fakes import ScriptedChat
from tests.hirag_graph import small_graph, two_levels

from overstory.errors import AnswerTruncated, LlmError
from overstory.llm import Chat
from overstory.protocols import Silence
from overstory.systems.texts.reports import Finding, Report, TreeReports
from overstory_entropy import EncodingTree
from overstory_systems.hirag.knowledge_graph import LayeredGraph
from overstory_systems.hirag.model_texts import ModelReporter
from overstory_systems.hirag.report_material import _MOST_DIRECT_MEMBERS, Material, Materials
from overstory_systems.hirag.reports import RuleReporter, write_reports

ANSWER: Mapping[str, object] = {
    "title": "A band\nand more",
    "summary": "It is what the sources say.",
    "rating": 7.25,
    "findings": [
        {"text": "Said by the first two.", "sources": [1, 2, 2, 99]},
        {"text": "Invented.", "sources": [0, -1, 1000]},
        {"text": "Said by nobody.", "sources": []},
    ],
}


def reporter(*answers: str | LlmError) -> tuple[ModelReporter, ScriptedChat]:
    model = ScriptedChat(*answers)
    return ModelReporter(Chat(model, at_once=1), "scripted"), model


def reports(
    graph: LayeredGraph, tree: EncodingTree, writer: ModelReporter, known: Mapping[str, Report] | None = None
) -> TreeReports:
    return write_reports(tree, graph, known=known or {}, reporter=writer, progress=Silence())


def band(graph: LayeredGraph) -> Material:
    tree = two_levels(graph)
    communities = Materials(tree, graph, "").of(set(tree.labels(2).tolist()), {})
    return next(each for each in communities if each.entities[0].name == "Metallica")


def test_a_finding_has_the_passages_of_its_sources_and_one_without_a_true_source_is_dropped() -> None:
    graph = small_graph()
    writer, model = reporter(json.dumps(ANSWER))
    (report,) = writer.write([band(graph)])
    assert (report.title, report.rating, report.by) == ("A band and more", 7.2, "scripted")
    assert report.findings == [
        Finding(
            "Said by the first two.", ("chunk of metallica", "chunk of james hetfield"), ("Metallica", "James Hetfield")
        )
    ]
    shown = writer.shown(band(graph)).sources
    assert len(shown) == 4 + 3  # entities and relations
    assert set(report.stands_on) == {chunk for source in shown for chunk in source.chunks}
    assert writer.notes == ()
    assert "Entity Metallica: Metallica is described here." in model.asked[0][-1].text


def test_answers_that_cannot_be_used_are_replaced_by_rules_and_counted() -> None:
    graph = small_graph()
    tree = two_levels(graph)
    useless = json.dumps({**ANSWER, "findings": [{"text": "Invented.", "sources": [77]}]})
    for answer in (useless, "no JSON at all", AnswerTruncated("The answer was cut off.")):
        writer, _ = reporter(answer)
        found = reports(graph, tree, writer)
        assert found.written == 4
        assert {report.by for report in found.of_node.values()} == {"rules"}
        assert writer.notes == ("4 reports on communities written by rules: the answers of scripted could not be used",)


def test_reports_by_rules_are_not_taken_for_the_models() -> None:
    graph = small_graph()
    tree = two_levels(graph)
    by_rules = write_reports(tree, graph, known={}, reporter=RuleReporter(), progress=Silence())
    writer, model = reporter(json.dumps(ANSWER))
    found = reports(graph, tree, writer, {each.key: each for each in by_rules.of_node.values()})
    assert {report.by for report in found.of_node.values()} == {"scripted"}
    asked = len(model.asked)
    assert asked == 4
    assert reports(graph, tree, writer, {each.key: each for each in found.of_node.values()}).written == 0
    assert len(model.asked) == asked


def part(number: int, by: str) -> Report:
    finding = Finding(f"Part {number} says so.", (f"cited {number}",), (f"Name {number}",))
    return Report(
        f"key {number}", f"Part {number}", "All of it.", 5.0, [finding], by, (f"cited {number}", f"read {number}")
    )


def test_a_large_community_is_told_of_through_its_parts_and_stands_on_all_that_these_stand_on() -> None:
    parts = tuple(part(number, "scripted") for number in range(1, 4))
    large = replace(band(small_graph()), size=_MOST_DIRECT_MEMBERS + 1, parts=parts)
    answer = {**ANSWER, "findings": [{"text": "Of the second part.", "sources": [9]}]}
    writer, model = reporter(json.dumps(answer))
    (report,) = writer.write([large])
    assert "Part Part 2: All of it. Part 2 says so." in model.asked[0][-1].text
    assert report.findings == [Finding("Of the second part.", ("cited 2",))]
    assert {f"read {number}" for number in (1, 2, 3)} <= set(report.stands_on)


def test_a_report_by_rules_over_parts_by_a_model_stands_on_all_that_the_model_read() -> None:
    large = replace(band(small_graph()), size=_MOST_DIRECT_MEMBERS + 1)

    def stands_on(by: str) -> Sequence[str]:
        return RuleReporter().text(replace(large, parts=(part(1, by),))).stands_on

    assert "read 1" in stands_on("scripted")
    assert "read 1" not in stands_on("rules")
