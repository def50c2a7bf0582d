"""Decides which names and ways explain to a reader why a passage was found.

A way through a name from a first to a second passage explains the second one if

- the first passage matches the question better by itself, so two passages never explain only each other,
- the name is specific in this corpus: the fewer passages mention it, the more two passages have in common. A place, a
  nationality or a language that both mention explains nothing,
- both texts mention the name itself, not only a longer name that contains it, and it is not a part of a title, and
- the first passage mentions a name of the question and one of the two is about the name, or a sentence with the name
  contains further words of the question.

"The second passage is about the name" requires that its title, heading or definition gives the full name, or that a
paragraph defines it: "Nosferatu is a silent film".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from overstory.graph.client import Row
from overstory.model.passage_text import PATH_SEPARATOR
from overstory.retrieve.canopy.scoring import MentionWay, Scored, WeighedWay
from overstory.retrieve.canopy.stored_names import ChunkNames, QuestionNames
from overstory.retrieve.hits import content
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import entity_key
from overstory.text.names.tokens import idf_weight, tokenise
from overstory.text.questions.asked_words import AskedWords
from overstory.text.sentences import sentence_at
from overstory.text.words import stem

_LEAST_SHARED_IDF = 0.75
"""Minimum IDF weight of a name that explains one passage by another which mentions it, too. At this weight, 4 of 1,000
passages mention the name, or 30 of a million."""

_FEW_PASSAGES = 3
"""A name in at most this many passages is specific in any corpus."""

_NATIONALITIES = frozenset({"NORP", "LANGUAGE"})
"""Types of names that are rather words: "British" in a question is listed with its words."""

_PLACES = _NATIONALITIES | {"GPE", "LOC"}

_SEVERAL_NAMES = re.compile(r"(?<!\s)\s++(?:and|or|und|oder|et|ou|y|o|e|en)\s++|[,/&]")

_NUMBERED = re.compile(r"(?:[A-Z](?:\.\d{1,3}){1,9}\.?|\d{1,3}(?:\.\d{1,3}){0,9}\.|\d{1,3}(?:\.\d{1,3}){1,9})\s+")
"""Matches the number at the beginning of a heading, such as "6. ", "2.1 " or "A.3. ". It does not match "50 Cent" or
"J. R. R. Tolkien"."""

_IS_A = re.compile(
    r"[\"'”’»*_]{0,3}(?:\s\([^()]{0,300}\))?,?\s(?:is|was|are|were|ist|war|sind|waren|est|était|es|era|fue|è)"
    r"\s(?:an?|the|one|eine?|der|die|das|une?|le|la|les|los|las|el|il|lo|een|het)\s",
)
"""Matches what follows a name where it is defined: "(1890–1950) was a"."""

_CAPITALISED_BEFORE = re.compile(r"(?<![\w'’-])[\d_'’-]*+(?P<word>[^\W\d_][\w'’-]*)[ -]$")
_CAPITALISED_AFTER = re.compile(r"[ -](?P<word>[^\W\d_][\w'’-]*)")
_LONGEST_NEIGHBOUR_CHARACTERS = 40

_NO_NAMES = ChunkNames()


@dataclass(frozen=True, slots=True)
class Telling:
    """Knows the passages of a result, and which names and ways explain them.

    Attributes:
        chunks: number of chunks in which names were counted.
        near: cosine to the question from which a passage is among the closest in meaning.
        scored: map from chunk id to scored chunk.
        rows: map from chunk id to row of `retrieve/chunks_by_id`.
        of: map from chunk id to the names that the chunk mentions or is about.
    """

    asked: QuestionNames
    words: AskedWords
    chunks: int
    near: float
    scored: Mapping[str, Scored]
    rows: Mapping[str, Row]
    of: Mapping[str, ChunkNames]

    def asked_names(self, chunk: str) -> tuple[list[str], list[str]]:
        """Return the names of the question that a chunk is about, and the others that it mentions.

        A name that is a part of a longer name in the question counts only if the chunk contains the other words of the
        longer name.
        """
        about: list[str] = []
        mentioned: list[str] = []
        names = self.of.get(chunk, _NO_NAMES)
        row = self.rows[chunk]
        forms = frozenset(tokenise(f"{row['title']}\n{row['heading']}\n{row['text']}").forms)
        for key in dict.fromkeys(name.key for name in self.asked.known):
            if names.types.get(key) in _NATIONALITIES or not self.asked.longer.get(key, frozenset()) <= forms:
                continue
            if self.is_about(chunk, key):
                about.append(self.asked.spelt[key])
            elif self._mentions(chunk, key):
                mentioned.append(self.asked.spelt[key])
        seed = self.scored[chunk].candidate.seed
        if seed and seed.name not in {name.name for name in self.asked.known}:  # a phrase that looks like a name
            mentioned.append(seed.name)
        return about, mentioned

    def tells(self, ways: Sequence[WeighedWay], target: str) -> bool:
        """Return True if a way of one or more steps explains why the passage at its end was found."""
        chunks = [each.way.source for each in ways] + [target]
        passed = [self.rows[chunk] for chunk in chunks if chunk in self.rows]
        if len(set(chunks)) < len(chunks) or len(passed) < len(chunks):
            return False
        if passed[0]["document_id"] == passed[-1]["document_id"]:
            return False
        if _by_itself(self.scored[chunks[0]]) <= _by_itself(self.scored[target]):
            return False
        return all(self._explains(each.way, *ends) for each, ends in zip(ways, pairwise(chunks), strict=True))

    def _explains(self, way: MentionWay, source: str, target: str) -> bool:
        """Return True if one step explains the passage at its end by the passage at its start."""
        if way.link:
            return True
        here, there = self.rows[source], self.rows[target]
        first, second = sentence_of(here, way.here), sentence_of(there, way.there)
        is_subject = way.weight is not None
        of_subject = not is_subject and self.is_about(source, way.key)
        if first.casefold() == second.casefold() or _is_heading(way.name, here, *([] if is_subject else [there])):
            return False
        if not (of_subject or (way.here is not None and self._mentions(source, way.key, alone=True))):
            return False
        if is_subject:
            return self.is_about(target, way.key) and (self._is_asked(source) or self._has_words(first, way.name))
        if not self._is_specific(way, source, target) or not self._mentions(target, way.key, alone=True):
            return False
        return (of_subject and self._is_asked(source)) or self._has_words(f"{first} {second}", way.name)

    def _is_specific(self, way: MentionWay, source: str, target: str) -> bool:
        """Return True if few passages mention a name, and it is neither a place nor a part of a title."""
        if way.idf < min(_LEAST_SHARED_IDF, idf_weight(self.chunks, _FEW_PASSAGES)):
            return False
        if self.of.get(source, _NO_NAMES).types.get(way.key) in _PLACES:
            return False
        return not (self._is_of_a_title(way, source) or self._is_of_a_title(way, target))

    def is_about(self, chunk: str, key: str) -> bool:
        """Return True if a chunk's title, heading or definition gives a name in full, or if a paragraph defines it."""
        names = self.of.get(chunk, _NO_NAMES)
        if key not in names.leads:
            return key in names.about
        text = content(self.rows[chunk])
        spans = (span for spelling in names.spellings.get(key, ()) for span in _spans(text, spelling))
        return key in names.about or any(_IS_A.match(text, end) for _, end in spans)

    def _is_of_a_title(self, way: MentionWay, chunk: str) -> bool:
        """Return True if a name is only a part of a passage's title."""
        title = tokenise(self.rows[chunk]["title"])
        words = {*title.forms, *(form for form, _ in title.bare.values())}
        return words.issuperset(way.key.split()) and not self.is_about(chunk, way.key)

    def _is_asked(self, chunk: str) -> bool:
        return any(self.asked_names(chunk))

    def _has_words(self, sentence: str, name: str) -> bool:
        """Return True if a sentence contains words of the question that belong neither to a name nor to `name`."""
        named = {stem(word) for each in (name, *self.asked.spelt.values()) for word in each.split()}
        return any(stem(word) not in named for word in self.words.found_in(sentence))

    def _mentions(self, chunk: str, key: str, *, alone: bool = False) -> bool:
        """Return True if a chunk mentions a name, and not only a longer name that contains it.

        Args:
            alone: True if a single word next to a capitalised word counts as part of a longer name.
        """
        names = self.of.get(chunk, _NO_NAMES)
        text = content(self.rows[chunk])
        own = names.spellings.get(key, ())
        longer = [each for other, surfaces in names.spellings.items() if other != key for each in surfaces]
        return any(_stands_alone(text, spelling, longer, alone=alone and " " not in spelling) for spelling in own)


