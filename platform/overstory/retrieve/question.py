"""Questions as data: whatever a user types is text to look for, never syntax."""

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
"""Characters read; an embedder reads far fewer, and a full-text query has its own limit below."""

_LONGEST_PARSED_QUESTION_CHARACTERS = 2_000
"""Characters of a question that a spaCy pipeline reads."""

_LONGEST_RUN_OF_MARKS = 8
"""Punctuation marks in a row that a spaCy pipeline reads: its tokenizer takes time in the square of them."""

_RUN = re.compile(rf"((?:[^\w\s]|_){{{_LONGEST_RUN_OF_MARKS}}})(?:[^\w\s]|_)+")
_ALONE = re.compile(r"[\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
"""Characters that Lucene takes for a word each: Han and Hiragana."""


@dataclass(frozen=True)
class Question:
    """A question as retrievers read it.

    Attributes:
        text: without control characters and unpaired surrogates.
        notes: what the reader should know of how it was read.
    """

    text: str
    notes: tuple[str, ...] = ()

    @cached_property
    def tokens(self) -> Tokens:
        """The words of `text`, taken apart when first used."""
        return tokenise(self.text, shapes_of_question)


def read_question(question: str) -> Question:
    """Clean a question that a user typed."""
    check_question(question)
    notes: tuple[str, ...] = ()
    if len(question) > LONGEST_QUESTION_CHARACTERS:
        notes = (f"the question was cut to its first {LONGEST_QUESTION_CHARACTERS:,} of {len(question):,} characters",)
        question = question[:LONGEST_QUESTION_CHARACTERS]
    text = unicodedata.normalize("NFC", question.encode("utf-8", "replace").decode("utf-8"))  # as loaders do
    return Question(" ".join("".join(char if _is_text(char) else " " for char in text).split()), notes)


def check_question(question: object) -> None:
    """Refuse what `read_question` would find nothing in. It stops at the first character that can be seen."""
    if not isinstance(question, str):
        raise QuestionError(f"The question is no text but {type(question).__name__}.", remedy="Give a string.")
    if not any(_is_seen(char) for char in question[:LONGEST_QUESTION_CHARACTERS]):
        raise QuestionError("The question is empty.", remedy="Ask something, like 'Who wrote Dracula?'")


def shortened_for_parser(question: str) -> tuple[str, tuple[str, ...]]:
    """A question as a spaCy pipeline may read it, in bounded time; and a note if it is shorter than the question."""
    text = _RUN.sub(r"\1", question)[:_LONGEST_PARSED_QUESTION_CHARACTERS]
    if len(text) == len(question):
        return question, ()
    return text, (f"the parser read {len(text):,} of the question's {len(question):,} characters",)


def full_text_query(question: str) -> str:
    """A Lucene query for the words of a question, any of them; "" if it has none.

    Lower case makes AND, OR and NOT words like others, and nothing but letters with their marks, digits and "_" is
    left, so that no character of Lucene's syntax is.
    """
    apart = _ALONE.sub(r" \g<0> ", question.lower())
    words = "".join(char if _is_of_a_word(char) else " " for char in apart).split()
    return " ".join(list(dict.fromkeys(word[:LONGEST_WORD_CHARACTERS] for word in words))[:MOST_QUERY_WORDS])


def _is_text(char: str) -> bool:
    """False for control characters, but not for the joiners that Persian, Indic scripts and emoji are written with."""
    return char in "\u200c\u200d" or not unicodedata.category(char).startswith("C")


def _is_seen(char: str) -> bool:
    """True for unpaired surrogates, too: they become question marks."""
    return not char.isspace() and (_is_text(char) or unicodedata.category(char) == "Cs")


def _is_of_a_word(char: str) -> bool:
    """Letters, marks (the vowel signs of Indic scripts are some) and numbers."""
    return char == "_" or unicodedata.category(char)[0] in "LMN"
