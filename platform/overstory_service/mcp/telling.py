"""What tools return, in few words: passages as quotations with their citations, and lines about them."""

from __future__ import annotations

from collections.abc import Iterable

from overstory.display import on_one_line, origin
from overstory_service.mcp.quoting import Quotation, cut
from overstory_service.mcp.results import QuotedPassage

_SHORT_TEXT_CHARACTERS = 600
"""Of a sentence, a summary or another part that is told to an agent."""
SHORT_TITLE_CHARACTERS = 200


def quoted(
    number: int,
    *,
    document_id: str,
    chunk_id: str,
    title: str,
    source: str,
    source_key: str,
    text: str,
    page: int | None = None,
    heading: str = "",
    corpus: str = "",
    most: int = _SHORT_TEXT_CHARACTERS,
) -> QuotedPassage:
    """A passage with its citation, and at most so many characters of its text."""
    own, is_cut = cut(text, most)
    return QuotedPassage(
        number=number,
        document_id=document_id,
        chunk_id=chunk_id,
        title=cut(on_one_line(title), SHORT_TITLE_CHARACTERS)[0],
        source=cut(origin(source, source_key), SHORT_TITLE_CHARACTERS)[0],
        page=page,
        heading=cut(on_one_line(heading), SHORT_TITLE_CHARACTERS)[0],
        corpus=corpus,
        text=own,
        cut=is_cut,
    )


def place(passage: QuotedPassage) -> str:
    """Which passage that is, in our own words: "[1] document 0f…, passage 3a…"."""
    of = f", corpus {passage.corpus!r}" if passage.corpus else ""
    return f"[{passage.number}] document {passage.document_id}, passage {passage.chunk_id}{of}"


def citation(passage: QuotedPassage) -> str:
    """Title and source: words of a document, for a block."""
    title = " / ".join(filter(None, (passage.title or "(no title)", passage.heading)))
    page = "" if passage.page is None else f", page {passage.page:,}"
    return f"{title}\n{passage.source}{page}"


def shown_passages(passages: Iterable[QuotedPassage], quotation: Quotation) -> list[str]:
    """Each passage: a line that names it, and a block."""
    lines = []
    for each in passages:
        lines.append(place(each))
        lines.append(quotation.block(f"{citation(each)}\n\n{each.text}"))
    return lines


def shown_notes(notes: Iterable[str], quotation: Quotation) -> list[str]:
    """Notes of the library, which may have names of the corpus in them."""
    told = [f"- {note}" for note in notes]
    return ["Notes:", quotation.block("\n".join(told))] if told else []


def short(text: str, most: int = _SHORT_TEXT_CHARACTERS) -> str:
    """The beginning of a text."""
    return cut(text, most)[0]
