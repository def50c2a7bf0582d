"""Builds T-Retriever's index: the graph, its encoding tree, summaries of sets of vertices, and vectors for the search.

A build fills a new generation, which becomes visible to readers once it is complete. Texts that a language model wrote
from the same input are copied from the generation in use; therefore, only changed input causes requests. A killed build
repeats little, because vectors are stored immediately and the model's answers are cached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from overstory.display import counted
from overstory.graph import generations
from overstory.graph.client import Row
from overstory.graph.generations import slot_of
from overstory.graph.ids import derived_label
from overstory.index.derived_vectors import DerivedVectors, remove_other_embedders, remove_unused
from overstory.llm.digests import digest_of
from overstory.protocols import Vectors
from overstory.systems.base import SystemRun
from overstory.systems.figures import ModelRequests, PartSeconds, TimedEmbedder
from overstory.systems.statements import ListedVectors, Statement, commit_statements
from overstory.systems.texts.reports import Report, write_levels
from overstory.systems.tree.build import TreeNodes, stored_form
from overstory.systems.tree.changes import new_tree, write_tree
from overstory.systems.tree.kinds import TreeKind
from overstory.systems.tree.reports import ReportRows, report_id, reports_to_reuse, store_reports
from overstory.systems.vector_indexes import indexed_generation
from overstory_entropy import EncodingTree, Graph
from overstory_entropy.semantic import Density, SemanticTree, distinct, encode_semantic
from overstory_systems.tretriever.names import EDGE, KEPT, KINDS, NAME, NODE, vertices_of
from overstory_systems.tretriever.settings import TRetrieverIndexSettings, Vertices
from overstory_systems.tretriever.summaries import (
    NAMED_SET_MEMBERS,
    SHOWN_SET_MEMBERS,
    SetToSummarise,
    ShownEdge,
    Summariser,
    common_words,
    writer_for,
)
from overstory_systems.tretriever.vertex_graphs import Ints, ReadGraph, VertexGraph, read_documents, read_entities

_MOST_SUMMARISED_MEMBERS = 30
"""Maximum number of vertices that are read for the summary of a set: those nearest to the set's mean."""
_MOST_SUMMARISED_EDGES = 30  # maximum number of edges between these vertices
_MOST_SUMMARISED_PARTS = 20
"""Maximum number of subsets whose summaries are read for the summary of a set. The largest subsets are used."""


