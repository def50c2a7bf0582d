"""The doctor finds faults in the indexes that systems own."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Callable
from typing import LiteralString

import pytest
from tests.passages import DANUBE, ULM, OpenCorpus

from overstory.doctor import check_systems, check_vector_indexes
from overstory.graph import read_corpus, schema, writing
from overstory.knowledge import Knowledge
from overstory.server import Check


def change(knowledge: Knowledge, statement: LiteralString) -> None:
    """Runs a statement of the test's own."""
    label = read_corpus(knowledge.graph, knowledge.corpus_name).label
    knowledge.graph.native_driver().execute_query(statement, {"label": label}, database_="neo4j")


def found(knowledge: Knowledge) -> list[Check]:
    """Return the findings about this corpus only, because tests share the database."""
    checks = itertools.chain(check_systems(knowledge.graph), check_vector_indexes(knowledge.graph))
    return [check for check in checks if knowledge.corpus_name in check.detail]


@pytest.mark.slow
@pytest.mark.changes_schema
def test_an_index_is_missed_whose_system_is_gone_and_whole_ones_are_not(
    open_corpus: OpenCorpus, vector_index_from: Callable[[int], None]
) -> None:
    vector_index_from(1)  # or so few entities would be scanned
    knowledge = open_corpus()
    knowledge.ingest_documents([ULM, DANUBE])
    knowledge.index(systems=["serag", "slimrag"])
    assert found(knowledge) == []
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    with writing(knowledge.graph, corpus, "test") as writer:
        writer.set(system_bramble="{}")
    (check,) = found(knowledge)
    assert not check.ok
    assert "'bramble'" in check.detail
    assert "not installed" in check.detail
    assert "--remove-system bramble" in check.remedy
    schema.drop_derived_index(knowledge.graph, corpus.label, "SlimEntity")
    missing = next(check for check in found(knowledge) if "SlimEntity" in check.detail)
    assert "is missing" in missing.detail
    assert f"overstory index --corpus {shlex.quote(knowledge.corpus_name)} --rebuild-indexes" in missing.remedy
    knowledge.index(rebuild_indexes=True)
    assert [check.detail for check in found(knowledge)] == [check.detail]


def test_nodes_of_a_build_or_removal_that_was_killed_are_found_until_they_are_removed(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([ULM, DANUBE])
    knowledge.index(systems=["serag"])
    change(knowledge, "MATCH (c:Corpus {corpus: $label}) REMOVE c.system_serag")  # as a removal begins
    (check,) = found(knowledge)
    assert not check.ok
    assert "nodes of SeRAG" in check.detail
    assert f"overstory index --remove-system serag --corpus {shlex.quote(knowledge.corpus_name)}" in check.remedy
    with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "test"):
        assert found(knowledge) == []  # somebody may be at it
    knowledge.remove_system("serag")
    assert found(knowledge) == []
    change(
        knowledge,
        "CREATE (n:Overstory:SeragNode {id: 'left', corpus: $label}) SET n:$($label), n:$($label + '_SeragNode')",
    )
    (check,) = found(knowledge)
    assert check.detail.startswith("1 node of SeRAG")
    knowledge.remove_system("serag")
    assert found(knowledge) == []


@pytest.mark.changes_schema
def test_deleting_a_corpus_takes_what_systems_own_along(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([ULM, DANUBE])
    knowledge.index(systems=["serag", "slimrag"])
    label = read_corpus(knowledge.graph, knowledge.corpus_name).label
    change(knowledge, "CREATE (n:Overstory:BrambleNode {id: 'of nobody', corpus: $label}) SET n:$($label)")
    knowledge.delete_corpus()
    rows = knowledge.graph.native_driver().execute_query(
        "MATCH (n {corpus: $label}) RETURN count(n) AS nodes", {"label": label}, database_="neo4j"
    )
    assert rows.records[0]["nodes"] == 0
    assert not [row["name"] for row in knowledge.graph.run("schema/index_names", read=True) if label in row["name"]]
