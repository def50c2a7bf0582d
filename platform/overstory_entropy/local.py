"""Insertion and removal of vertices in a part of an encoding tree, at a cost that grows with their edges alone.

Let X(a) be twice the weight of the edges whose lowest common community is a. Without loops,

    V · H(T) = Σ_a X(a) · log2 vol(a) − Σ_v d_v · log2 d_v

over all communities a, including the root, and all vertices v. A new vertex changes X, vol and the degrees only where
it has edges and on the path from its community to the root. So the volumes, cuts and entropy of the new tree follow
from those of the communities that contain a neighbour and of the communities above them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log2


@dataclass(slots=True)
class MutableCommunity:
    """A node above the leaves, changed in place.

    Attributes:
        parent: Name of the parent, "" for the root.
        level: Distance from the root.
        children: Number of communities or leaves directly below.
        size: Number of leaves below.
        volume: Sum of the degrees of the leaves below.
        cut: Weight of the edges that leave the community, g; 0 for the root.
        own: X, twice the weight of the edges whose lowest common community this is: Σ g(child) − g.
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
    """A vertex, changed in place.

    Attributes:
        home: Name of its lowest community.
        volume: Degree.
    """

    home: str
    volume: float


@dataclass(slots=True)
class TreePart:
    """A part of an encoding tree: some leaves, the communities above them, and the root.

    Communities outside the part do not change, and a vertex without edges into them never costs less there.

    Attributes:
        levels: Number of community levels between the root and the leaves, ≥ 1. Every leaf is below one of the last
            level.
        communities: Communities by name.
        leaves: Leaves by name.
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
        """Return the current structural entropy of the whole tree, in bits.

        Args:
            before: Entropy of the whole tree when this part was created.
        """
        whole = before * self._volume_before + self._terms() - self._terms_before
        return max(0.0, whole / self.root.volume) if self.root.volume > 0.0 else 0.0

    def path(self, home: str) -> list[str]:
        """Return a community and those above it, the root last."""
        names = [home]
        while names[-1] != self._root:
            names.append(self.communities[names[-1]].parent)
        return names

    def add(self, vertex: str, edges: Mapping[str, float]) -> str:
        """Add a vertex where the tree then has the least entropy, and return the name of its community.

        The vertex goes into a community that contains a neighbour, or into a new one below the root or below any
        community with a neighbour. Names of new communities start with "+". Of equally cheap places the higher is
        taken, then that of the later neighbour.

        Args:
            edges: Weights > 0 by neighbour. The neighbours are leaves of this part.
        """
        toward = self._toward(edges)
        self._bring(edges, toward, 1.0)
        place = self._cheapest(toward, sum(edges.values()))
        while self.communities[place].level < self.levels:
            place = self._opened(place)
        self._settle(vertex, place, toward, sum(edges.values()))
        return place

    def remove(self, vertex: str, edges: Mapping[str, float], *, unknown: float = 0.0) -> None:
        """Remove a vertex with its edges.

        Args:
            edges: Weights > 0 by neighbour. The neighbours are leaves of this part.
            unknown: Total weight of further edges whose other ends are unknown; see `forget`.
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
        """Account for deleted leaves outside this part. Only their total degree is known.

        The result is approximate. The leaves are assumed to have had equal degrees. In each community above them, their
        edges are assumed to have ended inside in the same share as those of the whole community. The other ends keep
        their degrees, as if the edges led elsewhere.

        Args:
            home: Community of the leaves.
            volume: Sum of their degrees.
        """
        if count > 0 and volume > 0.0:
            self._terms_before -= volume * log2(volume / count)
        self._lose(home, volume, count)

    def _lose(self, home: str, volume: float, count: int) -> None:
        lost_below = 0.0  # change of the cut of the community below
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
        """Return the edge weight into every community with a neighbour, lowest level first, without the root."""
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
        """Update the volumes and cuts at the far ends of a vertex's edges; `sign` is −1 when it is removed."""
        for other, weight in edges.items():
            self.leaves[other].volume = max(self.leaves[other].volume + sign * weight, 0.0)
        for name, weight in toward.items():
            self.communities[name].volume += sign * weight
            self.communities[name].cut += sign * weight
        self.root.volume += sign * sum(edges.values())

    def _cheapest(self, toward: dict[str, float], weight: float) -> str:
        """Return the community below which a vertex costs least.

        If the vertex is added below a, edges of weight toward(a) are charged to a instead of its parent, and the volume
        of a grows by the vertex. Both change the cost Σ X · log2 vol.
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
