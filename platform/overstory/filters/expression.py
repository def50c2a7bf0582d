"""Conditions on the metadata of documents, as typed expressions: `(field("author") == "Ada") & field("date").exists()`.

An expression is evaluated by the values of its keys, one after the other: what a set of documents is made of is asked
once for each key, and joined by "and", "or" and "not" (`overstory.retrieve.matching_documents`).
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
"""Keys of passages; every other key belongs to documents."""
PASSAGE_KEYS = frozenset({PAGE, SECTION})

Operator: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">=", "in", "not in", "~"]
Asked: TypeAlias = str | int | float | bool | datetime | date
"""A value in a filter. A `date` is the whole day, in UTC."""

_Part = TypeVar("_Part")

_MOST_NESTED_CONDITIONS = 100
"""Conditions within each other, joined by "and", "or" and "not"."""
_DAY_CHARACTERS = len("2024-01-01")
_PLAIN_KEY = re.compile(r"[^\W\d][\w.:-]*")
KEYWORDS = frozenset({"and", "or", "not", "in", "exists", "true", "false"})


class Expression:
    """What a document has to fulfil. Joined by `&`, `|` and `~`, and written as text by `str`."""

    __slots__ = ()

    def __and__(self, other: Expression) -> Expression:
        return All((*_parts(self, All), *_parts(other, All)))

    def __or__(self, other: Expression) -> Expression:
        return Any((*_parts(self, Any), *_parts(other, Any)))

    def __invert__(self) -> Expression:
        return self.part if isinstance(self, Not) else Not(self)

    def __bool__(self) -> bool:
        raise TypeError("A filter is neither true nor false: join filters by &, | and ~, with parentheses around each.")

    def conditions(self) -> Iterator[Comparison | Exists]:
        """What it asks of single keys, in its order."""
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
    """A value of a key is compared. Of a list, one value has to fulfil it; "!=" and "not in", all have to. A key that a
    document lacks fulfils nothing, and so does a value of another type.

    Attributes:
        values: of "in" and "not in" one or more, otherwise one.
    """

    key: str
    operator: Operator
    values: tuple[Asked, ...]

    def __post_init__(self) -> None:
        _check(self)

    @property
    def rejects(self) -> bool:
        """Whether documents with a value that `fits` are those that do not fulfil it, of those that have the key."""
        return self.operator in ("!=", "not in")

    @property
    def types(self) -> frozenset[ValueType]:
        """The types that are compared with its values."""
        return frozenset(_type_of(value) for value in self.values)

    def fits(self, value: MetadataScalar) -> bool:
        """Whether a value is like this; of "!=" and "not in", whether it is one of those that may not be there."""
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
    """A document has the key, with a value of any type."""

    key: str

    def __str__(self) -> str:
        return f"{written_key(self.key)} exists"


@dataclass(frozen=True, slots=True)
class Not(Expression):
    """A document does not fulfil a part: also one without the key."""

    part: Expression

    def __str__(self) -> str:
        return f"not {_inside(self.part)}"


@dataclass(frozen=True, slots=True)
class All(Expression):
    """A document fulfils every part."""

    parts: tuple[Expression, ...]

    def __str__(self) -> str:
        return " and ".join(map(_inside, self.parts))


@dataclass(frozen=True, slots=True)
class Any(Expression):
    """A document fulfils one part or more."""

    parts: tuple[Expression, ...]

    def __str__(self) -> str:
        return " or ".join(map(_inside, self.parts))


@dataclass(frozen=True, slots=True)
class Restricted(Expression):
    """What may be seen at all, and what of it is asked for. Nothing of other documents is revealed, not even that a key
    or a name exists."""

    fixed: Expression
    asked: Expression | None = None

    @property
    def by_disabling_alone(self) -> bool:
        """Whether all documents may be seen but those that are disabled: nothing of these is found, but that they are
        there may be told."""
        return self.fixed == _ENABLED

    def __str__(self) -> str:
        return f"within ({self.fixed})" + ("" if self.asked is None else f": {self.asked}")


@dataclass(frozen=True, slots=True)
class Disabled(Expression):
    """A document is disabled. No filter that is written asks for this."""

    def __str__(self) -> str:
        return "is disabled"


_ENABLED = Not(Disabled())


def without_disabled(where: Expression | None) -> Restricted:
    """A filter, or none, whose documents are not disabled either, and which reveals nothing of those that are."""
    if isinstance(where, Restricted):
        return Restricted(where.fixed & _ENABLED, where.asked)
    return Restricted(_ENABLED, where)


def composed(where: Expression) -> Expression:
    """A filter whose keys and texts are in NFC, as those that are stored."""
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
    """A key of metadata, to be compared: `field("date") >= date(2024, 1, 1)`."""

    __slots__ = ("_key",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, key: str) -> None:
        self._key = key

    def __eq__(self, value: Asked) -> Expression:  # type: ignore[override] # an expression, as in SQLAlchemy
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
        """One of these values."""
        return Comparison(self._key, "in", values)

    def none_of(self, *values: Asked) -> Expression:
        """The key is there, with none of these values."""
        return Comparison(self._key, "not in", values)

    def like(self, pattern: str) -> Expression:
        """A text like a pattern, in which "*" stands for any characters and "?" for one, "[*]" and "[?]" for these
        themselves; "archive/*" is the folder itself, too."""
        return Comparison(self._key, "~", (pattern,))

    def exists(self) -> Expression:
        """The key is there."""
        return Exists(self._key)


def field(key: str) -> Field:
    """A key of metadata, to be compared."""
    return Field(key)


def refuse_deep(where: _Part, parts: Callable[[_Part], Iterable[_Part]]) -> None:
    """Let only filters pass that can be read and answered by recursion.

    Args:
        parts: what is right within a part of the filter.

    Raises:
        FilterError: it has more than `_MOST_NESTED_CONDITIONS` within each other.
    """
    within = [where]
    for _ in range(_MOST_NESTED_CONDITIONS):
        within = [part for each in within for part in parts(each)]
    if within:
        raise FilterError(
            f"The filter has more than {_MOST_NESTED_CONDITIONS} conditions within each other.",
            remedy="Write it with fewer: not not a is a, and (a and b) and c is a and b and c.",
        )


def direct_parts(where: Expression) -> tuple[Expression, ...]:
    """The expressions right within another."""
    match where:
        case Not(part):
            return (part,)
        case All(parts) | Any(parts):
            return parts
        case _:
            return ()


def asked_date(text: str) -> datetime | date | None:
    """The date that a text is in ISO 8601: of a day without a time the whole day. None for any other text."""
    found = date_of(text)
    return found.date() if found is not None and len(text) == _DAY_CHARACTERS else found


def written(value: Asked) -> str:
    """A value as a filter has it."""
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
    """A key as a filter has it."""
    if _PLAIN_KEY.fullmatch(key) and key.lower() not in KEYWORDS:
        return key
    doubled = key.replace("`", "``")
    return f"`{doubled}`"


def _check(asked: Comparison) -> None:
    if not asked.values:
        raise FilterError(f"{written_key(asked.key)} {asked.operator} has no values.", remedy="Give at least one.")
    if asked.operator == "~" and not isinstance(asked.values[0], str):
        raise FilterError(
            f"{written_key(asked.key)} is compared with a pattern that is no text.",
            remedy="A pattern stands in quotation marks, as in: folder ~ 'archive/*'",
        )
    if asked.operator == "~" and len(str(asked.values[0])) > LONGEST_PATTERN_CHARACTERS:
        raise FilterError(
            f"The pattern for {written_key(asked.key)} is longer than {LONGEST_PATTERN_CHARACTERS:,} characters.",
            remedy="Shorten it: * stands for any characters.",
        )
    for value in asked.values:
        if not isinstance(value, str | int | float | date):  # pyright: ignore[reportUnnecessaryIsInstance] # as given
            raise FilterError(
                f"{written_key(asked.key)} is compared with {value!r:.40}, which is no value of metadata.",
                remedy="Values are text, numbers, dates, and true or false.",
            )
        if isinstance(value, bool) and asked.operator in ("<", "<=", ">", ">="):
            raise FilterError(
                f"{written_key(asked.key)} {asked.operator} {written(value)}: true and false are not ordered.",
                remedy="Compare them by = or !=.",
            )


def _type_of(value: Asked) -> ValueType:
    return "date" if isinstance(value, date) else type_of(value)


def _span(value: Asked) -> tuple[MetadataScalar, datetime | None]:
    """A value, and where it is a whole day, the moment after it."""
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
    """Whether a filter has a key of passages."""
    return any(each.key in PASSAGE_KEYS for each in where.conditions())


def of_documents(where: Expression) -> Expression | None:
    """The filter on documents that may have a passage which fulfils a filter; None if all may.

    A filter with keys of both is answered in two steps: by documents, and then passage by passage.
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
            return None  # of "not", what is within is not known of the document alone


def fulfils(where: Expression, values: Mapping[str, Sequence[MetadataScalar]]) -> bool:
    """Whether a passage fulfils a filter.

    Args:
        values: of the passage and of its document, by key.
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
