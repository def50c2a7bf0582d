"""A reused and emptied corpus is like a new one."""

from __future__ import annotations

from typing import Any, LiteralString

import pytest
from tests.lending import Lending
from tests.passages import PASSAGES

from overstory.graph import schema
from overstory.graph.ids import corpus_label
from overstory.knowledge import Knowledge

NODES: LiteralString = """
MATCH (n) WHERE n.corpus = $label OR any(name IN labels(n) WHERE name STARTS WITH $label)
RETURN count(n) AS nodes
"""
INDEXES: LiteralString = """
SHOW INDEXES YIELD name, type, state, labelsOrTypes, properties, options WHERE name CONTAINS $label
RETURN name, type, state, labelsOrTypes, properties, options ORDER BY name
"""


def ask(knowledge: Knowledge, statement: LiteralString, label: str) -> list[dict[str, Any]]:
    rows, _, _ = knowledge.graph.native_driver().execute_query(statement, label=label, database_="neo4j")
    return [row.data() for row in rows]


@pytest.mark.slow
@pytest.mark.changes_schema
def test_an_emptied_corpus_is_as_a_new_one(lending: Lending, shared_corpus: Knowledge, systems: list[str]) -> None:
    with lending.opened() as open_corpus:
        lent = open_corpus()
        lent.ingest_documents(PASSAGES)
        lent.index(systems=systems)
        name, digest = lent.corpus_name, lent.digest()
        schema.sync_vector_index(lent.graph, corpus_label(name), "embedding", vectors=500, dimension=3)
    label = corpus_label(name)
    assert ask(shared_corpus, NODES, label) == [{"nodes": 0}]
    assert name not in {size.corpus.name for size in shared_corpus.corpora()}
    kept = ask(shared_corpus, INDEXES, label)
    schema.drop_indexes(shared_corpus.graph, label)
    with lending.opened() as open_corpus:
        new = open_corpus()
        new.ingest_documents(PASSAGES)
        assert new.corpus_name == name
        assert ask(new, INDEXES, label) == kept
        new.index(systems=systems)
        assert new.digest() == digest


def test_corpora_that_are_lent_at_the_same_time_differ(lending: Lending) -> None:
    with lending.opened() as first, lending.opened() as second:
        names = [each.corpus_name for each in (first(), first("other"), second(), second("other"))]
        assert len(set(names)) == 4
        assert first("other").corpus_name == names[1]
