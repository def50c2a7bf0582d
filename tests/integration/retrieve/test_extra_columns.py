"""Statements of a user's own on hits, on a real Neo4j."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Run

from overstory import HitStatement
from overstory.errors import StatementFailed, StatementRefused
from overstory.knowledge import Knowledge
from overstory.model.metadata import json_value

QUESTION = "Where was Albert Einstein born?"
NAMES = """
UNWIND $ids AS id
MATCH (:Overstory {id: id})-[:MENTIONS]->(e:Entity)
RETURN id, collect(DISTINCT e.name) AS names, count(*) > $most AS many
"""
ENDLESS = "UNWIND $ids AS id UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN id, sum(a * b) AS n"


def test_what_it_returns_goes_to_the_hits(shared_corpus: Knowledge) -> None:
    plain = shared_corpus.search(QUESTION, 3)
    found = shared_corpus.search(QUESTION, 3, enrich=HitStatement(NAMES, {"most": 1_000}))
    assert [hit.chunk_id for hit in found.hits] == [hit.chunk_id for hit in plain.hits]
    assert all(set(hit.extra) == {"names", "many"} for hit in found.hits)
    einstein = next(hit for hit in found.hits if hit.title == "Albert Einstein")
    assert "Albert Einstein" in einstein.extra["names"]  # type: ignore[operator] # pyright: ignore
    assert not einstein.extra["many"]
    assert not any(hit.extra for hit in plain.hits)
    assert list(found.to_pandas()["extra_many"]) == [False] * 3


def test_a_hit_without_a_row_has_nothing(shared_corpus: Knowledge) -> None:
    found = shared_corpus.search(QUESTION, 3, enrich="WITH $ids[1] AS id RETURN id, 'second' AS place")
    assert [hit.extra for hit in found.hits] == [{}, {"place": "second"}, {}]


def test_values_are_plain(shared_corpus: Knowledge) -> None:
    statement = """
    UNWIND $ids AS id
    MATCH (c:Overstory {id: id})-[p:PART_OF]->(d:Document)
    RETURN id, d {.source_key} AS some, [d.title, 1, null] AS list, datetime('2024-02-29T12:00:00Z') AS moment,
      date('2024-02-29') AS day, duration('P1D') AS while, point({x: 1, y: 2}) AS place, d AS node, p AS edge,
      $text AS text
    """
    quoted = "'}) DETACH DELETE n //"
    (hit,) = shared_corpus.search(QUESTION, 1, enrich=HitStatement(statement, {"text": quoted})).hits
    assert hit.extra["some"] == {"source_key": hit.source_key}
    assert hit.extra["list"] == [hit.title, 1, None]
    assert hit.extra["moment"] == datetime(2024, 2, 29, 12, tzinfo=UTC)
    assert (hit.extra["day"], hit.extra["while"], hit.extra["place"]) == ("2024-02-29", "P1D", [1.0, 2.0])
    assert hit.extra["text"] == quoted
    node = hit.extra["node"]
    assert isinstance(node, dict)
    assert node["title"] == hit.title
    assert isinstance(hit.extra["edge"], dict)
    assert json.loads(json.dumps(json_value(dict(hit.extra))))["moment"] == "2024-02-29T12:00:00+00:00"


def test_a_path_is_what_it_goes_through(shared_corpus: Knowledge) -> None:
    statement = "UNWIND $ids AS id MATCH way = (:Overstory {id: id})-[:PART_OF]->(:Document) RETURN id, way"
    (hit,) = shared_corpus.search(QUESTION, 1, enrich=statement).hits
    way = hit.extra["way"]
    assert isinstance(way, list)
    assert [each.get("id") for each in way] == [hit.chunk_id, None, hit.document_id]


@pytest.mark.parametrize(
    ("statement", "said", "remedy"),
    [
        ("UNWIND $ids AS id RETURN id AS chunk", "must return a column id, got chunk", "RETURN id"),
        ("UNWIND $ids AS id RETURN id + 'x' AS id", "which is not in", "UNWIND"),
        ("UNWIND $ids AS id RETURN null AS id", "None", "UNWIND"),
        ("UNWIND $ids AS id UNWIND [1, 2] AS n RETURN id, n", "several rows", "collect"),
        ("UNWIND $ids AS id RETUR id", "RETUR", "Browser"),
        ("UNWIND $ids AS id RETURN id, $language AS language", "language", "Browser"),
        ("UNWIND $ids AS id RETURN id, 1 / 0 AS n", "by zero", "Browser"),
        ("UNWIND $ids AS id CALL no.such() YIELD n RETURN id, n", "no.such", "Browser"),
        ("UNWIND $ids AS id MATCH (c:Overstory {id: id}) SET c.text = '' RETURN id", "tries to write", "read"),
        ("UNWIND $ids AS id MATCH (c:Overstory {id: id}) DETACH DELETE c RETURN id", "tries to write", "read"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_remedy(
    shared_corpus: Knowledge, statement: str, said: str, remedy: str
) -> None:
    before = shared_corpus.search(QUESTION, 2)
    with pytest.raises(StatementRefused, match=said) as caught:
        shared_corpus.search(QUESTION, 2, enrich=statement)
    assert remedy in caught.value.remedy
    assert shared_corpus.search(QUESTION, 2) == before


def test_a_parameter_that_neo4j_has_no_value_for_is_refused(shared_corpus: Knowledge) -> None:
    with pytest.raises(StatementRefused, match="object"):
        shared_corpus.search(QUESTION, enrich=HitStatement("UNWIND $ids AS id RETURN id, $a AS a", {"a": object()}))


@pytest.mark.slow
def test_a_statement_without_end_is_stopped_at_the_time_limit(shared_corpus: Knowledge) -> None:
    database = dataclasses.replace(shared_corpus.settings.database, query_seconds=1.0)
    impatient = Knowledge("shared", settings=dataclasses.replace(shared_corpus.settings, database=database))
    impatient.use(embedder=shared_corpus.embedder, extractor=shared_corpus.extractor)
    with impatient, pytest.raises(StatementFailed, match="time limit"):
        impatient.search(QUESTION, 1, retriever="lexical", enrich=ENDLESS)


def test_the_command_line_shows_what_it_returns(overstory: Run, tmp_path: Path, shared_corpus: Knowledge) -> None:
    file = tmp_path / "names.cypher"
    file.write_text("// Ä\nUNWIND $ids AS id RETURN id, date('2024-02-29') AS day, ['a', 1] AS list", encoding="utf-8")
    command = ("search", QUESTION, "-k", "1", "--corpus", "shared", "--enrich", file)
    shown = overstory(*command)
    assert "    day: 2024-02-29\n" in shown.out
    assert '    list: ["a", 1]\n' in shown.out
    evidence: Any = overstory(*command, "--json").json()
    assert evidence["hits"][0]["extra"] == {"day": "2024-02-29", "list": ["a", 1]}
    file.write_text("UNWIND $ids AS id MATCH (c:Overstory {id: id}) SET c.a = 1 RETURN id", encoding="utf-8")
    refused = overstory(*command)
    assert (refused.code, "tries to write" in refused.err) == (10, True)


def test_a_question_without_hits_runs_nothing(shared_corpus: Knowledge) -> None:
    assert not shared_corpus.search("zzzz qqqq", retriever="lexical", enrich="nonsense $ids").hits
