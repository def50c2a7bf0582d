"""One build of HiRAG's index: layer 0, the layers above it, communities with their reports, and bridges between these.

A first build, and one after many changes, fills a new generation, which readers see when all of it is there. A small
change is placed in it (`small_change`), in one transaction. What costs most is not lost in a kill: vectors are stored
as they are made, readings of a language model too, and its other answers are remembered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from overstory.display import counted
from overstory.graph import generations
from overstory.graph.client import Row
from overstory.graph.ids import derived_label
from overstory.index.derived_vectors import DerivedVectors, remove_other_embedders, remove_unused
from overstory.protocols import Vectors
from overstory.systems.base import SystemRun
from overstory.systems.figures import ModelRequests, PartSeconds
from overstory.systems.statements import commit_rows
from overstory.systems.texts.reports import Report
from overstory.systems.tree.build import stored_form
from overstory.systems.tree.changes import TreeChanges, tree_changes, write_tree
from overstory.systems.tree.reports import ReportChanges, StoredReports, read_reports, report_changes, store_reports
from overstory.systems.vector_indexes import indexed_generation
from overstory_entropy import EncodingTree
from overstory_systems.hirag.base_layer import read_base_layer
from overstory_systems.hirag.bridges import find_bridges
from overstory_systems.hirag.communities import layered_projection
from overstory_systems.hirag.index_settings import HiragIndexSettings
from overstory_systems.hirag.knowledge_graph import BaseLayer, LayeredGraph, LayerEntity, SummaryLayers
from overstory_systems.hirag.layers import grow
from overstory_systems.hirag.names import COMMUNITIES, ENTITY, NAME, READING, entity_id
from overstory_systems.hirag.reports import write_reports
from overstory_systems.hirag.small_change import DELETIONS_NOTED, SmallEntityChange
from overstory_systems.hirag.store import StoredGraph, Wanted, write_graph
from overstory_systems.hirag.writers import reporter_for, summariser_for

CLUSTER_SIZES = ((1, 1), (2, 5), (6, 10), (11, 20), (21, 30))


@dataclass(slots=True)
class HierarchyBuild:
    """A build in progress."""

    job: SystemRun[HiragIndexSettings]
    store: DerivedVectors = field(init=False)
    known: dict[str, Vectors] = field(default_factory=dict[str, Vectors])
    _base: BaseLayer | None = field(default=None, init=False)
    _asked: ModelRequests = field(init=False)
    _timed: PartSeconds = field(init=False)

    def __post_init__(self) -> None:
        self._asked, self._timed = ModelRequests(self.job.chat, NAME), PartSeconds(self.job.figures)
        self.store = DerivedVectors(self.job.writer, self.job.context.embedder, stage=NAME)

    def run(self) -> None:
        job = self.job
        if job.before is not None and job.before.embedder != job.context.embedder.fingerprint:
            remove_other_embedders(job.writer)
        if SmallEntityChange(job, self._base_layer, self.store, self._vectors, self._timed, self._asked).placed():
            return
        base = self._base_layer({})
        if not job.model:
            job.graph.run_in_batches("systems/remove_nodes", derived_label(job.corpus.label, READING))
        self._build(base)
        remove_unused(job.writer, stage=NAME)

    def _base_layer(self, known: Mapping[str, LayerEntity]) -> BaseLayer:
        """Layer 0, read once a build."""
        if self._base is None:
            with self._timed("read"):
                self._base = read_base_layer(self.job, known)
        return self._base

    def _build(self, base: BaseLayer) -> None:
        """Fills a new generation and publishes it."""
        job = self.job
        layers = self._layers(base)
        wanted = self._wanted(base, layers)
        generation = generations.begin(job.writer, NAME, (ENTITY,))
        changes = wanted.changes_from(StoredGraph(generation, LayeredGraph([], [])))
        job.progress.start(f"{NAME} graph", len(changes), "rows")
        with self._timed("write"):
            write_graph(job.writer, changes, job.progress)
        job.progress.finish(f"{len(changes):,} rows written")
        found = self._communities(wanted, generation)
        job.progress.start(f"{NAME} communities", len(found), "rows")
        with self._timed("write"):
            write_tree(job.writer, found.tree, job.progress)
            store_reports(job.writer, found.reports, job.progress)
            commit_rows(job.writer, NAME, "systems/hirag/write_bridges", found.bridges, job.progress)
            details = indexed_generation(job, ENTITY, len(wanted.graph.entities), generation)
        job.progress.finish(f"{len(found):,} rows written")
        details |= {**found.tree_details, DELETIONS_NOTED: True}
        job.publish(job.state(generation=generation, details=details))
        job.ledger.count("rebuilt", 1)

    def _layers(self, base: BaseLayer) -> SummaryLayers:
        job = self.job
        job.notes.extend(base.notes)
        job.figures |= base.counts
        job.figures |= {"entities": len(base.entities), "relations": len(base.relations)}
        with self._timed("layers"):
            layers = grow(
                base.entities,
                settings=job.settings,
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

    def _communities(self, wanted: Wanted, generation: int) -> _FoundCommunities:
        """Communities of the stored graph, their reports and bridges."""
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
            reports = write_reports(tree, graph, known=self._reports(), reporter=reporter, progress=job.progress)
        job.notes.extend(reporter.notes)
        job.figures |= self._asked.figures()
        job.figures |= _community_figures(tree) | {"reports_written": reports.written}
        job.figures |= {"bridges": len(bridges), "communities_not_bridged": bridges.left_out}
        by_id = {nodes.ids[node]: report for node, report in reports.of_node.items()}
        return _FoundCommunities(
            tree_changes(nodes, {}),
            report_changes(COMMUNITIES, label, generation, by_id, StoredReports()),
            [bridge.row(nodes.ids, partial(entity_id, label, generation)) for bridge in bridges],
            {"root": nodes.ids[-1], "levels": tree.height - 1, "entropy": tree.entropy},
        )

    def _reports(self) -> dict[str, Report]:
        """The reports in use that a language model wrote, by key: none of them is asked for again."""
        job = self.job
        if job.chat is None or job.before is None:
            return {}
        return read_reports(job.graph, job.corpus, COMMUNITIES, job.before.generation).by_key


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
    summarised = sum(bool(cluster.summaries) for cluster in layers.clusters)
    return figures | {"clusters_summarised": summarised, "same_across_layers": len(layers.same)}


def _community_figures(tree: EncodingTree) -> dict[str, float]:
    levels = np.bincount(tree.depths[tree.leaves :])
    figures = {f"level_{level}_communities": int(levels[level]) for level in range(1, len(levels))}
    return {"communities": sum(figures.values()), **figures}


def _told(tree: EncodingTree) -> str:
    return counted(len(tree) - tree.leaves - 1, "community", "communities")
