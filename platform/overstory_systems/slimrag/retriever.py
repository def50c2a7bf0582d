"""SlimRAG's retriever: finds the question's entities, the nearest entities of the corpus, and their sentences."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from overstory.errors import LlmError
from overstory.graph import Corpus, Transaction, schema
from overstory.graph.client import Row
from overstory.llm import Chat
from overstory.model import Evidence, Excerpt, Hit, Reason
from overstory.protocols import Vectors
from overstory.retrieve.context import RetrievalContext
from overstory.retrieve.hits import chunk_rows, hits_by_cosine, listed, ranked_hits, sources_of
from overstory.retrieve.question import read_question, shortened_for_parser
from overstory.retrieve.vector_search import VectorCache, derived_vectors, nearest_chunks, with_index
from overstory.settings import ExtractionSettings
from overstory.systems.state import require_state
from overstory.systems.system_retriever import SystemRetriever
from overstory.systems.vector_indexes import SCANNED
from overstory.text.coreference import references
from overstory.text.coreference.references import Reference, References
from overstory.text.names.keys import entity_key
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.readings import Reading
from overstory.text.parsing.spacy_parser import SpacyParser
from overstory.text.questions.names import mentioned
from overstory_systems.slimrag.entity_readers import entity_id
from overstory_systems.slimrag.index import ENTITIES, SlimRag, SlimRagIndexSettings, SlimRagRetrieverSettings

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token


_MOST_QUESTION_PARTS = 6


class QuestionPart(NamedTuple):
    """A sub-question, and the character ranges of the question that it consists of."""

    text: str
    pieces: tuple[tuple[int, int], ...]

    def holds(self, character: int) -> bool:
        """Return True if the sub-question includes the character at this position of the question."""
        return any(start <= character < stop for start, stop in self.pieces)


class QuestionParts(NamedTuple):
    """The sub-questions of a question (at least one), and the question's references to entities."""

    parts: tuple[QuestionPart, ...]
    references: References

    def referred_to(self, part: QuestionPart) -> list[Reference]:
        return [reference for reference in self.references.references if part.holds(reference.start)]


def question_parts(doc: Doc) -> QuestionParts:
    """Split a question into sub-questions that consist of its words. If it cannot be split, the result is the question.

    "Which is older, A or B?" becomes "Which is older, A?" and "Which is older, B?". "Who wrote the film that A
    directed?" becomes "Who wrote the film?" and "the film that A directed".
    """
    parts: list[QuestionPart] = []
    for sentence in doc.sents if doc.has_annotation("SENT_START") else ():
        found = [*_compared(sentence), *_clauses(sentence)]
        parts += found or [_part(sentence, range(sentence.start, sentence.end))]
    distinct = {part.text: part for part in reversed(parts) if part.text}
    whole = QuestionPart(doc.text.strip(), ((0, len(doc.text)),))
    return QuestionParts(
        tuple(reversed(distinct.values()))[:_MOST_QUESTION_PARTS] or (whole,), references.references(doc)
    )


def _compared(sentence: Span) -> Iterator[QuestionPart]:
    """If "or" or "and" joins two names, yield the question once for each name, without the other."""
    for second in sentence:
        first = second.head
        if second.dep_ != "conj" or first.i >= second.i or not (_is_name(first) and _is_name(second)):
            continue
        begins, ends = first.left_edge.i, second.right_edge.i
        joins = next((child.i for child in first.children if child.dep_ == "cc"), None)
        if joins is None or not begins <= first.i < joins < second.i <= ends:
            continue
        yield _without(sentence, range(joins, ends + 1))
        yield _without(sentence, range(begins, joins + 1))
        return


