"""Summaries of sets of vertices, and the rules that write them.

A summary by rules consists of names and sentences from the set. Its title combines the member nearest to the mean and a
theme that the texts share: "The Matrix and others – Wachowski, hacker". Because a set is found through its summary's
vector, the summary names as many members as fit. For a large set, the text comes from the nearest members and from the
first finding of each of the largest parts; therefore, the cost does not depend on the set's size.

A summary cites all passages from which it was made, and is deleted with any of them. Therefore, vertices without a
passage are never named. If all vertices lack passages, the summary only states their number.

Source: T-Retriever paper (Wei et al. 2026), "Semantic Content Preparation", Eq. 10. Sentences of the graph replace the
language model's text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from overstory.display import counted, shortened
from overstory.llm import Chat
from overstory.systems.texts.passages import about, in_common, passages_of, within
from overstory.systems.texts.reports import RULES, Finding, Report, rating_of
from overstory.systems.texts.writers import RuleWriter, TextWriter
from overstory.text.key_phrases import (
    CommonWords,
    Described,
    evenly,
    is_readable_name,
    sentences_of,
)
from overstory_systems.tretriever.vertex_graphs import VertexText, VertexTexts

_NAMES_WITHOUT_THEME = 3
"""Maximum number of names in a title without a theme."""
NAMED_SET_MEMBERS = 12
"""Maximum number of members named in a summary by rules."""
SHOWN_SET_MEMBERS = 16
"""Maximum number of members shown in a request to a language model."""
_READ_SET_MEMBERS = 8
"""Maximum number of members whose texts the rules read."""
_OWN_SET_MEMBERS_WITH_PARTS = 4
"""Maximum number of members whose texts the rules read in addition to findings of parts."""
_READ_SET_PARTS = 6  # maximum number of parts with reports that are read
_MOST_SET_CHUNKS = 24
"""Maximum number of passages that a summary by rules cites. Only the nearest member may exceed it."""
_MOST_SET_FINDINGS = 6  # maximum number of findings in a report
_MOST_EDGE_FINDINGS = 2
"""Maximum number of findings about edges in a report."""
_LONGEST_SET_MEMBER_CHARACTERS = 500
"""Maximum number of characters of a vertex's text."""
_LONGEST_SET_SUMMARY_CHARACTERS = 600  # maximum length of a set's summary
_LONGEST_SET_NAMES_CHARACTERS = 240
"""Maximum number of characters of all names in a summary together."""
LONGEST_SET_NAME_CHARACTERS = 60  # maximum length of a name
_LONGEST_SET_SENTENCE_CHARACTERS = 240  # maximum length of a sentence
_FIRST_SENTENCE_SCORE = 1.0
"""Bonus for a text's first sentence; a key phrase counts 1."""
_VERTEX_TEXTS_A_PAGE = 2_000
"""Number of vertices whose texts are read at once."""
_ENDS = (".", "!", "?", "…", '"', "”", "。")


class ShownEdge(NamedTuple):
    """An edge between two members of a set.

    Attributes:
        source, target: Positions of the vertices.
        chunks: Ids of the passages that state the edge, the most important first. May be empty.
        text: Text of the edge without the names of its ends. May be "".
    """

    source: int
    target: int
    chunks: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class SetToSummarise:
    """A set of at least two vertices, for which a summary is written.

    Attributes:
        key: Digest of the summary's input.
        members: Positions of the vertices that are read, those nearest to the mean vector first.
        size: Number of vertices in the set.
        inside: Fraction of the set's volume that stays inside the set, from 0 to 1.
        edges: The strongest edges between `members`, the strongest first.
        parts: Summaries of the subsets, the largest first.
    """

    key: str
    members: Sequence[int]
    size: int
    inside: float
    edges: Sequence[ShownEdge] = ()
    parts: Sequence[Report] = ()


SetWithTexts: TypeAlias = tuple[SetToSummarise, Sequence[VertexText]]
"""A set, and the texts of its first members, in order."""


class RuleSetSummariser(RuleWriter[SetWithTexts, Report]):
    """Summarises sets by rules, with names and sentences from their texts."""

    fingerprint = "tretriever-summaries:3"

    def __init__(self, common: CommonWords | None = None) -> None:
        """Create a summariser, given the IDF weights of the graph's words."""
        self._common = common or CommonWords(list)

    def text(self, group: SetWithTexts) -> Report:
        each, members = group
        read, by_parts = _read_by_rules(each, members)
        if not read:
            lines = f"{counted(each.size, 'vertex', 'vertices')} without a passage"
            return Report(each.key, lines, f"{lines}.", rating_of(each.size, each.inside), [], RULES, ())
        named = _named(read, members)
        head = _head(named, each.size, by_parts)
        described = [Described(one.name, one.text) for one in read]
        phrases, theme = in_common(described, self._common, head)
        findings = _findings(each, read, members, () if by_parts else phrases)
        chunks = [chunk for finding in findings for chunk in (*finding.chunks, *finding.also)]
        return Report(
            key=each.key,
            title=f"{head} – {theme}" if theme else _head(named, each.size, by_parts, most=_NAMES_WITHOUT_THEME),
            summary=_summary(named, each.size, phrases, findings),
            rating=rating_of(each.size, each.inside),
            findings=findings[:_MOST_SET_FINDINGS],
            by=RULES,
            stands_on=tuple(dict.fromkeys([*chunks, *passages_of((*read, *named))])),
        )


