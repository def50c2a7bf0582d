"""Numbers and dates in texts, compared by value.

"1,500", "1.500" and "1 500" are the same number. "14 March 1879", "March 14, 1879" and "1879-03-14" are the same date.
Numbers are compared as a whole: 7001 is not 7000, and 1,234 does not contain 234. An ambiguous notation has several
values: "1.500" is 1500 or 1.5, and "03/04/1879" is in March or in April.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from overstory.text.names.keys import unaccented

_LONGEST_YEAR_DIGITS = 4

_MONTHS_BY_LANGUAGE = """
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
januar februar marz april mai juni juli august september oktober november dezember
janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
"""
MONTHS = {
    unaccented(word): month
    for line in _MONTHS_BY_LANGUAGE.strip().splitlines()
    for month, word in enumerate(line.split(), start=1)
} | {"sept": 9, "janner": 1, "maerz": 3}
"""Map from the name of a month, in lower case and without accents, to its number."""

_SCALES = {
    **dict.fromkeys(("thousand", "thousands", "tausend", "mil", "mille", "k"), 3),
    **dict.fromkeys(("million", "millions", "millionen", "millones", "milioni", "milhoes", "mio", "mn", "m"), 6),
    **dict.fromkeys(("billion", "billions", "milliarde", "milliarden", "milliards", "mrd", "bn"), 9),
}
_SURE_SCALES = frozenset(_SCALES) - {"k", "m", "mil", "mille"}
"""Scale words with only one meaning. In contrast, "m" may stand for million or for metre."""

_CARDINALS = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty
eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf
un deux trois quatre cinq six sept huit neuf dix onze douze
uno dos tres cuatro cinco seis siete ocho nueve diez once doce
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
sixteenth seventeenth eighteenth nineteenth twentieth
"""


def _number_words() -> dict[str, str]:
    words: dict[str, str] = {}
    number = 0
    for word in _CARDINALS.split():
        number = 1 if word in ("one", "eins", "un", "uno", "first") else number + 1
        words.setdefault(word, str(number))
    tens = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred"]
    return words | {word: f"{ten}0" for ten, word in enumerate(tens, start=3)}


NUMBER_WORDS = _number_words()
"""Map from number words to digits, such as "five" to "5": one to twenty, the tens, and a hundred."""

_PIECE = re.compile(r"\d+|[^\W\d_]+")
_GROUPING = frozenset(".,'’ \u00a0\u202f\u2009")
_SPACES = frozenset(" \u00a0\u202f\u2009")
_RANGE = frozenset("-–—/")
_ORDINALS = frozenset({"st", "nd", "rd", "th", "er", "º", "ª", "o"})
_OF = frozenset({"of", "de", "del", "di", "d", "den"})
_CJK_DATE = ("年", "月", "日")
_FEBRUARY, _LAST_MONTH, _LAST_DAY, _GROUP_DIGITS = 2, 12, 31, 3


class Day(NamedTuple):
    """A date, in which a missing year, month or day is 0.

    A year below 100 matches every year that ends with these two digits.
    """

    year: int
    month: int
    day: int


@dataclass(frozen=True, slots=True)
class Figure:
    """A number or a date in a text.

    Attributes:
        start, end: character offsets in the text.
        numbers: possible values of the number, as digits without leading zeros. For a date: year, month and day.
        days: possible dates; empty if this is only a number.
        is_item_number: True if this is the number of a list item, as in "2. Install it".
    """

    start: int
    end: int
    numbers: frozenset[str]
    days: frozenset[Day] = frozenset()
    is_item_number: bool = False


@dataclass(slots=True)
class Figures:
    """The numbers and dates that occur in several texts."""

    numbers: set[str] = field(default_factory=set[str])
    days: set[Day] = field(default_factory=set[Day])

    def add(self, text: str) -> None:
        """Add the numbers and dates of a text, including numbers written as words."""
        for figure in figures(text):
            self.numbers |= figure.numbers
            self.days |= figure.days
            for day in figure.days:
                self.numbers.update(str(part) for part in day if part)
        for piece in _PIECE.finditer(text):
            word = piece.group()
            if not word[0].isdigit():
                value = NUMBER_WORDS.get(unaccented(word).lower())
                if value is not None:
                    self.numbers.add(value)

    def have(self, figure: Figure) -> bool:
        """Return True if any of the texts contains this number or date, in any notation."""
        if figure.days:
            return any(self._has_day(day) for day in figure.days)
        return not figure.numbers.isdisjoint(self.numbers)

    def has_month(self, month: int) -> bool:
        return any(day.month == month for day in self.days)

    def _has_day(self, wanted: Day) -> bool:
        # The day and month must occur in the same date. The year may occur in that date or elsewhere in the texts.
        for day in self.days:
            same = all(mine in (0, theirs) for mine, theirs in zip(wanted[1:], day[1:], strict=True))
            if same and (not wanted.year or _same_year(wanted.year, day.year)):
                return True
            if same and not day.year and str(wanted.year) in self.numbers:
                return True
        return False


