"""Answers that are lists, without a language model.

- For a question about all documents, the list contains one line per report or passage.
- For a question that asks for all things of a kind ("which databases …"), the list contains these things.
- For a question about edges of a loaded graph, the list contains these edges.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from overstory.answer.citations import without_citations
from overstory.answer.context import Item
from overstory.answer.paragraphs import paragraphs
from overstory.display import printable, shortened
from overstory.model import Evidence, Hit, LinkEdge, OverviewLine, Part, RatedReport
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.questions.asked_words import AskedWords
from overstory.text.questions.kinds import kind_asked_for
from overstory.text.questions.sets import excluded_in, set_question
from overstory.text.questions.whole_corpus import asks_about_whole_corpus
from overstory.text.sentences import sentence_starts, sentence_texts
from overstory.text.words import stem, word_matches

_MOST_THINGS = 20
PASSAGES_READ_FOR_A_KIND = 40
"""Minimum number of passages to retrieve if a question asks for all things of a kind. Many passages must be read,
because each may mention only one of the things."""
_LONGEST_THING_SENTENCE_CHARACTERS = 300  # longer sentences are shortened
_LONGEST_THING_WORDS = 4

_WORD = re.compile(r"[^\W_]+(?:[.&'’-][^\W_]+)*")
_IS_A = re.compile(
    r"\s*+(?:,\s*+)?(?:is|are|was|were|ist|sind|war|est|sont|était)\s++"
    r"(?:an?|the|one\s++of\s++(?:the|our)|our|eine?|das|die|der|une?|l[ae]s?)\s++(?:[^\W_]++[\s-]++){0,4}+$",
    re.IGNORECASE,
)
_IS_SOMETHING_RANK, _BEGINS_RANK, _MENTIONS_RANK = 3, 2, 1


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing of the kind that a question asks for.

    Attributes:
        name: the name as spelt in the passage. It includes an adjacent word for the kind, as in "Kestrel team".
        sentence: the most informative sentence about the thing.
    """

    name: str
    sentence: str
    passage: Hit


def things_of(kind: str, hits: Sequence[Hit]) -> tuple[Thing, ...]:
    """Return the distinct things of a kind that passages mention, in the order of the passages.

    A thing is recognised by the word for the kind, as in "the Kestrel team", "project Sparrow" or "Ledger is a
    PostgreSQL database". Its sentence is one that defines the thing, or else one that begins with its name, or else any
    other sentence.

    Args:
        kind: a plural noun of one to three words, such as "databases".
    """
    wanted = tuple(map(stem, kind.split()))
    best: dict[str, tuple[int, Thing]] = {}
    for hit in hits:
        for name, sentence, value in _named_in(hit, wanted):
            key = " ".join(word for word in map(stem, name.split()) if word not in wanted)
            if key and value > best.get(key, (0, None))[0]:
                best[key] = (value, Thing(name, sentence, hit))
    return tuple(thing for _, thing in list(best.values())[:_MOST_THINGS])


def _named_in(hit: Hit, wanted: tuple[str, ...]) -> Iterator[tuple[str, str, int]]:
    """Yield the things of a kind in a passage, each as (name, sentence, rank of the sentence).

    Args:
        wanted: stems of the words for the kind.
    """
    title = " ".join(printable(hit.title).split())
    sentences = list(sentences_in(hit.content))
    for name in _names(title, wanted):
        if name == title and sentences:
            yield name, sentences[0], _BEGINS_RANK
    for sentence in sentences:
        for name in _names(sentence, wanted):
            begins = sentence.removeprefix("The ").removeprefix("the ").startswith(name)
            yield name, sentence, _BEGINS_RANK if begins else _MENTIONS_RANK
        if name := _subject(sentence, wanted):
            yield name, sentence, _IS_SOMETHING_RANK


def _names(text: str, wanted: tuple[str, ...]) -> Iterator[str]:
    """Yield the names next to a word for the kind, such as "Kestrel team" or "project Sparrow"."""
    words = list(_WORD.finditer(text))
    stems = [stem(word.group()) for word in words]
    for first in range(len(words) - len(wanted) + 1):
        last = first + len(wanted) - 1
        if tuple(stems[first : last + 1]) != wanted:
            continue
        start = first
        while start > 0 and first - start < _LONGEST_THING_WORDS - 1 and _is_name(words, start - 1, text):
            start -= 1
        stop = last
        while (
            start == first
            and stop + 1 < len(words)
            and stop - last < _LONGEST_THING_WORDS - 1
            and _follows(words, stop, text)
        ):
            stop += 1
        if start < first or stop > last:
            yield text[words[start].start() : words[stop].end()]


