"""A tree as a person reads it: communities in communities, what each is about, how much it keeps together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from overstory.display import counted, printable, shortened
from overstory.model.documents import SINGULAR, Unit
from overstory.model.origin import HasOrigin, OfPassage

SHORT_ID_DIGITS = 8
"""Digits of an id that are shown; they name a community as long as no other begins so."""


@dataclass(frozen=True, slots=True)
class CommunityName:
    """A name, and how many passages mention it: of the community, or, in a community of names, of the corpus."""

    name: str
    passages: int


@dataclass(frozen=True, slots=True, repr=False)
class MemberPassage(OfPassage):
    """A passage right below a community.

    Attributes:
        similarity: cosine to the community's vector.
    """

    text: str
    similarity: float

    def __str__(self) -> str:
        return printable(f"{self.title or '(no title)'} [{self.origin}]: {shortened(self.text)}")

    def __repr__(self) -> str:
        return f"<MemberPassage {self}>"


@dataclass(frozen=True, slots=True, repr=False)
class MemberEntity:
    """A name right below a community.

    Attributes:
        type: as PERSON or ORG; "" if there is none.
        passages: how many mention it.
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
    """A document right below a community.

    Attributes:
        passages: how many it has.
        similarity: cosine of its nearest passage to the community's vector.
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
    """A node of the tree above its leaves; the root is everything that the tree groups.

    Attributes:
        unit: what it is a community of: of passages ("chunk"), of names ("entity") or of documents.
        level: 0 for the root, 1 for the communities right below it, ….
        size: its passages, names or documents.
        entropy: its own term of the structural entropy, in bits: what it costs to enter it.
        entropy_below: the terms of everything below it, leaves included, in bits.
        inside: the share of its volume that edges to others of its own take; 1 if no edge leaves it. This and the two
            before are None in a tree that encodes no graph, such as one of summaries.
        names: those that tell it from the rest, the most telling first; none for the root.
        sentences: those nearest to its vector, of the passages nearest to it; none for the root.
        communities: right below it, the largest first, as far as they were asked for.
        passages, documents: right below it and in none of its communities, the nearest to its vector first, as far as
            they were asked for; none for the root.
        entities: likewise, the strongest names first.
        below: how many communities, passages, names and documents there are right below it, shown or not.
        leaves: how many of these are no communities.
        title, summary: that the system gave it; "" where it gives none.
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
        """Its passages, names or documents that are in none of its communities, as far as they were asked for."""
        return self.passages or self.entities or self.documents

    @property
    def short_id(self) -> str:
        """The id as `Knowledge.tree` and `overstory tree` take it."""
        return self.id[:SHORT_ID_DIGITS]

    @property
    def figures(self) -> str:
        """ "138 passages, 73 % inside, 0.1076 bits and 0.8095 below"."""
        size = counted(self.size, SINGULAR[self.unit])
        if self.inside is None:
            return size
        # Rounded down: 100 % is said only of a community that nothing leaves.
        inside = f"{int(self.inside * 100)} % inside"
        return f"{size}, {inside}, {self.entropy:.4f} bits and {self.entropy_below:.4f} below"

    @property
    def hidden(self) -> str:
        """ "7 more communities and 2 more names" where only some are shown, else "". What hangs right below the root is
        told by a note of the tree."""
        if not (self.communities or self.members):
            return ""
        communities = self.below - self.leaves - len(self.communities)
        leaves = self.leaves - len(self.members) if self.level else 0
        more = [counted(communities, "more community", "more communities")] if communities else []
        more += [counted(leaves, f"more {SINGULAR[self.unit]}")] if leaves else []
        return " and ".join(more)

    def __repr__(self) -> str:
        about = _about(self)
        return printable(f"<Community {self.short_id}: {self.figures}{f': {about}' if about else ''}>")


@dataclass(frozen=True, slots=True)
class ListedTree:
    """A tree that a corpus has.

    Attributes:
        name: that `Knowledge.tree` takes.
        title: "SeRAG tree over meaning alone".
        unit: what it groups: passages ("chunk"), names ("entity") or documents.
        reports: whether its system writes reports on its communities.
    """

    name: str
    title: str
    unit: Unit
    reports: bool


