"""Reads the time that a question asks about: now, in 2021, since when, before somebody, the first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from overstory.model.time_spans import TimeSpan
from overstory.text.languages import language_of
from overstory.text.time_spans import dates_in, time_spans

TimeKind = Literal["now", "during", "before", "after", "first", "last", "since", "until"]


@dataclass(frozen=True, slots=True)
class AskedTime:
    """The time that a question asks about.

    Attributes:
        kind: now, a span ("in 2021"), before or after somebody or something, the first or last, or since or until when.
        rest: the question without the words for the time.
        span: the span for the kind "during"; None for other kinds.
        outer: True if the time is a range, or at the begin or the end of the question. Then it is the time asked for,
            and not that of a thing in the question, as in "the album of 1968".
        implied: True if only the present tense asks about now. Then it only matters if passages give several values.
        anchor: what the answer precedes or follows, for the kinds "before" and "after"; "" for other kinds.
    """

    kind: TimeKind
    rest: str
    span: TimeSpan | None = None
    anchor: str = ""
    implied: bool = False
    outer: bool = False


_SINCE = re.compile(
    r"\b(?:(?:since|from|as of) when|seit wann|ab wann|depuis quand|à partir de quand|desde cuándo|da quando"
    r"|sinds wanneer|vanaf wanneer)\b",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"\b(?:(?:until|till|up to) when|bis wann|jusqu['’]à quand|hasta cuándo|fino a quando|tot wanneer)\b", re.IGNORECASE
)
_NOW = re.compile(
    r"\b(?:right now|now|currently|(?:the )?current|today|at present|at the moment|presently|nowadays|these days"
    r"|aktuell\w*|derzeit\w*|heute|jetzt|zurzeit|gegenwärtig\w*|actuellement|actuel(?:le)?s?|maintenant|aujourd['’]hui"
    r"|actual(?:mente|es)?|ahora|hoy|attual[ei]|attualmente|oggi|nu|huidige?|momenteel|vandaag)\b",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"\b(?:latest|most recent|newest|last|neueste[rns]?|letzte[rns]?|jüngste[rns]?|derni(?:er|ère)s?|últim[oa]s?"
    r"|ultim[oaie]|laatste)\b",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\b(?:first|earliest|original|erste[rns]?|premi(?:er|ère)s?|primer[oa]?s?|prim[oaie]|eerste)\b", re.IGNORECASE
)
_NAME = r"(?P<anchor>(?:the |a |der |die |das |le |la |el |il |de )?[^\W\d_a-z][^,;?]{1,60}?)"
_BEFORE = re.compile(
    r"(?<!\s)\s++(?:(?:just |immediately |right )?before|prior to|preceding|unmittelbar vor|vor|avant|antes (?:de|que)"
    r"|prima di|voor)"
    rf" {_NAME}(?=\s*\?|\s*$)"
)
_AFTER = re.compile(
    rf"(?<!\s)\s++(?:(?:just |immediately |right )?after|following|nach|après|después de|dopo|na) {_NAME}(?=\s*\?|\s*$)"
)
_WHO = re.compile(r"\W*(?:wer|wen|qui|quién|quiénes|chi|quem|wie)\b", re.IGNORECASE)
"""In other languages, "nach Ulm" and "na" after other question words may mean a direction."""
_IN_PARENTHESES = re.compile(r"\([^()]*\Z")
_PLURAL_LAST = re.compile(r"\blast \d|\bat last\b|\blast name\b|\bfirst name\b|\bfirst aid\b", re.IGNORECASE)

_Patterns = tuple[tuple[TimeKind, re.Pattern[str]], ...]
_ASKED_WHEN: _Patterns = (("since", _SINCE), ("until", _UNTIL))
_BESIDE: _Patterns = (("before", _BEFORE), ("after", _AFTER))
_ORDERED: _Patterns = (("now", _NOW), ("first", _FIRST), ("last", _LAST))


def asked_time(question: str) -> AskedTime | None:
    """Return the time that a question asks about; None if it does not ask about time."""
    for kind, pattern in _ASKED_WHEN:
        if pattern.search(question):
            return AskedTime(kind, pattern.sub("when" if language_of(question) == "en" else " ", question, count=1))
    spans = [
        each
        for each in time_spans(question, language_of(question))
        if (each.holds_from or each.holds_to) and not _IN_PARENTHESES.search(question, 0, each.start)
    ]
    foreign = language_of(question) not in ("en", "")
    dates = dates_in(question, language_of(question)) if foreign and not spans else []
    if len(dates) == 1:
        named = dates[0]
        spans = [TimeSpan(named.date, named.date, question[named.start : named.end], named.start, named.end)]
    if spans:
        rest = question
        for each in reversed(spans):
            rest = f"{rest[: each.start]} {rest[each.end :]}"
        span = spans[-1]
        outer = not question[: span.start].strip(" ,") or not question[span.end :].strip(" ?.,")
        return AskedTime("during", _tidy(rest), span, outer=outer or span.holds_from != span.holds_to)
    for kind, pattern in _BESIDE:
        found = pattern.search(question)
        if found and (language_of(question) == "en" or _WHO.match(question)):
            return AskedTime(kind, _tidy(question[: found.start()] + question[found.end() :]), anchor=found["anchor"])
    if _PLURAL_LAST.search(question):
        return None
    for kind, pattern in _ORDERED:
        found = pattern.search(question)
        if found:
            return AskedTime(kind, _tidy(question[: found.start()] + question[found.end() :]))
    return None


def _tidy(question: str) -> str:
    return re.sub(r" ([?.,])", r"\1", " ".join(question.split()))
