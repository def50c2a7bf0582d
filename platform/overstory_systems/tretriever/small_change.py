"""One run of T-Retriever's index that places a small change in the generation in use, in one transaction."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from overstory.display import counted
from overstory.graph import generations
from overstory.index.derived_vectors import remove_unused, settle_awaited
from overstory.systems.base import SystemRun
from overstory.systems.figures import OF_ONE_BUILD
from overstory.systems.state import IndexState
from overstory.systems.tree.build import TreeNodes, stored_form
from overstory.systems.tree.changes import MOST_CHANGED_TREE_SHARE, MOST_ROWS_IN_PLACE
from overstory.systems.vector_indexes import indexed_generation
from overstory_entropy import EncodingTree, Graph
from overstory_entropy.semantic import distinct
from overstory_systems.tretriever.contents import Contents, Stored
from overstory_systems.tretriever.index_settings import TRetrieverIndexSettings, Vertices
from overstory_systems.tretriever.names import NAME, NODE
from overstory_systems.tretriever.region import (
    MOST_TOUCHED_VERTICES,
    ReadRegion,
    Region,
    read_documents_of,
    read_entities_of,
    read_region,
    touched_units,
)
from overstory_systems.tretriever.store import NodeDigests
from overstory_systems.tretriever.vertex_graph import Ints, VertexGraph
from overstory_systems.tretriever.vertices import KINDS, deletions_of

_IN_NO_SET = -1  # in place of the number of a set


def state_in_use(job: SystemRun[TRetrieverIndexSettings], over: Vertices) -> IndexState[TRetrieverIndexSettings] | None:
    """The state of the index, None if it is to be built from scratch."""
    before = job.before
    if job.scratch or before is None or not before.generation or before.details.get("over") != over:
        return None
    return before


@dataclass(frozen=True, slots=True)
class SmallVertexChange:
    """A change that may be small."""

    job: SystemRun[TRetrieverIndexSettings]
    over: Vertices
    contents: Contents

    def placed(self) -> bool:
        """Places it in the generation in use; False where the whole is to be read: in a small graph, and where much
        changed.
        """
        job, contents, before = self.job, self.contents, state_in_use(self.job, self.over)
        if before is None or not self._can_be_placed(before):
            return False
        generation, near = before.generation, self._read(before.generation)
        if near is None:
            return False
        region, found = near
        changed, left = region_changes(found, region)
        if before.placed + changed + left > MOST_CHANGED_TREE_SHARE * (before.figures["vertices"] + changed):
            return False
        kept = {name: number for name, number in before.figures.items() if not name.endswith(OF_ONE_BUILD)}
        job.figures |= kept | {"vertices_changed": changed, "vertices_gone": left}
        job.progress.start(f"{NAME} tree", changed, "changed vertices")
        read, edges = found.read, found.read.graph.as_graph(weighted=job.settings.edge_weights)
        with contents.timed("tree"):
            tree = placed_tree(read.graph, edges, found.inside, region)
            nodes = stored_form(
                tree,
                read.graph.ids,
                read.graph.vectors,
                kind=KINDS[self.over],
                corpus=job.corpus.label,
                generation=generation,
            )
        job.progress.finish(counted(len(tree) - tree.leaves - 1, "set"))
        stored = Stored(generation, region.tree, region.index, region.reports)
        whole = within_whole(nodes, found.inside, region)
        changes = contents.changes(read, edges, tree, nodes, stored, found.sample, placed=whole)
        if len(changes) > MOST_ROWS_IN_PLACE:
            return False
        job.figures |= placed_figures(kept, whole, region)
        size = int(job.figures["vertices"] + job.figures["sets"])
        interrupted = generations.discard_unpublished(job.writer, NAME, (NODE,))
        gone = deletions_of(job.corpus, self.over)
        details = {**before.details, "gone": gone, **indexed_generation(job, NODE, size, generation)}
        contents.commit(changes, generation, before.placed + changed + left, details)
        job.notes.extend(contents.notes)
        if interrupted:
            remove_unused(job.writer, stage=NAME)
        else:
            settle_awaited(job.writer, stage=NAME)
        return True

    def _can_be_placed(self, before: IndexState[TRetrieverIndexSettings]) -> bool:
        """Whether the index was built by a version that marks the sets that lost something, and has a tree."""
        if self.job.improve or not before.figures.get("vertices", 0):
            return False
        return bool(before.details.get("marked")) or before.details.get("gone") == deletions_of(
            self.job.corpus, self.over
        )

    def _read(self, generation: int) -> tuple[Region, ReadRegion] | None:
        """The region of the tree that changed, and what is there now; None if it is too large."""
        graph, corpus = self.job.graph, self.job.corpus
        with self.contents.timed("read"):
            touched = touched_units(graph, corpus, self.over, self.job.read_to, generation)
            region = read_region(graph, corpus, generation, touched) if len(touched) <= MOST_TOUCHED_VERTICES else None
            if region is None:
                return None
            if self.over == "documents":
                return region, read_documents_of(graph, corpus, region, touched)
            return region, read_entities_of(graph, corpus, region, touched, self.contents.vectors_of)


def region_changes(found: ReadRegion, region: Region) -> tuple[int, int]:
    """How many vertices of a region are new, say something else or have other edges, and how many are gone, wherever
    they were."""
    graph, leaves = found.read.graph, region.leaves
    changed = 0
    for id_, source, edges in zip(graph.ids, graph.sources, graph.edge_digests, strict=True):
        if id_ in found.inside:
            changed += id_ not in leaves or region.index.nodes[leaves[id_]] != NodeDigests(source, edges)
    return changed, len(leaves.keys() - found.inside) + region.lost


def placed_figures(before: Mapping[str, float], nodes: TreeNodes, region: Region) -> dict[str, float]:
    """What the figures of the last build become by the nodes that a region now has. Bits, entropy and edges are counted
    where the whole is read."""
    leaves = len(nodes.units)
    now = Counter(nodes.levels[leaves:-1])
    was = Counter(node.level for node in region.tree.values() if node.vector and node.level)
    levels = {f"level_{level}_sets": now[level] - was[level] for level in now | was}
    changes = {"sets": len(nodes.ids) - leaves - 1 - was.total(), **levels}
    figures = {name: before.get(name, 0) + change for name, change in changes.items()}
    return figures | {"vertices": nodes.sizes[-1]}


def placed_tree(graph: VertexGraph, edges: Graph, inside: Collection[str], region: Region) -> EncodingTree:
    """The tree of a region with its new vertices, and without those that are gone; sets that stay have their members.

    A new vertex goes into the smallest set of the vertex that it has its strongest edge with; the strongest edges go
    first, of equal ones those of lower ids. Two that are in no set make one. A vertex without an edge into the region
    hangs from the root, as vertices right outside do.

    Args:
        edges: of `graph`, for the entropy engine.
        inside: the ids of vertices that belong to the region.
    """
    sets = {id_: at for at, id_ in enumerate(id_ for id_, node in region.tree.items() if node.level and node.vector)}
    above = [sets.get(region.tree[id_].parent, _IN_NO_SET) for id_ in sets]
    leaves = region.leaves
    home = [sets.get(region.tree[leaves[id_]].parent, _IN_NO_SET) if id_ in leaves else _IN_NO_SET for id_ in graph.ids]
    belongs = [id_ in inside for id_ in graph.ids]
    waiting = {at for at, id_ in enumerate(graph.ids) if belongs[at] and id_ not in leaves}
    heap: list[tuple[float, int, int]] = []

    def offer(place: int) -> None:
        """Queues the new neighbours of a vertex that has its place."""
        row = slice(int(edges.indptr[place]), int(edges.indptr[place + 1]))
        for other, weight in zip(edges.neighbours[row].tolist(), edges.weights[row].tolist(), strict=True):
            if other in waiting:
                heapq.heappush(heap, (-weight, other, place))

    for place, belonging in enumerate(belongs):
        if belonging and place not in waiting:
            offer(place)
    while waiting:
        if heap:
            _, new, beside = heapq.heappop(heap)
            if new not in waiting:
                continue
            if home[beside] == _IN_NO_SET:
                home[beside] = len(above)
                above.append(_IN_NO_SET)
            home[new] = home[beside]
        else:
            new = min(waiting)
        waiting.remove(new)
        offer(new)
    return distinct(edges, EncodingTree.from_parents(edges, _numbered(home, above)))


def _numbered(home: list[int], above: list[int]) -> Ints:
    """Parents of leaves, then of the sets that hold some, then of the root.

    Args:
        home: the set of each leaf, above: that of each set; `_IN_NO_SET` for the root.
    """
    held: set[int] = set()
    for place in home:
        while place != _IN_NO_SET and place not in held:
            held.add(place)
            place = above[place]
    number = {place: len(home) + at for at, place in enumerate(sorted(held))}
    root = len(home) + len(held)
    parents = [number.get(place, root) for place in home]
    parents += [number.get(above[place], root) for place in sorted(held)]
    return np.array([*parents, -1], dtype=np.int64)


def within_whole(nodes: TreeNodes, inside: Collection[str], region: Region) -> TreeNodes:
    """The nodes of a region's tree as those of the whole: with its root, and without what is outside.

    The root keeps its vector: one vertex of many changes little.
    """
    leaves = len(nodes.units)
    kept = [at for at in range(len(nodes.ids)) if at >= leaves or nodes.units[at] in inside]
    root, old = region.tree[region.root], nodes.ids[-1]
    before = sum(1 for node in region.tree.values() if node.unit)
    own = [node for node in region.tree.values() if node.level == 1]
    now = [at for at in kept if nodes.parents[at] == old]
    volumes = nodes.volumes[kept].copy()
    volumes[-1] = max(0.0, root.volume + float(nodes.volumes[now].sum()) - sum(node.volume for node in own))
    sizes = [nodes.sizes[at] for at in kept]
    sizes[-1] = root.size - region.lost + sum(1 for at in kept if at < leaves) - before
    cuts = nodes.cuts[kept].copy()
    return TreeNodes(
        kind=nodes.kind,
        corpus=nodes.corpus,
        generation=nodes.generation,
        ids=[*(nodes.ids[at] for at in kept[:-1]), region.root],
        parents=[region.root if nodes.parents[at] == old else nodes.parents[at] for at in kept],
        levels=[nodes.levels[at] for at in kept],
        sizes=sizes,
        volumes=volumes,
        cuts=cuts,
        units=[unit for unit in nodes.units if unit in inside],
        vectors=[*nodes.vectors[:-1], root.vector],
    )
