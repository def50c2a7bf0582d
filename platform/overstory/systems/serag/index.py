"""SeRAG's index: the chunk graph, its trees, and the vectors of their communities.

The graph is a function of the chunks, their vectors and their mentions, and is made anew from these at every run: at a
million edges that takes two seconds. The trees are encoded once; later runs mend them where the graph changed, unless a
fifth of it did. No language model takes part.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from overstory.entropy import EncodingTree, Graph
from overstory.entropy.compile import Ints
from overstory.graph import Corpus, GraphClient, Transaction, Writer, generations, read_corpus
from overstory.graph.corpora import SYSTEM
from overstory.index.ledger import StageRun, forget, recorded
from overstory.llm import Estimate
from overstory.protocols import Progress
from overstory.systems.serag.layers import (
    ChunkGraph,
    Layer,
    fused,
    most_chunks_of_an_entity,
    near_in_documents,
    shared_entities,
    strongest_pairs,
)
from overstory.systems.serag.neighbours import alike, nearest
from overstory.systems.serag.reading import ReadChunks, StoredNode, read_chunks, read_links, read_tree
from overstory.systems.serag.settings import NAME, Kept, SeragSettings
from overstory.systems.serag.storing import (
    LinkChanges,
    Links,
    TreeChanges,
    link_changes,
    tree_changes,
    write_links,
    write_tree,
    write_tree_in,
)
from overstory.systems.serag.trees import make_tree, mend_tree, stored_form
from overstory.systems.system import BuildContext, Built, SystemReport

MOST_CHANGED = 0.2
"""Of the chunks: where more are new, gone or changed, the tree is encoded anew."""
MOST_IN_PLACE = 20_000
"""Rows of a tree that one transaction changes; more go into a new generation."""


@dataclass(slots=True)
class _Work:
    """A build under way: what it found out, and how long each part took."""

    writer: Writer
    corpus: Corpus
    progress: Progress
    figures: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        name = f"{part}_seconds"
        self.figures[name] = round(self.figures.get(name, 0.0) + time.perf_counter() - began, 3)


class SeRag:
    """See `overstory.systems.System`. Source: the paper's Sections 3.1 and 3.2."""

    name = NAME

    def build(self, writer: Writer, context: BuildContext, *, option: str | None, model: str | None) -> Built:
        """
        Raises:
            SettingsError, LeaseLost, DatabaseError: as `System.build`.
        """
        corpus = read_corpus(writer.graph, writer.corpus.name)
        before = Kept.of(corpus)
        settings = (before.settings if before else SeragSettings()).with_option(option)
        same = before is not None and before.settings == settings and before.embedder == corpus.embedder
        if before is not None and same and not _changes(writer.graph, corpus, before):
            return Built(False)
        kept = Kept(settings, corpus.embedder, before.generation if before and same else 0, 0)
        with recorded(writer, NAME, f"{settings} {corpus.embedder}") as run:
            work = _Work(writer, corpus, context.progress)
            _bring_up_to_date(work, kept, run)
        return Built(True)

    def estimate(
        self, graph: GraphClient, corpus: Corpus, context: BuildContext, *, option: str | None, model: str | None
    ) -> Estimate:
        """Nothing: the index asks no language model.

        Raises:
            SettingsError: there is no such option.
        """
        SeragSettings().with_option(option)
        return Estimate.nothing()

    def report(self, graph: GraphClient, corpus: Corpus) -> SystemReport:
        kept = Kept.of(corpus)
        if kept is None:
            return SystemReport(NAME, self.pending(graph, corpus), "not built", {})
        (row,) = graph.run("ingest/serag_report", corpus.label, read=True, generation=kept.generation)
        levels = f"{kept.settings.levels} community level{'s' if kept.settings.levels > 1 else ''}"
        second = ", and a tree over meaning alone" if kept.settings.semantic else ""
        figures = {"stored_edges": row["links"], "tree_nodes": row["nodes"]} | dict(kept.figures)
        return SystemReport(NAME, self.pending(graph, corpus), f"{levels}{second}", figures)

    def pending(self, graph: GraphClient, corpus: Corpus) -> int:
        kept = Kept.of(corpus)
        (row,) = graph.run("ingest/serag_counts", corpus.label, read=True)
        if row["chunks"] != row["done"]:
            return int(graph.run("ingest/serag_pending", corpus.label, read=True)[0]["documents"])
        return int(kept is not None and kept.chunks != row["chunks"])  # a deleted one left its place in the tree

    def remove(self, writer: Writer) -> None:
        """
        Raises:
            LeaseLost, DatabaseError: call again to go on.
        """
        generations.publish(writer, NAME, 0, **{SYSTEM + NAME: None})
        writer.graph.run_in_batches("ingest/serag_unlink_all", writer.corpus.label)
        writer.graph.run_in_batches("ingest/serag_unmark", writer.corpus.label)
        forget(writer, NAME)


