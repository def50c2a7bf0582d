"""Windows: sequences of sentences that fit in one request to a language model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar

from overstory.text.sentences import sentence_starts, sentence_texts

WINDOW_SENTENCES = 16
_WINDOW_CHARACTERS = 3_000
"""Maximum length of a window. Even a small model can read such a window and answer within a thousand tokens."""


class ChunkSentence(NamedTuple):
    """A sentence of the chunk with the id `chunk`. `seq` is its number in the chunk, counted from 0."""

    chunk: str
    seq: int
    text: str


class HasText(Protocol):
    @property
    def text(self) -> str: ...


S = TypeVar("S", bound=HasText)


def sentences_of(chunks: Iterable[tuple[str, str]]) -> list[ChunkSentence]:
    """Return the sentences of chunks, which are given as (id, text).

    Blank sentences are left out, but are counted in `seq`.
    """
    found: list[ChunkSentence] = []
    for chunk, text in chunks:
        texts = [sentence.strip() for sentence in sentence_texts(text, sentence_starts(text))]
        found += [ChunkSentence(chunk, seq, one) for seq, one in enumerate(texts) if one]
    return found


def windows(sentences: Sequence[S], *, overlap: int = 0) -> Iterator[list[S]]:
    """Split a list of sentences into windows.

    A window contains at least one sentence, even if the sentence is too long.

    Args:
        overlap: number of sentences at the end of each window that the next window repeats, at most half a window.
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
    """Return at most `most` sentences from the end of a window, which fill at most half of the next window."""
    last = list(window[len(window) - min(most, WINDOW_SENTENCES // 2) :])
    while sum(len(each.text) for each in last) > _WINDOW_CHARACTERS // 2:
        del last[0]
    return last


def numbered(sentences: Iterable[HasText]) -> str:
    """Return the sentences as lines for a prompt, numbered from 1."""
    return "\n".join(f"{number}. {sentence.text}" for number, sentence in enumerate(sentences, start=1))
