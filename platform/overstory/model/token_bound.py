"""An upper bound of a text's tokens, for budgets that must hold whatever the tokenizer."""

from __future__ import annotations

import re

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
