"""One build of HiRAG's index: layer 0, the layers above it, communities with their reports, and bridges between these.

A first build, and one after many changes, fills a new generation, which readers see when all of it is there. A small
change is placed (`small_change`); where it cannot be, the whole is read and changed in place, in two transactions: the
graph first, which Graph Data Science reads to find the communities, then these with the state of the index. What costs
most is not lost in a kill: vectors are stored as they are made, readings of a language model too, and its other answers
are remembered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from overstory.display import counted
from overstory.graph import Transaction, generations
from overstory.graph.client import Row
from overstory.graph.ids import derived_label
from overstory.index.derived_vectors import (
    DerivedVectors,
    remove_other_embedders,
    remove_unused,
    settle_awaited,
)
from overstory.protocols import Vectors
from overstory.systems.base import SystemRun
from overstory.systems.figures import Asked, PartSeconds
from overstory.systems.tree.build import stored_form
from overstory.systems.tree.changes import (
    MOST_CHANGED,
    MOST_IN_PLACE,
    TreeChanges,
    commit_rows,
    tree_changes,
    write_tree,
    write_tree_in,
)
from overstory.systems.tree.reports import (
    ReportChanges,
    StoredReports,
    read_reports,
    report_changes,
    store_reports,
    store_reports_in,
)
from overstory.systems.tree.stored import StoredTree, read_tree
from overstory.systems.vector_indexes import indexed_generation
from overstory_entropy import EncodingTree
from overstory_systems.hirag.base_layer import read_base_layer
from overstory_systems.hirag.bridges import find_bridges
from overstory_systems.hirag.communities import layered_projection
from overstory_systems.hirag.index_settings import HiragIndexSettings
from overstory_systems.hirag.knowledge_graph import BaseLayer, LayeredGraph, SummaryLayers
from overstory_systems.hirag.layers import grow
from overstory_systems.hirag.names import COMMUNITIES, ENTITY, NAME, READING, entity_id
from overstory_systems.hirag.reports import write_reports
from overstory_systems.hirag.small_change import DELETIONS_NOTED, SmallChange
from overstory_systems.hirag.store import StoredGraph, Wanted, read_graph, write_graph, write_graph_in
from overstory_systems.hirag.writers import reporter_for, summariser_for

CLUSTER_SIZES = ((1, 1), (2, 5), (6, 10), (11, 20), (21, 30))


@dataclass(slots=True)
class Build:
    """A build in progress."""

    job: SystemRun[HiragIndexSettings]
    store: DerivedVectors = field(init=False)
    known: dict[str, Vectors] = field(default_factory=dict[str, Vectors])
    _asked: Asked = field(init=False)
    _timed: PartSeconds = field(init=False)

    def __post_init__(self) -> None:
        self._asked, self._timed = Asked(self.job.chat, NAME), PartSeconds(self.job.figures)
        self.store = DerivedVectors(self.job.writer, self.job.context.embedder, stage=NAME)

    def run(self) -> None:
        """
        Raises:
            LlmError, BudgetExhausted, GdsMissing, LeaseLost, DatabaseError: what was committed before stays; build
                again to go on.
        """
        job = self.job
        if job.before is not None and job.before.embedder != job.context.embedder.fingerprint:
            remove_other_embedders(job.writer)
        if SmallChange(job, self.store, self._vectors, self._timed).placed():
            settle_awaited(job.writer, stage=NAME)
            return
        before = None if job.improve else self._stored()
        with self._timed("read"):
            base = read_base_layer(job, before.base if before else {})
        if not job.model:
            job.graph.run_in_batches("systems/remove_nodes", derived_label(job.corpus.label, READING))
        small = before is not None and self._changed(base, before) <= MOST_CHANGED * max(len(base.entities), 1)
        if not (before is not None and small and self._update(base, before)):
            self._build_anew(base)
        remove_unused(job.writer, stage=NAME)

    def _changed(self, base: BaseLayer, before: StoredGraph) -> float:
        """How many entities of layer 0 are new, gone or described in other words, those included that deletions took
        along at once."""
        was = {ref: entity.source for ref, entity in before.base.items()}
        now = {entity.ref: entity.source for entity in base.entities}
        deleted = self.job.before.figures["entities"] - len(was) if self.job.before is not None else 0
        return sum(was.get(ref) != source for ref, source in now.items()) + len(was.keys() - now.keys()) + deleted

    def _details(self, found: _FoundCommunities) -> dict[str, object]:
        """What small changes are placed by."""
        return {**found.tree_details, DELETIONS_NOTED: True}

    def _stored(self) -> StoredGraph | None:
        """The index as it is, None if it is to be built from scratch."""
        before = self.job.before
        if self.job.scratch or before is None or not before.generation:
            return None
        with self._timed("read"):
            return read_graph(self.job.graph, self.job.corpus, before.generation)

    def _build_anew(self, base: BaseLayer) -> None:
        """Fills a new generation and publishes it."""
        job = self.job
        layers = self._layers(base, None)
        wanted = self._wanted(base, layers)
        generation = generations.begin(job.writer, NAME, (ENTITY,))
        changes = wanted.changes_from(StoredGraph(generation, LayeredGraph([], [])))
        job.progress.start(f"{NAME} graph", len(changes), "rows")
        with self._timed("write"):
            write_graph(job.writer, changes, job.progress)
        job.progress.finish(f"{len(changes):,} rows written")
        found = self._communities(wanted, generation, StoredReports(), {})
        job.progress.start(f"{NAME} communities", len(found), "rows")
        with self._timed("write"):
            write_tree(job.writer, found.tree, job.progress)
            store_reports(job.writer, found.reports, job.progress)
            commit_rows(job.writer, NAME, "systems/hirag/write_bridges", found.bridges, job.progress)
            details = indexed_generation(job, ENTITY, len(wanted.graph.entities), generation)
            details |= self._details(found)
        job.progress.finish(f"{len(found):,} rows written")
        job.publish(job.state(generation=generation, details=details))
        job.ledger.count("rebuilt", 1)

    def _update(self, base: BaseLayer, before: StoredGraph) -> bool:
        """Changes the generation in use in place; False if that would be too much, and all is to be built anew."""
        job, generation = self.job, before.generation
        generations.discard_unpublished(job.writer, NAME, (ENTITY,))  # of a build that was killed
        number = int(job.before.figures.get("layers", 0)) if job.before is not None else 0
        layers = self._layers(base, before.layers(number))
        wanted = self._wanted(base, layers)
        changes = wanted.changes_from(before)
        if len(changes) > MOST_IN_PLACE:
            return False
        with self._timed("write"):
            job.commit(lambda tx: write_graph_in(tx, job.corpus.label, changes))
        with self._timed("read"):
            tree = read_tree(job.graph, job.corpus, COMMUNITIES, generation)
            reports = read_reports(job.graph, job.corpus, COMMUNITIES, generation)
        found = self._communities(wanted, generation, reports, tree)
        if len(found) > MOST_IN_PLACE:
            return False
        details = indexed_generation(job, ENTITY, len(wanted.graph.entities), generation) | self._details(found)

        def write(tx: Transaction) -> None:
            label = job.corpus.label
            write_tree_in(tx, label, found.tree)
            store_reports_in(tx, label, found.reports)
            tx.run("systems/hirag/remove_bridges", label, generation=generation)
            tx.run("systems/hirag/write_bridges", label, rows=found.bridges)
            job.publish_in(tx, job.state(generation=generation, details=details))

        with self._timed("write"):
            job.commit(write)
        job.ledger.count("rebuilt", 0)
        return True

    def _layers(self, base: BaseLayer, before: SummaryLayers | None) -> SummaryLayers:
        job = self.job
        job.notes.extend(note for note in base.notes if note not in job.notes)  # of an update that was too much
        job.figures |= base.counts
        job.figures |= {"entities": len(base.entities), "relations": len(base.relations)}
        with self._timed("layers"):
            layers = grow(
                base.entities,
                settings=job.settings,
                before=before,
                summariser=summariser_for(job.chat, job.model),
                vectors_of=self._vectors,
                progress=job.progress,
            )
        job.notes.extend(layers.notes)
        job.figures |= _layer_figures(layers)
        return layers

    def _wanted(self, base: BaseLayer, layers: SummaryLayers) -> Wanted:
        entities = sorted([*base.entities, *layers.entities], key=lambda entity: entity.ref)
        graph = LayeredGraph(entities, base.relations, layers.links, layers.same)
        texts = [entity.embedded for entity in entities]
        cluster = {ref: each.members[0] for each in layers.clusters for ref in each.members}
        return Wanted(self.job.corpus.label, graph, self._vectors(texts), self.store.ids(texts), cluster)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        """float32[len(texts), dimension]; each text is read or embedded once a build."""
        new = list(dict.fromkeys(text for text in texts if text not in self.known))
        if new:
            with self._timed("embed"):
                self.known.update(zip(new, self.store.of(new), strict=True))
        dimension = self.job.context.embedder.dimension
        return np.stack([self.known[text] for text in texts]) if texts else np.zeros((0, dimension), np.float32)

    def _communities(
        self, wanted: Wanted, generation: int, stored: StoredReports, tree_before: StoredTree
    ) -> _FoundCommunities:
        """Communities of the stored graph, their reports and bridges, as differences from what is stored."""
        job, label = self.job, self.job.corpus.label
        graph = wanted.graph
        job.progress.start(f"{NAME} communities", len(graph.entities), "entities")
        with self._timed("communities"), layered_projection(job.writer, generation) as projected:
            labels = projected.communities(graph.refs)
            tree = EncodingTree.from_labels(graph.as_graph(), *labels)
            nodes = stored_form(
                tree,
                [entity_id(label, generation, ref) for ref in graph.refs],
                wanted.vectors,
                kind=COMMUNITIES,
                corpus=label,
                generation=generation,
            )
            with self._timed("bridges"):
                bridges = find_bridges(projected, tree, graph, wanted.vectors)
        job.progress.finish(_told(tree))
        with self._timed("reports"):
            reporter = reporter_for(job.chat, job.model, graph.entities)
            reports = write_reports(tree, graph, known=stored.by_key, reporter=reporter, progress=job.progress)
        job.notes.extend(reporter.notes)
        job.figures |= self._asked.figures()
        job.figures |= _community_figures(tree) | {"reports_written": reports.written}
        job.figures |= {"bridges": len(bridges), "communities_not_bridged": bridges.left_out}
        by_id = {nodes.ids[node]: report for node, report in reports.of_node.items()}
        return _FoundCommunities(
            tree_changes(nodes, tree_before),
            report_changes(COMMUNITIES, label, generation, by_id, stored),
            [bridge.row(nodes.ids, partial(entity_id, label, generation)) for bridge in bridges],
            {"root": nodes.ids[-1], "levels": tree.height - 1, "entropy": tree.entropy},
        )


@dataclass(frozen=True, slots=True)
class _FoundCommunities:
    """What is to be written of communities.

    Attributes:
        tree_details: of the tree, as new passages are placed in it: its root, its levels and its entropy in bits.
    """

    tree: TreeChanges
    reports: ReportChanges
    bridges: list[Row]
    tree_details: dict[str, object]

    def __len__(self) -> int:
        return len(self.tree) + len(self.reports) + len(self.bridges)


def _layer_figures(layers: SummaryLayers) -> dict[str, float]:
    """Entities and clusters of each layer, how large these are, and the cluster sparsity."""
    figures: dict[str, float] = {"layers": max((entity.layer for entity in layers.entities), default=0)}
    entities = Counter(entity.layer for entity in layers.entities)
    figures |= {f"layer_{layer}_entities": count for layer, count in sorted(entities.items())}
    for layer, sparsity in enumerate(layers.sparsity):
        sizes = [len(cluster.members) for cluster in layers.clusters if cluster.layer == layer]
        figures[f"layer_{layer}_sparsity"] = round(sparsity, 4)
        for low, high in CLUSTER_SIZES:
            named = str(low) if low == high else f"{low}_to_{high}"
            figures[f"layer_{layer}_clusters_of_{named}"] = sum(low <= size <= high for size in sizes)
    return figures | {"clusters_summarised": layers.redone, "same_across_layers": len(layers.same)}


def _community_figures(tree: EncodingTree) -> dict[str, float]:
    levels = np.bincount(tree.depths[tree.leaves :])
    figures = {f"level_{level}_communities": int(levels[level]) for level in range(1, len(levels))}
    return {"communities": sum(figures.values()), **figures}


def _told(tree: EncodingTree) -> str:
    return counted(len(tree) - tree.leaves - 1, "community", "communities")
