"""Conditions on metadata as typed expressions, such as `(field("author") == "Ada") & field("date").exists()`.

To evaluate an expression, `overstory.retrieve.matching_documents` queries the matching documents for each condition on
a key. It then combines these sets of documents as "and", "or" and "not" require.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import Literal, TypeAlias, TypeVar

from overstory.errors import FilterError
from overstory.model.metadata import MetadataScalar, ValueType, composed_text, date_of, type_of, with_zone
from overstory.wildcards import LONGEST_PATTERN_CHARACTERS, text_pattern

PAGE, SECTION = "page", "section"
"""The two keys whose values belong to passages. The values of all other keys belong to documents."""
PASSAGE_KEYS = frozenset({PAGE, SECTION})
SAID_AT = "said_at"
"""Key of the date of a document."""

Operator: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">=", "in", "not in", "~"]
Asked: TypeAlias = str | int | float | bool | datetime | date
"""A value in a filter. A `date` without a time stands for the whole day in UTC."""

_Part = TypeVar("_Part")

_MOST_NESTED_CONDITIONS = 100
_DAY_CHARACTERS = len("2024-01-01")
_PLAIN_KEY = re.compile(r"[^\W\d][\w.:-]*")
KEYWORDS = frozenset({"and", "or", "not", "in", "exists", "true", "false"})


class Expression:
    """A condition on documents. Combine expressions with `&`, `|` and `~`. `str` returns the filter as text."""

    __slots__ = ()

    def __and__(self, other: Expression) -> Expression:
        return All((*_parts(self, All), *_parts(other, All)))

    def __or__(self, other: Expression) -> Expression:
        return Any((*_parts(self, Any), *_parts(other, Any)))

    def __invert__(self) -> Expression:
        return self.part if isinstance(self, Not) else Not(self)

    def __bool__(self) -> bool:
        raise TypeError("A filter has no truth value. Combine filters with &, | and ~, and put each in parentheses.")

    def conditions(self) -> Iterator[Comparison | Exists]:
        """Yield the conditions on single keys that the expression contains, in order."""
        match self:
            case Comparison() | Exists():
                yield self
            case All(parts) | Any(parts):
                for part in parts:
                    yield from part.conditions()
            case Not(part):
                yield from part.conditions()
            case Disabled() | AsOf():
                pass
            case Restricted(fixed, asked):
                yield from fixed.conditions()
                yield from asked.conditions() if asked is not None else ()
            case _:
                raise AssertionError(self)


@dataclass(frozen=True)
class Comparison(Expression):
    """A comparison of a document's values for a key with given values.

    If the document has a list of values, it is enough that one of them matches; for "!=" and "not in", all of them must
    match. If the document lacks the key, the comparison does not match. Values of different types are not equal, and
    neither is less than the other.

    Attributes:
        values: the given values. "in" and "not in" take one or more, the other operators take one.
    """

    key: str
    operator: Operator
    values: tuple[Asked, ...]

    def __post_init__(self) -> None:
        _check(self)

    @property
    def rejects(self) -> bool:
        """True for "!=" and "not in". They exclude the documents that have a value for which `fits` returns True."""
        return self.operator in ("!=", "not in")

    @property
    def types(self) -> frozenset[ValueType]:
        return frozenset(_type_of(value) for value in self.values)

    def fits(self, value: MetadataScalar) -> bool:
        """Return True if a value matches one of the given values. For "!=" and "not in", such a value is excluded."""
        return any(_type_of(asked) == type_of(value) and self._fits(value, asked) for asked in self.values)

    def _fits(self, value: MetadataScalar, asked: Asked) -> bool:
        if self.operator == "~":
            return isinstance(value, str) and self._pattern.fullmatch(value) is not None
        first, after = _span(asked)
        match self.operator:
            case "<":
                return value < first  # type: ignore[operator]
            case ">=":
                return value >= first  # type: ignore[operator]
            case "<=":
                return value < after if after is not None else value <= first  # type: ignore[operator]
            case ">":
                return value >= after if after is not None else value > first  # type: ignore[operator]
            case _:
                return first <= value < after if after is not None else value == first  # type: ignore[operator]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        (asked,) = self.values
        return text_pattern(str(asked))

    def __str__(self) -> str:
        values = ", ".join(map(written, self.values))
        return f"{written_key(self.key)} {self.operator} " + (f"({values})" if "in" in self.operator else values)


@dataclass(frozen=True, slots=True)
class Exists(Expression):
    """The condition that a document has a value of any type for a key."""

    key: str

    def __str__(self) -> str:
        return f"{written_key(self.key)} exists"


@dataclass(frozen=True, slots=True)
class Not(Expression):
    """The negation of a condition. It also matches documents that lack the key."""

    part: Expression

    def __str__(self) -> str:
        return f"not {_inside(self.part)}"


@dataclass(frozen=True, slots=True)
class AsOf(Expression):
    """The condition that a document had been said by a day. It also matches documents without a date.

    Facts that a matching document announces for a later time are left out, too.
    """

    day: date

    @property
    def said_later(self) -> Comparison:
        """The condition that a document was said after that day."""
        return Comparison(SAID_AT, ">", (self.day,))

    def __str__(self) -> str:
        return f"as of {self.day.isoformat()}"


@dataclass(frozen=True, slots=True)
class All(Expression):
    """The condition that all parts match."""

    parts: tuple[Expression, ...]

    def __str__(self) -> str:
        return " and ".join(map(_inside, self.parts))


@dataclass(frozen=True, slots=True)
class Any(Expression):
    """The condition that at least one part matches."""

    parts: tuple[Expression, ...]

    def __str__(self) -> str:
        return " or ".join(map(_inside, self.parts))


@dataclass(frozen=True, slots=True)
class Restricted(Expression):
    """A fixed restriction to some documents, and a filter that a user applies within it.

    Results reveal nothing about the documents outside the restriction. They do not even reveal that a key or an entity
    exists there.
    """

    fixed: Expression
    asked: Expression | None = None

    @property
    def by_disabling_alone(self) -> bool:
        """True if the restriction only excludes disabled documents. Their existence may be revealed."""
        return self.fixed == _ENABLED

    def __str__(self) -> str:
        return f"within ({self.fixed})" + ("" if self.asked is None else f": {self.asked}")


@dataclass(frozen=True, slots=True)
class Disabled(Expression):
    """The condition that a document is disabled. Filters of users cannot contain it."""

    def __str__(self) -> str:
        return "is disabled"


_ENABLED = Not(Disabled())


def without_disabled(where: Expression | None) -> Restricted:
    """Restrict a filter, or None for all documents, to documents that are not disabled."""
    if isinstance(where, Restricted):
        return Restricted(where.fixed & _ENABLED, where.asked)
    return Restricted(_ENABLED, where)


def composed(where: Expression) -> Expression:
    """Return the filter with keys and texts in composed Unicode form (NFC), in which they are stored."""
    match where:
        case Comparison(key, operator, values):
            texts = tuple(composed_text(value) if isinstance(value, str) else value for value in values)
            return Comparison(composed_text(key), operator, texts)
        case Exists(key):
            return Exists(composed_text(key))
        case Not(part):
            return Not(composed(part))
        case All(parts):
            return All(tuple(map(composed, parts)))
        case Any(parts):
            return Any(tuple(map(composed, parts)))
        case _:
            return where


class Field:
    """A metadata key. Comparing it with a value creates an expression: `field("date") >= date(2024, 1, 1)`."""

    __slots__ = ("_key",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, key: str) -> None:
        self._key = key

    def __eq__(self, value: Asked) -> Expression:  # type: ignore[override] # returns an expression, as in SQLAlchemy
        return Comparison(self._key, "=", (value,))

    def __ne__(self, value: Asked) -> Expression:  # type: ignore[override]
        return Comparison(self._key, "!=", (value,))

    def __lt__(self, value: Asked) -> Expression:
        return Comparison(self._key, "<", (value,))

    def __le__(self, value: Asked) -> Expression:
        return Comparison(self._key, "<=", (value,))

    def __gt__(self, value: Asked) -> Expression:
        return Comparison(self._key, ">", (value,))

    def __ge__(self, value: Asked) -> Expression:
        return Comparison(self._key, ">=", (value,))

    def one_of(self, *values: Asked) -> Expression:
        """Match documents that have at least one of these values for the key."""
        return Comparison(self._key, "in", values)

    def none_of(self, *values: Asked) -> Expression:
        """Match documents that have the key but none of these values for it."""
        return Comparison(self._key, "not in", values)

    def like(self, pattern: str) -> Expression:
        """Match documents with a text that fits a pattern.

        In the pattern, "*" stands for any number of characters and "?" for one character. "[*]" and "[?]" match a
        literal "*" and "?". The pattern "archive/*" also matches the text "archive".
        """
        return Comparison(self._key, "~", (pattern,))

    def exists(self) -> Expression:
        """Match documents that have any value for the key."""
        return Exists(self._key)


def field(key: str) -> Field:
    return Field(key)


def refuse_deep(where: _Part, parts: Callable[[_Part], Iterable[_Part]]) -> None:
    """Raise an error if a filter is nested too deeply to be evaluated recursively.

    Args:
        parts: function that returns the direct parts of a condition.

    Raises:
        FilterError: the filter contains more than `_MOST_NESTED_CONDITIONS` conditions within each other.
    """
    within = [where]
    for _ in range(_MOST_NESTED_CONDITIONS):
        within = [part for each in within for part in parts(each)]
    if within:
        raise FilterError(
            f"The filter has more than {_MOST_NESTED_CONDITIONS} nested conditions.",
            remedy="Simplify it: not not a is a, and (a and b) and c is a and b and c.",
        )


def direct_parts(where: Expression) -> tuple[Expression, ...]:
    match where:
        case Not(part):
            return (part,)
        case All(parts) | Any(parts):
            return parts
        case _:
            return ()


def asked_date(text: str) -> datetime | date | None:
    """Parse a text that is an ISO 8601 date; return None for other texts.

    A day without a time becomes a `date`, which stands for the whole day.
    """
    found = date_of(text)
    return found.date() if found is not None and len(text) == _DAY_CHARACTERS else found


def written(value: Asked) -> str:
    """Return the value as it is written in the text of a filter."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            quote = "'" if "'" not in value else '"'
            return quote + value.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote
        case datetime():
            return with_zone(value).isoformat()
        case date():
            return value.isoformat()
        case _:
            return repr(value)


