"""Updates SeRAG's index incrementally. The cost depends on the number of changed chunks, not on the corpus.

The edges of changed chunks are looked up (`edges_of`), and each changed chunk is inserted where the tree's entropy
becomes lowest (`overstory_entropy.local`). Volumes, cuts, sizes and the entropy are updated, while the rest of the tree
stays unchanged. The index counts these changes. The complete graph is clustered again on request, or if more than a
fifth of it changed.

Approximations: if a chunk is deleted, its edges are deleted, too, but the chunks at their other ends keep their
volumes, and the next strongest edges of these chunks are not stored. For a changed chunk, only the total weight of its
old edges is known. The old edges are assumed to lead to the same chunks as the new edges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import exp
from typing import NamedTuple

import numpy as np

from overstory.display import counted
from overstory.graph import Corpus, Transaction, batches
from overstory.graph.client import Row
from overstory.protocols import Vectors
from overstory.retrieve.vector_search import depth_for, with_index
from overstory.systems.base import SystemRun
from overstory.systems.figures import PartSeconds
from overstory.systems.state import IndexState
from overstory.systems.statements import run_statements
from overstory.systems.tree.changes import MOST_CHANGED_TREE_SHARE, TreeChanges, titles_of_passages, write_tree_in
from overstory.systems.tree.part import StoredPart, WhichTree, read_leaves
from overstory.vectors.nearest import COSINE_STEPS
from overstory.vectors.packed import of_unit_length
from overstory_systems.serag.build import similar_row
from overstory_systems.serag.chunk_graph import (
    LEAST_CHUNK_EDGE_WEIGHT,
    LEAST_NEARNESS,
    NEARNESS_SIGMA_CHUNKS,
    Shares,
    most_chunks_of_an_entity,
)
from overstory_systems.serag.settings import LINKED, NAME, REACH, SEMANTIC, TREES, SeragIndexSettings

# Edges of new or changed chunks, found by look-ups around each chunk, for the layers of `chunk_graph`.
#
# Until the complete graph is clustered again, they are exact with these exceptions. If a new chunk is nearer to another
# chunk than that chunk's last neighbour, it gets an edge, but the old edge stays. The limits on common entities do not
# affect existing edges. If a chunk shares entities with too many chunks, only its own strongest pairs count. A vector
# index does not find all of the nearest chunks.

_REVERSE_SEARCH_FACTOR = 5
"""Factor by which more than `nearest` chunks are searched, to find those that have a new chunk among their nearest."""


class Parts(NamedTuple):
    """Weights of an edge in the layers; 0 if a layer does not contain the edge."""

    similar: float = 0.0
    shared: float = 0.0
    near: float = 0.0

    def weight(self, shares: Shares) -> float:
        """Return the weight of the edge in the fused graph."""
        return self.similar * shares.similar + self.shared * shares.shared + self.near * shares.near


@dataclass(frozen=True, slots=True)
class Changed:
    """New or changed chunks, and the chunks around each of them.

    Attributes:
        ids: Ids of the changed chunks that have a vector.
        vectors: Unit vector of each changed chunk.
        entities: Ids of the entities of each changed chunk.
        around: For each changed chunk, the nearest chunks with their cosines, nearest first. Not all of them get edges.
        in_document: For each changed chunk, the other chunks of its document with their distance in positions.
        sharers: For each changed chunk, the chunks that share entities with it, with their number. Entities that are
            too common do not count.
        notes: Notes on the search for the user.
    """

    ids: list[str]
    vectors: Mapping[str, Vectors]
    entities: Mapping[str, frozenset[str]]
    around: Mapping[str, Sequence[tuple[str, float]]]
    in_document: Mapping[str, Mapping[str, int]]
    sharers: Mapping[str, Mapping[str, int]]
    notes: tuple[str, ...] = ()

    def neighbours(self) -> set[str]:
        """Return the changed chunks and all chunks that may have an edge to a changed chunk."""
        found = set(self.ids)
        for id_ in self.ids:
            found.update(self.in_document[id_], self.sharers[id_], (other for other, _ in self.around[id_]))
        return found


def read_changed(
    tx: Transaction, corpus: Corpus, settings: SeragIndexSettings, ids: Sequence[str], chunks: int
) -> Changed:
    """Read changed chunks and the chunks around them. The corpus consists of `chunks` chunks."""
    rows = tx.run("systems/serag/changed", corpus.label, ids=list(ids), property=corpus.embedding_property)
    rows = [row for row in rows if row["vector"] is not None]
    there = [row["id"] for row in rows]
    entities = {row["id"]: frozenset[str](row["entities"]) for row in rows}
    around, notes = _nearest_chunks(tx, corpus, settings, there)
    in_document = {
        row["id"]: {other: abs(seq - row["seq"]) for other, seq in row["others"]}
        for row in tx.run("systems/serag/beside", corpus.label, ids=there)
    }
    return Changed(
        ids=there,
        vectors=_vectors(rows),
        entities=entities,
        around=around,
        in_document=in_document,
        sharers=_sharers(tx, corpus, settings, entities, chunks),
        notes=notes,
    )


def edges_of(
    changed: Changed, settings: SeragIndexSettings, sizes: Mapping[str, int], reach: Mapping[str, float | None]
) -> dict[str, dict[str, Parts]]:
    """Return the edges of each changed chunk, by the chunk at the other end.

    An edge between two changed chunks is returned for both.

    Args:
        sizes: Number of entities that each neighbour mentions.
        reach: For each neighbour in the tree, the cosine of its k-th nearest neighbour, or None if it has fewer than k.
    """
    edges: dict[str, dict[str, Parts]] = {id_: {} for id_ in changed.ids}

    def put(one: str, other: str, **part: float) -> None:
        if other not in edges and other not in reach:
            return  # The other chunk is placed later and gets this edge then.
        edges[one][other] = edges[one].get(other, Parts())._replace(**part)
        if other in edges:
            edges[other][one] = edges[other].get(one, Parts())._replace(**part)

    for id_ in changed.ids:
        for place, (other, cosine) in enumerate(changed.around[id_]):
            is_nearest = place < settings.nearest
            if cosine > 0.0 and (is_nearest or _is_reached(other, cosine, edges, reach)):
                put(id_, other, similar=cosine)
        for other, shared in _strongest(changed, id_, sizes, settings.sharing):
            put(id_, other, shared=shared)
        for other, distance in changed.in_document[id_].items():
            nearness = exp(-(distance**2) / (2.0 * NEARNESS_SIGMA_CHUNKS**2))
            if nearness >= LEAST_NEARNESS:
                put(id_, other, near=float(np.float32(nearness)))
    return edges


def weights(edges: Mapping[str, Parts], shares: Shares) -> dict[str, float]:
    """Return the weights of one chunk's edges in one graph, dropping negligible weights."""
    found = {other: parts.weight(shares) for other, parts in edges.items()}
    return {other: weight for other, weight in found.items() if weight > LEAST_CHUNK_EDGE_WEIGHT}


