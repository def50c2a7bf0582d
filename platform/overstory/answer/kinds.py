"""Answers without a language model to questions for all things of a kind: "Which teams are there?" """

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from overstory.answer.citations import without_citations
from overstory.answer.paragraphs import paragraphs
from overstory.display import printable, shortened
from overstory.model import Hit
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.sentences import sentence_starts, sentence_texts
from overstory.text.words import stem

_MOST_THINGS = 20  # things of a kind that an answer lists
PASSAGES_READ_FOR_A_KIND = 40
"""Passages that are found for such a question, where fewer are asked for: things of a kind stand in many."""
_LONGEST_THING_SENTENCE_CHARACTERS = 300
"""Characters of a sentence that are shown."""
_LONGEST_THING_WORDS = 4
"""Words."""

_WORD = re.compile(r"[^\W_]+(?:[.&'’-][^\W_]+)*")
_IS_A = re.compile(
    r"\s*+(?:,\s*+)?(?:is|are|was|were|ist|sind|war|est|sont|était)\s++"
    r"(?:an?|the|one\s++of\s++(?:the|our)|our|eine?|das|die|der|une?|l[ae]s?)\s++(?:[^\W_]++[\s-]++){0,4}+$",
    re.IGNORECASE,
)
_IS_SOMETHING_RANK, _BEGINS_RANK, _MENTIONS_RANK = 3, 2, 1


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that a passage calls by the kind.

    Attributes:
        name: as the passage writes it, with the word of the kind where that is a part of it.
        sentence: the one that says most of it.
    """

    name: str
    sentence: str
    passage: Hit


def things_of(kind: str, hits: Sequence[Hit]) -> tuple[Thing, ...]:
    """The things that titles and sentences call by a kind, in the order of the passages, each once with the sentence
    that says what it is, or else that begins with it.

    "The Kestrel team", "project Sparrow", "Ledger is a PostgreSQL database".

    Args:
        kind: a plural noun, of one to three words.
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
    """Names that a passage calls by the kind, with a sentence and what that is worth."""
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
    """What is named with the word of the kind beside it: "Kestrel team", "project Sparrow"."""
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
    """Whether a word is capitalised, no function word, and right before the next one."""
    word = words[place].group()
    alone = text[words[place].end() : words[place + 1].start()] == " "
    return alone and word[0].isupper() and word.lower() not in FUNCTION_WORDS


def _follows(words: Sequence[re.Match[str]], place: int, text: str) -> bool:
    after = words[place + 1].group()
    alone = text[words[place].end() : words[place + 1].start()] == " "
    return alone and (after[0].isupper() or after[0].isdigit()) and after.lower() not in FUNCTION_WORDS


def _subject(sentence: str, wanted: tuple[str, ...]) -> str:
    """What the sentence says to be one of the kind, "" if nothing: "Ledger" of "Ledger is a PostgreSQL database"."""
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
    """The sentences of a passage, each on one line, without numbers that would look like those of our passages."""
    for paragraph in paragraphs(without_citations(printable(text))):
        for whole in sentence_texts(paragraph, sentence_starts(paragraph)):
            if sentence := shortened(whole, _LONGEST_THING_SENTENCE_CHARACTERS):
                yield sentence