def written_key(key: str) -> str:
    """Return the key as it is written in the text of a filter, with backticks if needed."""
    if _PLAIN_KEY.fullmatch(key) and key.lower() not in KEYWORDS:
        return key
    doubled = key.replace("`", "``")
    return f"`{doubled}`"


def _check(asked: Comparison) -> None:
    if not asked.values:
        raise FilterError(f"{written_key(asked.key)} {asked.operator} has no values.", remedy="Use at least one value.")
    if asked.operator == "~" and not isinstance(asked.values[0], str):
        raise FilterError(
            f"The pattern for {written_key(asked.key)} is not text.",
            remedy="Put the pattern in quotes: folder ~ 'archive/*'",
        )
    if asked.operator == "~" and len(str(asked.values[0])) > LONGEST_PATTERN_CHARACTERS:
        raise FilterError(
            f"The pattern for {written_key(asked.key)} is longer than {LONGEST_PATTERN_CHARACTERS:,} characters.",
            remedy="Shorten it: * stands for any characters.",
        )
    for value in asked.values:
        if not isinstance(value, str | int | float | date):  # pyright: ignore[reportUnnecessaryIsInstance] # callers may pass other types
            raise FilterError(
                f"{written_key(asked.key)} is compared with {value!r:.40}, which cannot be a metadata value.",
                remedy="Use text, numbers, dates, true or false.",
            )
        if isinstance(value, bool) and asked.operator in ("<", "<=", ">", ">="):
            raise FilterError(
                f"{written_key(asked.key)} {asked.operator} {written(value)}: true and false are not ordered.",
                remedy="Compare them with = or !=.",
            )