def _clauses(sentence: Span) -> Iterator[QuestionPart]:
    """Yield the question without its relative clauses, and each relative clause with its noun."""
    clauses = [token for token in sentence if token.dep_ == "relcl" and token.head.i < token.left_edge.i]
    inside = {i for clause in clauses for i in range(clause.left_edge.i, clause.right_edge.i + 1)}
    if not clauses or len(inside) + 2 >= len(sentence):
        return
    yield _without(sentence, inside)
    for clause in clauses:
        subject = range(clause.head.left_edge.i, clause.head.i + 1)
        yield _part(sentence, [*subject, *range(clause.left_edge.i, clause.right_edge.i + 1)])


def _is_name(token: Token) -> bool:
    return token.pos_ == "PROPN" or bool(token.ent_type_)


def _without(sentence: Span, left_out: Collection[int]) -> QuestionPart:
    return _part(sentence, [token.i for token in sentence if token.i not in left_out])


def _part(sentence: Span, kept: Collection[int]) -> QuestionPart:
    tokens = [sentence.doc[i] for i in sorted(kept)]
    words = " ".join("".join(token.text_with_ws for token in tokens).split())
    for mark in (",", "?"):
        words = words.replace(f" {mark}", mark)
    pieces = tuple((token.idx, token.idx + len(token.text)) for token in tokens)
    return QuestionPart(words.replace(",?", "?").strip(), pieces)


def united(parts: list[tuple[int, QuestionParts]]) -> QuestionParts:
    """Combine the parts of a long question that was parsed in pieces. Only the first sub-questions are kept."""
    found = [
        QuestionPart(part.text, tuple((offset + start, offset + stop) for start, stop in part.pieces))
        for offset, of_part in parts
        for part in of_part.parts
    ]
    together = references.united([(offset, part.references) for offset, part in parts])
    return QuestionParts(tuple(found[:_MOST_QUESTION_PARTS]), together)


def decoded(fields: list[Any]) -> QuestionParts:
    """Restore question parts from JSON lists."""
    parts, referred = fields
    pieces = ((text, tuple((start, stop) for start, stop in each)) for text, each in parts)
    return QuestionParts(tuple(QuestionPart(*each) for each in pieces), references.decoded(referred))


QUESTION_PARTS = Reading("overstory_systems.slimrag.retriever:QUESTION_PARTS", question_parts, united, decoded)
"""Reading that returns the sub-questions and references of a question."""


_MOST_ASKED_ENTITIES = 16
"""Maximum number of a question's entities that are searched. Each costs one search."""


@dataclass(frozen=True, slots=True)
class AskedEntities:
    """The entities that a question names.

    Attributes:
        parts: Sub-questions.
        entities: Names as first written. Those that occur in the most sub-questions come first.
    """

    parts: tuple[str, ...]
    entities: tuple[str, ...]
    notes: tuple[str, ...] = ()


class QuestionEntityReader:
    """Finds the sub-questions and entities of questions. Threads can share an instance."""

    def __init__(self, settings: ExtractionSettings, *, decomposition: bool) -> None:
        self._parser = SpacyParser(find_pipeline(settings.pipeline), QUESTION_PARTS)
        self._decomposition = decomposition

    def read(self, question: str, chat: Chat | None) -> AskedEntities:
        """Find sub-questions and entities, with the language model if there is one, otherwise by rules.

        If the model fails, the question is not split, and a note is added. Another note is added if the parser read
        only part of the question.
        """
        text, shorter = shortened_for_parser(question)
        if not self._decomposition:
            return _asked({question: self._names(text)}, shorter)
        if chat is None:
            return _asked(self._names_by_part(text), shorter)
        from overstory_systems.slimrag.model_entities import sub_questions  # pydantic is needed only with a model

        try:
            parts = sub_questions(chat, question)
        except LlmError as error:
            notes = (*shorter, f"the question was not split: {error}")
            return _asked({question: self._names(text)}, notes)
        return _asked({part: names or self._names(shortened_for_parser(part)[0]) for part, names in parts.items()})

    def _names(self, text: str) -> list[str]:
        whole = QuestionPart(text, ((0, len(text)),))
        return _named(self._parser.parse([text])[0], whole)

    def _names_by_part(self, question: str) -> dict[str, list[str]]:
        found = self._parser.parse([question])[0]
        return {part.text: _named(found, part) for part in found.parts}


