"""Reports on communities as a person reads them: a list of them, and a whole one with the passages it stands on."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.display import counted, printable, shortened
from overstory.model.communities import SHORT_ID_DIGITS
from overstory.model.origin import HasPage, OfPassage
from overstory.model.units import SINGULAR, Unit

_TITLE_CHARACTERS = 64
"""Characters of a title in a list."""


@dataclass(frozen=True, slots=True)
class ReportPassage(OfPassage, HasPage):
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