def _type_of(value: Asked) -> ValueType:
    return "date" if isinstance(value, date) else type_of(value)


def _span(value: Asked) -> tuple[MetadataScalar, datetime | None]:
    """Return the value and None; for a `date`, the first moment of that day and of the next day."""
    if isinstance(value, datetime):
        return with_zone(value), None
    if isinstance(value, date):
        first = datetime.combine(value, time(), tzinfo=UTC)
        return first, first + timedelta(days=1) if value < date.max else None
    return value, None


def _parts(expression: Expression, kind: type[All] | type[Any]) -> Iterable[Expression]:
    return expression.parts if isinstance(expression, kind) else (expression,)


def _inside(part: Expression) -> str:
    return f"({part})" if isinstance(part, All | Any) else str(part)


def asks_passages(where: Expression) -> bool:
    """Return True if the filter contains a key whose values belong to passages."""
    return any(each.key in PASSAGE_KEYS for each in where.conditions())


def of_documents(where: Expression) -> Expression | None:
    """Return a filter that matches at least all documents with matching passages; None if any document may have some.

    A filter that contains keys of documents and of passages is evaluated in two steps: first on documents, then on the
    passages of the matching documents.
    """
    if not asks_passages(where):
        return where
    match where:
        case All(parts):
            known = [each for each in map(of_documents, parts) if each is not None]
            return All(tuple(known)) if len(known) > 1 else next(iter(known), None)
        case Any(parts):
            every = [each for each in map(of_documents, parts) if each is not None]
            return Any(tuple(every)) if len(every) == len(parts) else None
        case Restricted(fixed, asked):
            return Restricted(fixed, None if asked is None else of_documents(asked))
        case _:
            return None  # a negated condition cannot be decided from the document alone


def fulfils(where: Expression, values: Mapping[str, Sequence[MetadataScalar]]) -> bool:
    """Return True if a passage matches a filter.

    Args:
        values: for each key, the values of the passage or of its document.
    """
    match where:
        case All(parts):
            return all(fulfils(part, values) for part in parts)
        case Any(parts):
            return any(fulfils(part, values) for part in parts)
        case Not(part):
            return not fulfils(part, values)
        case AsOf():
            return not fulfils(where.said_later, values)
        case Restricted(_, asked):
            return asked is None or fulfils(asked, values)
        case Exists(key):
            return bool(values.get(key))
        case Comparison(key):
            own = values.get(key, ())
            return bool(own) and any(map(where.fits, own)) != where.rejects
        case _:
            raise AssertionError(where)


def as_of(where: Expression | None) -> date | None:
    """Return the day by which everything that matches a filter must have been said; None if there is no such day."""
    match where:
        case AsOf(day):
            return day
        case All(parts):
            days = [as_of(part) for part in parts]
        case Restricted(fixed, asked):
            days = [as_of(fixed), as_of(asked)]
        case _:
            return None
    return min((day for day in days if day is not None), default=None)
