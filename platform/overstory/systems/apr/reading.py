"""The triples of passages, from the facts that the corpus has of them: found by rules, or loaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from overstory.graph import GraphClient
from overstory.graph.client import Row
from overstory.index.stages.annotate import BY as LOADED
from overstory.systems.apr.index_settings import TripleSource
from overstory.systems.apr.pronouns import resolved
from overstory.systems.apr.triples import Triple

VERSION = 1
"""Changes whenever the same facts may give other triples."""


@dataclass(frozen=True, slots=True)
class ReadChunk:
    """A chunk with its triples, in the order of its text."""

    id: str
    triples: tuple[Triple, ...]


def read_facts(graph: GraphClient, label: str, ids: Sequence[str], source: TripleSource) -> list[ReadChunk]:
    """The chunks of these ids, as far as they are there, in order of id.

    Raises:
        DatabaseError: as `GraphClient.run`.
    """
    rows = graph.run("systems/apr/facts", label, read=True, ids=list(ids))
    return [_read(row, source) for row in rows]


def _read(row: Row, source: TripleSource) -> ReadChunk:
    triples = [
        (by == LOADED, Triple(head, relation, tail, sentence)) for by, sentence, head, relation, tail in row["facts"]
    ]
    return ReadChunk(row["id"], tuple(resolved(chosen(triples, source), row["title"])))


def chosen(triples: Iterable[tuple[bool, Triple]], source: TripleSource) -> list[Triple]:
    """Those that come from a source.

    Args:
        triples: each with whether it was loaded; else rules found it.
    """
    given = list(triples)
    wanted = any(loaded for loaded, _ in given) if source == "auto" else source == "loaded"
    return [triple for loaded, triple in given if loaded == wanted]
