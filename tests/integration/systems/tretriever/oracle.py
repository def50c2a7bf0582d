"""Reads T-Retriever's index as it is stored, and checks what must always hold of it."""

from __future__ import annotations

from typing import Any, LiteralString

from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory.systems import find_system
from overstory.systems.state import IndexState, require_state
from overstory_systems.tretriever import TRetrieverIndexSettings

_TREE: LiteralString = """
    MATCH (t:TretrieverNode {corpus: $label, generation: $generation})
    OPTIONAL MATCH (t)-[:CHILD_OF]->(above:TretrieverNode)
    OPTIONAL MATCH (t)-[:COVERS]->(unit:Document|Entity)
    OPTIONAL MATCH (t)-[:HAS_REPORT]->(r:TretrieverSummary)
    RETURN t.id AS id, above.id AS parent, t.level AS level, t.size AS size, unit.id AS unit, r.title AS title,
      r.summary AS summary, t.embedding AS embedding,
      COLLECT { MATCH (r)-[:STANDS_ON]->(c:Chunk) RETURN c.id } AS stands_on
"""
_EDGES: LiteralString = """
    MATCH (a:TretrieverNode {corpus: $label, generation: $generation})-[e:TRETRIEVER_EDGE]->(b:TretrieverNode)
    MATCH (a)-[:COVERS]->(one), (b)-[:COVERS]->(other)
    RETURN one.id AS one, other.id AS other, e.weight AS weight, e.chunks AS chunks
"""


def state_of(knowledge: Knowledge) -> IndexState[TRetrieverIndexSettings]:
    return require_state(find_system("tretriever"), read_corpus(knowledge.graph, knowledge.corpus_name))


def figures_of(knowledge: Knowledge) -> dict[str, float]:
    """Return the figures of the last build and the counts of its stage."""
    (stage,) = (stage for stage in knowledge.status().stages if stage.name == "tretriever")
    return {**state_of(knowledge).figures, **stage.counts}


def read(knowledge: Knowledge, query: LiteralString) -> list[dict[str, Any]]:
    label, generation = knowledge.status().corpus.label, state_of(knowledge).generation
    rows, _, _ = knowledge.graph.native_driver().execute_query(
        query, label=label, generation=generation, database_=knowledge.graph.database
    )
    return [row.data() for row in rows]


def checked(knowledge: Knowledge) -> dict[str, Any]:
    """The stored index without ids of its own: its sets by their members, with summaries and vectors, and its edges."""
    nodes = {row["id"]: row for row in read(knowledge, _TREE)}
    members: dict[str, set[str]] = {id_: set() for id_ in nodes}
    for row in nodes.values():
        if row["unit"] is None:
            continue
        above: str | None = row["id"]
        while above is not None:
            members[above].add(row["unit"])
            above = nodes[above]["parent"]
    (root,) = (row for row in nodes.values() if row["parent"] is None)
    others = [row for row in nodes.values() if row is not root]
    assert len({frozenset(each) for each in members.values()}) == len(nodes), "a set is stored twice"
    for row in others:
        assert row["size"] == len(members[row["id"]])
        assert row["level"] == nodes[row["parent"]]["level"] + 1
        assert row["embedding"], "a node cannot be found"
        assert (row["unit"] is None) == (row["size"] > 1)
        assert (row["title"] is None) == (row["size"] == 1)
        assert row["size"] == 1 or row["stands_on"]
    sets = {
        tuple(sorted(members[row["id"]])): (row["title"], row["summary"], tuple(row["embedding"])) for row in others
    }
    edges = {
        (*sorted((row["one"], row["other"])), row["weight"], tuple(row["chunks"])) for row in read(knowledge, _EDGES)
    }
    return {"sets": sets, "edges": edges, "members": members[root["id"]]}


def sums(knowledge: Knowledge) -> dict[str, float]:
    """By how much sizes, and volumes of sets, differ from those of what is below them."""
    query = """
        MATCH (t:TretrieverNode {corpus: $label, generation: $generation})<-[:CHILD_OF]-(below:TretrieverNode)
        WITH t, sum(below.size) AS size, sum(below.volume) AS volume
        RETURN max(abs(t.size - size)) AS size, max(abs(t.volume - volume)) AS volume
    """
    (row,) = read(knowledge, query)
    return row
