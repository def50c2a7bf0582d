"""Answers as Markdown for a chat page, which renders whatever Markdown and HTML it is sent.

A page that renders an image fetches it, which tells the author of the image who asks. So text of documents is escaped
as a whole. A language model keeps its headings, lists, tables and code, but it may quote a document: a space takes
links, images and HTML apart, in code, too, since pages differ in where code ends.
"""

from __future__ import annotations

import re

_RUN = re.compile(r"[^\s<>()\[\]{}|`\"'\\*]+")
_ADDRESS = re.compile(
    r"//[^\s/]|www\.|(?:mailto|xmpp):|[\w.+-]@[\w-]"
    r"|\w\.(?:(?:com|org|net|edu|gov|mil|int|info|biz|name|app|dev)\b|[a-z]{2}[/?#:])",
    re.IGNORECASE,
)
"""Text that pages turn into a link without any markup."""
_AFTER_ADDRESS = ".,;:!?_~"
_MARKUP = re.compile(
    r"(?P<number>\[\d+\])(?![(:])|[\\`*|~$\[\]]|(?<=\])\(|(?<![^\W_])_|_(?![^\W_])"
    r"|<(?=[A-Za-z/!?])|&(?=#?\w{1,40};)"
)
"""Markup, and numbers of citations. Some pages undo `\\[` and `\\]` within the text of a link: there `\\(` holds."""
_BEGINS_BLOCK = re.compile(r"[#>+=:-]|\d+(?=[.)](?:\s|$))")
_MAKES_LINK_OR_HTML = re.compile(r"(?<=\])(?=[(:])|(?<=<)(?=[A-Za-z/!?])")


def escaped(text: str, *, numbers: bool = False) -> str:
    """Markdown that shows a text of documents as it is. Addresses become code, because some pages undo a backslash
    before they look for them.

    Args:
        numbers: whether numbers in square brackets stay as they are: those of citations.
    """
    return "\n".join(_escaped_line(line.strip(), numbers) for line in text.split("\n"))


def _escaped_line(line: str, numbers: bool) -> str:
    def kept_or_escaped(found: re.Match[str]) -> str:
        number = found["number"]
        if number is None:
            return f"\\{found[0]}"
        return number if numbers else f"\\{number[:-1]}\\]"

    made: list[str] = []
    at = 0
    for run in _RUN.finditer(line):
        if _ADDRESS.search(run[0]):
            address = run[0].strip(_AFTER_ADDRESS)
            address = address if _ADDRESS.search(address) else run[0]  # of "www." the full stop is a part
            start = run.start() + run[0].index(address)
            made += [_MARKUP.sub(kept_or_escaped, line[at:start]), f"`{address}`"]
            at = start + len(address)
    made.append(_MARKUP.sub(kept_or_escaped, line[at:]))
    text = "".join(made)
    begins = _BEGINS_BLOCK.match(text)
    if begins is None:
        return text
    end = begins.end() if begins[0].isdecimal() else 0
    return f"{text[:end]}\\{text[end:]}"


class ModelMarkdown:
    """The Markdown of a language model, piece by piece, without images, links and HTML."""

    def __init__(self) -> None:
        self._last = ""  # character of the piece before

    def take(self, piece: str) -> str:
        """The next piece as it is shown."""
        text = self._last + piece
        shown = _MAKES_LINK_OR_HTML.sub(" ", text)[len(self._last) :]
        self._last = text[-1:]
        return shown
