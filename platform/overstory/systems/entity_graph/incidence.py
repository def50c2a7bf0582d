"""Reads, as arrays, which entities each passage mentions, which it is about, and which facts it states."""

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
"""Placeholder for an unknown sentence, for an unknown position, and for a subject or object that is not an entity."""
MOST_SENTENCES_OF_A_CHUNK = 1 << 20
"""Maximum number of sentences in a chunk. The number of a sentence in the corpus is chunk · MOST_SENTENCES_OF_A_CHUNK +
sentence."""

DICTIONARY, OPENIE = "dictionary", "openie"


@dataclass(frozen=True, slots=True)
class EntityName:
    """A name in the corpus that may be an entity.

    Attributes:
        key: Key of the name (see `text.names.keys.entity_key`).
        passages: Number of passages that mention the name, if only some of them were read; 0 if all of them were read.
            If this number is not 0, the name always counts as an entity.
    """

    id: str
    key: str
    name: str
    type: str
    passages: int = 0


@dataclass(frozen=True, slots=True)
class Mentions:
    """The mentions of entities, as arrays of shape (m,).

    There is one row per sentence that mentions an entity. If a passage mentions an entity in an unknown sentence, the
    sentence is `NO_PLACE`.
    """

    entity: Ints
    chunk: Ints
    sentence: Ints


@dataclass(frozen=True, slots=True)
class Subjects:
    """The subjects of passages, which are the entities that a passage is about, as arrays of shape (s,)."""

    entity: Ints
    chunk: Ints
    weight: Floats


@dataclass(frozen=True, slots=True)
class Statements:
    """The facts that passages state, as arrays of shape (f,).

    Attributes:
        subject, object: Entities; `NO_PLACE` if the subject or the object is not an entity.
        sentence: Sentence that states the fact; `NO_PLACE` if it is unknown, as for OpenIE triples.
        position: Position of the fact in its passage; `NO_PLACE` if it is unknown.
        openie: 1 if the fact is an OpenIE triple, else 0.
    """

    subject: Ints
    object: Ints
    chunk: Ints
    sentence: Ints
    position: Ints
    openie: Ints


@dataclass(frozen=True, slots=True)
class PassageTable:
    """The c passages that were read, sorted by id.

    Attributes:
        seq: Position of each passage in its document.
        first: Index of each passage's first sentence in `starts`, shape (c + 1,).
        starts: Offset of each sentence in its passage.
        boilerplate: Map from the passages that contain boilerplate to a digest of its position.
    """

    ids: list[str]
    seq: Ints
    first: Ints
    starts: Ints
    boilerplate: Mapping[int, str]

    def span(self, chunk: int, sentence: int) -> tuple[int, int]:
        """Return the start and the end of a sentence in a passage. The end of the last sentence is −1.

        If the passage has fewer sentences, the span of the last sentence is returned.
        """
        begin, end = int(self.first[chunk]), int(self.first[chunk + 1])
        if begin == end:
            return 0, -1
        at = min(begin + sentence, end - 1)
        return int(self.starts[at]), int(self.starts[at + 1]) if at + 1 < end else -1


@dataclass(frozen=True, slots=True)
class Incidence:
    """Entities, passages and the links between them.

    Attributes:
        names: Entities, sorted by key. The arrays refer to entities by their indices in this list.
    """

    names: Sequence[EntityName]
    passages: PassageTable
    mentions: Mentions
    subjects: Subjects
    statements: Statements


def read_incidence(graph: GraphClient, label: str, *, only: Collection[str] | None = None) -> Incidence:
    """Read the entities and the passages of a corpus, and the links between them.

    A name is an entity if a fact contains the name or at least two passages mention it.

    Args:
        only: Ids of the passages to read; None to read all passages.
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
    """Yield a row for each passage, with its mentions, subjects and facts, sorted by passage id."""
    for some in batches(sorted(ids), _INCIDENCE_CHUNKS_A_PAGE):
        yield from graph.run("systems/entity_graph/incidence", label, read=True, ids=some, sure=SURE_SUBJECT_WEIGHT)


def incidence_of(names: Sequence[EntityName], rows: Iterable[Row]) -> Incidence:
    """Convert rows that have been read from the graph to arrays.

    Args:
        names: Names that may be entities, sorted by key.
        rows: Rows that `read_passages` returned.
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
    """Return a map from the entities that a passage mentions to the sentences that mention them.

    Args:
        mentions: The entity of each mention, the extractor that found it, and its sentences.
        by_triples: True if OpenIE triples were extracted from the passage. Then only names in triples count. Otherwise,
            entities that only the dictionary found do not count.
    """
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
    """Drop each name that occurs in no fact and in only one passage, because it does not count as an entity."""
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
