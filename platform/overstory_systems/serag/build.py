"""Builds SeRAG's index from scratch: the chunk graph, its trees and the vectors of their communities.

The graph depends only on the chunks, their vectors and their mentions. It is always computed completely, at half a
million edges per second. Only differences from the stored edges are written; therefore, the next build completes a
killed one. The trees are written to a new generation. `update` handles small changes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isnan, nan

import numpy as np
import numpy.typing as npt

from overstory.display import counted
from overstory.graph import Corpus, GraphClient, Writer, batches, generations
from overstory.graph.client import Row
from overstory.graph.gds import projection
from overstory.protocols import Progress, Vectors
from overstory.systems.base import SystemRun
from overstory.systems.figures import PartSeconds
from overstory.systems.statements import commit_rows, commit_statements
from overstory.systems.tree.build import TreeNodes, make_tree, stored_form
from overstory.systems.tree.changes import new_tree, titles_of_passages, write_tree
from overstory.vectors.nearest import NO_NEIGHBOUR, Neighbours, Scores, nearest, no_neighbours, similar_pairs
from overstory.vectors.packed import of_unit_length
from overstory_entropy import EncodingTree, Graph
from overstory_entropy.compile import Floats, Ints
from overstory_systems.serag.chunk_graph import (
    ChunkGraph,
    Layer,
    Mentioned,
    ends_of_keys,
    fused,
    keys_of_ends,
    most_chunks_of_an_entity,
    near_in_documents,
    shared_entities,
    strongest_pairs,
)
from overstory_systems.serag.settings import LINKED, NAME, REACH, SEMANTIC, TREES, SeragIndexSettings

_MOST_EXACT_CHUNKS = 200_000
"""Number of chunks above which "auto" uses Graph Data Science. At this number both searches take equally long,
extrapolated from measurements with up to 63,000 chunks (docs/research/serag.md)."""


def is_for_gds(graph: GraphClient, settings: SeragIndexSettings, chunks: int) -> bool:
    if settings.search == "gds":
        graph.capabilities.require_gds("the search for similar chunks")
        return True
    return settings.search == "auto" and chunks > _MOST_EXACT_CHUNKS and bool(graph.capabilities.gds)


def find_by_gds(writer: Writer, corpus: Corpus, nearest: int) -> None:
    """Write SIMILAR relationships between the chunks of a corpus with Graph Data Science."""
    graph = writer.graph
    forget_similar(writer)
    with projection(writer, "gds/project_vectors", stage=NAME, property=corpus.embedding_property) as name:
        graph.run("gds/write_similar", graph=name, nearest=nearest)


def forget_similar(writer: Writer) -> None:
    writer.graph.run_in_batches("systems/serag/unlink_similar", writer.corpus.label)


def stored_neighbours(graph: GraphClient, corpus: Corpus, ids: Sequence[str], nearest: int) -> Neighbours:
    """Read the SIMILAR relationships as cosines, for chunks in the order of `ids`."""
    number = {id_: place for place, id_ in enumerate(ids)}
    found = no_neighbours(len(ids), nearest)
    for row in graph.stream("systems/serag/similar", corpus.label):
        place = number.get(row["id"], NO_NEIGHBOUR)
        others = [(number[id_], _cosine(score)) for id_, score in row["others"] if id_ in number][:nearest]
        if place != NO_NEIGHBOUR and others:
            found.ids[place, : len(others)], found.scores[place, : len(others)] = zip(*others, strict=True)
    return found


def similar_row(id_: str, nearest: Sequence[tuple[str, float]]) -> Row:
    """Return a row for `systems/serag/write_similar`, given the ids and cosines of the nearest chunks."""
    return {"id": id_, "others": [{"id": other, "score": (1.0 + cosine) / 2.0} for other, cosine in nearest]}


def _cosine(score: float) -> float:
    """Convert a GDS score, (1 + cosine) / 2, to a cosine, rounded to steps of 2⁻²⁰ as in `nearest`."""
    return round((2.0 * score - 1.0) * 2**20) / 2**20


_SERAG_CHUNKS_A_PAGE = 1_000
_LINKS_READ_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class ReadChunks:
    """All n chunks of a corpus that have a vector, sorted by id.

    Attributes:
        ids: Ids of the chunks.
        documents: Id of each chunk's document.
        places: Shape (n,), position of each chunk in its document.
        vectors: float32[n, d], unit vectors.
        entities: Ids of the entities that each chunk mentions.
    """

    ids: list[str]
    documents: list[str]
    places: Ints
    vectors: Vectors
    entities: list[tuple[str, ...]]

    def document_numbers(self) -> Ints:
        """Return the number of each chunk's document, shape (n,)."""
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(document, len(numbers)) for document in self.documents], dtype=np.int64)

    def mentioned(self) -> Mentioned:
        """Return the entities of each chunk as numbers."""
        numbers: dict[str, int] = {}
        starts = np.zeros(len(self.ids) + 1, dtype=np.int64)
        np.cumsum([len(entities) for entities in self.entities], out=starts[1:])
        found = [numbers.setdefault(entity, len(numbers)) for entities in self.entities for entity in entities]
        return Mentioned(starts, np.array(found, dtype=np.int32))


