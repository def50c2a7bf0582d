"""Figures that all systems record about an index build: seconds per step, embedded texts and model requests."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from overstory.llm import Chat, Spent
from overstory.protocols import Embedder, Vectors


class PartSeconds:
    """Measures the seconds spent in each part of a build, and adds them to its figures under `PART_seconds`.

    The time spent in a nested part does not count for the enclosing part.
    """

    def __init__(self, figures: dict[str, float]) -> None:
        self._figures = figures
        self._inner: list[float] = []

    @contextmanager
    def __call__(self, part: str) -> Generator[None]:
        began = time.perf_counter()
        self._inner.append(0.0)
        try:
            yield
        finally:
            took = time.perf_counter() - began
            own = took - self._inner.pop()
            if self._inner:
                self._inner[-1] += took
            name = f"{part}_seconds"
            self._figures[name] = round(self._figures.get(name, 0.0) + own, 3)


class TimedEmbedder:
    """A wrapper around an embedder that records `embed_seconds` and `texts_embedded` in the figures of a build."""

    def __init__(self, embedder: Embedder, timed: PartSeconds, figures: dict[str, float]) -> None:
        self._embedder = embedder
        self._timed = timed
        self._figures = figures
        self.fingerprint = embedder.fingerprint
        self.token_limit = embedder.token_limit

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        self._figures["texts_embedded"] = self._figures.get("texts_embedded", 0) + len(texts)
        with self._timed("embed"):
            return self._embedder.embed(texts)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)


class ModelRequests:
    """Counts the language model requests of an index stage since this object was created."""

    def __init__(self, chat: Chat | None, stage: str) -> None:
        self._chat, self._stage = chat, stage
        self._before = self._spent()

    def figures(self) -> Mapping[str, float]:
        """Return the numbers of requests, cached answers and tokens so far, or nothing without a language model."""
        if self._chat is None:
            return {}
        spent = self._spent() - self._before
        return {
            "requests": spent.requests,
            "cached_answers": spent.remembered,
            "prompt_tokens": spent.usage.prompt_tokens,
            "completion_tokens": spent.usage.completion_tokens,
        }

    def _spent(self) -> Spent:
        return self._chat.usage.by_stage.get(self._stage, Spent()) if self._chat is not None else Spent()
