"""What T-Retriever's index holds for a tree: its summaries, its vectors and its edges, as changes of what is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from overstory.display import counted
from overstory.graph import Transaction
from overstory.index.derived_vectors import DerivedVectors, remove_unused_of, vectors_of_nodes
from overstory.protocols import Vectors
from overstory.systems.base import SystemRun
from overstory.systems.figures import ModelRequests, PartSeconds, TimedEmbedder
from overstory.systems.statements import run_statements
from overstory.systems.texts.reports import Report, write_levels
from overstory.systems.tree.build import TreeNodes
from overstory.systems.tree.changes import TreeChanges, tree_changes, write_tree_in
from overstory.systems.tree.reports import (
    ReportChanges,
    StoredReports,
    report_changes,
    report_id,
    store_reports_in,
)
from overstory.systems.tree.stored import StoredTree
from overstory_entropy import EncodingTree, Graph
from overstory_systems.tretriever.graph_reads import ReadGraph
from overstory_systems.tretriever.index_settings import TRetrieverIndexSettings
from overstory_systems.tretriever.names import NAME
from overstory_systems.tretriever.store import (
    Edge,
    IndexChanges,
    StoredIndex,
    WantedNode,
    index_changes,
    text_digest,
)
from overstory_systems.tretriever.summaries import (
    NAMED_SET_MEMBERS,
    SHOWN_SET_MEMBERS,
    SetToSummarise,
    SetWithTexts,
    ShownEdge,
    common_words,
    with_texts,
)
from overstory_systems.tretriever.vertex_graph import Ints, VertexGraph
from overstory_systems.tretriever.writers import summariser_for

_MOST_SUMMARISED_MEMBERS = 30
"""Vertices of a set that are read for its summary, those nearest to the mean of all."""
_MOST_SUMMARISED_EDGES = 30  # edges between them that are read, too
_MOST_SUMMARISED_PARTS = 20
"""Summaries of sets right below that are read with them, those of the largest."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The index as it is stored."""

    generation: int
    tree: StoredTree
    index: StoredIndex
    reports: StoredReports


@dataclass(frozen=True, slots=True)
class ContentChanges:
    """All rows that bring the stored index up to date, and how many nodes the tree then has."""

    tree: TreeChanges
    reports: ReportChanges
    index: IndexChanges
    nodes: int

    def __len__(self) -> int:
        return len(self.tree) + len(self.reports) + len(self.index)

    @property
    def parted(self) -> list[str]:
        """The ids of nodes that may leave their vectors."""
        gone = [*self.tree.gone, *(row["id"] for row in self.reports.gone)]
        return [*gone, *(row["id"] for row in self.index.joined)]


