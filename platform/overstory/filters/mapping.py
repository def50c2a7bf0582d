"""Filters as mappings in LangChain's syntax, such as `{"author": "Ada", "date": {"$gte": "2024-01-01"}}`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import cast

from overstory.errors import FilterError
from overstory.filters.expression import (
    All,
    Any,
    Asked,
    Comparison,
    Exists,
    Expression,
    Not,
    Operator,
    asked_date,
    refuse_deep,
    written_key,
)

_COMPARED: Mapping[str, Operator] = {
    "$eq": "=",
    "$ne": "!=",
    "$lt": "<",
    "$lte": "<=",
    "$gt": ">",
    "$gte": ">=",
    "$in": "in",
    "$nin": "not in",
    "$like": "~",
}
_ORDERED = frozenset({"$lt", "$lte", "$gt", "$gte"})
_JOINED = ("$and", "$or", "$not")
_OPERATORS = (*_COMPARED, "$exists", "$between")


def from_mapping(given: Mapping[str, object]) -> Expression:
    """Convert a mapping to an expression. All keys, and all operators of a key, must match.

    With `$lt`, `$lte`, `$gt`, `$gte` and `$between`, a text that is an ISO 8601 date counts as a date. With operators
    for equality, it matches both the text and the date.

    Raises:
        FilterError: the mapping is not a valid filter.
    """
    refuse_deep(cast("object", given), _within)
    return _read(given)


def _within(value: object) -> Iterable[object]:
    """Return the values of a mapping, with each list replaced by its elements; nothing for other values."""
    if isinstance(value, Mapping):
        value = list(cast("Mapping[object, object]", value).values())
        return [each for part in value for each in (part if isinstance(part, list | tuple) else [part])]
    return ()


def _read(given: Mapping[str, object]) -> Expression:
    if not given:
        raise FilterError("The filter is empty.", remedy='Example: {"author": "Ada"}')
    parts = [_part(_named(key), value) for key, value in given.items()]
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def _named(key: object) -> str:
    if not isinstance(key, str):
        raise FilterError(f"{key!r:.40} is not a metadata key.", remedy="Keys must be text.")
    return key


def _part(key: str, value: object) -> Expression:
    if key in ("$and", "$or"):
        if not isinstance(value, Sequence) or isinstance(value, str) or not value:
            raise FilterError(
                f"{key} requires a list of filters.", remedy=f'Example: {{"{key}": [{{"author": "Ada"}}]}}'
            )
        parts = tuple(map(_mapping, cast("Sequence[object]", value)))
        return parts[0] if len(parts) == 1 else (All(parts) if key == "$and" else Any(parts))
    if key == "$not":
        return Not(_mapping(value))
    if key.startswith("$"):
        raise _unknown(key, _JOINED)
    if not isinstance(value, Mapping):
        return _equal(key, "=", _asked(key, value))
    operators = cast("Mapping[str, object]", value)
    if not operators:
        raise FilterError(f"{written_key(key)} has no operators.", remedy=f'Example: {{"{key}": {{"$eq": 1}}}}')
    parts = tuple(part for operator, each in operators.items() for part in _compared(key, operator, each))
    return parts[0] if len(parts) == 1 else All(parts)


def _mapping(value: object) -> Expression:
    if not isinstance(value, Mapping):
        raise FilterError(f"{value!r:.40} is not a filter.", remedy='Example: {"author": "Ada"}')
    return _read(cast("Mapping[str, object]", value))


def _compared(key: str, operator: str, value: object) -> tuple[Expression, ...]:
    if operator == "$exists":
        if not isinstance(value, bool):
            raise FilterError(
                f"$exists of {written_key(key)} must be true or false, got {value!r:.40}.",
                remedy="Use true or false without quotes.",
            )
        return (Exists(key) if value else Not(Exists(key)),)
    if operator == "$between":
        low, high = _listed(key, operator, value, 2)
        return Comparison(key, ">=", (_dated(low),)), Comparison(key, "<=", (_dated(high),))
    if operator in ("$in", "$nin"):
        every = tuple(each for one in _listed(key, operator, value) for each in _both(one))
        return (Comparison(key, _COMPARED[operator], every),)
    if operator not in _COMPARED:
        raise _unknown(operator, _OPERATORS)
    asked = _asked(key, value)
    if operator in ("$eq", "$ne"):
        return (_equal(key, _COMPARED[operator], asked),)
    return (Comparison(key, _COMPARED[operator], (_dated(asked) if operator in _ORDERED else asked,)),)


def _equal(key: str, operator: Operator, value: Asked) -> Expression:
    """A text that is a date is compared both as a text and as a date."""
    either = _both(value)
    if len(either) == 1:
        return Comparison(key, operator, either)
    return Comparison(key, "in" if operator == "=" else "not in", either)


def _both(value: Asked) -> tuple[Asked, ...]:
    dated = _dated(value)
    return (value,) if dated is value else (value, dated)


def _listed(key: str, operator: str, value: object, size: int | None = None) -> tuple[Asked, ...]:
    values = tuple(cast("Sequence[object]", value)) if isinstance(value, list | tuple | set | frozenset) else ()
    if not values or (size is not None and len(values) != size):
        many = "values" if size is None else f"{size} values"
        raise FilterError(
            f"{operator} of {written_key(key)} requires a list of {many}.",
            remedy=f'Example: {{"{key}": {{"{operator}": ["a", "b"]}}}}',
        )
    return tuple(_asked(key, each) for each in values)


def _asked(key: str, value: object) -> Asked:
    if not isinstance(value, str | int | float | date):
        raise FilterError(
            f"{written_key(key)} is compared with {value!r:.40}, which cannot be a metadata value.",
            remedy="Use text, numbers, dates, true or false; for several values use $in.",
        )
    return value


def _dated(value: Asked) -> Asked:
    """Convert a text that is an ISO 8601 date to a date, because JSON has no type for dates."""
    found = asked_date(value) if isinstance(value, str) else None
    return value if found is None else found


def _unknown(operator: str, known: Sequence[str]) -> FilterError:
    near = difflib.get_close_matches(operator, known, n=1)
    meant = f"Did you mean {near[0]}? " if near else ""
    return FilterError(f"Unknown filter operator {operator!r}.", remedy=f"{meant}Use one of {', '.join(known)}.")
