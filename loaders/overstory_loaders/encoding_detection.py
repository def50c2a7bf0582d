"""Finds the encoding of text that is not UTF-8: the one that the user named, or one that is detected.

Detection is chardetng's, which Firefox uses. It takes a domain such as "hu" as a hint, which decides between encodings
that differ in a few accented letters. The hint comes from the language of the text.
"""

from __future__ import annotations

from overstory.sources.encodings import fallback
from overstory.sources.read_options import AUTO
from overstory.text.language_detection import question_language

RECOGNISED_BYTES = 262_144
"""Number of bytes from which the encoding of a file is detected. They surround the first byte that is not UTF-8."""
_LANGUAGE_CHARACTERS = 4_000
"""Number of characters from which the language is detected."""
# fmt: off
_IN_LATIN_SCRIPT = (
    "ca", "cs", "da", "de", "es", "et", "fi", "fr", "hr", "hu", "is", "it", "lt", "lv", "nl", "no", "pl", "pt", "ro",
    "sk", "sl", "sq", "sv", "tr",
)
# fmt: on
_DOMAINS = {"ca": "es", "cs": "cz", "da": "dk", "en": "uk", "et": "ee", "sl": "si", "sq": "al", "sv": "se"}
"""Domains of languages. Other languages have domains with the same letters."""


def fallback_encoding(sample: bytes) -> str | None:
    """Return the encoding in which to read a file that is not UTF-8, or None if the run refuses such files.

    A loader that uses this encoding must call `report_encoding`.

    Args:
        sample: the part of the file around its first byte that is not UTF-8 (see `around`).
    """
    encoding, _ = fallback()
    return (detected_encoding(sample) if encoding == AUTO else encoding) or None


def detected_encoding(sample: bytes) -> str:
    """Return the most likely encoding of some text that is not UTF-8, such as "windows-1252"."""
    from chardetng_py import detect  # imported here because most runs do not need it

    found: str = detect(sample)
    beginning = sample.decode(found, "ignore")[:_LANGUAGE_CHARACTERS]
    if 2 * sum(letter.isascii() and letter.isalpha() for letter in beginning) <= len(beginning):
        return found
    language = question_language(beginning, _IN_LATIN_SCRIPT)
    likeliest: str = detect(sample, tld=_DOMAINS.get(language, language).encode())
    return likeliest


def around(data: bytes, offset: int) -> bytes:
    """Return the part of `data` around `offset` from which the encoding is detected, in whole lines if possible."""
    start, end = max(0, offset - RECOGNISED_BYTES // 2), offset + RECOGNISED_BYTES // 2
    first = data.find(b"\n", start, offset) + 1 if start else 0
    last = data.rfind(b"\n", offset, end) if end < len(data) else -1
    return data[first or start : last if last > 0 else end]
