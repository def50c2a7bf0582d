"""Headers of e-mail messages, reduced to the fields that people read."""

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
"""Two of these fields make a block of lines a header. "Subject:" alone may begin ordinary notes."""
_LEAST_HEADER_FIELDS = 2
ASSUMED_ENCODING = "cp1252"
"""Encoding of bytes that are not UTF-8 and have no declared encoding, as in mail programs."""
_MOST_DECODED_FIELD_CHARACTERS = 100_000
"""Characters of a field in which encoded words are decoded, because decoding takes quadratic time."""
_READ = {"from": "From", "to": "To", "cc": "Cc", "date": "Date", "subject": "Subject"}
"""Fields that are kept, in the order of the file."""


def without_transport(text: str) -> tuple[str, Mapping[str, str]]:
    """Return a message without transport fields, and its remaining header fields by name in lower case.

    Other texts are returned unchanged, without fields. A header consists of the lines before the first empty line, each
    a field or the continuation of a field (RFC 5322).
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
    read = {name: value for name, value in reversed(fields) if name in _READ and value}  # the first field of each name
    shown = "\n\n".join(part for part in ("\n".join(kept), body.strip("\n")) if part)
    return (shown, read) if shown else (text, {})


def metadata_of(fields: Mapping[str, str]) -> dict[str, str | datetime]:
    """Return the fields of a message without the subject, which is the title; the date is converted if it is valid."""
    return {name: mail_date(value) if name == "date" else value for name, value in fields.items() if name != "subject"}


def mail_date(text: str) -> str | datetime:
    """Return an RFC 5322 date as a datetime; any other text unchanged."""
    try:
        return parsedate_to_datetime(text)
    except ValueError:
        return text


def decoded_field(value: str) -> str:
    """Return a decoded header field on one line."""
    text = " ".join(value.splitlines())
    # `decode_header` is slow if an encoded word never ends, so it gets only the text up to the last "?=".
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
    """Return the text of some bytes in the declared encoding, in UTF-8, or else in Windows-1252."""
    for codec in (encoding, "utf-8", ASSUMED_ENCODING):
        try:
            return content.decode(codec or "utf-8")
        except (UnicodeError, LookupError):
            continue
    return content.decode(ASSUMED_ENCODING, "replace")