@dataclass(slots=True)
class VertexTreeBuild:
    """One build of the index. `timed` records the seconds spent in each part."""

    job: SystemRun[TRetrieverIndexSettings]
    timed: PartSeconds = field(init=False)
    _store: DerivedVectors = field(init=False)
    _asked: ModelRequests = field(init=False)

    def __post_init__(self) -> None:
        self._asked, self.timed = ModelRequests(self.job.chat, NAME), PartSeconds(self.job.figures)
        embedder = TimedEmbedder(self.job.context.embedder, self.timed, self.job.figures)
        self._store = DerivedVectors(self.job.writer, embedder, stage=NAME)

    def run(self) -> None:
        job, settings = self.job, self.job.settings
        if job.before is not None and job.before.embedder != job.context.embedder.fingerprint:
            remove_other_embedders(job.writer)
        read = self._read(vertices_of(settings, job.graph, job.corpus))
        graph, kind = read.graph, KINDS[read.over]
        edges = graph.as_graph(weighted=settings.edge_weights)
        job.progress.start(f"{NAME} tree", len(graph.ids), "vertices")
        with self.timed("tree"):
            encoded = encode_semantic(
                edges,
                self._density(graph),
                height=settings.height,
                weight=settings.semantic,
                structure=settings.structure,
                candidates=settings.tree,
            )
        tree = distinct(edges, encoded)
        job.progress.finish(f"{counted(len(tree) - tree.leaves - 1, 'set')}, {encoded.total:.4f} bits")
        job.figures |= _tree_figures(tree, encoded)
        reports = self._summaries(read, edges, tree, kind)
        generation, label = generations.begin(job.writer, NAME, (NODE,)), job.corpus.label
        nodes = stored_form(tree, graph.ids, graph.vectors, kind=kind, corpus=label, generation=generation)
        self._write(nodes, {nodes.ids[node]: report for node, report in reports.items()}, read)
        details = {"over": read.over, KEPT: encoded.kept, **indexed_generation(job, NODE, len(tree), generation)}
        job.publish(job.state(generation=generation, details=details))
        remove_unused(job.writer, stage=NAME)

    def _vectors_of(self, texts: Sequence[str]) -> Vectors:
        """Return float32[n, d]. Missing vectors are computed and stored."""
        with self.timed("vectors"):
            return self._store.of(texts)

    def _read(self, over: Vertices) -> ReadGraph:
        job = self.job
        job.progress.start(f"{NAME} graph", job.backlog.units, "vertices")
        with self.timed("read"):
            if over == "documents":
                read = read_documents(job.graph, job.corpus, job.progress)
            else:
                read = read_entities(job.graph, job.corpus, self._vectors_of)
        graph = read.graph
        alone = len(graph.ids) - len(np.unique(graph.ends))
        job.notes.extend(read.notes)
        if not graph.ids and over == "entities" and job.settings.over == "auto":
            job.notes.append(
                "there are no links and no entities to build a tree over: over=documents uses only the texts"
            )
        job.figures |= read.counts
        job.figures |= {"vertices": len(graph.ids), "edges": len(graph.ends), "vertices_without_edge": alone}
        job.progress.finish(f"{counted(len(graph.ids), 'vertex', 'vertices')}, {counted(len(graph.ends), 'edge')}")
        return read

    def _density(self, graph: VertexGraph) -> Density:
        """Return the density of the texts, with the bandwidth from the settings."""
        if self.job.settings.semantic == 0.0 or not len(graph.ids):
            return Density.from_vectors(np.zeros((len(graph.ids), 1)))
        density, times = Density.from_vectors(graph.vectors), self.job.settings.bandwidth
        density = Density(density.points / times, density.bandwidth * times)
        self.job.figures["kernel_width"] = round(density.bandwidth, 6)
        return density

    def _summaries(self, read: ReadGraph, edges: Graph, tree: EncodingTree, kind: TreeKind) -> dict[int, Report]:
        """Summarise all sets of two or more vertices except the root, and return the summaries by node."""
        job = self.job
        common = common_words(read.texts, range(len(read.graph.ids)))
        writer = writer_for(job.chat, job.model, common)
        summariser = Summariser(writer, read.texts, SHOWN_SET_MEMBERS if job.chat else NAMED_SET_MEMBERS)
        sets = Sets(read.graph, edges, tree, summariser.fingerprint)
        job.progress.start(f"{NAME} summaries", sets.count, "sets")
        with self.timed("summaries"):
            known = reports_to_reuse(job, kind)
            found = write_levels(sets.levels(), sets.of, summariser, known=known, progress=job.progress)
        job.progress.finish(f"{counted(found.written, 'summary', 'summaries')} written")
        job.notes.extend(summariser.notes)
        job.figures |= {"sets": len(found.of_node), "summaries_written": found.written}
        job.figures |= self._asked.figures()
        return found.of_node

    def _write(self, nodes: TreeNodes, reports: Mapping[str, Report], read: ReadGraph) -> None:
        job, label = self.job, nodes.corpus
        rows = ReportRows.of(nodes.kind, label, nodes.generation, reports)
        tree, others = new_tree(nodes), list(self._statements(nodes, reports, read))
        total = len(tree) + len(rows) + sum(len(some) for _, some, _ in others)
        job.progress.start(f"{NAME} index", total, "rows")
        with self.timed("write"):
            write_tree(job.writer, tree, job.progress)
            store_reports(job.writer, rows, job.progress)
            commit_statements(job.writer, NAME, others, job.progress)
        job.progress.finish(f"{total:,} rows written")

    def _statements(self, nodes: TreeNodes, reports: Mapping[str, Report], read: ReadGraph) -> Iterator[Statement]:
        """Yield statements that write the vectors of nodes and, for entities, the edges between leaves."""
        graph, label = read.graph, nodes.corpus
        texts = {id_: f"{report.title}. {report.summary}" for id_, report in reports.items()}
        vectors = dict(zip(texts, self._vectors_of([*texts.values()]), strict=True))
        vectors |= {nodes.ids[at]: graph.vectors[at] for at in np.flatnonzero(graph.vectors.any(axis=1)).tolist()}
        slotted = {"labels": [derived_label(label, NODE, slot_of(nodes.generation))]}
        indexed = [{"id": id_, "vector": vector} for id_, vector in vectors.items()]
        yield "systems/tretriever/index_nodes", ListedVectors(indexed), slotted
        leaves = nodes.ids[: len(read.embedded)]
        owners = [report_id(label, nodes.kind, nodes.generation, reports[id_].key) for id_ in texts]
        joined = zip([*leaves, *owners], self._store.ids([*read.embedded, *texts.values()]), strict=True)
        rows: list[Row] = [{"id": owner, "vector": vector} for owner, vector in dict(joined).items()]
        yield "systems/tretriever/join_vectors", rows, {}
        if graph.unit == "entity":
            yield "systems/store/relate", list(_edges(graph, nodes.ids)), {"type": EDGE}


