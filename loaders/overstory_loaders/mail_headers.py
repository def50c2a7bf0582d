"""A message in a text file: of its header only what people read, so that transport is neither searched nor named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from email.errors import MessageError
from email.header import decode_header
from email.utils import parsedate_to_datetime

from overstory_loaders.blocks import clean_title

_FIELD = re.compile(r"([!-9;-~]{1,60}):(?:[ \t](.*))?$")
_HEADER_FIELDS = frozenset({"from", "to", "subject", "date", "message-id", "received", "return-path", "mime-version"})
"""Two of these among its fields make a block of lines a header; "Subject:" alone may begin any notes."""
_LEAST_HEADER_FIELDS = 2
ASSUMED_ENCODING = "cp1252"
"""What bytes are that are no UTF-8 and whose encoding a message does not say, as mail programs have it."""
_MOST_DECODED_FIELD_CHARACTERS = 100_000
"""Characters of a field in which encoded words are decoded: decoding costs the square of their number."""
_READ = {"from": "From", "to": "To", "cc": "Cc", "date": "Date", "subject": "Subject"}
"""The fields that stay, in the file's order."""


def without_transport(text: str) -> tuple[str, Mapping[str, str]]:
    """The text of a message with the fields of its header that people read, and these fields by their names in lower
    case; any other text as it is, without fields.

    The header is the first lines of the text up to an empty one, each a field or the continuation of one (RFC 5322).
    """
    head, _, body = text.partition("\n\n")
    lines: list[tuple[str, list[str]]] = []
    for line in head.split("\n"):
        found = _FIELD.match(line)
        if found:
            lines.append((found[1].lower(), [(found[2] or "").strip()]))
        elif lines and line[:1] in (" ", "\t"):
            lines[-1][1].append(line.strip())
        else:
            return text, {}
    if len(_HEADER_FIELDS & {name for name, _ in lines}) < _LEAST_HEADER_FIELDS:
        return text, {}
    values = ((name, " ".join(parts)) for name, parts in lines)
    fields = [(name, decoded_field(value) if "=?" in value else value) for name, value in values]
    kept = [f"{_READ[name]}: {value}" for name, value in fields if name in _READ and value]
    read = {name: value for name, value in reversed(fields) if name in _READ and value}  # the first of each
    shown = "\n\n".join(part for part in ("\n".join(kept), body.strip("\n")) if part)
    return (shown, read) if shown else (text, {})


def metadata_of(fields: Mapping[str, str]) -> dict[str, str | datetime]:
    """The fields of a message, without its subject, which is its title; its date as one if it is in RFC 5322."""
    return {name: mail_date(value) if name == "date" else value for name, value in fields.items() if name != "subject"}


def mail_date(text: str) -> str | datetime:
    """The date that a message has in RFC 5322; any other text as it is."""
    try:
        return parsedate_to_datetime(text)
    except ValueError:
        return text


def decoded_field(value: str) -> str:
    """A field as people read it, on one line."""
    text = " ".join(value.splitlines())
    # `decode_header` searches the rest of the line for the end of each encoded word: it gets none that is never closed.
    head, mark, _ = text[:_MOST_DECODED_FIELD_CHARACTERS].rpartition("?=")
    end = len(head + mark)
    try:
        parts = [*decode_header(text[:end]), (text[end:], None)]
    except (MessageError, ValueError):
        parts = [(text, None)]
    texts: list[str] = []
    for content, encoding in parts:
        if isinstance(content, str):
            content = content.encode("utf-8", "surrogateescape")
        texts.append(text_in(content, encoding))
    return clean_title("".join(texts))


def text_in(content: bytes, encoding: str | None) -> str:
    """The text of some bytes of a message in the encoding that it says, or else the usual ones."""
    for codec in (encoding, "utf-8", ASSUMED_ENCODING):
        try:
            return content.decode(codec or "utf-8")
        except (UnicodeError, LookupError):
            continue
    return content.decode(ASSUMED_ENCODING, "replace")
