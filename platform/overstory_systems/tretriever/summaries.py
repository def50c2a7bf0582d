"""Summaries of sets of vertices: what a summariser reads and gives, and how rules summarise.

A summary by rules consists of names and sentences of the set: it is called after the member nearest to the mean and
after what the texts have in common, as in "The Matrix and others – Wachowski, hacker", and names as many members as
there is room for, since its vector is what the set is found by. What a large set says is taken from its nearest members
and from the first finding of each of its largest parts, so that a summary costs the same for every size.

Everything in a summary is from passages that it stands on, and goes with any of them. A vertex without a passage is
therefore never named, and a set of such vertices alone has a summary that says only how many they are.

Source: T-Retriever (Wei et al. 2026), "Semantic Content Preparation", equation 10; sentences of the graph stand in for
what a language model would write.
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
from overstory_systems.tretriever.graph_reads import VertexText, VertexTexts

_NAMES_WITHOUT_THEME = 3
"""Names in a title that says nothing else."""
NAMED_SET_MEMBERS = 12
"""Members whose names a summary by rules gives."""
SHOWN_SET_MEMBERS = 16
"""Members that a request to a model shows."""
_READ_SET_MEMBERS = 8
"""Of these, members whose texts it reads."""
_SET_MEMBERS_BESIDE_PARTS = 4
"""Members whose texts it reads where it also reads findings of parts."""
_READ_SET_PARTS = 6  # parts whose reports are read
_MOST_SET_CHUNKS = 24
"""Passages that a summary by rules stands on: what would add more is not read. The nearest member always is."""
_MOST_SET_FINDINGS = 6  # findings of a report
_MOST_EDGE_FINDINGS = 2
"""Of the findings, those that are edges."""
_LONGEST_SET_MEMBER_CHARACTERS = 500
"""Characters of a vertex's text."""
_LONGEST_SET_SUMMARY_CHARACTERS = 600  # of the summary of a set
_LONGEST_SET_NAMES_CHARACTERS = 240
"""Characters of all names in a summary."""
LONGEST_SET_NAME_CHARACTERS = 60  # of one name in a summary
_LONGEST_SET_SENTENCE_CHARACTERS = 240  # of a sentence in a finding
_FIRST_SENTENCE_SCORE = 1.0
"""What the first sentence of a text counts for, in key phrases."""
_VERTEX_TEXTS_A_PAGE = 2_000
"""Vertices whose texts are read at once."""
_ENDS = (".", "!", "?", "…", '"', "”", "。")


class ShownEdge(NamedTuple):
    """An edge between two members of a set.

    Attributes:
        source, target: places of vertices.
        chunks: the ids of the passages that state it, the most important first; may be empty.
        text: what it says, without names of its ends; may be "".
    """

    source: int
    target: int
    chunks: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class SetToSummarise:
    """A set of two vertices or more, as a summariser reads it.

    Attributes:
        key: a digest of what the summary is made from.
        members: places of the vertices that are read, those nearest to the mean of all vectors first.
        size: how many vertices the set has.
        inside: the share of the volume that stays inside, 0 to 1.
        edges: the strongest edges between `members`, the strongest first.
        parts: summaries of the sets right below, the largest first.
    """

    key: str
    members: Sequence[int]
    size: int
    inside: float
    edges: Sequence[ShownEdge] = ()
    parts: Sequence[Report] = ()


SetWithTexts: TypeAlias = tuple[SetToSummarise, Sequence[VertexText]]
"""A set, and what the first of its members say, in order."""


class RuleSetSummariser(RuleWriter[SetWithTexts, Report]):
    """Takes names and sentences from the texts."""

    fingerprint = "tretriever-summaries:3"

    def __init__(self, common: CommonWords | None = None) -> None:
        """
        Args:
            common: how specific words are in the graph.
        """
        self._common = common or CommonWords(list)

    def text(self, group: SetWithTexts) -> Report:
        each, members = group
        read, by_parts = _read_by_rules(each, members)
        if not read:
            said = f"{counted(each.size, 'vertex', 'vertices')} without a passage"
            return Report(each.key, said, f"{said}.", rating_of(each.size, each.inside), [], RULES, ())
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
    """Reads the texts of the first members of sets, those of many sets at once, and has them summarised."""

    def __init__(self, writer: TextWriter[SetWithTexts, Report], texts: VertexTexts, most: int) -> None:
        """
        Args:
            most: members of a set whose texts are read.
        """
        self._writer, self._texts, self._most = writer, texts, most
        self.fingerprint = writer.fingerprint

    @property
    def notes(self) -> tuple[str, ...]:
        return self._writer.notes

    def write(self, groups: Iterable[SetToSummarise]) -> Iterator[Report]:
        return self._writer.write(self.with_texts(groups))

    def with_texts(self, sets: Iterable[SetToSummarise]) -> Iterator[SetWithTexts]:
        """Each set with the texts of its first members, in order."""
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
    """The writer of summaries: rules, or a language model.

    Args:
        model: the name of the language model.
        common: how specific words are in the graph.
    """
    if chat is None:
        return RuleSetSummariser(common)
    from overstory_systems.tretriever.model_summaries import ModelSetSummariser  # pydantic, which only a model needs

    return ModelSetSummariser(chat, model, common)


