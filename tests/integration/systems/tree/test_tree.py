"""Trees over names and over documents, of a system in another package: stored, shown and drawn by the shared rooms."""

from __future__ import annotations

from typing import Any, LiteralString

import neo4j
import numpy as np
import pytest
from tests.fakes import ScriptedExtractor
from tests.passages import OpenCorpus, passage

from overstory import server
from overstory.browser.queries import all_queries, example_parameters, saved_queries
from overstory.errors import IndexMissing, QuestionError, SettingsError
from overstory.graph.client import Row
from overstory.knowledge import Knowledge
from overstory.model.communities import CommunityTree
from overstory.settings import Settings
from overstory_cli.browser import contributions
from overstory_cli.main import run
from overstory_entropy import EncodingTree, Graph

TYPES = {"Ada": "PERSON", "Bob": "PERSON", "Cid": "PERSON", "Rome": "GPE", "Pisa": "GPE", "Bari": "GPE"}
PEOPLE, CITIES = {"Ada", "Bob", "Cid"}, {"Rome", "Pisa", "Bari"}
DOCUMENTS = (
    passage("friends", "Friends", "Ada met Bob. Bob met Cid. Cid met Ada."),
    passage("letters", "Letters", "Ada wrote Bob. Cid wrote Bob. Ada wrote Cid."),
    passage("cities", "Cities", "Rome borders Pisa. Pisa borders Bari. Bari borders Rome."),
    passage("roads", "Roads", "Rome reaches Pisa. Bari reaches Rome. Pisa reaches Bari."),
    passage("trip", "A trip", "Ada visited Rome."),
)
NODES = """
MATCH (t:GroveNode:TreeNode {corpus: $label, tree: $tree})
RETURN t.id AS id, t.generation AS generation, labels(t) AS labels, t.level AS level, t.size AS size,
  t.volume AS volume, t.cut AS cut, COLLECT { MATCH (t)-[:CHILD_OF]->(p) RETURN p.id } AS parents,
  COLLECT { MATCH (t)-[:COVERS]->(unit) RETURN coalesce(unit.name, unit.title) } AS covers
"""
RELATED = """
MATCH (e:Entity {corpus: $label})-[r:RELATED]->(o)
RETURN e.name AS one, o.name AS other, toFloat(sum(r.weight)) AS weight
"""
SHARED = """
MATCH (d:Document {corpus: $label})<-[:PART_OF]-()-[:MENTIONS]->(e:Entity)<-[:MENTIONS]-()-[:PART_OF]->(o:Document)
WHERE d.id < o.id RETURN d.title AS one, o.title AS other, toFloat(count(DISTINCT e)) AS weight
"""


@pytest.fixture(scope="module")
def grove(open_module_corpus: OpenCorpus, installed: None) -> Knowledge:
    """A corpus with both trees."""
    knowledge = open_module_corpus(extractor=ScriptedExtractor(TYPES))
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=["grove:documents"])
    return knowledge


def read(knowledge: Knowledge, statement: LiteralString, **parameters: object) -> list[dict[str, Any]]:  # rows as asked
    result = knowledge.graph.native_driver().execute_query(
        statement, {"label": knowledge.status().corpus.label, **parameters}, database_="neo4j"
    )
    return [record.data() for record in result.records]


def entropy_by_cypher(knowledge: Knowledge, tree: str) -> Row:
    label = knowledge.status().corpus.label
    (row,) = knowledge.graph.run("saved_queries/tree_entropy", label, read=True, tree=tree)
    return row


def groups(tree: CommunityTree) -> set[frozenset[str]]:
    """Return the members of the bottom communities, by name or title."""
    return {
        frozenset([*(each.name for each in bottom.entities), *(each.title for each in bottom.documents)])
        for bottom in tree.community.communities
    }


@pytest.mark.parametrize(
    ("tree", "edges", "kind"), [("grove-names", RELATED, "Entity"), ("grove-documents", SHARED, "Document")]
)
def test_what_is_stored_is_the_tree_of_the_graph(grove: Knowledge, tree: str, edges: LiteralString, kind: str) -> None:
    rows = read(grove, NODES, tree=tree)
    leaves = sorted((row for row in rows if row["covers"]), key=lambda row: row["covers"])
    number = {row["covers"][0]: place for place, row in enumerate(leaves)}
    assert set(number) == (PEOPLE | CITIES if kind == "Entity" else {document.title for document in DOCUMENTS})
    label = grove.status().corpus.label
    assert all({f"Of{kind}", f"{label}_GroveNode", f"{label}_Derived"} <= set(row["labels"]) for row in leaves)
    ordered = [*leaves, *(row for row in rows if not row["covers"])]
    place = {row["id"]: at for at, row in enumerate(ordered)}
    parents = [place[row["parents"][0]] if row["parents"] else -1 for row in ordered]
    found = read(grove, edges)
    ends = [(number[row["one"]], number[row["other"]]) for row in found]
    graph = Graph.from_edges(len(number), np.array(ends), [row["weight"] for row in found])
    computed = EncodingTree.from_parents(graph, parents)
    assert entropy_by_cypher(grove, tree)["entropy"] == pytest.approx(computed.entropy, abs=1e-9)
    assert grove.tree(tree=tree).entropy == pytest.approx(computed.entropy, abs=1e-9)
    root = next(row for row in rows if row["level"] == 0)
    assert (root["size"], root["volume"], root["cut"]) == (len(number), pytest.approx(graph.volume), 0.0)


