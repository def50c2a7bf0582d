"""Parses the headers of e-mail messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from email.errors import MessageError
from email.header import decode_header
from email.utils import parsedate_to_datetime

from overstory_loaders.blocks import clean_title
from overstory_loaders.encoding_labels import codec_of_label

_FIELD = re.compile(r"([!-9;-~]{1,60}):(?:[ \t](.*))?$")
_HEADER_FIELDS = frozenset({"from", "to", "subject", "date", "message-id", "received", "return-path", "mime-version"})
"""A block of lines is a header if it contains at least two of these fields. "Subject:" alone may begin ordinary notes.
"""
_LEAST_HEADER_FIELDS = 2
ASSUMED_ENCODING = "cp1252"
"""Encoding that is assumed, as in mail programs, for bytes that are not UTF-8 and whose encoding is not declared."""
_MOST_DECODED_FIELD_CHARACTERS = 100_000
"""Encoded words are decoded only in this many characters of a field, because decoding takes quadratic time."""
_OF_MESSAGES_ALONE = frozenset({"subject", "message-id", "received", "return-path", "mime-version"})
"""A header has at least one of these fields. Timetables and notes may also begin with "From:" and "To:"."""
_READ = ("from", "to", "cc", "date", "subject")


def without_header(text: str) -> tuple[str, Mapping[str, str]]:
    """Return a message without its header, and the fields that matter to readers by lower-case name.

    A header consists of the lines before the first empty line. Each of them must be a field or the continuation of a
    field (RFC 5322). A text without such a header, or with nothing else, is returned unchanged with an empty map.
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
    names = {name for name, _ in lines}
    if len(_HEADER_FIELDS & names) < _LEAST_HEADER_FIELDS or not names & _OF_MESSAGES_ALONE or not body.strip():
        return text, {}
    values = ((name, " ".join(parts)) for name, parts in reversed(lines) if name in _READ)
    fields = ((name, decoded_field(value) if "=?" in value else value) for name, value in values)
    return body.strip("\n"), {name: value for name, value in fields if value}  # the first field of a name wins


def metadata_of(fields: Mapping[str, str]) -> dict[str, str | datetime]:
    """Return the fields of a message as metadata, with its date parsed. The subject is left out: it is the title."""
    return {name: mail_date(value) if name == "date" else value for name, value in fields.items() if name != "subject"}


def mail_date(text: str) -> str | datetime:
    """Return the datetime in an RFC 5322 date. Return any other text unchanged."""
    try:
        return parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return text


def decoded_field(value: str) -> str:
    """Return a header field on one line, with its encoded words decoded."""
    text = " ".join(value.splitlines())
    # `decode_header` receives only the text up to the last "?=", because it is slow if an encoded word never ends.
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
    """Decode some bytes with the declared encoding or, if that fails, as UTF-8 or Windows-1252."""
    for codec in (codec_of_label(encoding) if encoding else None, "utf-8", ASSUMED_ENCODING):
        try:
            return content.decode(codec or "utf-8")
        except UnicodeError:
            continue
    return content.decode(ASSUMED_ENCODING, "replace")