@dataclass(frozen=True, slots=True, repr=False)
class CommunityTree:
    """A part of a tree.

    Attributes:
        corpus: its name.
        tree: which one, by the name that `Knowledge.tree` takes.
        unit: what it groups: passages ("chunk"), names ("entity") or documents.
        size: passages, names or documents of the whole tree.
        levels: communities of the whole tree at each level, from the top; without the root.
        entropy: of the whole tree, in bits; None where it encodes no graph.
        above: ids of the communities that `community` is in, the largest first; without the root.
        community: what was asked for, the root if nothing was, with what is below it.
        notes: what the reader should know of the result (an index older than the corpus, what was left out).
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
        """ "Corpus 'demo', tree serag: 1,046 passages in 24 + 142 communities, 6.7465 bits"."""
        number = " + ".join(f"{each:,}" for each in self.levels)
        communities = "community" if self.levels == (1,) else "communities"
        inside = f" in {number} {communities}" if self.levels else ""
        size = counted(self.size, SINGULAR[self.unit])
        bits = "" if self.entropy is None else f", {self.entropy:.4f} bits"
        return f"Corpus {self.corpus!r}, tree {self.tree}: {size}{inside}{bits}"

    def __repr__(self) -> str:
        """The headline, and a line for each community, passage, name or document."""
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


_TITLE_CHARACTERS = 64  # characters of a title in a list


@dataclass(frozen=True, slots=True)
class ReportPassage(OfPassage):
    """A passage that a finding stands on."""

    page: int | None = None


@dataclass(frozen=True, slots=True)
class ReportStatement:
    """One statement of a report.

    Attributes:
        names: what it is about.
        passages: those that it stands on, the most important first.
    """

    text: str
    names: tuple[str, ...]
    passages: tuple[ReportPassage, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ReportedCommunity:
    """A community, and what its report says in short.

    Attributes:
        id: of the community.
        unit: what it is a community of: of passages ("chunk"), of names ("entity") or of documents.
        level: 1 for the coarsest communities, 2 for those right below them, ….
        size: its passages, names or documents.
        title, summary: "" where it has no report now.
        rating: how much the community matters, 0 to 10; 0 where it has no report now.
        by: who wrote the report: "rules", or the name of a language model; "" where there is none.
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
        """The id as `Knowledge.report` and `overstory report` take it."""
        return self.id[:SHORT_ID_DIGITS]

    @property
    def sized(self) -> str:
        """ "12 names"."""
        return counted(self.size, SINGULAR[self.unit])

    @property
    def line(self) -> str:
        """ "45ad4824   8.5  Rivers of Europe (12 names)"; "—" for the rating where there is no report."""
        rating = f"{self.rating:4.1f}" if self.has_report else "   —"
        return f"{self.short_id}  {rating}  {shortened(self.title, _TITLE_CHARACTERS) or 'no report'} ({self.sized})"

    def __repr__(self) -> str:
        return printable(f"<ReportedCommunity {self.line}>")


@dataclass(frozen=True, slots=True, repr=False)
class CommunityReports:
    """The reports on the communities of one level of a tree.

    Attributes:
        corpus: its name.
        tree: which one, by the name that `Knowledge.reports` takes.
        level: of the communities.
        levels: reports at each level of the tree, from the coarsest.
        reports: those of the highest rating, of equal ones those on the largest communities first; as many as were
            asked for.
        without: the largest communities of the level that have no report now, as many as were asked for.
        hidden: how many communities of the level have none, shown or not.
        notes: what the reader should know of the result (an index older than the corpus).
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
        """ "Corpus 'demo', tree hirag: 24 reports at level 1 of 3"."""
        if not self.levels:
            return f"Corpus {self.corpus!r}, tree {self.tree}: no reports"
        number = self.levels[self.level - 1] if self.level <= len(self.levels) else 0
        at = f"at level {self.level} of {len(self.levels)}"
        return f"Corpus {self.corpus!r}, tree {self.tree}: {counted(number, 'report')} {at}"

    @property
    def more(self) -> int:
        """How many reports of the level are not among `reports`."""
        return max(0, (self.levels[self.level - 1] if self.level <= len(self.levels) else 0) - len(self.reports))

    def __repr__(self) -> str:
        """The headline, and a line for each report."""
        lines = [f"<CommunityReports of {self.headline[0].lower()}{self.headline[1:]}>"]
        lines += [f"  {report.line}" for report in (*self.reports, *self.without)]
        lines += [f"  … {self.more:,} more"] if self.more else []
        return printable("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]))


@dataclass(frozen=True, slots=True, repr=False)
class FullReport:
    """A report on a community, and its place in the tree.

    Attributes:
        corpus: its name.
        tree: which one, by the name that `Knowledge.report` takes.
        community: with title, summary, rating and author of the report; these are empty where it has none now.
        findings: the most important first.
        passages: how many passages the whole report stands on.
        above: the communities that it is in, the largest first.
        below: those right below it of the highest rating, at most 20.
        communities: how many there are right below it.
        notes: what the reader should know of the result (an index older than the corpus, that there is no report).
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
        """Its line and summary, and a line for each finding."""
        lines = [f"<FullReport {self.community.line}>"]
        lines += [f"  {self.community.summary}"] if self.community.summary else []
        for number, finding in enumerate(self.findings, start=1):
            lines.append(f"{number:>3}. {finding.text}")
            lines += [f"     from {passage.title or '(no title)'} [{passage.origin}]" for passage in finding.passages]
        return printable("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]))