def read_chunks(graph: GraphClient, corpus: Corpus, progress: Progress) -> ReadChunks:
    pages = graph.pages(
        "systems/serag/chunks", corpus.label, size=_SERAG_CHUNKS_A_PAGE, property=corpus.embedding_property
    )
    return _joined([_chunks_of(rows) for rows in _advancing(pages, progress)], corpus)


def _advancing(pages: Iterator[list[Row]], progress: Progress) -> Iterator[list[Row]]:
    for rows in pages:
        yield rows
        progress.advance(len(rows))


def _chunks_of(rows: Sequence[Row]) -> ReadChunks:
    vectors = np.array([row["vector"] for row in rows], dtype=np.float32)
    return ReadChunks(
        ids=[row["id"] for row in rows],
        documents=[row["document"] for row in rows],
        places=np.array([row["seq"] for row in rows], dtype=np.int64),
        vectors=of_unit_length(vectors),
        entities=[tuple(map(sys.intern, row["entities"])) for row in rows],  # many rows repeat an id
    )


def _joined(parts: Sequence[ReadChunks], corpus: Corpus) -> ReadChunks:
    nothing = np.zeros((0, corpus.dimension), dtype=np.float32)
    return ReadChunks(
        ids=[id_ for part in parts for id_ in part.ids],
        documents=[document for part in parts for document in part.documents],
        places=np.concatenate([np.zeros(0, dtype=np.int64), *(part.places for part in parts)]),
        vectors=np.concatenate([nothing, *(part.vectors for part in parts)]),
        entities=[entities for part in parts for entities in part.entities],
    )


@dataclass(frozen=True, slots=True)
class StoredLinks:
    """The stored edges as arrays. As Python objects, a million edges would take 0.4 GB.

    Attributes:
        ends: Shape (edges, 2), the numbers of each edge's chunks, in stored order.
        weights: float64[edges, 2], the weights in the fused graph and in the graph of meaning alone. NaN if the edge is
            not among the strongest in that graph.
        others: Chunk ids of edges with a chunk that has no number.
    """

    ends: Ints
    weights: Floats
    others: list[tuple[str, str]]


def read_links(graph: GraphClient, corpus: Corpus, ids: Sequence[str]) -> StoredLinks:
    """Read the stored edges. The number of a chunk is its position in `ids`."""
    number = {id_: place for place, id_ in enumerate(ids)}
    ends, weights = [np.zeros((0, 2), dtype=np.int64)], [np.zeros((0, 2))]
    others: list[tuple[str, str]] = []
    for rows in batches(graph.stream("systems/serag/links", corpus.label), _LINKS_READ_AT_ONCE):
        places = np.array([(number.get(row["one"], -1), number.get(row["other"], -1)) for row in rows], dtype=np.int64)
        both = np.array([(row["weight"], row["semantic_weight"]) for row in rows], dtype=np.float64)  # None becomes NaN
        known = (places >= 0).all(axis=1)
        ends.append(places[known])
        weights.append(both[known])
        others += [(rows[place]["one"], rows[place]["other"]) for place in np.flatnonzero(~known)]
    return StoredLinks(np.concatenate(ends), np.concatenate(weights), others)


_SAME_WEIGHT_DIFFERENCE = 1e-5
"""Weights that differ by less are considered equal. Cosines are multiples of 2⁻²⁰."""
_ROWS_MADE_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Links:
    """The strongest edges as arrays until they are written. As rows, a million edges would take 0.7 GB.

    Attributes:
        ids: Ids of all chunks.
        ends: Shape (edges, 2), the numbers of each edge's chunks, ascending.
        weights: float64[edges, 2], the weights in the fused graph and in the graph of meaning alone. NaN if the edge is
            not among the strongest in that graph.
        parts: Shape (edges, 3), weights in the layers similar, shared and near.
    """

    ids: Sequence[str]
    ends: Ints
    weights: Floats
    parts: Scores

    def rows(self, places: Ints) -> list[Row]:
        """Return the edges at the given positions as rows for `systems/store/relate`."""
        columns = (self.ends[places].tolist(), self.weights[places].tolist(), self.parts[places].tolist())
        return [
            {"source": self.ids[one], "target": self.ids[other], "properties": _properties(weights, parts)}
            for (one, other), weights, parts in zip(*columns, strict=True)
        ]


