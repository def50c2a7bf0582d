"""SeRAG's settings: what its index is built with, and what a corpus keeps of it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

from overstory.errors import IndexMissing, SettingsError
from overstory.graph import Corpus
from overstory.graph.client import Row
from overstory.systems.serag.chunk_graph import FUSED, MEANING_ALONE, Shares

NAME = "serag"
"""Of the system, of its generations, and of its tree over the fused graph."""
SEMANTIC = "serag-semantic"
"""The tree over the layer SIMILAR alone, for the ablation of the paper."""


Search = Literal["auto", "exact", "gds"]
"""Who finds the nearest neighbours."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A whole number that the index can be built with, within bounds."""

    least: int
    most: int
    what: str


@dataclass(frozen=True, slots=True)
class SeragSettings:
    """What the index is built with. Source of the defaults: the paper's Table 5; docs/serag.md has the others' reasons.

    Attributes:
        levels: community levels between the root and the chunks.
        semantic: whether there is a second tree, over meaning alone.
        nearest: chunks that each is SIMILAR to.
        common: an entity that more chunks mention makes no edges, nor one that more than a tenth of them mention.
        sharing: chunks that each shares entities with, at most; the strongest.
        linked: edges of each chunk that are stored, the strongest; the tree is made from all.
        search: who finds the nearest neighbours: "exact" compares all chunks with all, "gds" has Graph Data Science
            find nearly all of them, "auto" decides by the number of chunks.
    """

    levels: int = 2
    semantic: bool = False
    nearest: int = 20
    common: int = 1_000
    sharing: int = 512
    linked: int = 32
    search: Search = "auto"

    def with_option(self, option: str | None) -> SeragSettings:
        """Those that `serag:levels=1,semantic` changes.

        Raises:
            SettingsError: there is no such setting, or its value is out of bounds.
        """
        changes: dict[str, Any] = {}  # values of the types above
        base = self
        for part in (option or "").split(","):
            name, given, value = (text.strip() for text in part.partition("="))
            if not name:
                continue
            if name == "defaults" and not given:
                base = SeragSettings()
            elif name in _SWITCHES and not given:
                changes |= _SWITCHES[name]
            elif name in NUMBERS:
                changes[name] = _number(name, value)
            else:
                raise SettingsError(f"SeRAG's index has no option {part.strip()!r}.", remedy=_usage())
        return replace(base, **changes)

    def described(self) -> str:
        """The levels, and what differs from the defaults."""
        levels = f"{self.levels} community level{'s' if self.levels > 1 else ''}"
        second = [f"a second tree ({SEMANTIC})"] if self.semantic else []
        usual = SeragSettings()
        names = ("nearest", "common", "sharing", "linked", "search")
        others = [f"{name}={getattr(self, name)}" for name in names if getattr(self, name) != getattr(usual, name)]
        return ", ".join([levels, *second, *others])

    def trees(self) -> dict[str, Shares]:
        """The trees that the index has, and what each layer counts in them."""
        return {NAME: FUSED} | ({SEMANTIC: MEANING_ALONE} if self.semantic else {})


_SWITCHES: dict[str, dict[str, Any]] = {
    "semantic": {"semantic": True},
    "no-semantic": {"semantic": False},
    "auto": {"search": "auto"},
    "exact": {"search": "exact"},
    "gds": {"search": "gds"},
}
NUMBERS = {
    "levels": Setting(1, 8, "community levels"),
    "nearest": Setting(1, 1_000, "chunks that each is similar to"),
    "common": Setting(2, 100_000, "the most chunks of an entity that makes edges"),
    "sharing": Setting(1, 10_000, "the most chunks that each shares entities with"),
    "linked": Setting(1, 1_000, "stored edges of each chunk"),
}


def _number(name: str, value: str) -> int:
    setting = NUMBERS[name]
    if value.isascii() and value.isdigit() and len(value) < 10 and setting.least <= int(value) <= setting.most:
        return int(value)
    raise SettingsError(
        f"{name} of SeRAG's index is {value!r}.",
        remedy=f"Give {setting.least:,} to {setting.most:,}: {setting.what}.",
    )


def _usage() -> str:
    numbers = ", ".join(f"{name}=N ({setting.what})" for name, setting in NUMBERS.items())
    return f"Use {', '.join(_SWITCHES)}, defaults, {numbers}."


@dataclass(frozen=True, slots=True)
class Kept:
    """What a corpus keeps of SeRAG.

    Attributes:
        settings: of the index.
        embedder: the fingerprint of the vectors.
        generation: of the trees that readers use.
        chunks: leaves that the tree had when it was last written.
        stamp: another one for each time that it was written.
        by_gds: whether the nearest neighbours are stored, as GDS found them.
        figures: of the last build, by names that say what they are.
    """

    settings: SeragSettings
    embedder: str
    generation: int
    chunks: int
    stamp: str = ""
    by_gds: bool = False
    figures: Mapping[str, float] = field(default_factory=dict[str, float])

    @classmethod
    def of(cls, corpus: Corpus) -> Kept | None:
        """None if the corpus has no index for SeRAG."""
        stored = corpus.systems.get(NAME)
        if stored is None:
            return None
        values = json.loads(stored)
        known = {each.name for each in fields(SeragSettings)}
        settings = {name: value for name, value in values.pop("settings").items() if name in known}
        return cls(settings=SeragSettings(**settings), **values)

    def fits(self, counts: Row) -> bool:
        """Whether the tree has all chunks as they are now, and no others (`systems/serag/counts`)."""
        return bool(self.chunks == counts["done"] == counts["chunks"])

    def stored(self) -> str:
        """For the property of the corpus."""
        return json.dumps(asdict(self))


def usable(corpus: Corpus, tree: str = NAME) -> Kept:
    """What the corpus keeps of an index that can be asked.

    Raises:
        IndexMissing: it has none, or not this tree, or its vectors are another embedder's.
    """
    kept = Kept.of(corpus)
    if kept is None:
        lacks = "no index for SeRAG"
    elif kept.embedder != corpus.embedder:
        lacks = "an index for SeRAG with another embedder's vectors"
    elif tree not in kept.settings.trees():
        lacks = "no tree over meaning alone"
    else:
        return kept
    system = f"{NAME}:semantic" if tree == SEMANTIC else NAME
    raise IndexMissing(
        f"Corpus {corpus.name!r} has {lacks}.",
        remedy=f"Run: overstory index --system {system} --corpus {shlex.quote(corpus.name)}, "
        f'or Knowledge.index(systems=["{system}"]) in Python.',
    )
