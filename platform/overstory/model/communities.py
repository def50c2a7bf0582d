"""Community trees and reports on communities, in the form shown to users."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from overstory.display import counted, printable, shortened
from overstory.model.documents import SINGULAR, Unit
from overstory.model.origin import HasOrigin, OfPassage

SHORT_ID_DIGITS = 8
"""Number of digits in a short id. A short id is ambiguous only if another id starts with the same digits."""


@dataclass(frozen=True, slots=True)
class CommunityName:
    """An entity name that characterises a community.

    Attributes:
        passages: number of passages that mention the entity. In a tree of passages, only passages in the community are
            counted; in a tree of entities, all passages in the corpus.
    """

    name: str
    passages: int


@dataclass(frozen=True, slots=True, repr=False)
class MemberPassage(OfPassage):
    """A passage directly below a community.

    Attributes:
        similarity: cosine similarity to the vector of the community.
    """

    text: str
    similarity: float

    def __str__(self) -> str:
        return printable(f"{self.title or '(no title)'} [{self.origin}]: {shortened(self.text)}")

    def __repr__(self) -> str:
        return f"<MemberPassage {self}>"


@dataclass(frozen=True, slots=True, repr=False)
class MemberEntity:
    """An entity directly below a community.

    Attributes:
        type: entity type such as PERSON or ORG; "" if unknown.
        passages: number of passages that mention the entity.
    """

    entity_id: str
    name: str
    type: str
    passages: int

    def __str__(self) -> str:
        kind = f"{self.type}, " if self.type else ""
        return printable(f"{self.name} ({kind}{counted(self.passages, 'passage')})")

    def __repr__(self) -> str:
        return f"<MemberEntity {self}>"


@dataclass(frozen=True, slots=True, repr=False)
class MemberDocument(HasOrigin):
    """A document directly below a community.

    Attributes:
        similarity: cosine similarity between the vector of the community and the nearest passage of the document.
    """

    document_id: str
    source: str
    source_key: str
    title: str
    passages: int
    similarity: float

    def __str__(self) -> str:
        return printable(f"{self.title or '(no title)'} [{self.origin}] ({counted(self.passages, 'passage')})")

    def __repr__(self) -> str:
        return f"<MemberDocument {self}>"


@dataclass(frozen=True, slots=True, repr=False)
class Community:
    """An inner node of a community tree. The root contains all passages, entities or documents in the tree.

    Attributes:
        unit: kind of members: passages ("chunk"), entities ("entity") or documents ("document").
        level: 0 for the root, 1 for the communities directly below it, and so on.
        size: number of passages, entities or documents in the community.
        entropy: the term of this community in the structural entropy of the tree, in bits. It is the cost of entering
            the community. None if the tree encodes no graph, such as a tree of summaries.
        entropy_below: sum of the terms of all nodes below, including leaves, in bits. None if `entropy` is None.
        inside: fraction of the community's volume that belongs to edges within the community; 1 if no edge leaves the
            community. None if `entropy` is None.
        names: entity names that distinguish the community from others, best first; empty for the root.
        sentences: the sentences nearest to the vector of the community, from the nearest passages; empty for the root.
        communities: communities directly below, largest first, up to the requested limit.
        below: number of all communities and leaves directly below, whether shown or not.
        leaves: number of leaves directly below, whether shown or not.
        passages: passages directly below, nearest to the vector of the community first, up to the requested limit;
            empty for the root.
        entities: entities directly below, most important first, up to the requested limit.
        documents: documents directly below, nearest to the vector of the community first, up to the requested limit;
            empty for the root.
        title: title that the system gives the community; "" if there is none.
        summary: summary that the system gives the community; "" if there is none.
    """

    id: str
    unit: Unit
    level: int
    size: int
    entropy: float | None
    entropy_below: float | None
    inside: float | None
    names: tuple[CommunityName, ...]
    sentences: tuple[str, ...]
    communities: tuple[Community, ...]
    below: int
    leaves: int
    passages: tuple[MemberPassage, ...] = ()
    entities: tuple[MemberEntity, ...] = ()
    documents: tuple[MemberDocument, ...] = ()
    title: str = ""
    summary: str = ""

    @property
    def members(self) -> tuple[MemberPassage | MemberEntity | MemberDocument, ...]:
        """The passages, entities or documents directly below, up to the requested limit."""
        return self.passages or self.entities or self.documents

    @property
    def short_id(self) -> str:
        """Short form of the id, which `Knowledge.tree` and `overstory tree` accept."""
        return self.id[:SHORT_ID_DIGITS]

    @property
    def figures(self) -> str:
        """Size and entropy as text, such as "138 passages, 73 % inside, 0.1076 bits and 0.8095 below"."""
        size = counted(self.size, SINGULAR[self.unit])
        if self.inside is None:
            return size
        # The percentage is rounded down, so that 100 % means that no edge leaves the community.
        inside = f"{int(self.inside * 100)} % inside"
        return f"{size}, {inside}, {self.entropy:.4f} bits and {self.entropy_below:.4f} below"

    @property
    def hidden(self) -> str:
        """Numbers of nodes that are not shown, such as "7 more communities and 2 more entities"; "" if there are none.

        Leaves of the root are not counted here. A note of the tree reports them.
        """
        if not (self.communities or self.members):
            return ""
        communities = self.below - self.leaves - len(self.communities)
        leaves = self.leaves - len(self.members) if self.level else 0
        more = [counted(communities, "more community")] if communities else []
        more += [counted(leaves, f"more {SINGULAR[self.unit]}")] if leaves else []
        return " and ".join(more)

    def __repr__(self) -> str:
        about = _about(self)
        return printable(f"<Community {self.short_id}: {self.figures}{f': {about}' if about else ''}>")


@dataclass(frozen=True, slots=True)
class ListedTree:
    """A community tree in the list of a corpus's trees.

    Attributes:
        name: name of the tree, as `Knowledge.tree` accepts it.
        title: title of the tree, such as "SeRAG tree over meaning alone".
        unit: kind of leaves: passages ("chunk"), entities ("entity") or documents ("document").
        reports: True if the system writes reports on the communities.
    """

    name: str
    title: str
    unit: Unit
    reports: bool


@dataclass(frozen=True, slots=True, repr=False)
class CommunityTree:
    """A community of a community tree with the nodes below it, and figures on the whole tree.

    Attributes:
        tree: name of the tree, as `Knowledge.tree` accepts it.
        unit: kind of leaves: passages ("chunk"), entities ("entity") or documents ("document").
        size: number of passages, entities or documents in the whole tree.
        levels: number of communities at each level of the whole tree, from the level below the root downwards.
        entropy: structural entropy of the whole tree, in bits; None if the tree encodes no graph.
        above: ids of the communities that contain `community`, largest first, without the root.
        community: the requested community, by default the root, with the nodes below it.
    """

    corpus: str
    tree: str
    unit: Unit
    size: int
    levels: tuple[int, ...]
    entropy: float | None
    above: tuple[str, ...]
    community: Community
    notes: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """The figures on one line: "Corpus 'demo', tree serag: 1,046 passages in 24 + 142 communities, 6.7465 bits"."""
        number = " + ".join(f"{each:,}" for each in self.levels)
        communities = "community" if self.levels == (1,) else "communities"
        inside = f" in {number} {communities}" if self.levels else ""
        size = counted(self.size, SINGULAR[self.unit])
        bits = "" if self.entropy is None else f", {self.entropy:.4f} bits"
        return f"Corpus {self.corpus!r}, tree {self.tree}: {size}{inside}{bits}"

    def __repr__(self) -> str:
        lines = [f"<CommunityTree of {self.headline[0].lower()}{self.headline[1:]}>"]
        if self.community.level:
            lines.append(f"{self.community.short_id}  {_line(self.community)}")
        lines += _lines(self.community, "  " if self.community.level else "")
        return printable("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]))


def _lines(community: Community, indent: str) -> Iterator[str]:
    for below in community.communities:
        yield f"{indent}{below.short_id}  {_line(below)}"
        yield from _lines(below, f"{indent}  ")
    for member in community.members:
        yield f"{indent}{member}"
    if community.hidden:
        yield f"{indent}… {community.hidden}"


def _line(community: Community) -> str:
    return f"{community.figures}: {_about(community) or '(no names)'}"


def _about(community: Community) -> str:
    return community.title or ", ".join(each.name for each in community.names)


_TITLE_CHARACTERS = 64  # titles in a list of reports are cut to this many characters


@dataclass(frozen=True, slots=True)
class ReportPassage(OfPassage):
    """A passage that supports a finding of a report."""

    page: int | None = None


@dataclass(frozen=True, slots=True)
class ReportStatement:
    """One finding of a report.

    Attributes:
        names: names of the entities that the finding is about.
        passages: passages that support the finding, most important first.
    """

    text: str
    names: tuple[str, ...]
    passages: tuple[ReportPassage, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ReportedCommunity:
    """A community with the title, summary and rating of its report, if it has a report.

    Attributes:
        unit: kind of members: passages ("chunk"), entities ("entity") or documents ("document").
        level: 1 for the communities directly below the root, 2 for the next level, and so on.
        size: number of passages, entities or documents in the community.
        title: title of the report; "" without a report.
        summary: summary of the report; "" without a report.
        rating: importance of the community, from 0 to 10; 0 without a report.
        by: "rules" if rules wrote the report, or the name of the language model that wrote it; "" without a report.
    """

    id: str
    unit: Unit
    level: int
    size: int
    title: str = ""
    summary: str = ""
    rating: float = 0.0
    by: str = ""

    @property
    def has_report(self) -> bool:
        return bool(self.by)

    @property
    def short_id(self) -> str:
        """Short form of the id, which `Knowledge.report` and `overstory report` accept."""
        return self.id[:SHORT_ID_DIGITS]

    @property
    def sized(self) -> str:
        return counted(self.size, SINGULAR[self.unit])

    @property
    def line(self) -> str:
        """The community on one line: "45ad4824   8.5  Rivers of Europe (12 entities)", with "—" as a missing rating."""
        rating = f"{self.rating:4.1f}" if self.has_report else "   —"
        return f"{self.short_id}  {rating}  {shortened(self.title, _TITLE_CHARACTERS) or 'no report'} ({self.sized})"

    def __repr__(self) -> str:
        return printable(f"<ReportedCommunity {self.line}>")


@dataclass(frozen=True, slots=True, repr=False)
class CommunityReports:
    """The reports on the communities at one level of a tree.

    Attributes:
        tree: name of the tree, as `Knowledge.reports` accepts it.
        levels: number of reports at each level of the tree, from the level below the root downwards.
        reports: reports sorted by rating, then by size of the community, up to the requested limit.
        without: communities of the level without a report, largest first, up to the requested limit.
        hidden: number of all communities of the level without a report, whether shown or not.
    """

    corpus: str
    tree: str
    level: int
    levels: tuple[int, ...]
    reports: tuple[ReportedCommunity, ...]
    without: tuple[ReportedCommunity, ...] = ()
    hidden: int = 0
    notes: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """A summary on one line: "Corpus 'demo', tree hirag: 24 reports at level 1 of 3"."""
        if not self.levels:
            return f"Corpus {self.corpus!r}, tree {self.tree}: no reports"
        number = self.levels[self.level - 1] if self.level <= len(self.levels) else 0
        at = f"at level {self.level} of {len(self.levels)}"
        return f"Corpus {self.corpus!r}, tree {self.tree}: {counted(number, 'report')} {at}"

    @property
    def more(self) -> int:
        """Number of reports at this level that `reports` does not contain."""
        return max(0, (self.levels[self.level - 1] if self.level <= len(self.levels) else 0) - len(self.reports))

    def __repr__(self) -> str:
        lines = [f"<CommunityReports of {self.headline[0].lower()}{self.headline[1:]}>"]
        lines += [f"  {report.line}" for report in (*self.reports, *self.without)]
        lines += [f"  … {self.more:,} more"] if self.more else []
        return printable("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]))


@dataclass(frozen=True, slots=True, repr=False)
class FullReport:
    """A report on a community, with the communities above and below it in the tree.

    Attributes:
        tree: name of the tree, as `Knowledge.report` accepts it.
        community: the community, with the title, summary, rating and author of its report. Without a report, these are
            empty.
        findings: findings of the report, most important first.
        passages: number of passages that support the whole report.
        above: communities that contain this community, largest first.
        below: communities directly below, highest rating first, at most 20.
        communities: number of all communities directly below.
    """

    corpus: str
    tree: str
    community: ReportedCommunity
    findings: tuple[ReportStatement, ...]
    passages: int
    above: tuple[ReportedCommunity, ...]
    below: tuple[ReportedCommunity, ...]
    communities: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = [f"<FullReport {self.community.line}>"]
        lines += [f"  {self.community.summary}"] if self.community.summary else []
        for number, finding in enumerate(self.findings, start=1):
            lines.append(f"{number:>3}. {finding.text}")
            lines += [f"     from {passage.title or '(no title)'} [{passage.origin}]" for passage in finding.passages]
        return printable("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]))
