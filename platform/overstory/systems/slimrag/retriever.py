"""SlimRAG's retriever: entities of the question, the entities of the corpus nearest to each, their sentences."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from overstory.graph import Corpus, Transaction, schema
from overstory.graph.client import Row
from overstory.model import Evidence, Excerpt, Hit, Reason
from overstory.protocols import Vectors
from overstory.retrieve.context import RetrievalContext, hit, query_current_corpus
from overstory.retrieve.corpus_cache import VectorCache
from overstory.retrieve.dense import nearest_chunks
from overstory.retrieve.question import clean_question
from overstory.systems.slimrag.ids import slim_entity_id
from overstory.systems.slimrag.index import ENTITIES, SlimRag
from overstory.systems.slimrag.question import AskedEntities, QuestionReader
from overstory.systems.slimrag.retriever_settings import SlimRagRetrieverSettings
from overstory.systems.slimrag.scoring import HitEntity, ScoredSentence, hit_entities, scores, within
from overstory.systems.state import StaleNotes, require_state
from overstory.text.names.keys import entity_key
from overstory.vectors.packed import unpacked

DEPTH = 30
"""Entities that the index is asked for, so that the best `ENTITIES` are right: of 48,000 entities 93 % of them are, and
97 % with 50, which cost 3 ms more a question and won .004 of R@5."""
MOST_SENTENCES = 2_000
"""Sentences looked at of one entity: of a name that half of a large corpus says, these tell as little as all."""

SENTENCES_A_PAGE = 50
"""Sentences that are read at a time: enough for the context, and for the chunks that most questions ask for."""

NOTHING_MATCHED = "no entity of the question leads to a sentence: these are the passages nearest to it in meaning"


class SlimRagRetriever:
    """Ranks chunks by their best sentence; `Evidence.excerpts` is the context that the paper gives to a model.

    Source: Zhang et al. 2025, Algorithm 1, lines 11–28.
    """

    def __init__(self, system: SlimRag, context: RetrievalContext, settings: SlimRagRetrieverSettings) -> None:
        """
        Raises:
            ModelError: the spaCy pipeline is not installed.
        """
        self.name = system.name
        self._system = system
        self._context = context
        self._settings = settings
        self._questions = QuestionReader(context.extraction, decomposition=settings.decomposition)
        self._vectors = VectorCache(_sentence_vectors)
        self._entities = VectorCache(_entity_vectors)
        self._stale = StaleNotes(system)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="slimrag")

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` chunks with the best sentences.

        Raises:
            QuestionError: the question is empty.
            IndexMissing: the corpus has no index for SlimRAG.
            EmbedderMismatch, CorpusNotFound: as their names say.
        """
        text, notes = clean_question(question)
        vector = self._pool.submit(self._context.embedder.embed, [text])  # while its entities are looked for
        asked = self._questions.read(text, self._context.chat() if self._settings.decomposition else None)

        def ask(tx: Transaction, corpus: Corpus) -> Evidence:
            state = require_state(self._system, corpus)
            names = self._named(tx, corpus, asked.entities)
            asking = _Asking(tx, corpus, self._vectors, self._settings, asked, vector.result()[0], names)
            found = asking.found(k)
            excerpts = self._excerpts(asking, found)
            told = (*notes, *asked.notes, *self._stale.of(tx, corpus, state), *found.notes)
            return Evidence(question=question, retriever=self.name, hits=found.hits, notes=told, excerpts=excerpts)

        return query_current_corpus(self._context, "retrieve/slimrag", ask)

    def _named(self, tx: Transaction, corpus: Corpus, names: Sequence[str]) -> Vectors:
        """float32[len(names), d]. What the corpus calls by a name has a vector already; each other takes 3 ms."""
        vectors = self._entities.of(tx, corpus, [slim_entity_id(corpus.label, entity_key(name)) for name in names])
        unknown = [place for place, vector in enumerate(vectors) if not vector.any()]
        if unknown:
            vectors[unknown] = self._context.embedder.embed([names[place] for place in unknown])
        return vectors

    def _excerpts(self, asking: _Asking, found: _Found) -> tuple[Excerpt, ...]:
        """The best sentences as far as they fit, back in the order of their documents, the best document first."""
        rows = list(itertools.islice(asking.rows(found.sentences), self._settings.sentences))
        fitting = rows[: within([row["tokens"] for row in rows], self._settings.context_tokens)]
        first = {row["document"]: rank for rank, row in reversed(list(enumerate(fitting)))}
        fitting.sort(key=lambda row: (first[row["document"]], row["chunk_seq"], row["seq"]))
        return tuple(Excerpt(row["chunk"], row["text"]) for row in fitting)


