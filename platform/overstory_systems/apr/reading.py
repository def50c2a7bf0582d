"""The triples of passages: facts that the corpus has of them, by rules or loaded; a language model can read instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from overstory.graph import GraphClient
from overstory.index.stages.annotate import BY as LOADED
from overstory_systems.apr.index_settings import TripleSource
from overstory_systems.apr.pronouns import resolved
from overstory_systems.apr.triples import Triple

VERSION = 3
"""Changes whenever the same facts may give other triples."""


@dataclass(frozen=True, slots=True)
class StatedChunk:
    """A chunk with the facts that the corpus has of it.

    Attributes:
        loaded, by_rules: in the order of the text.
    """

    id: str
    title: str
    loaded: tuple[Triple, ...]
    by_rules: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class ReadChunk:
    """A chunk with its triples, in the order of its text.

    Attributes:
        windows: requests to a language model.
        read_by_rules: of them those whose answer could not be used, so that rules read that part.
    """

    id: str
    triples: tuple[Triple, ...]
    windows: int = 0
    read_by_rules: int = 0


class TripleReader(Protocol):
    """Reads chunks.

    Attributes:
        fingerprint: changes whenever the same chunk may be read in another way.
        at_once: chunks that should be stored together: what is lost where a run is killed.
        reads_ahead: whether the next chunks may be read in a thread while others are stored. Nothing there hears an
            interruption.
    """

    fingerprint: str
    at_once: int
    reads_ahead: bool

    def read(self, chunks: Iterable[StatedChunk]) -> Iterator[ReadChunk]:
        """Each chunk, in order, lazily."""
        ...


class FactReader:
    """Takes the facts of the corpus."""

    at_once = 256
    """Some 3,000 triples."""
    reads_ahead = True
    fingerprint = f"facts:{VERSION}"

    def __init__(self, source: TripleSource) -> None:
        self._source: TripleSource = source

    def read(self, chunks: Iterable[StatedChunk]) -> Iterator[ReadChunk]:
        """See `TripleReader.read`."""
        for chunk in chunks:
            yield ReadChunk(chunk.id, tuple(resolved(chosen(chunk, self._source), chunk.title)))


def chosen(chunk: StatedChunk, source: TripleSource) -> tuple[Triple, ...]:
    """The facts of a chunk that come from a source."""
    if source == "auto":
        return chunk.loaded or chunk.by_rules
    return chunk.loaded if source == "loaded" else chunk.by_rules


def read_stated(graph: GraphClient, label: str, ids: Sequence[str]) -> list[StatedChunk]:
    """The chunks of these ids, as far as they are there, in order of id.

    Raises:
        DatabaseError: as `GraphClient.run`.
    """
    chunks: list[StatedChunk] = []
    for row in graph.run("systems/apr/facts", label, read=True, ids=list(ids)):
        of_all = [(by, Triple(head, relation, tail, sentence)) for by, sentence, head, relation, tail in row["facts"]]
        loaded = tuple(triple for by, triple in of_all if by == LOADED)
        by_rules = tuple(triple for by, triple in of_all if by != LOADED)
        chunks.append(StatedChunk(row["id"], row["title"], loaded, by_rules))
    return chunks
