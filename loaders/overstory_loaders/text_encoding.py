"""Decodes bytes to text in the declared encoding or in UTF-8.

The encoding is detected only if the user requests it. If it were wrong for just one file in a hundred, the graph would
silently fill with misspelled names.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from overstory.errors import BrokenSource
from overstory.protocols import OnBroken
from overstory.sources.encodings import has_fallback, report_encoding
from overstory_loaders.blocks import clean_text, control_characters
from overstory_loaders.encoding_detection import around, fallback_encoding
from overstory_loaders.files import FILE_ERRORS, empty, open_bytes, read_bytes, reading, unreadable
from overstory_loaders.place import Place

LINE_CHARACTER_LIMIT = 64 * 2**20
"""Maximum number of characters in a line, which limits memory use. Longer lines are reported as broken."""

_BAD_BYTE = re.compile("[\\udc80-\\udcff]")  # "surrogateescape" decodes invalid bytes to these
_SKIPPED_CHARACTERS = 2**20
_DECODED_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line with its number, counted from 1. The text includes the line break, which the last line may lack."""

    number: int
    text: str


def read_lines(source: str, *, on_broken: OnBroken, limit: int = LINE_CHARACTER_LIMIT) -> Iterator[NumberedLine]:
    """Yield the lines of a file, lazily. Lines that are too long are passed to `on_broken`.

    Lines with bytes that are not UTF-8 are also yielded. Callers must check each record with `bad_byte`, because a
    record may consist of several lines.
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
    """Return the first byte of a text that is not UTF-8, such as "0xe9 at position 17"; None if there is none.

    The position is counted in bytes, from 1.
    """
    found = None if text.isascii() else _BAD_BYTE.search(text)
    if found is None:
        return None
    before = text[: found.start()].encode("utf-8", "surrogateescape")
    return f"0x{ord(found.group()) - 0xDC00:02x} at position {len(before) + 1}"


def not_utf8(place: Place, bad: str) -> BrokenSource:
    """Return the error for a byte that `bad_byte` found."""
    return place.broken(f"is not UTF-8: byte {bad}", remedy=CONVERT)


def _as_text(stream: IO[bytes], source: str) -> io.TextIOWrapper:
    with reading(source):
        head = stream.read(MARKED_BYTES)
        stream.seek(0)
    if b"\0" in head[:4] and not marked_encoding(head):
        raise BrokenSource("looks binary: it begins with NUL bytes", source=source, remedy=CONVERT_UTF16)
    codec = marked_encoding(head) or (other_encoding(stream, source) if has_fallback() else None) or "utf-8"
    # UTF-16 may contain lone surrogates, which `clean_text` replaces.
    errors = "surrogateescape" if codec.startswith("utf-8") else "surrogatepass"
    if not codec.startswith(("utf-8", "utf-16", "utf-32")):
        errors = "strict"
    # Only "\n" ends a line, because JSON strings may contain form feeds and U+2028.
    return io.TextIOWrapper(stream, encoding=codec, errors=errors, newline="\n")


def other_encoding(stream: IO[bytes], source: str) -> str | None:
    """Return the fallback encoding for a file that is not UTF-8; None for UTF-8 or if there is no fallback.

    The file is read only up to the first byte that is not UTF-8.
    """
    with reading(source):
        decoder, before = codecs.getincrementaldecoder("utf-8")(), b""
        try:
            while piece := stream.read(_DECODED_BYTES):
                try:
                    decoder.decode(piece)
                except UnicodeDecodeError as error:
                    sample = around(before + piece, len(before) + error.start)
                    found = fallback_encoding(sample)
                    if found is not None:
                        report_encoding(source, found)
                    return found
                before = piece
        finally:
            stream.seek(0)
    return None


def _next_line(text: io.TextIOWrapper, source: str, number: int, limit: int) -> str:
    """Return the next line, cut to its first `limit` + 1 characters; "" at the end of the file."""
    try:
        return text.readline(limit + 1)
    except UnicodeError as error:
        raise BrokenSource(
            f"is not {text.encoding.upper()}, and cannot be read further: {error}",
            source=source,
            line=number,
            remedy="Download it again, or convert it to UTF-8.",
        ) from error
    except FILE_ERRORS as error:
        raise unreadable(error, source, number) from error


def _skip_rest(text: io.TextIOWrapper, source: str, piece: str) -> None:
    with reading(source):
        while piece and not piece.endswith("\n"):
            piece = text.readline(_SKIPPED_CHARACTERS)


CONVERT = (
    "Name its encoding, for example --encoding windows-1252, or have it detected: --encoding auto; or convert it to "
    "UTF-8: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW"
)
CONVERT_UTF16 = "If it is UTF-16 without a byte order mark, convert it: iconv -f UTF-16LE -t UTF-8 OLD > NEW"
_OTHER_ENCODING = "If it is a text file, load it alone with its own encoding: --encoding NAME"

# UTF-32 comes before UTF-16, because the little-endian mark of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WITH_ZEROS = ("utf-16", "utf-32")
_READABLE_NAMES = {"utf-8-sig": "UTF-8"}
MARKED_BYTES = 4096
"""Number of bytes at the beginning of a file that are examined to detect UTF-16 without a byte order mark."""
_LEAST_UNMARKED_BYTES = 8
"""Minimum number of bytes in a file in which UTF-16 without a byte order mark can be detected."""
_LEAST_SPACES_SHARE = 0.05
"""Minimum fraction of UTF-16 characters whose upper byte must be zero, such as spaces, digits and Latin letters."""
_OF_ALPHABETS = frozenset((*range(0x11), *range(0x1E, 0x27)))
"""Upper bytes of UTF-16 characters in alphabetic scripts, punctuation and signs. None is the code of an ASCII letter.
"""
_FEW_REPAIRS = 3
"""Number of places at which invalid bytes may be replaced in any text that is not tiny."""
_MOST_REPAIRS_SHARE = 100
"""There must be at least this many bytes for each place at which invalid bytes are replaced."""
_FEW_REPAIRS_SHARE = 1_000
"""In a long text, invalid bytes may be replaced at one place per this many bytes."""
_REPAIRS_CHARACTERS_SHARE = 10
"""Invalid bytes may be replaced at one place per this many valid non-ASCII characters, which confirm the encoding."""
_BINARY_SHARE = 100
"""A text is binary if more than one in this many of its characters is a control character."""


def marked_encoding(head: bytes) -> str | None:
    """Return the codec for UTF-8, UTF-16 or UTF-32 if the bytes begin with a byte order mark; otherwise None.

    UTF-16 is also detected without a byte order mark if the text is in an alphabetic script. In that case, its upper
    bytes are zero or one of a few other values.
    """
    return next((codec for mark, codec in _MARKS if head.startswith(mark)), None) or _by_zeros(head[:MARKED_BYTES])


def _by_zeros(head: bytes) -> str | None:
    even, odd = head[::2], head[1::2]
    if len(head) < _LEAST_UNMARKED_BYTES:
        return None
    for codec, high, low in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        has_spaces = high.count(0) >= _LEAST_SPACES_SHARE * len(high) and low.count(0) * _BINARY_SHARE <= len(low)
        if has_spaces and _OF_ALPHABETS.issuperset(high):
            return codec
    return None


def decode(data: bytes, source: str, *, declared: str | None = None, repair: bool = False) -> str:
    """Decode some bytes to text.

    The encoding is found by `marked_encoding`. If it finds none, the declared encoding is used, or UTF-8 if none is
    declared. If the bytes are invalid in that encoding, the user's fallback encoding is tried if there is one.

    Args:
        declared: codec that the file itself declares.
        repair: True to replace invalid bytes if there are only a few, and to report them. Browsers do this silently.

    Raises:
        BrokenSource: the bytes cannot be decoded, or the result is not text.
    """
    marked = marked_encoding(data)
    codec = marked or declared
    try:
        return _decoded(data, source, codec or "utf-8")
    except BrokenSource as error:
        cause = error.__cause__
        bad = cause if isinstance(cause, UnicodeDecodeError) else None
        repaired = _repaired(data, source, codec) if repair and codec and bad else None
        if repaired is not None:
            return repaired
        other = None if marked else fallback_encoding(around(data, bad.start if bad else 0))
        if other is None:
            raise
    try:
        text = _decoded(data, source, other)
    except BrokenSource as error:
        raise BrokenSource(error.reason, source=source, line=error.line, remedy=_OTHER_ENCODING) from error
    report_encoding(source, other)
    return text


def _repaired(data: bytes, source: str, codec: str) -> str | None:
    """Return the text with "�" in place of invalid bytes; None if they are so many that the encoding must be wrong."""
    if b"\0" in data[:MARKED_BYTES] and not codec.startswith(_WITH_ZEROS):
        return None
    text = data.decode(codec, "replace")
    others = len(text) - len(text.encode("ascii", "ignore"))
    places = text.count("�") - data.decode(codec, "ignore").count("�")  # the text itself may contain "�"
    few = max(_FEW_REPAIRS, len(data) // _FEW_REPAIRS_SHARE, (others - places) // _REPAIRS_CHARACTERS_SHARE)
    if places > min(few, len(data) // _MOST_REPAIRS_SHARE) or is_binary(text):
        return None
    report_encoding(source, codec.removesuffix("-sig"), replaced=places)
    return text


def _decoded(data: bytes, source: str, codec: str) -> str:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        raise _undecodable(data, error, source, codec) from error
    except UnicodeError as error:
        raise BrokenSource(f"is not {_readable(codec)}: {error}", source=source, remedy=CONVERT) from error
    if is_binary(text):
        controls = control_characters(text)
        raise BrokenSource(
            f"looks binary: {controls} of its {len(text)} characters are control characters",
            source=source,
            remedy=CONVERT_UTF16 if "\0" in text else CONVERT,
        )
    return text


def is_binary(text: str) -> bool:
    """Return True if a text contains so many control characters that it must be binary data."""
    return control_characters(text) * _BINARY_SHARE > len(text)


def read_text(source: str, *, remedy: str = "") -> str:
    """Return the text of a file, without normalising it."""
    return decode(read_bytes(source, remedy=remedy), source)


def read_clean_text(source: str) -> str:
    """Return the normalised text of a file.

    Raises:
        BrokenSource: the file contains no text, or cannot be read or decoded.
    """
    text = clean_text(read_text(source))
    if not text:
        raise empty(source)
    return text


def _undecodable(data: bytes, error: UnicodeDecodeError, source: str, codec: str) -> BrokenSource:
    offset = len(data) - len(error.object) + error.start  # codecs may strip a byte order mark
    if b"\0" in data[:MARKED_BYTES] and not codec.startswith(_WITH_ZEROS):
        return BrokenSource("looks binary: it contains NUL bytes", source=source, remedy="Leave it out.")
    return BrokenSource(
        f"is not {_readable(codec)}: byte 0x{data[offset]:02x} at offset {offset}",
        source=source,
        line=data.count(b"\n", 0, offset) + 1,
        remedy=CONVERT if codec.startswith("utf-8") else "Download it again: it is damaged or mislabelled.",
    )


def _readable(codec: str) -> str:
    return _READABLE_NAMES.get(codec, codec.upper())
