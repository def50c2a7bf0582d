"""Reports written by a language model from numbered sources, one request each: what is asked, and what of the answer is
believed."""

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

_SOURCES_CHARACTERS = 6_000
"""The most of all sources of a request: what a small model can take in."""
_MOST_SOURCES_BESIDE_PARTS = 6
"""Things, and relations, that a request shows along with reports on parts."""
_LONGEST_PART_CHARACTERS = 700  # of what a request says of one part
_LONGEST_REPORT_TITLE_CHARACTERS = 200  # of what a model may answer
_LONGEST_REPORT_SUMMARY_CHARACTERS = 2_000  # likewise
_LONGEST_REPORT_FINDING_CHARACTERS = 1_000  # likewise, for the text of a finding
_MOST_FINDINGS_ASKED_FOR = 6  # findings of a report
_MOST_SOURCES_OF_A_FINDING = 6
"""Sources of a finding. A small model that may list all of them does, and is cut off."""
MOST_CHUNKS_OF_A_FINDING = 10
"""Passages that a finding names; the report stands on all."""

ASKED_FOR: JsonDict = {"minItems": 1}
"""Of a list: an endpoint that keeps to the schema gives at least one. What has an empty one is dropped."""


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
        chunks: ids of all passages that the text was made from.
        cited: those that a finding names for it.
        names: of what it is about.
    """

    text: str
    chunks: tuple[str, ...]
    cited: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """The content of a request about a group.

    Attributes:
        key: of its report.
        size: members of the group.
        left_out: how many sources there was no room for.
    """

    key: str
    size: int
    sources: Sequence[Source]
    left_out: int = 0


class ReportWriter(ModelWriter[G, Report]):
    """Asks a model for reports. Its prompt has the slots `size`, the number of members, and `data:source`.

    A group whose answer has no finding with a source that was shown is left to rules, too.
    """

    most_sources: ClassVar[int]
    """Of a request."""

    @abstractmethod
    def shown(self, group: G) -> Shown:
        """The content of the request about a group."""

    def asked(self, group: G) -> WritingOutcome[Report]:
        shown = self.shown(group)
        if not shown.sources:
            return WritingOutcome(None, sent=False)
        chunks = passages_of(shown.sources)
        written = self.answer(WrittenReport, self.request(shown).messages, chunks)
        report = None if written is None else _report(written, shown, self.model, chunks)
        return WritingOutcome(report, left_out=shown.left_out)

    def request(self, shown: Shown) -> Request:
        """The request for one report."""
        texts = [source.text for source in shown.sources]
        return Request(self.prompt.messages(size=str(shown.size), source=texts), WrittenReport)

    def estimate(self, groups: int) -> Estimate:
        """As if each request were full, and of half a token a character, which is the double of what texts in the
        Latin script have."""
        source = Source("Xyz " * (_SOURCES_CHARACTERS // 4 // self.most_sources), (), (), ())
        return self.times(self.request(Shown("", 1_000_000, [source] * self.most_sources)), groups)


def sources_of(things: Sequence[Source], relations: Sequence[Source], parts: Sequence[Report]) -> list[Source]:
    """Sources on a group. One with parts shows few things and relations, then the reports on its parts."""
    most = _MOST_SOURCES_BESIDE_PARTS if parts else None
    return [*things[:most], *relations[:most], *map(_part_source, parts)]


def fitting(sources: Iterable[Source]) -> list[Source]:
    """The first sources, up to the size of a request; at least one."""
    shown: list[Source] = []
    room = _SOURCES_CHARACTERS
    for source in sources:
        room -= len(source.text)
        if room >= 0 or not shown:
            shown.append(source)
    return shown


def _report(written: WrittenReport, shown: Shown, model: str, chunks: Sequence[str]) -> Report | None:
    """Convert an answer to a report; None without a title, a summary or a finding with a source.

    Args:
        chunks: the passages of all sources, on which the report stands.
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
    """The report on a part as a source for the report on the whole."""
    findings = " ".join(finding.text for finding in report.findings)
    cited = dict.fromkeys(chunk for finding in report.findings for chunk in finding.chunks)
    return Source(
        cut(f"Part {report.title}: {report.summary} {findings}", _LONGEST_PART_CHARACTERS),
        report.stands_on,
        tuple(cited)[:MOST_CHUNKS_OF_A_FINDING] or report.stands_on[:MOST_CHUNKS_OF_A_FINDING],
        (),
    )


def _finding(written: WrittenFinding, sources: Sequence[Source]) -> Finding | None:
    """A finding with the passages of its sources; None if it names no source that was shown."""
    named = [sources[number - 1] for number in dict.fromkeys(written.sources) if 1 <= number <= len(sources)]
    chunks = list(dict.fromkeys(chunk for source in named for chunk in source.cited))
    text = on_one_line(written.text)
    if not text or not chunks:
        return None
    names = dict.fromkeys(name for source in named for name in source.names)
    return Finding(text, tuple(chunks[:MOST_CHUNKS_OF_A_FINDING]), tuple(names))
