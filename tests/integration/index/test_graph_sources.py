"""Graphs in a Neo4j database: read, never written, and followed as they change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import neo4j
import pytest
from tests.passages import OpenCorpus

from overstory import server
from overstory.errors import SettingsError
from overstory.index import DocumentChange
from overstory.knowledge import Knowledge
from overstory.settings import SourceSettings

SOURCE = "neo4j:TestFilm?key=title&text=title,tagline;TestPerson?key=name;[ACTED_IN]?text=roles;[MADE]?weight=share"
GRAPH = """
CREATE (salt:TestFilm {title: 'The Salt Road', tagline: 'They stay.', released: 1999, opened: date('1999-05-01'),
    at: point({x: 1.0, y: 2.0}), vector: [n IN range(1, 200) | n / 7.0], runs: duration('PT90M')}),
  (rivers:TestFilm:TestPerson {title: 'Two Rivers', name: 'no person'}),
  (ada:TestPerson {name: 'Ada Lind', bio: 'Born by the sea.', born: 1950}),
  (:TestPerson {name: 7}),
  (ada)-[:ACTED_IN {roles: ['Mother', 'Judge']}]->(salt), (ada)-[:MADE {share: 0.25}]->(rivers),
  (salt)-[:MADE]->(salt), (salt)-[:UNREAD]->(rivers), (ada)-[:MADE]->(:TestStudio {name: 'Elsewhere'})
"""


@pytest.fixture
def foreign(connection: server.Connection) -> Iterator[neo4j.Driver]:
    """A user's graph in the database of the corpora."""
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as driver:
        driver.execute_query(GRAPH, database_="neo4j")
        yield driver
        driver.execute_query("MATCH (n:TestFilm|TestPerson|TestStudio) DETACH DELETE n", database_="neo4j")


def dump(driver: neo4j.Driver) -> list[list[object]]:
    records, _, _ = driver.execute_query(
        "MATCH (n:TestFilm|TestPerson|TestStudio) OPTIONAL MATCH (n)-[r]-(m) "
        "RETURN elementId(n), labels(n), toString(size(keys(n))), type(r), elementId(m) ORDER BY 1, 5",
        database_="neo4j",
    )
    return [list(record.values()) for record in records]


def test_a_graph_of_the_same_database_is_loaded_and_followed(open_corpus: OpenCorpus, foreign: neo4j.Driver) -> None:
    knowledge = open_corpus()
    before = dump(foreign)
    report = knowledge.ingest(SOURCE)
    assert (report.added, report.links, report.unresolved, report.broken) == (4, 3, 0, [])
    documents = {document.source_key: document for document in knowledge.documents()}
    salt = documents["TestFilm:The Salt Road"]
    assert (salt.source, salt.title, salt.links) == ("neo4j:TestFilm", "The Salt Road", 1)
    assert salt.metadata == {
        "released": 1999,
        "opened": datetime(1999, 5, 1, tzinfo=UTC),
        "at": "point(1.0, 2.0)",
        "runs": "PT1H30M",
        "labels": ["TestFilm"],
    }
    assert documents["TestFilm:Two Rivers"].metadata["name"] == "no person"  # a node with two labels, once
    assert documents["TestPerson:7"].title == "7"
    assert texts(knowledge) == {
        "The Salt Road\nThey stay.",
        "Two Rivers",
        "bio: Born by the sea.",
        "7",
    }
    assert dump(foreign) == before
    assert knowledge.ingest(SOURCE).unchanged == 4

    foreign.execute_query(
        "MATCH (p:TestPerson {name: 'Ada Lind'})-[made:MADE]->(:TestFilm) SET p.bio = 'Born inland.' DELETE made "
        "WITH p MATCH (seven:TestPerson {name: 7}) DELETE seven",
        database_="neo4j",
    )
    changes: list[DocumentChange] = []
    preview = knowledge.preview(SOURCE, sync=True, on_change=changes.append)
    assert [(change.kind, change.origin) for change in changes] == [
        ("changed", "neo4j:TestPerson#TestPerson:Ada Lind"),
        ("removed", "neo4j:TestPerson#TestPerson:7"),
    ]
    assert (preview.changed, preview.removed, preview.links, preview.relinked) == (1, 1, 2, 1)
    report = knowledge.ingest(SOURCE)
    assert (report.changed, report.vanished, report.removed, report.relinked) == (1, 1, 0, 1)
    report = knowledge.ingest(SOURCE, sync=True)
    assert (report.unchanged, report.removed) == (3, 1)
    assert knowledge.ingest("neo4j:TestFilm?key=title&text=title,tagline", sync=True).removed == 0
    assert "no node has the label 'Document'" in str(knowledge.ingest("neo4j:Document?key=title").broken[0])


