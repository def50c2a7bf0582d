"""Metadata filters as texts, mappings or expressions. Texts and mappings are converted to expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from overstory.errors import FilterError
from overstory.filters.expression import Comparison as Comparison
from overstory.filters.expression import Expression as Expression
from overstory.filters.expression import Field as Field
from overstory.filters.expression import composed, direct_parts, refuse_deep
from overstory.filters.expression import field as field

Where: TypeAlias = str | Expression | Mapping[str, object]
"""A filter as text (`"author = 'Ada'"`), expression (`field("author") == "Ada"`) or mapping (`{"author": "Ada"}`)."""


def read_filter(where: Where) -> Expression:
    """Convert a filter to an expression.

    Raises:
        FilterError: the filter is invalid.
    """
    if isinstance(where, str):
        from overstory.filters.grammar import parse  # this imports lark, which only text filters need

        return _composed(parse(where))
    if isinstance(where, Mapping):
        from overstory.filters.mapping import from_mapping

        return _composed(from_mapping(where))
    return _composed(_expression(where))


def _composed(where: Expression) -> Expression:
    refuse_deep(where, direct_parts)
    return composed(where)


def _expression(where: object) -> Expression:
    if not isinstance(where, Expression):
        raise FilterError(
            f"A filter cannot be of type {type(where).__name__}.",
            remedy='Use text ("author = \'Ada\'"), an expression (field("author") == "Ada"), or a mapping.',
        )
    return where
