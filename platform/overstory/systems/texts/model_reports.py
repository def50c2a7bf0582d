"""Writes reports with a language model. Each request contains numbered sources, and each response is checked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field
from pydantic.config import JsonDict

from overstory.llm import Estimate, Request
from overstory.llm.answer_fields import Rating, at_most
from overstory.surrogates import on_one_line
from overstory.systems.texts.passages import cut, passages_of
from overstory.systems.texts.reports import Finding, Report
from overstory.systems.texts.writers import G, ModelWriter, WritingOutcome

_SOURCES_CHARACTERS = 6_000  # maximum total length of the sources in a request; small models cannot handle more
_MOST_SOURCES_BESIDE_PARTS = 6  # maximum number of entities, and of relations, if a request also contains reports
_LONGEST_PART_CHARACTERS = 700  # maximum length of a report that is used as a source
_LONGEST_REPORT_TITLE_CHARACTERS = 200  # a longer title from a model is truncated
_LONGEST_REPORT_SUMMARY_CHARACTERS = 2_000  # a longer summary from a model is truncated
_LONGEST_REPORT_FINDING_CHARACTERS = 1_000  # a longer finding from a model is truncated
_MOST_FINDINGS_ASKED_FOR = 6
_MOST_SOURCES_OF_A_FINDING = 6  # without this limit, small models list all sources until they are cut off
MOST_CHUNKS_OF_A_FINDING = 10

ASKED_FOR: JsonDict = {"minItems": 1}
"""Schema constraint for lists. Some endpoints enforce it. If others return an empty list, our code discards it."""


class WrittenFinding(BaseModel):
    """A statement, and the numbers of its sources."""

    text: Annotated[
        str, Field(max_length=_LONGEST_REPORT_FINDING_CHARACTERS), at_most(_LONGEST_REPORT_FINDING_CHARACTERS)
    ]
    sources: Annotated[
        list[int],
        Field(max_length=_MOST_SOURCES_OF_A_FINDING, json_schema_extra=ASKED_FOR),
        at_most(_MOST_SOURCES_OF_A_FINDING),
    ]


class WrittenReport(BaseModel):
    """A report on a group of entities."""

    title: Annotated[
        str, Field(min_length=1, max_length=_LONGEST_REPORT_TITLE_CHARACTERS), at_most(_LONGEST_REPORT_TITLE_CHARACTERS)
    ]
    summary: Annotated[
        str,
        Field(min_length=1, max_length=_LONGEST_REPORT_SUMMARY_CHARACTERS),
        at_most(_LONGEST_REPORT_SUMMARY_CHARACTERS),
    ]
    rating: Rating
    findings: Annotated[
        list[WrittenFinding],
        Field(max_length=_MOST_FINDINGS_ASKED_FOR, json_schema_extra=ASKED_FOR),
        at_most(_MOST_FINDINGS_ASKED_FOR),
    ]


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered source in a request.

    Attributes:
        chunks: Ids of all passages on which the text is based.
        cited: Ids of the passages that a finding cites if it uses this source.
    """

    text: str
    chunks: tuple[str, ...]
    cited: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """The content of a request for a report on a group.

    Attributes:
        key: Key of the report (see `Report`).
        size: Number of members in the group.
        left_out: Number of sources that did not fit into the request.
    """

    key: str
    size: int
    sources: Sequence[Source]
    left_out: int = 0


class ReportWriter(ModelWriter[G, Report]):
    """Asks a language model for reports on groups.

    The prompt must contain the slots `size` (the number of members in the group) and `data:source`. If no finding in
    the response cites a source in the request, rules write the report instead.
    """

    most_sources: ClassVar[int]

    @abstractmethod
    def shown(self, group: G) -> Shown:
        """Return the content of the request for the report on a group."""

    def asked(self, group: G) -> WritingOutcome[Report]:
        shown = self.shown(group)
        if not shown.sources:
            return WritingOutcome(None, sent=False)
        chunks = passages_of(shown.sources)
        written = self.answer(WrittenReport, self.request(shown).messages, chunks)
        report = None if written is None else _report(written, shown, self.model, chunks)
        return WritingOutcome(report, left_out=shown.left_out)

    def request(self, shown: Shown) -> Request:
        """Return the request for a report."""
        texts = [source.text for source in shown.sources]
        return Request(self.prompt.messages(size=str(shown.size), source=texts), WrittenReport)

    def estimate(self, groups: int) -> Estimate:
        """Return an upper bound on the cost of reports on a number of groups.

        Each request is assumed to be as long as possible, with one token per two characters. Texts in Latin script have
        half as many tokens.
        """
        source = Source("Xyz " * (_SOURCES_CHARACTERS // 4 // self.most_sources), (), (), ())
        return self.times(self.request(Shown("", 1_000_000, [source] * self.most_sources)), groups)


def sources_of(things: Sequence[Source], relations: Sequence[Source], parts: Sequence[Report]) -> list[Source]:
    """Return the sources for a report on a group.

    They are its entities, its relations, and the reports on its parts. If there are such reports, only a few entities
    and relations are used.
    """
    most = _MOST_SOURCES_BESIDE_PARTS if parts else None
    return [*things[:most], *relations[:most], *map(_part_source, parts)]


def fitting(sources: Iterable[Source]) -> list[Source]:
    """Return as many of the first sources as fit into a request. The first source is always included."""
    shown: list[Source] = []
    room = _SOURCES_CHARACTERS
    for source in sources:
        room -= len(source.text)
        if room >= 0 or not shown:
            shown.append(source)
    return shown


def _report(written: WrittenReport, shown: Shown, model: str, chunks: Sequence[str]) -> Report | None:
    """Convert a response to a report.

    The result is None if the response lacks a title, a summary, or a finding that cites a source.

    Args:
        chunks: Ids of the passages on which any source is based.
    """
    findings = [each for each in (_finding(one, shown.sources) for one in written.findings) if each is not None]
    title, summary = on_one_line(written.title), on_one_line(written.summary)
    if not (findings and title and summary):
        return None
    first = [chunk for finding in findings for chunk in finding.chunks]
    return Report(
        key=shown.key,
        title=title,
        summary=summary,
        rating=round(written.rating, 1),
        findings=findings[:_MOST_FINDINGS_ASKED_FOR],
        by=model,
        stands_on=tuple(dict.fromkeys([*first, *chunks])),
    )


def _part_source(report: Report) -> Source:
    findings = " ".join(finding.text for finding in report.findings)
    cited = dict.fromkeys(chunk for finding in report.findings for chunk in finding.chunks)
    return Source(
        cut(f"Part {report.title}: {report.summary} {findings}", _LONGEST_PART_CHARACTERS),
        report.stands_on,
        tuple(cited)[:MOST_CHUNKS_OF_A_FINDING] or report.stands_on[:MOST_CHUNKS_OF_A_FINDING],
        (),
    )


def _finding(written: WrittenFinding, sources: Sequence[Source]) -> Finding | None:
    """Convert a finding in a response. The result is None if the finding cites no source in the request."""
    named = [sources[number - 1] for number in dict.fromkeys(written.sources) if 1 <= number <= len(sources)]
    chunks = list(dict.fromkeys(chunk for source in named for chunk in source.cited))
    text = on_one_line(written.text)
    if not text or not chunks:
        return None
    names = dict.fromkeys(name for source in named for name in source.names)
    return Finding(text, tuple(chunks[:MOST_CHUNKS_OF_A_FINDING]), tuple(names))
