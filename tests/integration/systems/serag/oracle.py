"""SeRAG's index as it has to be: the chunk graph by its definitions, in plain Python, and what Neo4j has of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp
from typing import Any, LiteralString

import numpy as np
import pytest

from overstory.knowledge import Knowledge
from overstory.protocols import Vectors
from overstory.systems.state import IndexState, read_state
from overstory_entropy import EncodingTree, Graph, structural_entropy, structural_weights
from overstory_systems.serag import SeRag, SeragIndexSettings

Pair = tuple[str, str]
"""Two chunks, the one with the lower id first."""
Rows = list[dict[str, Any]]  # of statements of the tests' own

LINKED = "MATCH (a:Chunk {corpus: $label})-[l:LINKED]->(b) RETURN a.id AS one, b.id AS other, properties(l) AS parts"
CHUNKS = """
MATCH (c:Chunk {corpus: $label})-[:PART_OF]->(d)
MATCH (c)-[:HAS_VECTOR]->(v)
RETURN c.id AS id, d.id AS document, c.seq AS seq, v[$property] AS vector,
  COLLECT { MATCH (c)-[m:MENTIONS]->(e) WHERE m.by IN ['ner', 'openie'] RETURN DISTINCT e.id } AS entities
ORDER BY id
"""
NODES = """
MATCH (t:TreeNode {corpus: $label, tree: $tree, generation: $generation})
RETURN t.id AS id, properties(t) AS node, labels(t) AS labels,
  COLLECT { MATCH (t)-[:CHILD_OF]->(p) RETURN p.id } AS parents,
  COLLECT { MATCH (t)-[:COVERS]->(c) RETURN c.id } AS covers
"""
ENTROPY = """
MATCH (root:TreeNode {corpus: $label, tree: $tree, generation: $generation, level: 0})
MATCH (t:TreeNode {corpus: $label, tree: $tree, generation: $generation})-[:CHILD_OF]->(above) WHERE t.cut > 0
RETURN coalesce(sum(-t.cut / root.volume * log(t.volume / above.volume) / log(2)), 0.0) AS entropy
"""


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of the chunk graph with its parts, in 32 bits as they are computed."""

    similar: float
    shared: float
    near: float

    @property
    def weight(self) -> float:
        return 0.45 * self.similar + 0.45 * self.shared + 0.10 * self.near


def read(knowledge: Knowledge, statement: LiteralString, **parameters: object) -> Rows:
    """Rows of a statement of the test's own about this corpus."""
    result = knowledge.graph.native_driver().execute_query(
        statement,
        {"label": knowledge.status().corpus.label, **parameters},
        database_="neo4j",
    )
    return [record.data() for record in result.records]


def kept_of(knowledge: Knowledge) -> IndexState[SeragIndexSettings]:
    kept = read_state(SeRag(), knowledge.status().corpus)
    assert kept is not None
    return kept


def chunk_rows(knowledge: Knowledge) -> Rows:
    return read(knowledge, CHUNKS, property=knowledge.status().corpus.embedding_property)