def _is_name(words: Sequence[re.Match[str]], place: int, text: str) -> bool:
    """Return True if a word may belong to a name that ends with the next word.

    The word must be capitalised, must not be a function word, and only a space may separate it from the next word.
    """
    word = words[place].group()
    alone = text[words[place].end() : words[place + 1].start()] == " "
    return alone and word[0].isupper() and word.lower() not in FUNCTION_WORDS


def _follows(words: Sequence[re.Match[str]], place: int, text: str) -> bool:
    after = words[place + 1].group()
    alone = text[words[place].end() : words[place + 1].start()] == " "
    return alone and (after[0].isupper() or after[0].isdigit()) and after.lower() not in FUNCTION_WORDS


def _subject(sentence: str, wanted: tuple[str, ...]) -> str:
    """Return the subject of a sentence which defines it as a thing of the kind; "" for any other sentence.

    Example: the subject of "Ledger is a database" is "Ledger".
    """
    words = list(_WORD.finditer(sentence))
    stems = [stem(word.group()) for word in words]
    for first in range(1, len(words) - len(wanted) + 1):
        if tuple(stems[first : first + len(wanted)]) != wanted:
            continue
        for end in range(min(first, _LONGEST_THING_WORDS + 1)):
            between = sentence[words[end].end() : words[first].start()]
            if _IS_A.fullmatch(between):
                name = sentence[words[0].start() : words[end].end()]
                name = re.sub(r"^(?:The|Die|Der|Das|Le|La|Les)\s+", "", name)
                return name if name[0].isupper() and name.lower() not in FUNCTION_WORDS else ""
    return ""


def sentences_in(text: str) -> Iterator[str]:
    """Yield the sentences of a passage, each on one line, without reference marks like [1] that look like citations."""
    for paragraph in paragraphs(without_citations(printable(text))):
        for whole in sentence_texts(paragraph, sentence_starts(paragraph)):
            if sentence := shortened(whole, _LONGEST_THING_SENTENCE_CHARACTERS):
                yield sentence


_MOST_OVERVIEW_POINTS = 8
_LEAST_THINGS_OF_A_LIST = 2  # a single thing is not shown as a list
_LEAST_OVERVIEW_SENTENCE_WORDS = 5
"""Minimum number of words in the sentence that is shown for a passage. Headings and greetings are thereby left out."""
_LONGEST_OVERVIEW_FINDING_CHARACTERS = 400  # longer findings are shortened


_REFERRING = frozenset(
    {"he", "hence", "her", "here", "his", "however", "it", "its", "she", "that", "their", "then", "there", "therefore"}
    | {"these", "they", "this", "those", "thus"}
)
"""If a sentence begins with one of these words, it depends on the sentence before."""


@dataclass(frozen=True, slots=True)
class Point:
    """A line of a list answer.

    Attributes:
        item: the report, passage or edge, with the passages that support the line.
        text: the text of the line: mostly a heading or name, and a finding or sentence.
        heading: the heading of the report or passage, or the name of the thing; "" for an edge.
    """

    item: Item
    text: str
    heading: str = ""


