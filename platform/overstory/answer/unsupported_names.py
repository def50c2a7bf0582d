"""Finds names, numbers and dates in a language model's answer that do not occur in the cited passages.

No parser is used, because it would need a pipeline for each language. A name is a sequence of capitalised words, an
identifier, an option or a path. This has the following consequences:

- In scripts without capitals, only numbers, dates, identifiers, options and paths are checked.
- In German, all nouns are capitalised. A single capitalised word is therefore checked only if the answer consists of a
  name.

A name is supported if its words occur together in a passage. Case, accents, possessive endings and titles are ignored.
Numbers are compared by value, and dates by year, month and day (see `text.figures`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from overstory.text.coreference.chains import CLASSES
from overstory.text.figures import MONTHS, NUMBER_WORDS, Figure, Figures, figures, inside, spans_of
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import fold
from overstory.text.names.shapes import shapes
from overstory.text.sentences import sentence_starts, sentence_texts


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MOST_WORDS_BETWEEN = 3
"""Maximum distance between two words of a name in a passage. "John F. Kennedy" supports "John Kennedy"."""
_LONGEST_JOINED_NAME_WORDS = 8
"""A name with more words is a line in capitals. Its words must occur in the passages, but not next to each other."""
_LONGEST_PREFIX_LETTERS = 12  # maximum number of letters directly before a number that are shown together with it

_TITLES = _words(
    "mr mrs ms mx miss dr prof professor sir dame lord lady rev reverend hon st saint phd md jr sr herr frau ing dipl"
    " mme mlle don doña señor señora sig signor signora king queen prince princess president ceo cto cfo captain"
    " colonel general"
) | frozenset(CLASSES)
"""Titles and other words next to a name, which the passages do not have to contain."""
_OPENERS = _words(
    "according additionally alternatively answer based besides born consequently died finally furthermore hence instead"
    " likewise meanwhile note notably otherwise overall regarding released similarly specifically summary written"
    " however therefore unfortunately sorry yes no not true false unknown none"
)
"""Words other than function words that are not names if they are capitalised at the start of a sentence."""
_AFTER_SUBJECT = _words(
    "is was are were has had have will would can could does did ist war sind waren hat est était sont es era fue son è"
    " fu sono and & or"
)
"""If one of these words follows a capitalised word at the start of a sentence, the capitalised word is a name."""
_GERMAN = _words(
    "der die das und ist nicht ein eine einen dem den des mit wurde für auf im als auch sich wird sind von zum zur"
)
_ADJECTIVE = ("e", "er", "en", "es", "em")
_PARTICLES = _words(
    "al am bin ben da das de del della der des di do dos du el ibn la le les lo of den ten ter van von y zu zum zur"
)
"""Words that may be part of a name although they are in lower case."""
_JOIN_TWO = frozenset({"of"})  # such a word may also join two names, so the names before and after it are separate
_ELIDED = _words("l d qu j n c m t s dell all nell sull un")
"""Words before an apostrophe that are not part of the name after it, as in "l'Irlande"."""
_ENDINGS = ("s", "es", "n", "en")
_LEAST_BARE_LETTERS = 4  # words with fewer letters must occur with the same ending
_OPENING = frozenset("\"'“‘„«([{:;—–•*-#>|`_")
_WORD = re.compile(r"[^\W_]+(?:['’ʼ`´][^\W_]+)*")
_BREAK = re.compile(r"[,;:.!?()\[\]\n|]")
_SEPARATED = re.compile(r"[^\s\-–.&'’]")
"""Matches characters between two words that end a sequence of capitalised words."""


def unsupported_names(answer: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct names, numbers and dates in an answer that no text contains, as spelt in the answer.

    The time is linear in the length of the answer and the texts.

    Args:
        answer: the answer, without citations.
        texts: the question, and the cited passages and parts with their titles.
    """
    there = _TextIndex()
    for text in texts:
        there.add(text)
    marked = [*_named(answer, there), *_numbered(answer, there)]
    surfaces: dict[str, str] = {}
    end = 0
    for start, stop in sorted(marked, key=lambda span: (span[0], -span[1])):
        if stop > end:
            surface = " ".join(answer[start:stop].split())
            surfaces.setdefault(fold(surface), surface)
            end = stop
    return tuple(surfaces.values())


