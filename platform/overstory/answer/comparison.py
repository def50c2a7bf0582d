"""Answers questions that compare two things by a date or a country.

An example is "Who was born first, Ada Lovelace or Charles Babbage?". The dates of birth and death are read from
parentheses like "(28 December 1888 in Bielefeld – 11 March 1931)", which are usual in encyclopedias.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from overstory.answer.reader import Sentence, above, bridges, is_of
from overstory.text.names.keys import entity_key, without_parentheses
from overstory.text.questions.asked_for import AskedFor

Moment = tuple[int, int, int]
"""A date as (year, month, day). An unknown month or day is 0."""

_EARLIER = re.compile(r"\b(?:first|earlier|older|elder|sooner|earliest|oldest)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(?:later|younger|latest|last|youngest|(?:more|most) recent(?:ly)?)\b", re.IGNORECASE)
_BIRTH = re.compile(r"\b(?:born|older|younger|elder|birth|oldest|youngest)\b", re.IGNORECASE)
_DEATH = re.compile(r"\b(?:died?|death)\b", re.IGNORECASE)
_RELEASE = re.compile(r"\b(?:released?|came out|come out|published|recent)\b", re.IGNORECASE)
_FOUNDING = re.compile(r"\b(?:founded|established|formed|created|started|opened)\b", re.IGNORECASE)
_LONGER = re.compile(r"\blived? longer\b", re.IGNORECASE)
_SAME = re.compile(r"\bsame (?:country|nationality)\b", re.IGNORECASE)
_LOCATED = re.compile(r"\b(?:located|situated|place|in the same)\b", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?P<who>director|author|composer|performer|singer|writer|founder)s?\b", re.IGNORECASE)

_YEAR_OF_WORK = re.compile(r"\b(?:is|was) an? (?:upcoming )?(?P<year>1[5-9]\d\d|20\d\d)\b")
_CAME_OUT = re.compile(r"\b(?:released?|published|premiered)\b[^.;]{0,60}?(?P<date>\b(?:1[5-9]|20)\d\d)\b")
_FOUNDED = re.compile(
    r"\b(?:founded|established|formed|created|started|opened)\b[^.;]{0,40}?(?P<date>\b(?:1\d|20)\d\d)\b"
)
_NATION = re.compile(r"\b(?:is|was) an? (?:(?:\d{4}|former|retired|late) )*(?P<nation>[A-Z][a-z]+)(?= [a-z])")


@dataclass(frozen=True, slots=True)
class Compared:
    """The result of a comparison.

    Attributes:
        outcome: the answer, which is the name of one of the two things, or "Yes" or "No".
        sentences: the sentences that support the answer. Those on the thing named first in the question come first.
    """

    outcome: str
    sentences: tuple[Sentence, ...]


def compared(question: str, asked: AskedFor, sentences: Sequence[Sentence]) -> Compared | None:
    """Answer a question that compares two things by a date or a country.

    Return None if the question is not such a comparison, or does not name exactly two titles of passages. Also return
    None if the passages do not state the compared value for both things, or if the values do not decide the question.
    """
    value_of = _measure(question)
    if value_of is None:
        return None
    things = _things(question, sentences)
    if len(things) != 2:
        return None
    between = _BETWEEN.search(question)
    of_each = [
        _of_one(thing, between["who"].lower() if between else "", asked, sentences, value_of) for thing in things
    ]
    if any(each is None for each in of_each):
        return None
    (one, first), (other, second) = (each for each in of_each if each is not None)
    supporting = tuple(dict.fromkeys((*first, *second)))
    if _SAME.search(question):
        return Compared("Yes" if one == other else "No", supporting)
    if one == other or (isinstance(one, tuple) and isinstance(other, tuple) and not _differ(one, other)):
        return None
    smaller = bool(_EARLIER.search(question)) and not _LONGER.search(question)
    return Compared(things[0] if (one < other) == smaller else things[1], supporting)  # type: ignore[operator] # one type


Value = Moment | str | int
Measure = Callable[[Sentence], Value | None]


def _measure(question: str) -> Measure | None:
    if _LONGER.search(question):
        return _years
    if _SAME.search(question):
        return None if _LOCATED.search(question) and not _BETWEEN.search(question) else _nation
    if not (_EARLIER.search(question) or _LATER.search(question)):
        return None
    if _DEATH.search(question):
        return lambda each: order_of(life_in(each.text).died)
    if _BIRTH.search(question):
        return lambda each: order_of(life_in(each.text).born)
    if _RELEASE.search(question):
        return _released
    return _founded if _FOUNDING.search(question) else None


def _of_one(
    thing: str, between: str, asked: AskedFor, sentences: Sequence[Sentence], value_of: Measure
) -> tuple[Value, tuple[Sentence, ...]] | None:
    """Return the compared value of a thing and the sentences that state it; None if the value is not found.

    Args:
        between: relation to the person whose value is compared instead, such as "director" for a film; "" for none.
    """
    links: tuple[Sentence, ...] = ()
    name = thing
    if between:
        found = bridges(asked._replace(names=(thing,), through=(between,)), [s for s in sentences if is_of(s, thing)])
        if len(found) != 1:
            return None
        links, name = (found[0].sentence,), found[0].name
    for each in sorted((each for each in sentences if is_of(each, name)), key=lambda each: each.place):
        value = value_of(each)
        if value is not None:
            return value, (*links, each)
    return None


def _things(question: str, sentences: Sequence[Sentence]) -> list[str]:
    key = f" {entity_key(question)} "
    titles: dict[str, str] = {}
    for each in sentences:
        title = without_parentheses(above(each.passage.found).partition("\n")[0])
        if entity_key(title) and f" {entity_key(title)} " in key:
            titles.setdefault(entity_key(title), title)
    longest = [each for each in titles if not any(each != other and f" {each} " in f" {other} " for other in titles)]
    return [titles[each] for each in sorted(longest, key=key.find)]


def _years(sentence: Sentence) -> int | None:
    life = life_in(sentence.text)
    born, died = order_of(life.born), order_of(life.died)
    return died[0] - born[0] if born and died else None


def _released(sentence: Sentence) -> Moment | None:
    found = _YEAR_OF_WORK.search(sentence.text)
    if found:
        return int(found["year"]), 0, 0
    found = _CAME_OUT.search(sentence.text)
    return (int(found["date"]), 0, 0) if found else None


def _founded(sentence: Sentence) -> Moment | None:
    found = _FOUNDED.search(sentence.text)
    return (int(found["date"]), 0, 0) if found else None


def _nation(sentence: Sentence) -> str | None:
    found = _NATION.search(sentence.text)
    if found is None:
        return None
    nations = {each.surface for each in sentence.mentions if each.type in {"NORP", "LANGUAGE"}}
    return found["nation"] if found["nation"] in nations else None


def _differ(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Return True if it is certain that two dates differ. It is not certain for 1900 and 5 May 1900."""
    for first, second in zip(one, other, strict=True):
        if not first or not second:
            return False
        if first != second:
            return True
    return False