def unit_vectors(chunks: Rows) -> Vectors:
    if not chunks:
        return np.zeros((0, 1), dtype=np.float32)
    vectors = np.array([row["vector"] for row in chunks], dtype=np.float32)
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def chunk_graph(knowledge: Knowledge) -> dict[Pair, Edge]:
    """Every edge that the definitions ask for, from vectors, mentions and places alone. No list is cut short."""
    chunks, settings = chunk_rows(knowledge), kept_of(knowledge).settings
    vectors = unit_vectors(chunks)
    # numpy multiplies a matrix by itself in a way of its own, whose last bits are others
    cosines = np.rint((vectors.copy() @ vectors.T).astype(np.float64) * 2**20) / 2**20
    np.fill_diagonal(cosines, -np.inf)
    # On the other side of the diagonal OpenBLAS may add up in another order (its kernels for AVX2 do), so that a pair
    # has two cosines, a step apart. The one in the list of the lower number counts, else that in the other's.
    near_in_meaning: dict[tuple[int, int], float] = {}
    for one, row in enumerate(cosines):
        for other in np.argsort(-row, kind="stable")[: min(settings.nearest, len(chunks) - 1)].tolist():
            near_in_meaning.setdefault((min(one, other), max(one, other)), float(row[other]))
    most = min(max(50, len(chunks) // 10), settings.common)
    mentions = [set(row["entities"]) for row in chunks]
    held = {entity: sum(entity in each for each in mentions) for entity in set[str]().union(*mentions)}
    edges: dict[Pair, Edge] = {}
    for other in range(len(chunks)):
        for one in range(other):
            both = {entity for entity in mentions[one] & mentions[other] if held[entity] <= most}
            apart = abs(chunks[one]["seq"] - chunks[other]["seq"])
            nearness = exp(-(apart**2) / 50) if chunks[one]["document"] == chunks[other]["document"] else 0.0
            edge = Edge(
                similar=max(0.0, near_in_meaning.get((one, other), 0.0)),
                shared=float(np.float32(len(both) / max(len(mentions[one]), len(mentions[other]), 1))),
                near=float(np.float32(nearness)) if nearness >= 0.1 else 0.0,
            )
            if edge.weight > 1e-6:
                edges[chunks[one]["id"], chunks[other]["id"]] = edge
    return edges


def strongest(weights: dict[Pair, float], most: int) -> set[Pair]:
    """Return the pairs among the `most` strongest of either end; ties are ordered by id."""
    kept: set[Pair] = set()
    for chunk in {end for pair in weights for end in pair}:
        own = [(-weight, one if other == chunk else other, (one, other)) for (one, other), weight in weights.items()]
        kept |= {pair for _, _, pair in sorted(each for each in own if chunk in each[2])[:most]}
    return kept


def stored_links(knowledge: Knowledge) -> dict[Pair, dict[str, float]]:
    """The edges that Neo4j has; none of them twice."""
    rows = read(knowledge, LINKED)
    links = {(row["one"], row["other"]): row["parts"] for row in rows}
    assert len(links) == len(rows) == len({frozenset(pair) for pair in links})
    return links


def assert_links(knowledge: Knowledge, edges: dict[Pair, Edge]) -> None:
    """LINKED are the strongest edges of each chunk in each graph that the index has a tree of, with their parts."""
    links, settings = stored_links(knowledge), kept_of(knowledge).settings
    fused = strongest({pair: edge.weight for pair, edge in edges.items()}, settings.linked)
    similar = {pair: edge.similar for pair, edge in edges.items() if edge.similar > 1e-6}
    alone = strongest(similar, settings.linked) if settings.semantic else set[Pair]()
    assert links.keys() == fused | alone
    for pair, parts in links.items():
        edge = edges[pair]
        expected = {"similar": edge.similar, "shared": edge.shared, "near": edge.near}
        expected |= {"weight": edge.weight} if pair in fused else {}
        expected |= {"semantic_weight": edge.similar} if pair in alone else {}
        assert parts == pytest.approx(expected, abs=2e-5), pair


def right_links(knowledge: Knowledge, edges: dict[Pair, Edge]) -> float:
    """The share of LINKED, as they are and as they have to be, in which both agree."""
    links = stored_links(knowledge).keys()
    wanted = strongest({pair: edge.weight for pair, edge in edges.items()}, kept_of(knowledge).settings.linked)
    return len(links & wanted) / max(len(links | wanted), 1)


@dataclass(frozen=True, slots=True)
class StoredTree:
    """A tree that is right: what it groups, its entropy, and what its leaves bring to that."""

    communities: frozenset[tuple[int, frozenset[str]]]
    entropy: float
    of_leaves: float


def checked_tree(
    knowledge: Knowledge,
    edges: dict[Pair, Edge],
    tree: str = "serag",
    *,
    within: float = 1e-6,
    placed: bool = False,
    near: bool = False,
) -> StoredTree:
    """The tree that Neo4j has over these edges, every node of it checked.

    Args:
        within: bits. Cosines that were computed at different times may differ in their last step of 2⁻²⁰.
        placed: chunks were placed since the whole was clustered: vectors of communities are near.
        near: so are volumes and cuts, which are only sums that agree with each other. The entropy is that of the tree
            over these edges.
    """
    kept = kept_of(knowledge)
    which: dict[str, object] = {"tree": tree, "generation": kept.generation}
    rows = read(knowledge, NODES, **which)
    chunks = chunk_rows(knowledge)
    leaves = {row["covers"][0]: row for row in rows if row["covers"]}
    assert leaves.keys() == {row["id"] for row in chunks}
    assert sum(len(row["covers"]) for row in rows) == len(chunks)
    ordered = [leaves[row["id"]] for row in chunks] + [row for row in rows if not row["covers"]]
    number = {row["id"]: place for place, row in enumerate(ordered)}
    assert all(len(row["parents"]) == (row["node"]["level"] > 0) for row in ordered)
    parents = [number[row["parents"][0]] if row["parents"] else -1 for row in ordered]
    graph = graph_of([row["id"] for row in chunks], edges, alone=tree != "serag")
    computed = EncodingTree.from_parents(graph, parents)
    place = _places(computed, parents, len(chunks))
    communities: set[tuple[int, frozenset[str]]] = set()
    vectors = unit_vectors(chunks)
    for row, at in zip(ordered, place, strict=True):
        node = row["node"]
        members = computed.members(at)
        assert "SeragNode" in row["labels"]
        assert node["level"] == computed.depths[at]
        assert node["size"] == len(members)
        if near:
            below = [each["node"]["volume"] for each in ordered if row["id"] in each["parents"]]
            assert at < len(chunks) or node["volume"] == pytest.approx(sum(below), rel=1e-6, abs=1e-6)
            assert 0.0 <= node["cut"] <= node["volume"]
        else:
            assert node["volume"] == pytest.approx(computed.volume[at], rel=1e-5)
            assert node["cut"] == pytest.approx(computed.cut[at], rel=1e-5, abs=1e-6)
        if at < len(chunks):
            assert node["level"] == kept.settings.levels + 1
            assert "vector" not in node
        else:
            _assert_vector(node["vector"], computed, at, vectors, least=0.8 if placed or near else None)
            communities.add((node["level"], frozenset(chunks[member]["id"] for member in members.tolist())))
    (row,) = read(knowledge, ENTROPY, **which)
    assert row["entropy"] == pytest.approx(kept.details["entropies"][tree], abs=1e-6, rel=1e-3 if near else None)
    assert near or row["entropy"] == pytest.approx(structural_entropy(graph, computed), abs=within)
    of_leaves = float(computed.node_entropy[: len(chunks)].sum())
    return StoredTree(frozenset(communities), computed.entropy, of_leaves)


def graph_of(chunks: list[str], edges: dict[Pair, Edge], *, alone: bool = False) -> Graph:
    """For the engine; of meaning alone, where that is asked for."""
    number = {id_: place for place, id_ in enumerate(chunks)}
    ends = np.array([[number[one], number[other]] for one, other in edges], dtype=np.int64).reshape(-1, 2)
    weights = [edge.similar if alone else edge.weight for edge in edges.values()]
    return Graph.from_edges(len(chunks), ends, np.array(weights, dtype=np.float64))


def generations_of(knowledge: Knowledge) -> set[int]:
    """Those that have nodes in the graph."""
    return {
        row["g"] for row in read(knowledge, "MATCH (t:TreeNode {corpus: $label}) RETURN DISTINCT t.generation AS g")
    }


def _places(tree: EncodingTree, parents: list[int], leaves: int) -> list[int]:
    """The number that each node has in a tree that was numbered again."""
    place = {leaf: leaf for leaf in range(leaves)}
    for leaf in range(leaves):
        old, new = parents[leaf], int(tree.parents[leaf])
        while old >= 0:
            place[old] = new
            old, new = parents[old], int(tree.parents[new])
    place.setdefault(len(parents) - 1, len(parents) - 1)  # the root of nothing
    return [place[node] for node in range(len(parents))]


def _assert_vector(
    packed: Iterable[int], tree: EncodingTree, node: int, vectors: Vectors, *, least: float | None
) -> None:
    """Eq. 8 and 9, within what 16 bits hold, or the cosine with that of the least."""
    members, weights = tree.members(node), structural_weights(tree, node)
    mean = weights @ vectors[members] if weights.sum() > 0 else vectors[members].sum(axis=0)
    found, length = np.frombuffer(bytes(packed), dtype="<f2"), float(np.linalg.norm(mean))
    if length and least is not None:
        assert float(found.astype(np.float64) @ mean) / length >= least
    elif length:
        np.testing.assert_allclose(found, mean / length, atol=6e-4)
    else:
        assert not found.any()
