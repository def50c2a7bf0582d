"""Places of a corpus in Neo4j Browser: the saved query that draws each, with its values."""

from __future__ import annotations

from collections.abc import Mapping

from overstory.browser.guide import parameter_command
from overstory.browser.queries import all_queries, saved_queries

PLACES: Mapping[frozenset[str], str] = {
    frozenset({"name"}): "related",
    frozenset({"name", "other"}): "paths",
    frozenset({"document"}): "document_facts",
    frozenset({"tree"}): "tree",
    frozenset({"tree", "community"}): "community",
}
"""By the parameters that are given, the saved query that draws the place."""


def place_commands(label: str, values: Mapping[str, str]) -> tuple[str, str] | None:
    """The title of the query that draws a place, and what Browser's editor takes: commands that set these values, and
    the query. None where no saved query takes them.

    Args:
        label: of the corpus.
        values: by the names of parameters of saved queries.
    """
    wanted = PLACES.get(frozenset(values))
    for query in all_queries(saved_queries(label)):
        if query.name == wanted:
            sets = [f"{parameter_command(name, value)};" for name, value in values.items()]
            return query.title, "\n".join([*sets, query.text])
    return None
