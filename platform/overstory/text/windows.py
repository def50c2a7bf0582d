"""Windows of sentences: what one request to a language model holds of a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar

from overstory.text.sentences import sentence_starts, sentence_texts

WINDOW_SENTENCES = 16
_WINDOW_CHARACTERS = 3_000
"""The most of a window: what a small model can take in, and answer within a thousand tokens."""


class ChunkSentence(NamedTuple):
    """A sentence of a chunk; `seq` counts from 0 in there."""

    chunk: str
    seq: int
    text: str


class HasText(Protocol):
    @property
    def text(self) -> str: ...


S = TypeVar("S", bound=HasText)


def sentences_of(chunks: Iterable[tuple[str, str]]) -> list[ChunkSentence]:
    """The sentences of chunks, (id, text) each, by rules; blank ones are left out, though they count."""
    found: list[ChunkSentence] = []
    for chunk, text in chunks:
        texts = [sentence.strip() for sentence in sentence_texts(text, sentence_starts(text))]
        found += [ChunkSentence(chunk, seq, one) for seq, one in enumerate(texts) if one]
    return found


def windows(sentences: Sequence[S], *, overlap: int = 0) -> Iterator[list[S]]:
    """Sentences that one request holds: at least one, however long it is.

    Args:
        overlap: how many of its last sentences the next window begins with, fewer where they are more than half of one.
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
    """The last sentences of a window that leave half of the next one for others."""
    last = list(window[len(window) - min(most, WINDOW_SENTENCES // 2) :])
    while sum(len(each.text) for each in last) > _WINDOW_CHARACTERS // 2:
        del last[0]
    return last


def numbered(sentences: Iterable[HasText]) -> str:
    """One a line, from 1: how a request shows a window."""
    return "\n".join(f"{number}. {sentence.text}" for number, sentence in enumerate(sentences, start=1))
