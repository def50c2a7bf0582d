"""Answers questions about sets from the rows of a table: filters, differences, counts, groups and largest values.

An answer is exact, or there is none. Each content word of the question must be in the table: as a value, as the name of
a column, or in the title. Words such as "people" and "work" restrict nothing and may be missing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from overstory.display import counted
from overstory.model.passage_text import PATH_SEPARATOR
from overstory.text.function_words import word_set
from overstory.text.questions.asked_for import is_person
from overstory.text.questions.sets import (
    PEOPLE,
    TIME_COLUMNS,
    Extreme,
    Limit,
    SetQuestion,
    SetWord,
    date_number,
    number_of,
)
from overstory.text.table_rows import Table, TableRow
from overstory.text.words import stem, word_matches

_MOST_WORDS_OF_A_VALUE = 8
_MOST_TEXTS_OF_A_CONDITION = 3  # maximum number of texts that one condition shows
_NEAR_TOKENS = 3  # maximum distance between a column's name and the number or value that it belongs to
_LEAST_NUMBERS_SHARE = 0.8  # minimum share of numbers among the filled cells of a column of numbers
_LEAST_DISTINCT_SHARE = 0.8  # minimum share of distinct texts in the column that names the rows
_MOST_CHARACTERS_OF_A_NAME = 80  # longer texts do not name rows

_YES = word_set("yes true y x ja wahr oui vrai sí si verdadero")
_NO = word_set("no false n nein falsch non faux falso - –")
_ITEMS = re.compile(r"(?:(?<!\s)\s++)?[,;/]\s*+|(?<!\s)\s++(?:and|und|et|y|&)\s++")
_COLUMN_WORD = re.compile(r"[^\W_]+")
_CODE = re.compile(r"\d|^[A-Z]{1,4}$")
_YEAR = re.compile(r"\b(1\d{3}|20\d{2})\b")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\b")
_YEAR_WORD = re.compile(r"1\d{3}|20\d{2}")


class Unclear(Exception):
    """Raised if a question has two readings for a table. The message says which, and ends with a full stop."""


@dataclass(frozen=True, slots=True)
class RowsFound:
    """The answer of one table.

    Attributes:
        number: the number of rows or of distinct names, whichever the question asks for. If it asks for a column of
            numbers, as in "how many seats", it is their sum.
        summed: the column whose numbers were added; "" if rows or names were counted.
        names: the distinct names of the rows, or of the things that the question asks for.
        groups: for a question about each value of a column, the values with their numbers of rows.
        rows: the rows that support the answer.
        condition: the condition that the rows meet, such as "City: Ulm, not Team: Valves".
        notes: rows that may also be meant, or that could not be compared.
    """

    table: Table
    number: float
    names: tuple[str, ...]
    groups: tuple[tuple[str, int], ...]
    rows: tuple[TableRow, ...]
    condition: str
    notes: tuple[str, ...] = ()
    summed: str = ""


def rows_found(question: SetQuestion, table: Table) -> RowsFound | None:
    """Return the answer of a table to a question about a set; None if a word of the question is not in the table.

    Raises:
        Unclear: the question has two readings for this table.
    """
    return _Query(question, table).answer()


def text_key(text: str) -> str:
    """Return the stems of the words of a text, separated by spaces. A hyphen joins two words: "Neu-Ulm" is one."""
    return " ".join(stem(match.group()) for match in _KEY_WORD.finditer(text))


_KEY_WORD = re.compile(r"[^\W_]+(?:[-'’.,&][^\W_]+)*")


@dataclass(slots=True)
class _Value:
    """A value that the question names, with the columns that contain it.

    Attributes:
        exact: map from column to the texts that equal the value, or contain it as an item of a list.
        longer: map from column to the texts that contain the value within a longer text.
    """

    words: str
    places: range
    negative: bool
    exact: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    longer: dict[str, set[str]] = field(default_factory=dict[str, set[str]])


@dataclass(slots=True)
class _NamedColumn:
    """A column that the question names."""

    column: str
    places: range
    negative: bool
    lacking: bool
    having: bool
    used: bool = False


@dataclass(frozen=True, slots=True)
class _Condition:
    """A condition on a cell.

    Attributes:
        text: what the cell must contain, in words; "" if any text will do.
        fits: returns True, False, or None if the cell does not say.
    """

    column: str
    negative: bool
    text: str
    fits: Callable[[str], bool | None]


class _Query:
    def __init__(self, question: SetQuestion, table: Table) -> None:
        self._question, self._table = question, table
        self._values: list[_Value] = []
        self._named: list[_NamedColumn] = []
        self._notes: list[str] = []
        self._grounded = False

    def answer(self) -> RowsFound | None:
        if not self._grounds():
            return None
        head = self._head_column()
        target = self._extreme_column(head)
        limits = [self._limit_column(limit, head) for limit in self._question.limits]
        if target is None or None in limits:
            return None
        conditions = [*self._value_conditions(head), *self._limit_conditions(limits), *self._column_conditions(head)]
        each = self._each_column()
        if any(not named.used for named in self._named) or (self._question.each and not each):
            return None
        if not (self._grounded or conditions or target):
            return None
        label = head or self._label
        if self._question.person and not head and not self._is_of_people(label):
            return None
        if (
            self._is_trivial(conditions, label)
            or self._asks_who_somebody_is(conditions)
            or not (conditions or self._question.operates)
        ):
            return None
        rows = self._filtered(conditions, label)
        rows = self._both(rows, label) if self._question.both else rows
        grouped = next((limit for limit, column in zip(self._question.limits, limits, strict=True) if not column), None)
        text = _in_words(conditions, either=self._question.either)
        return self._result(rows, label, each, target, grouped, text, is_column=bool(head))

    def _is_trivial(self, conditions: Sequence[_Condition], label: str) -> bool:
        """Return True if the question names the rows themselves, as in "Who is Ada?" and "How many are P10?"."""
        return (
            bool(conditions)
            and label == self._label
            and all(each.column == label and not each.negative for each in conditions)
        )

    def _asks_who_somebody_is(self, conditions: Sequence[_Condition]) -> bool:
        """Return True for "Who is Ada Huber?", whose only condition is a name of a person."""
        is_one = len(conditions) == 1 and self._question.person and not self._question.operates
        return is_one and self._is_of_people(conditions[0].column)

    def _is_of_people(self, label: str) -> bool:
        """Return True if a column contains names of people, judged by its name, or by two capitalised words each."""
        words = [word.casefold() for word in _COLUMN_WORD.findall(label)]
        if any(word in _NAME_WORDS or is_person(word) for word in words):
            return True
        named = sum(_FULL_NAME.fullmatch(cell) is not None for cell in self._cells[label])
        return named >= _LEAST_FULL_NAMES_SHARE * len(self._cells[label])

    # Grounding: which words are values, columns or the title

    def _grounds(self) -> bool:
        """Find the words of the question in the table. Return False if one that matters is not there."""
        words = {word.place: word for word in self._question.words}
        left = dict(words)
        for word in self._question.words:
            if word.place not in left:
                continue
            for places in self._spans(word, words):
                if self._ground(places, [words[place] for place in places if place in words]):
                    for place in places:
                        left.pop(place, None)
                    break
        return not any(self._restricts(word) for word in left.values())

    def _spans(self, word: SetWord, words: Mapping[int, SetWord]) -> Iterator[range]:
        """Yield the spans of tokens that contain a word, longest first. They have the polarity of the word."""
        most = min(len(self._question.tokens), word.place + _MOST_WORDS_OF_A_VALUE)
        has_article = word.place > 0 and self._question.tokens[word.place - 1].casefold() in _ARTICLES
        for stop in range(most, word.place, -1):
            if self._question.tokens[stop - 1] in _MARKS:
                continue
            for start in (word.place - 1, word.place) if has_article else (word.place,):
                places = range(start, stop)
                if all(words[place].negative == word.negative for place in places if place in words):
                    yield places

    def _ground(self, places: range, own: Sequence[SetWord]) -> bool:
        text = " ".join(self._question.tokens[place] for place in places)
        key = text_key(text)
        columns = self._columns_called(key)
        is_head = places.start <= self._question.head + 1 and self._question.head in places
        value = _Value(text, places, own[0].negative)
        for column, cells in self._cells.items():
            exact = {cell for cell, keys in cells.items() if key in keys}
            if exact:
                value.exact[column] = exact
        names_rows = key in self._title_keys and is_head and columns and not self._is_distinct(columns[0])
        if columns and not names_rows and (is_head or not value.exact):
            self._grounded = True
            self._named.append(
                _NamedColumn(columns[0], places, own[0].negative, lacking=own[0].lacking, having=own[0].having)
            )
            return True
        if value.exact:
            self._find_longer(value, key)
            self._values.append(value)
            return True
        if key in self._title_keys:
            self._grounded = True
            return True
        if len(own) == 1 and (own[0].kind or own[0].light or own[0].unit):
            return False
        if _YEAR_WORD.fullmatch(text) and (column := self._time_column(places)):
            value.exact[column] = {cell for cell in self._cells[column] if text in _YEAR.findall(cell)}
            self._values.append(value)
            return True
        self._find_longer(value, key)
        if value.longer:
            value.exact, value.longer = value.longer, {}
            self._values.append(value)
            return True
        return False

    def _find_longer(self, value: _Value, key: str) -> None:
        padded = f" {key} "
        for column, cells in self._cells.items():
            already = value.exact.get(column, set())
            if value.exact and column not in value.exact:
                continue
            longer = {cell for cell, keys in cells.items() if cell not in already and padded in f" {keys[0]} "}
            if longer:
                value.longer[column] = longer

    def _restricts(self, word: SetWord) -> bool:
        return not (word.kind or word.light or (word.unit and bool(self._question.limits)))

    @cached_property
    def _cells(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """A map from column to its distinct texts, each with its key and the keys of its items if it is a list."""
        found: dict[str, dict[str, tuple[str, ...]]] = {column: {} for column in self._table.columns}
        for row in self._table.rows:
            for column, cell in row.cells.items():
                if cell not in found[column]:
                    items = _ITEMS.split(cell)
                    keys = [text_key(cell), *(text_key(item) for item in items if len(items) > 1)]
                    found[column][cell] = tuple(keys)
        return found

    @cached_property
    def _title_keys(self) -> frozenset[str]:
        texts = (self._table.title, *self._table.heading.split(PATH_SEPARATOR), self._table.also)
        words = [stem(match.group()) for text in texts for match in word_matches(text.replace("_", " "))]
        return frozenset({*words, *map(text_key, texts)} - {""})

    def _columns_called(self, key: str) -> list[str]:
        """Return the columns whose name is a key, or else the only column whose name contains it."""
        named = {column: [stem(word) for word in _COLUMN_WORD.findall(column)] for column in self._table.columns}
        whole = [column for column, words in named.items() if " ".join(words) == key]
        if whole:
            return whole
        asked = key.split()
        within = [column for column, words in named.items() if words and set(asked) <= set(words)]
        if not within:  # "phone number" for a column "Phone"
            within = [column for column, words in named.items() if len(words) == 1 and asked[1:] == _NUMBER_STEM
                      and asked[0] == words[0]]  # fmt: skip
        return within if len(within) == 1 else []

    # Columns with a role

    def _head_column(self) -> str:
        """Return the column that the question asks for, as in "which cities"; "" if it asks for rows."""
        first = next((word.place for word in self._question.words if word.place >= self._question.head), -1)
        for named in self._named:
            if first in named.places and not self._question.person and not named.negative:
                named.used = True
                return named.column
        return ""

    @cached_property
    def _label(self) -> str:
        """The column that names the rows. Its texts are distinct, and rather words than codes such as "ADM"."""
        distinct = [column for column in self._table.columns if self._is_distinct(column)]
        words = (column for column in distinct if not any(map(_CODE.search, self._cells[column])))
        return next(words, None) or next(iter(distinct), self._table.columns[0])

    def _is_distinct(self, column: str) -> bool:
        cells = self._cells[column]
        if max(map(len, cells)) > _MOST_CHARACTERS_OF_A_NAME:
            return False
        return len(cells) >= _LEAST_DISTINCT_SHARE * len(self._table.rows)

    def _is_of_numbers(self, column: str) -> bool:
        cells = self._cells[column]
        numbers = sum(number_of(cell) is not None for cell in cells)
        return bool(cells) and numbers >= _LEAST_NUMBERS_SHARE * len(cells)

    @cached_property
    def _time_columns(self) -> list[str]:
        return [column for column in self._table.columns if self._is_of_times(column)]

    def _time_column(self, places: range) -> str:
        """Return the column that a year is about: one that the question names, or the only one for dates; "" if none.

        "Who joined in 2021?" names a column. "Since" and "until" are not about a year: somebody may be there for years.
        """
        named = self._near(places)
        if named is not None and named.column in self._time_columns:
            named.used = True
            return named.column
        dates = [
            column
            for column in self._time_columns
            if not _DATES.isdisjoint(map(str.casefold, _COLUMN_WORD.findall(column.replace("_", " "))))
        ]
        return dates[0] if len(dates) == 1 else ""

    def _is_of_times(self, column: str) -> bool:
        cells = self._cells[column]
        dates = sum(_ISO_DATE.match(cell) is not None for cell in cells)
        years = sum(_YEAR_WORD.fullmatch(cell) is not None for cell in cells)
        return bool(cells) and max(dates, years) >= _LEAST_NUMBERS_SHARE * len(cells)

    def _near(self, places: range, before: int = _NEAR_TOKENS) -> _NamedColumn | None:
        """Return the column that the question names right after or before some tokens."""
        after = (each for each in self._named if 0 <= each.places.start - places.stop < _NEAR_TOKENS)
        ahead = (each for each in reversed(self._named) if 0 <= places.start - each.places.stop < before)
        return next(after, None) or next(ahead, None)

    def _measured(self, words: Iterable[str]) -> str:
        """Return the only column whose name contains one of some words; "" if there is none or more than one."""
        wanted = set(map(stem, words))
        found = [
            column
            for column in self._table.columns
            if wanted.intersection(map(stem, _COLUMN_WORD.findall(column)))
            and (self._is_of_numbers(column) or self._is_of_times(column))
        ]
        return found[0] if len(found) == 1 else ""

    def _limit_column(self, limit: Limit, head: str) -> str | None:
        """Return the column that a comparison is about, "" if it is about the number of rows, None if neither."""
        span = range(limit.start, limit.end + 1)
        after = next((word for word in self._question.words if word.place == limit.end + 1), None)
        if after is not None and self._is_row(after):
            return self._counted_column(after, head)
        named = self._near(span)
        if named is not None and (self._is_of_numbers(named.column) or self._is_of_times(named.column)):
            named.used = True
            return named.column
        for place, words in self._question.measures.items():
            if 0 <= limit.start - place <= _NEAR_TOKENS:
                return self._measured(words) or None
        if _is_year(limit) and (column := self._time_column(span)):
            return column
        implied = self._measured(_words_of_comparison(limit))
        if implied:
            return implied
        return None

    def _is_row(self, word: SetWord) -> bool:
        """Return True for a word for the rows, such as "people", or "pupils" in a table called pupils."""
        is_column = any(word.place in named.places for named in self._named)
        return word.kind or (word.key in self._title_keys and not is_column)

    def _counted_column(self, kind: SetWord, head: str) -> str | None:
        """Return "" if rows can be counted for each value of the column that the question asks for; otherwise None."""
        is_of_kind = kind.text.casefold() not in PEOPLE or self._is_of_people(self._label)
        return "" if head and head != self._label and is_of_kind else None

    def _extreme_column(self, head: str) -> str | None:
        """Return the column of a superlative; "" if there is no superlative or it counts rows, None if unclear."""
        extreme = self._question.extreme
        if extreme is None:
            return ""
        after = next((word for word in self._question.words if word.place == extreme.place + 1), None)
        if after is not None and self._is_row(after) and not extreme.columns:
            return self._counted_column(after, head)
        named = self._near(range(extreme.place, extreme.place + 1))
        if named is not None and (self._is_of_numbers(named.column) or self._is_of_times(named.column)):
            named.used = True
            return named.column
        measures = [words for place, words in self._question.measures.items() if abs(place - extreme.place) <= 2]
        return self._measured([*extreme.columns, *(word for words in measures for word in words)]) or None

    def _each_column(self) -> str:
        for place in self._question.each:
            named = self._near(range(place, place + 1), before=0)
            if named is not None:
                named.used = True
                return named.column
        return ""

    # Conditions

    def _value_conditions(self, head: str) -> list[_Condition]:
        found: list[_Condition] = []
        for value in self._values:
            column = self._column_of(value)
            exact, longer = value.exact.get(column, set()), value.longer.get(column, set())
            texts = exact | longer if value.negative else exact
            words = value.words if _YEAR_WORD.fullmatch(value.words) else _either(exact)
            found.append(_Condition(column, value.negative, words, _is_one_of(texts)))
            if longer:
                listed = ", ".join(sorted(longer)[:3])
                does = "also excluded" if value.negative else "not counted"
                self._notes.append(f"{column} contains “{value.words}” within a longer text ({listed}): {does}.")
        negative = {each.column for each in found if each.negative}
        if len(negative) > 1 and not self._lists_exclusions():
            raise Unclear(f"“not {self._question.excluded}” may exclude either or both: ask for one of them.")
        del head
        return found

    def _lists_exclusions(self) -> bool:
        places = sorted(place for each in self._values if each.negative for place in each.places)
        between = self._question.tokens[places[0] : places[-1]]
        return any(token.casefold() in _LISTING for token in between)

    def _column_of(self, value: _Value) -> str:
        """Return the column in which a value is meant."""
        columns = list(value.exact)
        named = self._near(value.places)
        if named is not None and named.column in columns:
            named.used = True
            return named.column
        if len(columns) > 1:
            meant = {each.column for each in self._named} & set(columns)
            rows = {
                column: frozenset(
                    place for place, row in enumerate(self._table.rows) if row.cells.get(column) in value.exact[column]
                )
                for column in columns
            }
            if len(meant) != 1 and len(set(rows.values())) > 1:
                where = f"the columns {' and '.join(columns)} of {self._table.title}"
                raise Unclear(f"“{value.words}” is in {where}: name the column.")
            return next(iter(meant)) if len(meant) == 1 else columns[0]
        return columns[0]

    def _limit_conditions(self, columns: Sequence[str | None]) -> list[_Condition]:
        found: list[_Condition] = []
        for limit, column in zip(self._question.limits, columns, strict=True):
            if column:
                is_year = _is_year(limit) and self._is_of_times(column)
                read = _year_of if is_year else _comparable
                missing = sum(read(row.cells[column]) is None for row in self._table.rows if column in row.cells)
                if missing:
                    self._notes.append(f"{counted(missing, 'row')} without a number in {column}: not compared.")
                found.append(_Condition(column, limit.negative, _sign(limit), _meets(limit, read)))
        return found

    def _column_conditions(self, head: str) -> list[_Condition]:
        """Return the conditions that a column is filled, or holds "yes": "with a lift", "has no phone"."""
        found: list[_Condition] = []
        for named in self._named:
            if named.used or named.column == head or not (named.lacking or named.having or named.negative):
                continue
            named.used = True
            text, fits = self._presence(named.column)
            found.append(_Condition(named.column, named.lacking or named.negative, text, fits))
        return found

    def _presence(self, column: str) -> tuple[str, Callable[[str], bool | None]]:
        """Return the condition that a row has what a column is about, in words and as a function."""
        if {cell.casefold() for cell in self._cells[column]} <= _YES | _NO:
            return "yes", lambda cell: cell.casefold() in _YES
        if self._is_of_numbers(column) and any(number_of(cell) == 0 for cell in self._cells[column]):
            return "", lambda cell: (number_of(cell) or 0) > 0
        return "", bool

    def _filtered(self, conditions: Sequence[_Condition], label: str) -> list[TableRow]:
        """Return the rows that meet all conditions. A thing with several rows must not have an excluded one.

        Args:
            label: the column that names the things.
        """
        positive: dict[str, list[_Condition]] = {}
        for each in conditions:
            if not each.negative:
                positive.setdefault("" if self._question.either else each.column, []).append(each)
        negative = [each for each in conditions if each.negative]
        unknown = 0
        rows: list[TableRow] = []
        excluded: set[str] = set()
        for row in self._table.rows:
            if not all(any(_holds(each, row) for each in group) for group in positive.values()):
                continue
            states = [_holds(each, row) for each in negative]
            if any(states):
                excluded.add(row.cells.get(label, ""))
                continue
            if None in states:
                unknown += 1
            else:
                rows.append(row)
        if unknown:
            self._notes.append(f"{counted(unknown, 'more row')} without a value to compare.")
        return [row for row in rows if row.cells.get(label, "") not in excluded - {""}]

    def _both(self, rows: Sequence[TableRow], label: str) -> list[TableRow]:
        """Return the rows of the things that have each value that the question names."""
        wanted = [(self._column_of(value), value) for value in self._values if not value.negative]
        having: dict[str, set[int]] = {}
        for row in rows:
            for number, (column, value) in enumerate(wanted):
                if row.cells.get(column) in value.exact[column]:
                    having.setdefault(row.cells.get(label, ""), set()).add(number)
        return [row for row in rows if len(having.get(row.cells.get(label, ""), ())) == len(wanted)]

    # Results

    def _result(
        self,
        rows: list[TableRow],
        label: str,
        each: str,
        target: str,
        grouped: Limit | None,
        condition: str,
        *,
        is_column: bool,
    ) -> RowsFound:
        groups: tuple[tuple[str, int], ...] = ()
        extreme = self._question.extreme
        if each:
            groups = tuple(Counter(row.cells[each] for row in rows if each in row.cells).most_common())
        elif grouped is not None or (extreme is not None and not target):
            counts = Counter(row.cells[label] for row in rows if label in row.cells)
            groups = tuple(_kept(counts, grouped, extreme))
            kept = {name for name, _ in groups}
            rows = [row for row in rows if row.cells.get(label) in kept]
        elif extreme is not None and target:
            rows = _extreme_rows(rows, target, extreme)
            condition = ", ".join(filter(None, [condition, f"{'highest' if extreme.sign > 0 else 'lowest'} {target}"]))
        names = tuple(dict.fromkeys(row.cells[label] for row in rows if label in row.cells))
        number: float = len(names) if is_column or grouped is not None else len(rows)
        summed = label if is_column and self._question.counts and self._adds_up(label) and not groups else ""
        if summed:
            numbers = [number_of(row.cells.get(summed, "")) for row in rows]
            number = sum(each for each in numbers if each is not None)
            names = tuple(dict.fromkeys(row.cells[self._label] for row in rows if self._label in row.cells))
            if None in numbers:
                self._notes.append(f"{counted(numbers.count(None), 'row')} without a number in {summed}: not added.")
        notes = tuple(dict.fromkeys(self._notes))
        return RowsFound(self._table, number, names, groups, tuple(rows), condition, notes, summed)

    def _adds_up(self, column: str) -> bool:
        """Return True for a column of numbers, except the first, which has numbers of rooms or orders."""
        is_first = column == next(iter(self._table.columns))
        return self._is_of_numbers(column) and not self._is_of_times(column) and not is_first


_NAME_WORDS = word_set(
    "name names fullname surname vorname nachname mitarbeiter person who wer nom prénom nombre employee staff member"
)
_FULL_NAME = re.compile(
    r"[^\W\d_a-zà-ÿ][^\W\d_]*\.?(?:[ -]+(?:(?:von|van|de|der|la|da|di)\s+)*[^\W\d_a-zà-ÿ][^\W\d_]*\.?)+"
)
_LEAST_FULL_NAMES_SHARE = 0.7
_DATES = word_set("date day year when datum tag jahr année jour fecha año día")
_LISTING = word_set("or and nor , oder und noch ou et ni o u y")
_ARTICLES = word_set("the der die das le la les el los las")
_MARKS = ",;:"
_NUMBER_STEM = [stem("number")]


def _in_words(conditions: Sequence[_Condition], *, either: bool) -> str:
    """Return conditions as text, such as "City: Ulm or Kiel, not Team: Valves"."""
    found: dict[tuple[str, bool], list[str]] = {}
    for each in conditions:
        found.setdefault((each.column, each.negative), []).append(each.text)
    parts = [
        f"{'not ' if negative else ''}{column}: {' or '.join(texts)}"
        if all(texts)
        else f"{'without' if negative else 'with'} {column}"
        for (column, negative), texts in found.items()
    ]
    return (" or " if either else ", ").join(parts)


def _either(texts: set[str]) -> str:
    """Return some texts joined by "or", without those that differ only in case."""
    shown = sorted({text.casefold(): text for text in sorted(texts)}.values())
    more = len(shown) - _MOST_TEXTS_OF_A_CONDITION
    return " or ".join([*shown[:_MOST_TEXTS_OF_A_CONDITION], *([f"{more} more"] if more > 0 else [])])


def _is_one_of(texts: set[str]) -> Callable[[str], bool | None]:
    return lambda cell: cell in texts if cell else None


def _holds(condition: _Condition, row: TableRow) -> bool | None:
    return condition.fits(row.cells.get(condition.column, ""))


def _meets(limit: Limit, read: Callable[[str], float | None]) -> Callable[[str], bool | None]:
    def fits(cell: str) -> bool | None:
        number = read(cell)
        return None if number is None else _compares(limit, number)

    return fits


def _compares(limit: Limit, number: float) -> bool:
    if limit.upper is not None:
        return limit.number <= number <= limit.upper
    match limit.operator:
        case ">":
            return number > limit.number
        case ">=":
            return number >= limit.number
        case "<":
            return number < limit.number
        case "<=":
            return number <= limit.number
        case "=":
            return number == limit.number


def _sign(limit: Limit) -> str:
    if limit.upper is not None:
        return f"from {limit.number:,.15g} to {limit.upper:,.15g}"
    last = limit.text.split()[-1]
    number = last if _ISO_DATE.match(last) or _is_year(limit) else f"{limit.number:,.15g}"
    return f"{limit.operator} {number}"


def _is_year(limit: Limit) -> bool:
    return limit.number.is_integer() and 1000 <= limit.number < 2100


def _year_of(cell: str) -> float | None:
    found = _YEAR.search(cell)
    return float(found.group()) if found is not None else None


def _words_of_comparison(limit: Limit) -> frozenset[str]:
    """Return the words of columns that a comparison such as "older than" implies."""
    return TIME_COLUMNS if limit.text.split()[0].casefold() in ("since", "after", "before") else frozenset()


def _kept(counts: Counter[str], limit: Limit | None, extreme: Extreme | None) -> Iterator[tuple[str, int]]:
    numbers = counts.most_common()
    best = max(counts.values(), default=0) if extreme is None or extreme.sign > 0 else min(counts.values(), default=0)
    for name, number in numbers:
        if (limit is None or _compares(limit, number)) and (extreme is None or number == best):
            yield name, number


def _extreme_rows(rows: Sequence[TableRow], column: str, extreme: Extreme) -> list[TableRow]:
    """Return the rows with the largest or smallest value in a column; several if they have the same value."""
    values = [(_comparable(row.cells.get(column, "")), row) for row in rows]
    known = [(value, row) for value, row in values if value is not None]
    if not known:
        return []
    best = (max if extreme.sign > 0 else min)(value for value, _ in known)
    return [row for value, row in known if value == best]


def _comparable(cell: str) -> float | None:
    """Return the number in a cell; for a date, year, month and day as one number."""
    if _ISO_DATE.match(cell):
        return date_number(cell)
    return number_of(cell)
