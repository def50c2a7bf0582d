"""Pages of a document: where each begins, as its metadata have it, and the page of a passage."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TypeGuard, cast

PAGE_STARTS = "page_starts"
"""In the metadata of a document that has pages: the first character of each. A hit has its page instead."""


def page_starts(metadata: Mapping[str, object]) -> list[int]:
    """The first character of each page of a document, [] without pages; others may use the name for something else."""
    starts = metadata.get(PAGE_STARTS)
    return starts if _are_pages(starts) else []


def page_of(start: int, text: str, page_starts: Sequence[int]) -> int | None:
    """The page, from 1, of the first word of a passage; None for a document without pages.

    Args:
        start: the passage's first character in its document.
        page_starts: the first character of each page; a page without text begins where the text before it ends.
    """
    return bisect_right(page_starts, start + len(text) - len(text.lstrip())) or None


def _are_pages(starts: object) -> TypeGuard[list[int]]:
    return isinstance(starts, list) and bool(starts) and all(type(each) is int for each in cast("list[object]", starts))