class Summariser(TextWriter[SetToSummarise, Report]):
    """Reads the texts of each set's first members, for many sets at once, and passes the sets on to a writer."""

    def __init__(self, writer: TextWriter[SetWithTexts, Report], texts: VertexTexts, most: int) -> None:
        """Create a summariser that reads the texts of the first `most` members of each set."""
        self._writer, self._texts, self._most = writer, texts, most
        self.fingerprint = writer.fingerprint

    @property
    def notes(self) -> tuple[str, ...]:
        return self._writer.notes

    def write(self, groups: Iterable[SetToSummarise]) -> Iterator[Report]:
        return self._writer.write(self.with_texts(groups))

    def with_texts(self, sets: Iterable[SetToSummarise]) -> Iterator[SetWithTexts]:
        """Yield each set with the texts of its first members, in order."""
        waiting: list[SetToSummarise] = []
        wanted: set[int] = set()
        for each in sets:
            waiting.append(each)
            wanted.update(each.members[: self._most])
            if len(wanted) >= _VERTEX_TEXTS_A_PAGE:
                yield from self._read(waiting, wanted)
                waiting, wanted = [], set()
        yield from self._read(waiting, wanted)

    def _read(self, sets: Sequence[SetToSummarise], wanted: Iterable[int]) -> Iterator[SetWithTexts]:
        places = sorted(wanted)
        known = dict(zip(places, self._texts(places), strict=True)) if places else {}
        for each in sets:
            yield each, [known[place] for place in each.members[: self._most]]


def writer_for(chat: Chat | None, model: str, common: CommonWords | None = None) -> TextWriter[SetWithTexts, Report]:
    """Return a writer of summaries, which uses the language model if there is one, otherwise rules.

    Args:
        model: Name of the language model.
        common: IDF weights of the graph's words.
    """
    if chat is None:
        return RuleSetSummariser(common)
    from overstory_systems.tretriever.model_summaries import ModelSetSummariser  # pydantic is needed only with a model

    return ModelSetSummariser(chat, model, common)


def common_words(texts: VertexTexts, vertices: Sequence[int]) -> CommonWords:
    """Compute the IDF weights of words over the texts of vertices, or over a sample of them."""
    return CommonWords(lambda: _sample(texts, vertices))


def _sample(texts: VertexTexts, vertices: Sequence[int]) -> Iterator[Described]:
    sample = evenly(vertices)
    for start in range(0, len(sample), _VERTEX_TEXTS_A_PAGE):
        yield from (
            Described(each.name, each.text[:_LONGEST_SET_MEMBER_CHARACTERS])
            for each in texts(sample[start : start + _VERTEX_TEXTS_A_PAGE])
        )


def _read_by_rules(each: SetToSummarise, members: Sequence[VertexText]) -> tuple[list[VertexText], bool]:
    """Select the texts for a summary. The bool is True if findings of parts are among them.

    The nearest member comes first. If not all members are read, the first findings of the largest parts follow, then
    further members.
    """
    own = [one._replace(text=one.text[:_LONGEST_SET_MEMBER_CHARACTERS]) for one in members]
    if each.size <= _READ_SET_MEMBERS or not each.parts:
        return _within(own[:_READ_SET_MEMBERS], _MOST_SET_CHUNKS), False
    leading = [_leading(part) for part in each.parts[:_READ_SET_PARTS] if part.findings]
    return _within([*own[:1], *leading, *own[1:_OWN_SET_MEMBERS_WITH_PARTS]], _MOST_SET_CHUNKS), bool(leading)


def _leading(part: Report) -> VertexText:
    """Return the first finding of a part. If a model wrote the part, all passages shown to the model support it."""
    finding = part.findings[0]
    chunks = (*finding.chunks, *finding.also) if part.by == RULES else part.stands_on
    return VertexText(finding.names[0] if finding.names else "", finding.text, chunks)


def _within(texts: Iterable[VertexText], most_chunks: int) -> list[VertexText]:
    """Return the texts whose passages fit. Texts with the same name and first passage are duplicates."""
    return within((one for one in texts if one.chunks), most_chunks, same=lambda one: (one.name, one.chunks[0]))