def _named(found: QuestionParts, part: QuestionPart) -> list[str]:
    return mentioned(part.text, found.referred_to(part))


def _asked(names: Mapping[str, Sequence[str]], notes: tuple[str, ...] = ()) -> AskedEntities:
    """Return the entities of all parts. If there are too many, those in the most parts are kept."""
    counts: Counter[str] = Counter()
    written: dict[str, str] = {}
    for of_part in names.values():
        keys = {key: name for name in reversed(of_part) if (key := entity_key(name))}
        counts.update(keys.keys())
        written = keys | written
    common = sorted(written, key=lambda key: -counts[key])[:_MOST_ASKED_ENTITIES]
    return AskedEntities(tuple(names), tuple(written[key] for key in common), notes)


@dataclass(frozen=True, slots=True)
class HitEntity:
    """An entity of the corpus that is similar to an entity of the question.

    Attributes:
        similarity: Cosine between the two entities.
        degree: Number of sentences that refer to the entity.
        sentences: Ids of these sentences, at most `_MOST_SENTENCES_OF_AN_ENTITY`.
    """

    name: str
    similarity: float
    degree: int
    sentences: Sequence[str]


class ScoredSentence(NamedTuple):
    """A sentence with its score (cosine · factor) and both terms."""

    id: str
    score: float
    cosine: float
    factor: float


def hit_entities(entities: Iterable[HitEntity]) -> Counter[str]:
    """Count for each sentence how many of these entities it refers to."""
    return Counter(sentence for entity in entities for sentence in entity.sentences)


def scores(
    ids: Sequence[str], vectors: Vectors, question: Vectors, factor: Mapping[str, float]
) -> list[ScoredSentence]:
    """Score sentences by max(0, cosine with the question) · factor. The result is sorted by score, ties by id.

    Args:
        vectors: Shape (len(ids), d), approximately unit vectors.
        question: Shape (d,), unit vector.
    """
    if not ids:
        return []
    lengths = np.maximum(np.linalg.norm(vectors, axis=1), 1e-9)
    cosines = np.maximum(vectors @ question / lengths, 0.0)
    scored = (
        ScoredSentence(id_, cosine * factor[id_], cosine, factor[id_])
        for id_, cosine in zip(ids, cosines.tolist(), strict=True)
    )
    return sorted(scored, key=lambda sentence: (-sentence.score, sentence.id))


def within(tokens: Sequence[int], most: int) -> int:
    """Return how many sentences with these token counts fit into `most` tokens, at least one."""
    total = 0
    for number, count in enumerate(tokens):
        total += count
        if total > most and number > 0:
            return number
    return len(tokens)


_SLIMRAG_ENTITY_SEARCH_DEPTH = 30
"""Number of entities requested from the index, so that the best `settings.entities` are mostly exact: 93 % of them
among 48,000 entities. Requesting 50 gives 97 %, costs 3 ms more per question, and improves R@5 by 0.004."""
_MOST_SENTENCES_OF_AN_ENTITY = 2_000
"""Maximum number of sentences read per entity. For a name that half of a large corpus mentions, more do not help."""

_SENTENCES_A_PAGE = 50
"""Number of sentences read at once. This suffices for the context, and for the chunks of most questions."""

NO_NAME_KNOWN = "the corpus does not name {}: the nearest names were used"
NOTHING_MATCHED = "no entity of the question leads to a sentence: the passages nearest in meaning are returned"