_Span = tuple[int, int]


class _Token(NamedTuple):
    """A word in a text.

    Attributes:
        key: the word in a normalised spelling.
        breaks: True if punctuation that separates names precedes the word.
    """

    key: str
    start: int
    end: int
    capital: bool
    breaks: bool


def _tokens(text: str) -> Iterator[_Token]:
    before = 0
    initial = False
    for match in _WORD.finditer(text):
        start, end = match.span()
        word = match.group()
        if not word.isalnum():  # the word contains an apostrophe
            parts = [part for part in re.split(r"['’ʼ`´]", word) if part]
            if len(parts) > 1 and parts[0].lower() in _ELIDED:
                start += len(parts[0]) + 1
                parts = parts[1:]
            elif len(parts) > 1 and parts[-1].lower() == "s":
                end -= 2
                parts = parts[:-1]
            word = "".join(parts)
        parted = not (initial and text[before:start] in (".", ". ")) and _BREAK.search(text, before, start) is not None
        yield _Token(fold(word), start, end, text[start].isupper(), parted)
        before, initial = end, len(word) == 1


@dataclass(slots=True)
class _TextIndex:
    """Index of the texts.

    Attributes:
        words: map from each word to its positions in all texts.
        lower: the words that occur in lower case.
        joined: each number in digits, joined with the word before it, such as "e42" for "E 42".
        text: the texts, case-folded.
        clauses: for each position, the number of the clause. A clause ends at punctuation that separates names.
    """

    figures: Figures = field(default_factory=Figures)
    words: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    lower: set[str] = field(default_factory=set[str])
    joined: set[str] = field(default_factory=set[str])
    text: list[str] = field(default_factory=list[str])
    clauses: list[int] = field(default_factory=list[int])
    _known: dict[tuple[str, ...], bool] = field(default_factory=dict[tuple[str, ...], bool])

    def add(self, text: str) -> None:
        self.figures.add(text)
        self.text.append(text.casefold())
        clause = self.clauses[-1] + 1 if self.clauses else 0
        before = ""
        for at, token in enumerate(_tokens(text), start=len(self.clauses) + _MOST_WORDS_BETWEEN):
            clause += token.breaks
            self.words.setdefault(token.key, []).append(at)
            self.clauses.append(clause)
            if not token.capital:
                self.lower.add(token.key)
            if token.key.isdigit():
                self.joined.add(before + token.key)
            before = token.key
        self.clauses += [clause] * _MOST_WORDS_BETWEEN

    def form(self, key: str) -> str:
        """Return the word, or a form of it with a different ending, that occurs in the texts; "" if none does."""
        if key in self.words:
            return key
        for ending in _ENDINGS:
            if len(key) >= _LEAST_BARE_LETTERS and key + ending in self.words:
                return key + ending
            bare = key.removesuffix(ending)
            if bare != key and len(bare) >= _LEAST_BARE_LETTERS and bare in self.words:
                return bare
        return ""

    def has_word(self, key: str) -> bool:
        return bool(self.form(key)) or key in self.joined

    def has_month(self, key: str) -> bool:
        return key in MONTHS and self.figures.has_month(MONTHS[key])

    def has_shape(self, surface: str) -> bool:
        """Return True if the texts contain an identifier, other than as part of a longer identifier."""
        wanted = surface.casefold()
        if (known := self._known.get((wanted,))) is None:
            known = self._known[wanted,] = self._has(wanted)
        return known

    def _has(self, wanted: str) -> bool:
        for text in self.text:
            at = text.find(wanted)
            while at >= 0:
                around = text[max(0, at - 1) : at], text[at + len(wanted) : at + len(wanted) + 1]
                if not any(char.isalnum() or char in "_-" for char in around):
                    return True
                at = text.find(wanted, at + len(wanted))
        return False

    def together(self, keys: Sequence[str]) -> bool:
        """Return True if the words of a name occur close together, in the same order and clause.

        The last word may also come first, before a comma, as in "Stoker, Bram".
        """
        if (known := self._known.get(tuple(keys))) is None:
            known = self._chained(keys, across=False) or self._chained([keys[-1], *keys[:-1]], across=True)
            self._known[tuple(keys)] = known
        return known

    def _chained(self, keys: Sequence[str], *, across: bool) -> bool:
        places = [set(self.words.get(self.form(key), ())) for key in keys[1:]]
        for begin in self.words.get(self.form(keys[0]), ()):
            at = begin
            for step, following in enumerate(places):
                reach = 1 if across and step == 0 else _MOST_WORDS_BETWEEN
                found = next((n for n in range(at + 1, at + reach + 1) if n in following), None)
                if found is None or (self._clause(found) != self._clause(at) and not (across and step == 0)):
                    break
                at = found
            else:
                return True
        return False

    def _clause(self, at: int) -> int:
        return self.clauses[at - _MOST_WORDS_BETWEEN]


