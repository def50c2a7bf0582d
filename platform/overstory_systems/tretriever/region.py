"""The part of the stored index that a small change is placed in: the largest sets that hold changed vertices, whole.

What is read of the graph is as large as the change, whatever the size of the corpus. A vertex outside these sets has a
place here where it shares an edge with one inside: only so are volumes, cuts and digests of these as they are in the
whole graph.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from overstory.graph import Corpus, GraphClient, batches
from overstory.model.units import Unit
from overstory.protocols import Vectors
from overstory.systems.entity_graph import MOST_PASSAGES_READ_OF_AN_ENTITY, read_near_entities
from overstory.systems.state import unit_label
from overstory.systems.tree.reports import StoredReports
from overstory.systems.tree.stored import StoredTree, stored_node
from overstory.vectors.packed import of_unit_length
from overstory_systems.tretriever.graph_reads import (
    MOST_AVERAGED_PASSAGES,
    DocumentTexts,
    ReadGraph,
    VectorsOf,
    VertexLink,
    document_source,
    edges_of_links,
    mean_vector,
)
from overstory_systems.tretriever.index_settings import Vertices
from overstory_systems.tretriever.store import Edge, NodeDigests, StoredIndex
from overstory_systems.tretriever.vertex_graph import VertexGraph, VertexText

_TRETRIEVER_IDS_A_STATEMENT = 1_000
MOST_TOUCHED_VERTICES = 1_000
_MOST_REGION_VERTICES = 5_000
"""Vertices: a change that touches more is not a small one."""
_SAMPLED_DOCUMENTS = 500
"""Documents that tell which words are common in the whole corpus."""
ELSEWHERE = "~"
"""Stands for the rest of the graph, as a vertex without an edge, after all ids."""


@dataclass(frozen=True, slots=True)
class Region:
    """Some of the largest sets with all that is below them, the root, and what is stored of these.

    Attributes:
        root: its id.
        vectors: of leaves, by id.
        lost: vertices that deletions took out of the tree, wherever they were.
    """

    generation: int
    tree: StoredTree
    root: str
    index: StoredIndex
    reports: StoredReports
    vectors: Mapping[str, Vectors]
    edges: Mapping[tuple[str, str], tuple[float, tuple[str, ...]]]
    lost: int

    @property
    def leaves(self) -> dict[str, str]:
        """The ids of leaves by what they stand for."""
        return {node.unit: id_ for id_, node in self.tree.items() if node.unit}


@dataclass(frozen=True, slots=True)
class ReadRegion:
    """The vertices of a region as they are now, those right outside, and `ELSEWHERE`.

    Attributes:
        inside: the ids of vertices that belong to the region.
        sample: places of texts from all over the corpus, for `read.texts`.
    """

    read: ReadGraph
    inside: frozenset[str]
    sample: Sequence[int]


def touched_units(graph: GraphClient, corpus: Corpus, over: Vertices, read_to: int, generation: int) -> set[str]:
    """The documents or entities whose text or edges may have changed since a version of the corpus, as far as they are
    there.

    Args:
        generation: of the tree.
    """

    def touched(unit: Unit) -> list[str]:
        rows = graph.run(
            "systems/touched",
            corpus.label,
            read=True,
            unit=unit_label(corpus, unit),
            read_to=read_to,
            mark=None,
        )
        return [row["id"] for row in rows]

    if over == "documents":
        own = touched("document")
        return {*own, *_ids(graph, corpus, "systems/tretriever/linked", own)}
    names = {*touched("entity"), *_ids(graph, corpus, "systems/tretriever/names_in", touched("chunk"))}
    beside = _ids(
        graph,
        corpus,
        "systems/tretriever/flipped",
        sorted(names),
        generation=generation,
        most=MOST_PASSAGES_READ_OF_AN_ENTITY,
    )
    return names.union(beside)


def _ids(graph: GraphClient, corpus: Corpus, statement: str, ids: Sequence[str], **parameters: object) -> list[str]:
    return [
        row["id"]
        for some in batches(ids, _TRETRIEVER_IDS_A_STATEMENT)
        for row in graph.run(statement, corpus.label, read=True, ids=some, **parameters)
    ]


def read_region(graph: GraphClient, corpus: Corpus, generation: int, units: Collection[str]) -> Region | None:
    """The region of some vertices, and of the sets that lost some or their summary; None where it has more than
    `_MOST_REGION_VERTICES`.
    """
    label = corpus.label
    tops: dict[str, int] = {}
    for some in batches(sorted(units), _TRETRIEVER_IDS_A_STATEMENT):
        rows = graph.run("systems/tretriever/tops", label, read=True, ids=some, generation=generation)
        tops |= {row["id"]: row["size"] for row in rows}
    lost = 0
    for row in graph.run("systems/tretriever/incomplete", label, read=True, generation=generation):
        lost += row["lost"]
        tops |= {row["top"]: row["size"]} if row["top"] else {}
    if sum(tops.values()) > _MOST_REGION_VERTICES:
        return None
    tree: StoredTree = {}
    nodes: dict[str, NodeDigests] = {}
    vectors: dict[str, Vectors] = {}
    for row in graph.run("systems/tretriever/region", label, read=True, tops=sorted(tops), generation=generation):
        id_ = row["id"]
        tree[id_] = stored_node(row)
        if row["level"]:
            nodes[id_] = NodeDigests(row["source"], row["edges"])
        if row["embedding"] is not None:
            vectors[id_] = np.array(row["embedding"], dtype=np.float32)
    edges: dict[Edge, tuple[float, tuple[str, ...]]] = {}
    between: dict[tuple[str, str], tuple[float, tuple[str, ...]]] = {}
    for some in batches([id_ for id_, node in tree.items() if node.unit], _TRETRIEVER_IDS_A_STATEMENT):
        for row in graph.run("systems/tretriever/edges_of", label, read=True, ids=some):
            said = (row["weight"], tuple(row["chunks"]))
            edges[_pair(row["source"], row["target"])] = said
            if row["one"] and row["other"]:
                between[_pair(row["one"], row["other"])] = said
    reports = StoredReports.from_rows(
        row
        for some in batches([id_ for id_, node in tree.items() if node.vector], _TRETRIEVER_IDS_A_STATEMENT)
        for row in graph.run("systems/tretriever/summaries_of", label, read=True, ids=some)
    )
    (root,) = (id_ for id_, node in tree.items() if not node.level)
    return Region(generation, tree, root, StoredIndex(nodes, edges), reports, vectors, between, lost)


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def read_documents_of(graph: GraphClient, corpus: Corpus, region: Region, touched: Collection[str]) -> ReadRegion:
    sources: dict[str, str] = {}
    vectors: dict[str, Vectors] = {}
    links: list[VertexLink] = []
    linked: list[VertexLink] = []
    for some in batches(sorted({*region.leaves, *touched}), _TRETRIEVER_IDS_A_STATEMENT):
        rows = graph.run(
            "systems/tretriever/documents_of",
            corpus.label,
            read=True,
            ids=some,
            property=corpus.embedding_property,
            most=MOST_AVERAGED_PASSAGES,
        )
        for row in rows:
            sources[row["id"]] = document_source(row)
            vectors[row["id"]] = mean_vector(row["vectors"], corpus.dimension)
            links.extend(VertexLink(row["id"], *link) for link in row["links"])
            linked.extend(VertexLink(source, row["id"], *rest) for source, *rest in row["linked"])
    links += [link for link in linked if link.source not in sources]  # the others were read where they begin
    ids = [*sorted({*sources, *(end for link in links for end in (link.source, link.target))}), ELSEWHERE]
    ends, weights, says, turned = edges_of_links(ids, links)
    blank = np.zeros(corpus.dimension, dtype=np.float32)
    found = VertexGraph(
        "document",
        ids,
        [sources.get(id_, "") for id_ in ids],
        np.stack([vectors.get(id_, blank) for id_ in ids]),
        ends,
        weights,
        [()] * len(ends),
        says,
        turned,
    )
    sample = _sample(graph, corpus)
    texts = DocumentTexts(graph, corpus.label, [*ids, *sample])
    read = ReadGraph("documents", found, texts)
    return ReadRegion(read, frozenset(sources), range(len(ids), len(ids) + len(sample)))


def read_entities_of(
    graph: GraphClient, corpus: Corpus, region: Region, touched: Collection[str], vectors_of: VectorsOf
) -> ReadRegion:
    """
    Args:
        vectors_of: float32[n, d] of n texts.
    """
    leaves = region.leaves
    asked = {*leaves, *touched}
    near = read_near_entities(graph, corpus.label, asked)
    described = {each.id: each for each in near.graph.entities if each.id in asked}
    key = {each.key: each.id for each in near.graph.entities}
    inside = frozenset(described)
    exact = {id_ for id_ in inside if id_ in near.whole or id_ not in leaves}
    relations = {_pair(key[each.source], key[each.target]): each for each in near.graph.relations}
    edges: dict[tuple[str, str], tuple[float, tuple[str, ...], str]] = {
        pair: (each.weight, each.chunks, each.description)
        for pair, each in relations.items()
        if not exact.isdisjoint(pair)
    }
    for pair, (weight, chunks) in region.edges.items():
        if exact.isdisjoint(pair) and not inside.isdisjoint(pair):
            says = relations[pair].description if pair in relations else ""
            edges[pair] = (weight, chunks, says)
    ids = [*sorted({*inside, *(end for pair in edges for end in pair)}), ELSEWHERE]
    place = {id_: at for at, id_ in enumerate(ids)}
    order = sorted(edges, key=lambda pair: (place[pair[0]], place[pair[1]]))
    sources, stale = [""] * len(ids), list[int]()
    vectors = np.zeros((len(ids), corpus.dimension), dtype=np.float32)
    for id_ in sorted(inside):
        at, leaf = place[id_], leaves.get(id_, "")
        sources[at] = described[id_].source if id_ in exact else region.index.nodes[leaf].source
        if leaf in region.vectors and region.index.nodes[leaf].source == sources[at]:
            vectors[at] = region.vectors[leaf]
        else:
            stale.append(at)
    if stale:
        vectors[stale] = of_unit_length(vectors_of([described[ids[at]].embedded for at in stale]))
    found = VertexGraph(
        "entity",
        ids,
        sources,
        vectors,
        np.array([(place[one], place[other]) for one, other in order], dtype=np.int64).reshape(-1, 2),
        np.array([edges[pair][0] for pair in order], dtype=np.float64),
        [edges[pair][1] for pair in order],
        [edges[pair][2] for pair in order],
        np.zeros(len(order), dtype=np.bool_),
    )
    known = [
        digest if id_ in exact or id_ not in leaves else region.index.nodes[leaves[id_]].edges
        for id_, digest in zip(ids, found.edge_digests, strict=True)
    ]
    sample = _sample(graph, corpus)
    others = DocumentTexts(graph, corpus.label, sample)

    def texts(places: Sequence[int]) -> list[VertexText]:
        beyond = others([at - len(ids) for at in places if at >= len(ids)])
        there = iter(beyond)
        return [next(there) if at >= len(ids) else _said(ids[at]) for at in places]

    def _said(id_: str) -> VertexText:
        each = described.get(id_)
        return VertexText(each.name, each.description, each.chunks) if each else VertexText("", "", ())

    embedded = [described[id_].embedded if id_ in described else "" for id_ in ids]
    read = ReadGraph("entities", replace(found, digests=known), texts, embedded)
    return ReadRegion(read, inside, range(len(ids), len(ids) + len(sample)))


def _sample(graph: GraphClient, corpus: Corpus) -> list[str]:
    """Documents from all over the corpus."""
    return [
        row["id"] for row in graph.run("systems/tretriever/sample", corpus.label, read=True, limit=_SAMPLED_DOCUMENTS)
    ]
