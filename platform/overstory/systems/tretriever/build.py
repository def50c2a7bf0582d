"""One build of T-Retriever's index: the graph, its encoding tree, a summary of each set, and the vectors to search.

A first build, and one after many changes, fills a new generation, which readers see when all of it is there. A small
change is made in place, in one transaction. In a small graph the sets that hold changed vertices are partitioned again;
in a large one, where reading the rest would take longest, new vertices are placed in them, until the whole is encoded
again on request, or because a fifth was placed. Vectors are stored as they are made and answers of a language model are
remembered, so that a build that was killed repeats little.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from overstory.display import counted
from overstory.entropy import EncodingTree, Graph
from overstory.entropy.semantic import Density, SemanticTree, distinct, encode_semantic, update_semantic
from overstory.graph import Transaction, generations
from overstory.index.derived_vectors import (
    DerivedVectors,
    remove_other_embedders,
    remove_unused,
    remove_unused_of,
    settle_awaited,
    vectors_of_nodes,
)
from overstory.protocols import Vectors
from overstory.systems.base import SystemRun
from overstory.systems.build_cache import BuildCache
from overstory.systems.entity_graph.by_rules import DescribedEntity
from overstory.systems.figures import OF_ONE_BUILD, Asked, PartSeconds, TimedEmbedder
from overstory.systems.state import IndexState
from overstory.systems.tree.build import TreeNodes, labels_before, stored_form
from overstory.systems.tree.changes import (
    MOST_CHANGED,
    MOST_IN_PLACE,
    TreeChanges,
    commit_statements,
    run_statements,
    tree_changes,
    write_tree,
    write_tree_in,
)
from overstory.systems.tree.kinds import TreeKind
from overstory.systems.tree.reports import (
    Report,
    ReportChanges,
    StoredReports,
    read_reports,
    report_changes,
    report_id,
    store_reports,
    store_reports_in,
)
from overstory.systems.tree.stored import StoredTree, read_tree
from overstory.systems.tretriever.graph_reads import ReadGraph, read_documents, read_entities
from overstory.systems.tretriever.index_settings import TRetrieverIndexSettings, Vertices
from overstory.systems.tretriever.names import DOCUMENT_TREE, ENTITY_TREE, NAME, NODE
from overstory.systems.tretriever.placing import placed_figures, placed_tree, region_changes, within_whole
from overstory.systems.tretriever.region import (
    MOST_TOUCHED,
    read_documents_of,
    read_entities_of,
    read_region,
    touched_units,
)
from overstory.systems.tretriever.sets import Sets
from overstory.systems.tretriever.store import (
    Edge,
    IndexChanges,
    StoredIndex,
    StoredNode,
    WantedNode,
    index_changes,
    read_index,
    text_digest,
)
from overstory.systems.tretriever.vertex_graph import Ints, VertexGraph
from overstory.systems.tretriever.vertices import vertices_of
from overstory.systems.tretriever.writers import summariser_for
from overstory.systems.vector_indexes import indexed_generation

PLACED_FROM = 2_000
"""Vertices: in smaller graphs all are read in a moment, and the sets that changed are partitioned again."""
KINDS: Mapping[Vertices, TreeKind] = {"documents": DOCUMENT_TREE, "entities": ENTITY_TREE}


@dataclass(frozen=True, slots=True)
class Stored:
    """The index as it is stored."""

    generation: int
    tree: StoredTree
    index: StoredIndex
    reports: StoredReports


@dataclass(frozen=True, slots=True)
class _Changes:
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
class Build:
    """A build in progress.

    Attributes:
        cache: the entities of the last build, whose descriptions the next one keeps.
    """

    job: SystemRun[TRetrieverIndexSettings]
    cache: BuildCache[Mapping[str, DescribedEntity]]
    store: DerivedVectors = field(init=False)
    _asked: Asked = field(init=False)
    _timed: PartSeconds = field(init=False)
    _of_summaries: tuple[str, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        self._asked, self._timed = Asked(self.job.chat, NAME), PartSeconds(self.job.figures)
        embedder = TimedEmbedder(self.job.context.embedder, self._timed, self.job.figures)
        self.store = DerivedVectors(self.job.writer, embedder, stage=NAME)

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
        if self._place(over):
            job.ledger.count("rebuilt", 0)
            return
        before = self._stored(over)
        read = self._read(over)
        edges = read.graph.as_graph(weighted=job.settings.edge_weights)
        stamp = uuid.uuid4().hex
        details: dict[str, object] = {"over": over, "stamp": stamp, "gone": self._gone(over), "marked": True}
        updated = before is not None and not job.improve and self._update(read, edges, before, details)
        if not updated:
            self._build_from_scratch(read, edges, details)
        job.notes.extend(self._of_summaries)  # those of the last tree: a change too large to make in place makes two
        job.ledger.count("rebuilt", int(not updated))
        remove_unused(job.writer, stage=NAME)
        self.cache.keep(job.graph, stamp, read.described, units=len(read.described))

    def _kept(self, over: Vertices) -> IndexState[TRetrieverIndexSettings] | None:
        """The state of the index, None if it is to be built from scratch."""
        job, before = self.job, self.job.before
        if job.scratch or before is None or not before.generation or before.details.get("over") != over:
            return None
        return before

    def _gone(self, over: Vertices) -> int:
        """How many of what the vertices are was ever deleted."""
        return self.job.corpus.deletions["document" if over == "documents" else "entity"]

    def _stored(self, over: Vertices) -> Stored | None:
        """The index as it is, None if it is to be built from scratch."""
        job, before = self.job, self._kept(over)
        if before is None:
            return None
        generation, kind = before.generation, KINDS[over]
        with self._timed("read"):
            return Stored(
                generation,
                read_tree(job.graph, job.corpus, kind, generation),
                read_index(job.graph, job.corpus, generation),
                read_reports(job.graph, job.corpus, kind, generation),
            )

    def _place(self, over: Vertices) -> bool:
        """Places a small change in the generation in use; False where the whole is to be read: in a small graph, and
        where much changed."""
        job, before = self.job, self._kept(over)
        if before is None or job.improve or before.figures.get("vertices", 0) < PLACED_FROM:
            return False
        graph, corpus, generation = job.graph, job.corpus, before.generation
        gone = self._gone(over)
        if gone != before.details.get("gone") and not before.details.get("marked"):
            return False  # built by a version that did not mark the sets that lost something
        with self._timed("read"):
            touched = touched_units(graph, corpus, over, job.read_to, generation)
            if len(touched) > MOST_TOUCHED:
                return False
            region = read_region(graph, corpus, generation, touched)
            if region is None:
                return False
            if over == "documents":
                found = read_documents_of(graph, corpus, region, touched)
            else:
                found = read_entities_of(graph, corpus, region, touched, self._vectors_of)
        changed, left = region_changes(found, region)
        most = MOST_CHANGED * (before.figures["vertices"] + changed)
        if before.placed + changed + left > most:
            return False
        kept = {name: number for name, number in before.figures.items() if not name.endswith(OF_ONE_BUILD)}
        job.figures |= kept | {"vertices_changed": changed, "vertices_gone": left}
        job.progress.start(f"{NAME} tree", changed, "changed vertices")
        read, edges = found.read, found.read.graph.as_graph(weighted=job.settings.edge_weights)
        with self._timed("tree"):
            tree = placed_tree(read.graph, edges, found.inside, region)
            nodes = stored_form(
                tree,
                read.graph.ids,
                read.graph.vectors,
                kind=KINDS[over],
                corpus=corpus.label,
                generation=generation,
            )
        job.progress.finish(counted(len(tree) - tree.leaves - 1, "set"))
        stored = Stored(generation, region.tree, region.index, region.reports)
        whole = within_whole(nodes, found.inside, region)
        changes = self._rows(read, edges, tree, nodes, stored, found.sample, placed=whole)
        if len(changes) > MOST_IN_PLACE:
            return False
        job.figures |= placed_figures(kept, whole, region)
        size = int(job.figures["vertices"] + job.figures["sets"])
        interrupted = generations.discard_unpublished(job.writer, NAME, (NODE,))
        details = {**before.details, "gone": gone, **indexed_generation(job, NODE, size, generation)}
        self._write(changes, generation, before.placed + changed + left, details)
        job.notes.extend(self._of_summaries)
        if interrupted:
            remove_unused(job.writer, stage=NAME)
        else:
            settle_awaited(job.writer, stage=NAME)
        return True

    def _write(self, changes: _Changes, generation: int, placed: int, details: Mapping[str, object]) -> None:
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

        with self._timed("write"):
            job.commit(write)

    def _read(self, over: Vertices) -> ReadGraph:
        job = self.job
        job.progress.start(f"{NAME} graph", job.backlog.units, "vertices")
        with self._timed("read"):
            if over == "documents":
                read = read_documents(job.graph, job.corpus, job.progress)
            else:
                stamp = job.before.details.get("stamp", "") if job.before is not None and not job.scratch else ""
                known = (self.cache.take(job.graph, stamp) if stamp else None) or {}
                read = read_entities(job.graph, job.corpus, self._vectors_of, known)
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
        with self._timed("tree"):
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
        with self._timed("write"):
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
        with self._timed("tree"):
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
        self._write(changes, generation, placed, details)
        return True

    def _vectors_of(self, texts: Sequence[str]) -> Vectors:
        """float32[n, d]: those that are stored, the others made now."""
        with self._timed("vectors"):
            return self.store.of(texts)

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

    def _changes(self, read: ReadGraph, edges: Graph, regulated: SemanticTree, stored: Stored) -> _Changes:
        job, graph, label = self.job, read.graph, self.job.corpus.label
        kind, generation = KINDS[read.over], stored.generation
        tree = distinct(edges, regulated)
        nodes = stored_form(tree, graph.ids, graph.vectors, kind=kind, corpus=label, generation=generation)
        job.progress.finish(_told(tree, regulated))
        job.figures |= _tree_figures(tree, regulated)
        return self._rows(read, edges, tree, nodes, stored, range(len(graph.ids)), placed=nodes)

    def _rows(
        self,
        read: ReadGraph,
        edges: Graph,
        tree: EncodingTree,
        nodes: TreeNodes,
        stored: Stored,
        sample: Sequence[int],
        *,
        placed: TreeNodes,
    ) -> _Changes:
        """What differs from what is stored, with the summaries that are missing.

        Args:
            nodes: of `tree`.
            sample: see `_summaries`.
            placed: of these nodes those that are to be stored.
        """
        label, kind, generation = self.job.corpus.label, nodes.kind, stored.generation
        with self._timed("summaries"):
            reports = self._summaries(Sets(read.graph, edges, tree), read, stored.reports, sample)
        by_id = {nodes.ids[node]: report for node, report in reports.items()}
        report_rows = report_changes(kind, label, generation, by_id, stored.reports)
        new_summaries = {row["id"] for row in report_rows.new}
        return _Changes(
            tree_changes(placed, stored.tree),
            report_rows,
            self._index_changes(read, nodes, reports, stored, new_summaries, frozenset(placed.units)),
            len(tree),
        )

    def _summaries(
        self, sets: Sets, read: ReadGraph, stored: StoredReports, sample: Sequence[int]
    ) -> dict[int, Report]:
        """The summaries of all sets of two or more but the root: those that are stored, and the others written now.

        Args:
            sample: places of texts that tell which words are common.
        """
        job = self.job
        known = stored.by_key
        summariser = summariser_for(job.chat, job.model)
        reports: dict[int, Report] = {}
        written = 0
        job.progress.start(f"{NAME} summaries", sets.count, "sets")
        for level in sets.bottom_up():
            reports |= {node: known[sets.keys[node]] for node in level if sets.keys[node] in known}
            new = [node for node in level if node not in reports]
            job.progress.advance(len(level) - len(new))
            told = summariser.summarise(sets.to_summarise(new, reports), read.texts, sample)
            for node, report in zip(new, told, strict=True):
                reports[node] = report
                job.progress.advance(1)
            written += len(new)
        job.progress.finish(f"{counted(written, 'summary', 'summaries')} written")
        self._of_summaries = summariser.notes
        job.figures |= {"sets": len(reports), "summaries_written": written}
        job.figures |= self._asked.figures()
        return reports

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
        vector_ids = self.store.ids(read.embedded) if read.embedded else [""] * len(graph.ids)
        wanted = [
            WantedNode(id_, source, digest, id_ if vector else "", vector)
            for id_, unit, source, digest, vector in zip(
                nodes.ids, nodes.units, graph.sources, digests, vector_ids, strict=False
            )
            if unit in inside
        ]
        texts = {node: f"{report.title}. {report.summary}" for node, report in reports.items()}
        digest = {node: text_digest(text) for node, text in texts.items()}
        summaries = dict(zip(texts, self.store.ids(texts.values()), strict=True))
        for node in texts:
            owner = report_id(label, nodes.kind, generation, reports[node].key)
            wanted.append(WantedNode(nodes.ids[node], digest[node], "", owner, summaries[node]))
        before = stored.index.nodes
        new = [node for node in texts if (was := before.get(nodes.ids[node])) is None or was.source != digest[node]]
        embedded = self._vectors_of([texts[node] for node in new])
        vectors: dict[str, Vectors] = {nodes.ids[node]: vector for node, vector in zip(new, embedded, strict=True)}
        vectors |= {nodes.ids[at]: graph.vectors[at] for at in np.flatnonzero(graph.vectors.any(axis=1)).tolist()}
        edges: dict[Edge, tuple[float, tuple[str, ...]]] = {}
        if graph.unit == "entity":
            rows = zip(graph.ends.tolist(), graph.weights.tolist(), graph.chunks, strict=True)
            for (one, other), weight, chunks in rows:
                first, second = sorted((nodes.ids[one], nodes.ids[other]))
                edges[first, second] = (weight, chunks)
        return index_changes(generation, wanted, vectors, edges, stored.index, frozenset(new_summaries))


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