def _numbered(answer: str, there: _TextIndex) -> Iterator[_Span]:
    """Yield the spans of numbers and dates that no text contains. Numbers of list items are ignored."""
    for figure in figures(answer):
        if not figure.is_item_number and not there.figures.have(figure):
            yield _with_letters(answer, figure)


def _with_letters(text: str, figure: Figure) -> _Span:
    """Return the span of a number together with the letters directly before and after it, as in "19th" and "E42"."""
    start, end = figure.start, figure.end
    while start > 0 and text[start - 1].isalnum() and figure.start - start < _LONGEST_PREFIX_LETTERS:
        start -= 1
    while end < len(text) and text[end].isalnum() and end - figure.end < _MOST_WORDS_BETWEEN:
        end += 1
    return start, end


def _named(answer: str, there: _TextIndex) -> Iterator[_Span]:
    numbered = list(spans_of(figures(answer)))
    formed = shapes(answer)
    for shape in formed:
        if not there.has_shape(answer[shape.start : shape.end].removesuffix("()")):
            yield shape.start, shape.end
    in_shapes = [(shape.start, shape.end) for shape in formed]
    german = _is_german(answer)
    length = len(answer.strip())
    start = 0
    for sentence in sentence_texts(answer, sentence_starts(answer)):
        for offset, line in _lines(sentence):
            if _is_heading(line, alone=len(line.strip()) == length):
                continue
            place = start + offset
            tokens = [
                token
                for token in _tokens(line)
                if not inside(numbered, place + token.start) and not inside(in_shapes, place + token.start)
            ]
            for begin, end in _names_of(line, tokens, there, german=german):
                yield place + begin, place + end
        start += len(sentence)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, line
        at += len(line)


def _is_heading(line: str, *, alone: bool) -> bool:
    text = line.strip()
    bold = text.startswith("**") and text.endswith("**") and "**" not in text[2:-2]
    return not alone and (text.startswith("#") or text.endswith((":", ":**")) or bold)


def _is_german(text: str) -> bool:
    words = text.lower().split()
    german = sum(word in _GERMAN for word in words)
    return german > 1 and german > sum(word in FUNCTION_WORDS and word not in _GERMAN for word in words)


