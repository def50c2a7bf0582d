"""The entities of the corpus that a question names, by the same name or by a similar one."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.protocols import Embedder, Vectors
from overstory.retrieve.question import Question
from overstory.retrieve.question_entities import question_entities
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import entity_key
from overstory.text.names.tokens import idf_weight
from overstory.text.questions.names import longest_unknown
from overstory_systems.serag.scoring import NamedEntity

_MOST_CHUNKS_OF_A_NAME = 5_000
"""Of one name: a name in more brings no bonus, and a note says so."""
_MOST_NAMES_OF_A_QUESTION = 16
"""Names of one question."""
_SIMILAR_NAME_COSINE = 0.85
"""τ of Eq. 12."""
_MOST_SIMILAR_NAMES = 16
"""Names that are compared with those of a question: those that share most words with one of them. A new one takes some
2 ms."""
_REMEMBERED_NAME_VECTORS = 4_096  # vectors of names that are kept in memory


@dataclass(frozen=True, slots=True)
class NamedEntities:
    """The names in a question.

    Attributes:
        entities: of the corpus.
        names: of the question, also those that the corpus does not have.
        notes: on names that were left out.
    """

    entities: Sequence[NamedEntity]
    names: Sequence[str]
    notes: tuple[str, ...] = ()

    def words(self) -> set[str]:
        """The words of all names."""
        return set().union(*map(_words, self.names))


def named_entities(tx: Transaction, corpus: Corpus, question: Question, chunks: int) -> NamedEntities:
    """Look up the entities that a question names, with how often chunks say each.

    Args:
        chunks: how many the corpus has.
    """
    named = question_entities(tx, corpus, question)
    found = named.entities[:_MOST_NAMES_OF_A_QUESTION]
    ids = [entity.id for entity in found]
    rows = {
        row["id"]: row
        for row in tx.run("systems/serag/entity_chunks", corpus.label, ids=ids, most=_MOST_CHUNKS_OF_A_NAME)
    }
    found = tuple(entity for entity in found if entity.id in rows)  # but those that were deleted meanwhile
    counts = [(entity, dict(rows[entity.id]["chunks"])) for entity in found]
    known = {entity.key for entity in found}
    merged = {question.tokens.key(match.first, match.stop) for match in named.matches if match.key in known}
    unknown = longest_unknown(question.text, question.tokens, known | merged)
    return NamedEntities(
        entities=[_named_entity(entity.name, 1.0, of_chunks, chunks) for entity, of_chunks in counts if of_chunks],
        names=[*(entity.name for entity in found), *unknown][:_MOST_NAMES_OF_A_QUESTION],
        notes=tuple(
            f"{entity.name!r} is named too often to tell passages apart, and was left out"
            for entity in found
            if rows[entity.id]["mentions"] > _MOST_CHUNKS_OF_A_NAME
        ),
    )


def similar_entities(rows: Iterable[Row], asked: NamedEntities, names: NameVectors, chunks: int) -> list[NamedEntity]:
    """The entities (`systems/serag/entities`) whose names are like one of the question's, but not the same.

    Only names that share a word with one are compared: no other was above the threshold.
    """
    own = {entity_key(name) for name in asked.names}
    words = [_words(name) for name in asked.names]
    sharing = [(max((len(_words(row["name"]) & each) for each in words), default=0), row) for row in rows]
    sharing = [(shared, row) for shared, row in sharing if shared and row["key"] not in own]
    sharing.sort(key=lambda pair: (-pair[0], len(pair[1]["name"]), pair[1]["id"]))
    compared = [row for _, row in sharing[:_MOST_SIMILAR_NAMES]]
    if not compared:
        return []
    vectors = names.of([*asked.names, *(row["name"] for row in compared)])
    similarities = (vectors[len(asked.names) :] @ vectors[: len(asked.names)].T).max(axis=1).tolist()
    return [
        _entity(row, each, chunks)
        for row, each in zip(compared, similarities, strict=True)
        if each > _SIMILAR_NAME_COSINE
    ]


class NameVectors:
    """Vectors of names, the last of them kept for the next question. Safe to share between threads."""

    def __init__(self, embedder: Embedder, *, most: int = _REMEMBERED_NAME_VECTORS) -> None:
        self._embedder = embedder
        self._most = most
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    def of(self, names: Sequence[str]) -> Vectors:
        """float32[len(names), d]."""
        with self._lock:
            found = {name: self._known[name] for name in names if name in self._known}
        missing = [name for name in dict.fromkeys(names) if name not in found]
        if missing:
            found |= dict(zip(missing, self._embedder.embed(missing), strict=True))
        with self._lock:
            for name in names:
                self._known[name] = found[name]
                self._known.move_to_end(name)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return np.stack([found[name] for name in names])


def _entity(row: Row, similarity: float, chunks: int) -> NamedEntity:
    return _named_entity(row["name"], similarity, dict(row["chunks"]), chunks)


def _named_entity(name: str, similarity: float, counts: Mapping[str, int], chunks: int) -> NamedEntity:
    return NamedEntity(name, similarity, idf_weight(chunks, len(counts)), counts)


def _words(name: str) -> set[str]:
    return set(entity_key(name).split()) - FUNCTION_WORDS