def _properties(weights: Sequence[float], parts: Sequence[float]) -> Row:
    properties = dict(zip(("similar", "shared", "near"), parts, strict=True))
    named = zip(("weight", "semantic_weight"), weights, strict=True)
    return properties | {name: weight for name, weight in named if not isnan(weight)}


@dataclass(frozen=True, slots=True)
class LazyRows:
    """Rows of a statement that are created during iteration. `made` converts a slice of positions to rows."""

    number: int
    made: Callable[[slice], Iterable[Row]]

    def __len__(self) -> int:
        return self.number

    def __iter__(self) -> Iterator[Row]:
        for start in range(0, self.number, _ROWS_MADE_AT_ONCE):
            yield from self.made(slice(start, start + _ROWS_MADE_AT_ONCE))


@dataclass(frozen=True, slots=True)
class LinkChanges:
    """Rows for `systems/store/relate` and `systems/store/unrelate`. Both contain edges with changed weights."""

    new: LazyRows
    gone: LazyRows


def link_changes(links: Links, stored: StoredLinks) -> LinkChanges:
    """Return the writes and deletions that make the stored edges equal to `links`."""
    wanted = keys_of_ends(links.ends, len(links.ids))
    before, first = np.unique(keys_of_ends(stored.ends, len(links.ids)), return_index=True)
    _, at, at_before = np.intersect1d(wanted, before, assume_unique=True, return_indices=True)
    same = _same_weights(links.weights[at], stored.weights[first[at_before]])
    new, gone = np.ones(len(wanted), dtype=np.bool_), np.ones(len(before), dtype=np.bool_)
    new[at[same]] = False
    gone[at_before[same]] = False
    places, ends = np.flatnonzero(new), stored.ends[first[gone]]

    def unrelated(part: slice) -> list[Row]:
        known = [(links.ids[one], links.ids[other]) for one, other in ends[part].tolist()]
        others = stored.others[max(part.start - len(ends), 0) : max(part.stop - len(ends), 0)]
        return [{"source": one, "target": other} for one, other in known + others]

    return LinkChanges(
        LazyRows(len(places), lambda part: links.rows(places[part])),
        LazyRows(len(ends) + len(stored.others), unrelated),
    )


def _same_weights(some: Floats, others: Floats) -> npt.NDArray[np.bool_]:
    """For each edge, return True if both weights are equal or missing, given shapes (edges, 2)."""
    same = np.isclose(some, others, rtol=0.0, atol=_SAME_WEIGHT_DIFFERENCE, equal_nan=True)
    return same[:, 0] & same[:, 1]


def write_links(writer: Writer, changes: LinkChanges, progress: Progress) -> None:
    """Write the changes in several transactions. If killed, the next build compares again and continues."""
    for statement, rows in (("systems/store/unrelate", changes.gone), ("systems/store/relate", changes.new)):
        commit_rows(writer, NAME, statement, rows, progress, type=LINKED)