@dataclass(frozen=True, slots=True)
class _Found:
    sentences: Sequence[ScoredSentence]
    hits: tuple[Hit, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Asking:
    """One question in its transaction.

    Attributes:
        vector: the question's.
        names: those of its entities, in the order of `asked.entities`.
        known: sentences with their texts and places, as they were read.
    """

    tx: Transaction
    corpus: Corpus
    cache: VectorCache
    settings: SlimRagRetrieverSettings
    asked: AskedEntities
    vector: Vectors
    names: Vectors
    known: dict[str, Row] = field(default_factory=dict[str, Row])

    def found(self, k: int) -> _Found:
        entities = self._entities()
        factor = hit_entities(entities)
        if not factor:
            return self._by_meaning(k)
        scored = self._scored(factor)
        names = _names_by_sentence(entities)
        capped = (
            f"{entity.name!r} is in {entity.degree:,} sentences, of which {len(entity.sentences):,} were looked at"
            for entity in entities
            if entity.degree > len(entity.sentences)
        )
        return _Found(scored, self._hits(scored, k, names), tuple(capped))

    def _entities(self) -> list[HitEntity]:
        """The corpus entities nearest to each of the question's."""
        if not len(self.names):
            return []
        rows = self.tx.run(
            "systems/slimrag/candidates",
            self.corpus.label,
            index=schema.derived_index(self.corpus.label, ENTITIES),
            vectors=self.names.tolist(),
            depth=max(DEPTH, self.settings.entities),
            nearest=self.settings.entities,
            most=MOST_SENTENCES,
        )
        return [HitEntity(**row) for row in rows]

    def _scored(self, factor: Mapping[str, float]) -> list[ScoredSentence]:
        ids = sorted(factor)
        return scores(ids, self.cache.of(self.tx, self.corpus, ids), self.vector, factor)

    def _by_meaning(self, k: int) -> _Found:
        """The chunks nearest to the question, and their sentences."""
        chunks = nearest_chunks(self.tx, self.corpus, self.vector.tolist(), max(k, self.settings.sentences))
        (row,) = self.tx.run("systems/slimrag/sentences_of", self.corpus.label, ids=[one["chunk_id"] for one in chunks])
        hits = tuple(hit(one, (Reason("dense", one["score"], "cosine similarity to the question"),)) for one in chunks)
        return _Found(self._scored(dict.fromkeys(row["sentences"], 1.0)), hits[:k], (NOTHING_MATCHED,))

    def _hits(self, scored: Sequence[ScoredSentence], k: int, names: Mapping[str, Sequence[str]]) -> tuple[Hit, ...]:
        """The chunks of the best sentences, each once."""
        best: dict[str, ScoredSentence] = {}
        for row in self.rows(scored):
            best.setdefault(row["chunk"], row["scored"])
            if len(best) == k:
                break
        rows = {row["chunk_id"]: row for row in self.tx.run("retrieve/chunks_by_id", self.corpus.label, ids=list(best))}
        return tuple(
            hit(_with_score(rows[chunk], sentence), _reasons(sentence, names))
            for chunk, sentence in best.items()
            if chunk in rows
        )

    def rows(self, scored: Sequence[ScoredSentence]) -> Iterator[Row]:
        """Sentences with their texts and places, best first, each with its score under "scored"."""
        for start in range(0, len(scored), SENTENCES_A_PAGE):
            page = {each.id: each for each in scored[start : start + SENTENCES_A_PAGE]}
            missing = [id_ for id_ in page if id_ not in self.known]
            for row in self.tx.run("systems/slimrag/texts", self.corpus.label, ids=missing) if missing else ():
                self.known[row["id"]] = row
            for id_, sentence in page.items():
                if id_ in self.known:
                    yield self.known[id_] | {"scored": sentence}


def _with_score(row: Row, sentence: ScoredSentence) -> Row:
    return row | {"score": sentence.score}


def _reasons(sentence: ScoredSentence, names: Mapping[str, Sequence[str]]) -> tuple[Reason, ...]:
    what = f"cosine {sentence.cosine:.3f} × {sentence.factor:g}, for {', '.join(names[sentence.id])}"
    return (Reason("entities", sentence.score, what),)


def _names_by_sentence(entities: Sequence[HitEntity]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for entity in entities:
        for sentence in entity.sentences:
            names.setdefault(sentence, []).append(entity.name)
    return names


def _entity_vectors(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> dict[str, Vectors]:
    (row,) = tx.run("systems/slimrag/entity_vectors", corpus.label, ids=list(ids))
    return {id_: np.asarray(vector, dtype=np.float32) for id_, vector in row["vectors"]}


def _sentence_vectors(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> dict[str, Vectors]:
    (row,) = tx.run("systems/slimrag/vectors", corpus.label, ids=list(ids))
    return {id_: unpacked(vector) for id_, vector in row["vectors"]}