_DATE = re.compile(
    r"\b\d{1,2}(?:st|nd|rd|th)? [^\W\d_]{3,12},? \d{3,4}|\b[^\W\d_]{3,12} \d{1,2}(?:st|nd|rd|th)?, \d{3,4}"
    r"|\b[^\W\d_]{3,12} \d{4}|\b\d{3,4}\b"
)
_PARENTHESIS = re.compile(r"\((?P<inside>[^()]{4,200})\)")
_DASH = re.compile(r"\s[–—-]\s?|[–—]\s?|,? (?:d\.|died) ")
_PLACE = re.compile(r"(?:\bin |, |\bat )(?P<place>[^\W\d_][^\d;()]{1,60})$")
_YEAR = re.compile(r"\d{3,4}")


class Life(NamedTuple):
    """The dates and places of a birth and a death, as spelt in the text. What the text does not state is ""."""

    born: str = ""
    birthplace: str = ""
    died: str = ""
    deathplace: str = ""


def life_in(text: str) -> Life:
    """Return the dates and places of a life from the first parenthesis in a text that contains such dates."""
    for match in _PARENTHESIS.finditer(text):
        inside = match["inside"]
        if not _YEAR.search(inside):
            continue
        first, *rest = _DASH.split(inside, maxsplit=1)
        begun = _DATE.findall(first)
        ended = _DATE.search(rest[0]) if rest else None
        if not begun or (rest and ended is None):
            continue
        after = first[first.rfind(begun[-1]) + len(begun[-1]) :]
        return Life(
            begun[-1] if rest or "born" in first or len(begun) == 1 else "",
            _place(after),
            ended.group() if ended else "",
            _place(rest[0][ended.end() :]) if ended else "",
        )
    return Life()


def year_of(date: str) -> int | None:
    found = _YEAR.findall(date)
    return int(found[-1]) if found else None


_NAMES_OF_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november"),
    "december",
)
_MONTHS = {name: number for number, name in enumerate(_NAMES_OF_MONTHS, 1)}


def order_of(date: str) -> tuple[int, int, int] | None:
    """Return a date as (year, month, day), which can be sorted. A missing month or day is 0.

    Return None if the date contains no year.
    """
    year = year_of(date)
    if year is None:
        return None
    month = next((_MONTHS[word] for word in re.findall(r"[a-z]+", date.lower()) if word in _MONTHS), 0)
    day = re.search(r"(?<!\d)\d{1,2}(?!\d)", date)
    return year, month, int(day.group()) if day and month else 0


def _place(text: str) -> str:
    found = _PLACE.search(text.strip(" ,"))
    return found["place"].strip(" ,") if found else ""