def _stands_alone(text: str, spelling: str, longer: Iterable[str], *, alone: bool) -> bool:
    inside = [one for each in longer for one in _SEVERAL_NAMES.split(each) if spelling in one and one != spelling]
    covered = [span for each in inside for span in _spans(text, each)]
    for start, end in _spans(text, spelling):
        if any(first <= start and end <= last for first, last in covered):
            continue
        if not (alone and _is_in_a_longer_name(text, start, end)):
            return True
    return False


def _spans(text: str, words: str) -> Iterator[tuple[int, int]]:
    """Yield the positions of whole words in a text."""
    start = text.find(words) if words else -1
    while start >= 0:
        end = start + len(words)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            yield start, end
        start = text.find(words, end)


def _is_in_a_longer_name(text: str, start: int, end: int) -> bool:
    before = _CAPITALISED_BEFORE.search(text, max(0, start - _LONGEST_NEIGHBOUR_CHARACTERS), start)
    after = _CAPITALISED_AFTER.match(text, end, end + _LONGEST_NEIGHBOUR_CHARACTERS)
    return any(
        each["word"][0].isupper() and each["word"].lower() not in FUNCTION_WORDS for each in (before, after) if each
    )


def _by_itself(one: Scored) -> float:
    """Return the part of a score that does not depend on other passages."""
    return one.dense + one.words + one.name


def _is_heading(name: str, *rows: Row) -> bool:
    """Return True if a name begins with a heading number, or is a heading of a passage that differs from its title."""
    if _NUMBERED.match(name):
        return True
    key = entity_key(name)
    headings = {part for row in rows for part in row["heading"].split(PATH_SEPARATOR) if part != row["title"]}
    return any(key == entity_key(_NUMBERED.sub("", heading)) for heading in headings)


def sentence_of(row: Row, number: int | None) -> str:
    """Return a sentence of a passage by its number; the first one if there is no number."""
    return sentence_at(content(row), row["sentences"], number or 0)