def figures(text: str) -> list[Figure]:
    """Return the numbers and dates in a text, in order, in linear time."""
    pieces = _pieces(text)
    found: list[Figure] = []
    at = 0
    while at < len(pieces):
        figure, after = _date(text, pieces, at)
        if figure is None:
            figure, after = _number(text, pieces, at)
        if figure is not None:
            found.append(figure)
        at = max(after, at + 1)
    return found


class _FigureToken(NamedTuple):
    """A sequence of digits, or a word in lower case without accents."""

    text: str
    start: int
    end: int
    digits: bool


def _pieces(text: str) -> list[_FigureToken]:
    pieces: list[_FigureToken] = []
    for match in _PIECE.finditer(text):
        word = match.group()
        digits = word[0].isdigit()
        plain = "".join(str(_digit(char)) for char in word) if digits else unaccented(word).lower()
        pieces.append(_FigureToken(plain, match.start(), match.end(), digits))
    return pieces


def _digit(char: str) -> int:
    return int(char) if char.isdecimal() else 0


def _date(text: str, pieces: Sequence[_FigureToken], at: int) -> tuple[Figure | None, int]:
    for read in (_numeric_date, _day_first, _month_first, _cjk_date):
        days, after = read(text, pieces, at)
        if days:
            numbers = frozenset(str(part) for day in days for part in day if part)
            return Figure(pieces[at].start, pieces[after - 1].end, numbers, frozenset(days)), after
    return None, at


_Days = tuple[set[Day], int]


def _numeric_date(text: str, pieces: Sequence[_FigureToken], at: int) -> _Days:
    """Parse a date of three numbers with the same separator: 1879-03-14, 14.3.1879, 14. 3. 1879 or 3/14/79."""
    if at + 2 >= len(pieces) or not all(piece.digits for piece in pieces[at : at + 3]):
        return set(), at
    first, second, third = pieces[at : at + 3]
    between = {text[first.end : second.start].strip(), text[second.end : third.start].strip()}
    if len(between) != 1 or not between <= {"-", ".", "/"} or _has_more_parts(text, pieces, at):
        return set(), at
    if max(len(first.text), len(second.text), len(third.text)) > _LONGEST_YEAR_DIGITS:
        return set(), at
    one, two, three = int(first.text), int(second.text), int(third.text)
    found: set[Day] = set()
    if len(first.text) == _LONGEST_YEAR_DIGITS:
        found.add(Day(one, two, three))
    elif len(third.text) in (2, _LONGEST_YEAR_DIGITS) and (
        between != {"."} or len(third.text) > 2 or two <= _LAST_MONTH
    ):
        found |= {Day(three, two, one)} | ({Day(three, one, two)} if between == {"/"} else set())
    return {day for day in found if _is_day(day.month, day.day)}, at + 3


def _has_more_parts(text: str, pieces: Sequence[_FigureToken], at: int) -> bool:
    """Return True if the three numbers belong to a longer sequence of numbers, such as 10.0.0.12."""
    before = at > 0 and pieces[at - 1].digits and text[pieces[at - 1].end : pieces[at].start] in ("-", ".", "/")
    after = (
        at + 3 < len(pieces)
        and pieces[at + 3].digits
        and text[pieces[at + 2].end : pieces[at + 3].start] in ("-", ".", "/")
    )
    return before or after