def _changes(graph: GraphClient, corpus: Corpus, kept: Kept) -> bool:
    """Whether chunks are new, changed or gone since the tree was written."""
    (row,) = graph.run("ingest/serag_counts", corpus.label, read=True)
    return bool(row["done"] != row["chunks"] or kept.chunks != row["chunks"])


def _bring_up_to_date(work: _Work, kept: Kept, run: StageRun) -> None:
    graph, label = work.writer.graph, work.corpus.label
    (counts,) = graph.run("ingest/serag_counts", label, read=True)
    work.progress.start(NAME, counts["chunks"], "chunks")
    with work.timed("read"):
        chunks = read_chunks(graph, work.corpus, work.progress)
    layers = _layers(work, chunks, kept.settings)
    graphs = {tree: fused(len(chunks.ids), *layers, shares) for tree, shares in kept.settings.trees().items()}
    with work.timed("graph"):
        engine = {tree: found.as_graph() for tree, found in graphs.items()}
        links = _links(graphs[NAME], engine[NAME], chunks.ids, kept.settings.linked)
    with work.timed("read"):
        changed_links = link_changes(links, read_links(graph, work.corpus))
        stored = (
            {tree: read_tree(graph, work.corpus, tree, kept.generation) for tree in graphs} if kept.generation else {}
        )
    new, gone = int((~chunks.known).sum()), _gone(chunks, stored.get(NAME, {}), kept)
    anew = not stored or new + gone > MOST_CHANGED * len(chunks.ids)
    with work.timed("tree"):
        found = {
            tree: make_tree(engine[tree], kept.settings.levels)
            if anew
            else _mended(engine[tree], stored[tree], chunks, changed_links, kept.settings.levels)
            for tree in graphs
        }
    work.progress.finish(_told(found[NAME], graphs[NAME], anew=anew))
    _write(work, kept, chunks, found, {} if anew else stored, changed_links)
    run.count("chunks", len(chunks.ids))
    run.count("new_or_changed", new)
    run.count("gone", gone)
    run.count("edges", len(graphs[NAME].keys))
    run.count("communities", len(found[NAME]) - found[NAME].leaves - 1)
    run.count("trees_encoded_anew", int(anew))


def _layers(work: _Work, chunks: ReadChunks, settings: SeragSettings) -> tuple[Layer, Layer, Layer]:
    with work.timed("similar"):
        similar = Layer(*alike(nearest(chunks.vectors, settings.nearest)))
    with work.timed("shared"):
        shared = shared_entities(
            chunks.mentioned,
            most_chunks=most_chunks_of_an_entity(len(chunks.ids), settings.common),
            most_pairs=settings.sharing,
        )
    near = near_in_documents(chunks.documents, chunks.places)
    work.figures |= {
        "similar": len(similar.keys),
        "shares_entities": len(shared.layer.keys),
        "near": len(near.keys),
        "entities_too_common": shared.too_common,
        "chunks_with_more_sharers": shared.cut,
    }
    return similar, shared.layer, near


def _links(found: ChunkGraph, graph: Graph, ids: list[str], most: int) -> Links:
    """The strongest edges of each chunk, which are stored."""
    place = np.searchsorted(found.keys, strongest_pairs(graph, most))
    pairs = np.stack(np.divmod(found.keys[place], max(len(ids), 1)), axis=1).tolist()
    columns = (found.weights, found.similar, found.shared, found.near)
    return Links([(ids[one], ids[other]) for one, other in pairs], *(column[place].tolist() for column in columns))