def test_communities_of_names_are_shown_with_what_the_system_calls_them(grove: Knowledge) -> None:
    tree = grove.tree(depth=2, tree="grove-names")
    assert groups(tree) == {frozenset(PEOPLE), frozenset(CITIES)}
    assert tree.headline.startswith(f"Corpus {grove.corpus_name!r}, tree grove-names: 6 entities in 2 communities, ")
    cities = next(each for each in tree.community.communities if "Rome" in [member.name for member in each.entities])
    assert (cities.title, cities.summary) == ("Report on Rome", "Rome, Bari, Pisa belong together.")
    assert {each.name for each in cities.names} == CITIES
    assert [(each.type, each.passages) for each in cities.entities if each.name == "Pisa"] == [("GPE", 2)]
    assert any("Pisa" in sentence for sentence in cities.sentences)
    assert cities.figures.startswith("3 entities, ")
    assert "  Pisa (GPE, 2 passages)" in repr(tree).splitlines()
    assert grove.tree(cities.short_id, tree="grove-names", limit=1).community.hidden == "2 more entities"


def test_communities_of_documents_are_shown_nearest_first(grove: Knowledge) -> None:
    tree = grove.tree(depth=2, tree="grove-documents")
    assert {"Cities", "Roads"} <= next(group for group in groups(tree) if "Cities" in group)
    assert "Friends" not in next(group for group in groups(tree) if "Cities" in group)
    assert "5 documents" in tree.headline
    for community in tree.community.communities:
        near = [document.similarity for document in community.documents]
        assert near == sorted(near, reverse=True)
        assert community.below == community.size == len(community.documents)
        assert community.sentences
        assert not community.title
    cities = next(each for each in tree.community.communities if "Cities" in [one.title for one in each.documents])
    assert {each.name for each in cities.names} & CITIES
    assert {document.origin for document in cities.documents} >= {"tests/passages#cities", "tests/passages#roads"}


def test_without_a_name_the_first_tree_of_the_corpus_is_shown(grove: Knowledge) -> None:
    assert grove.tree().tree == "grove-names"


def test_an_unknown_tree_is_answered_with_those_there_are_and_what_builds_the_others(grove: Knowledge) -> None:
    with pytest.raises(SettingsError, match="no tree 'oaks'") as raised:
        grove.tree(tree="oaks")
    assert "grove-names (Grove tree, of entities), grove-documents (" in raised.value.remedy
    build = f"overstory index --system serag --corpus '{grove.corpus_name}'"
    assert f"To build serag (SeRAG tree, of passages): {build}" in raised.value.remedy


