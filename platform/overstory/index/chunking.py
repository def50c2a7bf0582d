"""Documents into chunks, with progress inside a long text: that of documents stands still for minutes there."""

from __future__ import annotations

from pathlib import PurePosixPath

from overstory.display import counted, origin, shortened
from overstory.model import Document, TextPiece
from overstory.protocols import Embedder, Progress
from overstory.text import split

_MILLION = 1_000_000
LONG_TEXT_CHARACTERS = 2 * _MILLION
"""Characters of a text that has a progress of its own; cutting takes one to five seconds a million."""

_NAME_WIDTH = 30


class Chunking:
    """A task over documents that cuts them. A long text is a task inside it, after which it goes on as it stood."""

    def __init__(self, task: str, embedder: Embedder, progress: Progress) -> None:
        """Starts the task.

        Args:
            embedder: its token limit is that of the chunks.
        """
        self._task = task
        self._embedder = embedder
        self._progress = progress
        self._documents = 0
        progress.start(task, None, "documents")

    def advance(self, documents: int) -> None:
        """So many more documents are done."""
        self._documents += documents
        self._progress.advance(documents)

    def pieces(self, document: Document) -> list[TextPiece]:
        """The chunks of a document."""
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
    """Tells a progress of every million characters of a text; the splitter counts each character twice."""

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
