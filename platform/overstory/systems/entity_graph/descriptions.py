"""Describes entities by rules, using the most informative sentences about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from overstory.systems.entity_graph.incidence import MOST_SENTENCES_OF_A_CHUNK, NO_PLACE, Incidence, Ints
from overstory.systems.entity_graph.relations import MOST_NAMES_OF_A_SENTENCE, Sentences, rank_within
from overstory.text.names.keys import entity_key, fold

DESCRIPTIONS_VERSION = 2
"""Version of these rules. It must be increased whenever the same sentences may result in a different description."""
_DESCRIPTION_CHARACTERS = 240  # about 60 tokens; it is short, because embedding descriptions takes most of the time
_MOST_DESCRIPTION_SENTENCES = 3
_DESCRIPTION_CANDIDATES = 6  # maximum number of candidates; some are headings, duplicates or too long
_RELATION_DESCRIPTION_CHARACTERS = 160
_LONGEST_READ_SENTENCE_CHARACTERS = 2_000  # longer sentences are truncated, since they may be tables
HEADING_CHARACTERS, LISTING_CHARACTERS = 30, 400
"""A sentence with fewer characters than the first number is probably a heading. A sentence with more characters than
the second number is probably a listing."""
LEAST_PLAIN_WORDS, LEAST_PLAIN_WORD_SHARE = 2, 0.2
"""A sentence of prose contains at least this number and this fraction of lower-case words."""

_ABOUT, _OF_FACT, _SAYING, _TRIPLE = range(4)

_SPACE = re.compile(r"\s+")
_MARKS = re.compile(r"^(?:(?:#{1,6}|[-*+•>|]+|\d{1,3}[.)])\s+)+|\s[|#=~-]+$")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,2})(?=[^\s*])([^*]*[^\s*])\1(?![\w*])")
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*\)")
_CUT_CHARACTERS = 40  # to end at a word boundary, an excerpt is shortened by at most this many characters
_NO_SPACES = "\u2e80"
"""The first character of the East Asian scripts, which use neither capitals nor spaces between words."""
_RULES = re.compile(r"[-=_*~#|+]{3,}|\.{4,}")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The m candidate texts for describing n entities.

    The candidates are sorted by entity. For each entity, the best candidate comes first.

    Attributes:
        first: Index of the first candidate for each entity, shape (n + 1,).
        sentence: Number of the candidate's sentence in the corpus, shape (m,). This is chunk ·
            MOST_SENTENCES_OF_A_CHUNK + sentence, where the sentence is 0 for an OpenIE triple.
        position: Position of the OpenIE triple in its chunk, shape (m,); `NO_PLACE` if the candidate is a sentence.
    """

    first: Ints
    sentence: Ints
    position: Ints

    def of(self, entity: int) -> list[tuple[int, int]]:
        """Return the sentence and the position of each candidate text for an entity, best first."""
        rows = slice(int(self.first[entity]), int(self.first[entity + 1]))
        return list(zip(self.sentence[rows].tolist(), self.position[rows].tolist(), strict=True))


