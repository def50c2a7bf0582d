"""Splitting documents into chunks. Progress is also reported within long texts, which can take minutes."""

from __future__ import annotations

from pathlib import PurePosixPath

from overstory.display import counted, origin, shortened
from overstory.model import Document, TextPiece
from overstory.protocols import Embedder, Progress
from overstory.text import split

_MILLION = 1_000_000
LONG_TEXT_CHARACTERS = 2 * _MILLION
"""Minimum length of a text whose own progress is reported. Splitting takes 1 to 5 s per million characters."""

_NAME_WIDTH = 30


class Chunking:
    """The progress of splitting documents into chunks. While a long text is split, its own progress is shown."""

    def __init__(self, task: str, embedder: Embedder, progress: Progress) -> None:
        """Start to report progress.

        Args:
            embedder: embedder whose token limit no chunk may exceed.
        """
        self._task = task
        self._embedder = embedder
        self._progress = progress
        self._documents = 0
        progress.start(task, None, "documents")

    def advance(self, documents: int) -> None:
        self._documents += documents
        self._progress.advance(documents)

    def pieces(self, document: Document) -> list[TextPiece]:
        count, limit = self._embedder.count_tokens, self._embedder.token_limit
        if len(document.text) < LONG_TEXT_CHARACTERS:
            return split(document, count, limit)
        name = shortened(origin(PurePosixPath(document.source).name, document.source_key), _NAME_WIDTH)
        counter = _Millions(self._progress, len(document.text))
        self._progress.start("chunk", counter.total, f"million characters of {name}")
        pieces = split(document, count, limit, on_counted=counter)
        self._progress.finish(f"{name}: {counted(len(pieces), 'chunk')}")
        self._progress.start(self._task, None, "documents")
        if self._documents:
            self._progress.advance(self._documents)
        return pieces


class _Millions:
    """Reports progress after every million characters of a text. The splitter passes over each character twice."""

    def __init__(self, progress: Progress, characters: int) -> None:
        self.total = characters // _MILLION
        self._progress = progress
        self._counted = self._reported = 0

    def __call__(self, characters: int) -> None:
        self._counted += characters
        done = min(self._counted // (2 * _MILLION), self.total)
        if done > self._reported:
            self._progress.advance(done - self._reported)
            self._reported = done
