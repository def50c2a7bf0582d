"""Determines which facts an answer cites, and recalls remembered answers to similar questions.

The process caches the vectors of all remembered questions and reads new ones when needed. The memory has its own
version number, so that remembering an answer invalidates no other cache. Deleted questions are noticed when they are
looked up.
"""

from __future__ import annotations

import datetime
import json
import math
import re
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from overstory.answer import Answer, without_citations
from overstory.display import on_one_line
from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.graph.ids import content_id
from overstory.protocols import Vectors
from overstory.retrieve.hits import best_of
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.questions.asked_words import AskedWords
from overstory.text.sentences import sentence_at
from overstory.vectors.packed import unpacked
from overstory_systems.apr.codebook import CodebookEdge, RecalledAnswer, RelatedQuestion, memory_id, no_vectors


def quote(text: str, starts: Sequence[int], number: int) -> str:
    """Return a sentence on one line, given its number and the start offsets of all sentences; "" for -1."""
    return on_one_line(sentence_at(text, starts or [0], number)) if number >= 0 else ""


_LEAST_CITED_WORD_SHARE = 0.5
"""Minimum fraction of the words of a head or tail that the answer or the question must contain."""
MOST_CITED_FACTS = 20
"""Maximum number of facts that an answer can cite."""

_REFUSAL = re.compile(
    r"\b(?:do(?:es)?|did)(?: not|n['’]t) (?:\w+ )?"
    r"(?:mention|say|state|contain|provide|specify|answer|include|tell|give|indicate|know)\b"
    r"|\b(?:can ?not|can['’]t|could not|couldn['’]t|unable to|not able to) (?:\w+ )?"
    r"(?:answer|determine|find|tell|say|help|assist|provide|confirm|identify)\b"
    r"|\bnot (?:in the (?:evidence|passages|documents)|mentioned|stated|specified|provided|enough information)\b"
    r"|\bno (?:information|mention|evidence|answer)\b|\binsufficient\b|\bas an ai\b"
    r"|^\W*(?:i['’]?m sorry|i am sorry|sorry|i apologi[sz]e|unknown|n/a)\b",
    re.IGNORECASE,
)


class CitedFact(NamedTuple):
    """A fact in the words in which it was read, and the ids of its edge and of the chunk that states it."""

    edge: str
    chunk: str
    head: str
    relation: str
    tail: str


def citations_of(facts: Iterable[CitedFact]) -> str:
    """Serialize facts for the property `citations` of a remembered answer."""
    return json.dumps([list(fact) for fact in facts], ensure_ascii=False)


