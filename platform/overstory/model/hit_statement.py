"""A statement of the user's own, which runs on the hits of a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from overstory.errors import StatementRefused

IDS = "ids"
"""The parameter with the hits, and in the singular the column that says which of them a row is of."""

_EXAMPLE = (
    "UNWIND $ids AS id MATCH (:Overstory {id: id})-[:MENTIONS]->(e:Entity) RETURN id, collect(DISTINCT e.name) AS names"
)


@dataclass(frozen=True, slots=True)
class HitStatement:
    """Cypher that reads the graph from the hits on. Values go into `parameters`, not into the text.

    Attributes:
        text: it has the ids of the hits' chunks as `$ids`, and returns a row for each, or none: `id`, and anything.
        parameters: further values, by their names.

    Raises:
        StatementRefused: the text does not use `$ids`, or `parameters` has a value for them.
    """

    text: str
    parameters: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)

    def __post_init__(self) -> None:
        if f"${IDS}" not in self.text:
            raise StatementRefused("The statement does not ask for the hits.", remedy=f"Use $ids, as in: {_EXAMPLE}")
        if IDS in self.parameters:
            raise StatementRefused("$ids are the hits, and no parameter.", remedy="Name the parameter otherwise.")
