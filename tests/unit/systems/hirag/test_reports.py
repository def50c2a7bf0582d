"""Reports of communities by rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.hirag_graph import BAND, CELL, entity, relation, small_graph, two_levels, with_description

from overstory.protocols import Silence
from overstory.systems.entity_graph import EntityRelation
from overstory.systems.texts.reports import Report, TreeReports
from overstory_entropy import EncodingTree
from overstory_systems.hirag.knowledge_graph import LayeredGraph, SummaryLink
from overstory_systems.hirag.report_material import (
    _MOST_DIRECT_MEMBERS,
    MOST_REPORT_ENTITIES,
    MOST_REPORT_RELATIONS,
    Material,
    Materials,
    centrality,
)
from overstory_systems.hirag.reports import (
    _MOST_COMMUNITY_FINDINGS,
    RuleReporter,
    lead,
    stated,
    write_reports,
)


def reports(graph: LayeredGraph, tree: EncodingTree, known: dict[str, Report] | None = None) -> TreeReports:
    return write_reports(tree, graph, known=known or {}, reporter=RuleReporter(), progress=Silence())


def report_on(found: TreeReports, graph: LayeredGraph, tree: EncodingTree, name: str, level: int) -> Report:
    place = next(place for place, each in enumerate(graph.entities) if each.name == name and not each.layer)
    return found.of_node[int(tree.labels(level)[place])]


def materials(tree: EncodingTree, graph: LayeredGraph, level: int) -> list[Material]:
    return list(Materials(tree, graph, "").of(set(tree.labels(level).tolist()), {}))


def by_key(found: TreeReports) -> dict[str, Report]:
    return {report.key: report for report in found.of_node.values()}


def test_every_community_has_a_report_and_one_with_its_only_childs_members_shares_its() -> None:
    graph = small_graph()
    tree = two_levels(graph)
    found = reports(graph, tree)
    assert found.of_node.keys() == set(range(tree.leaves, tree.root))
    assert found.written == 4  # of five communities: the cell is one on both levels
    assert report_on(found, graph, tree, CELL[0], 1) is report_on(found, graph, tree, CELL[0], 2)


def test_a_report_names_the_central_entities_and_stands_on_what_it_says() -> None:
    graph = small_graph()
    tree = two_levels(graph)
    report = report_on(reports(graph, tree), graph, tree, BAND[0], 2)
    assert report.title == "Metallica, James Hetfield, Kirk Hammett"  # Hammett is in a name that is shown
    assert report.summary.startswith("4 entities around Metallica, James Hetfield and Kirk Hammett. Metallica is")
    assert report.by == "rules"
    assert 0 < report.rating <= 10
    first = report.findings[0]
    assert first.text == "Metallica and James Hetfield are told of together."
    assert first.names == ("Metallica", "James Hetfield")
    assert first.chunks == ("chunk of metallica and james hetfield",)  # what says so
    assert first.also == ("chunk of metallica", "chunk of james hetfield")
    assert {chunk for finding in report.findings for chunk in finding.chunks} <= set(report.stands_on)
    assert len({finding.text for finding in report.findings}) == len(report.findings) <= _MOST_COMMUNITY_FINDINGS


def test_a_report_says_nothing_of_passages_that_it_does_not_stand_on() -> None:
    graph = small_graph()
    tree = two_levels(graph)
    for report in reports(graph, tree).of_node.values():
        said = " ".join([report.title, report.summary, *(finding.text for finding in report.findings)])
        for each in graph.entities:
            if each.name in said and not each.layer and each.name != "Hammett":  # which is also in another's name
                assert each.chunks[0] in report.stands_on
        for told in graph.relations:
            if told.description in said:
                assert told.chunks[0] in report.stands_on


def test_a_report_stands_on_the_passages_that_its_title_has_words_from() -> None:
    small = small_graph()
    said = {"0:metallica", "0:hammett"}
    entities = [
        replace(each, description=f"{each.name}, a quixotrope.", chunks=(*each.chunks, f"more of {each.key}"))
        if each.ref in said
        else each
        for each in small.entities
    ]
    graph = replace(small, entities=entities)
    tree = two_levels(graph)
    found = write_reports(tree, graph, known={}, reporter=RuleReporter(graph.entities), progress=Silence())
    report = report_on(found, graph, tree, BAND[0], 2)
    assert report.title.startswith("Quixotrope: ")
    assert {"more of metallica", "more of hammett"} <= set(report.stands_on)


def test_relations_are_said_where_both_ends_are_and_in_no_deeper_community() -> None:
    graph = small_graph()
    tree = two_levels(graph)
    found = reports(graph, tree)
    said = "Metallica played in Malta."
    assert any(finding.text == said for finding in report_on(found, graph, tree, "Malta", 1).findings)
    for name in ("Malta", "Metallica", CELL[0]):
        assert all(finding.text != said for finding in report_on(found, graph, tree, name, 2).findings)


def test_unchanged_communities_keep_their_reports() -> None:
    graph = small_graph()
    tree = two_levels(graph)
    known = by_key(reports(graph, tree))
    again = reports(graph, tree, known)
    assert again.written == 0
    assert by_key(again) == known
    changed = with_description(graph, "0:gozo", "Gozo has a new text.")
    after = reports(changed, two_levels(changed), known)
    assert after.written == 2  # the isle, and the community that it is a part of
    assert by_key(after).keys() & known.keys() == {
        report_on(after, changed, tree, name, 2).key for name in (BAND[0], CELL[0])
    }


def test_weights_which_change_everywhere_do_not_ask_for_new_reports() -> None:
    graph = small_graph()
    tree = two_levels(graph)
    known = by_key(reports(graph, tree))
    heavier = replace(graph, relations=[replace(each, weight=each.weight * 1.1) for each in graph.relations])
    assert reports(heavier, two_levels(heavier), known).written == 0


@pytest.mark.parametrize("other", [{"description": "Something else."}, {"chunks": ("another chunk",)}])
def test_another_sentence_or_another_passage_for_it_asks_for_a_new_report(other: dict[str, object]) -> None:
    graph = small_graph()
    tree = two_levels(graph)
    known = by_key(reports(graph, tree))
    relations: list[EntityRelation] = [
        replace(each, **other) if "0:gozo" in (each.source, each.target) else each  # type: ignore[arg-type] # both are texts
        for each in graph.relations
    ]
    assert reports(replace(graph, relations=relations), tree, known).written == 2


def test_a_large_community_is_described_by_its_parts_within_bounds() -> None:
    parts = 8
    names = [f"Star{part} Member{place}" for part in range(parts) for place in range(200)]
    graph = LayeredGraph(
        sorted((entity(name) for name in names), key=lambda each: each.ref),
        [
            relation(f"Star{part} Member0", f"Star{part} Member{place}", 1.0)
            for part in range(parts)
            for place in range(1, 200)
        ]
        + [relation("Star3 Member77", "Star5 Member88", 0.1)],
    )
    fine = np.array([int(each.name[4]) for each in graph.entities])
    tree = EncodingTree.from_labels(graph.as_graph(), np.zeros_like(fine), fine)
    found = reports(graph, tree)
    whole = found.of_node[tree.root - 1]
    below = [found.of_node[int(node)] for node in tree.children(tree.root - 1)]
    assert len(below) == parts
    assert _MOST_DIRECT_MEMBERS < 200
    assert [finding.text for finding in whole.findings] == [
        "Star3 Member77 and Star5 Member88 are told of together.",
        *(
            part.findings[0].text
            for part in sorted(below, key=lambda part: -part.rating)[: _MOST_COMMUNITY_FINDINGS - 1]
        ),
    ]
    assert all(set(finding.chunks) <= set(whole.stands_on) for finding in whole.findings)
    assert (
        max(len(report.stands_on) for report in found.of_node.values())
        <= _MOST_COMMUNITY_FINDINGS * MOST_REPORT_ENTITIES
    )
    assert whole.rating >= max(part.rating for part in below)


def test_material_is_bounded_and_of_equal_names_has_the_lowest_layer() -> None:
    graph = small_graph()
    (isle,) = [each for each in materials(two_levels(graph), graph, 2) if each.entities[0].name == "Malta"]
    assert [each.ref for each in isle.entities] == ["0:malta", "0:gozo", "0:valletta"]
    assert isle.size == 4  # with the summary called Malta
    big = LayeredGraph(
        sorted([entity("Hub"), *(entity(f"Spoke{i}") for i in range(100))], key=lambda each: each.ref),
        [relation("Hub", f"Spoke{i}", 1.0 + i) for i in range(100)],
    )
    (all_of_it,) = materials(EncodingTree.from_labels(big.as_graph(), [0] * 101), big, 1)
    assert len(all_of_it.entities) == MOST_REPORT_ENTITIES
    assert [each.weight for each in all_of_it.relations] == [100.0 - i for i in range(MOST_REPORT_RELATIONS)]
    assert all_of_it.entities[0].name == "Hub"


def test_what_joins_everything_is_central_nowhere() -> None:
    graph = LayeredGraph(
        sorted((entity(name) for name in ("a", "b", "hub", "x", "y")), key=lambda each: each.ref),
        [relation("a", "b", 2.0), *(relation("hub", name, 2.0) for name in ("a", "x", "y"))],
    )
    central = centrality(graph.as_graph(), np.array([0, 0, 0, 1, 1]))  # a, b, hub; x, y
    assert central.tolist() == [4.0, 2.0, pytest.approx(4.0 / 6.0), 0.0, 0.0]


def test_a_graph_without_entities_has_no_reports() -> None:
    graph = LayeredGraph([], [])
    assert reports(graph, EncodingTree.from_labels(graph.as_graph())).of_node == {}


def test_sentences_are_readable_without_their_passage() -> None:
    assert lead(entity("Gozo", description="An island. It is small.")) == "Gozo: An island."
    assert lead(entity("Gozo", description="Gozo is an island. It is small.")) == "Gozo is an island."
    assert lead(entity("Gozo", description="")) == ""
    names = {"0:gozo": entity("Gozo"), "0:malta": entity("Malta")}
    assert stated(relation("Gozo", "Malta", 1.0, "is a part of"), names) == "Gozo – Malta: is a part of"
    assert stated(relation("Gozo", "Malta", 1.0, "It is near Malta."), names) == "It is near Malta."
    long = stated(relation("Gozo", "Malta", 1.0, "Malta " * 200), names)
    assert len(long) <= 400
    assert long.endswith("…")


def test_of_sentences_that_say_the_same_one_is_a_finding_and_a_whole_one_rather_than_a_cut_one() -> None:
    names = [entity(name, description="") for name in ("Eagle", "Calgary", "Britain", "Ski")]
    whole = "Eagle was the first to jump for Britain in Calgary after sixty years."
    graph = LayeredGraph(
        sorted(names, key=lambda each: each.ref),
        [
            relation("Britain", "Calgary", 2.0, whole),
            relation("Britain", "Eagle", 3.0, "…the first to jump for Britain in Calgary after sixty years."),
            relation("Calgary", "Eagle", 2.5, "Eagle was the first to jump for Britain in…"),
            relation("Eagle", "Ski", 1.0, "He began with a ski."),
        ],
    )
    tree = EncodingTree.from_labels(graph.as_graph(), [0, 0, 0, 0])
    (report,) = reports(graph, tree).of_node.values()
    assert [finding.text for finding in report.findings] == [whole, "He began with a ski."]


def test_a_summary_by_rules_gives_neither_title_nor_centre_where_there_are_members() -> None:
    graph = small_graph()
    members = [each.ref for each in graph.entities]
    summary = entity("All of them", layer=1, description="A list.")
    graph = replace(
        graph,
        entities=[*graph.entities, summary],
        links=[SummaryLink(ref, summary.ref, 1.0) for ref in members],
    )
    tree = EncodingTree.from_labels(graph.as_graph(), [0] * len(graph.entities))
    (report,) = reports(graph, tree).of_node.values()
    assert "All of them" not in report.title
    by_model = replace(graph, entities=[*graph.entities[:-1], replace(summary, by="a model")])
    (report,) = reports(by_model, tree).of_node.values()
    assert report.title.startswith("All of them")
