"""Communities of the graph of all layers, by Leiden in Graph Data Science.

Source: HiRAG, Section 4.1. The projection is ordered by ref, and Leiden has one thread and a fixed seed, so equal
graphs have equal communities, in whatever order they were stored. Leiden does not start from the communities of the
build before: on hotpotqa with one more document, 93 to 97 % of all communities stay the same without that; seeded with
the old ones, 90 to 94 % do, and modularity falls from .85 to .82.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from overstory.errors import GraphError
from overstory.graph import GraphClient, Writer
from overstory.graph.client import Row
from overstory.graph.gds import gds_client, projected_by, require_client, require_memory
from overstory_entropy.compile import Ints
from overstory_systems.hirag.names import NAME

if TYPE_CHECKING:
    from pandas import DataFrame

TITLE = "HiRAG"
_COMMUNITY_SEED = 20250310
_COMMUNITY_ROWS_A_STATEMENT = 10_000
_LEAST_LEVEL_GROWTH = 1.1
"""A finer level has at least so many times the communities of the next coarser one, or is left out: Leiden's last
levels differ by a handful, and each would need its reports."""


def require_gds(graph: GraphClient) -> None:
    """Check that communities can be found: for `build` and `check` to call before anything is done."""
    require_client(graph, TITLE, extra=NAME)


@dataclass(frozen=True)
class LayeredProjection:
    """The graph of all layers of one generation in the memory of the server.

    Attributes:
        name: of the in-memory graph; "" for a graph without relations, which is not projected.
        places: of the entities in the arrays, by ref.
        nodes: shape (n,), the server's numbers of the entities.
        levels: shape (n, levels), the communities of each entity as Leiden lists them, from fine to coarse.
    """

    graph: GraphClient
    name: str
    places: Mapping[str, int]
    nodes: Ints
    levels: Ints

    def communities(self, refs: Sequence[str]) -> list[Ints]:
        """Partitions of the entities, coarsest first, each within the one before; none where there are no entities.

        Without a relation, each entity is a community of its own.

        Args:
            refs: of all n entities.

        Returns:
            Arrays of shape (n,): the community of each entity, numbered from 0 by first member.
        """
        if not self.name:
            return [np.arange(len(refs))] if refs else []
        if len(refs) != len(self.places) or not self.places.keys() >= set(refs):
            raise GraphError(
                f"the projection has {len(self.places):,} entities, and communities of {len(refs):,} were asked for",
                remedy="Build the index again.",
            )
        return nested(self.levels[[self.places[ref] for ref in refs]].T)

    def cheapest_paths(self, wanted: Mapping[str, Sequence[str]]) -> list[Row]:
        """Paths by the relations' cost, one for each target that can be reached: rows with `cost` and `refs`, the
        entities on the way, both ends included.

        Args:
            wanted: the targets of each source, refs of the projection.
        """
        if not self.name:
            return []
        rows = [
            {"source": self._node(source), "targets": [self._node(target) for target in targets]}
            for source, targets in wanted.items()
        ]
        return self.graph.run("gds/paths", read=True, graph=self.name, rows=rows)

    def _node(self, ref: str) -> int:
        return int(self.nodes[self.places[ref]])


@contextmanager
def layered_projection(writer: Writer, generation: int) -> Generator[LayeredProjection]:
    """The graph of all layers of a generation, projected with `weight` and `cost`, and its communities; the in-memory
    graph is dropped at the end.
    """
    graph, label = writer.graph, writer.corpus.label
    require_gds(graph)
    (size,) = graph.run("systems/hirag/size", label, read=True, generation=generation)
    if not size["relations"]:
        yield LayeredProjection(graph, "", {}, np.zeros(0, np.int64), np.zeros((0, 0), np.int64))
        return
    client = gds_client(graph, TITLE, extra=NAME)
    require_memory(graph, client, size["entities"], size["relations"], properties=("weight", "cost"))
    with projected_by(writer, "gds/project_layers", stage=NAME, extra=NAME, generation=generation) as (gds, projected):
        found = gds.leiden.stream(
            projected,
            include_intermediate_communities=True,
            relationship_weight_property="weight",
            random_seed=_COMMUNITY_SEED,
            concurrency=1,
            log_progress=False,
        )
        yield _listed(graph, projected.name(), found)


def nested(levels: Ints) -> list[Ints]:
    """Partitions of Leiden, from fine to coarse, as nested ones from coarse to fine.

    The coarsest stays as it is. Of a finer level, a community that lies in several coarser ones is split: Leiden lists
    communities before it refines them, and a refined part may move elsewhere on the next level.

    Args:
        levels: shape (levels, n).

    Returns:
        Arrays of shape (n,), numbered from 0 by first member. A level with hardly more communities than the one before
        is left out (`_LEAST_LEVEL_GROWTH`).
    """
    found: list[Ints] = []
    for labels in levels[::-1]:
        groups = labels if not found else found[-1] * (int(labels.max()) + 1) + labels
        groups = _numbered_by_first_member(groups)
        if not found or _groups(groups) >= _LEAST_LEVEL_GROWTH * _groups(found[-1]):
            found.append(groups)
    return found


def _numbered_by_first_member(labels: Ints) -> Ints:
    _, first, group = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[group]


def _groups(labels: Ints) -> int:
    return int(labels.max(initial=-1)) + 1


def _listed(graph: GraphClient, name: str, found: DataFrame) -> LayeredProjection:
    """The projection with what Leiden found."""
    nodes = np.array(found["nodeId"].tolist(), dtype=np.int64)
    levels = np.array(found["intermediateCommunityIds"].tolist(), dtype=np.int64)
    places: dict[str, int] = {}
    for start in range(0, len(nodes), _COMMUNITY_ROWS_A_STATEMENT):
        some: list[int] = nodes[start : start + _COMMUNITY_ROWS_A_STATEMENT].tolist()
        for place, row in enumerate(graph.run("gds/refs", read=True, nodes=some), start=start):
            places[row["ref"]] = place
    return LayeredProjection(graph, name, places, nodes, levels)