class SlimRagRetriever(SystemRetriever[SlimRagIndexSettings, SlimRagRetrieverSettings]):
    """Ranks chunks by their best sentence. `Evidence.excerpts` is the context that the paper gives to a language model.

    Source: Zhang et al. 2025, Algorithm 1, lines 11–28.
    """

    def __init__(self, system: SlimRag, context: RetrievalContext, settings: SlimRagRetrieverSettings) -> None:
        super().__init__(system, context, settings)
        self._questions = QuestionEntityReader(context.extraction, decomposition=settings.decomposition)
        self._vectors = VectorCache(derived_vectors)
        self._entities = VectorCache(_entity_vectors)

    def retrieve(self, question: str, k: int) -> Evidence:
        read = read_question(question)
        vector = self._context.embedding(read.text)  # embeds during entity search
        asked = self._questions.read(read.text, self._context.chat() if self._settings.decomposition else None)

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            state = require_state(self._system, corpus)
            names, known = self._named(tx, corpus, asked.entities)
            index = "" if ENTITIES in state.details.get(SCANNED, ()) else schema.derived_index(corpus.label, ENTITIES)
            asking = _SentenceSearch(tx, corpus, self._vectors, self._settings, asked, vector.result(), names, index)
            found = asking.found(k)
            excerpts = self._excerpts(asking, found)
            missed = (NO_NAME_KNOWN.format(listed(asked.entities)),) if asked.entities and not known else ()
            notes = (*read.notes, *asked.notes, *self._stale.of(tx, corpus, state), *missed, *found.notes)
            sources = sources_of(excerpts, found.hits, asking.passages)
            return Evidence(question, self.name, found.hits, notes=notes, parts=excerpts, sources=sources)

        return self._query(query)

    def _named(self, tx: Transaction, corpus: Corpus, names: Sequence[str]) -> tuple[Vectors, int]:
        """Return the vectors of names, float32[len(names), d], and the number of names that occur in the corpus.

        Vectors of the corpus's names are stored. Embedding any other name takes 3 ms.
        """
        vectors = self._entities.of(tx, corpus, [entity_id(corpus.label, entity_key(name)) for name in names])
        unknown = [place for place, vector in enumerate(vectors) if not vector.any()]
        if unknown:
            vectors[unknown] = self._context.embedder.embed([names[place] for place in unknown])
        return vectors, len(names) - len(unknown)

    def _excerpts(self, asking: _SentenceSearch, found: _RankedSentences) -> tuple[Excerpt, ...]:
        """Return the best sentences that fit, in document order. The document with the best sentence comes first."""
        rows = list(itertools.islice(asking.rows(found.sentences), self._settings.sentences))
        fitting = rows[: within([row["tokens"] for row in rows], self._settings.context_tokens)]
        first = {row["document"]: rank for rank, row in reversed(list(enumerate(fitting)))}
        fitting.sort(key=lambda row: (first[row["document"]], row["chunk_seq"], row["seq"]))
        return tuple(
            Excerpt(text=row["text"], score=row["scored"].score, chunks=(row["chunk"],), documents=(row["document"],))
            for row in fitting
        )


