"""Whether sentences say what a word of a question means: by the word itself, one derived from it, one that says the
same relation, a fact that is written without words, or one that an embedder takes for similar."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from overstory.answer.relation_words import same_relation
from overstory.protocols import Embedder, Vectors
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.words import stem, word_matches

_MOST_KEPT_WORD_VECTORS = 20_000
"""Words whose vectors are kept in memory, some 30 MB."""
_MOST_WORDS_COMPARED = 200
"""Different words of sentences that a word is compared with."""
_RELATED_WORD_SHARE = 0.75
"""How far a word says what a related one asks for: "manages" of "leads"."""
LEAST_SUPPORTING_COSINE = 0.6
"""The least cosine of two words of which one supports the other, with the default embedder: "spouse" and "married" have
.66, "salary" and "led" .21."""

_LIFE = re.compile(r"\([^()]{0,80}\d{3,4}[^()]{0,40}[–—-][^()]{0,40}\d{3,4}[^()]{0,40}\)")
"""The dates of a life: "(28 December 1888 – 11 March 1931)"."""
_BORN = re.compile(r"\([^()]{0,60}\b(?:born|b\.)[^()]{0,60}\d{3,4}|\(\s*\d{1,2} \w+ \d{4}\s*\)")
_YEAR = re.compile(r"\b(?:is|was|are|were) an? (?:\w+ )?\d{4} |\(\d{4}\)|\b(?:1[5-9]|20)\d\d\b")
_AMOUNT = re.compile(r"[$€£¥]\s?\d|\d\s?(?:[$€£¥]|euros?|dollars?|pounds?|kroner|francs?|USD|EUR|GBP)\b", re.IGNORECASE)
_KIND = re.compile(r"\b(?:is|was|are|were) (?:an?|the)\b")
_VERSION = re.compile(r"\b(?:v|version )?\d+\.\d+(?:\.\d+)*\b")
_OF_VERSION = frozenset(map(stem, ("version", "release")))
_SET = re.compile(r"\s*[`\w.-]{2,60}\s*(?:=|: |\|)\s*\S|\s*\|")
_OF_SETTING = frozenset(map(stem, ("set", "value")))
_OF_LIFE = frozenset(map(stem, ("born", "birth", "died", "death", "age", "old", "lived", "longer")))
_OF_BIRTH = frozenset(map(stem, ("born", "birth", "age", "old")))
_OF_YEAR = frozenset(map(stem, ("released", "release", "earlier", "later", "published", "recent")))
_OF_AMOUNT = frozenset(map(stem, ("cost", "price", "fee")))
_OF_KIND = frozenset(
    map(stem, ("nationality", "occupation", "profession", "genre", "kind", "citizenship", "position", "species"))
)


def meaning_stems(text: str) -> frozenset[str]:
    """The stems of a text's words that carry a meaning, and of what its dates and amounts say without a word."""
    found = {stem(word) for word in _words(text)}
    if _LIFE.search(text):
        found |= _OF_LIFE
    elif _BORN.search(text):
        found |= _OF_BIRTH
    if _YEAR.search(text):
        found |= _OF_YEAR
    if _AMOUNT.search(text):
        found |= _OF_AMOUNT
    if _VERSION.search(text):
        found |= _OF_VERSION
    if _SET.match(text):
        found |= _OF_SETTING
    if _KIND.search(text):
        found |= _OF_KIND
    return frozenset(found)


def _words(text: str) -> Iterable[str]:
    return (m.group().lower() for m in word_matches(text) if m.group().lower() not in FUNCTION_WORDS)


class WordVectors:
    """The vectors of single words, the last ones kept. Safe to share between threads."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._turn = threading.Lock()

    def of(self, words: Sequence[str]) -> Vectors:
        """The unit vectors of different words, a row each."""
        from numpy import stack  # not for those who only ask for help

        with self._turn:
            new = [word for word in words if word not in self._kept]
            if new:
                self._kept.update(zip(new, self.embedder.embed(new), strict=True))
            found = stack([self._kept[word] for word in words])
            for word in words:
                self._kept.move_to_end(word)
            while len(self._kept) > _MOST_KEPT_WORD_VECTORS:
                self._kept.popitem(last=False)
        return found


def is_said(word: str, stems: Iterable[str]) -> bool:
    """Whether one of these stems says what a word does."""
    own = stem(word.lower())
    return any(same_relation(own, other) for other in stems)


def how_far_said(word: str, stems: frozenset[str]) -> float:
    """1.0 if these stems have a word itself, less if only one that says the same."""
    return 1.0 if stem(word.lower()) in stems else _RELATED_WORD_SHARE * is_said(word, stems)


def similarity(word: str, texts: Iterable[str], vectors: WordVectors) -> float:
    """The cosine of a word and the most similar one of these texts, of which the first words are compared."""
    others: dict[str, None] = {}
    for text in texts:
        others.update(dict.fromkeys(_words(text)))
        if len(others) >= _MOST_WORDS_COMPARED:
            break
    if not others:
        return 0.0
    rows = vectors.of(
        [word.lower(), *(other for other in list(others)[:_MOST_WORDS_COMPARED] if other != word.lower())]
    )
    return float(max(rows[1:] @ rows[0], default=0.0))
