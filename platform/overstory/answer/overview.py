"""Answers without a language model to questions on all documents: what the reports say, a line each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from overstory.answer.citations import without_citations
from overstory.answer.context import Item
from overstory.display import printable, shortened
from overstory.model import Evidence, Hit, Part, RatedReport
from overstory.text.questions.whole_corpus import asks_about_whole_corpus
from overstory.text.sentences import sentence_starts, sentence_texts

MOST_POINTS = 8
LONGEST = 400
"""Characters of a finding that are shown."""


_REFERRING = frozenset(
    {"he", "hence", "her", "here", "his", "however", "it", "its", "she", "that", "their", "then", "there", "therefore"}
    | {"these", "they", "this", "those", "thus"}
)
"""First words of sentences that go on with what was said before."""


@dataclass(frozen=True, slots=True)
class Point:
    """A line of an overview.

    Attributes:
        report: with the passages that the line stands on.
        heading: of the report.
        text: the heading, and the most important finding.
    """

    report: Item
    heading: str
    text: str


def overview_of(evidence: Evidence) -> tuple[Point, ...]:
    """The first reports in the order of the evidence, none twice; none at all where the question is not on all
    documents, or where reports have no share."""
    if not evidence.shares.get("report") or not asks_about_whole_corpus(evidence.question):
        return ()
    points: list[Point] = []
    told: set[str] = set()
    for part in evidence.parts:
        passages = evidence.passages_of(part) if part.kind == "report" else ()
        if passages and len(points) < MOST_POINTS:
            points += _point(len(points) + 1, part, passages, told)
    return tuple(points)


def _point(number: int, part: Part, passages: tuple[Hit, ...], told: set[str]) -> Iterator[Point]:
    """The line of a report; none where all that it says was said before.

    Args:
        told: what lines before say; gets what this one does.
    """
    heading = _line(part.heading if isinstance(part, RatedReport) else part.title)
    said = list(_statements(part)) or [("", ())]
    new = [each for each in said if (each[0] or heading) not in told]
    if not new:
        return
    text, chunks = next((each for each in new if each[0] and _stands_alone(each[0])), new[0])
    told.add(text or heading)
    stated = tuple(hit for hit in passages if hit.chunk_id in chunks) or passages
    line = f"{heading} — {text}" if text else heading
    yield Point(Item(number, part, line, stated), heading, line)


def _statements(part: Part) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What a report says, the most important first, each with the ids of the passages it stands on."""
    if isinstance(part, RatedReport):
        for finding in part.findings:
            if text := _line(finding.text):
                yield text, finding.chunks
    body = part.summary if isinstance(part, RatedReport) else part.text.strip().partition("\n")[2]
    for sentence in sentence_texts(body, sentence_starts(body)):
        if text := _line(sentence):
            yield text, part.chunks


def _stands_alone(text: str) -> bool:
    """Whether a sentence is understood without the one before it, as far as its first word shows."""
    first = text.split()[0]
    return not (first.lower() in _REFERRING or first[0] == "…" or first[0].islower())


def _line(text: str) -> str:
    """On one line, without marks of its own that would look like numbers of our passages."""
    return shortened(without_citations(printable(text)), LONGEST)
