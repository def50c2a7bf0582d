"""The sources of an answer for a chat page: a Markdown list, annotations of the text, and all that a citation has."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from overstory.answer import Answer, Citation, Quoted
from overstory.display import on_one_line
from overstory.model.plain import plain
from overstory.service.chat.escaping import ModelMarkdown, escaped

SOURCES_HEADING = "\n\n**Sources**\n\n"
_NUMBER = re.compile(r"\[(\d{1,9})\]")
_WEB = re.compile(r"https?://[^\s<>\"]+")


class ShownAnswer:
    """The text of an answer as a chat page is sent it.

    Attributes:
        text: what was sent so far.
    """

    def __init__(self) -> None:
        self.text = ""
        self._model = ModelMarkdown()

    def take(self, piece: str) -> str:
        """The next piece of a language model, or sentences of documents (`Quoted`), as Markdown."""
        shown = escaped(piece, numbers=True) if isinstance(piece, Quoted) else self._model.take(piece)
        self.text += shown
        return shown


def shown_text(answer: Answer) -> str:
    """The whole text of an answer."""
    return ShownAnswer().take(Quoted(answer.text) if answer.kind == "extractive" else answer.text)


def source_list(answer: Answer, base: str, corpus: str) -> str:
    """A Markdown list of the sources, to follow the text; "" where nothing is cited.

    Args:
        base: the address of the service.
    """
    lines = [
        f"- [{each.number}] [{escaped(_title(each))}]({_address(each, base, corpus)}): "
        f"{escaped(on_one_line(each.places))}"
        for each in answer.citations
    ]
    return SOURCES_HEADING + "\n".join(lines) if lines else ""


def url_citations(text: str, answer: Answer, base: str, corpus: str) -> list[dict[str, Any]]:
    """Return the places of citation numbers in the text that was sent, with their links, as OpenAI's
    `url_citation`."""
    cited = {each.number: each for each in answer.citations}
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": match.start(),
                "end_index": match.end(),
                "title": _title(cited[int(match[1])]),
                "url": _address(cited[int(match[1])], base, corpus),
            },
        }
        for match in _NUMBER.finditer(text)
        if int(match[1]) in cited
    ]


def citations(answer: Answer) -> list[dict[str, Any]]:
    """The citations as the HTTP API has them."""
    return [plain(each) for each in answer.citations]


def _title(citation: Citation) -> str:
    return on_one_line(citation.title) or on_one_line(citation.text)[:60] or citation.source


def _address(citation: Citation, base: str, corpus: str) -> str:
    """The source itself where it is on the web, else the passage on the page."""
    if _WEB.fullmatch(citation.source):
        return quote(citation.source, safe=":/?#[]@!$&'*+,;=%~-._")
    place = "/".join(quote(part, safe="") for part in (corpus, citation.document_id))
    return f"{base}/#/document/{place}?passage={quote(citation.chunk_id, safe='')}"