def reach_of(changed: Changed, id_: str, nearest: int) -> float | None:
    """Return the cosine of a changed chunk to its k-th nearest neighbour (k = `nearest`), or None if it has fewer."""
    around = changed.around[id_]
    return around[nearest - 1][1] if len(around) >= nearest else None


def _is_reached(other: str, cosine: float, changed: Mapping[str, object], reach: Mapping[str, float | None]) -> bool:
    """Return True if `other` is unchanged and a chunk with this cosine is among the nearest chunks of `other`."""
    if other in changed or other not in reach:
        return False
    farthest = reach[other]
    return farthest is None or cosine >= farthest


def _strongest(changed: Changed, id_: str, sizes: Mapping[str, int], most: int) -> Iterable[tuple[str, float]]:
    """Return the chunks that share most, by |Ei ∩ Ej| / max(|Ei|, |Ej|). On a tie, lower ids come first."""
    own = len(changed.entities[id_])
    found = [
        (other, float(np.float32(times / max(own, sizes[other]))))
        for other, times in changed.sharers[id_].items()
        if other in sizes
    ]
    return sorted(found, key=lambda each: (-each[1], each[0]))[:most]


def _nearest_chunks(
    tx: Transaction, corpus: Corpus, settings: SeragIndexSettings, ids: list[str]
) -> tuple[dict[str, list[tuple[str, float]]], tuple[str, ...]]:
    limit = _REVERSE_SEARCH_FACTOR * settings.nearest
    parameters = {"ids": ids, "property": corpus.embedding_property, "limit": limit}
    if not ids:
        return {}, ()
    found = with_index(
        tx,
        corpus,
        "systems/serag/nearest",
        index=corpus.vector_index,
        depth=depth_for(settings.nearest),
        parameters=parameters,
    )
    around: dict[str, list[tuple[str, float]]] = {}
    for row in found.rows:
        steps = [(-round(cosine * COSINE_STEPS), other) for other, cosine in row["others"]]
        around[row["id"]] = [(other, -step / COSINE_STEPS) for step, other in sorted(steps)]
    return around, found.notes


