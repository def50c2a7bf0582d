"""Reads from a sentence the time during which it says that something holds, in six languages.

General date parsers are no help here: they fill in a missing day or month from today, and take over a millisecond for
each sentence.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice, pairwise
from typing import NamedTuple

from overstory.model.time_spans import PartialDate, TimeSpan
from overstory.text.time_words import TIME_WORDS, TimeWords


class WrittenDate(NamedTuple):
    """A date in a text, with the positions of its first character and after its last."""

    date: PartialDate
    start: int
    end: int


_YEAR = r"(?<![\d.,/])(?:1[0-9]|20)\d\d(?![\d%°]|[.,]\d)"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH_NUMBER = r"(?:0?[1-9]|1[0-2])"
_DASH = r"[–—−‐‑-]"

_UNIT = (
    r"\s?(?:€|\$|£|%|°|[mk]?m[²2³3]?\b|kg\b|[kmg]w\b|[kmgt]b\b|euros?\b|eur\b|dollars?\b|pounds?\b|met(?:er|re)s?\b|miles?\b|feet\b"
    r"|lit(?:er|re)s?\b|people\b|members?\b|copies\b|visitors?\b|pages?\b|inhabitants\b|seats?\b|volts?\b|watts?\b|units?\b|items?\b"
    r"|hours?\b|metern?\b|einwohner\w*|mitglieder\w*|personen\b|menschen\b|besucher\w*|seiten\b|stück\b|mètres?\b|litros?\b|litri\b"
    r"|habitants?\b|personnes\b|membres\b|metros?\b|habitantes\b|personas\b|miembros\b|metri\b|abitanti\b|persone\b|membri\b"
    r"|inwoners\b|mensen\b|leden\b|stuks\b)"
)
_COUNTED = rf"(?!{_UNIT})"
"""Units after a number that is therefore no year."""

_FARTHEST_VERB_CHARACTERS = 160
"""Maximum distance between a date and the verb that makes it the beginning or the end of something."""
_CLAUSE_CHARACTERS = 40
"""Distance for which a comma or a conjunction between a date and a verb counts."""
_LONGEST_VERB_CHARACTERS = 160
_LONGEST_LINK_CHARACTERS = 8
"""Maximum distance between two such verbs if the first governs the second."""
_CLAUSE_END = re.compile(r"[,;:()]|\s(?:and|but|und|aber|et|mais|y|pero|e|ma|en|maar)\s")


def time_spans(sentence: str, language: str = "") -> list[TimeSpan]:
    """Return the time spans in a sentence, in its order.

    A date that only names a document, as in "the report of 2012", is no time span.

    Args:
        language: ISO code of the sentence's language; "" for English. In languages other than English, German, French,
            Spanish, Italian and Dutch, only ranges of years and of ISO dates are found.
    """
    rules = _rules_of(language)
    if rules is None:
        return _ranges_in_digits(sentence)
    has_digits = _FOUR_DIGITS.search(sentence) is not None
    ended, former = rules.no_longer.search(sentence), rules.former.search(sentence)
    if not has_digits and ended is None and former is None:
        return []
    spans = list(_dated(sentence, rules, ended)) if has_digits else []
    taken = any(span.ended for span in spans)
    for words in (ended if not taken else None, former):
        if words is not None:
            spans.append(TimeSpan(None, None, words.group().strip(), words.start(), words.end(), ended=True))
    return sorted(spans, key=lambda span: span.start)


def dates_in(text: str, language: str = "") -> list[WrittenDate]:
    """Return the dates in a text that have a year, in its order, without decades; [] for an unknown language."""
    rules = _rules_of(language)
    if rules is None or _FOUR_DIGITS.search(text) is None:
        return []
    found = ((match, _read(match.group(), rules)) for match in rules.date.finditer(text))
    return [
        WrittenDate(dates[0], match.start(), match.end())
        for match, dates in found
        if dates is not None and dates[0] == dates[1]
    ]


def fact_span(sentence: str, language: str = "") -> TimeSpan | None:
    """Return the time span of a sentence that states one fact; None if it has none.

    The beginning and the end may stand apart: "joined in 2019 and left in March 2022".
    """
    spans = time_spans(sentence, language)
    dated = [span for span in spans if span.holds_from or span.holds_to]
    if not dated:
        return spans[0] if spans else None
    first = next((span for span in dated if not _is_point(span)), dated[0])
    if first.holds_from is not None and first.holds_to is None:
        for span in dated:
            if span.holds_from is None and span.holds_to is not None and span.holds_to.last >= first.holds_from.first:
                start, end = min(first.start, span.start), max(first.end, span.end)
                return TimeSpan(first.holds_from, span.holds_to, sentence[start:end], start, end, span.ended)
    return first


@dataclass(frozen=True, slots=True)
class _Rules:
    dated: re.Pattern[str]
    date: re.Pattern[str]
    months: Mapping[str, int]
    month: re.Pattern[str]
    decade: re.Pattern[str]
    no_longer: re.Pattern[str]
    former: re.Pattern[str]
    begins: re.Pattern[str]
    ends: re.Pattern[str]
    closed: re.Pattern[str]
    documents: re.Pattern[str]
    is_month_first: bool


_FOUR_DIGITS = re.compile(r"(?<!\d)(?:1\d|20)\d\d")


@functools.cache
def _rules_of(language: str) -> _Rules | None:
    words = TIME_WORDS.get(language)
    if words is None:
        return None
    months = {name: number for number, names in enumerate(words.months.split(), start=1) for name in names.split(",")}
    no_longer, former, begins, ends, closed, documents = (
        re.compile(rf"(?<!\w)(?:{each})(?:(?<=-)|(?<=\s)|(?!\w))", re.IGNORECASE)
        for each in (words.no_longer, words.former, words.begins, words.ends, words.closed, words.documents)
    )
    return _Rules(
        dated=re.compile(_dated_pattern(words, months), re.IGNORECASE),
        date=re.compile("|".join(_date_patterns(words, months)), re.IGNORECASE),
        months=months,
        month=re.compile(rf"(?<![^\W\d_])(?:{_any_of(months)})(?![^\W\d_])", re.IGNORECASE),
        decade=re.compile(words.decade, re.IGNORECASE),
        no_longer=no_longer,
        former=former,
        begins=begins,
        ends=ends,
        closed=closed,
        documents=documents,
        is_month_first=words is TIME_WORDS["en"],
    )


def _any_of(months: Mapping[str, int]) -> str:
    return "|".join(sorted(months, key=len, reverse=True))


def _date_patterns(words: TimeWords, months: Mapping[str, int]) -> list[str]:
    month, of, day = _month_of_day(words, months)
    decade = re.sub(r"\?P<\w+>", "?:", words.decade)
    return [
        r"(?<![\d-])\d{4}-\d\d-\d\d(?!\d)",
        r"(?<!\d)\d{4}-(?:0[1-9]|1[0-2])(?![\d-])",
        rf"(?<![\d.]){_DAY}\s?[./-]\s?{_MONTH_NUMBER}[./-]\s?(?:1[0-9]|20)\d\d(?!\d)",
        rf"(?<!\d){day}{of}{month},?{of}{_YEAR}",
        rf"(?<!\w){month}\s*{day},?\s+{_YEAR}",
        rf"(?<!\w){month},?{of}{_YEAR}",
        rf"(?<!\w){decade}(?!\w)",
        rf"{_YEAR}{_COUNTED}",
    ]


def _month_of_day(words: TimeWords, months: Mapping[str, int]) -> tuple[str, str, str]:
    """Return the patterns of a month, of the words between day and month, and of a day."""
    month = rf"(?:{_any_of(months)})(?![^\W\d_])\.?"
    of = rf"\s*(?:(?:{words.before_month})\s+)?" if words.before_month else r"\s*"
    return month, of, rf"{_DAY}(?:{words.day})?(?![\w])"


def _dated_pattern(words: TimeWords, months: Mapping[str, int]) -> str:
    month, of, day = _month_of_day(words, months)
    year = rf"{_YEAR}{_COUNTED}"
    lead = rf"(?:(?:{words.before_date})\s*){{0,3}}"
    full = rf"{lead}(?:{'|'.join(_date_patterns(words, months))})"
    partial = rf"{lead}(?:(?<!\d){day}{of}{month}|(?<!\w){month}\s*{day}|(?<!\w){month}|(?<!\d){day})"
    lone = rf"{lead}(?:(?<!\d){day}{of}{month}|(?<!\w){month}\s*{day}|(?<!\w){month})"
    dash = rf"\s*{_DASH}\s*"

    def after(prepositions: str) -> str:
        return rf"(?:{prepositions})(?:\s+|(?<=['’]))"

    to = rf",?\s+(?:{words.range_to})(?:\s+|(?<=['’]))"
    between, and_ = words.between
    words_between = r"(?:[^\W\d_]+['’]?\s*){1,4}?"
    number = r"(?<!\d)\d[\d.,]*"
    patterns = [
        rf"(?P<quantity>(?:{after(f'{words.range_from}|{between}')})?{number}(?:{dash}|{to}|\s+(?:{and_})\s+){number}{_UNIT})",
        rf"{after(words.range_from)}(?P<from>{full}|{partial})(?:{dash}|{to})(?P<to>{full})",
        rf"{after(words.range_from)}(?P<from_open>{full})(?:{dash}|{to})(?:{words.today})(?!\w)",
        rf"{after(words.range_from)}(?P<begun>{full}|{partial}){to}{words_between}{after(words.within)}(?P<done>{full})",
        rf"(?P<first>{full}|{lone}|(?<!\d){day}){dash}(?P<last>{full})",
        rf"(?P<first_alone>{full}){to}(?P<last_alone>{full})",
        rf"(?P<year>{year}){_SHORT}",
        rf"(?P<going>{full})(?:{dash}(?:{words.today})(?!\w)|{dash}(?=\)))",
        rf"{after(between)}(?P<low>{full}|{partial})\s+(?:{and_})\s+(?P<high>{full})",
        rf"{after(words.within)}(?P<each>{full}|{lone})\s+(?:{and_})\s+(?P<next>{full})",
        rf"{after(words.since)}(?P<since>{full})",
        rf"{after(words.effective)}(?P<effective>{full})",
        rf"{after(words.until)}(?P<until>{full})",
        rf"{after(f'{words.until}|{words.before}')}{words_between}{after(words.within)}(?P<until_event>{full})",
        rf"{after(words.before)}(?P<before>{full})",
        rf"{after(words.after)}(?P<after>{full})",
        rf"{after(words.within)}(?P<within>{full})",
    ]
    if words.bare_year:
        patterns.append(rf"(?-i:{words.bare_year})(?P<bare>{year})")
    return rf"(?<!\w)(?=\w)(?:{'|'.join(patterns)})"  # tries all of them only where a word begins


_SHORT = r"(?:[–—−‐‑/]|-(?!0[1-9]|1[0-2]))(?P<short>\d\d)(?![\d/-])"


def _dated(sentence: str, rules: _Rules, ended: re.Match[str] | None) -> Iterator[TimeSpan]:
    verbs = _verbs(sentence, rules)
    for found in rules.dated.finditer(sentence):
        before = sentence[max(0, found.start() - _LONGEST_WORD_CHARACTERS) : found.start()].rstrip()
        if found["quantity"] or rules.documents.fullmatch(before.split(" ")[-1].lstrip("(")):
            continue
        span = _span(found, sentence, rules, ended, verbs)
        if span is not None:
            yield span


def names_a_document(before: str, language: str = "") -> bool:
    """Return True if a text that ends before a date ends with what has a date of its own: "the report of"."""
    rules = _rules_of(language)
    if rules is None:
        return False
    words = before.split()
    last = [each.strip("(,.:") for each in words[-_WORDS_BEFORE_A_DATE:]]
    return any(rules.documents.fullmatch(each) for each in last)


_WORDS_BEFORE_A_DATE = 3
_LONGEST_WORD_CHARACTERS = 60


def _span(
    found: re.Match[str], sentence: str, rules: _Rules, ended: re.Match[str] | None, verbs: Sequence[_Verb]
) -> TimeSpan | None:
    kind = found.lastgroup or ""  # the name of the group that matched last
    start, stop = found.start("bare") if kind == "bare" else found.start(), found.end()

    def span(first: PartialDate | None, last: PartialDate | None, *, over: bool = False) -> TimeSpan:
        return TimeSpan(first, last, sentence[start:stop].strip(), start, stop, over)

    if kind == "short":
        year = int(found["year"])
        end = year - year % 100 + int(found["short"])
        return span(PartialDate(year), PartialDate(end)) if end > year else None
    end_of = _read(found[kind], rules)
    if end_of is None:
        return None
    first, last = end_of
    if kind in _BEGINNINGS:
        begins = _read(found[_BEGINNINGS[kind]], rules) or _completed(found[_BEGINNINGS[kind]], last, rules)
        if kind != "next":
            return span(begins[0], last) if begins and begins[0].first <= last.last else None
        if begins is None or _next(begins[1]) == first:
            return span(begins[0], last) if begins else None
        first, last = begins
    match kind:
        case "since" if _is_near(ended, start):
            return span(None, first, over=True)
        case "from_open" | "going" | "since":
            return span(first, None)
        case "until" | "until_event":
            return span(None, last)
        case "before":
            return span(None, _previous(first))
        case "after":
            return span(_next(last), None)
        case _:
            pass
    if _is_near(ended, start):
        return span(None, first, over=True)
    verb = _nearest(verbs, sentence, start, stop)
    if verb is not None and verb.ends:
        is_closed = kind == "effective" and rules.closed.fullmatch(sentence, verb.start, verb.end)
        return span(first, None) if is_closed else span(None, last)
    return span(first, last if verb is None and kind != "effective" else None)


_BEGINNINGS = {
    "to": "from",
    "last": "first",
    "last_alone": "first_alone",
    "high": "low",
    "done": "begun",
    "next": "each",
}
"""The group of the first date of a range, by the group of its last date."""


def _read(text: str, rules: _Rules) -> tuple[PartialDate, PartialDate] | None:
    """Return the first and the last date that a text with a year means; they differ for a decade."""
    decade = rules.decade.search(text)
    if decade is not None:
        year = int(decade["decade"])
        return PartialDate(year), PartialDate(year + 9)
    digits = _DIGITS.findall(text)
    years = [int(each) for each in digits if len(each) == _YEAR_DIGITS]
    if not years:
        return None
    others = [int(each) for each in digits if len(each) < _YEAR_DIGITS]
    named = rules.month.search(text)
    if named is not None:
        parts = [rules.months[named.group().lower()], *others[:1]]
    elif len(digits[0]) == _YEAR_DIGITS:  # an ISO date, or a year
        parts = others[:2]
    elif rules.is_month_first and "/" in text and others[0] != others[1]:
        # 3/4/2019 is in March or in April
        parts = [min(others[:2]), max(others[:2])] if max(others[:2]) > _MONTHS_OF_A_YEAR else []
    else:
        parts = others[1::-1]
    try:
        date_ = PartialDate(years[0], *parts)
    except ValueError:  # there is no such day
        return None
    return date_, date_


def _completed(text: str, end: PartialDate, rules: _Rules) -> tuple[PartialDate, PartialDate] | None:
    """Return the beginning of a range that lacks what its end has: "3" in "from 3 to 15 May 2021"."""
    named = rules.month.search(text)
    days = [int(each) for each in _DIGITS.findall(text) if len(each) < _YEAR_DIGITS]
    month = rules.months[named.group().lower()] if named else end.month
    if month is None or (named is None and (not days or end.day is None)):
        return None
    year = end.year - 1 if end.month is not None and month > end.month else end.year
    try:
        date_ = PartialDate(year, month, *days[:1])
    except ValueError:
        return None
    return date_, date_


def _previous(date_: PartialDate) -> PartialDate:
    return PartialDate.of(date_.first - timedelta(days=1), date_.precision)


def _next(date_: PartialDate) -> PartialDate:
    return PartialDate.of(date_.last + timedelta(days=1), date_.precision)


class _Verb(NamedTuple):
    start: int
    end: int
    ends: bool


def _verbs(sentence: str, rules: _Rules) -> list[_Verb]:
    """Return the verbs that begin or end something, in order, without those that another one governs."""
    found = sorted(
        _Verb(verb.start(), verb.end(), pattern is rules.ends)
        for pattern in (rules.begins, rules.ends)
        for verb in pattern.finditer(sentence)
    )
    verbs = found[:1]
    for previous, verb in pairwise(found):
        if verb.start - previous.end > _LONGEST_LINK_CHARACTERS:  # "ceased to apply" ends something
            verbs.append(verb)
    return verbs


def _nearest(verbs: Sequence[_Verb], sentence: str, start: int, end: int) -> _Verb | None:
    """Return the verb nearest to a date; None if all are too far away."""
    near = bisect_left(verbs, (start - _FARTHEST_VERB_CHARACTERS - _LONGEST_VERB_CHARACTERS,))
    best, nearest = _FARTHEST_VERB_CHARACTERS, None
    for verb in islice(verbs, near, None):
        if verb.start > end + _FARTHEST_VERB_CHARACTERS:
            break
        far = _distance(sentence, verb.start, verb.end, start, end)
        if far <= best and not (start <= verb.start and verb.end <= end):
            best, nearest = far - 1, verb
    return nearest


def _is_near(words: re.Match[str] | None, at: int) -> bool:
    return words is not None and abs(words.start() - at) <= _FARTHEST_VERB_CHARACTERS


def _distance(sentence: str, start: int, end: int, other_start: int, other_end: int) -> int:
    """Return how far two parts of a sentence are apart, 0 if they overlap: "trat am 1. Mai 2020 zurück"."""
    between = sentence[end:other_start] if end <= other_start else sentence[other_end:start]
    return len(between) + _CLAUSE_CHARACTERS * len(_CLAUSE_END.findall(between))


def _ranges_in_digits(sentence: str) -> list[TimeSpan]:
    spans: list[TimeSpan] = []
    for found in _RANGE_IN_DIGITS.finditer(sentence):
        try:
            first, last = PartialDate.read(found[1]), PartialDate.read(found[2])
        except ValueError:
            continue
        if first.first <= last.last:
            spans.append(TimeSpan(first, last, found.group(), found.start(), found.end()))
    return spans


def _is_point(span: TimeSpan) -> bool:
    return span.holds_from == span.holds_to


_DIGITS = re.compile(r"\d+")
_YEAR_DIGITS = 4
_MONTHS_OF_A_YEAR = 12
_RANGE_IN_DIGITS = re.compile(
    r"(?<![\d.,-])((?:1[0-9]|20)\d\d(?:-\d\d-\d\d)?)\s?[–—/-]\s?((?:1[0-9]|20)\d\d(?:-\d\d-\d\d)?)(?![\d-])"
)