def _named(read: Sequence[VertexText], members: Sequence[VertexText]) -> list[VertexText]:
    """Return the members that a summary names: those whose texts are read, then others with one passage each."""
    others = [one._replace(chunks=one.chunks[:1]) for one in members]
    room = max(_MOST_SET_CHUNKS, len({chunk for one in read for chunk in one.chunks}))
    return [one for one in _within([*read, *others], room) if one.name.strip()][:NAMED_SET_MEMBERS]


def _head(named: Sequence[VertexText], size: int, by_parts: bool, *, most: int = 0) -> str:
    """Return the name part of a title: both names of a set of two, otherwise the first readable name or names."""
    ranked = sorted(named, key=lambda one: not is_readable_name(one.name))
    names = list(dict.fromkeys(shortened(one.name, LONGEST_SET_NAME_CHARACTERS) for one in ranked))
    if size == 2 and len(names) == 2:
        return " and ".join(names)
    shown = names[: max(most, 1 + by_parts)]
    others = " and others" if size > len(shown) else ""
    return f"{'; '.join(shown)}{others}" if shown else counted(size, "vertex", "vertices")


def _summary(named: Sequence[VertexText], size: int, phrases: Sequence[str], findings: Sequence[Finding]) -> str:
    """Combine names, common phrases, and as many sentences as fit."""
    names: list[str] = []
    room = _LONGEST_SET_NAMES_CHARACTERS
    for one in named:
        names.append(shortened(one.name, LONGEST_SET_NAME_CHARACTERS))
        room -= len(names[-1]) + 2
        if room < LONGEST_SET_NAME_CHARACTERS:
            break
    more = f" and {size - len(names):,} more" if names and size > len(names) else ""
    lines = [f"{'; '.join(dict.fromkeys(names))}{more}."] if names else []
    if phrases:
        lines.append(f"In common: {', '.join(phrases)}.")
    room = _LONGEST_SET_SUMMARY_CHARACTERS - sum(len(each) + 1 for each in lines)
    for finding in findings:
        text = shortened(finding.text, _LONGEST_SET_SENTENCE_CHARACTERS)
        text += "" if text.endswith(_ENDS) else "."
        if len(text) < room:
            lines.append(text)
            room -= len(text) + 1
    return " ".join(lines)


def _findings(
    each: SetToSummarise, read: Sequence[VertexText], members: Sequence[VertexText], phrases: Sequence[str]
) -> list[Finding]:
    """Return one informative sentence per text, and findings about the strongest edges that have a text.

    The nearest member's sentence comes first, then the edges, then other sentences, those with the most common phrases
    first.

    Args:
        phrases: Phrases that the texts share. Without phrases, the first sentence of each text is used, in order.
    """
    words = [phrase.casefold() for phrase in phrases]
    ranked: list[tuple[float, Finding]] = []
    for one in read:
        score, sentence = _central(one.text, words)
        if sentence and sentence.casefold() != one.name.casefold():
            ranked.append((score, Finding(about(one.name, sentence), one.chunks, (one.name,) if one.name else ())))
    first, others = ranked[:1], sorted(ranked[1:], key=lambda item: -item[0])
    found = [*(finding for _, finding in first), *_of_edges(each, read, members), *(finding for _, finding in others)]
    by_text: dict[str, Finding] = {}
    for finding in found:
        by_text.setdefault(finding.text, finding)
    return list(by_text.values())


def _central(text: str, phrases: Sequence[str]) -> tuple[float, str]:
    """Return the score and text of the sentence with the most phrases. The first sentence gets a bonus."""
    best, sentence = -1.0, ""
    for place, each in enumerate(sentences_of(text)):
        lower = each.casefold()
        score = sum(phrase in lower for phrase in phrases) + _FIRST_SENTENCE_SCORE * (place == 0)
        if score > best:
            best, sentence = score, each
    return best, shortened(sentence, _LONGEST_SET_SENTENCE_CHARACTERS)


def _of_edges(each: SetToSummarise, read: Sequence[VertexText], members: Sequence[VertexText]) -> Iterator[Finding]:
    """Yield findings about edges that have a text and connect members that are read, if the passages fit."""
    names = {one.name for one in read}
    known = {place: one for place, one in zip(each.members, members, strict=False) if one.chunks and one.name in names}
    stood_on = {chunk for one in read for chunk in one.chunks}
    left = _MOST_EDGE_FINDINGS
    for edge in each.edges:
        ends = [known[place] for place in (edge.source, edge.target) if place in known]
        named = tuple(one.chunks[0] for one in ends)
        chunks = edge.chunks[:1] or named
        if left and edge.text.strip() and len(ends) == 2 and len(stood_on.union(chunks, named)) <= _MOST_SET_CHUNKS:
            text = shortened(edge.text, _LONGEST_SET_SENTENCE_CHARACTERS)
            yield Finding(f"{ends[0].name} – {ends[1].name}: {text}", chunks, (ends[0].name, ends[1].name), named)
            stood_on.update(chunks, named)
            left -= 1
