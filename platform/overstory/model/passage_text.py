"""The text that is embedded for a chunk. Chunking counts it, and embedders name it in their fingerprints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

TEMPLATE = "title, heading, text; one a line; 1"
"""Names the template in the fingerprints of embedders; changes whenever `passage_text` may give another text."""

PATH_SEPARATOR = " › "


def passage_text(title: str, heading: str, text: str) -> str:
    """Title, path of headings and text, one a line, without empty lines and without a repeated title."""
    if heading == title:
        heading = ""
    elif title:
        heading = heading.removeprefix(title + PATH_SEPARATOR)
    return "\n".join(part for part in (title, heading, text) if part)


_WORD_LETTERS_A_TOKEN = 3
_NAME_LETTERS_A_TOKEN = 2
"""Letters a token, on the safe side: English words have four to five, rare names between two and three."""

_WORD = re.compile(r"[A-Za-z]+")
_JOINED = re.compile(r" (?=[A-Za-z])")


def count_at_most(text: str) -> int:
    """An upper estimate of a text's tokens, whatever the tokenizer: of a word three letters a token, of one that begins
    with a capital two, and of all else every byte, as for tokenizers that know no better."""
    words: list[str] = _WORD.findall(text)
    tokens = sum(
        -(-len(word) // (_NAME_LETTERS_A_TOKEN if word[0].isupper() else _WORD_LETTERS_A_TOKEN)) for word in words
    )
    joined = len(_JOINED.findall(text))  # a space before a word is a part of its first token
    return tokens + len(text.encode(errors="replace")) - sum(map(len, words)) - joined


_BLANK_LINES = re.compile(r"\n\s*\n")


def without_boilerplate(text: str, spans: Sequence[int]) -> str:
    """The text with spaces for each character of its boilerplate, so that positions in it stay right.

    Args:
        spans: first character and end of each block, one after the other: [0, 12, 40, 55].
    """
    parts: list[str] = []
    done = 0
    for start, end in _pairs(spans):
        parts += [text[done:start], " " * (end - start)]
        done = end
    return "".join([*parts, text[done:]])


def squeezed(text: str, spans: Sequence[int]) -> str:
    """The text without its boilerplate and the blank lines around it."""
    if not spans:
        return text
    return _BLANK_LINES.sub("\n\n", without_boilerplate(text, spans)).strip()


def _pairs(spans: Sequence[int]) -> Iterator[tuple[int, int]]:
    return zip(spans[::2], spans[1::2], strict=True)
