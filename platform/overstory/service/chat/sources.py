"""The sources of an answer for a chat page: a Markdown list, annotations of the text, and all that a citation has."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from overstory.answer import Answer, Citation
from overstory.display import on_one_line
from overstory.model.plain import plain

SOURCES_HEADING = "\n\n**Sources**\n\n"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+!|~])")
_NUMBER = re.compile(r"\[(\d+)\]")
_WEB = re.compile(r"https?://[^\s<>\"]+")


def source_list(answer: Answer, base: str, corpus: str) -> str:
    """A Markdown list of the sources, to follow the text; "" where nothing is cited.

    Args:
        base: the address of the service.
    """
    lines = [
        f"- [{each.number}] [{_escaped(_title(each))}]({_address(each, base, corpus)}): {_escaped(each.places)}"
        for each in answer.citations
    ]
    return SOURCES_HEADING + "\n".join(lines) if lines else ""


def url_citations(answer: Answer, base: str, corpus: str) -> list[dict[str, Any]]:
    """Where the text has numbers of citations, and where these lead, in the form of OpenAI's `url_citation`."""
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
        for match in _NUMBER.finditer(answer.text)
        if int(match[1]) in cited
    ]


def citations(answer: Answer) -> list[dict[str, Any]]:
    """The citations as the HTTP API has them."""
    return [plain(each) for each in answer.citations]


def _title(citation: Citation) -> str:
    return on_one_line(citation.title) or on_one_line(citation.text)[:60] or citation.source


def _address(citation: Citation, base: str, corpus: str) -> str:
    """The source itself where it is on the web, else the document in the API."""
    if _WEB.fullmatch(citation.source):
        return quote(citation.source, safe=":/?#[]@!$&'*+,;=%~-._")
    return f"{base}/v1/corpora/{quote(corpus, safe='')}/documents/{citation.document_id}"


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)
