"""Files read line by line: of any size, in the memory of one line."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from overstory.errors import BrokenSource
from overstory.protocols import OnBroken
from overstory.sources.encodings import around, fallback_encoding, has_fallback, took_encoding
from overstory_loaders.decoding import CONVERT, CONVERT_UTF16, MARKED_BYTES, marked_encoding
from overstory_loaders.files import FILE_ERRORS, open_bytes, reading, unreadable
from overstory_loaders.place import Place

LINE_CHARACTER_LIMIT = 64 * 2**20
"""Maximum characters of a line; a longer one is reported as broken, to protect the memory."""

_BAD_BYTE = re.compile("[\\udc80-\\udcff]")  # a byte that is not UTF-8, as decoded by "surrogateescape"
_SKIPPED_CHARACTERS = 2**20
_DECODED_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line with its line end ("\\n", if the file has one) and its number, counted from 1."""

    number: int
    text: str


def read_lines(source: str, *, on_broken: OnBroken, limit: int = LINE_CHARACTER_LIMIT) -> Iterator[NumberedLine]:
    """The lines of a file, lazily; those that are too long are passed to `on_broken`.

    Bytes that are not UTF-8 are kept for `bad_byte` to find: a record may have many lines, and is broken as a whole.
    """
    with open_bytes(source) as stream, _as_text(stream, source) as text:
        number = 0
        while line := _next_line(text, source, number + 1, limit):
            number += 1
            if len(line) > limit:
                _skip_rest(text, source, line)
                on_broken(
                    BrokenSource(
                        f"is longer than {limit // 2**20} MiB",
                        source=source,
                        line=number,
                        remedy="Check that each record is on a line of its own, or split the text.",
                    )
                )
            else:
                yield NumberedLine(number, line)


def bad_byte(text: str) -> str | None:
    """The first byte that is not UTF-8 in a raw line, as "0xe9 at position 17" (of the line, counted in bytes)."""
    found = None if text.isascii() else _BAD_BYTE.search(text)
    if found is None:
        return None
    before = text[: found.start()].encode("utf-8", "surrogateescape")
    return f"0x{ord(found.group()) - 0xDC00:02x} at position {len(before) + 1}"


def not_utf8(place: Place, bad: str) -> BrokenSource:
    """The error for a line in which `bad_byte` found something."""
    return place.broken(f"is not UTF-8: byte {bad}", remedy=CONVERT)


def _as_text(stream: IO[bytes], source: str) -> io.TextIOWrapper:
    with reading(source):
        head = stream.read(MARKED_BYTES)
        stream.seek(0)
    if b"\0" in head[:4] and not marked_encoding(head):
        raise BrokenSource("looks binary: it begins with NUL bytes", source=source, remedy=CONVERT_UTF16)
    codec = marked_encoding(head) or (other_encoding(stream, source) if has_fallback() else None) or "utf-8"
    # UTF-16 has no bytes to escape, but may have lone surrogates, which `clean_text` replaces.
    errors = "surrogateescape" if codec.startswith("utf-8") else "surrogatepass"
    if not codec.startswith(("utf-8", "utf-16", "utf-32")):
        errors = "strict"
    # newline: only "\n" ends a line; a form feed or U+2028 inside a JSON string does not.
    return io.TextIOWrapper(stream, encoding=codec, errors=errors, newline="\n")


def other_encoding(stream: IO[bytes], source: str) -> str | None:
    """The encoding to read a file by that is not UTF-8; None if it is. Reads on to the first byte that is not."""
    with reading(source):
        decoder, before = codecs.getincrementaldecoder("utf-8")(), b""
        try:
            while piece := stream.read(_DECODED_BYTES):
                try:
                    decoder.decode(piece)
                except UnicodeDecodeError as error:
                    sample = around(before + piece, len(before) + error.start)
                    found = fallback_encoding(sample, source)
                    if found is not None:
                        took_encoding(source, found)
                    return found
                before = piece
        finally:
            stream.seek(0)
    return None


def _next_line(text: io.TextIOWrapper, source: str, number: int, limit: int) -> str:
    """The next line, or its first `limit` + 1 characters; "" at the end of the file."""
    try:
        return text.readline(limit + 1)
    except UnicodeError as error:
        raise BrokenSource(
            f"is not {text.encoding.upper()}, and cannot be read further: {error}",
            source=source,
            line=number,
            remedy="Get the file again, or convert it to UTF-8.",
        ) from error
    except FILE_ERRORS as error:
        raise unreadable(error, source, number) from error


def _skip_rest(text: io.TextIOWrapper, source: str, piece: str) -> None:
    with reading(source):
        while piece and not piece.endswith("\n"):
            piece = text.readline(_SKIPPED_CHARACTERS)