@dataclass(slots=True)
class Contents:
    """What an index is to hold, in one build.

    Attributes:
        timed: the seconds of the parts of the build.
        notes: on the summaries of the last tree: a change that is too large to make in place makes two.
    """

    job: SystemRun[TRetrieverIndexSettings]
    timed: PartSeconds = field(init=False)
    notes: Sequence[str] = field(default=(), init=False)
    _store: DerivedVectors = field(init=False)
    _asked: ModelRequests = field(init=False)

    def __post_init__(self) -> None:
        self._asked, self.timed = ModelRequests(self.job.chat, NAME), PartSeconds(self.job.figures)
        embedder = TimedEmbedder(self.job.context.embedder, self.timed, self.job.figures)
        self._store = DerivedVectors(self.job.writer, embedder, stage=NAME)

    def vectors_of(self, texts: Sequence[str]) -> Vectors:
        """float32[n, d]: those that are stored, the others made now."""
        with self.timed("vectors"):
            return self._store.of(texts)

    def changes(
        self,
        read: ReadGraph,
        edges: Graph,
        tree: EncodingTree,
        nodes: TreeNodes,
        stored: Stored,
        sample: Sequence[int],
        *,
        placed: TreeNodes,
    ) -> ContentChanges:
        """What differs from what is stored, with the summaries that are missing.

        Args:
            nodes: of `tree`.
            sample: see `_summaries`.
            placed: of these nodes those that are to be stored.
        """
        label, kind, generation = self.job.corpus.label, nodes.kind, stored.generation
        with self.timed("summaries"):
            reports = self._summaries(Sets(read.graph, edges, tree), read, stored.reports, sample)
        by_id = {nodes.ids[node]: report for node, report in reports.items()}
        report_rows = report_changes(kind, label, generation, by_id, stored.reports)
        new_summaries = {row["id"] for row in report_rows.new}
        return ContentChanges(
            tree_changes(placed, stored.tree),
            report_rows,
            self._index_changes(read, nodes, reports, stored, new_summaries, frozenset(placed.units)),
            len(tree),
        )

    def commit(self, changes: ContentChanges, generation: int, placed: int, details: Mapping[str, object]) -> None:
        """All of it and the new state, in one transaction."""
        job = self.job

        def write(tx: Transaction) -> None:
            label = job.corpus.label
            was = vectors_of_nodes(tx, label, changes.parted)
            write_tree_in(tx, label, changes.tree)
            store_reports_in(tx, label, changes.reports)
            run_statements(tx, label, changes.index.statements(label))
            tx.run("systems/tretriever/forget_parted", label)
            remove_unused_of(tx, label, was)
            job.publish_in(tx, job.state(generation=generation, placed=placed, details=details))

        with self.timed("write"):
            job.commit(write)

    def _summaries(
        self, sets: Sets, read: ReadGraph, stored: StoredReports, sample: Sequence[int]
    ) -> dict[int, Report]:
        """The summaries of all sets of two or more but the root: those that are stored, and the others written now.

        Args:
            sample: places of texts that tell which words are common.
        """
        job = self.job
        summariser = summariser_for(job.chat, job.model, common_words(read.texts, sample))

        def to_summarise(nodes: Sequence[int], reports: Mapping[int, Report]) -> Iterator[SetWithTexts]:
            return with_texts(
                sets.to_summarise(nodes, reports), read.texts, SHOWN_SET_MEMBERS if job.chat else NAMED_SET_MEMBERS
            )

        job.progress.start(f"{NAME} summaries", sets.count, "sets")
        found = write_levels(sets.levels(), to_summarise, summariser, known=stored.by_key, progress=job.progress)
        job.progress.finish(f"{counted(found.written, 'summary', 'summaries')} written")
        self.notes = summariser.notes
        job.figures |= {"sets": len(found.of_node), "summaries_written": found.written}
        job.figures |= self._asked.figures()
        return found.of_node

    def _index_changes(
        self,
        read: ReadGraph,
        nodes: TreeNodes,
        reports: Mapping[int, Report],
        stored: Stored,
        new_summaries: Iterable[str],
        inside: Collection[str],
    ) -> IndexChanges:
        """Vectors of leaves and summaries, digests, and edges between leaves that stand for entities.

        Args:
            inside: what the leaves stand for that are stored with this tree.
        """
        graph, label, generation = read.graph, self.job.corpus.label, stored.generation
        digests = graph.edge_digests
        vector_ids = self._store.ids(read.embedded) if read.embedded else [""] * len(graph.ids)
        wanted = [
            WantedNode(id_, source, digest, id_ if vector else "", vector)
            for id_, unit, source, digest, vector in zip(
                nodes.ids, nodes.units, graph.sources, digests, vector_ids, strict=False
            )
            if unit in inside
        ]
        texts = {node: f"{report.title}. {report.summary}" for node, report in reports.items()}
        digest = {node: text_digest(text) for node, text in texts.items()}
        summaries = dict(zip(texts, self._store.ids(texts.values()), strict=True))
        for node in texts:
            owner = report_id(label, nodes.kind, generation, reports[node].key)
            wanted.append(WantedNode(nodes.ids[node], digest[node], "", owner, summaries[node]))
        before = stored.index.nodes
        new = [node for node in texts if (was := before.get(nodes.ids[node])) is None or was.source != digest[node]]
        embedded = self.vectors_of([texts[node] for node in new])
        vectors: dict[str, Vectors] = {nodes.ids[node]: vector for node, vector in zip(new, embedded, strict=True)}
        vectors |= {nodes.ids[at]: graph.vectors[at] for at in np.flatnonzero(graph.vectors.any(axis=1)).tolist()}
        edges: dict[Edge, tuple[float, tuple[str, ...]]] = {}
        if graph.unit == "entity":
            rows = zip(graph.ends.tolist(), graph.weights.tolist(), graph.chunks, strict=True)
            for (one, other), weight, chunks in rows:
                first, second = sorted((nodes.ids[one], nodes.ids[other]))
                edges[first, second] = (weight, chunks)
        return index_changes(generation, wanted, vectors, edges, stored.index, frozenset(new_summaries))