def read_citations(citations: str) -> tuple[CitedFact, ...]:
    """Parse facts that were serialized by `citations_of`."""
    return tuple(CitedFact(*fact) for fact in json.loads(citations))


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact that a passage states.

    Attributes:
        sentence: The sentence that states the fact, on one line; "" if unknown.
        ends: Ids of the head and tail.
        vector: float32[d], vector of the edge.
    """

    fact: CitedFact
    sentence: str
    ends: tuple[str, str]
    vector: Vectors


def why_not(answer: Answer) -> str:
    """Return the reason why an answer can never be remembered, "" if it can."""
    if not answer.answered:
        return "there is no answer"
    if not answer.citations:
        return "it cites no passage"
    if answer.kind == "llm" and _REFUSAL.search(answer.text):
        return "it says that the answer is not known"
    return ""


def short_of(answer: Answer) -> str:
    """Return the short answer or, for an extractive answer, its sentences, because their names are only guesses."""
    return answer.short if answer.kind == "llm" else " ".join(without_citations(answer.text).split())


def cited_facts(answer: Answer, stated: Sequence[StatedFact]) -> list[StatedFact]:
    """Return those facts in `stated` that an answer cites, in order, at most `MOST_CITED_FACTS`.

    A fact is returned once per chunk. An extractive answer cites the facts of the sentences that it quotes. For an
    answer by a language model, the answer or the question must contain `_LEAST_CITED_WORD_SHARE` of the words of the
    fact's head and tail. Additionally, the answer must contain a word of the fact that the question lacks, name the
    head or tail, or only agree ("yes").
    """
    found: dict[tuple[str, str], StatedFact] = {}
    quoted = _quoted(answer)
    answer_words = _AnswerWords(answer.question, without_citations(answer.text))
    for each in stated:
        if each.sentence and answer.kind == "extractive":
            cited = any(each.sentence in line or line in each.sentence for line in quoted.get(each.fact.chunk, ()))
        else:
            cited = answer_words.states(each.fact)
        if cited:
            found.setdefault((each.fact.edge, each.fact.chunk), each)
    return list(found.values())[:MOST_CITED_FACTS]


def _quoted(answer: Answer) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for citation in answer.citations:
        lines = [line for line in map(on_one_line, citation.text.splitlines()) if line]
        for passage in citation.passages:
            found.setdefault(passage.chunk_id, []).extend(lines)
    return found


class _AnswerWords:
    def __init__(self, question: str, answer: str) -> None:
        self._question = question
        self._answer = answer
        words = AskedWords.of(answer)
        content_words = [word for word in words.forms.values() if word.lower() not in FUNCTION_WORDS]
        self._agrees = not content_words
        self._new = not set(content_words) <= set(words.found_in(question))

    def states(self, fact: CitedFact) -> bool:
        """Return True if the answer states the fact, as defined in `cited_facts`."""
        ends = [AskedWords.of(text) for text in (fact.head, fact.tail) if AskedWords.of(text).forms]
        if not ends or any(
            len(words.found_in(self._answer, self._question)) < _LEAST_CITED_WORD_SHARE * len(words.forms)
            for words in ends
        ):
            return False
        if self._agrees:  # The answer is just "yes".
            return True
        if not self._new:  # The answer only repeats names from the question.
            return any(
                len(words.found_in(self._answer)) >= _LEAST_CITED_WORD_SHARE * len(words.forms) for words in ends
            )
        return any(set(words.found_in(self._answer)) - set(words.found_in(self._question)) for words in ends)


MOST_REMEMBERED_QUESTIONS = 50_000
"""Maximum number of remembered questions. With 384 dimensions, their vectors take 75 MB."""
_LEAST_RECALL_COSINE = 0.6
"""Minimum cosine of a recalled question. Twenty paraphrases of dev questions reached 0.75. For 500 other questions of
HotpotQA, the most similar question reached at most 0.58."""
_LOOKED_UP_QUESTION_SHARE = 0.1
"""Fraction of remembered questions that are looked up, rounded up (AutoPrunedRetriever paper, Section 2.4)."""
_LEAST_LOOKED_UP_QUESTIONS = 5
"""Minimum number of questions that are looked up, so that small memories can contribute."""
_SHORTLISTED_QUESTIONS = 50
"""Maximum number of questions found by symbols that are compared with the current question."""
_SPARE_QUESTIONS = 10
"""Number of additional questions looked up, in case answers were deleted or are no longer stated."""


class AnswerRecall:
    """Recalls answers to questions on one corpus. Threads can share an instance."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known = _RememberedQuestions()

    def __call__(self, tx: Transaction, corpus: Corpus, vector: Vectors, most: int) -> tuple[RecalledAnswer, ...]:
        """Return answers to the remembered questions most similar to the current question, best first.

        Ignores questions with a cosine below `_LEAST_RECALL_COSINE`. Answers to the same question are sorted newest
        first. An answer is returned only if each cited chunk still states its fact.

        Args:
            vector: float32[d], unit vector of the current question.
            most: Maximum number of answers. It is reduced to `_LOOKED_UP_QUESTION_SHARE` of the memory, but not below
                `_LEAST_LOOKED_UP_QUESTIONS`.
        """
        known = self._up_to_date(tx, corpus)
        wanted = min(most, max(_LEAST_LOOKED_UP_QUESTIONS, math.ceil(_LOOKED_UP_QUESTION_SHARE * len(known.ids))))
        similar = known.nearest(vector, wanted + _SPARE_QUESTIONS)
        return self._answers(tx, corpus, similar)[:wanted]

    def by_symbols(
        self, tx: Transaction, corpus: Corpus, vector: Vectors, symbols: Mapping[str, float]
    ) -> tuple[tuple[RecalledAnswer, ...], tuple[RelatedQuestion, ...]]:
        """Recall remembered questions that mention similar entities, and the answers to these questions.

        This is the coarse stage of the paper (AutoPrunedRetriever, Section 2.4), but without relations. Returns the
        `_SHORTLISTED_QUESTIONS` best questions and their answers, the most similar first.

        Args:
            vector: float32[d], unit vector of the current question.
            symbols: Cosines between entities and the question, by entity id.
        """
        known = self._up_to_date(tx, corpus)
        if not known.ids or not symbols:
            return (), ()
        (row,) = tx.run("systems/apr/memory/questions_by_symbols", corpus.label, symbols=list(symbols))
        coarse: dict[str, float] = {}
        for symbol, question in row["found"]:
            coarse[question] = max(symbols[symbol], coarse.get(question, -1.0))
        cosines = known.cosines(vector)
        found = {id_: cosines[id_] for id_ in best_of(coarse, _SHORTLISTED_QUESTIONS) if id_ in cosines}
        return self._answers(tx, corpus, found), self._related(tx, corpus, found)

    def _answers(self, tx: Transaction, corpus: Corpus, similar: Mapping[str, float]) -> tuple[RecalledAnswer, ...]:
        """Return answers to the given questions (ids with cosines), those to the most similar question first."""
        if not similar:
            return ()
        rows = tx.run("systems/apr/memory/recall", corpus.label, questions=list(similar))
        self._forget(similar.keys() - {row["question"] for row in rows})
        found = [recalled for row in rows if (recalled := _recalled(row, similar[row["question"]])) is not None]
        found.sort(key=lambda each: each.id)
        found.sort(key=lambda each: each.asked, reverse=True)
        found.sort(key=lambda each: each.similarity, reverse=True)
        best = {each.id: each for each in reversed(found)}  # Keep each answer once, for its most similar question.
        return tuple(each for each in found if best[each.id] is each)

    def related(self, tx: Transaction, corpus: Corpus, vector: Vectors, most: int) -> tuple[RelatedQuestion, ...]:
        """Return the remembered questions most similar to the current question, with their triples, best first.

        Ignores questions with a cosine below `_LEAST_RECALL_COSINE`.

        Args:
            vector: float32[d], unit vector of the current question.
            most: Maximum number of questions.
        """
        return self._related(tx, corpus, self._up_to_date(tx, corpus).nearest(vector, most))

    def _related(self, tx: Transaction, corpus: Corpus, similar: Mapping[str, float]) -> tuple[RelatedQuestion, ...]:
        rows = tx.run("systems/apr/memory/related", corpus.label, questions=list(similar)) if similar else []
        self._forget(similar.keys() - {row["id"] for row in rows})
        found = {row["id"]: _related(row, similar[row["id"]], corpus.label) for row in rows}
        return tuple(found[id_] for id_ in similar if id_ in found)

    def _up_to_date(self, tx: Transaction, corpus: Corpus) -> _RememberedQuestions:
        rows = tx.run("systems/apr/memory/state", corpus.label, memory=memory_id(corpus.label))
        if not rows or rows[0]["embedder"] != corpus.embedder:  # The next index build embeds the questions again.
            return _RememberedQuestions()
        of, version = (corpus.created, corpus.embedder, rows[0]["since"]), rows[0]["version"]
        with self._lock:
            known = self._known
        if known.of == of and known.version == version:
            return known
        if known.of != of or known.version > version:
            known = _RememberedQuestions(of)
        (new,) = tx.run("systems/apr/memory/questions_after", corpus.label, after=known.version)
        known = known.with_more(dict(new["questions"]), version)
        with self._lock:
            self._known = known
        return known

    def _forget(self, ids: Collection[str]) -> None:
        """Drop questions that have no answer any more. If such a question is asked again, it is read again."""
        if ids:
            with self._lock:
                self._known = self._known.without(ids)


