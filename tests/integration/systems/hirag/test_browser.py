"""HiRAG in Neo4j Browser: what its saved queries, and those on reports, draw of a real index."""

from __future__ import annotations

from collections.abc import Iterator

import neo4j
import pytest

from overstory import server
from overstory.browser.queries import all_queries, example_parameters, saved_queries
from overstory.graph import Corpus, read_corpus
from overstory.knowledge import Knowledge
from overstory_cli.browser import contributions


@pytest.fixture(scope="module")
def corpus(shared_corpus: Knowledge) -> Corpus:
    return read_corpus(shared_corpus.graph, shared_corpus.corpus_name)


@pytest.fixture(scope="module")
def driver(connection: server.Connection) -> Iterator[neo4j.Driver]:
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as opened:
        yield opened


def drawn(driver: neo4j.Driver, corpus: Corpus, query: str, **parameters: str) -> list[neo4j.graph.Path]:
    """The paths that Browser draws for the text that the guide puts into its editor."""
    (text,) = [each.text for each in all_queries(saved_queries(corpus.label, contributions())) if each.name == query]
    records = driver.execute_query(neo4j.Query(text), parameters, database_="neo4j").records  # pyright: ignore[reportArgumentType] # literal text, but for the label
    return [value for record in records for value in record.values() if isinstance(value, neo4j.graph.Path)]


def labels_of(paths: list[neo4j.graph.Path]) -> set[str]:
    """The kinds of the nodes that are drawn."""
    kinds = {"HiragEntity", "HiragDescription", "HiragReport", "TreeNode", "Chunk"}
    return {label for path in paths for node in path.nodes for label in node.labels} & kinds


def types_of(paths: list[neo4j.graph.Path]) -> set[str]:
    return {line.type for path in paths for line in path.relationships}


def test_a_layer_is_drawn_with_what_each_of_its_summaries_summarises(corpus: Corpus, driver: neo4j.Driver) -> None:
    paths = drawn(driver, corpus, "hirag_layer", layer="1")
    assert paths
    assert {(path.nodes[0]["layer"], path.nodes[-1]["layer"]) for path in paths} <= {(0, 1), (1, 2)}
    assert any(path.nodes[-1]["layer"] == 1 for path in paths)
    assert types_of(paths) == {"SUMMARIZED_BY"}
    assert drawn(driver, corpus, "hirag_layer", layer="0") == drawn(driver, corpus, "hirag_layer", layer="") == []


def test_a_name_is_drawn_with_what_is_known_of_it(corpus: Corpus, driver: neo4j.Driver) -> None:
    paths = drawn(driver, corpus, "hirag_entity", name="ALBERT EINSTEIN")
    assert {path.start_node["name"] for path in paths if path.start_node} == {"Albert Einstein"}
    assert types_of(paths) == {"HAS_DESCRIPTION", "STANDS_ON", "HIRAG_RELATED", "SUMMARIZED_BY"}


def test_a_report_is_drawn_between_its_community_and_its_passages(
    shared_corpus: Knowledge, corpus: Corpus, driver: neo4j.Driver
) -> None:
    listed = shared_corpus.reports().reports[0]
    paths = drawn(driver, corpus, "report", tree="hirag", community=listed.short_id.upper())
    assert labels_of(paths) == {"TreeNode", "HiragReport", "Chunk"}
    (title,) = {node["title"] for path in paths for node in path.nodes if "HiragReport" in node.labels}
    assert title == listed.title
    passages = {node["id"] for path in paths for node in path.nodes if "Chunk" in node.labels}
    assert len(passages) == min(15, shared_corpus.report(listed.id).passages)
    assert drawn(driver, corpus, "report", tree="hirag", community="") == []


def test_a_bridge_is_drawn_from_community_to_community_step_by_step(corpus: Corpus, driver: neo4j.Driver) -> None:
    text = "MATCH (t:TreeNode {corpus: $label})-[b:BRIDGE]-() RETURN t.id AS id ORDER BY b.hops DESC, id LIMIT 1"
    (found,) = driver.execute_query(text, label=corpus.label, database_="neo4j").records
    paths = drawn(driver, corpus, "hirag_bridge", community=found["id"])
    (bridge,) = {line for path in paths for line in path.relationships if line.type == "BRIDGE"}
    on_the_way = [path for path in paths if types_of([path]) <= {"HIRAG_RELATED", "SUMMARIZED_BY", "SAME_AS"}]
    steps = {frozenset(node["ref"] for node in path.nodes) for path in on_the_way}
    refs = bridge["refs"]
    assert steps == {frozenset(refs[place : place + 2]) for place in range(bridge["hops"])}
    ends = {path.start_node["id"] for path in paths if "COVERS" in types_of([path]) and path.start_node}
    assert ends == {node["id"] for node in bridge.nodes if node}


def test_examples_have_a_layer_and_a_community_that_has_a_report(
    shared_corpus: Knowledge, corpus: Corpus, driver: neo4j.Driver
) -> None:
    examples = example_parameters(shared_corpus.graph, corpus.label, contributions())
    assert drawn(driver, corpus, "hirag_layer", layer=examples["layer"])
    assert examples["tree"] == "hirag"
    assert drawn(driver, corpus, "report", tree="hirag", community=examples["community"])


def test_layers_and_communities_are_shown_with_their_entities(shared_corpus: Knowledge) -> None:
    layers = shared_corpus.tree(tree="hirag-layers", depth=10, limit=100)
    top = layers.community
    assert top.size == layers.size == sum(each.size for each in top.communities) > 0
    communities = shared_corpus.tree(tree="hirag", depth=10, limit=100)
    bottom = communities.community
    while bottom.communities:
        bottom = bottom.communities[0]
    assert bottom.entities
    assert all(each.title and each.summary for each in communities.community.communities)
