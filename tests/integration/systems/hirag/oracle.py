"""HiRAG's index as Neo4j has it, without ids and generations, and what must hold of it."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any, LiteralString

import numpy as np
from tests.stored_vectors import count_vectors

from overstory.graph import schema
from overstory.graph.gds import projections
from overstory.graph.generations import slot_of
from overstory.knowledge import Knowledge
from overstory.systems.state import IndexState, read_state
from overstory.systems.vector_indexes import SCANNED
from overstory.vectors.packed import unpacked
from overstory_systems.hirag import HiRag, HiragIndexSettings
from overstory_systems.hirag.knowledge_graph import ENTITY

Rows = list[dict[str, Any]]

ENTITIES: LiteralString = """
MATCH (e:HiragEntity {corpus: $label})
RETURN e.id AS id, properties(e) AS node, labels(e) AS labels,
  COLLECT { MATCH (e)-[:STANDS_FOR]->(o:Entity) RETURN [o.key, o.name] } AS stands_for,
  COLLECT { MATCH (e)-[:HAS_DESCRIPTION]->(d) RETURN d.id } AS descriptions
"""
DESCRIPTIONS: LiteralString = """
MATCH (d:HiragDescription {corpus: $label})
RETURN d.id AS id, properties(d) AS node, COLLECT { MATCH (e:HiragEntity)-[:HAS_DESCRIPTION]->(d) RETURN e.id } AS of,
  COLLECT { MATCH (d)-[s:STANDS_ON]->(c:Chunk) RETURN c.id ORDER BY s.position } AS chunks,
  COLLECT { MATCH (d)-[:HAS_VECTOR]->(v:DerivedVector) RETURN v.id } AS vectors
"""
RELATIONS: LiteralString = """
MATCH (a:HiragEntity {corpus: $label})-[r:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]->(b)
RETURN type(r) AS type, a.ref AS source, b.ref AS target, a.generation = b.generation AS whole, properties(r) AS r
"""
NODES: LiteralString = """
MATCH (t:TreeNode {corpus: $label, tree: 'hirag'})
RETURN t.id AS id, properties(t) AS node, COLLECT { MATCH (t)-[:CHILD_OF]->(p) RETURN p.id } AS parents,
  COLLECT { MATCH (t)-[:COVERS]->(e) RETURN e.ref } AS covers,
  COLLECT { MATCH (t)-[:HAS_REPORT]->(r) RETURN r.id } AS reports
"""
REPORTS: LiteralString = """
MATCH (r:HiragReport {corpus: $label})
RETURN r.id AS id, properties(r) AS node,
  COLLECT { MATCH (r)-[s:STANDS_ON]->(c:Chunk) RETURN c.id ORDER BY s.position } AS chunks,
  COUNT { (r)<-[:HAS_REPORT]-() } AS users
"""
BRIDGES: LiteralString = """
MATCH (t:HiragCommunity {corpus: $label})-[b:BRIDGE]->(o) RETURN t.id AS source, o.id AS target, properties(b) AS b
"""
TEXTS: LiteralString = """
MATCH (n:Overstory {corpus: $label}) WHERE n.derived = 'hirag' OR n:HiragReading
UNWIND [n, null] AS x
WITH n, x WHERE x IS NOT NULL OR COUNT { (n)-[]->() } > 0
CALL (n, x) {
  WITH n, x WHERE x IS NOT NULL RETURN labels(n) AS what, properties(n) AS properties
  UNION ALL
  WITH n, x WHERE x IS NULL MATCH (n)-[r]->() RETURN [type(r)] AS what, properties(r) AS properties
}
UNWIND keys(properties) AS key
WITH what, key, properties[key] AS value WHERE value IS :: STRING OR value IS :: LIST<STRING>
RETURN what, key, value
"""


def read(knowledge: Knowledge, statement: LiteralString, **parameters: object) -> Rows:
    """Rows of a statement of the test's own about this corpus."""
    result = knowledge.graph.native_driver().execute_query(
        statement,
        {"label": knowledge.status().corpus.label, **parameters},
        database_=knowledge.graph.database,
    )
    return [record.data() for record in result.records]


