"""Incidence of entities and passages as arrays: what passages mention, are about and state."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overstory.graph import GraphClient, batches
from overstory.graph.client import Row
from overstory.text.names.subjects import SURE_SUBJECT_WEIGHT

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_INCIDENCE_CHUNKS_A_PAGE = 1_000
NO_PLACE = -1
"""Placeholder for an unknown sentence, and for a subject or object that is not an entity."""
MOST_SENTENCES_OF_A_CHUNK = 1 << 20
"""Factor that numbers the sentences of a corpus: chunk · MOST_SENTENCES_OF_A_CHUNK + sentence."""

DICTIONARY, OPENIE = "dictionary", "openie"


@dataclass(frozen=True, slots=True)
class EntityName:
    """A name of the corpus that may be an entity.

    Attributes:
        id: Id of its node.
        passages: Number of passages that mention the name, if not all of them were read; such a name always counts as
            an entity. 0 if all were read.
    """

    id: str
    key: str
    name: str
    type: str
    passages: int = 0


@dataclass(frozen=True, slots=True)
class Mentions:
    """Mentions of entities, one row per sentence; one row with `NO_PLACE` if no sentence is known. Shape (m,)."""

    entity: Ints
    chunk: Ints
    sentence: Ints


@dataclass(frozen=True, slots=True)
class Subjects:
    """Subjects of passages, the entities that a passage is about. Shape (s,)."""

    entity: Ints
    chunk: Ints
    weight: Floats


@dataclass(frozen=True, slots=True)
class Statements:
    """Facts as passages state them. Shape (f,).

    Attributes:
        subject, object: Entities; `NO_PLACE` for text that is not an entity.
        sentence: Sentence that states the fact; `NO_PLACE` if unknown, as for OpenIE triples.
        position: Number of the fact within its passage.
        openie: 1 for an OpenIE triple, else 0.
    """

    subject: Ints
    object: Ints
    chunk: Ints
    sentence: Ints
    position: Ints
    openie: Ints


@dataclass(frozen=True, slots=True)
class PassageTable:
    """All passages, in order of id.

    Attributes:
        seq: Position of each passage in its document.
        first: Shape (c + 1,): first entry of each passage in `starts`.
        starts: First character of each sentence.
        boilerplate: Digest of the boilerplate spans, for passages that have any.
    """

    ids: list[str]
    seq: Ints
    first: Ints
    starts: Ints
    boilerplate: Mapping[int, str]

    def span(self, chunk: int, sentence: int) -> tuple[int, int]:
        """Return start and end of a sentence; −1 is the end of the last. Unknown sentences are treated as the last."""
        begin, end = int(self.first[chunk]), int(self.first[chunk + 1])
        if begin == end:
            return 0, -1
        at = min(begin + sentence, end - 1)
        return int(self.starts[at]), int(self.starts[at + 1]) if at + 1 < end else -1


@dataclass(frozen=True, slots=True)
class Incidence:
    """Entities, passages and the links between them.

    Attributes:
        names: Entities in order of key. The arrays refer to entities by their position here.
    """

    names: Sequence[EntityName]
    passages: PassageTable
    mentions: Mentions
    subjects: Subjects
    statements: Statements


def read_incidence(graph: GraphClient, label: str, *, only: Collection[str] | None = None) -> Incidence:
    """Return the incidence of a corpus. A name is an entity if a fact contains it or at least two passages mention it.

    Args:
        only: Ids of the passages to read; None for all.
    """
    names = [
        EntityName(row["id"], row["key"], row["name"], row["type"])
        for row in graph.stream("systems/entity_graph/entities", label)
    ]
    names.sort(key=lambda name: name.key)
    passages = only
    if passages is None:
        passages = [row["id"] for row in graph.stream("corpus/chunk_ids", label)]
    return incidence_of(names, read_passages(graph, label, passages))


def read_passages(graph: GraphClient, label: str, ids: Iterable[str]) -> Iterator[Row]:
    """Yield the mentions, subjects and facts of passages, in order of passage id."""
    for some in batches(sorted(ids), _INCIDENCE_CHUNKS_A_PAGE):
        yield from graph.run("systems/entity_graph/incidence", label, read=True, ids=some, sure=SURE_SUBJECT_WEIGHT)


def incidence_of(names: Sequence[EntityName], rows: Iterable[Row]) -> Incidence:
    """Return the incidence of passages that have been read.

    Args:
        names: Candidate names, in order of key.
        rows: Rows of `systems/entity_graph/incidence`, in order of chunk id.
    """
    return _entities_alone(names, *_collected({name.id: place for place, name in enumerate(names)}, rows))


def _collected(place: Mapping[str, int], rows: Iterable[Row]) -> tuple[PassageTable, Mentions, Subjects, Statements]:
    ids: list[str] = []
    boilerplate: dict[int, str] = {}
    seq, first, starts = array("q"), array("q", [0]), array("q")
    mentions, subjects, statements = array("q"), array("q"), array("q")
    weights = array("d")
    for chunk, row in enumerate(rows):
        ids.append(row["id"])
        seq.append(row["seq"])
        starts.extend(row["starts"])
        first.append(len(starts))
        if row["boilerplate"]:
            boilerplate[chunk] = hashlib.sha256(repr(row["boilerplate"]).encode()).hexdigest()[:16]
        by_triples = any(by == OPENIE for _, by, _ in row["mentions"]) or any(
            each[2] == OPENIE for each in row["statements"]
        )
        for entity, sentences in sorted(_sentences_by_entity(row["mentions"], by_triples=by_triples).items()):
            if entity in place:
                for sentence in sorted(sentences) or [NO_PLACE]:
                    mentions.extend((place[entity], chunk, sentence))
        for entity, weight in sorted(row["about"]):
            if entity in place:
                subjects.extend((place[entity], chunk))
                weights.append(weight)
        for subject, object_, by, sentence, position in row["statements"]:
            if by_triples == (by == OPENIE):
                ends = place.get(subject, NO_PLACE), place.get(object_, NO_PLACE)
                at = NO_PLACE if sentence is None else sentence
                statements.extend((*ends, chunk, at, NO_PLACE if position is None else position, int(by_triples)))
    about, of = _columns(subjects, 2)
    return (
        PassageTable(ids, _ints(seq), _ints(first), _ints(starts), boilerplate),
        Mentions(*_columns(mentions, 3)),
        Subjects(about, of, np.array(weights, dtype=np.float64)),
        Statements(*_columns(statements, 6)),
    )


def _sentences_by_entity(
    mentions: Iterable[tuple[str, str, Sequence[int]]], *, by_triples: bool
) -> dict[str, set[int]]:
    """Return the sentences of each entity in a passage. If it has OpenIE triples, only names in triples count."""
    found: dict[str, set[int]] = {}
    real: set[str] = set()
    for entity, by, sentences in mentions:
        found.setdefault(entity, set()).update(sentences)
        if by == OPENIE if by_triples else by != DICTIONARY:
            real.add(entity)
    return {entity: sentences for entity, sentences in found.items() if entity in real}


def _entities_alone(
    names: Sequence[EntityName], passages: PassageTable, mentions: Mentions, subjects: Subjects, statements: Statements
) -> Incidence:
    """Return the incidence without names that no fact contains and only one passage mentions."""
    each = np.unique(np.stack([mentions.entity, mentions.chunk]), axis=1)
    kept = np.bincount(each[0], minlength=len(names)) > 1
    kept |= np.array([name.passages > 0 for name in names], dtype=np.bool_)
    for ends in (statements.subject, statements.object):
        kept[ends[ends != NO_PLACE]] = True
    new = np.where(kept, np.cumsum(kept) - 1, NO_PLACE)
    there = kept[mentions.entity]
    about = kept[subjects.entity]
    return Incidence(
        [names[old] for old in np.flatnonzero(kept).tolist()],
        passages,
        Mentions(new[mentions.entity[there]], mentions.chunk[there], mentions.sentence[there]),
        Subjects(new[subjects.entity[about]], subjects.chunk[about], subjects.weight[about]),
        Statements(
            _renumbered(statements.subject, new),
            _renumbered(statements.object, new),
            statements.chunk,
            statements.sentence,
            statements.position,
            statements.openie,
        ),
    )


def _renumbered(ends: Ints, new: Ints) -> Ints:
    if not len(new):
        return ends
    return np.where(ends == NO_PLACE, NO_PLACE, new[ends])


def _columns(values: array[int], width: int) -> list[Ints]:
    table = _ints(values).reshape(-1, width)
    return [np.ascontiguousarray(table[:, column]) for column in range(width)]


def _ints(values: array[int]) -> Ints:
    return np.array(values, dtype=np.int64)