@dataclass(slots=True)
class FusedGraphBuild:
    """One full build. `by_gds` is True if GDS found and stored the nearest neighbours."""

    job: SystemRun[SeragIndexSettings]
    by_gds: bool = False
    _timed: PartSeconds = field(init=False)

    def __post_init__(self) -> None:
        self._timed = PartSeconds(self.job.figures)

    @property
    def settings(self) -> SeragIndexSettings:
        return self.job.settings

    def run(self) -> None:
        progress = self.job.progress
        progress.start(f"{NAME} reading", self.job.backlog.units, "chunks")
        with self._timed("read"):
            chunks = read_chunks(self.job.graph, self.job.corpus, progress)
        progress.finish(counted(len(chunks.ids), "chunk"))
        neighbours = self._neighbours(chunks)
        progress.start(NAME, None, "")
        layers = self._layers(chunks, neighbours)
        with self._timed("graph"):
            graphs = {tree: fused(len(chunks.ids), *layers, shares) for tree, shares in self.settings.trees().items()}
            engine = {tree: found.as_graph() for tree, found in graphs.items()}
            links = _links(graphs, engine, chunks.ids, self.settings.linked)
        with self._timed("read"):
            changed_links = link_changes(links, read_links(self.job.graph, self.job.corpus, chunks.ids))
        with self._timed("tree"):
            trees = {name: make_tree(graph, self.settings.levels) for name, graph in engine.items()}
        progress.finish(_summary(trees[NAME], graphs[NAME]))
        self._write(chunks, neighbours, trees, changed_links)
        for what, number in {
            "chunks": len(chunks.ids),
            "new_or_changed": self.job.backlog.pending,
            "gone": self.job.backlog.deleted,
            "edges": len(graphs[NAME].keys),
            "trees_rebuilt": 1,
        }.items():
            self.job.ledger.count(what, number)

    def _neighbours(self, chunks: ReadChunks) -> Neighbours:
        job, of_each = self.job, self.settings.nearest
        self.by_gds = is_for_gds(job.graph, self.settings, len(chunks.ids))
        job.progress.start(f"{NAME} neighbours", None if self.by_gds else len(chunks.ids), "chunks")
        with self._timed("similar"):
            if self.by_gds:
                find_by_gds(job.writer, job.corpus, of_each)
                found = stored_neighbours(job.graph, job.corpus, chunks.ids, of_each)
            else:
                if job.scratch or job.before is None or job.before.details.get("by_gds"):
                    forget_similar(job.writer)  # SIMILAR relationships of an earlier index
                found = nearest(chunks.vectors, of_each, on_found=job.progress.advance)
        job.progress.finish(f"{of_each} per chunk, by {'Graph Data Science' if self.by_gds else 'exhaustive search'}")
        return found

    def _layers(self, chunks: ReadChunks, neighbours: Neighbours) -> tuple[Layer, Layer, Layer]:
        similar = Layer(*similar_pairs(neighbours))
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
        self, chunks: ReadChunks, neighbours: Neighbours, trees: Mapping[str, EncodingTree], links: LinkChanges
    ) -> None:
        generation = generations.begin(self.job.writer, NAME)
        nodes = self._stored_forms(chunks, neighbours, trees, generation)
        changes = {name: new_tree(each) for name, each in nodes.items()}
        rows = len(links.new) + len(links.gone) + sum(len(each) + len(each.nodes) for each in changes.values())
        self.job.progress.start(f"{NAME} graph", rows, "rows")
        with self._timed("write"):
            write_links(self.job.writer, links, self.job.progress)
            for each in changes.values():
                write_tree(self.job.writer, each, self.job.progress)
                commit_statements(self.job.writer, NAME, titles_of_passages(each), self.job.progress)
        self.job.figures |= {"entropy": round(trees[NAME].entropy, 6), "communities": _communities(trees[NAME])}
        details = {
            "by_gds": self.by_gds,
            "chunks": len(chunks.ids),
            "roots": {name: each.ids[-1] for name, each in nodes.items()},
            "entropies": {name: tree.entropy for name, tree in trees.items()},
        }
        self.job.publish(self.job.state(generation=generation, details=details))
        self.job.progress.finish(f"{rows:,} rows written")

    def _stored_forms(
        self, chunks: ReadChunks, neighbours: Neighbours, trees: Mapping[str, EncodingTree], generation: int
    ) -> dict[str, TreeNodes]:
        last = neighbours.scores[:, -1].tolist()
        reach = [{REACH: score} if score > -inf else {} for score in last]
        with self._timed("vectors"):
            return {
                name: stored_form(
                    tree,
                    chunks.ids,
                    chunks.vectors,
                    kind=TREES[name],
                    corpus=self.job.corpus.label,
                    generation=generation,
                    leaf_properties=reach if TREES[name].leaf_properties else (),
                )
                for name, tree in trees.items()
            }


def _links(graphs: Mapping[str, ChunkGraph], engine: Mapping[str, Graph], ids: list[str], most: int) -> Links:
    """Return the edges to store: the strongest of each chunk in each graph, because each tree needs its own."""
    found = graphs[NAME]
    strongest = {tree: np.intersect1d(strongest_pairs(graph, most), found.keys) for tree, graph in engine.items()}
    place = np.searchsorted(found.keys, np.unique(np.concatenate(list(strongest.values()))))
    keys = found.keys[place]
    weights = np.full((len(keys), 2), nan)
    for column, tree in enumerate((NAME, SEMANTIC)):
        if tree in graphs:
            kept = np.isin(keys, strongest[tree])
            weights[kept, column] = graphs[tree].weights[np.searchsorted(graphs[tree].keys, keys[kept])]
    parts = np.stack([part[place] for part in (found.similar, found.shared, found.near)], axis=1)
    return Links(ids, ends_of_keys(keys, len(ids)), weights, parts)


def _communities(tree: EncodingTree) -> int:
    return len(tree) - tree.leaves - 1


def _summary(tree: EncodingTree, graph: ChunkGraph) -> str:
    return f"{len(graph.keys):,} edges, {_communities(tree):,} communities, {tree.entropy:.4f} bits"
