"""AutoPrunedRetriever in Neo4j Browser: what its saved queries find in a real index."""

from __future__ import annotations

from collections.abc import Iterator

import neo4j
import pytest
from tests.passages import OpenCorpus, passage

from overstory import server
from overstory.browser.queries import all_queries, saved_queries
from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory.model import Annotation
from overstory_cli.browser import contributions
from overstory_systems.apr import AprIndexSettings

Paths = list[neo4j.graph.Path]

BORN = "Where was Lena Ott born?"


@pytest.fixture(scope="module")
def knowledge(open_module_corpus: OpenCorpus) -> Knowledge:
    """Return a corpus of three passages with one remembered answer."""
    knowledge = open_module_corpus()
    knowledge.ingest_documents(
        [
            passage("lena", "Lena Ott", "Lena Ott was born in Ulm. Lena Ott hosts a TV show."),
            passage("emil", "Emil Brandt", "Emil Brandt likes a television show."),
            passage("rain", "Rain", "It rains."),
            Annotation("", "lena", (), (("Lena Ott", "was born in", "Ulm"), ("Lena Ott", "hosts", "TV show"))),
            Annotation("", "emil", (), (("Emil Brandt", "likes", "television show"),)),
        ]
    )
    knowledge.index(systems=[AprIndexSettings(triples="loaded")])
    return knowledge


@pytest.fixture(scope="module")
def driver(connection: server.Connection) -> Iterator[neo4j.Driver]:
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as opened:
        yield opened


def asked(driver: neo4j.Driver, knowledge: Knowledge, query: str, /, **parameters: str) -> list[neo4j.Record]:
    """Return the records of a saved query, as the guide puts it into Browser's editor."""
    label = read_corpus(knowledge.graph, knowledge.corpus_name).label
    (text,) = [each.text for each in all_queries(saved_queries(label, contributions())) if each.name == query]
    return driver.execute_query(neo4j.Query(text), parameters, database_="neo4j").records  # pyright: ignore[reportArgumentType] # literal text, but for the label


def lines(records: list[neo4j.Record]) -> set[tuple[str, str, str]]:
    """Return the relationships that Browser draws: start, type and end."""
    paths = [value for record in records for value in record.values() if isinstance(value, neo4j.graph.Path)]
    drawn = (line for path in paths for line in path.relationships)
    return {(caption(line.nodes[0]), line.type, caption(line.nodes[1])) for line in drawn}


def caption(node: neo4j.graph.Node | None) -> str:
    assert node is not None
    return str(node.get("relation") or node.get("text") or f"{node['size']} facts")


def test_a_passage_is_drawn_with_its_runs_and_their_facts(driver: neo4j.Driver, knowledge: Knowledge) -> None:
    found = lines(asked(driver, knowledge, "apr_runs", document="Lena Ott"))
    assert {("was born in", "HEAD", "Lena Ott"), ("was born in", "TAIL", "Ulm"), ("hosts", "TAIL", "TV show")} <= found
    assert {end for _, type_, end in found if type_ == "HAS_EDGE"} == {"was born in", "hosts"}
    assert {end for _, type_, end in found if type_ == "PART_OF"} == {
        "Lena Ott was born in Ulm. Lena Ott hosts a TV show."
    }
    assert not asked(driver, knowledge, "apr_runs", document="Rain")


@pytest.mark.parametrize("name", ["tv show", "Television show", "nobody says this"])
def test_names_that_are_the_same_are_drawn_with_their_facts(
    driver: neo4j.Driver, knowledge: Knowledge, name: str
) -> None:
    assert lines(asked(driver, knowledge, "apr_aliases", name=name)) == {
        ("television show", "ALIAS_OF", "TV show"),
        ("hosts", "HEAD", "Lena Ott"),
        ("hosts", "TAIL", "TV show"),
        ("likes", "HEAD", "Emil Brandt"),
        ("likes", "TAIL", "television show"),
    }


def test_a_name_that_no_other_is_the_same_as_is_drawn_with_its_facts(
    driver: neo4j.Driver, knowledge: Knowledge
) -> None:
    found = lines(asked(driver, knowledge, "apr_aliases", name="Ulm"))
    assert found == {("was born in", "TAIL", "Ulm"), ("was born in", "HEAD", "Lena Ott")}


def test_a_remembered_answer_is_drawn_with_its_question_facts_and_passages(
    driver: neo4j.Driver, knowledge: Knowledge
) -> None:
    assert not asked(driver, knowledge, "apr_memory")
    assert not asked(driver, knowledge, "apr_remembered")
    answer = knowledge.ask(BORN, 2, retriever="apr", remember=True)
    (row,) = asked(driver, knowledge, "apr_memory")
    assert row["question"] == BORN
    assert row["answer"]
    assert (row["kind"], row["passages"]) == ("extractive", 1)
    assert row["facts"] >= 1
    found = lines(asked(driver, knowledge, "apr_remembered"))
    assert {end for _, type_, end in found if type_ == "ANSWERS"} == {BORN}
    assert ("was born in", "TAIL", "Ulm") in found
    assert answer.text in {start for start, type_, _ in found if type_ == "STANDS_ON"}