class Sets:
    """What the summaries of a tree's sets are made from: texts of vertices and edges (T-Retriever, Eq. 10).

    Attributes:
        count: how many sets of two vertices or more there are, without the root.
        keys: of every node a digest of what stands below it: what its summary is made from.
    """

    def __init__(self, graph: VertexGraph, edges: Graph, tree: EncodingTree) -> None:
        """
        Args:
            edges: `graph` for the entropy engine, as the tree was made over it.
            tree: without pass-through nodes.
        """
        self._graph, self._edges, self._tree = graph, edges, tree
        self._local = np.full(len(graph.ids), -1, dtype=np.int64)
        self.count = max(0, len(tree) - tree.leaves - 1)
        self.keys = _keys(graph, tree)

    def levels(self) -> Iterator[dict[int, str]]:
        """The keys of nodes of two vertices or more but the root, those of the lowest level first."""
        tree = self._tree
        inner = np.arange(tree.leaves, len(tree) - 1)
        for depth in range(tree.height - 1, 0, -1):
            yield {node: self.keys[node] for node in inner[tree.depths[inner] == depth].tolist()}

    def to_summarise(self, nodes: Sequence[int], reports: Mapping[int, Report]) -> Iterator[SetToSummarise]:
        """These nodes, in order.

        Args:
            reports: of the nodes summarised so far; those of a node's children must be there when it is asked for.
        """
        tree = self._tree
        for node in nodes:
            members = np.sort(tree.members(node))
            shown = self._nearest_to_mean(members)
            below = tree.children(node)
            parts = [child for child in below.tolist() if child in reports]
            parts.sort(key=lambda child: (-int(tree.sizes[child]), child))
            volume = float(tree.volume[node])
            yield SetToSummarise(
                key=self.keys[node],
                members=shown.tolist(),
                size=len(members),
                inside=1.0 - float(tree.cut[node]) / volume if volume > 0.0 else 0.0,
                edges=self._edges_among(shown),
                parts=[reports[child] for child in parts[:_MOST_SUMMARISED_PARTS]],
            )

    def _nearest_to_mean(self, members: Ints) -> Ints:
        vectors = self._graph.vectors[members]
        cosines = np.rint(vectors @ vectors.mean(axis=0) * 2**20)
        return members[np.argsort(-cosines, kind="stable")[:_MOST_SUMMARISED_MEMBERS]]

    def _edges_among(self, members: Ints) -> list[ShownEdge]:
        """The strongest edges between some vertices."""
        graph, edges, local = self._graph, self._edges, self._local
        local[members] = np.arange(len(members))
        rows: list[tuple[float, int, int]] = []
        for member in members.tolist():
            row = slice(int(edges.indptr[member]), int(edges.indptr[member + 1]))
            neighbours = edges.neighbours[row]
            inside = np.flatnonzero((local[neighbours] >= 0) & (neighbours > member))
            weights, others = edges.weights[row][inside], neighbours[inside]
            rows.extend((-float(w), member, int(other)) for w, other in zip(weights, others, strict=True))
        local[members] = -1
        shown = [(one, other, graph.edge_at(one, other)) for _, one, other in sorted(rows)[:_MOST_SUMMARISED_EDGES]]
        return [
            ShownEdge(*((other, one) if graph.turned[at] else (one, other)), graph.chunks[at], graph.says[at])
            for one, other, at in shown
        ]


def _keys(graph: VertexGraph, tree: EncodingTree) -> list[str]:
    """A digest of each node: of a leaf the vertex, what it says and its edges; above them of all children.

    The edges of a vertex are in it, so that a set whose edges changed has another digest.
    """
    own = graph.edge_digests
    keys = [_digest(id_, source, edges) for id_, source, edges in zip(graph.ids, graph.sources, own, strict=True)]
    below: list[list[str]] = [[] for _ in range(len(tree) - tree.leaves)]
    keys += [""] * len(below)
    for node in np.argsort(-tree.depths, kind="stable").tolist():
        if node >= tree.leaves:
            keys[node] = _digest(*sorted(below[node - tree.leaves]))
        if node != tree.root:
            below[int(tree.parents[node]) - tree.leaves].append(keys[node])
    return keys


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
