"""Quotations in a reply: of the message that it answers, which is a document of its own, only the words above an answer
stay.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_MOST_QUOTED_LINES = 3
"""Lines of a quotation that stay right above the words that answer them."""
LEFT_OUT = "> […]"

_QUOTED = re.compile(r"[ \t]*(?:>|\|(?= ))")
_BELOW = re.compile(
    r"[ \t]*(?:-{2,}[ \t]*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original|reply message)"
    r"[ \t]*-{2,}|_{20,})[ \t]*$",
    re.IGNORECASE,
)
"""A line below which programs put the whole message that is answered."""
_HEADER = re.compile(r"[ \t*]{0,20}(?:from|von|de|da|van)[ \t]{0,20}:", re.IGNORECASE)
_SENT = re.compile(
    r"[ \t*]{0,20}(?:sent|gesendet|date|datum|envoyé|enviado|inviato|verzonden)[ \t]{0,20}:", re.IGNORECASE
)
_ATTRIBUTION = re.compile(
    r"(?=.*\d)[^>\n]*\b"
    r"(?:wrote|writes|schrieb|a écrit|escribió|ha scritto|schreef|napsal|пишет|написал)\b[^\n]{0,60}:[ \t]*$",
    re.IGNORECASE,
)
"""The line above a quotation: "On 29 February 2024 Ada wrote:"."""
_HEADER_LINES = 4


class Unquoted(NamedTuple):
    """A text, and how many quoted lines of it were left out."""

    text: str
    left_out: int


def without_quotations(text: str) -> Unquoted:
    """A reply without what it quotes; one that has nothing else stays whole.

    What programs put below an answer ("-----Original Message-----") is left out to the end. Of a quotation with "> "
    that is answered below, the last lines stay; of any other, nothing.
    """
    lines = text.split("\n")
    end = _end_of_answer(lines)
    kept: list[str] = []
    quoted: list[str] = []
    left_out = sum(1 for line in lines[end:] if line.strip())
    for line in lines[:end]:
        if _QUOTED.match(line):
            quoted.append(line)
            continue
        if quoted and line.strip():
            left_out += _close(kept, quoted)
            quoted = []
        elif quoted:
            continue  # blank lines within and after a quotation
        kept.append(line)
    if quoted:
        left_out += len(quoted)
        _drop_attribution(kept)
    new = "\n".join(kept).strip()
    says_anything = any(line.strip() and not _QUOTED.match(line) for line in kept)
    return Unquoted(new, left_out) if says_anything else Unquoted(text, 0)


def _end_of_answer(lines: list[str]) -> int:
    for number, line in enumerate(lines):
        is_header = _HEADER.match(line) and "@" in line
        if not number or not (is_header or _BELOW.match(line)):
            continue
        following = [each for each in lines[number + 1 : number + 1 + _HEADER_LINES] if each.strip()]
        expected = _SENT if is_header else _HEADER if line.lstrip().startswith("_") else None
        if expected is None or any(map(expected.match, following)):
            return number
    return len(lines)


def _close(kept: list[str], quoted: list[str]) -> int:
    """Adds the end of a quotation that is answered below; returns how many lines were left out."""
    said = [line for line in quoted if line.strip("> \t|")]
    last = said[-_MOST_QUOTED_LINES:]
    left_out = len(said) - len(last)
    if left_out:
        last.insert(0, LEFT_OUT)
    if last and kept and kept[-1].strip() and not _ATTRIBUTION.match(kept[-1]):
        kept.append("")
    kept += [*last, ""]
    return left_out


def _drop_attribution(kept: list[str]) -> None:
    """Removes "On … Ada wrote:" above a quotation that is gone; some programs break this line in two."""
    while kept and not kept[-1].strip():
        kept.pop()
    for count in (1, 2):
        if _ATTRIBUTION.match(" ".join(line.strip() for line in kept[-count:])):
            del kept[-count:]
            return