def _edges(graph: VertexGraph, ids: Sequence[str]) -> Iterator[Row]:
    """Yield the edges between leaves as rows, from the lower id to the higher one."""
    ends: list[tuple[int, int]] = graph.ends.tolist()
    for (one, other), weight, chunks in zip(ends, graph.weights.tolist(), graph.chunks, strict=True):
        source, target = sorted((ids[one], ids[other]))
        yield {"source": source, "target": target, "properties": {"weight": weight, "chunks": list(chunks)}}


class Sets:
    """Prepares the input for the summaries of all sets of two or more vertices, except the root (Eq. 10)."""

    def __init__(self, graph: VertexGraph, edges: Graph, tree: EncodingTree, fingerprint: str) -> None:
        """Prepare for one tree.

        Args:
            edges: `graph`, converted for the entropy engine.
            tree: Tree over `edges`, without nodes that have a single child.
            fingerprint: Fingerprint of the summariser.
        """
        self._graph, self._edges, self._tree, self._fingerprint = graph, edges, tree, fingerprint
        self._local = np.full(len(graph.ids), -1, dtype=np.int64)
        self.count = max(0, len(tree) - tree.leaves - 1)

    def levels(self) -> Iterator[list[int]]:
        """Yield the sets of each level, the lowest level first."""
        tree = self._tree
        inner = np.arange(tree.leaves, len(tree) - 1)
        for depth in range(tree.height - 1, 0, -1):
            yield inner[tree.depths[inner] == depth].tolist()

    def of(self, nodes: Iterable[int], reports: Mapping[int, Report]) -> Iterator[SetToSummarise]:
        """Yield the summary input of some nodes, in order, given the summaries of all sets below them."""
        tree = self._tree
        for node in nodes:
            members = np.sort(tree.members(node))
            shown = self._nearest_to_mean(members)
            parts = [child for child in tree.children(node).tolist() if child in reports]
            parts.sort(key=lambda child: (-int(tree.sizes[child]), child))
            some = [reports[child] for child in parts[:_MOST_SUMMARISED_PARTS]]
            volume = float(tree.volume[node])
            edges = self._edges_among(shown)
            yield SetToSummarise(
                key=self._key(len(members), shown.tolist(), edges, some),
                members=shown.tolist(),
                size=len(members),
                inside=1.0 - float(tree.cut[node]) / volume if volume > 0.0 else 0.0,
                edges=edges,
                parts=some,
            )

    def _key(self, size: int, members: Sequence[int], edges: Sequence[ShownEdge], parts: Sequence[Report]) -> str:
        """Return a digest of everything that a summary may show: size, vertices, edges and parts, in order."""
        ids, sources = self._graph.ids, self._graph.sources
        return digest_of(
            self._fingerprint,
            size,
            [(ids[member], sources[member]) for member in members],
            [(ids[edge.source], ids[edge.target], edge.chunks, edge.text) for edge in edges],
            [part.key for part in parts],
        )

    def _nearest_to_mean(self, members: Ints) -> Ints:
        vectors = self._graph.vectors[members]
        cosines = np.rint(vectors @ vectors.mean(axis=0) * 2**20)
        return members[np.argsort(-cosines, kind="stable")[:_MOST_SUMMARISED_MEMBERS]]

    def _edges_among(self, members: Ints) -> list[ShownEdge]:
        """Return the strongest edges among the given vertices."""
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
            ShownEdge(*((other, one) if graph.turned[at] else (one, other)), graph.chunks[at], graph.edge_texts[at])
            for one, other, at in shown
        ]


def _tree_figures(tree: EncodingTree, regulated: SemanticTree) -> dict[str, float]:
    levels = np.bincount(tree.depths[tree.leaves : len(tree) - 1])
    figures: dict[str, float] = {f"level_{level}_sets": int(levels[level]) for level in range(1, len(levels))}
    in_none = int((tree.depths[: tree.leaves] == 1).sum())
    return {"bits": round(regulated.total, 6), "entropy": round(tree.entropy, 6), "in_no_set": in_none, **figures}