def test_one_typo_is_one_error_that_names_what_may_be_meant(open_corpus: OpenCorpus, foreign: neo4j.Driver) -> None:
    assert foreign is not None
    knowledge = open_corpus()
    (label,) = knowledge.preview("neo4j:TestFlim?key=title").broken
    assert str(label) == "neo4j:TestFlim: no node has the label 'TestFlim'"
    assert "TestFilm" in label.remedy
    assert "Overstory" not in label.remedy
    assert "Corpus_" not in label.remedy
    (key,) = knowledge.preview("neo4j:TestFilm?key=titel").broken
    assert "have no property 'titel'" in str(key)
    assert "title" in key.remedy


def test_another_database_is_read_with_secrets_of_its_own(
    open_corpus: OpenCorpus, foreign: neo4j.Driver, connection: server.Connection
) -> None:
    knowledge = open_corpus()
    wrong = SourceSettings(uri=connection.uri, user=connection.user, password="not-the-password")
    knowledge.settings = replace(knowledge.settings, source=wrong)
    report = knowledge.ingest(SOURCE)
    assert [str(error) for error in report.broken] == [f"{SOURCE}: the database refused the user or the password"]
    assert report.added == 0
    right = replace(wrong, uri=None, password=connection.password)
    knowledge.settings = replace(knowledge.settings, source=right)
    assert knowledge.ingest(SOURCE, from_uri=connection.uri).added == 4
    unreachable = knowledge.ingest(SOURCE, from_uri="bolt://127.0.0.1:1")
    assert "the database cannot be read: " in str(unreachable.broken[0])
    assert "127.0.0.1" not in str(unreachable.broken[0])
    with pytest.raises(SettingsError) as raised:
        knowledge.ingest(SOURCE, from_uri="bolt://me:secret@host")
    assert "secret" not in str(raised.value)
    assert {document.source for document in knowledge.documents()} == {"neo4j:TestFilm", "neo4j:TestPerson"}


def test_what_cannot_be_a_document_is_named_with_its_label(open_corpus: OpenCorpus, foreign: neo4j.Driver) -> None:
    foreign.execute_query(
        "MATCH (salt:TestFilm {title: 'The Salt Road'}) CREATE (:TestFilm {tagline: 'No title.'})-[:MADE]->(salt), "
        "(:TestFilm {title: 'Two Rivers'}), (:TestFilm {title: ['a', 'b']})",
        database_="neo4j",
    )
    knowledge = open_corpus()
    report = knowledge.ingest("neo4j:TestFilm?key=title")
    assert (report.added, report.links) == (2, 2)
    said = "\n".join(map(str, report.broken))
    assert len(report.broken) == 3
    assert "neo4j:TestFilm: 1 of 5 nodes with the label 'TestFilm' has no property 'title'" in said
    assert "has the same id 'TestFilm:Two Rivers' as record" in said
    assert "its title is a list" in said
    kept = knowledge.ingest("neo4j:TestFilm?key=released", sync=True)
    assert kept.removed == 0  # what could not be read is not gone
    assert kept.kept


def texts(knowledge: Knowledge) -> set[str]:
    records, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (c:Chunk {corpus: $label}) RETURN c.text",
        label=knowledge.status().corpus.label,
        database_=knowledge.graph.database,
    )
    return {str(record[0]) for record in records}
