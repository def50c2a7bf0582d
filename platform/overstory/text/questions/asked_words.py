"""The words of a question, and where a text has them: what people are shown of why a passage was found."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.sentences import sentence_starts
from overstory.text.stems import stem

MOST_WORDS = 300
"""Different words of a question that are looked for, as many as the full-text index is asked for."""

MOST_SPANS = 1_000
"""Words marked in one text."""

LONGEST_SENTENCE = 300
"""Characters of a sentence that is marked as a whole."""

Span = tuple[int, int]
"""The first character and the one after the last."""

_HAN = "\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Characters that the full-text index takes for a word each."""


@dataclass(frozen=True, slots=True)
class AskedWords:
    """The words that tell a question from others, by their stems; all of its words where there are only common ones.

    Attributes:
        forms: by stem, how the question writes it first, in the order of the question.
    """

    forms: Mapping[str, str]

    @classmethod
    def of(cls, question: str) -> AskedWords:
        """Those of a question. Takes time in proportion to its length."""
        telling: dict[str, str] = {}
        common: dict[str, str] = {}
        for match in _words(question):
            word = match.group()
            kind = common if word.lower() in FUNCTION_WORDS else telling
            kind.setdefault(stem(word), word)
            if len(telling) >= MOST_WORDS:
                break
        return cls(telling or common)

    def spans(self, text: str) -> tuple[Span, ...]:
        """Where a text has them, in its order; the first `MOST_SPANS`."""
        firsts = {each[0] for each in self.forms}
        found: list[Span] = []
        for match in _words(text) if firsts else ():
            word = match.group()
            if word[0].lower()[0] in firsts and stem(word) in self.forms:
                found.append(match.span())
                if len(found) == MOST_SPANS:
                    break
        return tuple(found)

    def found_in(self, *texts: str) -> list[str]:
        """Those that one of these texts has, as the question writes them, in its order."""
        found = {stem(text[start:end]) for text in texts for start, end in self.spans(text)}
        return [form for each, form in self.forms.items() if each in found]

    def best_sentence(self, text: str, spans: tuple[Span, ...]) -> Span | None:
        """The sentence with most different ones, of several the first, without the white space around it.

        Of a sentence longer than `LONGEST_SENTENCE`, such as a table, the line with most of them.

        Args:
            spans: of the text.

        Returns:
            None where no sentence has one.
        """
        if not spans:
            return None
        starts = list(_short_starts(text))
        stops = [*starts[1:], len(text)]
        held: dict[int, set[str]] = {}
        number = 0
        for start, end in spans:
            while start >= stops[number]:
                number += 1
            held.setdefault(number, set()).add(stem(text[start:end]))
        best = max(held, key=lambda each: (len(held[each]), -each))
        sentence = text[starts[best] : stops[best]]
        first = starts[best] + len(sentence) - len(sentence.lstrip())
        return first, first + len(sentence.strip())


def _short_starts(text: str) -> Iterator[int]:
    """Where sentences begin, and the lines of long ones."""
    starts = sentence_starts(text)
    for start, stop in zip(starts, [*starts[1:], len(text)], strict=True):
        yield start
        if stop - start > LONGEST_SENTENCE:
            yield from (line.end() for line in _LINE.finditer(text, start, stop) if start < line.end() < stop)


def _words(text: str) -> Iterator[re.Match[str]]:
    return (_ASCII if text.isascii() else _any_word()).finditer(text)


_LINE = re.compile("\n+")
_ASCII = re.compile(r"[a-zA-Z0-9_]+(?:'[a-zA-Z0-9_]+)*")


@functools.cache
def _any_word() -> re.Pattern[str]:
    """Runs of the commonest letters come first, and marks are ranges: three times as fast as character by character."""
    letters = rf"(?:[a-zA-Z0-9_]+|[^\W{_HAN}]+|[{_marks()}]+)+"
    return re.compile(rf"{letters}(?:['’＇]{letters})*|[{_HAN}]")


def _marks() -> str:
    """Combining marks that are no words themselves, as ranges of a class of characters."""
    alone = re.compile(f"[{_HAN}]")
    marks = [
        code
        for code in range(0x300, 0x20000)
        if unicodedata.category(chr(code))[0] == "M" and not alone.match(chr(code))
    ]
    runs = (list(run) for _, run in groupby(enumerate(marks), key=lambda each: each[1] - each[0]))
    return "".join(f"{chr(run[0][1])}-{chr(run[-1][1])}" for run in runs)
