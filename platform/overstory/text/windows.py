"""Windows of sentences: the part of a document that one request to a language model contains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar

from overstory.text.sentences import sentence_starts, sentence_texts

WINDOW_SENTENCES = 16
_WINDOW_CHARACTERS = 3_000
"""Maximum length of a window. A small model can read it, and answer within a thousand tokens."""


class ChunkSentence(NamedTuple):
    """A sentence of a chunk. `seq` is its number in the chunk, from 0."""

    chunk: str
    seq: int
    text: str


class HasText(Protocol):
    @property
    def text(self) -> str: ...


S = TypeVar("S", bound=HasText)


def sentences_of(chunks: Iterable[tuple[str, str]]) -> list[ChunkSentence]:
    """Return the sentences of (id, text) chunks. Blank sentences are left out, but counted in `seq`."""
    found: list[ChunkSentence] = []
    for chunk, text in chunks:
        texts = [sentence.strip() for sentence in sentence_texts(text, sentence_starts(text))]
        found += [ChunkSentence(chunk, seq, one) for seq, one in enumerate(texts) if one]
    return found


def windows(sentences: Sequence[S], *, overlap: int = 0) -> Iterator[list[S]]:
    """Yield windows of consecutive sentences. A window has at least one sentence, however long.

    Args:
        overlap: number of sentences that a window repeats from the one before, at most half a window.
    """
    window: list[S] = []
    characters = repeated = 0
    for sentence in sentences:
        full = len(window) == WINDOW_SENTENCES or characters + len(sentence.text) > _WINDOW_CHARACTERS
        if len(window) > repeated and full:
            yield window
            window = _end_of(window, overlap)
            characters, repeated = sum(len(each.text) for each in window), len(window)
        window.append(sentence)
        characters += len(sentence.text)
    if len(window) > repeated:
        yield window


def _end_of(window: Sequence[S], most: int) -> list[S]:
    """Return the sentences that the next window repeats; they fill at most half of it."""
    last = list(window[len(window) - min(most, WINDOW_SENTENCES // 2) :])
    while sum(len(each.text) for each in last) > _WINDOW_CHARACTERS // 2:
        del last[0]
    return last


def numbered(sentences: Iterable[HasText]) -> str:
    """Return the sentences as numbered lines, from 1, for a prompt."""
    return "\n".join(f"{number}. {sentence.text}" for number, sentence in enumerate(sentences, start=1))
