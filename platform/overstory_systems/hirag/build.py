"""Builds HiRAG's index: layer 0, summary layers, communities with reports, and bridges between communities.

A build fills a new generation, which becomes visible to readers once it is complete. Texts that a language model wrote
from the same input are copied from the generation in use; therefore, only changed input causes requests. A killed build
loses little, because vectors and readings are stored immediately and the model's other answers are cached.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from overstory.display import counted
from overstory.graph import GraphClient, generations
from overstory.graph.client import Row
from overstory.graph.ids import derived_label
from overstory.index.derived_vectors import DerivedVectors, remove_other_embedders, remove_unused
from overstory.llm import Chat
from overstory.protocols import Vectors
from overstory.systems.base import SystemRun
from overstory.systems.entity_graph import EntityRelation, read_entity_graph
from overstory.systems.figures import ModelRequests, PartSeconds
from overstory.systems.statements import commit_rows, commit_statements
from overstory.systems.tree.build import stored_form
from overstory.systems.tree.changes import TreeChanges, new_tree, write_tree
from overstory.systems.tree.reports import ReportRows, reports_to_reuse, store_reports
from overstory.systems.vector_indexes import indexed_generation
from overstory_entropy import EncodingTree
from overstory_systems.hirag.communities import find_bridges, layered_projection
from overstory_systems.hirag.knowledge_graph import (
    COMMUNITIES,
    ENTITY,
    NAME,
    READING,
    BaseLayer,
    LayeredGraph,
    LayerEntity,
    NewGraph,
    SummaryLayers,
    entity_id,
    read_graph,
    ref_of,
)
from overstory_systems.hirag.layers import grow
from overstory_systems.hirag.reports import reporter_for, write_reports
from overstory_systems.hirag.settings import HiragIndexSettings
from overstory_systems.hirag.summaries import summariser_for

CLUSTER_SIZES = ((1, 1), (2, 5), (6, 10), (11, 20), (21, 30))


@dataclass(slots=True)
class HierarchyBuild:
    """One build of the index. `known` caches vectors by text."""

    job: SystemRun[HiragIndexSettings]
    store: DerivedVectors = field(init=False)
    known: dict[str, Vectors] = field(default_factory=dict[str, Vectors])
    _asked: ModelRequests = field(init=False)
    _timed: PartSeconds = field(init=False)

    def __post_init__(self) -> None:
        self._asked, self._timed = ModelRequests(self.job.chat, NAME), PartSeconds(self.job.figures)
        self.store = DerivedVectors(self.job.writer, self.job.context.embedder, stage=NAME)

    def run(self) -> None:
        job = self.job
        if job.before is not None and job.before.embedder != job.context.embedder.fingerprint:
            remove_other_embedders(job.writer)
        with self._timed("read"):
            in_use = self._graph_in_use()
            base = read_base_layer(job, {entity.ref: entity for entity in in_use.entities if entity.layer == 0})
        if not job.model:
            job.graph.run_in_batches("systems/remove_nodes", derived_label(job.corpus.label, READING))
        graph = self._graph(base, self._layers(base, in_use))
        texts = [entity.embedded for entity in graph.entities]
        vectors, ids = self._vectors(texts), self.store.ids(texts)
        generation = generations.begin(job.writer, NAME, (ENTITY,))
        statements = list(NewGraph(job.corpus.label, generation, graph, vectors, ids).statements())
        rows = sum(len(rows) for _, rows, _ in statements)
        job.progress.start(f"{NAME} graph", rows, "rows")
        with self._timed("write"):
            commit_statements(job.writer, NAME, statements, job.progress)
        job.progress.finish(f"{rows:,} rows written")
        found = self._communities(graph, vectors, generation)
        job.progress.start(f"{NAME} communities", len(found), "rows")
        with self._timed("write"):
            write_tree(job.writer, found.tree, job.progress)
            store_reports(job.writer, found.reports, job.progress)
            commit_rows(job.writer, NAME, "systems/hirag/write_bridges", found.bridges, job.progress)
            details = indexed_generation(job, ENTITY, len(graph.entities), generation)
        job.progress.finish(f"{len(found):,} rows written")
        job.publish(job.state(generation=generation, details=details))
        remove_unused(job.writer, stage=NAME)

    def _graph_in_use(self) -> LayeredGraph:
        """Return the graph in use if a model can reuse its texts, otherwise an empty graph."""
        job = self.job
        if job.chat is None or job.before is None or not job.before.generation:
            return LayeredGraph([], [])
        return read_graph(job.graph, job.corpus, job.before.generation)

    def _layers(self, base: BaseLayer, in_use: LayeredGraph) -> SummaryLayers:
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
                in_use=in_use,
                progress=job.progress,
            )
        job.notes.extend(layers.notes)
        job.figures |= _layer_figures(layers)
        return layers

    def _graph(self, base: BaseLayer, layers: SummaryLayers) -> LayeredGraph:
        entities = sorted([*base.entities, *layers.entities], key=lambda entity: entity.ref)
        return LayeredGraph(entities, base.relations, layers.links, layers.same)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        """Return float32[len(texts), dimension]. Each text is read or embedded once per build."""
        new = list(dict.fromkeys(text for text in texts if text not in self.known))
        if new:
            with self._timed("embed"):
                self.known.update(zip(new, self.store.of(new), strict=True))
        dimension = self.job.context.embedder.dimension
        return np.stack([self.known[text] for text in texts]) if texts else np.zeros((0, dimension), np.float32)

    def _communities(self, graph: LayeredGraph, vectors: Vectors, generation: int) -> _FoundCommunities:
        job, label = self.job, self.job.corpus.label
        job.progress.start(f"{NAME} communities", len(graph.entities), "entities")
        with self._timed("communities"), layered_projection(job.writer, generation) as projected:
            tree = EncodingTree.from_labels(graph.as_graph(), *projected.communities(graph.refs))
            units = [entity_id(label, generation, ref) for ref in graph.refs]
            nodes = stored_form(tree, units, vectors, kind=COMMUNITIES, corpus=label, generation=generation)
            with self._timed("bridges"):
                bridges = find_bridges(projected, tree, graph, vectors)
        job.progress.finish(counted(len(tree) - tree.leaves - 1, "community", "communities"))
        with self._timed("reports"):
            reporter = reporter_for(job.chat, job.model, graph.entities)
            known = reports_to_reuse(job, COMMUNITIES)
            reports = write_reports(tree, graph, known=known, reporter=reporter, progress=job.progress)
        job.notes.extend(reporter.notes)
        job.figures |= self._asked.figures()
        job.figures |= _community_figures(tree) | {"reports_written": reports.written}
        job.figures |= {"bridges": len(bridges), "communities_not_bridged": bridges.left_out}
        by_id = {nodes.ids[node]: report for node, report in reports.of_node.items()}
        return _FoundCommunities(
            new_tree(nodes),
            ReportRows.of(COMMUNITIES, label, generation, by_id),
            [bridge.row(nodes.ids, partial(entity_id, label, generation)) for bridge in bridges],
        )


def read_base_layer(run: SystemRun[HiragIndexSettings], known: Mapping[str, LayerEntity]) -> BaseLayer:
    """Return layer 0 of a corpus: entities, relations and their descriptions.

    The result does not depend on the order of storage.

    Args:
        known: Stored entities of layer 0, by ref. A description by a language model is kept if its `source` is
            unchanged.
    """
    if run.chat is None:
        return _layer_by_rules(run.graph, run.corpus.label)
    return _layer_by_model(run, run.chat, known)


def _layer_by_model(run: SystemRun[HiragIndexSettings], chat: Chat, known: Mapping[str, LayerEntity]) -> BaseLayer:
    from overstory_systems.hirag import model_extraction, model_layer  # pydantic is needed only with a model

    model_extraction.read_documents(run, chat)
    graph, label = run.graph, run.corpus.label
    readings = model_layer.Readings()
    by = model_extraction.reader_fingerprint(chat, run.settings)
    for row in model_layer.stored_readings(graph, label, by):
        readings.add(row["id"], json.loads(row["found"]), rules=row["rules"])
    ids = model_layer.corpus_entities(graph, label, sorted(readings.entities))
    layer = model_layer.merged_layer(readings, chat, run.model, known, ids)
    if not readings.by_rules:
        return layer
    layer = model_layer.with_rules(layer, _layer_by_rules(graph, label, only=readings.by_rules))
    many = len(readings.by_rules)
    note = (
        f"{counted(many, 'passage was', 'passages were')} read by rules, too: answers of {run.model} could not be used"
    )
    return replace(layer, counts={**layer.counts, "passages_by_rules": many}, notes=(*layer.notes, note))


def _layer_by_rules(graph: GraphClient, label: str, *, only: Collection[str] | None = None) -> BaseLayer:
    """Build layer 0 from facts that the index stages found, optionally only in the passages in `only`."""
    read = read_entity_graph(graph, label, only=only)
    refs = {entity.key: ref_of(0, entity.key) for entity in read.entities}
    return BaseLayer(
        [
            LayerEntity(0, e.key, e.name, e.type, e.description, e.chunks, entity=e.id, source=e.source)
            for e in read.entities
        ],
        [EntityRelation(refs[r.source], refs[r.target], r.weight, r.description, r.chunks) for r in read.relations],
        read.counts,
        read.notes,
    )


@dataclass(frozen=True, slots=True)
class _FoundCommunities:
    tree: TreeChanges
    reports: ReportRows
    bridges: list[Row]

    def __len__(self) -> int:
        return len(self.tree) + len(self.reports) + len(self.bridges)


def _layer_figures(layers: SummaryLayers) -> dict[str, float]:
    """Return the number of entities, the number of clusters by size, and the cluster sparsity of each layer."""
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
