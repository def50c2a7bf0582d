"""Reads files that a DOCX contains as parts of its text (`altChunk`): HTML, web archives, RTF, DOCX and plain text."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import Message
from email.policy import compat32
from typing import IO

from overstory_loaders.blocks import Block
from overstory_loaders.html import decode_page, parse_page
from overstory_loaders.html_blocks import page_blocks
from overstory_loaders.rtf import rtf_blocks
from overstory_loaders.text_encoding import decode

_MESSAGE = re.compile(rb"\s*(?:MIME-Version|From|Content-Type|Subject|Date):", re.IGNORECASE)
_PAGE = re.compile(rb"<(?:!doctype|html|head|body|div|p|table|h[1-6]|span|ul|ol)\b", re.IGNORECASE)
_MARKUP_BYTES = 2_000

OfDocx = Callable[[IO[bytes]], Iterator[Block]]


def chunk_blocks(data: bytes, source: str, *, of_docx: OfDocx) -> Iterator[Block]:
    """Yield the blocks of a file inside a DOCX. Its content decides how it is read, not its declared type.

    Args:
        of_docx: yields the blocks of a DOCX.

    Raises:
        BrokenSource: the file is damaged, or is binary.
    """
    if data.startswith(b"PK"):
        yield from of_docx(io.BytesIO(data))
    elif data.lstrip().startswith(b"{\\rtf"):
        yield from rtf_blocks(data, source)
    elif _MESSAGE.match(data):
        for part in message_from_bytes(data, policy=compat32).walk():
            yield from _part_blocks(part, source)
    else:
        yield from _text_blocks(data, source, is_page=_PAGE.search(data, 0, _MARKUP_BYTES) is not None)


def _part_blocks(part: Message, source: str) -> Iterator[Block]:
    content = part.get_payload(decode=True)
    if part.get_content_maintype() == "text" and part.get_content_subtype() != "css" and isinstance(content, bytes):
        is_page = part.get_content_type() == "text/html"
        charset = part.get_content_charset()
        yield from _text_blocks(content, source, is_page=is_page, charset=None if is_page else charset)


def _text_blocks(data: bytes, source: str, *, is_page: bool, charset: str | None = None) -> Iterator[Block]:
    if is_page:
        yield from page_blocks(parse_page(decode_page(data, source), source).root)
    else:
        yield from map(Block, re.split(r"\n\s*\n", decode(data, source, declared=charset)))
