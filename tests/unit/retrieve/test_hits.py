"""Rows of the graph as hits: the page on which a passage begins, and what its document came with."""

from __future__ import annotations

import pytest

from overstory.retrieve.hits import hit

ROW = {
    "chunk_id": "c",
    "document_id": "d",
    "source": "a.pdf",
    "source_key": "",
    "title": "",
    "heading": "",
    "text": "Salt.",
    "boilerplate": None,
    "score": 1.0,
    "start": 26,
    "end": 31,
}


def test_a_hit_has_its_page_instead_of_where_all_pages_begin() -> None:
    document = {"id": "d", "sha256": "…", "metadata_pages": 3, "metadata_page_starts": [0, 24, 26]}
    found = hit({**ROW, "document": document}, ())
    assert (found.page, found.metadata) == (3, {"pages": 3})


@pytest.mark.parametrize("starts", [["i", "ii"], [], "0", [0.5]])
def test_what_somebody_else_calls_page_starts_is_left_alone(starts: object) -> None:
    found = hit({**ROW, "document": {"metadata_page_starts": starts}}, ())
    assert (found.page, found.metadata) == (None, {"page_starts": starts})


def test_a_hit_knows_its_boilerplate() -> None:
    found = hit(ROW | {"document": {}, "text": "Salt.\n\nNext page", "boilerplate": [7, 16]}, ())
    assert found.boilerplate == (7, 16)
    assert found.content == "Salt."
