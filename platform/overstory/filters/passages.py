"""Filters on passages: `page` and `section` belong to these, every other key to documents.

A filter with both is answered in two steps: by the documents that may have such a passage, and then passage by passage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from overstory.filters.expression import All, Any, Comparison, Exists, Expression, Not, Restricted
from overstory.model.metadata import MetadataScalar

PAGE, SECTION = "page", "section"
PASSAGE_KEYS = frozenset({PAGE, SECTION})


def asks_passages(where: Expression) -> bool:
    """Whether it asks for a key of passages."""
    return any(each.key in PASSAGE_KEYS for each in where.conditions())


def of_documents(where: Expression) -> Expression | None:
    """What documents fulfil that have a passage which fulfils a filter, and maybe others do; None if all may."""
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
