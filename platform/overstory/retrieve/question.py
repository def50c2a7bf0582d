"""Cleaning of questions. A question is always searched as plain text, never interpreted as query syntax."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

from overstory.errors import QuestionError
from overstory.text.names.shapes import shapes_of_question
from overstory.text.names.tokens import Tokens, tokenise
from overstory.text.words import LONGEST_WORD_CHARACTERS, MOST_QUERY_WORDS

LONGEST_QUESTION_CHARACTERS = 20_000
"""Longer questions are cut to this number of characters. Embedders and full-text queries use far fewer."""

_LONGEST_PARSED_QUESTION_CHARACTERS = 2_000
"""Only this many characters of a question are parsed with spaCy."""

_LONGEST_RUN_OF_MARKS = 8
"""Longer sequences of punctuation marks are cut before parsing, because spaCy's tokenizer needs quadratic time."""

_RUN = re.compile(rf"((?:[^\w\s]|_){{{_LONGEST_RUN_OF_MARKS}}})(?:[^\w\s]|_)+")
_ALONE = re.compile(r"[\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
"""Matches a Han or Hiragana character. Lucene treats each of these characters as a word."""


@dataclass(frozen=True)
class Question:
    """A cleaned question.

    Attributes:
        text: the question on one line, without control characters. "?" replaces each unpaired surrogate.
        notes: warnings for the user, for example that the question was cut.
    """

    text: str
    notes: tuple[str, ...] = ()

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens of `text`, computed on first use."""
        return tokenise(self.text, shapes_of_question)


def read_question(question: str) -> Question:
    """Clean a question that a user typed.

    Raises:
        QuestionError: the question is not a string, or has no visible character.
    """
    check_question(question)
    notes: tuple[str, ...] = ()
    if len(question) > LONGEST_QUESTION_CHARACTERS:
        notes = (f"the question was cut to its first {LONGEST_QUESTION_CHARACTERS:,} of {len(question):,} characters",)
        question = question[:LONGEST_QUESTION_CHARACTERS]
    text = unicodedata.normalize("NFC", question.encode("utf-8", "replace").decode("utf-8"))  # as loaders do
    return Question(" ".join("".join(char if _is_text(char) else " " for char in text).split()), notes)


def check_question(question: object) -> None:
    """Raise `QuestionError` if a question is not a string or has no visible character."""
    if not isinstance(question, str):
        raise QuestionError(f"The question must be a string, got {type(question).__name__}.", remedy="Pass a string.")
    if not any(_is_seen(char) for char in question[:LONGEST_QUESTION_CHARACTERS]):
        raise QuestionError("The question is empty.", remedy="Ask something, such as 'Who wrote Dracula?'")


def shortened_for_parser(question: str) -> tuple[str, tuple[str, ...]]:
    """Shorten a question so that spaCy parses it in bounded time. Return the text, and a note if it was shortened."""
    text = _RUN.sub(r"\1", question)[:_LONGEST_PARSED_QUESTION_CHARACTERS]
    if len(text) == len(question):
        return question, ()
    return text, (f"the parser read {len(text):,} of the question's {len(question):,} characters",)


def full_text_query(question: str) -> str:
    """Return a Lucene query that matches any word of a question; "" if the question contains no words.

    The query is in lower case and contains only letters, marks, digits, "_" and spaces. It therefore contains no Lucene
    syntax such as AND, OR or quotation marks.
    """
    apart = _ALONE.sub(r" \g<0> ", question.lower())
    words = "".join(char if _is_of_a_word(char) else " " for char in apart).split()
    return " ".join(list(dict.fromkeys(word[:LONGEST_WORD_CHARACTERS] for word in words))[:MOST_QUERY_WORDS])


def _is_text(char: str) -> bool:
    """Return False for control characters, except the two joiners that Persian, Indic scripts and emoji need."""
    return char in "\u200c\u200d" or not unicodedata.category(char).startswith("C")


def _is_seen(char: str) -> bool:
    """Return True for a visible character, and for an unpaired surrogate, which is replaced by "?"."""
    return not char.isspace() and (_is_text(char) or unicodedata.category(char) == "Cs")


def _is_of_a_word(char: str) -> bool:
    """Return True for "_", letters, numbers and marks (such as the vowel signs of Indic scripts)."""
    return char == "_" or unicodedata.category(char)[0] in "LMN"
