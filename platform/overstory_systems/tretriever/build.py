"""One build of T-Retriever's index: the graph, its encoding tree, a summary of each set, and the vectors to search.

A first build, and one after many changes, fills a new generation, which readers see when all of it is there. A small
change is placed in it (`small_change`), in one transaction, until the whole is encoded again on request, or because a
fifth was placed. Vectors are stored as they are made and answers of a language model are remembered, so that a build
that was killed repeats little.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from overstory.display import counted
from overstory.graph import generations
from overstory.index.derived_vectors import remove_other_embedders, remove_unused
from overstory.systems.base import SystemRun
from overstory.systems.statements import commit_statements
from overstory.systems.tree.build import stored_form
from overstory.systems.tree.changes import write_tree
from overstory.systems.tree.reports import StoredReports, store_reports
from overstory.systems.vector_indexes import indexed_generation
from overstory_entropy import EncodingTree, Graph
from overstory_entropy.semantic import Density, SemanticTree, distinct, encode_semantic
from overstory_systems.tretriever.contents import ContentChanges, Contents, Stored
from overstory_systems.tretriever.graph_reads import ReadGraph, read_documents, read_entities
from overstory_systems.tretriever.index_settings import TRetrieverIndexSettings, Vertices
from overstory_systems.tretriever.names import KEPT, NAME, NODE
from overstory_systems.tretriever.small_change import SmallVertexChange
from overstory_systems.tretriever.store import StoredIndex
from overstory_systems.tretriever.vertex_graph import VertexGraph
from overstory_systems.tretriever.vertices import KINDS, deletions_of, vertices_of


@dataclass(slots=True)
class VertexTreeBuild:
    """A build in progress."""

    job: SystemRun[TRetrieverIndexSettings]
    contents: Contents = field(init=False)

    def __post_init__(self) -> None:
        self.contents = Contents(self.job)

    def run(self) -> None:
        job = self.job
        if job.before is not None and job.before.embedder != job.context.embedder.fingerprint:
            remove_other_embedders(job.writer)
        over = vertices_of(job.settings, job.graph, job.corpus)
        if SmallVertexChange(job, over, self.contents).placed():
            job.ledger.count("rebuilt", 0)
            return
        read = self._read(over)
        edges = read.graph.as_graph(weighted=job.settings.edge_weights)
        self._build(read, edges, {"over": over, "gone": deletions_of(job.corpus, over), "marked": True})
        job.notes.extend(self.contents.notes)
        job.ledger.count("rebuilt", 1)
        remove_unused(job.writer, stage=NAME)

    def _read(self, over: Vertices) -> ReadGraph:
        job = self.job
        job.progress.start(f"{NAME} graph", job.backlog.units, "vertices")
        with self.contents.timed("read"):
            if over == "documents":
                read = read_documents(job.graph, job.corpus, job.progress)
            else:
                read = read_entities(job.graph, job.corpus, self.contents.vectors_of)
        graph = read.graph
        alone = len(graph.ids) - len(np.unique(graph.ends))
        job.notes.extend(read.notes)
        if not graph.ids and over == "entities" and job.settings.over == "auto":
            job.notes.append(
                "there are no links and no names to build a tree over: over=documents takes the texts alone"
            )
        job.figures |= read.counts
        job.figures |= {"vertices": len(graph.ids), "edges": len(graph.ends), "vertices_without_edge": alone}
        job.progress.finish(f"{counted(len(graph.ids), 'vertex', 'vertices')}, {counted(len(graph.ends), 'edge')}")
        return read

    def _build(self, read: ReadGraph, edges: Graph, details: dict[str, object]) -> None:
        """Fills a new generation and publishes it."""
        job = self.job
        job.progress.start(f"{NAME} tree", len(read.graph.ids), "vertices")
        with self.contents.timed("tree"):
            settings = job.settings
            tree = encode_semantic(
                edges,
                self._density(read.graph),
                height=settings.height,
                weight=settings.semantic,
                structure=settings.structure,
                candidates=settings.tree,
            )
        generation = generations.begin(job.writer, NAME, (NODE,))
        changes = self._changes(read, edges, tree, Stored(generation, {}, StoredIndex(), StoredReports()))
        job.progress.start(f"{NAME} index", len(changes), "rows")
        with self.contents.timed("write"):
            write_tree(job.writer, changes.tree, job.progress)
            store_reports(job.writer, changes.reports, job.progress)
            commit_statements(job.writer, NAME, changes.index.statements(job.corpus.label), job.progress)
            details |= {KEPT: tree.kept, **indexed_generation(job, NODE, changes.nodes, generation)}
        job.progress.finish(f"{len(changes):,} rows written")
        job.publish(job.state(generation=generation, details=details))

    def _density(self, graph: VertexGraph) -> Density:
        """The density of the texts, with the bandwidth of the settings."""
        if self.job.settings.semantic == 0.0 or not len(graph.ids):
            return Density.from_vectors(np.zeros((len(graph.ids), 1)))
        density, times = Density.from_vectors(graph.vectors), self.job.settings.bandwidth
        density = Density(density.points / times, density.bandwidth * times)
        self.job.figures["kernel_width"] = round(density.bandwidth, 6)
        return density

    def _changes(self, read: ReadGraph, edges: Graph, regulated: SemanticTree, stored: Stored) -> ContentChanges:
        job, graph, label = self.job, read.graph, self.job.corpus.label
        kind, generation = KINDS[read.over], stored.generation
        tree = distinct(edges, regulated)
        nodes = stored_form(tree, graph.ids, graph.vectors, kind=kind, corpus=label, generation=generation)
        job.progress.finish(_told(tree, regulated))
        job.figures |= _tree_figures(tree, regulated)
        return self.contents.changes(read, edges, tree, nodes, stored, range(len(graph.ids)), placed=nodes)


def _tree_figures(tree: EncodingTree, regulated: SemanticTree) -> dict[str, float]:
    levels = np.bincount(tree.depths[tree.leaves : len(tree) - 1])
    figures: dict[str, float] = {f"level_{level}_sets": int(levels[level]) for level in range(1, len(levels))}
    in_none = int((tree.depths[: tree.leaves] == 1).sum())
    return {"bits": round(regulated.total, 6), "entropy": round(tree.entropy, 6), "in_no_set": in_none, **figures}


def _told(tree: EncodingTree, regulated: SemanticTree) -> str:
    return f"{counted(len(tree) - tree.leaves - 1, 'set')}, {regulated.total:.4f} bits"
