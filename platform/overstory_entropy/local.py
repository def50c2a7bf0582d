"""Inserts vertices into an encoding tree and removes them, at a cost that depends only on the number of their edges.

Let V be the volume of the graph, vol(a) the volume of the community a, d_v the degree of the vertex v, and X(a) twice
the weight of the edges whose lowest common community is a. In a graph without loops, the entropy H(T) satisfies

    V · H(T) = Σ_a X(a) · log2 vol(a) − Σ_v d_v · log2 d_v

The sums run over all communities a, including the root, and all vertices v. A new vertex changes X, vol and the degrees
only where it has edges, and on the path from its community to the root. The volumes, cuts and entropy of the new tree
can therefore be computed from the communities that contain a neighbour and the communities above them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log2


@dataclass(slots=True)
class MutableCommunity:
    """An internal node of the tree, which can be modified in place.

    Attributes:
        parent: Name of the parent; "" for the root.
        level: Distance from the root.
        children: Number of communities or leaves directly below it.
        size: Number of leaves below it.
        volume: Sum of the degrees of the leaves below it.
        cut: Total weight of the edges that leave it; 0 for the root.
        own: Twice the weight of the edges whose lowest common community this is. It equals the sum of the children's
            cuts minus the community's own cut.
    """

    parent: str
    level: int
    children: int
    size: int
    volume: float
    cut: float
    own: float


@dataclass(slots=True)
class Leaf:
    """A vertex, which can be modified in place.

    Attributes:
        home: Name of the lowest community that contains it.
        volume: Weighted degree of the vertex.
    """

    home: str
    volume: float


@dataclass(slots=True)
class TreePart:
    """A part of an encoding tree: some leaves, the communities above them, and the root.

    Communities outside the part do not change. A vertex without edges into such a community never costs less there.

    Attributes:
        levels: Number of community levels between the root and the leaves, ≥ 1. The parent of every leaf is a community
            of the lowest level.
        communities: Communities by name, including the root.
        gone: Names of communities that became empty and were removed.
    """

    levels: int
    communities: dict[str, MutableCommunity]
    leaves: dict[str, Leaf]
    gone: list[str] = field(default_factory=list[str])
    _root: str = field(init=False)
    _made: int = 0
    _volume_before: float = field(init=False)
    _terms_before: float = field(init=False)

    def __post_init__(self) -> None:
        (self._root,) = (name for name, each in self.communities.items() if each.level == 0)
        self._volume_before = self.root.volume
        self._terms_before = self._terms()

    @property
    def root(self) -> MutableCommunity:
        return self.communities[self._root]

    def entropy(self, before: float) -> float:
        """Return the current structural entropy of the complete tree, in bits.

        Args:
            before: Structural entropy of the complete tree when this part was created.
        """
        whole = before * self._volume_before + self._terms() - self._terms_before
        return max(0.0, whole / self.root.volume) if self.root.volume > 0.0 else 0.0

    def path(self, home: str) -> list[str]:
        """Return the names of a community and of all communities above it, ending with the root."""
        names = [home]
        while names[-1] != self._root:
            names.append(self.communities[names[-1]].parent)
        return names

    def add(self, vertex: str, edges: Mapping[str, float]) -> str:
        """Add a vertex at the place that leads to the lowest entropy, and return the name of its community.

        The vertex becomes part of a community that contains a neighbour, or of a new community. A new community can be
        below the root or below any community that contains a neighbour. Its name begins with "+". Of equally cheap
        places, the one at the highest level is chosen and, at the same level, that of the later neighbour.

        Args:
            edges: Weight of the edge to each neighbour, > 0. All neighbours must be leaves of this part.
        """
        toward = self._toward(edges)
        self._bring(edges, toward, 1.0)
        place = self._cheapest(toward, sum(edges.values()))
        while self.communities[place].level < self.levels:
            place = self._opened(place)
        self._settle(vertex, place, toward, sum(edges.values()))
        return place

    def remove(self, vertex: str, edges: Mapping[str, float], *, unknown: float = 0.0) -> None:
        """Remove a vertex and its edges.

        Args:
            edges: Weight of the edge to each neighbour, > 0. All neighbours must be leaves of this part.
            unknown: Total weight of the vertex's edges whose other ends are unknown. See `forget`.
        """
        home = self.leaves[vertex].home
        toward = self._toward(edges)
        weight = sum(edges.values())
        path = self.path(home)
        inner = 0.0
        for name in path:
            community, here = self.communities[name], weight if name == self._root else toward.get(name, 0.0)
            community.volume -= weight
            community.own -= 2.0 * (here - inner)
            if name != self._root:
                community.cut -= weight - 2.0 * here
            inner = here
        self._bring(edges, toward, -1.0)
        del self.leaves[vertex]
        self._lose(home, unknown, 1)

    def forget(self, home: str, volume: float, count: int) -> None:
        """Adjust the communities for deleted leaves outside this part. Only the sum of their degrees is known.

        The result is approximate, because it makes these assumptions:

        - All deleted leaves had the same degree.
        - In each community above them, the fraction of their edges that ended inside the community was the same as for
          all edges of the community.
        - The vertices at the other ends keep their degrees, as if the edges now led elsewhere.

        Args:
            home: Name of the community that contained the leaves.
            volume: Sum of the degrees of the leaves.
        """
        if count > 0 and volume > 0.0:
            self._terms_before -= volume * log2(volume / count)
        self._lose(home, volume, count)

    def _lose(self, home: str, volume: float, count: int) -> None:
        lost_below = 0.0  # change in the cut of the previous community, which is one level lower
        for name in self.path(home):
            community = self.communities[name]
            community.size -= count
            if volume == 0.0:
                continue
            left = max(community.volume - volume, 0.0)
            if name == self._root:
                community.own = max(community.own + lost_below, 0.0)
            elif community.volume > 0.0:
                inside = max(community.volume - community.cut, 0.0)
                inside = min(inside * max(1.0 - 2.0 * volume / community.volume, 0.0), left)
                lowest = community.level == self.levels
                below = left if lowest else max(community.cut + community.own + lost_below, 0.0)
                cut = min(left - inside, below)
                lost_below = cut - community.cut
                community.cut, community.own = cut, below - cut
            community.volume = left
        self._leave(home, count)

    def _terms(self) -> float:
        communities = sum(each.own * log2(each.volume) for each in self.communities.values() if each.volume > 0.0)
        return communities - sum(each.volume * log2(each.volume) for each in self.leaves.values() if each.volume > 0.0)

    def _toward(self, edges: Mapping[str, float]) -> dict[str, float]:
        """Return the weight of the edges into each community that contains a neighbour, except the root.

        The lowest level comes first.
        """
        below: dict[str, float] = defaultdict(float)
        for other, weight in edges.items():
            below[self.leaves[other].home] += weight
        toward = dict(below)
        for _ in range(1, self.levels):
            above: dict[str, float] = defaultdict(float)
            for name, weight in below.items():
                above[self.communities[name].parent] += weight
            toward |= above
            below = above
        return toward

    def _bring(self, edges: Mapping[str, float], toward: Mapping[str, float], sign: float) -> None:
        """Update the volumes and cuts of a vertex's neighbours and of the communities that contain them.

        Args:
            sign: 1 if the vertex is added, −1 if it is removed.
        """
        for other, weight in edges.items():
            self.leaves[other].volume = max(self.leaves[other].volume + sign * weight, 0.0)
        for name, weight in toward.items():
            self.communities[name].volume += sign * weight
            self.communities[name].cut += sign * weight
        self.root.volume += sign * sum(edges.values())

    def _cheapest(self, toward: dict[str, float], weight: float) -> str:
        """Return the name of the community below which a new vertex costs least.

        If the vertex is added below the community a, the edges of weight toward[a] are charged to a instead of its
        parent. The volume of a also grows by the degree of the vertex. Both changes affect the cost Σ_a X(a) · log2
        vol(a), which is explained at the top of this module.
        """
        joined = {self._root: _log(self.root.volume + weight)}
        cost = {self._root: 2.0 * weight * joined[self._root]}
        least, place = cost[self._root], self._root
        for name in reversed(toward):
            community = self.communities[name]
            joined[name] = _log(community.volume + weight)
            cost[name] = (
                cost[community.parent]
                - 2.0 * toward[name] * (joined[community.parent] - joined[name])
                + community.own * (joined[name] - _log(community.volume))
            )
            if cost[name] < least:
                least, place = cost[name], name
        return place

    def _opened(self, above: str) -> str:
        self._made += 1
        name = f"+{self._made}"
        self.communities[name] = MutableCommunity(above, self.communities[above].level + 1, 0, 0, 0.0, 0.0, 0.0)
        self.communities[above].children += 1
        return name

    def _settle(self, vertex: str, home: str, toward: Mapping[str, float], weight: float) -> None:
        self.leaves[vertex] = Leaf(home, weight)
        self.communities[home].children += 1
        inner = 0.0
        for name in self.path(home):
            community, here = self.communities[name], weight if name == self._root else toward.get(name, 0.0)
            community.size += 1
            community.volume += weight
            community.own += 2.0 * (here - inner)
            if name != self._root:
                community.cut += weight - 2.0 * here
            inner = here

    def _leave(self, home: str, count: int) -> None:
        self.communities[home].children -= count
        name = home
        while name != self._root and self.communities[name].children <= 0:
            above = self.communities.pop(name).parent
            self.gone.append(name)
            self.communities[above].children -= 1
            name = above


def _log(volume: float) -> float:
    return log2(volume) if volume > 0.0 else 0.0