def test_the_command_shows_them(
    grove: Knowledge, settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OVERSTORY_HOME", str(settings.places.data))
    assert run(["tree", "--corpus", grove.corpus_name, "--depth", "2"]) == 0
    shown = capsys.readouterr().out
    assert "\n    Report on Rome\n" in shown
    assert "\n    Pisa (GPE, 2 passages)\n" in shown
    assert run(["tree", "--corpus", grove.corpus_name, "--tree", "grove-documents", "--depth", "2"]) == 0
    assert "\n    Cities [tests/passages#cities] (1 passage)\n" in capsys.readouterr().out
    assert run(["tree", "--corpus", grove.corpus_name, "--tree", "oaks"]) == 3
    assert "grove-names" in capsys.readouterr().err
    assert run(["report", "--corpus", grove.corpus_name]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed[2].endswith("   3.0  Report on Ada (3 entities)")
    assert listed[3] == "    Ada, Bob, Cid belong together."
    assert run(["report", "--corpus", grove.corpus_name, listed[5][:8]]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        f"{listed[5][:8]}  Report on Rome\nrating 3.0 of 10, 3 entities, level 1 of tree grove-names, "
    )
    assert "\n 3. Pisa is there.\n      about Pisa\n      from " in shown
    assert "\n      from Cities  [tests/passages#cities]\n" in shown


def test_reports_are_listed_by_rating_and_shown_with_the_passages_of_each_finding(grove: Knowledge) -> None:
    listed = grove.reports()
    assert listed.headline == f"Corpus {grove.corpus_name!r}, tree grove-names: 2 reports at level 1 of 1"
    assert [(each.title, each.rating, each.size) for each in listed.reports] == [
        ("Report on Ada", 3.0, 3),
        ("Report on Rome", 3.0, 3),
    ]
    assert (listed.without, listed.hidden, listed.more, listed.notes) == ((), 0, 0, ())
    one = grove.reports(level=1, limit=1)
    assert (one.reports, one.more) == (listed.reports[:1], 1)
    cities = listed.reports[1]
    report = grove.report(cities.short_id)
    assert report.community == cities
    assert (report.passages, report.above, report.below) == (3, (), ())
    assert [(finding.text, finding.names) for finding in report.findings] == [
        ("Rome is there.", ("Rome",)),
        ("Bari is there.", ("Bari",)),
        ("Pisa is there.", ("Pisa",)),
    ]
    assert {passage.title for passage in report.findings[0].passages} == {"Cities", "Roads", "A trip"}
    assert {passage.origin for passage in report.findings[2].passages} == {
        "tests/passages#cities",
        "tests/passages#roads",
    }
    assert "from Cities [tests/passages#cities]" in repr(report)
    assert cities.line in repr(listed)


def test_what_has_no_report_is_answered_with_what_has(grove: Knowledge) -> None:
    with pytest.raises(SettingsError, match="no tree 'grove-documents' with reports") as raised:
        grove.reports(tree="grove-documents")
    assert "grove-names (Grove tree, of entities)" in raised.value.remedy
    documents = grove.tree(tree="grove-documents").community.communities[0]
    with pytest.raises(QuestionError, match="No community has an id") as unknown:
        grove.report(documents.id)
    assert "overstory report --corpus" in unknown.value.remedy
    with pytest.raises(QuestionError, match="no level 2"):
        grove.reports(level=2)


def drawn(grove: Knowledge, driver: neo4j.Driver, query: str, **parameters: str) -> list[neo4j.graph.Path]:
    label = grove.status().corpus.label
    (text,) = [each.text for each in all_queries(saved_queries(label, contributions())) if each.name == query]
    records = driver.execute_query(neo4j.Query(text), parameters, database_="neo4j").records  # pyright: ignore[reportArgumentType] # literal text, but for the label
    return [value for record in records for value in record.values() if isinstance(value, neo4j.graph.Path)]


def test_they_are_drawn_in_browser(grove: Knowledge, connection: server.Connection) -> None:
    examples = example_parameters(grove.graph, grove.status().corpus.label, contributions())
    assert examples["tree"] == "grove-documents"  # the first by name
    assert examples["community"] in [each.short_id for each in grove.tree(tree="grove-documents").community.communities]
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as driver:
        for tree in ("grove-names", "grove-documents"):
            assert len(drawn(grove, driver, "tree", tree=tree)) == len(grove.tree(tree=tree).community.communities)
        names = grove.tree(depth=2, tree="grove-names").community.communities
        people = next(each for each in names if "Ada" in [member.name for member in each.entities])
        paths = drawn(grove, driver, "community", tree="grove-names", community=people.short_id)
        reached = {node["name"] for path in paths for node in path.nodes if "Entity" in node.labels}
        bridges = {line["predicate"] for path in paths for line in path.relationships if line.type == "RELATED"}
    assert (reached, bridges) == ({*PEOPLE, "Rome"}, {"visited"})


def test_leaves_go_with_what_they_stand_for_and_come_with_the_next_build(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(extractor=ScriptedExtractor(TYPES))
    knowledge.ingest_documents(DOCUMENTS[:3])
    knowledge.index(systems=["grove"])
    with pytest.raises(IndexMissing, match="has no Grove tree over what documents share") as missing:
        knowledge.tree(tree="grove-documents")
    assert "--system grove:documents " in missing.value.remedy
    (generation,) = {row["generation"] for row in read(knowledge, NODES, tree="grove-names")}
    cities = DOCUMENTS[2]
    knowledge.delete_documents(knowledge.document_id(cities.source, cities.source_key))
    covered = {name for row in read(knowledge, NODES, tree="grove-names") for name in row["covers"]}
    assert covered == PEOPLE
    assert knowledge.tree().notes
    reports = knowledge.reports()
    assert [each.title for each in reports.reports] == ["Report on Ada"]
    assert ([each.has_report for each in reports.without], reports.hidden) == ([False], 1)
    assert "1 community has no report" in reports.notes[-1]
    hidden = knowledge.report(reports.without[0].id)
    assert (hidden.findings, hidden.community.title, hidden.notes[-1]) == ((), "", reports.notes[-1])
    assert knowledge.tree(reports.without[0].id).community.title.startswith("Around ")
    knowledge.ingest_documents(DOCUMENTS[3:])
    assert knowledge.index().done[-1] == "grove"
    rows = read(knowledge, NODES, tree="grove-names")
    assert {row["generation"] for row in rows} == {generation + 1}
    assert (knowledge.tree().size, knowledge.tree().notes) == (6, ())
    assert (len(knowledge.reports().reports), knowledge.reports().notes) == (2, ())
    assert groups(knowledge.tree(depth=2)) == {frozenset(PEOPLE), frozenset(CITIES)}

    knowledge.index(systems=["grove:documents"])
    knowledge.remove_system("grove")
    assert not read(knowledge, NODES, tree="grove-names")
    assert not read(knowledge, NODES, tree="grove-documents")
    with pytest.raises(IndexMissing, match="has no tree"):
        knowledge.tree()
