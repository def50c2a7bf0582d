"""The text of a chunk that is embedded, and upper bounds on the number of its tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

TEMPLATE = "title, heading, text; one a line; 1"
"""Version of `passage_text`, which is part of embedder fingerprints. Change it whenever the function is changed."""

PATH_SEPARATOR = " › "


def passage_text(title: str, heading: str, text: str) -> str:
    """Join title, heading and text with line breaks. Empty parts, and a title repeated in the heading, are left out."""
    if heading == title:
        heading = ""
    elif title:
        heading = heading.removeprefix(title + PATH_SEPARATOR)
    return "\n".join(part for part in (title, heading, text) if part)


_WORD_LETTERS_A_TOKEN = 3
_NAME_LETTERS_A_TOKEN = 2
"""Minimum number of letters per token. English words have four or five letters per token; rare names, two to three."""

_WORD = re.compile(r"[A-Za-z]+")
_JOINED = re.compile(r" (?=[A-Za-z])")


def count_at_most(text: str) -> int:
    """Return an estimated upper bound on the number of tokens in a text, for any tokenizer.

    Three letters of a word, two letters of a capitalised word, and one byte of anything else count as one token each.
    """
    words: list[str] = _WORD.findall(text)
    tokens = sum(
        -(-len(word) // (_NAME_LETTERS_A_TOKEN if word[0].isupper() else _WORD_LETTERS_A_TOKEN)) for word in words
    )
    joined = len(_JOINED.findall(text))  # a space before a word belongs to the first token of the word
    return tokens + len(text.encode(errors="replace")) - sum(map(len, words)) - joined


_BLANK_LINES = re.compile(r"\n\s*\n")


def without_boilerplate(text: str, spans: Sequence[int]) -> str:
    """Replace each character of boilerplate by a space, so that positions in the text stay valid.

    Args:
        spans: positions at which blocks of boilerplate start and end, such as [0, 12, 40, 55] for two blocks.
    """
    parts: list[str] = []
    done = 0
    for start, end in _pairs(spans):
        parts += [text[done:start], " " * (end - start)]
        done = end
    return "".join([*parts, text[done:]])


def squeezed(text: str, spans: Sequence[int]) -> str:
    """Return the text without boilerplate and without the blank lines that it would leave behind.

    Args:
        spans: positions as in `without_boilerplate`.
    """
    if not spans:
        return text
    return _BLANK_LINES.sub("\n\n", without_boilerplate(text, spans)).strip()


def _pairs(spans: Sequence[int]) -> Iterator[tuple[int, int]]:
    return zip(spans[::2], spans[1::2], strict=True)