def _gone(chunks: ReadChunks, stored: Mapping[str, StoredNode], kept: Kept) -> int:
    """How many chunks are gone whose leaf went with them."""
    return max(0, kept.chunks - sum(bool(node.chunk) for node in stored.values())) if stored else 0


def _mended(
    graph: Graph, stored: Mapping[str, StoredNode], chunks: ReadChunks, changes: LinkChanges, levels: int
) -> EncodingTree:
    number = {id_: place for place, id_ in enumerate(chunks.ids)}
    touched = [(number[one], number[other]) for one, other in changes.pairs() if one in number and other in number]
    labels = _labels(stored, number, levels)
    if (labels[0] < 0).all():
        return make_tree(graph, levels)
    return mend_tree(graph, labels, np.array(touched, dtype=np.int64).reshape(-1, 2))


def _labels(stored: Mapping[str, StoredNode], number: Mapping[str, int], levels: int) -> Ints:
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


def _write(
    work: _Work,
    kept: Kept,
    chunks: ReadChunks,
    trees: Mapping[str, EncodingTree],
    stored: Mapping[str, Mapping[str, StoredNode]],
    links: LinkChanges,
) -> None:
    """Edges first, then the trees: in place where little changed, else beside the ones that are read."""
    changes = _tree_changes(work, chunks, trees, stored, kept.generation)
    in_place = bool(stored) and sum(map(len, changes.values())) <= MOST_IN_PLACE
    if not in_place:
        kept = replace(kept, generation=generations.begin(work.writer, NAME))
        changes = _tree_changes(work, chunks, trees, {}, kept.generation)
    rows = len(links.new) + len(links.gone) + (0 if in_place else sum(map(len, changes.values())))
    work.progress.start(f"{NAME} graph", rows, "rows")
    with work.timed("write"):
        write_links(work.writer, links, work.progress)
        if not in_place:
            for each in changes.values():
                write_tree(work.writer, each, work.progress)
    work.figures |= {"entropy": round(trees[NAME].entropy, 6), "communities": len(trees[NAME]) - len(chunks.ids) - 1}
    kept = replace(kept, chunks=len(chunks.ids), figures=dict(work.figures))
    if in_place:
        _commit(work, kept, chunks, changes)
    else:
        _publish(work, kept)
    work.progress.finish(f"{rows:,} rows written")


def _tree_changes(
    work: _Work,
    chunks: ReadChunks,
    trees: Mapping[str, EncodingTree],
    stored: Mapping[str, Mapping[str, StoredNode]],
    generation: int,
) -> dict[str, TreeChanges]:
    label = work.corpus.label
    with work.timed("vectors"):
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


def _commit(work: _Work, kept: Kept, chunks: ReadChunks, changes: Mapping[str, TreeChanges]) -> None:
    """The trees, what is kept of them and the marks of the chunks, in one transaction."""
    label = work.corpus.label
    fresh = [chunks.ids[place] for place in np.flatnonzero(~chunks.known).tolist()]

    def write(tx: Transaction) -> None:
        for each in changes.values():
            write_tree_in(tx, label, each)
        tx.run("ingest/serag_mark", label, ids=fresh)
        tx.run("corpus/set", id=work.corpus.id, token=work.writer.token, properties={SYSTEM + NAME: kept.stored()})

    work.writer.commit(NAME, write)


def _publish(work: _Work, kept: Kept) -> None:
    """Switches readers to the new generation. Killed before the marks, the next run finds every chunk changed."""
    generations.publish(work.writer, NAME, kept.generation, **{SYSTEM + NAME: kept.stored()})
    work.writer.graph.run_in_batches("ingest/serag_mark_all", work.corpus.label, generation=kept.generation)


def _told(tree: EncodingTree, graph: ChunkGraph, *, anew: bool) -> str:
    communities = len(tree) - tree.leaves - 1
    how = "encoded" if anew else "mended"
    return f"{len(graph.keys):,} edges, {communities:,} communities, {tree.entropy:.4f} bits, {how}"