def state_of(knowledge: Knowledge) -> IndexState[HiragIndexSettings]:
    state = read_state(HiRag(), knowledge.status().corpus)
    assert state is not None
    return state


def figures_of(knowledge: Knowledge) -> dict[str, float]:
    """The counts of the last build, those of the ledger among them."""
    (stage,) = (stage for stage in knowledge.status().stages if stage.name == "hirag")
    assert stage.status == "done"
    return {**state_of(knowledge).figures, **stage.counts}


def told_of(knowledge: Knowledge, word: str) -> list[tuple[str, str]]:
    """Where a word stands in what is stored: kind of node or relationship, and property."""
    found = [
        (
            next(
                kind
                for kind in row["what"]
                if kind.startswith("Hirag") or not kind.startswith(("Overstory", "Corpus_", "Of", "Shared"))
            ),
            row["key"],
        )
        for row in read(knowledge, TEXTS)
        if word.casefold() in str(row["value"]).casefold()
    ]
    return sorted(set(found))


def checked(knowledge: Knowledge) -> dict[str, Any]:
    """The whole index by names instead of ids, so that equal content gives equal values, after everything was checked
    that must hold of an index that is up to date, and that no build left anything behind."""
    state = state_of(knowledge)
    corpus = knowledge.status().corpus
    vectors = count_vectors(knowledge.graph, corpus)
    assert (vectors.unused, vectors.awaited, vectors.other_embedders) == (0, 0, 0)
    assert projections(knowledge.graph) == []
    entities = _entities(knowledge, state, corpus.label)
    relations = _relations(knowledge, entities)
    communities = _communities(knowledge, state, entities, relations)
    indexes = [name for name in schema.index_names(knowledge.graph, corpus.label) if ENTITY in name]
    wanted = schema.derived_index(corpus.label, ENTITY, slot_of(state.generation))
    assert indexes == ([] if ENTITY in state.details[SCANNED] else [wanted])
    return {"entities": entities, "relations": relations, **communities}


def layer_0(index: dict[str, Any]) -> tuple[dict[str, Any], dict[Any, Any]]:
    """Entities and relations of layer 0."""
    entities = {ref: entity for ref, entity in index["entities"].items() if ref.startswith("0:")}
    return entities, {key: each for key, each in index["relations"].items() if key[0] == "HIRAG_RELATED"}


def _entities(knowledge: Knowledge, state: IndexState[HiragIndexSettings], label: str) -> dict[str, Any]:
    rows = read(knowledge, ENTITIES)
    descriptions = {row["id"]: row for row in read(knowledge, DESCRIPTIONS)}
    slotted = {f"{label}_HiragEntity_A", f"{label}_HiragEntity_B"}
    found: dict[str, Any] = {}
    used: set[str] = set()
    for row in rows:
        node = row["node"]
        assert node["generation"] == state.generation
        assert slotted & set(row["labels"]) == {f"{label}_HiragEntity_{slot_of(state.generation)}"}
        assert node["ref"] == f"{node['layer']}:{node['key']}"
        assert len(row["descriptions"]) <= 1
        said: Any = None
        for each in row["descriptions"]:
            used.add(each)
            description = descriptions[each]
            assert len(description["vectors"]) == 1
            assert description["chunks"]
            assert description["of"] == [row["id"]]
            assert description["node"]["generation"] == state.generation
            said = (description["node"]["text"], description["node"]["by"], description["chunks"])
        if node["layer"] == 0 and node["by"] == "rules":
            assert row["stands_for"] == [[node["key"], node["name"]]]
            assert "OfEntity" in row["labels"]
        found[node["ref"]] = (node["name"], node["type"], node["by"], tuple(node["embedding"]), said)
    assert used == descriptions.keys()
    assert len(found) == len(rows)
    return found