def common_words(texts: VertexTexts, vertices: Sequence[int]) -> CommonWords:
    """IDF weights of words in the texts of all vertices, or of a sample: common words distinguish no set."""
    return CommonWords(lambda: _sample(texts, vertices))


def _sample(texts: VertexTexts, vertices: Sequence[int]) -> Iterator[Described]:
    sample = evenly(vertices)
    for start in range(0, len(sample), _VERTEX_TEXTS_A_PAGE):
        yield from (
            Described(each.name, each.text[:_LONGEST_SET_MEMBER_CHARACTERS])
            for each in texts(sample[start : start + _VERTEX_TEXTS_A_PAGE])
        )


def _read_by_rules(each: SetToSummarise, members: Sequence[VertexText]) -> tuple[list[VertexText], bool]:
    """What a summary takes its text from: the nearest member, the first findings of the largest parts where there are
    more members than are read, then other members. Whether it reads parts."""
    own = [one._replace(text=one.text[:_LONGEST_SET_MEMBER_CHARACTERS]) for one in members]
    if each.size <= _READ_SET_MEMBERS or not each.parts:
        return _within(own[:_READ_SET_MEMBERS], _MOST_SET_CHUNKS), False
    leading = [_leading(part) for part in each.parts[:_READ_SET_PARTS] if part.findings]
    return _within([*own[:1], *leading, *own[1:_SET_MEMBERS_BESIDE_PARTS]], _MOST_SET_CHUNKS), bool(leading)


def _leading(part: Report) -> VertexText:
    """The first finding of a part. What a model wrote may come from any of the passages that it was shown."""
    finding = part.findings[0]
    chunks = (*finding.chunks, *finding.also) if part.by == RULES else part.stands_on
    return VertexText(finding.names[0] if finding.names else "", finding.text, chunks)


def _within(texts: Iterable[VertexText], most_chunks: int) -> list[VertexText]:
    """Texts with passages that fit, without duplicates by name and first passage."""
    return within((one for one in texts if one.chunks), most_chunks, same=lambda one: (one.name, one.chunks[0]))


def _named(read: Sequence[VertexText], members: Sequence[VertexText]) -> list[VertexText]:
    """Members that a summary names: those whose texts it reads, then others, with one passage each."""
    others = [one._replace(chunks=one.chunks[:1]) for one in members]
    room = max(_MOST_SET_CHUNKS, len({chunk for one in read for chunk in one.chunks}))
    return [one for one in _within([*read, *others], room) if one.name.strip()][:NAMED_SET_MEMBERS]


def _head(named: Sequence[VertexText], size: int, by_parts: bool, *, most: int = 0) -> str:
    """Both names of two; else the first that reads like a name, of a set that is described by its parts two.

    Args:
        most: names, if more are to be shown.
    """
    ranked = sorted(named, key=lambda one: not is_readable_name(one.name))
    names = list(dict.fromkeys(shortened(one.name, LONGEST_SET_NAME_CHARACTERS) for one in ranked))
    if size == 2 and len(names) == 2:
        return " and ".join(names)
    shown = names[: max(most, 1 + by_parts)]
    others = " and others" if size > len(shown) else ""
    return f"{'; '.join(shown)}{others}" if shown else counted(size, "vertex", "vertices")


def _summary(named: Sequence[VertexText], size: int, phrases: Sequence[str], findings: Sequence[Finding]) -> str:
    """Names, what the texts have in common, and as many sentences as there is room for."""
    names: list[str] = []
    room = _LONGEST_SET_NAMES_CHARACTERS
    for one in named:
        names.append(shortened(one.name, LONGEST_SET_NAME_CHARACTERS))
        room -= len(names[-1]) + 2
        if room < LONGEST_SET_NAME_CHARACTERS:
            break
    more = f" and {size - len(names):,} more" if names and size > len(names) else ""
    said = [f"{'; '.join(dict.fromkeys(names))}{more}."] if names else []
    if phrases:
        said.append(f"In common: {', '.join(phrases)}.")
    room = _LONGEST_SET_SUMMARY_CHARACTERS - sum(len(each) + 1 for each in said)
    for finding in findings:
        text = shortened(finding.text, _LONGEST_SET_SENTENCE_CHARACTERS)
        text += "" if text.endswith(_ENDS) else "."
        if len(text) < room:
            said.append(text)
            room -= len(text) + 1
    return " ".join(said)


def _findings(
    each: SetToSummarise, read: Sequence[VertexText], members: Sequence[VertexText], phrases: Sequence[str]
) -> list[Finding]:
    """The most telling sentence of each text, that of the nearest member first, then of those that say most of what
    the texts have in common; after the first sentence, the strongest edges that say something.

    Args:
        phrases: what they have in common; without these the first sentences, in the order of the texts.
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
    """The sentence with most of the phrases, of equal ones the earlier, and how many; the first counts for more."""
    best, sentence = -1.0, ""
    for place, each in enumerate(sentences_of(text)):
        lower = each.casefold()
        score = sum(phrase in lower for phrase in phrases) + _FIRST_SENTENCE_SCORE * (place == 0)
        if score > best:
            best, sentence = score, each
    return best, shortened(sentence, _LONGEST_SET_SENTENCE_CHARACTERS)


def _of_edges(each: SetToSummarise, read: Sequence[VertexText], members: Sequence[VertexText]) -> Iterator[Finding]:
    """Edges with a text whose ends are both read: their names are from passages that the summary stands on anyway."""
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
