"""Full-text indexes over the words of corpora: made ahead in sets, each of which one corpus has at a time.

Neo4j forgets the plans of all statements when an index is created or dropped. So a new corpus creates none, but takes
a set that is free (`corpus/create`), and gives it back, empty, when it is deleted. The chunks of the corpus carry the
label of its set. No set serves two corpora at a time: the passages of one would change the scores of the other.
"""

from __future__ import annotations

from overstory.graph.client import GraphClient
from overstory.graph.schema import create_missing, drop_index

_LEAST_SETS_AT_ONCE = 4
_MOST_SETS_AT_ONCE = 16
"""In between as many are created as there are: a set takes a tenth of a second, and the first corpus waits for it."""

ANALYZER = "english"
KINDS = {"text": "schema/chunk_text_index", "words": "schema/section_word_index"}
"""The indexes of a set, and the statements that make them."""


def set_label(index_set: int) -> str:
    """The label of the chunks that a set is over."""
    return f"IndexSet_{index_set}"


def text_index(index_set: int) -> str:
    """The name of the index over titles, headings and texts of chunks."""
    return index_name("text", index_set)


def word_index(index_set: int) -> str:
    """The name of the index over the words of sections."""
    return index_name("words", index_set)


def index_name(kind: str, index_set: int) -> str:
    """The name of an index of a set, by its kind (`KINDS`)."""
    return f"overstory_{kind}_{index_set}"


def create_sets(graph: GraphClient) -> None:
    """Makes sets free: those that somebody began to create or gave back, or new ones, as many as there are.

    A set that was given back may lack an index, where a rebuild was killed.
    """
    rows = graph.run("schema/begin_index_sets", least=_LEAST_SETS_AT_ONCE, most=_MOST_SETS_AT_ONCE)
    numbers = [row["number"] for row in rows]
    create_indexes(graph, *numbers)
    graph.run("schema/finish_index_sets", numbers=numbers)


def create_indexes(graph: GraphClient, *index_sets: int) -> None:
    """Creates the indexes of sets that are missing; returns when all are online."""
    indexes = {index_name(kind, number): statement for number in index_sets for kind, statement in KINDS.items()}
    labels = {index_name(kind, number): set_label(number) for number in index_sets for kind in KINDS}
    create_missing(graph, indexes, labels, analyzer=ANALYZER)


def drop(graph: GraphClient, kind: str, index_set: int) -> None:
    """Drops an index of a set, to be made again from what is stored."""
    drop_index(graph, index_name(kind, index_set))
