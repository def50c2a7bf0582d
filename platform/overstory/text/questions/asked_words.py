"""The words of a question, and where a text has them: what people are shown of why a passage was found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.sentences import sentence_starts
from overstory.text.words import MOST_QUERY_WORDS, stem, word_matches

_MOST_MARKED_SPANS = 1_000
"""Words marked in one text."""

_LONGEST_MARKED_SENTENCE_CHARACTERS = 300
"""Characters of a sentence that is marked as a whole."""

Span = tuple[int, int]
"""The first character and the one after the last."""


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
        for match in word_matches(question):
            word = match.group()
            kind = common if word.lower() in FUNCTION_WORDS else telling
            kind.setdefault(stem(word), word)
            if len(telling) >= MOST_QUERY_WORDS:
                break
        return cls(telling or common)

    def spans(self, text: str) -> tuple[Span, ...]:
        """Where a text has them, in its order; the first `_MOST_MARKED_SPANS`."""
        firsts = {each[0] for each in self.forms}
        found: list[Span] = []
        for match in word_matches(text) if firsts else ():
            word = match.group()
            if word[0].lower()[0] in firsts and stem(word) in self.forms:
                found.append(match.span())
                if len(found) == _MOST_MARKED_SPANS:
                    break
        return tuple(found)

    def found_in(self, *texts: str) -> list[str]:
        """Those that one of these texts has, as the question writes them, in its order."""
        found = {stem(text[start:end]) for text in texts for start, end in self.spans(text)}
        return [form for each, form in self.forms.items() if each in found]

    def best_sentence(self, text: str, spans: tuple[Span, ...]) -> Span | None:
        """The sentence with most different ones, of several the first, without the white space around it.

        Of a sentence longer than `_LONGEST_MARKED_SENTENCE_CHARACTERS`, such as a table, the line with most of them.

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
        if stop - start > _LONGEST_MARKED_SENTENCE_CHARACTERS:
            yield from (line.end() for line in _LINE.finditer(text, start, stop) if start < line.end() < stop)


_LINE = re.compile("\n+")