def _names_of(line: str, tokens: Sequence[_Token], there: _TextIndex, *, german: bool) -> Iterator[_Span]:
    whole = len([token for token in tokens if token.key not in FUNCTION_WORDS]) <= _MOST_WORDS_BETWEEN
    for run, first in _runs(line, tokens):
        begins = first == 0 or line[: run[0].start].rstrip()[-1:] in _OPENING
        words = [token for token in run if not _is_common_word(token, begins=begins and token is run[0], there=there)]
        if not words:
            continue
        plain = len(words) == 1 and words[0].key.isalpha() and not words[0].key.isupper()
        acronym = line[words[0].start : words[0].end].isupper() and len(words[0].key) > 1
        if plain and not acronym and not whole:
            if german:
                continue
            if begins and words[0] is run[0] and not _is_subject(line, tokens, first, run):
                continue
        if german and len(words) > 1 and begins and words[0].key.endswith(_ADJECTIVE):
            words = words[1:]
            if len(words) == 1:
                continue
        if not _is_there(words, there, german=german):
            yield words[0].start, words[-1].end


def _runs(line: str, tokens: Sequence[_Token]) -> Iterator[tuple[list[_Token], int]]:
    """Yield sequences of capitalised words, each with the index of its first token."""
    run: list[_Token] = []
    first = 0
    pending = False  # True if the words since the last capitalised word are particles
    for at, token in enumerate(tokens):
        is_name = token.capital or (any(map(str.isdigit, token.key)) and not token.key[0].isdigit())
        gap = line[tokens[at - 1].end : token.start] if at else ""
        parted = _SEPARATED.search(gap) is not None or "\n" in gap or _ends_name(gap, tokens, at)
        if run and parted:
            yield run, first
            run, pending = [], False
        if is_name:
            if run and pending and tokens[at - 1].key in _JOIN_TWO:
                yield run, first
                run = []
            if not run:
                first = at
            run.append(token)
            pending = False
        elif run and token.key in _PARTICLES:
            pending = True
        elif run:
            yield run, first
            run, pending = [], False
    if run:
        yield run, first


def _ends_name(gap: str, tokens: Sequence[_Token], at: int) -> bool:
    """Return True if a full stop before a word ends a name. It does not after an initial or a title.

    Args:
        gap: the text between the word and the word before it.
    """
    before = tokens[at - 1].key
    return "." in gap and len(before) > 1 and before not in _TITLES


def _is_common_word(token: _Token, *, begins: bool, there: _TextIndex) -> bool:
    """Return True if a word is not a name by itself.

    Such words are initials, titles, function words, and common words that are capitalised only because they begin a
    sentence.
    """
    key = token.key
    if len(key) == 1 or key in FUNCTION_WORDS or key in _TITLES:
        return True
    opens = key in _OPENERS or key in _GERMAN or key in _PARTICLES or key in NUMBER_WORDS
    return begins and (opens or key in there.lower or key.endswith("ly"))


def _is_subject(line: str, tokens: Sequence[_Token], first: int, run: Sequence[_Token]) -> bool:
    """Return True if the word after the single capitalised word at the start of a sentence shows that it is a name."""
    following = first + len(run)
    if following >= len(tokens) or line[run[-1].end : run[-1].end + 2] in ("'s", "’s"):
        return True
    gap = line[run[-1].end : tokens[following].start]
    if run[-1].key.endswith(("ing", "ed")):
        return False
    return tokens[following].key in _AFTER_SUBJECT or ("," in gap and tokens[following].capital)


def _is_there(words: Sequence[_Token], there: _TextIndex, *, german: bool) -> bool:
    keys = [word.key for word in words if word.key not in MONTHS or not there.has_month(word.key)]
    if german and len(keys) > 1:  # in "Projekt Sparrow", the passages do not have to contain the noun before the name
        return there.has_word(keys[-1])
    if not all(map(there.has_word, keys)):
        return False
    names = [key for key in keys if there.form(key) not in there.lower and key not in there.joined]
    if not 1 < len(names) <= _LONGEST_JOINED_NAME_WORDS:
        return True
    return there.together(names) or (len(names) > 2 and there.together(names[-2:]))
