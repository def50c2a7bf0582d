"""One build of SeRAG's index: the chunk graph, its trees, the vectors of their communities, and what is stored of them.

The graph is a function of the chunks, their vectors and their mentions, and each build computes it from scratch: half a
million edges in a second. The trees are encoded once; later builds update them where the graph changed, or rebuild them
if over a fifth of the chunks did. Only differences from the stored index are written, so the next build completes one
that was killed.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from overstory.entropy import EncodingTree, Graph
from overstory.entropy.compile import Ints
from overstory.graph import Transaction, generations
from overstory.systems.base import SystemRun
from overstory.systems.build_cache import BuildCache
from overstory.systems.figures import PartSeconds
from overstory.systems.serag.changes import LinkChanges, Links, link_changes, write_links
from overstory.systems.serag.chunk_graph import (
    ChunkGraph,
    Layer,
    fused,
    most_chunks_of_an_entity,
    near_in_documents,
    shared_entities,
    strongest_pairs,
)
from overstory.systems.serag.gds_neighbours import (
    find_by_gds,
    forget_similar,
    is_for_gds,
    stored_neighbours,
    write_changed,
)
from overstory.systems.serag.graph_reads import (
    LinkWeights,
    ReadChunks,
    Weights,
    numbers_before,
    read_chunks,
    read_links,
)
from overstory.systems.serag.index_settings import NAME, SEMANTIC, TREES, SeragIndexSettings
from overstory.systems.serag.last_build import LastBuild
from overstory.systems.state import IndexState
from overstory.systems.tree.build import labels_before, make_tree, stored_form, update_tree
from overstory.systems.tree.changes import (
    MOST_CHANGED,
    MOST_IN_PLACE,
    TreeChanges,
    stored_after,
    tree_changes,
    write_tree,
    write_tree_in,
)
from overstory.systems.tree.stored import StoredTree, read_tree
from overstory.vectors.nearest import NOBODY, Neighbours, alike, nearest, nearest_after


@dataclass(slots=True)
class Build:
    """A build in progress.

    Attributes:
        before: the state of the index to update, None if it is built from scratch.
        by_gds: whether the nearest neighbours are stored, as GDS found them.
    """

    job: SystemRun[SeragIndexSettings]
    cache: BuildCache[LastBuild]
    before: IndexState[SeragIndexSettings] | None = field(init=False)
    by_gds: bool = False
    _timed: PartSeconds = field(init=False)

    def __post_init__(self) -> None:
        self._timed = PartSeconds(self.job.figures)
        self.before = None if self.job.scratch else self.job.before

    @property
    def settings(self) -> SeragIndexSettings:
        return self.job.settings

    def run(self) -> None:
        """
        Raises:
            GdsMissing, LeaseLost, DatabaseError: what was committed before stays; build again to go on.
        """
        last = self.cache.take(self.job.graph, self.before.details["stamp"]) if self.before else None
        chunks = self._read(last)
        neighbours = self._neighbours(chunks, last)
        layers = self._layers(chunks, neighbours)
        with self._timed("graph"):
            graphs = {tree: fused(len(chunks.ids), *layers, shares) for tree, shares in self.settings.trees().items()}
            engine = {tree: found.as_graph() for tree, found in graphs.items()}
            links = _links(graphs, engine, chunks.ids, self.settings.linked)
        with self._timed("read"):
            written = last if last and last.is_still_stored(chunks) else None
            before = written.links if written else read_links(self.job.graph, self.job.corpus)
            stored = self._stored_trees(written)
        changed_links = link_changes(links, before)
        new, gone = int((~chunks.known).sum()), self._gone()
        rebuild = not stored or new + gone > MOST_CHANGED * len(chunks.ids)
        with self._timed("tree"):
            trees = {
                name: make_tree(graph, self.settings.levels)
                if rebuild
                else _updated(graph, stored[name], chunks, changed_links, self.settings.levels)
                for name, graph in engine.items()
            }
        self.job.progress.finish(_told(trees[NAME], graphs[NAME], rebuilt=rebuild))
        self._write(chunks, neighbours, trees, {} if rebuild else stored, changed_links, before)
        for what, number in {
            "chunks": len(chunks.ids),
            "new_or_changed": new,
            "gone": gone,
            "edges": len(graphs[NAME].keys),
            "trees_rebuilt": int(rebuild),
        }.items():
            self.job.ledger.count(what, number)

    def _read(self, last: LastBuild | None) -> ReadChunks:
        self.job.progress.start(NAME, self.job.backlog.units, "chunks")
        with self._timed("read"):
            before = last.chunks if last else None
            return read_chunks(self.job.graph, self.job.corpus, self.job.read_to, self.job.progress, before)

    def _stored_trees(self, last: LastBuild | None) -> Mapping[str, StoredTree]:
        if last:
            return last.trees
        if not self.before:
            return {}
        graph, generation = self.job.graph, self.before.generation
        return {tree: read_tree(graph, self.job.corpus, TREES[tree], generation) for tree in self.settings.trees()}

    def _gone(self) -> int:
        """How many chunks were deleted since the tree was written."""
        return self.job.backlog.deleted if self.before else 0

    def _neighbours(self, chunks: ReadChunks, last: LastBuild | None) -> Neighbours:
        with self._timed("similar"):
            nearest_count = self.settings.nearest
            if self.before and self.before.details["by_gds"]:
                self.by_gds = True
                before = stored_neighbours(self.job.graph, self.job.corpus, chunks.ids, nearest_count)
                complete = before.ids[:, -1] != NOBODY  # others lost a neighbour that was deleted
                was = np.where(chunks.known & complete, np.arange(len(chunks.ids)), NOBODY)
                found = nearest_after(chunks.vectors, before, was)
                write_changed(self.job.writer, chunks.ids, before, found)
                return found
            if is_for_gds(self.job.graph, self.settings, len(chunks.ids)):
                self.by_gds = True
                find_by_gds(self.job.writer, self.job.corpus, nearest_count)
                return stored_neighbours(self.job.graph, self.job.corpus, chunks.ids, nearest_count)
            if not self.before:
                forget_similar(self.job.writer)  # which GDS found for an index of other settings
            if last:
                was = numbers_before(last.chunks.ids, chunks)
                return nearest_after(chunks.vectors, last.neighbours, was)
            return nearest(chunks.vectors, nearest_count)

    def _layers(self, chunks: ReadChunks, neighbours: Neighbours) -> tuple[Layer, Layer, Layer]:
        similar = Layer(*alike(neighbours))
        with self._timed("shared"):
            shared = shared_entities(
                chunks.mentioned(),
                most_chunks=most_chunks_of_an_entity(len(chunks.ids), self.settings.common),
                most_pairs=self.settings.sharing,
            )
        near = near_in_documents(chunks.document_numbers(), chunks.places)
        self.job.figures |= {
            "similar": len(similar.keys),
            "shares_entities": len(shared.layer.keys),
            "near": len(near.keys),
            "entities_too_common": shared.too_common,
            "chunks_with_more_sharers": shared.cut,
        }
        return similar, shared.layer, near

    def _write(
        self,
        chunks: ReadChunks,
        neighbours: Neighbours,
        trees: Mapping[str, EncodingTree],
        stored: Mapping[str, StoredTree],
        links: LinkChanges,
        before: LinkWeights,
    ) -> None:
        """Edges first, then the trees: in place if little changed, else into a new generation."""
        generation = self.before.generation if self.before else 0
        changes = self._tree_changes(chunks, trees, stored, generation) if stored else {}
        in_place = bool(stored) and sum(map(len, changes.values())) <= MOST_IN_PLACE
        if not in_place:
            generation, stored = generations.begin(self.job.writer, NAME), {}
            changes = self._tree_changes(chunks, trees, stored, generation)
        beside = {} if in_place else changes
        rows = len(links.new) + len(links.gone) + sum(map(len, beside.values()))
        self.job.progress.start(f"{NAME} graph", rows, "rows")
        with self._timed("write"):
            write_links(self.job.writer, links, self.job.progress)
            for each in beside.values():
                write_tree(self.job.writer, each, self.job.progress)
        self.job.figures |= {"entropy": round(trees[NAME].entropy, 6), "communities": _communities(trees[NAME])}
        stamp = uuid.uuid4().hex
        details = {"stamp": stamp, "by_gds": self.by_gds, "chunks": len(chunks.ids)}
        state = self.job.state(generation=generation, details=details)
        if in_place:
            generations.discard_unpublished(self.job.writer, NAME)  # of a build that was killed
            self._publish_in_place(state, changes)
        else:
            self.job.publish(state)
        self.job.progress.finish(f"{rows:,} rows written")
        known = replace(chunks, known=np.ones(len(chunks.ids), dtype=np.bool_))
        trees_now = {name: stored_after(each, stored.get(name, {})) for name, each in changes.items()}
        build = LastBuild(known, neighbours, links.applied_to(before), trees_now)
        self.cache.keep(self.job.graph, stamp, build, units=len(chunks.ids))

    def _tree_changes(
        self, chunks: ReadChunks, trees: Mapping[str, EncodingTree], stored: Mapping[str, StoredTree], generation: int
    ) -> dict[str, TreeChanges]:
        label = self.job.corpus.label
        with self._timed("vectors"):
            return {
                name: tree_changes(
                    stored_form(
                        tree, chunks.ids, chunks.vectors, kind=TREES[name], corpus=label, generation=generation
                    ),
                    stored.get(name, {}),
                )
                for name, tree in trees.items()
            }

    def _publish_in_place(self, state: IndexState[SeragIndexSettings], changes: Mapping[str, TreeChanges]) -> None:
        """Changes the trees and the state in one transaction."""

        def write(tx: Transaction) -> None:
            for each in changes.values():
                write_tree_in(tx, self.job.corpus.label, each)
            self.job.publish_in(tx, state)

        self.job.commit(write)


def _links(graphs: Mapping[str, ChunkGraph], engine: Mapping[str, Graph], ids: list[str], most: int) -> Links:
    """The strongest edges of each chunk in each graph, which are stored: every tree is walked by its own."""
    found = graphs[NAME]
    strongest = {tree: np.intersect1d(strongest_pairs(graph, most), found.keys) for tree, graph in engine.items()}
    place = np.searchsorted(found.keys, np.unique(np.concatenate(list(strongest.values()))))
    weights = [
        _weights(graphs[tree], strongest[tree], found.keys[place]) for tree in (NAME, SEMANTIC) if tree in graphs
    ]
    pairs = np.stack(np.divmod(found.keys[place], max(len(ids), 1)), axis=1).tolist()
    columns = (found.similar, found.shared, found.near)
    return Links(
        [(ids[one], ids[other]) for one, other in pairs],
        [Weights(*each) for each in zip(*weights, strict=True)],
        *(column[place].tolist() for column in columns),
    )


def _weights(graph: ChunkGraph, strongest: Ints, keys: Ints) -> list[float | None]:
    """The weights of these edges in a graph, None for those that are not among its strongest."""
    weights: list[float | None] = [None] * len(keys)
    kept = np.flatnonzero(np.isin(keys, strongest))
    for at, weight in zip(kept, graph.weights[np.searchsorted(graph.keys, keys[kept])].tolist(), strict=True):
        weights[at] = weight
    return weights


def _updated(graph: Graph, stored: StoredTree, chunks: ReadChunks, changes: LinkChanges, levels: int) -> EncodingTree:
    number = {id_: place for place, id_ in enumerate(chunks.ids)}
    touched = [(number[one], number[other]) for one, other in changes.pairs() if one in number and other in number]
    labels = labels_before(stored, chunks.ids, levels)
    if (labels[0] < 0).all():
        return make_tree(graph, levels)
    return update_tree(graph, labels, np.array(touched, dtype=np.int64).reshape(-1, 2))


def _communities(tree: EncodingTree) -> int:
    return len(tree) - tree.leaves - 1


def _told(tree: EncodingTree, graph: ChunkGraph, *, rebuilt: bool) -> str:
    how = "rebuilt" if rebuilt else "updated"
    return f"{len(graph.keys):,} edges, {_communities(tree):,} communities, {tree.entropy:.4f} bits, {how}"
