"""Reports written by a language model from numbered sources, one request each: what is asked, and what of the answer is
believed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field
from pydantic.config import JsonDict

from overstory.errors import NoUsableAnswer
from overstory.llm import Chat, Estimate, Request
from overstory.llm.answer_fields import Rating, at_most
from overstory.llm.prompts import Prompt
from overstory.model import Usage
from overstory.surrogates import on_one_line
from overstory.systems.tree.reports import Finding, Report

CHARACTERS = 6_000
"""The most of all sources of a request: what a small model can take in."""
LONGEST_PART = 700
LONGEST_TITLE = 200
LONGEST_SUMMARY = 2_000
LONGEST_FINDING = 1_000
MOST_FINDINGS = 6
MOST_CITED = 6
"""Sources of a finding. A small model that may list all of them does, and is cut off."""
MOST_CHUNKS = 10
"""Passages that a finding names; the report stands on all."""

ASKED_FOR: JsonDict = {"minItems": 1}
"""Of a list: an endpoint that keeps to the schema gives at least one. What has an empty one is dropped."""


class WrittenFinding(BaseModel):
    """A statement, and the numbers of the sources that say it."""

    text: Annotated[str, Field(max_length=LONGEST_FINDING), at_most(LONGEST_FINDING)]
    sources: Annotated[list[int], Field(max_length=MOST_CITED, json_schema_extra=ASKED_FOR), at_most(MOST_CITED)]


class WrittenReport(BaseModel):
    """A report on a group of entities."""

    title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE), at_most(LONGEST_TITLE)]
    summary: Annotated[str, Field(min_length=1, max_length=LONGEST_SUMMARY), at_most(LONGEST_SUMMARY)]
    rating: Rating
    findings: Annotated[
        list[WrittenFinding],
        Field(max_length=MOST_FINDINGS, json_schema_extra=ASKED_FOR),
        at_most(MOST_FINDINGS),
    ]


@dataclass(frozen=True, slots=True)
class Source:
    """What a request says under one number.

    Attributes:
        chunks: ids of all passages that the text was made from.
        cited: those that a finding names for it.
        names: of what it is about.
    """

    text: str
    chunks: tuple[str, ...]
    cited: tuple[str, ...]
    names: tuple[str, ...]


class ReportWriter:
    """Asks a model for reports."""

    def __init__(self, chat: Chat, model: str, prompt: Prompt) -> None:
        """
        Args:
            chat: booked under the system's name.
            model: the name that reports carry in `by`.
            prompt: with the slots `size`, the number of members, and `data:source`.
        """
        self.chat = chat
        self.model = model
        self._prompt = prompt

    @property
    def fingerprint(self) -> str:
        """Changes with the model and with the prompt."""
        return f"{self.chat.model.fingerprint} {self._prompt.fingerprint}"

    def request(self, size: int, sources: Sequence[Source]) -> Request:
        """What is asked for one report."""
        texts = [source.text for source in sources]
        return Request(self._prompt.messages(size=str(size), source=texts), WrittenReport)

    def report(self, key: str, size: int, sources: Sequence[Source]) -> Report | None:
        """The report on something of so many members; None where the answer cannot be used, or has no finding with a
        source that was shown.

        Raises:
            BudgetExhausted: the request might go over the budget.
            LlmError: there is no answer.
        """
        shown = [chunk for source in sources for chunk in source.chunks]
        try:
            reply = self.chat.quoting(shown).ask_for(WrittenReport, self.request(size, sources).messages, once=True)
        except NoUsableAnswer:
            return None
        findings = [each for each in (_finding(one, sources) for one in reply.value.findings) if each is not None]
        title, summary = on_one_line(reply.value.title), on_one_line(reply.value.summary)
        if not (findings and title and summary):
            return None
        first = [chunk for finding in findings for chunk in finding.chunks]
        return Report(
            key=key,
            title=title,
            summary=summary,
            rating=round(reply.value.rating, 1),
            findings=findings[:MOST_FINDINGS],
            by=self.model,
            stands_on=tuple(dict.fromkeys([*first, *shown])),
        )

    def estimate(self, reports: int, most_sources: int) -> Estimate:
        """The cost of so many reports: each with as many sources as a request holds, and half a token a character,
        which is the double of what texts in the Latin script have. What the answer cache has is not known yet."""
        sources = ["Xyz " * (CHARACTERS // 4 // most_sources)] * most_sources
        one = self.chat.estimate([Request(self._prompt.messages(size="1000000", source=sources), WrittenReport)])
        prompts, answers = one.usage.prompt_tokens * reports, one.usage.completion_tokens * reports
        usage = Usage(prompts, answers, estimated=True)
        return Estimate(reports, 0, usage, self.chat.usage.prices.of(usage))


def fitting(sources: Iterable[Source]) -> list[Source]:
    """Those that a request holds: the first, and of the others those that come before it is full."""
    shown: list[Source] = []
    room = CHARACTERS
    for source in sources:
        room -= len(source.text)
        if room >= 0 or not shown:
            shown.append(source)
    return shown


def part_source(report: Report) -> Source:
    """What a report on a part says to the report on the whole."""
    findings = " ".join(finding.text for finding in report.findings)
    cited = dict.fromkeys(chunk for finding in report.findings for chunk in finding.chunks)
    return Source(
        cut(f"Part {report.title}: {report.summary} {findings}", LONGEST_PART),
        report.stands_on,
        tuple(cited)[:MOST_CHUNKS] or report.stands_on[:MOST_CHUNKS],
        (),
    )


def cut(text: str, longest: int) -> str:
    """The text on one line, of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _finding(written: WrittenFinding, sources: Sequence[Source]) -> Finding | None:
    """A finding with the passages of its sources; None if it names no source that was shown."""
    named = [sources[number - 1] for number in dict.fromkeys(written.sources) if 1 <= number <= len(sources)]
    chunks = list(dict.fromkeys(chunk for source in named for chunk in source.cited))
    text = on_one_line(written.text)
    if not text or not chunks:
        return None
    names = dict.fromkeys(name for source in named for name in source.names)
    return Finding(text, tuple(chunks[:MOST_CHUNKS]), tuple(names))
