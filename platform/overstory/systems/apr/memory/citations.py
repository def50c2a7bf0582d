"""The facts that an answer cites, as a remembered answer keeps them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple


class CitedFact(NamedTuple):
    """A fact and the chunk that states it; the words are those in which it was first read."""

    edge: str
    chunk: str
    head: str
    relation: str
    tail: str


def written(facts: Iterable[CitedFact]) -> str:
    """For the property of the node."""
    return json.dumps([list(fact) for fact in facts], ensure_ascii=False)


def read(citations: str) -> tuple[CitedFact, ...]:
    """What `written` gave."""
    return tuple(CitedFact(*fact) for fact in json.loads(citations))