def _day_first(text: str, pieces: Sequence[_FigureToken], at: int) -> _Days:
    """Parse a date that begins with the day: "14 March 1879", "14th of March, 1879", "14. März"."""
    if not pieces[at].digits or len(pieces[at].text) > 2 or not _is_near(text, pieces, at):
        return set(), at
    following = at + 1
    if pieces[following].text in _ORDINALS:
        following += 1
    while following < len(pieces) and pieces[following].text in _OF and _is_near(text, pieces, following - 1):
        following += 1
    if following >= len(pieces) or not _is_near(text, pieces, following - 1):
        return set(), at
    month, day = MONTHS.get(pieces[following].text, 0), int(pieces[at].text)
    if not month or not _is_day(month, day):
        return set(), at
    year, after = _year(text, pieces, following + 1)
    return {Day(year, month, day)}, after


def _month_first(text: str, pieces: Sequence[_FigureToken], at: int) -> _Days:
    """Parse a date that begins with the month: "March 14, 1879", "March 14th", "marzo de 1879"."""
    month = 0 if pieces[at].digits else MONTHS.get(pieces[at].text, 0)
    if not month:
        return set(), at
    year, after = _year(text, pieces, at + 1)
    if year:
        return {Day(year, month, 0)}, after
    if not _is_near(text, pieces, at) or not pieces[at + 1].digits or len(pieces[at + 1].text) > 2:
        return set(), at
    day = int(pieces[at + 1].text)
    if not _is_day(month, day):
        return set(), at
    after = at + 2
    if after < len(pieces) and pieces[after].text in _ORDINALS and pieces[after].start == pieces[after - 1].end:
        after += 1
    year, after = _year(text, pieces, after)
    return {Day(year, month, day)}, after


def _cjk_date(_: str, pieces: Sequence[_FigureToken], at: int) -> _Days:
    """Parse a Chinese or Japanese date: 1879年3月14日, 1879年3月 or 3月14日."""
    parts = {"年": 0, "月": 0, "日": 0}
    after, last = at, -1
    while after + 1 < len(pieces) and pieces[after].digits and len(pieces[after].text) <= _LONGEST_YEAR_DIGITS:
        unit = pieces[after + 1].text[0]
        if unit not in parts or _CJK_DATE.index(unit) <= last or pieces[after].end != pieces[after + 1].start:
            break
        last = _CJK_DATE.index(unit)
        parts[unit] = int(pieces[after].text)
        after += 2
        if pieces[after - 1].text != unit:
            break
    year, month, day = parts.values()
    return ({Day(year, month, day)}, after) if month and (year or day) and _is_day(month, day or 1) else (set(), at)


def _year(text: str, pieces: Sequence[_FigureToken], at: int) -> tuple[int, int]:
    """Return the year at a position (0 if there is none), and the position after the year."""
    after = at
    if after < len(pieces) and pieces[after].text in _OF and _is_near(text, pieces, after - 1):
        after += 1
    if after >= len(pieces) or not pieces[after].digits or not 3 <= len(pieces[after].text) <= _LONGEST_YEAR_DIGITS:
        return 0, at
    return (int(pieces[after].text), after + 1) if _is_near(text, pieces, after - 1) else (0, at)


def _is_near(text: str, pieces: Sequence[_FigureToken], at: int) -> bool:
    if at + 1 >= len(pieces):
        return False
    gap = text[pieces[at].end : min(pieces[at + 1].start, pieces[at].end + 4)]
    return pieces[at + 1].start - pieces[at].end < 4 and all(char.isspace() or char in ".,'’-" for char in gap)


def _is_day(month: int, day: int) -> bool:
    return 1 <= month <= _LAST_MONTH and 1 <= day <= _LAST_DAY and (month != _FEBRUARY or day < _LAST_DAY - 1)


def _same_year(one: int, other: int) -> bool:
    return one == other or (min(one, other) > 0 and min(one, other) < 100 and (one - other) % 100 == 0)


def _number(text: str, pieces: Sequence[_FigureToken], at: int) -> tuple[Figure | None, int]:
    """Parse a number, including its digit groups and a scale word such as "million"."""
    first = pieces[at]
    if not first.digits:
        return None, at + 1
    after, values = at + 1, set[str]()
    while after < len(pieces) and _continues(text, pieces, at, after):
        after += 1
    groups = [piece.text for piece in pieces[at:after]]
    signs = [text[pieces[n].end] for n in range(at, after - 1)]
    values |= _readings(groups, signs)
    end = pieces[after - 1].end
    if after < len(pieces) and not pieces[after].digits and _is_near(text, pieces, after - 1):
        power = _SCALES.get(pieces[after].text, 0)
        if power:
            larger = {_scaled(value, power) for value in values}
            sure = pieces[after].text in _SURE_SCALES
            values, end = (larger, pieces[after].end) if sure else (values | larger, end)
    values |= _end_of_range(text, pieces, at, groups)
    return Figure(first.start, end, frozenset(values), is_item_number=_is_item_number(text, first.start, end)), after


