"""What the retrievers share: the corpus as it is now, and rows of the graph as hits."""

from __future__ import annotations

import shlex
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard, TypeVar, cast

from overstory.errors import IndexMissing, StatementFailed
from overstory.graph import Corpus, GraphClient, Transaction, read_corpus
from overstory.graph.client import Row
from overstory.index.write_documents import METADATA
from overstory.llm import Chat
from overstory.model import Hit, Reason
from overstory.protocols import Embedder
from overstory.settings import ExtractionSettings

T = TypeVar("T")

OVERSAMPLING = 10
LEAST_DEPTH = 200
"""An index is asked for more than is kept. On 6,761 chunks recall@10 was .80 with 10 asked for, .98 with 50, .995 with
100 and 1.000 with 200, at 2.3, 2.7, 2.9 and 3.5 ms."""

PAGE_STARTS = "page_starts"
"""In the metadata of a document that has pages: the first character of each. A hit has its page instead."""

NAMES_OUTDATED = "the name index is out of date: run overstory index"


def no_chat() -> Chat | None:
    """For a retriever that is to work without a language model."""
    return None


@dataclass(frozen=True, slots=True)
class RetrievalContext:
    """What a retriever is made from.

    Attributes:
        corpus_name: read anew for every question (1 ms), since another process may index meanwhile.
        chat: opens the language model, for retrievers that are better with one; None where there is none.
        extraction: which pipeline reads questions, for retrievers that parse them.
    """

    graph: GraphClient
    corpus_name: str
    embedder: Embedder
    chat: Callable[[], Chat | None] = no_chat
    extraction: ExtractionSettings = field(default_factory=ExtractionSettings)

    def corpus(self, tx: Transaction | None = None) -> Corpus:
        """
        Args:
            tx: to read it in, where there is one.

        Raises:
            CorpusNotFound: it was deleted.
        """
        return read_corpus(tx or self.graph, self.corpus_name)

    def corpus_with_vectors(self, tx: Transaction | None = None) -> Corpus:
        """As `corpus`.

        Raises:
            CorpusNotFound: it was deleted.
            IndexMissing: it has no vectors yet.
            EmbedderMismatch: its vectors are another embedder's.
        """
        corpus = self.corpus(tx)
        if not corpus.embedder:
            raise IndexMissing(
                f"Corpus {corpus.name!r} has no vectors yet.",
                remedy=f"Run: overstory index --corpus {shlex.quote(corpus.name)}, or Knowledge.index() in Python.",
            )
        corpus.check_embedder(self.embedder)
        return corpus


def query_current_corpus(context: RetrievalContext, doing: str, ask: Callable[[Transaction, Corpus], T]) -> T:
    """What `ask` finds in one transaction, which has read the corpus. `doing` names it to the server ("retrieve/…").

    An index run may drop the very index that was about to be asked: then once more.

    Raises:
        as `RetrievalContext.corpus_with_vectors`, and what `ask` raises.
    """
    asked: list[tuple[str, str]] = []

    def work(tx: Transaction) -> T:
        corpus = context.corpus_with_vectors(tx)
        asked.append((corpus.vector_index, corpus.embedding_property))
        return ask(tx, corpus)

    try:
        return context.graph.reading(doing, work)
    except StatementFailed:
        corpus = context.corpus_with_vectors()
        if not asked or asked[-1] == (corpus.vector_index, corpus.embedding_property):
            raise
        return context.graph.reading(doing, work)


def depth_for(k: int) -> int:
    """How many an index is asked for so that the best `k` are right."""
    return max(LEAST_DEPTH, OVERSAMPLING * k)


def text_index_name(corpus: Corpus) -> str:
    return f"overstory_text_{corpus.label}"


def hit(row: Row, reasons: tuple[Reason, ...]) -> Hit:
    """A row of a `retrieve/…` statement as a hit."""
    metadata = {key.removeprefix(METADATA): value for key, value in row["document"].items() if key.startswith(METADATA)}
    starts = metadata.get(PAGE_STARTS)
    page = page_of(row["start"], row["text"], starts) if _are_pages(starts) else None
    if page is not None:
        del metadata[PAGE_STARTS]
    return Hit(
        chunk_id=row["chunk_id"],
        document_id=row["document_id"],
        source=row["source"],
        source_key=row["source_key"],
        title=row["title"],
        heading=row["heading"],
        text=row["text"],
        score=row["score"],
        reasons=reasons,
        start=row["start"],
        end=row["end"],
        page=page,
        metadata=metadata,
    )


def page_of(start: int, text: str, page_starts: Sequence[int]) -> int | None:
    """The page, from 1, on which the first word of a passage stands; None for a document without pages.

    Args:
        start: the passage's first character in its document.
        page_starts: the first character of each page; a page without text begins where the text before it ends.
    """
    return bisect_right(page_starts, start + len(text) - len(text.lstrip())) or None


def _are_pages(starts: object) -> TypeGuard[list[int]]:
    """Whether a document's metadata say where its pages begin; others may use the name for something else."""
    return isinstance(starts, list) and bool(starts) and all(type(each) is int for each in cast("list[object]", starts))