def choose(incidence: Incidence, sentences: Sentences) -> Chosen:
    """Return the most informative texts about each entity.

    They are in this order:

    1. The first sentence that mentions the entity, in each passage that is about the entity.
    2. Sentences that state a fact with the entity as subject.
    3. Other sentences that mention the entity.
    4. OpenIE triples that contain the entity.
    """
    mentions, subjects, facts = incidence.mentions, incidence.subjects, incidence.statements
    located = mentions.sentence != NO_PLACE
    where = mentions.chunk[located] * MOST_SENTENCES_OF_A_CHUNK + mentions.sentence[located]
    who = mentions.entity[located]
    first_mention = _FirstMention(who, where)

    about = first_mention(subjects.entity, subjects.chunk)
    of_fact = facts.subject != NO_PLACE
    subject, chunk = facts.subject[of_fact], facts.chunk[of_fact]
    stated = np.where(
        facts.sentence[of_fact] == NO_PLACE,
        first_mention(subject, chunk),
        chunk * MOST_SENTENCES_OF_A_CHUNK + facts.sentence[of_fact],
    )
    unlocated = (facts.openie[of_fact] == 1) & (stated == NO_PLACE)
    pairs, times = np.unique(np.stack([subject[~unlocated], stated[~unlocated]]), axis=1, return_counts=True)
    triple = facts.openie == 1
    sides = [(facts.subject, 0), (facts.object, 1)]
    triples = [(ends[at := triple & (ends != NO_PLACE)], at, second) for ends, second in sides]
    names = sentences.names[np.searchsorted(sentences.sentence, where)] if len(where) else where
    columns = [
        # The columns are: entity, class of the text, first score, second score, sentence, position.
        (
            subjects.entity,
            _ABOUT,
            -subjects.weight,
            incidence.passages.seq[subjects.chunk],
            np.where(about == NO_PLACE, subjects.chunk * MOST_SENTENCES_OF_A_CHUNK, about),
            NO_PLACE,
        ),
        (pairs[0], _OF_FACT, _odd_length(incidence, pairs[1]), -times, pairs[1], NO_PLACE),
        (who, _SAYING, _odd_length(incidence, where), np.minimum(names, MOST_NAMES_OF_A_SENTENCE + 1), where, NO_PLACE),
        *(
            (entity, _TRIPLE, second, 0, facts.chunk[at] * MOST_SENTENCES_OF_A_CHUNK, facts.position[at])
            for entity, at, second in triples
        ),
    ]
    entity, kind, score, second, sentence, position = (
        np.concatenate(
            [np.broadcast_to(np.asarray(part), np.shape(one[0])) for one, part in zip(columns, parts, strict=True)]
        )
        for parts in zip(*columns, strict=True)
    )
    order = np.lexsort((position, sentence, second, score, kind, entity))
    entity, sentence, position = entity[order], sentence[order], position[order]
    # Remove duplicate texts about an entity, and keep the order.
    again = np.lexsort((np.arange(len(entity)), position, sentence, entity))
    table = np.stack([entity, sentence, position])[:, again]
    once = np.ones(len(entity), dtype=np.bool_)
    once[again[1:]] = (table[:, 1:] != table[:, :-1]).any(axis=0)
    entity, sentence, position = entity[once], sentence[once], position[once]
    kept = rank_within(entity) < _DESCRIPTION_CANDIDATES
    entity, sentence, position = entity[kept], sentence[kept], position[kept]
    first = np.searchsorted(entity, np.arange(len(incidence.names) + 1))
    return Chosen(first.astype(np.int64), sentence.astype(np.int64), position.astype(np.int64))


class _FirstMention:
    def __init__(self, who: Ints, where: Ints) -> None:
        order = np.lexsort((where, who))
        self._who, self._where = who[order], where[order]
        self._many = int(where.max()) // MOST_SENTENCES_OF_A_CHUNK + 1 if len(where) else 1
        self._key = self._who * self._many + self._where // MOST_SENTENCES_OF_A_CHUNK

    def __call__(self, entity: Ints, chunk: Ints) -> Ints:
        """Return the first sentence with the entity's name for each pair of an entity and a chunk, shape (n,).

        The sentence is `NO_PLACE` if it is unknown.
        """
        key = entity * self._many + chunk
        at = np.searchsorted(self._key, key)
        found = np.full(len(key), NO_PLACE, dtype=np.int64)
        inside = np.flatnonzero((at < len(self._key)) & (chunk < self._many))
        there = inside[self._key[at[inside]] == key[inside]]
        found[there] = self._where[at[there]]
        return found


def _odd_length(incidence: Incidence, where: Ints) -> Ints:
    passages = incidence.passages
    chunk, sentence = where // MOST_SENTENCES_OF_A_CHUNK, where % MOST_SENTENCES_OF_A_CHUNK
    at = passages.first[chunk] + sentence
    last = at + 1 >= passages.first[chunk + 1]
    starts = np.append(passages.starts, [0, 0])
    at = np.minimum(at, len(passages.starts))
    length = starts[at + 1] - starts[at]
    return np.where(last, 0, (length < HEADING_CHARACTERS) | (length > LISTING_CHARACTERS)).astype(np.int64)


