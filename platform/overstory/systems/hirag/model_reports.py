"""Reports of communities written by a language model, one request each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field
from pydantic.config import JsonDict

from overstory.display import counted
from overstory.errors import AnswerRefused, AnswerTruncated, AnswerUnusable, PromptTooLong
from overstory.llm import Chat, Estimate, Request, prompt
from overstory.model import Usage
from overstory.surrogates import on_one_line
from overstory.systems.hirag.knowledge_graph import LayerEntity
from overstory.systems.hirag.model_answers import Rating, at_most
from overstory.systems.hirag.names import NAME
from overstory.systems.hirag.report_material import MOST_ENTITIES, MOST_RELATIONS, Material
from overstory.systems.hirag.reports import RuleReporter, stated
from overstory.systems.tree.reports import Finding, Report

PROMPT = "report"
CHARACTERS = 6_000
"""The most of all sources of a request: what a small model can take in."""
MOST_SOURCES = MOST_ENTITIES + MOST_RELATIONS
LONGEST_ENTITY = 400
LONGEST_PART = 700
LONGEST_TITLE = 200
LONGEST_SUMMARY = 2_000
LONGEST_FINDING = 1_000
MOST_FINDINGS = 6
MOST_CHUNKS = 10
"""Passages that a finding names; the report stands on all."""
BESIDE_PARTS = 6
"""Entities, and relations, that a request has along with reports on parts."""

ASKED_FOR: JsonDict = {"minItems": 1}
"""Of a list: an endpoint that keeps to the schema gives at least one. An empty one is dropped with what it belongs to."""


class WrittenFinding(BaseModel):
    """A statement, and the numbers of the sources that say it."""

    text: Annotated[str, Field(max_length=LONGEST_FINDING), at_most(LONGEST_FINDING)]
    sources: Annotated[list[int], Field(max_length=MOST_SOURCES, json_schema_extra=ASKED_FOR), at_most(MOST_SOURCES)]


class WrittenReport(BaseModel):
    """A report on a group of entities."""

    title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE), at_most(LONGEST_TITLE)]
    summary: Annotated[str, Field(min_length=1, max_length=LONGEST_SUMMARY), at_most(LONGEST_SUMMARY)]
    rating: Rating
    findings: Annotated[
        list[WrittenFinding],
        Field(max_length=2 * MOST_FINDINGS, json_schema_extra=ASKED_FOR),
        at_most(2 * MOST_FINDINGS),
    ]


@dataclass(frozen=True, slots=True)
class Source:
    """What a request says under one number.

    Attributes:
        chunks: ids of all passages that the text was made from.
        cited: those that a finding names for it.
        names: of the entities that it is about.
    """

    text: str
    chunks: tuple[str, ...]
    cited: tuple[str, ...]
    names: tuple[str, ...]


class ModelReporter:
    """Asks a model, several communities of a level at a time.

    A community whose answer cannot be used, or has no finding with a source that was shown, gets its report by rules,
    and is counted.
    """

    def __init__(self, chat: Chat, model: str, entities: Sequence[LayerEntity] = ()) -> None:
        """
        Args:
            model: the name that reports carry in `by`.
            entities: as of `RuleReporter`, which takes over where answers cannot be used.
        """
        self._chat = chat.booked(NAME)
        self._model = model
        self._rules = RuleReporter(entities)
        self._prompt = prompt(PROMPT, __package__)
        self._by_rules = 0
        self.fingerprint = f"{chat.model.fingerprint} {self._prompt.fingerprint} {RuleReporter.fingerprint}"

    @property
    def notes(self) -> Sequence[str]:
        """See `Reporter.notes`."""
        if not self._by_rules:
            return ()
        reports = counted(self._by_rules, "report")
        return (f"{reports} on communities by rules: the answers of {self._model} could not be used",)

    def write(self, communities: Iterable[tuple[Material, Sequence[Report]]]) -> Iterator[Report]:
        """See `Reporter.write`.

        Raises:
            BudgetExhausted: the next request might go over the budget.
            LlmError: there is no answer; earlier reports have been yielded.
        """
        for report, by_rules in self._chat.each(self._one, communities):
            self._by_rules += by_rules
            yield report

    def estimate(self, communities: int) -> Estimate:
        """The cost of reports on so many communities: each with as many sources as a request holds, and half a token a
        character, which is the double of what texts in the Latin script have. What the answer cache has is not known
        yet."""
        sources = ["Xyz " * (CHARACTERS // 4 // MOST_SOURCES)] * MOST_SOURCES
        one = self._chat.estimate([Request(self._prompt.messages(size="1000000", source=sources), WrittenReport)])
        prompts, answers = one.usage.prompt_tokens * communities, one.usage.completion_tokens * communities
        usage = Usage(prompts, answers, estimated=True)
        return Estimate(communities, 0, usage, self._chat.usage.prices.of(usage))

    def request(self, material: Material, parts: Sequence[Report]) -> Request:
        """What is asked for one community."""
        return self._request(material, shown_sources(material, parts))

    def _request(self, material: Material, sources: Sequence[Source]) -> Request:
        texts = [source.text for source in sources]
        return Request(self._prompt.messages(size=str(material.size), source=texts), WrittenReport)

    def _one(self, community: tuple[Material, Sequence[Report]]) -> tuple[Report, bool]:
        """The report, and whether it is by rules."""
        material, parts = community
        sources = shown_sources(material, parts)
        try:
            chat = self._chat.quoting(chunk for source in sources for chunk in source.chunks)
            reply = chat.ask_for(WrittenReport, self._request(material, sources).messages, once=True)
        except (AnswerUnusable, AnswerTruncated, AnswerRefused, PromptTooLong):
            return self._rules.report(material, parts), True
        findings = [each for each in (_finding(one, sources) for one in reply.value.findings) if each is not None]
        title, summary = on_one_line(reply.value.title), on_one_line(reply.value.summary)
        if not (findings and title and summary):
            return self._rules.report(material, parts), True
        first = [chunk for finding in findings for chunk in finding.chunks]
        shown = [chunk for source in sources for chunk in source.chunks]
        report = Report(
            key=material.key,
            title=title,
            summary=summary,
            rating=round(reply.value.rating, 1),
            findings=findings[:MOST_FINDINGS],
            by=self._model,
            stands_on=tuple(dict.fromkeys([*first, *shown])),
        )
        return report, False


def shown_sources(material: Material, parts: Sequence[Report]) -> list[Source]:
    """What a request says of a community, as far as it fits: entities and relations, of a large community few of them
    and then the reports on its parts."""
    entities, relations = list(_entities(material)), list(_relations(material))
    found = [*entities, *relations]
    if parts:
        found = [*entities[:BESIDE_PARTS], *relations[:BESIDE_PARTS], *map(_part, parts)]
    shown: list[Source] = []
    room = CHARACTERS
    for source in found:
        room -= len(source.text)
        if room >= 0 or not shown:
            shown.append(source)
    return shown


def _entities(material: Material) -> Iterator[Source]:
    for entity in material.entities:
        kind = f" ({entity.type})" if entity.type else ""
        text = f"Entity {entity.name}{kind}: {entity.description or '(nothing is said of it)'}"
        yield Source(_cut(text, LONGEST_ENTITY), entity.chunks, entity.chunks[:MOST_CHUNKS], (entity.name,))


def _relations(material: Material) -> Iterator[Source]:
    for relation in material.relations:
        ends = (material.ends[relation.source], material.ends[relation.target])
        chunks = tuple(dict.fromkeys([*relation.chunks[:1], *(chunk for end in ends for chunk in end.chunks[:1])]))
        text = stated(relation, material.ends)
        yield Source(f"Relation: {text}", chunks, chunks, tuple(end.name for end in ends))


def _part(report: Report) -> Source:
    findings = " ".join(finding.text for finding in report.findings)
    cited = dict.fromkeys(chunk for finding in report.findings for chunk in finding.chunks)
    return Source(
        _cut(f"Part {report.title}: {report.summary} {findings}", LONGEST_PART),
        report.stands_on,
        tuple(cited)[:MOST_CHUNKS] or report.stands_on[:MOST_CHUNKS],
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
    return Finding(text, tuple(chunks[:MOST_CHUNKS]), tuple(names))


def _cut(text: str, longest: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
