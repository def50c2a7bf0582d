"""One build of SeRAG's index: the chunk graph, its trees, the vectors of their communities, and what is stored of them.

The graph is a function of the chunks, their vectors and their mentions, and is made anew from these each time: half a
million edges in a second. The trees are encoded once; later builds mend them where the graph changed, unless a fifth of
the chunks did. What is written are differences to what is there, so that a build that was killed is made good by the
next.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from overstory.entropy import EncodingTree, Graph
from overstory.entropy.compile import Ints
from overstory.graph import Corpus, Transaction, Writer, generations
from overstory.graph.client import Row
from overstory.graph.corpora import SYSTEM
from overstory.index.ledger import StageRun
from overstory.protocols import Progress
from overstory.systems.serag.build_cache import Memory, Remembered
from overstory.systems.serag.changes import (
    LinkChanges,
    Links,
    TreeChanges,
    link_changes,
    stored_after,
    tree_changes,
    write_links,
    write_tree,
    write_tree_in,
)
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
    Tree,
    numbers_before,
    read_chunks,
    read_links,
    read_tree,
)
from overstory.systems.serag.index_settings import NAME, Kept, SeragSettings
from overstory.systems.serag.trees import make_tree, mend_tree, stored_form
from overstory.vectors.nearest import NOBODY, Neighbours, alike, nearest, nearest_after

MOST_CHANGED = 0.2
"""Of the chunks: where more are new, gone or changed, the tree is encoded anew."""
MOST_IN_PLACE = 20_000
"""Rows of a tree that one transaction changes; more go into a new generation."""


@dataclass(slots=True)
class Build:
    """A build under way.

    Attributes:
        kept: of the index that is to be mended, None where it is made anew.
        counts: as `systems/serag/counts` gives them.
        figures: what was found, and the seconds that each part took.
        by_gds: whether the nearest neighbours are stored, as GDS found them.
    """

    writer: Writer
    corpus: Corpus
    settings: SeragSettings
    kept: Kept | None
    counts: Row
    progress: Progress
    memory: Memory
    figures: dict[str, float] = field(default_factory=dict[str, float])
    by_gds: bool = False

    def run(self, ledger: StageRun) -> None:
        """
        Raises:
            GdsMissing, LeaseLost, DatabaseError: what was committed before stays; build again to go on.
        """
        remembered = self.memory.take(self.writer.graph, self.kept.stamp) if self.kept else None
        chunks = self._read(remembered)
        neighbours = self._neighbours(chunks, remembered)
        layers = self._layers(chunks, neighbours)
        with self._timed("graph"):
            graphs = {tree: fused(len(chunks.ids), *layers, shares) for tree, shares in self.settings.trees().items()}
            engine = {tree: found.as_graph() for tree, found in graphs.items()}
            links = _links(graphs[NAME], engine[NAME], chunks.ids, self.settings.linked)
        with self._timed("read"):
            written = remembered if remembered and remembered.is_still_stored(chunks) else None
            before = written.links if written else read_links(self.writer.graph, self.corpus)
            stored = self._stored_trees(written)
        changed_links = link_changes(links, before)
        new, gone = int((~chunks.known).sum()), self._gone(chunks)
        anew = not stored or new + gone > MOST_CHANGED * len(chunks.ids)
        with self._timed("tree"):
            trees = {
                name: make_tree(graph, self.settings.levels)
                if anew
                else _mended(graph, stored[name], chunks, changed_links, self.settings.levels)
                for name, graph in engine.items()
            }
        self.progress.finish(_told(trees[NAME], graphs[NAME], anew=anew))
        self._write(chunks, neighbours, trees, {} if anew else stored, changed_links, before)
        for what, number in {
            "chunks": len(chunks.ids),
            "new_or_changed": new,
            "gone": gone,
            "edges": len(graphs[NAME].keys),
            "trees_encoded_anew": int(anew),
        }.items():
            ledger.count(what, number)

    @contextmanager
    def _timed(self, part: str) -> Generator[None]:
        began = time.perf_counter()
        yield
        name = f"{part}_seconds"
        self.figures[name] = round(self.figures.get(name, 0.0) + time.perf_counter() - began, 3)

    def _read(self, remembered: Remembered | None) -> ReadChunks:
        self.progress.start(NAME, self.counts["chunks"], "chunks")
        with self._timed("read"):
            before = remembered.chunks if remembered else None
            return read_chunks(self.writer.graph, self.corpus, self.progress, before)

    def _stored_trees(self, remembered: Remembered | None) -> Mapping[str, Tree]:
        if remembered:
            return remembered.trees
        if not self.kept:
            return {}
        graph, generation = self.writer.graph, self.kept.generation
        return {tree: read_tree(graph, self.corpus, tree, generation) for tree in self.settings.trees()}

    def _gone(self, chunks: ReadChunks) -> int:
        """How many chunks of the tree are there no longer, or at least so many."""
        return max(0, self.kept.chunks - len(chunks.ids), self.kept.chunks - self.counts["done"]) if self.kept else 0

    def _neighbours(self, chunks: ReadChunks, remembered: Remembered | None) -> Neighbours:
        with self._timed("similar"):
            nearest_count = self.settings.nearest
            if self.kept and self.kept.by_gds:
                self.by_gds = True
                before = stored_neighbours(self.writer.graph, self.corpus, chunks.ids, nearest_count)
                complete = before.ids[:, -1] != NOBODY  # others lost a neighbour that was deleted
                was = np.where(chunks.known & complete, np.arange(len(chunks.ids)), NOBODY)
                found = nearest_after(chunks.vectors, before, was)
                write_changed(self.writer, chunks.ids, before, found)
                return found
            if is_for_gds(self.writer.graph, self.settings, len(chunks.ids)):
                self.by_gds = True
                find_by_gds(self.writer, self.corpus, nearest_count)
                return stored_neighbours(self.writer.graph, self.corpus, chunks.ids, nearest_count)
            if not self.kept:
                forget_similar(self.writer)  # which GDS found for an index of other settings
            if remembered:
                was = numbers_before(remembered.chunks.ids, chunks)
                return nearest_after(chunks.vectors, remembered.neighbours, was)
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
        self.figures |= {
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
        stored: Mapping[str, Tree],
        links: LinkChanges,
        before: LinkWeights,
    ) -> None:
        """Edges first, then the trees: in place where little changed, else beside the ones that are read."""
        generation = self.kept.generation if self.kept else 0
        changes = self._tree_changes(chunks, trees, stored, generation) if stored else {}
        in_place = bool(stored) and sum(map(len, changes.values())) <= MOST_IN_PLACE
        if not in_place:
            generation, stored = generations.begin(self.writer, NAME), {}
            changes = self._tree_changes(chunks, trees, stored, generation)
        beside = {} if in_place else changes
        rows = len(links.new) + len(links.gone) + sum(map(len, beside.values()))
        self.progress.start(f"{NAME} graph", rows, "rows")
        with self._timed("write"):
            write_links(self.writer, links, self.progress)
            for each in beside.values():
                write_tree(self.writer, each, self.progress)
        self.figures |= {"entropy": round(trees[NAME].entropy, 6), "communities": _communities(trees[NAME])}
        kept = Kept(
            settings=self.settings,
            embedder=self.corpus.embedder,
            generation=generation,
            chunks=len(chunks.ids),
            stamp=uuid.uuid4().hex,
            by_gds=self.by_gds,
            figures=self.figures,
        )
        if in_place:
            generations.discard_unpublished(self.writer, NAME)  # of a build that was killed
            self._commit(kept, chunks, changes)
        else:
            self._publish(kept)
        self.progress.finish(f"{rows:,} rows written")
        known = replace(chunks, known=np.ones(len(chunks.ids), dtype=np.bool_))
        trees_now = {name: stored_after(each, stored.get(name, {})) for name, each in changes.items()}
        self.memory.keep(
            self.writer.graph, Remembered(kept.stamp, known, neighbours, links.applied_to(before), trees_now)
        )

    def _tree_changes(
        self, chunks: ReadChunks, trees: Mapping[str, EncodingTree], stored: Mapping[str, Tree], generation: int
    ) -> dict[str, TreeChanges]:
        label = self.corpus.label
        with self._timed("vectors"):
            return {
                name: tree_changes(
                    stored_form(tree, chunks.ids, chunks.vectors, label=label, name=name, generation=generation),
                    stored.get(name, {}),
                    corpus=label,
                    tree=name,
                    generation=generation,
                )
                for name, tree in trees.items()
            }

    def _commit(self, kept: Kept, chunks: ReadChunks, changes: Mapping[str, TreeChanges]) -> None:
        """The trees, what is kept of them and the marks of the chunks, in one transaction."""
        label = self.corpus.label
        fresh = [chunks.ids[place] for place in np.flatnonzero(~chunks.known).tolist()]

        def write(tx: Transaction) -> None:
            for each in changes.values():
                write_tree_in(tx, label, each)
            tx.run("systems/serag/mark", label, ids=fresh)
            tx.run("corpus/set", id=self.corpus.id, token=self.writer.token, properties={SYSTEM + NAME: kept.stored()})

        self.writer.commit(NAME, write)

    def _publish(self, kept: Kept) -> None:
        """Switches readers to the new generation. Killed before the marks, the next run finds every chunk changed."""
        generations.publish(self.writer, NAME, kept.generation, **{SYSTEM + NAME: kept.stored()})
        self.writer.graph.run_in_batches("systems/serag/mark_all", self.corpus.label, generation=kept.generation)


def _links(found: ChunkGraph, graph: Graph, ids: list[str], most: int) -> Links:
    """The strongest edges of each chunk, which are stored."""
    place = np.searchsorted(found.keys, strongest_pairs(graph, most))
    pairs = np.stack(np.divmod(found.keys[place], max(len(ids), 1)), axis=1).tolist()
    columns = (found.weights, found.similar, found.shared, found.near)
    return Links([(ids[one], ids[other]) for one, other in pairs], *(column[place].tolist() for column in columns))


def _mended(graph: Graph, stored: Tree, chunks: ReadChunks, changes: LinkChanges, levels: int) -> EncodingTree:
    number = {id_: place for place, id_ in enumerate(chunks.ids)}
    touched = [(number[one], number[other]) for one, other in changes.pairs() if one in number and other in number]
    labels = _labels(stored, number, levels)
    if (labels[0] < 0).all():
        return make_tree(graph, levels)
    return mend_tree(graph, labels, np.array(touched, dtype=np.int64).reshape(-1, 2))


def _labels(stored: Tree, number: Mapping[str, int], levels: int) -> Ints:
    """Shape (levels, n): the stored communities of each chunk, from the top; −1 for a chunk without a leaf."""
    communities: dict[str, int] = {}
    labels = np.full((levels, len(number)), -1, dtype=np.int64)
    for node in stored.values():
        vertex = number.get(node.chunk, -1)
        above = node.parent
        for level in range(levels - 1, -1, -1) if vertex >= 0 else ():
            labels[level, vertex] = communities.setdefault(above, len(communities))
            above = stored[above].parent
    return labels


def _communities(tree: EncodingTree) -> int:
    return len(tree) - tree.leaves - 1


def _told(tree: EncodingTree, graph: ChunkGraph, *, anew: bool) -> str:
    how = "encoded" if anew else "mended"
    return f"{len(graph.keys):,} edges, {_communities(tree):,} communities, {tree.entropy:.4f} bits, {how}"
