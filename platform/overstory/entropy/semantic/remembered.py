"""A density that computes each set once, for trees that share most of their groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from overstory.entropy.compile import Floats, Ints
from overstory.entropy.semantic.density import Density

MOST_REMEMBERED = 2**23
"""Numbers kept, 128 MiB with the vertices that they belong to; then all are forgotten."""


@dataclass(frozen=True, eq=False)
class RememberedDensity(Density):
    """The same density; a set is recognised by a sum of random numbers, one for each vertex."""

    _known: dict[tuple[int, int], tuple[Ints, Floats]] = field(default_factory=dict)
    _kept: list[int] = field(default_factory=lambda: [0])

    @classmethod
    def of(cls, density: Density) -> RememberedDensity:
        """A density over the same points."""
        return cls(density.points, density.bandwidth, density.exact_members)

    def surprise(self, members: Ints, asked: Ints | None = None) -> Floats:
        """As `Density.surprise`."""
        key = (len(members), int(self._numbers[members].sum()))
        known = self._known.get(key)
        if known is None:
            if asked is not None and 2 * len(asked) < len(members):
                return super().surprise(members, asked)
            known = members.copy(), super().surprise(members)
            if self._kept[0] + len(members) > MOST_REMEMBERED:
                self._known.clear()
                self._kept[0] = 0
            self._known[key] = known
            self._kept[0] += len(members)
        self._by_vertex[known[0]] = known[1]
        found: Floats = self._by_vertex[members if asked is None else asked]
        return found

    @cached_property
    def _numbers(self) -> NDArray[np.uint64]:
        return np.random.default_rng(0).integers(0, 2**64, self.vertices, dtype=np.uint64)

    @cached_property
    def _by_vertex(self) -> Floats:
        return np.empty(self.vertices)