def cleaned(sentence: str) -> str:
    """Return a sentence on one line, without the markup for headings, lists, emphasis, links and rules."""
    text = _RULES.sub(" ", sentence[: 2 * _LONGEST_READ_SENTENCE_CHARACTERS])
    text = _LINK.sub(r"\1", _EMPHASIS.sub(r"\2", text.replace("`", "")))
    text = _SPACE.sub(" ", text).strip()
    return _MARKS.sub("", text).strip()[:_LONGEST_READ_SENTENCE_CHARACTERS]


def excerpt(text: str, names: Sequence[str], most: int) -> str:
    """Return an excerpt of at most `most` characters, cut at word boundaries, with "…" where text is left out.

    The excerpt is the beginning of the text. If the beginning does not contain all names, the excerpt starts later, so
    that it contains the last of the names.
    """
    if len(text) <= most:
        return text
    low = text.lower()
    ends = [at + len(name) for name in names if name and (at := low.find(name.lower())) >= 0]
    need = max(ends, default=0)
    held = most - _CUT_CHARACTERS - 2
    start = 0 if need <= held else _word_start(text, need - held)
    body = text[start : start + most - 2 * (start > 0) - 1]
    if start + len(body) < len(text):
        body = body[: _word_end(body)].rstrip(" ,;:(–-") + "…"
    return ("…" if start else "") + body


def relation_text(text: str, one: str, other: str, *, implied: bool) -> str:
    """Return the description of a relation between two entities, made from a sentence.

    Args:
        implied: True if the sentence contains only one of the names and its passage is about the other entity. The
            other name is then put in front.
    """
    text = excerpt(text, [one, other], _RELATION_DESCRIPTION_CHARACTERS)
    low = fold(text)
    missing = [name for name in (one, other) if fold(name) not in low] if implied and text else []
    return f"{missing[0]}: {text}" if len(missing) == 1 else text


def _word_start(text: str, at: int) -> int:
    space = text.find(" ", at, at + _CUT_CHARACTERS)
    return at if space < 0 else space + 1


def _word_end(body: str) -> int:
    space = body.rfind(" ", max(0, len(body) - _CUT_CHARACTERS))
    return space if space > 0 else len(body)


@dataclass(frozen=True, slots=True)
class DescribingText:
    """A text that may describe an entity.

    Attributes:
        text: A sentence in cleaned form, or the text of an OpenIE triple.
    """

    chunk: int
    text: str
    triple: bool = False


def describe(name: str, key: str, texts: Iterable[DescribingText]) -> tuple[str, tuple[int, ...]]:
    """Return a description of an entity, and the chunks from which the description was made.

    Args:
        key: Key of the name (see `entity_key`).
        texts: Candidate texts, best first. If a sentence in a chunk is used, the triples from that chunk are skipped,
            because they would repeat it.
    """
    taken: list[str] = []
    chunks: list[int] = []
    seen: set[str] = set()
    sentences: set[int] = set()
    room = _DESCRIPTION_CHARACTERS
    for each in sorted(texts, key=lambda each: not is_prose(each.text)):
        if (
            len(taken) == _MOST_DESCRIPTION_SENTENCES
            or room < HEADING_CHARACTERS
            or (taken and not is_prose(each.text) and not each.triple)
        ):
            break
        text, folded = each.text, fold(each.text)
        if folded in seen or not any(letter.isalpha() for letter in text) or entity_key(text) == key:
            continue
        if (each.triple and each.chunk in sentences) or (taken and len(text) >= room):
            continue
        seen.add(folded)
        if each.triple:
            text += "" if text.endswith((".", "!", "?")) else "."
        else:
            sentences.add(each.chunk)
        piece = excerpt(text, [name], room)
        taken.append(piece)
        chunks.append(each.chunk)
        room -= len(piece) + 1
    return " ".join(taken), tuple(dict.fromkeys(chunks))


def is_prose(text: str) -> bool:
    """Return True if a text is probably a sentence, and not a heading, a listing or a list of references."""
    if any(character >= _NO_SPACES for character in text):
        return len(text) >= HEADING_CHARACTERS // 2
    words = [word.strip("(),.;:!?\"'") for word in text.split()]
    plain = sum(word.isalpha() and not word[:1].isupper() for word in words)
    return (
        len(text) >= HEADING_CHARACTERS and plain >= LEAST_PLAIN_WORDS and plain >= LEAST_PLAIN_WORD_SHARE * len(words)
    )
