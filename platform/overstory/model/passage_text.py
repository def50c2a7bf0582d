"""The text that is embedded for a chunk. Chunking counts its tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

TEMPLATE = "title, heading, text; one a line; 1"
"""Version of the template, part of embedder fingerprints. Change it whenever `passage_text` may return another text."""

PATH_SEPARATOR = " › "


def passage_text(title: str, heading: str, text: str) -> str:
    """Join title, heading path and text with line breaks, without empty lines and without repeating the title."""
    if heading == title:
        heading = ""
    elif title:
        heading = heading.removeprefix(title + PATH_SEPARATOR)
    return "\n".join(part for part in (title, heading, text) if part)


_WORD_LETTERS_A_TOKEN = 3
_NAME_LETTERS_A_TOKEN = 2
"""Letters per token, estimated low: English words have four to five, rare names between two and three."""

_WORD = re.compile(r"[A-Za-z]+")
_JOINED = re.compile(r" (?=[A-Za-z])")


def count_at_most(text: str) -> int:
    """Return an upper bound on the tokens of a text for any tokenizer.

    Counts one token per three letters of a word, per two letters of a capitalised word, and per byte of anything else.
    """
    words: list[str] = _WORD.findall(text)
    tokens = sum(
        -(-len(word) // (_NAME_LETTERS_A_TOKEN if word[0].isupper() else _WORD_LETTERS_A_TOKEN)) for word in words
    )
    joined = len(_JOINED.findall(text))  # tokenizers merge the space before a word into the word's first token
    return tokens + len(text.encode(errors="replace")) - sum(map(len, words)) - joined


_BLANK_LINES = re.compile(r"\n\s*\n")


def without_boilerplate(text: str, spans: Sequence[int]) -> str:
    """Replace each boilerplate character by a space, so that positions stay valid.

    Args:
        spans: start and end of each block as a flat list: [0, 12, 40, 55].
    """
    parts: list[str] = []
    done = 0
    for start, end in _pairs(spans):
        parts += [text[done:start], " " * (end - start)]
        done = end
    return "".join([*parts, text[done:]])


def squeezed(text: str, spans: Sequence[int]) -> str:
    """Return the text without its boilerplate and the blank lines around it."""
    if not spans:
        return text
    return _BLANK_LINES.sub("\n\n", without_boilerplate(text, spans)).strip()


def _pairs(spans: Sequence[int]) -> Iterator[tuple[int, int]]:
    return zip(spans[::2], spans[1::2], strict=True)
