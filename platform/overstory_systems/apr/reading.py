"""The triples of passages: facts that the corpus has of them, by rules or loaded; a language model can read instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from overstory.graph import GraphClient
from overstory.graph.client import Row
from overstory.graph.ids import entity_id
from overstory.index.stages.annotate import BY as LOADED
from overstory.text.names.keys import entity_key
from overstory_systems.apr.index_settings import TripleSource
from overstory_systems.apr.pronouns import resolved, subject_of
from overstory_systems.apr.triples import Triple

APR_READING_VERSION = 5
"""Changes whenever the same facts may give other triples."""


@dataclass(frozen=True, slots=True)
class StatedChunk:
    """A chunk with the facts that the corpus has of it.

    Attributes:
        loaded, by_rules: in the order of the text.
        types: what the names that it mentions are ("PERSON", …), and what its title names, by their keys.
    """

    id: str
    title: str
    loaded: tuple[Triple, ...]
    by_rules: tuple[Triple, ...]
    text: str = ""
    types: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)

    def resolved(self, triples: Sequence[Triple]) -> tuple[Triple, ...]:
        """Triples of this chunk with what pronouns stand for in their place."""
        return tuple(resolved(triples, self.title, self.text, self.types))


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
    fingerprint = f"facts:{APR_READING_VERSION}"

    def __init__(self, source: TripleSource) -> None:
        self._source: TripleSource = source

    def read(self, chunks: Iterable[StatedChunk]) -> Iterator[ReadChunk]:
        """See `TripleReader.read`."""
        for chunk in chunks:
            yield ReadChunk(chunk.id, chunk.resolved(chosen(chunk, self._source)))


def chosen(chunk: StatedChunk, source: TripleSource) -> tuple[Triple, ...]:
    """The facts of a chunk that come from a source."""
    if source == "auto":
        return chunk.loaded or chunk.by_rules
    return chunk.loaded if source == "loaded" else chunk.by_rules


def read_stated(graph: GraphClient, label: str, ids: Sequence[str]) -> list[StatedChunk]:
    """The chunks of these ids, as far as they are there, in order of id."""
    rows = graph.run("systems/apr/facts", label, read=True, ids=list(ids))
    of_titles = _types_of_titles(graph, label, rows)
    chunks: list[StatedChunk] = []
    for row in rows:
        of_all = [(by, Triple(head, relation, tail, sentence)) for by, sentence, head, relation, tail in row["facts"]]
        loaded = tuple(triple for by, triple in of_all if by == LOADED)
        by_rules = tuple(triple for by, triple in of_all if by != LOADED)
        types = {key: Counter(of).most_common(1)[0][0] for key, of in row["names"] if of}
        titled = entity_key(subject_of(row["title"]))
        types.setdefault(titled, of_titles.get(titled, ""))
        chunks.append(StatedChunk(row["id"], row["title"], loaded, by_rules, row["text"], types))
    return chunks


def _types_of_titles(graph: GraphClient, label: str, rows: Sequence[Row]) -> dict[str, str]:
    """What the corpus says of the names in titles, which later passages of a document need not say: types by key. Where
    it says something else later, a passage is read again when it is next read for another reason."""
    keys = {entity_id(label, key): key for row in rows if (key := entity_key(subject_of(row["title"])))}
    found = graph.run("systems/tree/entities", label, read=True, ids=sorted(keys)) if keys else []
    return {keys[row["id"]]: row["type"] or "" for row in found}
