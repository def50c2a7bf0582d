"""Metadata conditions as typed expressions: `(field("author") == "Ada") & field("date").exists()`.

An expression is evaluated key by key: the matching documents are queried once for each key, and the sets are combined
by "and", "or" and "not" (`overstory.retrieve.matching_documents`).
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
"""Keys of passages; all other keys belong to documents."""
PASSAGE_KEYS = frozenset({PAGE, SECTION})

Operator: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">=", "in", "not in", "~"]
Asked: TypeAlias = str | int | float | bool | datetime | date
"""A value in a filter. A `date` means the whole day in UTC."""

_Part = TypeVar("_Part")

_MOST_NESTED_CONDITIONS = 100
_DAY_CHARACTERS = len("2024-01-01")
_PLAIN_KEY = re.compile(r"[^\W\d][\w.:-]*")
KEYWORDS = frozenset({"and", "or", "not", "in", "exists", "true", "false"})


class Expression:
    """A condition on documents. Combine expressions with `&`, `|` and `~`; `str` returns the filter text."""

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
        """Yield the conditions on single keys, in order."""
        match self:
            case Comparison() | Exists():
                yield self
            case All(parts) | Any(parts):
                for part in parts:
                    yield from part.conditions()
            case Not(part):
                yield from part.conditions()
            case Disabled():
                pass
            case Restricted(fixed, asked):
                yield from fixed.conditions()
                yield from asked.conditions() if asked is not None else ()
            case _:
                raise AssertionError(self)


@dataclass(frozen=True)
class Comparison(Expression):
    """Compares the values of a key with given values.

    For a list, one value must match; for "!=" and "not in", all must. A missing key or a value of another type does not
    match.

    Attributes:
        values: one value; for "in" and "not in" one or more.
    """

    key: str
    operator: Operator
    values: tuple[Asked, ...]

    def __post_init__(self) -> None:
        _check(self)

    @property
    def rejects(self) -> bool:
        """True for "!=" and "not in", which exclude documents with a value that `fits`."""
        return self.operator in ("!=", "not in")

    @property
    def types(self) -> frozenset[ValueType]:
        return frozenset(_type_of(value) for value in self.values)

    def fits(self, value: MetadataScalar) -> bool:
        """Return True if a value matches one of the given values; for "!=" and "not in", if the value is excluded."""
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
    """The condition that a document has a key, with a value of any type."""

    key: str

    def __str__(self) -> str:
        return f"{written_key(self.key)} exists"


@dataclass(frozen=True, slots=True)
class Not(Expression):
    """The negation of a condition; also matches documents without the key."""

    part: Expression

    def __str__(self) -> str:
        return f"not {_inside(self.part)}"


@dataclass(frozen=True, slots=True)
class All(Expression):
    """The conjunction of conditions."""

    parts: tuple[Expression, ...]

    def __str__(self) -> str:
        return " and ".join(map(_inside, self.parts))


@dataclass(frozen=True, slots=True)
class Any(Expression):
    """The disjunction of conditions."""

    parts: tuple[Expression, ...]

    def __str__(self) -> str:
        return " or ".join(map(_inside, self.parts))


@dataclass(frozen=True, slots=True)
class Restricted(Expression):
    """A filter within a fixed restriction.

    Results reveal nothing about documents outside the restriction, not even that a key or an entity exists.
    """

    fixed: Expression
    asked: Expression | None = None

    @property
    def by_disabling_alone(self) -> bool:
        """True if the restriction only hides disabled documents, whose existence may be revealed."""
        return self.fixed == _ENABLED

    def __str__(self) -> str:
        return f"within ({self.fixed})" + ("" if self.asked is None else f": {self.asked}")


@dataclass(frozen=True, slots=True)
class Disabled(Expression):
    """The condition that a document is disabled. It cannot be written in a filter."""

    def __str__(self) -> str:
        return "is disabled"


_ENABLED = Not(Disabled())


def without_disabled(where: Expression | None) -> Restricted:
    """Restrict a filter to documents that are not disabled."""
    if isinstance(where, Restricted):
        return Restricted(where.fixed & _ENABLED, where.asked)
    return Restricted(_ENABLED, where)


def composed(where: Expression) -> Expression:
    """Return the filter with keys and texts in composed Unicode form (NFC), as they are stored."""
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
    """A metadata key for comparisons: `field("date") >= date(2024, 1, 1)`."""

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
        """Match documents with one of these values."""
        return Comparison(self._key, "in", values)

    def none_of(self, *values: Asked) -> Expression:
        """Match documents that have the key with none of these values."""
        return Comparison(self._key, "not in", values)

    def like(self, pattern: str) -> Expression:
        """Match a text pattern, in which "*" stands for any characters and "?" for one character.

        "[*]" and "[?]" match these characters literally; "archive/*" also matches the folder itself.
        """
        return Comparison(self._key, "~", (pattern,))

    def exists(self) -> Expression:
        """Match documents that have the key."""
        return Exists(self._key)


def field(key: str) -> Field:
    return Field(key)


def refuse_deep(where: _Part, parts: Callable[[_Part], Iterable[_Part]]) -> None:
    """Reject filters that are too deeply nested for recursive evaluation.

    Args:
        parts: returns the direct parts of a part.

    Raises:
        FilterError: the filter has more than `_MOST_NESTED_CONDITIONS` nested conditions.
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
    """Parse an ISO 8601 date; a day without a time is the whole day. None for other texts."""
    found = date_of(text)
    return found.date() if found is not None and len(text) == _DAY_CHARACTERS else found


def written(value: Asked) -> str:
    """Format a value as in a filter text."""
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
    """Format a key as in a filter text, with backticks if needed."""
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
        if not isinstance(value, str | int | float | date):  # pyright: ignore[reportUnnecessaryIsInstance] # callers may not check types
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
    """Return the value, and for a whole day also the moment after it."""
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
    """Return True if the filter uses a key of passages."""
    return any(each.key in PASSAGE_KEYS for each in where.conditions())


def of_documents(where: Expression) -> Expression | None:
    """Return a filter on documents that includes every document with a matching passage; None if all may have one.

    A filter with keys of documents and passages is evaluated in two steps: first on documents, then on passages.
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
            return None  # for "not", the document alone does not decide


def fulfils(where: Expression, values: Mapping[str, Sequence[MetadataScalar]]) -> bool:
    """Return True if a passage matches a filter.

    Args:
        values: values of the passage and its document by key.
    """
    match where:
        case All(parts):
            return all(fulfils(part, values) for part in parts)
        case Any(parts):
            return any(fulfils(part, values) for part in parts)
        case Not(part):
            return not fulfils(part, values)
        case Restricted(_, asked):
            return asked is None or fulfils(asked, values)
        case Exists(key):
            return bool(values.get(key))
        case Comparison(key):
            own = values.get(key, ())
            return bool(own) and any(map(where.fits, own)) != where.rejects
        case _:
            raise AssertionError(where)
