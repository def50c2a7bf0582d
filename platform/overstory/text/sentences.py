"""Splits texts into sentences by rules, without a parser."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from overstory.text.function_words import word_set
from overstory.text.languages import stop_words

_TITLES = word_set(
    "mr mrs ms mx dr prof st rev hon gen col lt capt cpt maj sgt cmdr adm gov sen rep pres fr br sr mt ft messrs mme "
    "mlle bzw evtl ggf inkl zzgl vgl hr fr nr str vs cf fig figs no nos vol vols pp p ch sec eq ed eds al approx ca c "
    "b d r e.g i.e viz resp"
)
"""Abbreviations that never end a sentence."""

_ABBREVIATIONS = word_set(
    "jr inc ltd co corp bros dept univ assn ave blvd rd etc esq ph.d m.d b.a m.a d.c a.m p.m jan feb mar apr jun jul "
    "aug sep sept oct nov dec mon tue wed thu fri sat sun"
)
"""Abbreviations that end a sentence only if a typical first word of a sentence follows, such as "The"."""

_OF_LANGUAGE = {
    "de": "abb abs anm art aufl bd bsp bspw dipl ebd einschl etc evtl geb gem ggfs hrsg ing jh jhd jhs kap lat lfd max "
    "mind mio mrd o.ä phil s.o sog st std tab tel u.a u.ä usf usw v.a vgl z.b z.t d.h i.d.r u.u",
    "fr": "adj art av bd chap env etc ex fém fig hab inc j.-c m mm mgr mlles mmes nb p.ex r réf s.a sté tél vol",
    "es": "admón apdo art aprox avda cap cía d da dña dr dra dras drs ej etc ee.uu excmo fdo fig gral ing lic núm págs "
    "pág p.ej prof s.a sr sra sras sres srta tel ud uds vol vs",
    "it": "art avv cap cfr dott dr ecc es fig ing n prof pag pagg sig sigg sigra tel vol",
    "pt": "art av cap dr dra etc ex fig eng n núm pág prof profa sr sra srs tel vol",
    "nl": "afb bijv blz bv ca dhr drs enz evt fig ir mevr mr nr o.a p prof resp tel vgl",
}
"""Abbreviations by language. An abbreviation ends a sentence only if a stop word of its language follows."""

_OPENERS = word_set(
    "the a an this that these those he she it they we i you his her its their our there here in on at after before "
    "during when while since although though but and however as by for from with if to then later also another one "
    "many most some both each who what where why how"
)

_END = re.compile(
    r"(?<![.!?…])(?:(?P<stop>\.)(?![.!?…])|[.!?…]++)"  # a full stop, perhaps of an abbreviation, or other marks
    r"[\"'”’»)\]]*(?=\s)"
    r"|[。！？｡]+[」』”’）]*"
    r"|\n[ \t]*(?=\n)"  # a blank line
    r"|\n(?=[ \t]*(?:[-*•‣◦]|\d{1,3}[.)])[ \t])"  # before a list item
)
_SPACE = re.compile(r"\s*")
_WORD_BEFORE = re.compile(r"[^\s\"'“‘«(\[]*$")
_WORD_AFTER = re.compile(r"[\"'“‘«»„(\[¿¡]*(\w+)")
_ACRONYM = re.compile(r"(?:\w\.)*\w")

_LONGEST_LAST_WORD_CHARACTERS = 40

_NUMBERED = re.compile(
    r"(?:^|\n)[ \t]{0,20}\d{1,3}\Z"  # the number of a list item
    r"|\b(?:am|vom|zum|zur|bis|ab|im|dem|den|der|des|das|die|beim|jeden|jedem|seit|Seit|Am|Im|Zum|Ab|Bis|Vom|Der|Die|Das)"
    r"[ ]\d{1,2}\Z"  # a German ordinal: "am 31. März", "im 2. Stock"
)
_LONGEST_NUMBERED_CHARACTERS = 26


def sentence_starts(text: str, language: str = "") -> list[int]:
    """Return the offset of each sentence's first character, in order.

    The first offset is 0, even for an empty text. White space belongs to the sentence before it. A new sentence always
    starts after a blank line and at a list item.

    Args:
        language: ISO code of the text's language; "" for English. Its abbreviations are recognised in addition to the
            English ones.
    """
    return [0, *_later_starts(text, language)]


def sentence_texts(text: str, starts: Sequence[int]) -> list[str]:
    """Split a text at these offsets. The first offset must be 0."""
    return [text[start:stop] for start, stop in zip(starts, [*starts[1:], len(text)], strict=True)]


def sentence_at(text: str, starts: Sequence[int], number: int) -> str:
    """Return a sentence by its number, with white space collapsed; the last sentence if the number is too large."""
    ends = [*starts[1:], len(text)]
    at = min(number, len(ends) - 1)
    return " ".join(text[starts[at] : ends[at]].split())


def _later_starts(text: str, language: str) -> Iterator[int]:
    last = start = 0
    for match in _END.finditer(text):
        if match.end() > start:  # skips other blank lines of a gap; reading each would take quadratic time
            space = _SPACE.match(text, match.end())
            start = space.end() if space else match.end()
        if last < start < len(text) and not _is_inner_stop(text, match, start, language):
            yield start
            last = start


def _is_inner_stop(text: str, end: re.Match[str], start: int, language: str) -> bool:
    """Return True if an apparent end of a sentence does not end it, such as the full stop of an abbreviation."""
    if "\n" in end.group() or text[end.end() : start].count("\n") > 1:
        return False
    after = _WORD_AFTER.match(text, start)
    word = after.group(1) if after else ""
    if word[:1].islower():
        return end.group()[0] in ".!?…"  # "Yahoo! is", "Inc. of", "'Who?' he asked"
    if end.group("stop") is not None and _NUMBERED.search(
        text, max(0, end.start() - _LONGEST_NUMBERED_CHARACTERS), end.start()
    ):
        return True
    return end.group("stop") is not None and _is_abbreviation(text, end.start(), word, language)


def _is_abbreviation(text: str, stop: int, following: str, language: str) -> bool:
    found = _WORD_BEFORE.search(text[max(0, stop - _LONGEST_LAST_WORD_CHARACTERS) : stop])
    word = found.group().rstrip(".") if found else ""
    if word.lower() in _TITLES and not (len(word) == 1 and word.isupper()):
        return True
    if language and word.lower() in _abbreviations_of(language):
        return following.lower() not in stop_words(language)
    if word.lower() in _ABBREVIATIONS or (_ACRONYM.fullmatch(word) and not word.isdigit()):
        return following.lower() not in _OPENERS
    return False


@functools.cache
def _abbreviations_of(language: str) -> frozenset[str]:
    return word_set(_OF_LANGUAGE.get(language, ""))