def _relations(knowledge: Knowledge, entities: dict[str, Any]) -> dict[tuple[str, str, str], Any]:
    rows = read(knowledge, RELATIONS)
    found: dict[tuple[str, str, str], Any] = {}
    chunks = {row["id"] for row in read(knowledge, "MATCH (c:Chunk {corpus: $label}) RETURN c.id AS id")}
    for row in rows:
        kind, source, target, properties = row["type"], row["source"], row["target"], row["r"]
        assert row["whole"]
        assert {source, target} <= entities.keys()
        assert math.isclose(properties["cost"] * properties["weight"], 1.0)
        steps = int(target.split(":")[0]) - int(source.split(":")[0])
        assert steps == {"HIRAG_RELATED": 0, "SUMMARIZED_BY": 1, "SAME_AS": -1}[kind]
        assert set(properties.get("chunks", ())) <= chunks
        found[kind, source, target] = tuple(sorted((key, str(value)) for key, value in properties.items()))
    assert len(found) == len(rows)
    summaries = {target for kind, _, target in found if kind == "SUMMARIZED_BY"}
    assert summaries == {ref for ref in entities if not ref.startswith("0:")}
    return found


def _communities(
    knowledge: Knowledge,
    state: IndexState[HiragIndexSettings],
    entities: dict[str, Any],
    relations: dict[tuple[str, str, str], Any],
) -> dict[str, Any]:
    rows = {row["id"]: row for row in read(knowledge, NODES)}
    reports = {row["id"]: row for row in read(knowledge, REPORTS)}
    members = defaultdict[str, set[str]](set)
    levels = {row["node"]["level"] for row in rows.values()}
    bottom = max(levels)
    (root,) = (id_ for id_, row in rows.items() if not row["parents"])
    for id_, row in rows.items():
        assert row["node"]["generation"] == state.generation
        is_leaf = row["node"]["level"] == bottom and id_ != root
        assert len(row["covers"]) == int(is_leaf)
        assert len(row["parents"]) == int(id_ != root)
        above = id_
        while True:
            members[above].update(row["covers"])
            if above == root:
                break
            (parent,) = rows[above]["parents"]
            assert rows[parent]["node"]["level"] == rows[above]["node"]["level"] - 1
            above = parent
    assert members[root] == entities.keys()
    weights = {key: float(dict(value)["weight"]) for key, value in relations.items()}
    degrees = defaultdict[str, float](float)
    for (_, source, target), weight in weights.items():
        degrees[source] += weight
        degrees[target] += weight
    found: dict[tuple[int, tuple[str, ...]], Any] = {}
    names: dict[str, tuple[int, tuple[str, ...]]] = {}
    for id_, row in rows.items():
        node, here = row["node"], members[id_]
        assert node["size"] == len(here)
        assert math.isclose(node["volume"], sum(degrees[ref] for ref in here), rel_tol=1e-9, abs_tol=1e-9)
        cut = sum(weight for (_, source, target), weight in weights.items() if (source in here) != (target in here))
        assert math.isclose(node["cut"], cut, rel_tol=1e-9, abs_tol=1e-9)
        if node["level"] == bottom and id_ != root:
            continue
        report: Any = None
        assert len(row["reports"]) == int(id_ != root)
        for each in row["reports"]:
            report = {
                key: reports[each]["node"][key] for key in ("key", "title", "summary", "rating", "by", "findings")
            }
            report |= {"chunks": reports[each]["chunks"]}
        names[id_] = node["level"], tuple(sorted(here))
        vector = np.round(unpacked(node["vector"]), 3).tolist()
        found[names[id_]] = (round(node["volume"], 9), round(node["cut"], 9), vector, report)
    for report in reports.values():
        assert report["users"]
        assert report["node"]["generation"] == state.generation
        told = {chunk for chunks in report["node"]["finding_chunks"] for chunk in chunks.split()}
        assert told <= set(report["chunks"])
    bridges: set[Any] = set()
    for row in read(knowledge, BRIDGES):
        assert row["source"] < row["target"]
        bridge = row["b"]
        ends = [names[row["source"]], names[row["target"]]]
        refs = list(bridge["refs"])
        assert refs[0] in ends[0][1]
        assert refs[-1] in ends[1][1]
        assert [entities[ref][0] for ref in refs] == list(bridge["names"])
        if ends[0] > ends[1]:
            ends, refs = ends[::-1], refs[::-1]
        bridges.add((ends[0], ends[1], tuple(refs), round(bridge["cost"], 9)))
    return {"communities": found, "bridges": bridges}