@dataclass(frozen=True, slots=True)
class _RememberedQuestions:
    """The remembered questions of a corpus at one version of its memory."""

    of: tuple[datetime.datetime, str, str] | None = None  # creation of the corpus, embedder, creation of the memory
    version: int = -1
    ids: tuple[str, ...] = ()  # sorted
    vectors: Vectors = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))  # (questions, d)

    def nearest(self, vector: Vectors, most: int) -> dict[str, float]:
        """Return the ids and cosines of the `most` most similar questions, best first, ties by id.

        Ignores questions with a cosine below `_LEAST_RECALL_COSINE`.
        """
        if not self.ids:
            return {}
        cosines = self.vectors @ vector
        order = np.lexsort((np.arange(len(self.ids)), -cosines))[:most]
        return {self.ids[at]: float(cosines[at]) for at in order if cosines[at] >= _LEAST_RECALL_COSINE}

    def cosines(self, vector: Vectors) -> dict[str, float]:
        return dict(zip(self.ids, (self.vectors @ vector).tolist(), strict=True))

    def with_more(self, new: Mapping[str, bytes], version: int) -> _RememberedQuestions:
        vectors = dict(zip(self.ids, self.vectors, strict=True)) | {id_: unpacked(each) for id_, each in new.items()}
        return self._of(vectors, version)

    def without(self, ids: Collection[str]) -> _RememberedQuestions:
        kept = {id_: each for id_, each in zip(self.ids, self.vectors, strict=True) if id_ not in ids}
        return self._of(kept, self.version)

    def _of(self, vectors: Mapping[str, Vectors], version: int) -> _RememberedQuestions:
        ids = tuple(sorted(vectors))
        stacked = np.stack([vectors[id_] for id_ in ids]) if ids else np.zeros((0, 0), dtype=np.float32)
        return _RememberedQuestions(self.of, version, ids, stacked)


