"""Relations between entities, made by rules from facts and from names that share a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from overstory.display import counted
from overstory.systems.entity_graph.incidence import MOST_SENTENCES_OF_A_CHUNK, NO_PLACE, Flags, Floats, Incidence, Ints

MOST_NAMES_OF_A_SENTENCE = 20
"""A sentence with more names is a list. It hardly relates any two of them and would make thousands of pairs."""
MOST_PARTNERS_OF_AN_ENTITY = 64  # relations kept for an entity, the strongest first
_MOST_SUBJECTS_OF_A_PASSAGE = 3  # subjects of a passage that count as present in each of its sentences
MOST_CHUNKS_OF_A_RELATION = 5  # passages listed for a relation
_MOST_STATEMENTS_SEARCHED = 16  # statements of a relation searched for its passages

_BY_TRIPLE, _BY_FACT, _BY_SENTENCE, _BY_SUBJECT = range(4)
"""Source of a relation's description, best first: a triple, a fact, a sentence with both names, or with one name."""


@dataclass(frozen=True, slots=True)
class Sentences:
    """The names in each sentence, including the subjects of its passage, in order of sentence, then entity.

    Attributes:
        sentence: Shape (m,), chunk · MOST_SENTENCES_OF_A_CHUNK + sentence.
        entity: Shape (m,).
        stated: Shape (m,), 1 if the sentence contains the name, 0 if the name is only a subject of the passage.
        names: Shape (m,), number of names in the sentence.
    """

    sentence: Ints
    entity: Ints
    stated: Ints
    names: Ints


@dataclass(frozen=True, slots=True)
class Related:
    """Related pairs of entities, in order.

    Attributes:
        source, target: Shape (r,), source < target.
        weight: Shape (r,).
        sentence: Shape (r,), sentence of the description: chunk · MOST_SENTENCES_OF_A_CHUNK + sentence, with sentence 0
            for OpenIE triples.
        position: Shape (r,), position of the OpenIE triple in the first of `chunks`, else `NO_PLACE`.
        implied: Shape (r,), True if the sentence contains one name and its passage is about the other.
        chunks: Up to MOST_CHUNKS_OF_A_RELATION passages per relation, that of the description first.
        crowded: Number of sentences with too many names.
        dropped: Number of relations that are not among the strongest of either entity.
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
    """Return the names in each sentence, including those that its passage is about."""
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

    Each statement of a fact adds 1, and a sentence with n names adds 1 / (n − 1) to each pair of them (Newman 2001).
    The sum is divided by 1 + ⌊log₂ df⌋ of the more frequent name, where df is its number of passages. Otherwise
    communities would form around very frequent names, and paths would lead through them. The divisor is a whole number,
    so one more passage changes few weights. A relation is kept if it is among the strongest of either entity.
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
    """Return 1 + ⌊log₂ df⌋ of each entity, with df the number of passages that mention it; 1 if df is 0."""
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
    """Return the position of each row within its group, shape (n,). Rows of a group must be adjacent."""
    if not len(group):
        return group
    begin = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    return np.arange(len(group)) - np.repeat(begin, np.diff(np.concatenate([begin, [len(group)]])))


def _all_statements(incidence: Incidence, sentences: Sentences) -> tuple[Ints, Ints, Floats, Ints, Ints, Ints, Ints]:
    """Return source, target, weight, kind, names, sentence and position of each statement that relates two."""
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
    """Return the pairs of names in all sentences with exactly `names` names."""
    rows = sentences.names == names
    entity = sentences.entity[rows].reshape(-1, names)
    stated = sentences.stated[rows].reshape(-1, names)
    one, other = np.triu_indices(names, k=1)
    where = np.repeat(sentences.sentence[rows].reshape(-1, names)[:, 0], len(one))
    times = (stated[:, one] + stated[:, other]).ravel()
    some = times > 0  # a sentence with neither name relates no two subjects of its passage
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
    """Return True for relations among the `most` strongest of either entity, shape (r,); ties by the other entity."""
    entity = np.concatenate([source, target])
    partner = np.concatenate([target, source])
    order = np.lexsort((partner, -np.concatenate([weight, weight]), entity))
    strong = np.zeros(len(entity), dtype=np.bool_)
    strong[order] = rank_within(entity[order]) < most
    return strong[: len(source)] | strong[len(source) :]


def left_out_note(dropped: int) -> str:
    """Return the note on relations that are not among the strongest."""
    left_out = counted(dropped, "relation was", "relations were")
    return f"{left_out} left out: not among the {MOST_PARTNERS_OF_AN_ENTITY} strongest of either entity"
