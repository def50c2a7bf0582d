"""A long text has a progress of its own inside that of documents."""

from __future__ import annotations

import pytest
from tests.fakes import HashingEmbedder

from overstory.index.chunking import _MILLION, LONG_TEXT_CHARACTERS, Chunking
from overstory.model import Document
from overstory.progress import progress_to

SENTENCES = "One sentence says little, and so does the next one. "
ONE_LINE = "a" * 52


@pytest.mark.parametrize("text", [SENTENCES, ONE_LINE])
def test_a_long_text_is_told_by_the_million_and_the_task_goes_on(text: str) -> None:
    heard: list[str] = []
    chunking = Chunking(
        "load", HashingEmbedder(8), progress_to(lambda step: heard.append(str(step)), clock=lambda: 0.0)
    )
    chunking.advance(3)
    long = Document("/docs/big\x1b.txt", "", text * (5 * _MILLION // 2 // len(text)))
    pieces = chunking.pieces(long)
    chunking.advance(1)
    assert "".join(piece.text for piece in pieces) == long.text
    assert heard == [
        "load 0 documents",
        "load 3 documents",
        "chunk 0 of 2 million characters of big\\x1b.txt",
        "chunk 1 of 2 million characters of big\\x1b.txt",
        "chunk 2 of 2 million characters of big\\x1b.txt",
        f"chunk: big\\x1b.txt: {len(pieces):,} chunks",
        "load 0 documents",
        "load 3 documents",
        "load 4 documents",
    ]


def test_a_shorter_text_is_one_of_the_documents() -> None:
    heard: list[str] = []
    chunking = Chunking("preview", HashingEmbedder(8), progress_to(lambda step: heard.append(str(step))))
    chunking.pieces(Document("a.txt", "", "a" * (LONG_TEXT_CHARACTERS - 1)))
    assert heard == ["preview 0 documents"]