@dataclass(frozen=True, slots=True)
class _RankedSentences:
    sentences: Sequence[ScoredSentence]
    hits: tuple[Hit, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _SentenceSearch:
    tx: Transaction
    corpus: Corpus
    cache: VectorCache
    settings: SlimRagRetrieverSettings
    asked: AskedEntities
    vector: Vectors  # vector of the question
    names: Vectors  # vectors of `asked.entities`
    index: str  # name of the vector index of entities; "" means that entities are scanned
    known: dict[str, Row] = field(default_factory=dict[str, Row])  # sentences that were read, by id
    passages: dict[str, Row] = field(default_factory=dict[str, Row])  # chunks that were read, by id

    def found(self, k: int) -> _RankedSentences:
        entities, notes = self._entities()
        factor = hit_entities(entities)
        if not factor:
            found = self._by_meaning(k)
            return replace(found, notes=(*notes, *found.notes))
        scored = self._scored(factor)
        names = _names_by_sentence(entities)
        capped = (
            f"{entity.name!r} is in {entity.degree:,} sentences, only {len(entity.sentences):,} of them were searched"
            for entity in entities
            if entity.degree > len(entity.sentences)
        )
        return _RankedSentences(scored, self._hits(scored, k, names), (*notes, *capped))

    def _entities(self) -> tuple[list[HitEntity], tuple[str, ...]]:
        if not len(self.names):
            return [], ()
        searched = with_index(
            self.tx,
            self.corpus,
            "systems/slimrag/candidates",
            index=self.index,
            depth=max(_SLIMRAG_ENTITY_SEARCH_DEPTH, self.settings.entities),
            parameters={
                "vectors": self.names.tolist(),
                "nearest": self.settings.entities,
                "most": _MOST_SENTENCES_OF_AN_ENTITY,
            },
        )
        (row,) = searched.rows
        return [HitEntity(*each) for each in row["found"]], searched.notes

    def _scored(self, factor: Mapping[str, float]) -> list[ScoredSentence]:
        ids = sorted(factor)
        return scores(ids, self.cache.of(self.tx, self.corpus, ids), self.vector, factor)

    def _by_meaning(self, k: int) -> _RankedSentences:
        nearest = nearest_chunks(self.tx, self.corpus, self.vector, max(k, self.settings.sentences))
        cosines = nearest.cosines
        (row,) = self.tx.run("systems/slimrag/sentences_of", self.corpus.label, ids=list(cosines))
        self.passages.update(chunk_rows(self.tx, self.corpus, cosines))
        hits = hits_by_cosine(self.passages, dict(itertools.islice(cosines.items(), k)))
        return _RankedSentences(
            self._scored(dict.fromkeys(row["sentences"], 1.0)), hits, (*nearest.notes, NOTHING_MATCHED)
        )

    def _hits(self, scored: Sequence[ScoredSentence], k: int, names: Mapping[str, Sequence[str]]) -> tuple[Hit, ...]:
        best: dict[str, ScoredSentence] = {}
        for row in self.rows(scored):
            best.setdefault(row["chunk"], row["scored"])
            if len(best) == k:
                break
        quoted = (row["chunk"] for row in itertools.islice(self.rows(scored), self.settings.sentences))
        self.passages.update(chunk_rows(self.tx, self.corpus, [*best, *quoted]))
        chunk_scores = {chunk: sentence.score for chunk, sentence in best.items()}
        return ranked_hits(self.passages, chunk_scores, lambda chunk: _reasons(best[chunk], names))

    def rows(self, scored: Sequence[ScoredSentence]) -> Iterator[Row]:
        """Yield sentences with texts and positions, best first. The score of each is stored under "scored"."""
        for start in range(0, len(scored), _SENTENCES_A_PAGE):
            page = {each.id: each for each in scored[start : start + _SENTENCES_A_PAGE]}
            missing = [id_ for id_ in page if id_ not in self.known]
            for row in self.tx.run("systems/slimrag/texts", self.corpus.label, ids=missing) if missing else ():
                self.known[row["id"]] = row
            for id_, sentence in page.items():
                if id_ in self.known:
                    yield self.known[id_] | {"scored": sentence}


def _reasons(sentence: ScoredSentence, names: Mapping[str, Sequence[str]]) -> tuple[Reason, ...]:
    shown = listed(names[sentence.id])
    what = f"cosine {sentence.cosine:.3f} × {sentence.factor:g}, for {shown}"
    return (Reason("entities", sentence.score, what, f"has a sentence that refers to {shown}"),)


def _names_by_sentence(entities: Sequence[HitEntity]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for entity in entities:
        for sentence in entity.sentences:
            names.setdefault(sentence, []).append(entity.name)
    return names


def _entity_vectors(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> dict[str, Vectors]:
    (row,) = tx.run("systems/slimrag/entity_vectors", corpus.label, ids=list(ids))
    return {id_: np.asarray(vector, dtype=np.float32) for id_, vector in row["vectors"]}