def _sharers(
    tx: Transaction,
    corpus: Corpus,
    settings: SeragIndexSettings,
    entities: Mapping[str, frozenset[str]],
    chunks: int,
) -> dict[str, Counter[str]]:
    named = sorted(set[str]().union(*entities.values()))
    most = most_chunks_of_an_entity(chunks, settings.common)
    rows = tx.run("systems/serag/holders", corpus.label, ids=named, most=most)
    holders = {row["id"]: row["chunks"] for row in rows if row["chunks"] is not None}
    sharers: dict[str, Counter[str]] = {}
    for id_, own in entities.items():
        sharers[id_] = Counter[str]()
        for entity in sorted(own & holders.keys()):
            sharers[id_].update(holders[entity])
        sharers[id_].pop(id_, None)
    return sharers


def _vectors(rows: Sequence[Row]) -> dict[str, Vectors]:
    if not rows:
        return {}
    vectors = of_unit_length(np.array([row["vector"] for row in rows], dtype=np.float32))
    return dict(zip((row["id"] for row in rows), vectors, strict=True))


_SERAG_CHUNKS_A_TRANSACTION = 500
WEIGHTS = {NAME: "weight", SEMANTIC: "semantic_weight"}
"""Names of the properties of LINKED that contain the weights in each graph."""
_SAME_SUM_DIFFERENCE = 1e-5
"""Relative tolerance for sums of weights, because the order of summation varies."""


def can_update(job: SystemRun[SeragIndexSettings]) -> bool:
    """Return True if only a small part of the corpus changed since the complete graph was clustered."""
    before, backlog = job.before, job.backlog
    if job.scratch or job.improve or before is None or not before.built or "roots" not in before.details:
        return False
    return before.placed + backlog.pending + backlog.deleted <= MOST_CHANGED_TREE_SHARE * backlog.units