def overview_of(evidence: Evidence) -> tuple[Point, ...]:
    """Return the lines of an answer to a question about all documents; () for any other question.

    The lines of an overview in the evidence come first. There is one line for each of the first reports. Without
    reports, there is one line for each of the first passages, unless the overview has enough lines.
    """
    if not asks_about_whole_corpus(evidence.question):
        return ()
    points: list[Point] = []
    shown: set[str] = set()
    overview = [part for part in evidence.parts if isinstance(part, OverviewLine)]
    for each in overview:
        if passages := evidence.passages_of(each):
            line = f"{_line(each.heading)} — {_line(each.body)}"
            points.append(Point(Item(len(points) + 1, each, line, passages), line, _line(each.heading)))
    others = [part for part in evidence.parts if part.kind == "report" and not isinstance(part, OverviewLine)]
    reports = others if evidence.shares.get("report") else []
    for part in reports:
        passages = evidence.passages_of(part)
        if passages and len(points) < len(overview) + _MOST_OVERVIEW_POINTS:
            points += _point(len(points) + 1, part, passages, shown)
    if not reports and len(overview) < _MOST_OVERVIEW_POINTS:
        points += islice(_passages(evidence.hits, len(points) + 1), _MOST_OVERVIEW_POINTS - len(overview) // 2)
    return tuple(points)


def things_in(evidence: Evidence) -> tuple[Point, ...]:
    """Return one line for each thing of the kind that the question asks for.

    Return () if the question does not ask for all things of a kind, or if fewer than two things are found.
    """
    kind = kind_asked_for(evidence.question)
    things = things_of(kind, evidence.hits) if kind else ()
    if len(things) < _LEAST_THINGS_OF_A_LIST:
        return ()
    numbers: dict[str, int] = {}
    for thing in things:
        numbers.setdefault(thing.passage.chunk_id, len(numbers) + 1)
    return tuple(
        Point(
            Item(numbers[thing.passage.chunk_id], thing.passage, thing.sentence, (thing.passage,)),
            thing.sentence if thing.name in thing.sentence else f"{thing.name} — {thing.sentence}",
            thing.name,
        )
        for thing in things
    )


def _passages(hits: Iterable[Hit], number: int) -> Iterator[Point]:
    """Yield one line for each passage, consisting of its title and a sentence that is understood on its own.

    Args:
        number: number of the first line.
    """
    for hit in hits:
        sentences = [_line(each) for each in sentences_in(hit.content)]
        readable = (
            each for each in sentences if len(each.split()) >= _LEAST_OVERVIEW_SENTENCE_WORDS and stands_alone(each)
        )
        text = next(readable, "")
        heading = _line(hit.title)
        if text:
            line = text if not heading or heading.lower() in text.lower() else f"{heading} — {text}"
            yield Point(Item(number, hit, text, (hit,)), line, heading or text)
            number += 1


def _point(number: int, part: Part, passages: tuple[Hit, ...], shown: set[str]) -> Iterator[Point]:
    """Yield the line of a report, with a statement that was not shown before. If there is none, yield nothing.

    Args:
        shown: the statements shown so far. The new statement is added to them.
    """
    heading = _line(part.heading if isinstance(part, RatedReport) else part.title)
    statements = list(_statements(part)) or [("", ())]
    new = [each for each in statements if (each[0] or heading) not in shown]
    if not new:
        return
    text, chunks = next((each for each in new if each[0] and stands_alone(each[0])), new[0])
    shown.add(text or heading)
    stated = tuple(hit for hit in passages if hit.chunk_id in chunks) or passages
    line = f"{heading} — {text}" if text else heading
    yield Point(Item(number, part, line, stated), line, heading)


def _statements(part: Part) -> Iterator[tuple[str, tuple[str, ...]]]:
    if isinstance(part, RatedReport):
        for finding in part.findings:
            if text := _line(finding.text):
                yield text, finding.chunks
    body = part.summary if isinstance(part, RatedReport) else part.text.strip().partition("\n")[2]
    for sentence in sentence_texts(body, sentence_starts(body)):
        if text := _line(sentence):
            yield text, part.chunks


def stands_alone(text: str) -> bool:
    """Return True if a sentence is understood without the sentence before: no field, pronoun or rest of a sentence."""
    first = text.split()[0]
    is_field = first.endswith(":") or text.endswith(",")  # for example, "From: …" or "Dear Ada,"
    return not (is_field or first.lower() in _REFERRING or first[0] == "…" or first[0].islower())


def _line(text: str) -> str:
    """Return a text on one line, without reference marks like [1] that look like citations."""
    return shortened(without_citations(printable(text)), _LONGEST_OVERVIEW_FINDING_CHARACTERS)


# An answer can consist of edges of a loaded graph, such as "Hanna Kern SIGNED Order 7001".
#
# Edges answer a question if they contain all its specific words. A sentence about a vertex to which the edges lead may
# contain some of these words instead.

_MOST_EDGES_OF_AN_ANSWER = 8
_MOST_NAMES_OF_A_SHORT_ANSWER = 5

_FOR_A_NAME = re.compile(
    r"\W*(?:(?:to|by|for|with|at|in|from)\s+)?(?:who|whom|whose|which|what|where|list|name|show)\b", re.IGNORECASE
)
_GENERIC_WORDS = (
    "except excluding without"
    " connected connection find give linked link list name people person related relation show tell thing"
)
_GENERIC_STEMS = frozenset(map(stem, _GENERIC_WORDS.split()))
"""Stems of words that may ask for any edge or vertex, because they do not specify which one is meant."""
_DIGITS = re.compile(r"\d+(?:\.\d+)*")
"""Matches a number or version, such as "7001" or "3.2.1"."""


@dataclass(frozen=True, slots=True)
class EdgeAnswer:
    """An answer that consists of edges.

    Attributes:
        lines: one line per edge, in the order of the steps. A sentence about a vertex at the end may follow.
        guess: the names of the vertices to which the last step leads, if the question asks for a name; otherwise "".
        more: number of edges that are not shown.
    """

    lines: tuple[Point, ...]
    guess: str = ""
    more: int = 0

    @property
    def short(self) -> str:
        return self.guess or self.lines[0].text


def edges_in(evidence: Evidence) -> EdgeAnswer | None:
    """Return the answer that the edges in the evidence provide.

    Return None if a specific word of the question is neither in the edges nor in a sentence about a vertex at the end.
    """
    found = [part for part in evidence.parts if isinstance(part, LinkEdge)]
    every = edges_meant(evidence.question, found)
    edges = every[:_MOST_EDGES_OF_AN_ANSWER]
    if not edges:
        return None
    asked = AskedWords.of(evidence.question)
    passages = {hit.chunk_id: hit for hit in (*evidence.hits, *evidence.sources)}
    ends = [passages[chunk] for edge in edges for chunk in edge.chunks if chunk in passages]
    left = set(asked.forms) - _GENERIC_STEMS - _stems(excluded_in(evidence.question))
    for edge in edges:
        left -= _stems(edge.source, edge.type.replace("_", " "), edge.target, edge.link_text)
    for end in ends:
        left -= _stems(*_called(end))
    last = max(edge.step for edge in edges)
    reached = [edge for edge in edges if edge.step == last]
    closing = _edges_sentence(left, [passages[chunk] for edge in reached for chunk in edge.chunks if chunk in passages])
    if left and (closing is None or left - _stems(closing[1])):
        return None
    lines = [
        Point(Item(number, edge, edge.text, evidence.passages_of(edge)), without_citations(printable(edge.text)))
        for number, edge in enumerate(edges, start=1)
    ]
    if closing is not None:
        hit, sentence = closing
        lines.append(Point(Item(len(lines) + 1, hit, sentence, (hit,)), sentence))
    names = list(dict.fromkeys(printable(edge.reached) for edge in reached))
    unnamed = [name for name in names if _stems(name) - set(asked.forms)]
    for_name = closing is None and bool(_FOR_A_NAME.match(evidence.question)) and len(every) == len(edges)
    guess = ", ".join(unnamed) if for_name and len(unnamed) <= _MOST_NAMES_OF_A_SHORT_ANSWER else ""
    asked_set = set_question(evidence.question)
    if asked_set is not None and asked_set.counts:
        guess = f"{len({edge.reached for edge in every if edge.step == last}):,}"
    return EdgeAnswer(tuple(lines), guess, more=len(every) - len(edges))


def edges_meant(question: str, edges: Sequence[LinkEdge]) -> list[LinkEdge]:
    """Return the edges that a question asks for: all of them, unless it excludes some or demands two at once.

    "Who signed Order 1 but not Order 2?" asks for edges of Order 1, except those to people with an edge to Order 2.
    "Who signed both Order 1 and Order 2?" asks for edges to people with an edge to each order. If the edges cannot show
    what is excluded, none is returned.
    """
    asked = set_question(question)
    if asked is None or not asked.operates:
        return list(edges)
    if asked.excluded:
        words = _stems(asked.excluded)
        without = {edge.reached for edge in edges if _stems(_named_end(edge)) <= words}
        meant = [edge for edge in edges if not _stems(_named_end(edge)) <= words and edge.reached not in without]
        return meant if without and all(edge.step == 1 for edge in edges) else []
    if asked.both:
        ends = {_named_end(edge) for edge in edges}
        of: dict[str, set[str]] = {}
        for edge in edges:
            of.setdefault(edge.reached, set()).add(_named_end(edge))
        return [edge for edge in edges if len(ends) > 1 and of[edge.reached] == ends]
    return list(edges)


def _named_end(edge: LinkEdge) -> str:
    return edge.source if edge.at_source else edge.target


def without_other_numbers(evidence: Evidence) -> Evidence:
    """Return the evidence without hits whose titles differ from a title in the question only by a number.

    Example: a document on Order 7008 does not answer a question about Order 7001. If the evidence contains excerpts, it
    is returned unchanged.
    """
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
    """Replace the hits of the evidence. Removed hits become sources, because they may support other parts."""
    there = {hit.chunk_id for hit in hits}
    others = tuple(hit for hit in evidence.hits if hit.chunk_id not in there)
    return replace(evidence, hits=hits, sources=(*evidence.sources, *others))


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w.]+|\.(?!\d)", " ", text.casefold()).split())


def _called(hit: Hit) -> Iterator[str]:
    """Yield the words for the kind of a vertex: the label in its source, and the labels in its metadata."""
    yield hit.source.partition(":")[2]
    labels = hit.metadata.get("labels", ())
    yield from (labels,) if isinstance(labels, str) else map(str, labels if isinstance(labels, Sequence) else ())


def _edges_sentence(left: set[str], hits: Sequence[Hit]) -> tuple[Hit, str] | None:
    """Return the sentence that contains the most words of `left`, and its hit; None if no sentence contains any.

    Args:
        left: stems of the question's words that the edges do not contain.
    """
    sentences = [(hit, sentence) for hit in hits for sentence in sentences_in(hit.content)]
    found = [(len(left & _stems(text)), -place, hit, text) for place, (hit, text) in enumerate(sentences)]
    best = max(found, key=lambda each: each[:2], default=None)
    return (best[2], best[3]) if best is not None and best[0] else None


def _stems(*texts: str) -> set[str]:
    return {stem(match.group()) for text in texts for match in word_matches(text)}