def _recalled(row: Row, similarity: float) -> RecalledAnswer | None:
    """Convert a row to an answer, or return None if a cited chunk no longer states its fact."""
    stated = {
        (edge, chunk): (document, CodebookEdge(edge, *words), vector)
        for edge, chunk, document, vector, *words in row["facts"]
    }
    cited: Sequence[tuple[str, str]] = [(fact.edge, fact.chunk) for fact in read_citations(row["citations"])]
    if not all(fact in stated for fact in cited):
        return None
    return RecalledAnswer(
        id=row["id"],
        question=row["asked"],
        text=row["text"],
        short=row["short"],
        kind=row["kind"],
        model=row["model"],
        asked=row["at"],
        similarity=similarity,
        edges=tuple(stated[fact][1] for fact in cited),
        chunks=tuple(chunk for _, chunk in cited),
        documents=tuple(stated[fact][0] for fact in cited),
        vectors=np.stack([unpacked(stated[fact][2]) for fact in cited]) if cited else no_vectors(),
    )


def _related(row: Row, similarity: float, label: str) -> RelatedQuestion:
    triples = [tuple(words) for words in json.loads(row["triples"])]
    ids = [content_id("apr-asked", label, *words) for words in triples]
    edges = (CodebookEdge(id_, id_, *words) for id_, words in zip(ids, triples, strict=True))
    return RelatedQuestion(row["id"], row["text"], similarity, tuple(edges))
