"""One build of T-Retriever's index: the graph, its encoding tree, a summary of each set, and the vectors to search.

A first build, and one after many changes, fills a new generation, which readers see when all of it is there. A small
change is made in place, in one transaction. In a small graph the sets that hold changed vertices are partitioned again;
in a large one, where reading the rest would take longest, new vertices are placed in them, until the whole is encoded
again on request, or because a fifth was placed. Vectors are stored as they are made and answers of a language model are
remembered, so that a build that was killed repeats little.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from overstory.display import counted
from overstory.entropy import EncodingTree, Graph
from overstory.entropy.semantic import Density, SemanticTree, distinct, encode_semantic, update_semantic
from overstory.graph import generations
from overstory.index.derived_vectors import remove_other_embedders, remove_unused
from overstory.systems.base import SystemRun
from overstory.systems.build_cache import BuildCache
from overstory.systems.entity_graph.by_rules import DescribedEntity
from overstory.systems.tree.build import labels_before, stored_form
from overstory.systems.tree.changes import MOST_CHANGED, MOST_IN_PLACE, commit_statements, write_tree
from overstory.systems.tree.reports import StoredReports, read_reports, store_reports
from overstory.systems.tree.stored import read_tree
from overstory.systems.tretriever.contents import Changes, Contents, Stored
from overstory.systems.tretriever.graph_reads import ReadGraph, read_documents, read_entities
from overstory.systems.tretriever.index_settings import TRetrieverIndexSettings, Vertices
from overstory.systems.tretriever.names import NAME, NODE
from overstory.systems.tretriever.small_change import SmallChange, state_in_use
from overstory.systems.tretriever.store import StoredIndex, StoredNode, read_index
from overstory.systems.tretriever.vertex_graph import Ints, VertexGraph
from overstory.systems.tretriever.vertices import KINDS, deletions_of, vertices_of
from overstory.systems.vector_indexes import indexed_generation


@dataclass(slots=True)
class Build:
    """A build in progress.

    Attributes:
        cache: the entities of the last build, whose descriptions the next one keeps.
    """

    job: SystemRun[TRetrieverIndexSettings]
    cache: BuildCache[Mapping[str, DescribedEntity]]
    contents: Contents = field(init=False)

    def __post_init__(self) -> None:
        self.contents = Contents(self.job)

    def run(self) -> None:
        """
        Raises:
            LlmError, BudgetExhausted, ModelError, LeaseLost, DatabaseError: what was committed before stays; build
                again to go on.
        """
        job = self.job
        if job.before is not None and job.before.embedder != job.context.embedder.fingerprint:
            remove_other_embedders(job.writer)
        over = vertices_of(job.settings, job.graph, job.corpus)
        if SmallChange(job, over, self.contents).placed():
            job.ledger.count("rebuilt", 0)
            return
        before = self._stored(over)
        read = self._read(over)
        edges = read.graph.as_graph(weighted=job.settings.edge_weights)
        stamp = uuid.uuid4().hex
        gone = deletions_of(job.corpus, over)
        details: dict[str, object] = {"over": over, "stamp": stamp, "gone": gone, "marked": True}
        updated = before is not None and not job.improve and self._update(read, edges, before, details)
        if not updated:
            self._build_from_scratch(read, edges, details)
        job.notes.extend(self.contents.notes)  # those of the last tree: a change too large to make in place makes two
        job.ledger.count("rebuilt", int(not updated))
        remove_unused(job.writer, stage=NAME)
        self.cache.keep(job.graph, stamp, read.described, units=len(read.described))

    def _stored(self, over: Vertices) -> Stored | None:
        """The index as it is, None if it is to be built from scratch."""
        job, before = self.job, state_in_use(self.job, over)
        if before is None:
            return None
        generation, kind = before.generation, KINDS[over]
        with self.contents.timed("read"):
            return Stored(
                generation,
                read_tree(job.graph, job.corpus, kind, generation),
                read_index(job.graph, job.corpus, generation),
                read_reports(job.graph, job.corpus, kind, generation),
            )

    def _read(self, over: Vertices) -> ReadGraph:
        job = self.job
        job.progress.start(f"{NAME} graph", job.backlog.units, "vertices")
        with self.contents.timed("read"):
            if over == "documents":
                read = read_documents(job.graph, job.corpus, job.progress)
            else:
                stamp = job.before.details.get("stamp", "") if job.before is not None and not job.scratch else ""
                known = (self.cache.take(job.graph, stamp) if stamp else None) or {}
                read = read_entities(job.graph, job.corpus, self.contents.vectors_of, known)
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

    def _build_from_scratch(self, read: ReadGraph, edges: Graph, details: dict[str, object]) -> None:
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
            )
        generation = generations.begin(job.writer, NAME, (NODE,))
        changes = self._changes(read, edges, tree, Stored(generation, {}, StoredIndex(), StoredReports()))
        job.progress.start(f"{NAME} index", len(changes), "rows")
        with self.contents.timed("write"):
            write_tree(job.writer, changes.tree, job.progress)
            store_reports(job.writer, changes.reports, job.progress)
            commit_statements(job.writer, NAME, changes.index.statements(job.corpus.label), job.progress)
            details |= indexed_generation(job, NODE, changes.nodes, generation)
        job.progress.finish(f"{len(changes):,} rows written")
        job.publish(job.state(generation=generation, details=details))

    def _update(self, read: ReadGraph, edges: Graph, before: Stored, details: dict[str, object]) -> bool:
        """Changes the generation in use in place; False if that would be too much, and all is to be built from
        scratch."""
        job, graph, settings = self.job, read.graph, self.job.settings
        generation = before.generation
        touched, gone = _changed(graph, before)
        job.figures |= {"vertices_changed": len(touched), "vertices_gone": gone}
        placed = job.before.placed if job.before is not None else 0
        if not before.tree or placed + len(touched) + gone > MOST_CHANGED * max(len(graph.ids), 1):
            return False
        generations.discard_unpublished(job.writer, NAME, (NODE,))  # of a build that was killed
        job.progress.start(f"{NAME} tree", len(touched), "changed vertices")
        with self.contents.timed("tree"):
            tree = update_semantic(
                edges,
                self._density(graph, job.before.figures.get("kernel_width") if job.before is not None else None),
                labels_before(before.tree, graph.ids, settings.height - 1),
                touched,
                height=settings.height,
                weight=settings.semantic,
                structure=settings.structure,
            )
        changes = self._changes(read, edges, tree, before)
        if len(changes) > MOST_IN_PLACE:
            return False
        details |= indexed_generation(job, NODE, changes.nodes, generation)
        self.contents.commit(changes, generation, placed, details)
        return True

    def _density(self, graph: VertexGraph, bandwidth: float | None = None) -> Density:
        """The density of the texts, with the bandwidth of the settings.

        Args:
            bandwidth: that of the tree that is updated.
        """
        if self.job.settings.semantic == 0.0 or not len(graph.ids):
            return Density.from_vectors(np.zeros((len(graph.ids), 1)))
        density = Density.from_vectors(graph.vectors, bandwidth=bandwidth)
        if bandwidth is None:
            times = self.job.settings.bandwidth
            density = Density(density.points / times, density.bandwidth * times)
        self.job.figures["kernel_width"] = round(density.bandwidth, 6)
        return density

    def _changes(self, read: ReadGraph, edges: Graph, regulated: SemanticTree, stored: Stored) -> Changes:
        job, graph, label = self.job, read.graph, self.job.corpus.label
        kind, generation = KINDS[read.over], stored.generation
        tree = distinct(edges, regulated)
        nodes = stored_form(tree, graph.ids, graph.vectors, kind=kind, corpus=label, generation=generation)
        job.progress.finish(_told(tree, regulated))
        job.figures |= _tree_figures(tree, regulated)
        return self.contents.changes(read, edges, tree, nodes, stored, range(len(graph.ids)), placed=nodes)


def _changed(graph: VertexGraph, before: Stored) -> tuple[Ints, int]:
    """The places of vertices that are new, say something else or have other edges, and how many vertices are gone.

    A vertex that is gone took its leaf along: for each set that lost some, one of those left counts as changed.
    """
    stored = {node.unit: before.index.nodes[id_] for id_, node in before.tree.items() if node.unit}
    rows = zip(graph.ids, graph.sources, graph.edge_digests, strict=True)
    changed = {place for place, (id_, *now) in enumerate(rows) if stored.get(id_) != StoredNode(*now)}
    place = {id_: at for at, id_ in enumerate(graph.ids)}
    left: dict[str, int] = {}
    some: dict[str, int] = {}
    for node in before.tree.values():
        if not node.unit:
            continue
        above = node.parent
        while above:
            left[above] = left.get(above, 0) + 1
            if node.unit in place:
                some.setdefault(above, place[node.unit])
            above = before.tree[above].parent
    lost = {id_ for id_, node in before.tree.items() if node.level > 0 and node.vector and node.size != left.get(id_)}
    inside = {before.tree[id_].parent for id_ in lost if id_ in some}
    changed |= {some[id_] for id_ in lost - inside if id_ in some}
    gone = sum(node.size - left.get(id_, 0) for id_, node in before.tree.items() if not node.parent and node.vector)
    return np.array(sorted(changed), dtype=np.int64), gone + len(stored.keys() - place.keys())


def _tree_figures(tree: EncodingTree, regulated: SemanticTree) -> dict[str, float]:
    levels = np.bincount(tree.depths[tree.leaves : len(tree) - 1])
    figures: dict[str, float] = {f"level_{level}_sets": int(levels[level]) for level in range(1, len(levels))}
    in_none = int((tree.depths[: tree.leaves] == 1).sum())
    return {"bits": round(regulated.total, 6), "entropy": round(tree.entropy, 6), "in_no_set": in_none, **figures}


def _told(tree: EncodingTree, regulated: SemanticTree) -> str:
    return f"{counted(len(tree) - tree.leaves - 1, 'set')}, {regulated.total:.4f} bits"