@dataclass(slots=True)
class Update:
    """One incremental update. `state` is the state of the index as last stored."""

    job: SystemRun[SeragIndexSettings]
    state: IndexState[SeragIndexSettings]
    _timed: PartSeconds = field(init=False)

    def __post_init__(self) -> None:
        self._timed = PartSeconds(self.job.figures)

    def run(self) -> None:
        job = self.job
        ids = [id_ for page in job.unread() for id_ in page]
        job.progress.start(NAME, len(ids), "chunks")
        slices = list(batches(ids, _SERAG_CHUNKS_A_TRANSACTION)) or [[]]
        edges, deleted = 0, job.backlog.deleted
        for some in slices:
            last = some is slices[-1]
            with self._timed("read"):
                placed = job.graph.reading(NAME, partial(self._placed, ids=some))
            job.notes.extend(note for note in placed.changed.notes if note not in job.notes)
            with self._timed("write"):
                state = self._after(placed, deleted, complete=last)
                job.commit(partial(self._write, placed=placed, state=state), done=() if last else some)
            self.state, deleted = state, 0
            edges += len(placed.links)
            job.progress.advance(len(some))
        job.progress.finish(f"{counted(len(ids), 'chunk')} placed, {self.state.figures['entropy']:.4f} bits")
        for what, count in {
            "chunks": job.backlog.units,
            "new_or_changed": len(ids),
            "gone": job.backlog.deleted,
            "edges_written": edges,
            "trees_rebuilt": 0,
        }.items():
            job.ledger.count(what, count)

    def _after(self, placed: Placed, deleted: int, *, complete: bool) -> IndexState[SeragIndexSettings]:
        kept = {name: figure for name, figure in self.state.figures.items() if not name.endswith("_seconds")}
        state = self.job.state(
            complete=complete,
            generation=self.state.generation,
            placed=self.state.placed + len(placed.changed.ids) + deleted,
            details={**self.state.details, "chunks": self.job.backlog.units, "entropies": placed.entropies},
        )
        figures = {
            **kept,
            **self.job.figures,
            "entropy": round(placed.entropies[NAME], 6),
            "communities": kept["communities"] + placed.communities,
        }
        return replace(state, figures=figures)

    def _placed(self, tx: Transaction, ids: Sequence[str]) -> Placed:
        job, settings, label = self.job, self.job.settings, self.job.corpus.label
        changed = read_changed(tx, job.corpus, settings, ids, job.backlog.units)
        neighbours = sorted(changed.neighbours())
        rows = {
            row["id"]: row
            for row in tx.run(
                "systems/serag/mentioned",
                label,
                ids=neighbours,
                most=settings.linked,
                weights=[WEIGHTS[name] for name in settings.trees()],
            )
        }
        trees = {
            name: WhichTree(
                label, TREES[name], self.state.generation, settings.levels, self.state.details["roots"][name]
            )
            for name in settings.trees()
        }
        leaves = {name: read_leaves(tx, tree, neighbours) for name, tree in trees.items()}
        reach = {unit: leaf.properties[REACH] for unit, leaf in leaves[NAME].items()}
        sizes = {id_: row["entities"] for id_, row in rows.items() if id_ in reach or id_ in changed.vectors}
        edges = edges_of(changed, settings, sizes, reach)
        by_tree = {
            name: {id_: weights(each, shares) for id_, each in edges.items()}
            for name, shares in settings.trees().items()
        }
        properties = {id_: {REACH: reach_of(changed, id_, settings.nearest)} for id_ in changed.ids}
        least = {
            name: {
                unit: _least(rows[unit]["edges"][number], leaf.volume, settings.linked)
                for unit, leaf in leaves[name].items()
            }
            for number, name in enumerate(trees)
        }
        links = _links(edges, by_tree, least, settings.linked)
        placed = Placed(changed, {}, [], links, {}, [id_ for id_ in changed.ids if id_ in leaves[NAME]], 0)
        for name, tree in trees.items():
            part = StoredPart(tx, tree, leaves[name])
            _place(part, changed.ids, by_tree[name])
            placed.entropies[name] = part.part.entropy(self.state.details["entropies"][name])
            further = properties if name == NAME else {}
            placed.trees[name] = part.changes(tx, changed.vectors, further, job.corpus.version)
            placed.parts.append(part)
        placed.communities = placed.parts[0].communities()
        return placed

    def _write(self, tx: Transaction, placed: Placed, state: IndexState[SeragIndexSettings]) -> None:
        label = self.job.corpus.label
        if placed.parted:
            tx.run("systems/serag/part", label, ids=placed.parted)
        run_statements(tx, label, [("systems/store/relate", placed.links, {"type": LINKED})])
        for changes in placed.trees.values():
            write_tree_in(tx, label, changes)
            run_statements(tx, label, titles_of_passages(changes))
        for part in placed.parts:
            part.done(tx)
        if self.state.details["by_gds"]:
            nearest = self.job.settings.nearest
            rows = [similar_row(id_, placed.changed.around[id_][:nearest]) for id_ in placed.changed.ids]
            run_statements(tx, label, [("systems/serag/write_similar", rows, {})])
        self.job.publish_in(tx, state)


