"""Stop names: strings that look like names but are numbers, literals, labels or links for navigation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from overstory.text.names.keys import entity_key

_LITERALS = "true false none null nil nan inf infinity undefined notimplemented void yes no on off ok"

_LABELS = (
    "abstract acknowledgements acknowledgments argument arguments attention attributes author authors availability "
    "background bug bugs caution caveats changed changelog commands configuration contents contributing copyright "
    "copyrights credits default defaults dependencies deprecated deprecation description details diagnostics "
    "disclaimer environment errors example examples exceptions faq file filename files fixme footnotes foreword "
    "format glossary hint history important indices input install installation intro introduction keywords licence "
    "license licenses limitations links methods miscellaneous name names navigation note notes optional options "
    "output overview parameters params portability preface prerequisites prev previous purpose raises recommendations "
    "reference references related required requirements returns security see seealso source standards status summary "
    "synopsis syntax terminology throws tip tips todo troubleshooting tutorial type types usage value values "
    "variables version versions warning warnings yields"
)
_LABELS_OF_WORDS = (
    "all rights reserved, bug reports, conforming to, environment variables, exit codes, exit status, further reading, "
    "getting started, how to, known bugs, known issues, next topic, on this page, previous topic, quick search, "
    "quick start, reporting bugs, return value, return values, see also, show source, table of contents, this page"
)

_MAIL_HEADERS = (
    "subject, date, from, to, cc, bcc, sent, received, reply to, message id, attachment, attachments, betreff, datum, "
    "gesendet, objet, envoye, asunto, enviado, oggetto, inviato, onderwerp, verzonden"
)

LITERALS = frozenset(_LITERALS.split())
LABELS = frozenset(_LABELS.split()) | frozenset(f"{_LABELS_OF_WORDS}, {_MAIL_HEADERS}".split(", "))
"""Keys of standard headings, fields and links. If they were names, they would connect all manuals."""

_NUMBER = re.compile(r"[#§v.(]*\d+(?:[.,:-]\d+)*(?:[.:)]|\+|%|(?:a|b|rc|dev)\d+)?|0x[\da-f]+", re.IGNORECASE)
_HEADING_NUMBER = re.compile(
    r"(?:(?:Chapter|Appendix|Section|Part|Annex)\s+(?:\d+|[A-Z]|[IVX]+)[.:]"
    r"|§\s*\d+(?:\.\d+)*\.?|[A-Z]\.\d+(?:\.\d+)*\.?|\d+(?:\.\d+)+\.)\s+(?=\S)"
)
_BARE_NUMBER = re.compile(r"(?P<number>\d{1,3})\s+(?=[^\W\d_])")
_LINE_NUMBER = re.compile(r"(?:\d+[.)]|\d+(?:\.\d+)+)\s+(?=\S)")


def numbers_of(headings: Iterable[str]) -> set[str]:
    """Return the numbers with which the headings of a document begin without a full stop: "1" for "1 Appointment".

    A number counts only if it is 1, or if another heading has the number before or after it. "30 Rock" keeps its
    number.
    """
    found = {match["number"] for heading in headings if (match := _BARE_NUMBER.match(heading))}
    return {each for each in found if int(each) == 1 or {str(int(each) - 1), str(int(each) + 1)} & found}


def without_bare_number(heading: str, numbers: Set[str]) -> str:
    """Return a heading without its number, if `numbers_of` returned this number for the document."""
    match = _BARE_NUMBER.match(heading)
    return heading[match.end() :] if match and match["number"] in numbers else heading


_LOG_LEVEL = re.compile(r"INFO|WARN|WARNING|ERROR|DEBUG|FATAL|CRITICAL|NOTICE|TRACE|SEVERE|VERBOSE")


def is_number(surface: str) -> bool:
    """Return True for a number, a version or the number of a heading: "12", "0x1F", "v1.2rc1", "3."."""
    return _NUMBER.fullmatch(surface.strip()) is not None


def is_stop_name(surface: str) -> bool:
    """Return True for a number, a literal ("true"), a label ("Contents"), a log level ("INFO") or a single letter."""
    key = entity_key(surface)
    return (
        len(key) < 2
        or key in LITERALS
        or key in LABELS
        or is_number(surface)
        or _LOG_LEVEL.fullmatch(surface) is not None
    )


def without_number(heading: str, *, in_line: bool = False) -> str:
    """Return a heading without its number: "Linux Mint" for "A.3. Linux Mint" and "Chapter 3. Linux Mint".

    Args:
        in_line: True if the text is known to be a heading or a list item. In that case, "1. Introduction" and "3.2
            Files" lose their numbers, too. Otherwise such numbers are kept, because "1. FC Köln" and "94.3 FM" may be
            titles.
    """
    number = _HEADING_NUMBER.match(heading) or (_LINE_NUMBER.match(heading) if in_line else None)
    return heading[number.end() :] if number else heading
