"""Answers that consist of edges of a graph: "Hanna Kern SIGNED Order 7001".

They answer where they, and a sentence on a vertex that they lead to, have all words that tell the question from others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from overstory.answer.citations import without_citations
from overstory.answer.context import Item
from overstory.answer.kinds import sentences_in
from overstory.display import printable
from overstory.model import Evidence, Hit, LinkEdge
from overstory.text.questions.asked_words import AskedWords
from overstory.text.stems import stem
from overstory.text.words import word_matches

_MOST_EDGES_OF_AN_ANSWER = 8  # edges that an answer tells
_MOST_NAMES_OF_A_SHORT_ANSWER = 5
"""In the short answer."""

_FOR_A_NAME = re.compile(
    r"\W*(?:(?:to|by|for|with|at|in|from)\s+)?(?:who|whom|whose|which|what|where|list|name|show)\b", re.IGNORECASE
)
_LITTLE = "connected connection find give linked link list name people person related relation show tell thing"
_SAYS_LITTLE = frozenset(map(stem, _LITTLE.split()))
"""Words that ask for an edge or an end of it, and say nothing of which."""
_DIGITS = re.compile(r"\d+(?:\.\d+)*")
"""A number as a whole: 7001 is not 7000."""


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """A line of such an answer: an edge, or a sentence on a vertex that an edge leads to."""

    item: Item
    text: str


@dataclass(frozen=True, slots=True)
class EdgeAnswer:
    """The lines, in the order of the steps, and the vertices that the last step leads to if a name is asked for.

    Attributes:
        more: how many edges are not shown.
    """

    lines: tuple[EdgeLine, ...]
    guess: str = ""
    more: int = 0

    @property
    def short(self) -> str:
        return self.guess or self.lines[0].text


def edges_in(evidence: Evidence) -> EdgeAnswer | None:
    """The answer that the edges of the evidence give; None where they leave a word of the question open."""
    every = [part for part in evidence.parts if isinstance(part, LinkEdge)]
    edges = every[:_MOST_EDGES_OF_AN_ANSWER]
    if not edges:
        return None
    asked = AskedWords.of(evidence.question)
    passages = {hit.chunk_id: hit for hit in (*evidence.hits, *evidence.sources)}
    ends = [passages[chunk] for edge in edges for chunk in edge.chunks if chunk in passages]
    left = set(asked.forms) - _SAYS_LITTLE
    for edge in edges:
        left -= _stems(edge.source, edge.type.replace("_", " "), edge.target, edge.link_text)
    for end in ends:
        left -= _stems(*_called(end))
    last = max(edge.step for edge in edges)
    reached = [edge for edge in edges if edge.step == last]
    said = _sentence(left, [passages[chunk] for edge in reached for chunk in edge.chunks if chunk in passages])
    if left and (said is None or left - _stems(said[1])):
        return None
    lines = [
        EdgeLine(Item(number, edge, edge.text, evidence.passages_of(edge)), without_citations(printable(edge.text)))
        for number, edge in enumerate(edges, start=1)
    ]
    if said is not None:
        hit, sentence = said
        lines.append(EdgeLine(Item(len(lines) + 1, hit, sentence, (hit,)), sentence))
    names = list(dict.fromkeys(printable(edge.reached) for edge in reached))
    unnamed = [name for name in names if _stems(name) - set(asked.forms)]
    for_name = said is None and bool(_FOR_A_NAME.match(evidence.question)) and len(every) == len(edges)
    guess = ", ".join(unnamed) if for_name and len(unnamed) <= _MOST_NAMES_OF_A_SHORT_ANSWER else ""
    return EdgeAnswer(tuple(lines), guess, more=len(every) - len(edges))


def without_other_numbers(evidence: Evidence) -> Evidence:
    """The evidence without the hits whose titles differ only in a number from one that the question has: beside Order
    7001 Order 7008 answers nothing. Evidence with excerpts is left as it is."""
    asked = f" {_plain(evidence.question)} "
    titles = {hit.chunk_id: _plain(hit.title) for hit in evidence.hits}
    meant = {_DIGITS.sub("#", title) for title in titles.values() if _DIGITS.search(title) and f" {title} " in asked}
    kept = tuple(
        hit
        for hit in evidence.hits
        if _DIGITS.sub("#", titles[hit.chunk_id]) not in meant or f" {titles[hit.chunk_id]} " in asked
    )
    return evidence if len(kept) == len(evidence.hits) or evidence.excerpts else _with_hits(evidence, kept)


def _with_hits(evidence: Evidence, hits: tuple[Hit, ...]) -> Evidence:
    """These hits; the others support parts still."""
    there = {hit.chunk_id for hit in hits}
    others = tuple(hit for hit in evidence.hits if hit.chunk_id not in there)
    return replace(evidence, hits=hits, sources=(*evidence.sources, *others))


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w.]+|\.(?!\d)", " ", text.casefold()).split())


def _called(hit: Hit) -> Iterator[str]:
    """What tells a vertex' kind: the label after "neo4j:", and the labels that it was loaded with."""
    yield hit.source.partition(":")[2]
    labels = hit.metadata.get("labels", ())
    yield from (labels,) if isinstance(labels, str) else map(str, labels if isinstance(labels, Sequence) else ())


def _sentence(left: set[str], hits: Sequence[Hit]) -> tuple[Hit, str] | None:
    """The sentence that has most of the words that are left; None where none has one."""
    sentences = [(hit, sentence) for hit in hits for sentence in sentences_in(hit.content)]
    found = [(len(left & _stems(text)), -place, hit, text) for place, (hit, text) in enumerate(sentences)]
    best = max(found, key=lambda each: each[:2], default=None)
    return (best[2], best[3]) if best is not None and best[0] else None


def _stems(*texts: str) -> set[str]:
    return {stem(match.group()) for text in texts for match in word_matches(text)}