def _continues(text: str, pieces: Sequence[_FigureToken], first: int, at: int) -> bool:
    """Return True if a group of digits continues the number before it.

    Exactly one separator must stand between the groups. After a space or an apostrophe, a group must have three digits,
    as in "1 500".
    """
    before, piece = pieces[at - 1], pieces[at]
    if not piece.digits or piece.start - before.end != 1 or text[before.end] not in _GROUPING:
        return False
    sign = text[before.end]
    if sign in _SPACES or sign in "'’":
        short = all(len(each.text) == _GROUP_DIGITS for each in pieces[first + 1 : min(at, first + 12)])
        return (
            len(piece.text) == _GROUP_DIGITS and len(pieces[first].text) <= _GROUP_DIGITS and short and at - first < 12
        )
    return not (sign == "," and len(piece.text) >= _LONGEST_YEAR_DIGITS and len(before.text) >= _LONGEST_YEAR_DIGITS)


def _readings(groups: Sequence[str], signs: Sequence[str]) -> set[str]:
    """Return the possible values of digit groups joined by these separators: 1500 and 1.5 for "1,500"."""
    if not signs:
        return {_plain(groups[0])}
    kinds = list(dict.fromkeys(signs))
    grouped = len(groups[0]) <= _GROUP_DIGITS and all(len(group) == _GROUP_DIGITS for group in groups[1:])
    spaced = kinds[0] in _SPACES
    found: set[str] = set()
    if len(kinds) == 1 and grouped and groups[0] != "0":
        found.add(_plain("".join(groups)))
        found |= {_plain(group) for group in groups} if spaced else set()
    if len(signs) == 1 and not spaced and kinds[0] in ".,":
        found.add(_plain(groups[0], groups[1]))
    decimal = len(kinds) == 2 and signs.count(kinds[1]) == 1 and signs[-1] == kinds[1] and kinds[1] in ".,"
    if decimal and all(len(group) == _GROUP_DIGITS for group in groups[1:-1]):
        found.add(_plain("".join(groups[:-1]), groups[-1]))
    if not found:  # a version such as 1.2.3, or a list such as 1,2,3
        found = {".".join(map(_plain, groups))} if kinds == ["."] else {_plain(group) for group in groups}
    return found


def _plain(whole: str, part: str = "") -> str:
    whole, part = whole.lstrip("0") or "0", part.rstrip("0")
    return f"{whole}.{part}" if part else whole


def _scaled(value: str, power: int) -> str:
    whole, _, part = value.partition(".")
    return _plain(whole + part[:power].ljust(power, "0"), part[power:])


def _end_of_range(text: str, pieces: Sequence[_FigureToken], at: int, groups: Sequence[str]) -> set[str]:
    """Return the full year for the two-digit end of a range: 1918 for "18" in "1914–18"."""
    if at == 0 or len(groups) != 1 or len(groups[0]) != 2:
        return set()
    before = pieces[at - 1]
    if (
        not before.digits
        or len(before.text) != _LONGEST_YEAR_DIGITS
        or text[before.end : pieces[at].start] not in _RANGE
    ):
        return set()
    return {before.text[:2] + groups[0]}


def _is_item_number(text: str, start: int, end: int) -> bool:
    """Return True if a number begins a list item at the start of a line, as in "2. " or "2) "."""
    if end - start > 2 or not text[end + 1 : end + 2].isspace():
        return False
    line = text[max(0, start - 4) : start].rpartition("\n")[2]
    beginning = start - len(line) == 0 or text[start - len(line) - 1] == "\n"
    return beginning and not line.strip(" *(#") and text[end : end + 1] in (".", ")", ":") and end < len(text) - 1


def inside(spans: Sequence[tuple[int, int]], place: int) -> bool:
    """Return True if a character offset lies in one of the spans, which must be sorted and disjoint."""
    at = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return at >= 0 and place < spans[at][1]


def spans_of(found: Iterable[Figure]) -> Iterator[tuple[int, int]]:
    return ((figure.start, figure.end) for figure in found)