@dataclass(slots=True)
class Placed:
    """Changed chunks with their new positions in the trees, and the changes that must be written.

    Attributes:
        entropies: Entropy of each tree after the changes.
        links: Rows for `systems/store/relate`.
        trees: Changes of each tree.
        parted: Ids of the chunks whose edges are replaced.
        parts: Parts of the trees, the fused graph's part first.
        communities: Number of communities added to the first tree.
    """

    changed: Changed
    entropies: dict[str, float]
    parts: list[StoredPart]
    links: list[Row]
    trees: dict[str, TreeChanges]
    parted: list[str]
    communities: int


def _place(stored: StoredPart, ids: Sequence[str], edges: Mapping[str, Mapping[str, float]]) -> None:
    """Remove changed chunks from the tree, insert all at the lowest cost, then insert each again among the others."""
    part = stored.part
    for id_ in ids:
        if id_ in part.leaves:
            there = _edges_in_tree(edges[id_], part.leaves, id_)
            was, now = part.leaves[id_].volume, sum(there.values())
            share = min(was / now, 1.0) if now > 0.0 else 0.0
            scaled = {other: weight * share for other, weight in there.items()}
            part.remove(id_, scaled, unknown=max(was - sum(scaled.values()), 0.0))
    for id_ in ids:
        part.add(id_, _edges_in_tree(edges[id_], part.leaves, id_))
    for id_ in ids if len(ids) > 1 else ():
        there = _edges_in_tree(edges[id_], part.leaves, id_)
        part.remove(id_, there)
        part.add(id_, there)


def _edges_in_tree(edges: Mapping[str, float], leaves: Mapping[str, object], id_: str) -> dict[str, float]:
    return {other: weight for other, weight in edges.items() if other in leaves and other != id_}


def _links(
    edges: Mapping[str, Mapping[str, Parts]],
    by_tree: Mapping[str, Mapping[str, Mapping[str, float]]],
    least: Mapping[str, Mapping[str, float]],
    most: int,
) -> list[Row]:
    """Return rows for `systems/store/relate`: the edges that are among the strongest of either end in a graph.

    Args:
        least: For each graph and each other chunk, the minimum weight of an edge among the chunk's strongest.
    """
    found: dict[tuple[str, str], Row] = {}
    for tree, of_chunks in by_tree.items():
        strongest = {
            id_: set(sorted(each, key=lambda other: (-each[other], other))[:most]) for id_, each in of_chunks.items()
        }
        for id_, each in of_chunks.items():
            for other, weight in each.items():
                theirs = id_ in strongest[other] if other in strongest else weight >= least[tree][other]
                if theirs or other in strongest[id_]:
                    one, two = min(id_, other), max(id_, other)
                    properties = edges[id_][other]._asdict()
                    row = found.setdefault((one, two), {"source": one, "target": two, "properties": properties})
                    row["properties"][WEIGHTS[tree]] = weight
    return list(found.values())


def _least(stored: Row, volume: float, most: int) -> float:
    """Return the minimum weight at which an edge is among the strongest of a chunk, given its stored edges.

    This is the weight of the weakest stored edge, or 0 if the chunk has room for more edges.
    """
    if stored["number"] == 0 or (stored["number"] < most and stored["weight"] >= volume * (1.0 - _SAME_SUM_DIFFERENCE)):
        return 0.0
    return float(stored["weakest"])
