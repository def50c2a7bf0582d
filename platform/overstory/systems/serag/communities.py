"""An encoding tree as a person reads it: communities in communities, what each is about, how much it keeps together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from overstory.display import counted, origin, shortened

SHORT = 8
"""Digits of an id that are shown; they name a community as long as no other begins so."""


@dataclass(frozen=True, slots=True)
class TellingName:
    """A name, and how many passages of the community mention it."""

    name: str
    passages: int


@dataclass(frozen=True, slots=True, repr=False)
class MemberPassage:
    """A passage of a bottom community.

    Attributes:
        similarity: cosine to the community's vector.
    """

    chunk_id: str
    document_id: str
    source: str
    source_key: str
    title: str
    heading: str
    text: str
    similarity: float

    @property
    def origin(self) -> str:
        """Where it comes from: source, and key if there is one."""
        return origin(self.source, self.source_key)

    def __repr__(self) -> str:
        return f"<MemberPassage {self.title or '(no title)'} [{self.origin}]: {shortened(self.text)}>"


@dataclass(frozen=True, slots=True, repr=False)
class Community:
    """A node of the tree above the passages; the root is the whole corpus.

    Attributes:
        level: 0 for the root, 1 for the communities right below it, ….
        size: its passages.
        entropy: its own term of the structural entropy, in bits: what it costs to enter it.
        entropy_below: the terms of everything below it, passages included, in bits.
        inside: the share of its volume that edges to other passages of its own take; 1 if no edge leaves it.
        names: those that tell it from the rest of the corpus, the most telling first; none for the root.
        sentences: those nearest to its vector, of the passages nearest to it; none for the root.
        communities: right below it, the largest first, as far as they were asked for.
        passages: of a bottom community, the nearest to its vector first, as far as they were asked for.
        below: how many communities there are right below it, or passages below a bottom one, shown or not.
    """

    id: str
    level: int
    size: int
    entropy: float
    entropy_below: float
    inside: float
    names: tuple[TellingName, ...]
    sentences: tuple[str, ...]
    communities: tuple[Community, ...]
    passages: tuple[MemberPassage, ...]
    below: int

    @property
    def short_id(self) -> str:
        """What `Knowledge.tree` and `overstory tree` take for the id."""
        return self.id[:SHORT]

    @property
    def figures(self) -> str:
        """ "138 passages, 73 % inside, 0.1076 bits and 0.8095 below"."""
        # Rounded down: 100 % is said only of a community that nothing leaves.
        inside = f"{int(self.inside * 100)} % inside"
        return f"{counted(self.size, 'passage')}, {inside}, {self.entropy:.4f} bits and {self.entropy_below:.4f} below"

    @property
    def hidden(self) -> str:
        """ "7 more communities" where only some are shown, else ""."""
        more = self.below - len(self.communities) - len(self.passages)
        if not more or not (self.communities or self.passages):
            return ""
        return counted(more, "more passage") if self.passages else counted(more, "more community", "more communities")

    def __repr__(self) -> str:
        about = ", ".join(each.name for each in self.names)
        return f"<Community {self.short_id}: {self.figures}{f': {about}' if about else ''}>"


@dataclass(frozen=True, slots=True, repr=False)
class CommunityTree:
    """A part of an encoding tree.

    Attributes:
        corpus: its name.
        tree: which one: "serag", or "serag-semantic", which is over meaning alone.
        size: passages of the whole tree.
        levels: communities of the whole tree at each level, from the top; without the root.
        entropy: of the whole tree, in bits.
        above: ids of the communities that `community` is in, the largest first; without the root.
        community: what was asked for, the root if nothing was, with what is below it.
        notes: what the reader should know of the result (an index older than the corpus, what was left out).
    """

    corpus: str
    tree: str
    size: int
    levels: tuple[int, ...]
    entropy: float
    above: tuple[str, ...]
    community: Community
    notes: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """ "Corpus 'demo': 1,046 passages in 24 + 142 communities, 6.7465 bits"."""
        number = " + ".join(f"{each:,}" for each in self.levels)
        communities = "community" if self.levels == (1,) else "communities"
        inside = f" in {number} {communities}" if self.levels else ""
        which = "" if self.tree == "serag" else f", tree {self.tree}"
        return f"Corpus {self.corpus!r}: {counted(self.size, 'passage')}{inside}, {self.entropy:.4f} bits{which}"

    def __repr__(self) -> str:
        """The headline, and a line a community or passage."""
        lines = [f"<CommunityTree of {self.headline[0].lower()}{self.headline[1:]}>"]
        if self.community.level:
            lines.append(f"{self.community.short_id}  {_line(self.community)}")
        lines += _lines(self.community, "  " if self.community.level else "")
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])


def _lines(community: Community, indent: str) -> Iterator[str]:
    for below in community.communities:
        yield f"{indent}{below.short_id}  {_line(below)}"
        yield from _lines(below, f"{indent}  ")
    for passage in community.passages:
        yield f"{indent}{passage.title or '(no title)'} [{passage.origin}]: {shortened(passage.text)}"
    if community.hidden:
        yield f"{indent}… {community.hidden}"


def _line(community: Community) -> str:
    return f"{community.figures}: {', '.join(each.name for each in community.names) or '(no names)'}"
