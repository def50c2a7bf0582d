"""Finds the words of a question in a passage, to show why the passage was found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.sentences import sentence_starts
from overstory.text.words import MOST_QUERY_WORDS, stem, word_matches

_MOST_MARKED_SPANS = 1_000

_LONGEST_MARKED_SENTENCE_CHARACTERS = 300
"""Maximum length of a sentence that is marked as a whole. In a longer sentence, only a line is marked."""

Span = tuple[int, int]
"""Start and end offset in a text."""


@dataclass(frozen=True, slots=True)
class AskedWords:
    """The words of a question, without function words unless there are no others.

    Attributes:
        forms: first spelling of each word in the question, by stem, in the order of the question.
    """

    forms: Mapping[str, str]

    @classmethod
    def of(cls, question: str) -> AskedWords:
        """Return the words of a question, in linear time."""
        distinctive: dict[str, str] = {}
        common: dict[str, str] = {}
        for match in word_matches(question):
            word = match.group()
            kind = common if word.lower() in FUNCTION_WORDS else distinctive
            kind.setdefault(stem(word), word)
            if len(distinctive) >= MOST_QUERY_WORDS:
                break
        return cls(distinctive or common)

    def spans(self, text: str) -> tuple[Span, ...]:
        """Return the spans of the question's words in a text, in order. Only the first 1,000 spans are returned."""
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
        """Return the words that occur in any of the texts, as written in the question and in the same order."""
        found = {stem(text[start:end]) for text in texts for start, end in self.spans(text)}
        return [form for each, form in self.forms.items() if each in found]

    def best_sentence(self, text: str, spans: tuple[Span, ...]) -> Span | None:
        """Return the span of the sentence that contains the most words of the question; None if there are none.

        If several sentences contain equally many distinct words, it is the first of them. A long sentence, such as a
        table, is split into its lines.

        Args:
            spans: result of `AskedWords.spans` for this text.
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
    """Yield the offset of each sentence, and of each line in a long sentence."""
    starts = sentence_starts(text)
    for start, stop in zip(starts, [*starts[1:], len(text)], strict=True):
        yield start
        if stop - start > _LONGEST_MARKED_SENTENCE_CHARACTERS:
            yield from (line.end() for line in _LINE.finditer(text, start, stop) if start < line.end() < stop)


_LINE = re.compile("\n+")
