"""Stop names: strings that look like names but are numbers, literals, labels or links for navigation."""

from __future__ import annotations

import re

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

LITERALS = frozenset(_LITERALS.split())
LABELS = frozenset(_LABELS.split()) | frozenset(_LABELS_OF_WORDS.split(", "))
"""Keys of standard headings, fields and links. If they were names, they would connect all manuals."""

_NUMBER = re.compile(r"[#§v.(]*\d+(?:[.,:-]\d+)*(?:[.:)]|\+|%|(?:a|b|rc|dev)\d+)?|0x[\da-f]+", re.IGNORECASE)
_HEADING_NUMBER = re.compile(
    r"(?:(?:Chapter|Appendix|Section|Part|Annex)\s+(?:\d+|[A-Z]|[IVX]+)[.:]"
    r"|§\s*\d+(?:\.\d+)*\.?|[A-Z]\.\d+(?:\.\d+)*\.?|\d+(?:\.\d+)+\.)\s+(?=\S)"
)
_LINE_NUMBER = re.compile(r"(?:\d+[.)]|\d+(?:\.\d+)+)\s+(?=\S)")


def is_number(surface: str) -> bool:
    """Return True for a number, a version or the number of a heading: "12", "0x1F", "v1.2rc1", "3."."""
    return _NUMBER.fullmatch(surface.strip()) is not None


def is_stop_name(surface: str) -> bool:
    """Return True for a number, a literal ("true"), a label ("Contents") or a single letter."""
    key = entity_key(surface)
    return len(key) < 2 or key in LITERALS or key in LABELS or is_number(surface)


def without_number(heading: str, *, in_line: bool = False) -> str:
    """Return a heading without its number: "Linux Mint" for "A.3. Linux Mint" and "Chapter 3. Linux Mint".

    Args:
        in_line: True if the text is known to be a heading or a list item. In that case, "1. Introduction" and "3.2
            Files" lose their numbers, too. Otherwise such numbers are kept, because "1. FC Köln" and "94.3 FM" may be
            titles.
    """
    number = _HEADING_NUMBER.match(heading) or (_LINE_NUMBER.match(heading) if in_line else None)
    return heading[number.end() :] if number else heading
