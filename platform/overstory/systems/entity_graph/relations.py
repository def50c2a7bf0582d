"""Relates entities by rules, using facts and sentences that contain several names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from overstory.display import counted
from overstory.systems.entity_graph.incidence import MOST_SENTENCES_OF_A_CHUNK, NO_PLACE, Flags, Floats, Incidence, Ints

MOST_NAMES_OF_A_SENTENCE = 20
"""A sentence with more names does not relate them. It is a list, which hardly relates its items and would result in
thousands of pairs."""
MOST_PARTNERS_OF_AN_ENTITY = 64  # a relation is kept if it is among this many strongest relations of either entity
_MOST_SUBJECTS_OF_A_PASSAGE = 3  # number of main subjects of a passage that count as names in each of its sentences
MOST_CHUNKS_OF_A_RELATION = 5
_MOST_STATEMENTS_SEARCHED = 16  # number of a relation's statements whose passages are considered

_BY_TRIPLE, _BY_FACT, _BY_SENTENCE, _BY_SUBJECT = range(4)
"""Kinds of statements that describe a relation, best first: an OpenIE triple, another fact, a sentence with both names,
and a sentence with one name in a passage about the other entity."""


@dataclass(frozen=True, slots=True)
class Sentences:
    """The names in each sentence, as arrays of shape (m,), sorted by sentence and then by entity.

    The main subjects of a passage count as names in each of its sentences.

    Attributes:
        sentence: Number of the sentence in the corpus: chunk · MOST_SENTENCES_OF_A_CHUNK + sentence.
        stated: 1 if the sentence contains the name, 0 if the entity is only a subject of the passage.
        names: Number of names in the sentence.
    """

    sentence: Ints
    entity: Ints
    stated: Ints
    names: Ints


@dataclass(frozen=True, slots=True)
class Related:
    """The related pairs of entities, sorted by source and target. Arrays have the shape (r,).

    Attributes:
        source, target: The two entities, with source < target.
        sentence: Number of the sentence that describes the relation: chunk · MOST_SENTENCES_OF_A_CHUNK + sentence. If
            an OpenIE triple describes the relation, the sentence is 0.
        position: Position of that OpenIE triple in the first of `chunks`; `NO_PLACE` if a sentence describes the
            relation.
        implied: True if the sentence contains the name of only one entity and its passage is about the other entity.
        chunks: Up to MOST_CHUNKS_OF_A_RELATION passages that state the relation. The passage with the description comes
            first.
        crowded: Number of sentences with too many names to relate the names to each other.
        dropped: Number of relations that were dropped because they are too weak.
    """

    source: Ints
    target: Ints
    weight: Floats
    sentence: Ints
    position: Ints
    implied: Flags
    chunks: list[tuple[int, ...]]
    crowded: int
    dropped: int


def names_of_sentences(incidence: Incidence) -> Sentences:
    """Return the names in each sentence. The main subjects of a passage count as names in each of its sentences."""
    mentions = incidence.mentions
    located = mentions.sentence != NO_PLACE
    stated = mentions.chunk[located] * MOST_SENTENCES_OF_A_CHUNK + mentions.sentence[located]
    who = mentions.entity[located]
    there = np.unique(stated)
    subject, chunk = _main_subjects(incidence)
    begin = np.searchsorted(chunk, there // MOST_SENTENCES_OF_A_CHUNK, side="left")
    count = np.searchsorted(chunk, there // MOST_SENTENCES_OF_A_CHUNK, side="right") - begin
    implied = np.repeat(there, count)
    at = np.repeat(begin - np.cumsum(count) + count, count) + np.arange(int(count.sum()))
    sentence = np.concatenate([stated, implied])
    entity = np.concatenate([who, subject[at]])
    is_stated = np.concatenate([np.ones(len(stated), dtype=np.int64), np.zeros(len(implied), dtype=np.int64)])
    order = np.lexsort((-is_stated, entity, sentence))
    sentence, entity, is_stated = sentence[order], entity[order], is_stated[order]
    first = np.ones(len(sentence), dtype=np.bool_)
    first[1:] = (sentence[1:] != sentence[:-1]) | (entity[1:] != entity[:-1])
    sentence, entity, is_stated = sentence[first], entity[first], is_stated[first]
    _, inverse, counts = np.unique(sentence, return_inverse=True, return_counts=True)
    return Sentences(sentence, entity, is_stated, counts[inverse] if len(sentence) else sentence)


def related(incidence: Incidence, sentences: Sentences, *, most_partners: int = MOST_PARTNERS_OF_AN_ENTITY) -> Related:
    """Return the pairs of entities that facts or sentences relate.

    The weight of a pair is a sum, divided by a number that depends on the more frequent of the two names:

    - Each statement of a fact adds 1. A sentence with n names adds 1 / (n − 1) to each pair of them (Newman 2001).
    - The divisor is 1 + ⌊log₂ df⌋, where df is the number of passages that mention the name. Without it, communities
      would form around very frequent names, and paths would lead through these names. Because the divisor is a whole
      number, an additional passage changes only a few weights.

    A pair is kept if it is among the `most_partners` strongest pairs of either entity.
    """
    number = len(incidence.names)
    crowded = int(np.unique(sentences.sentence[sentences.names > MOST_NAMES_OF_A_SENTENCE]).size)
    source, target, weight, kind, names, sentence, position = _all_statements(incidence, sentences)
    key = source * number + target
    order = np.lexsort((position, sentence, names, kind, key))
    key, weight = key[order], weight[order]
    if not len(key):
        none = np.zeros(0, dtype=np.int64)
        return Related(none, none, np.zeros(0), none, none, none == 0, [], crowded, 0)
    begin = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    source, target = key[begin] // number, key[begin] % number
    steps = frequency_steps(incidence)
    total = np.add.reduceat(weight, begin) / np.maximum(steps[source], steps[target])
    kept = among_strongest(source, target, total, most_partners)
    at = begin[kept]
    ends = np.concatenate([begin[1:], [len(key)]])[kept]
    sentence, position, kind = sentence[order], position[order], kind[order]
    chunk = sentence // MOST_SENTENCES_OF_A_CHUNK
    chunks = [
        tuple(dict.fromkeys(chunk[one : min(end, one + _MOST_STATEMENTS_SEARCHED)].tolist()))[
            :MOST_CHUNKS_OF_A_RELATION
        ]
        for one, end in zip(at.tolist(), ends.tolist(), strict=True)
    ]
    by_triple = kind[at] == _BY_TRIPLE
    return Related(
        source[kept],
        target[kept],
        total[kept],
        np.where(by_triple, chunk[at] * MOST_SENTENCES_OF_A_CHUNK, sentence[at]),
        np.where(by_triple, position[at], NO_PLACE),
        kind[at] == _BY_SUBJECT,
        chunks,
        crowded,
        int(len(kept) - kept.sum()),
    )


def frequency_steps(incidence: Incidence) -> Ints:
    """Return 1 + ⌊log₂ df⌋ for each entity, where df is the number of passages that mention the entity.

    The result is 1 if df is 0.
    """
    mentions = incidence.mentions
    places = np.unique(np.stack([mentions.entity, mentions.chunk]), axis=1)
    read = np.bincount(places[0], minlength=len(incidence.names))
    passages = np.maximum(read, np.array([name.passages for name in incidence.names], dtype=np.int64))
    return np.frexp(np.maximum(passages, 1))[1].astype(np.int64)


def _main_subjects(incidence: Incidence) -> tuple[Ints, Ints]:
    subjects = incidence.subjects
    order = np.lexsort((subjects.entity, -subjects.weight, subjects.chunk))
    entity, chunk = subjects.entity[order], subjects.chunk[order]
    kept = rank_within(chunk) < _MOST_SUBJECTS_OF_A_PASSAGE
    return entity[kept], chunk[kept]


def rank_within(group: Ints) -> Ints:
    """Return the position of each row within its group, counted from 0, shape (n,).

    Args:
        group: The group of each row, shape (n,). Rows in the same group must be adjacent.
    """
    if not len(group):
        return group
    begin = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    return np.arange(len(group)) - np.repeat(begin, np.diff(np.concatenate([begin, [len(group)]])))


def _all_statements(incidence: Incidence, sentences: Sentences) -> tuple[Ints, Ints, Floats, Ints, Ints, Ints, Ints]:
    """Return one array per column of a table with a row for each statement that relates two entities.

    The columns are: source, target, weight, kind, number of names, sentence and position.
    """
    facts = incidence.statements
    both = (facts.subject != NO_PLACE) & (facts.object != NO_PLACE) & (facts.subject != facts.object)
    one, other = facts.subject[both], facts.object[both]
    where = facts.chunk[both] * MOST_SENTENCES_OF_A_CHUNK + np.maximum(facts.sentence[both], 0)
    triple = facts.openie[both] == 1
    tables = [
        (
            np.minimum(one, other),
            np.maximum(one, other),
            np.ones(len(one)),
            np.where(triple, _BY_TRIPLE, _BY_FACT),
            np.where(triple, 0, _names_in(sentences, where)),
            where,
            np.where(triple, facts.position[both], NO_PLACE),
        )
    ]
    tables += [_together(sentences, names) for names in range(2, MOST_NAMES_OF_A_SENTENCE + 1)]
    columns = zip(*tables, strict=True)
    source, target, weight, kind, names, sentence, position = (np.concatenate(column) for column in columns)
    return source, target, weight, kind, names, sentence, position


def _names_in(sentences: Sentences, where: Ints) -> Ints:
    at = np.searchsorted(sentences.sentence, where)
    found = np.zeros(len(where), dtype=np.int64)
    inside = at < len(sentences.sentence)
    found[inside] = np.where(sentences.sentence[at[inside]] == where[inside], sentences.names[at[inside]], 0)
    return found


def _together(sentences: Sentences, names: int) -> tuple[Ints, Ints, Floats, Ints, Ints, Ints, Ints]:
    """Return the pairs of names in all sentences with exactly `names` names, in the form of `_all_statements`."""
    rows = sentences.names == names
    entity = sentences.entity[rows].reshape(-1, names)
    stated = sentences.stated[rows].reshape(-1, names)
    one, other = np.triu_indices(names, k=1)
    where = np.repeat(sentences.sentence[rows].reshape(-1, names)[:, 0], len(one))
    times = (stated[:, one] + stated[:, other]).ravel()
    some = times > 0  # a sentence does not relate two subjects of its passage if it contains neither name
    count = int(some.sum())
    return (
        entity[:, one].ravel()[some],
        entity[:, other].ravel()[some],
        np.full(count, 1.0 / (names - 1)),
        np.where(times[some] == 2, _BY_SENTENCE, _BY_SUBJECT),
        np.full(count, names),
        where[some],
        np.full(count, NO_PLACE),
    )


def among_strongest(source: Ints, target: Ints, weight: Floats, most: int) -> Flags:
    """Return a mask of the relations that are among the `most` strongest relations of either entity, shape (r,).

    Of equally strong relations, those with the lower-numbered other entity are preferred.
    """
    entity = np.concatenate([source, target])
    partner = np.concatenate([target, source])
    order = np.lexsort((partner, -np.concatenate([weight, weight]), entity))
    strong = np.zeros(len(entity), dtype=np.bool_)
    strong[order] = rank_within(entity[order]) < most
    return strong[: len(source)] | strong[len(source) :]


def left_out_note(dropped: int) -> str:
    """Return a note about the number of relations that were dropped because they are too weak."""
    left_out = counted(dropped, "relation was", "relations were")
    return f"{left_out} left out: not among the {MOST_PARTNERS_OF_AN_ENTITY} strongest of either entity"
