"""The facts that an answer cites, and remembered answers whose questions are like one that is asked now.

The vectors of all remembered questions are held in the process, and those written since are read when needed: the
memory has a version of its own, so that remembering an answer empties no other cache. What was deleted is noticed when
it is looked up.
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
    """A sentence of a passage on one line, without characters that a terminal obeys; "" for a number below 0.

    Args:
        starts: the first characters of its sentences.
    """
    return on_one_line(sentence_at(text, starts or [0], number)) if number >= 0 else ""


_LEAST_CITED_WORD_SHARE = 0.5
"""Of the words of a head or a tail, those that must be in the answer or the question."""
MOST_CITED_FACTS = 20
"""Of one answer."""

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
    """A fact and the chunk that states it; the words are those in which it was first read."""

    edge: str
    chunk: str
    head: str
    relation: str
    tail: str


def citations_of(facts: Iterable[CitedFact]) -> str:
    """Facts as the property `citations` of a remembered answer."""
    return json.dumps([list(fact) for fact in facts], ensure_ascii=False)


def read_citations(citations: str) -> tuple[CitedFact, ...]:
    """The facts of `citations_of`."""
    return tuple(CitedFact(*fact) for fact in json.loads(citations))


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact of a passage that an answer cites.

    Attributes:
        sentence: that states it, on one line; "" where that is not known.
        ends: ids of its head and its tail.
        vector: float32[d], of its edge.
    """

    fact: CitedFact
    sentence: str
    ends: tuple[str, str]
    vector: Vectors


def why_not(answer: Answer) -> str:
    """Why an answer cannot be remembered, whatever the passages state; "" if it can."""
    if not answer.answered:
        return "there is no answer"
    if not answer.citations:
        return "it cites no passage"
    if answer.kind == "llm" and _REFUSAL.search(answer.text):
        return "it says that something is not known"
    return ""


def short_of(answer: Answer) -> str:
    """The answer alone. Of an extractive one its sentences, never the guess at a name in them."""
    return answer.short if answer.kind == "llm" else " ".join(without_citations(answer.text).split())


def cited_facts(answer: Answer, stated: Sequence[StatedFact]) -> list[StatedFact]:
    """The facts that an answer cites, in the order of `stated`, each once a chunk; at most `MOST_CITED_FACTS`.

    An extractive answer cites the facts of the sentences that it quotes. A language model's cites those that it says:
    of head and tail, `_LEAST_CITED_WORD_SHARE` of the words are in the answer or the question, and the answer says
    something of the fact that the question did not; or it names one of both; or it just agrees.

    Args:
        stated: the facts of the passages that it cites.
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
        """Whether it says a fact; see `cited_facts`."""
        ends = [AskedWords.of(text) for text in (fact.head, fact.tail) if AskedWords.of(text).forms]
        if not ends or any(
            len(words.found_in(self._answer, self._question)) < _LEAST_CITED_WORD_SHARE * len(words.forms)
            for words in ends
        ):
            return False
        if self._agrees:  # "yes"
            return True
        if not self._new:  # one of the things that the question names
            return any(
                len(words.found_in(self._answer)) >= _LEAST_CITED_WORD_SHARE * len(words.forms) for words in ends
            )
        return any(set(words.found_in(self._answer)) - set(words.found_in(self._question)) for words in ends)


MOST_REMEMBERED_QUESTIONS = 50_000
"""A memory takes no more; their vectors are some 75 MB in a process that recalls, with 384 dimensions."""
_LEAST_RECALL_COSINE = 0.6
"""Least cosine of a remembered question to the one asked. Twenty paraphrases of dev questions had .75 and more; of 500
other questions of HotpotQA the one nearest to each had .58 and less."""
_LOOKED_UP_QUESTION_SHARE = 0.1
"""Of all remembered questions so many are looked up, rounded up. Source: AutoPrunedRetriever, Section 2.4."""
_LEAST_LOOKED_UP_QUESTIONS = 5
"""But so many, so that a small memory has some to offer."""
_SHORTLISTED_QUESTIONS = 50
"""Remembered questions that their symbols lead to, and are compared with the one that is asked."""
_SPARE_QUESTIONS = 10
"""Questions looked up beyond those, in place of answers that are gone or no longer stated."""


class AnswerRecall:
    """Recalls answers from one corpus; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known = _RememberedQuestions()

    def __call__(self, tx: Transaction, corpus: Corpus, vector: Vectors, most: int) -> tuple[RecalledAnswer, ...]:
        """The answers to the questions most similar to one, best first; of one question the newest first. None to a
        question that is less than `_LEAST_RECALL_COSINE`.

        An answer is given only if each fact that it cites is still stated by the chunk that it cites for it.

        Args:
            vector: float32[d], the unit vector of the question that is asked.
            most: no more; of a large memory no more than `_LOOKED_UP_QUESTION_SHARE`, of a small one
                `_LEAST_LOOKED_UP_QUESTIONS`.
        """
        known = self._up_to_date(tx, corpus)
        wanted = min(most, max(_LEAST_LOOKED_UP_QUESTIONS, math.ceil(_LOOKED_UP_QUESTION_SHARE * len(known.ids))))
        similar = known.nearest(vector, wanted + _SPARE_QUESTIONS)
        return self._answers(tx, corpus, similar)[:wanted]

    def by_symbols(
        self, tx: Transaction, corpus: Corpus, vector: Vectors, symbols: Mapping[str, float]
    ) -> tuple[tuple[RecalledAnswer, ...], tuple[RelatedQuestion, ...]]:
        """The answers that cite facts on some entities, or to questions that name one, and these questions: of the
        `_SHORTLISTED_QUESTIONS` questions whose entity is most similar, the most similar first.

        Args:
            vector: as above.
            symbols: cosines by the ids of entities.

        Source: AutoPrunedRetriever, Section 2.4: the coarse stage, which relations have no part in here.
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
        """The answers to some questions, the most similar first.

        Args:
            similar: cosines of the questions, by id.
        """
        if not similar:
            return ()
        rows = tx.run("systems/apr/memory/recall", corpus.label, questions=list(similar))
        self._forget(similar.keys() - {row["question"] for row in rows})
        found = [recalled for row in rows if (recalled := _recalled(row, similar[row["question"]])) is not None]
        found.sort(key=lambda each: each.id)
        found.sort(key=lambda each: each.asked, reverse=True)
        found.sort(key=lambda each: each.similarity, reverse=True)
        best = {each.id: each for each in reversed(found)}  # by the most similar of its questions
        return tuple(each for each in found if best[each.id] is each)

    def related(self, tx: Transaction, corpus: Corpus, vector: Vectors, most: int) -> tuple[RelatedQuestion, ...]:
        """The remembered questions most similar to one, best first, with their triples. None below
        `_LEAST_RECALL_COSINE`.

        Args:
            vector, most: as above.
        """
        return self._related(tx, corpus, self._up_to_date(tx, corpus).nearest(vector, most))

    def _related(self, tx: Transaction, corpus: Corpus, similar: Mapping[str, float]) -> tuple[RelatedQuestion, ...]:
        rows = tx.run("systems/apr/memory/related", corpus.label, questions=list(similar)) if similar else []
        self._forget(similar.keys() - {row["id"] for row in rows})
        found = {row["id"]: _related(row, similar[row["id"]], corpus.label) for row in rows}
        return tuple(found[id_] for id_ in similar if id_ in found)

    def _up_to_date(self, tx: Transaction, corpus: Corpus) -> _RememberedQuestions:
        rows = tx.run("systems/apr/memory/state", corpus.label, memory=memory_id(corpus.label))
        if not rows or rows[0]["embedder"] != corpus.embedder:  # written again when the index is brought up to date
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
        """Those that have no answer any more. A question that is asked again is read again."""
        if ids:
            with self._lock:
                self._known = self._known.without(ids)


@dataclass(frozen=True, slots=True)
class _RememberedQuestions:
    """The questions of a memory as of one version."""

    of: tuple[datetime.datetime, str, str] | None = None  # creation of the corpus, embedder, beginning of the memory
    version: int = -1
    ids: tuple[str, ...] = ()  # in order
    vectors: Vectors = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))  # (questions, d)

    def nearest(self, vector: Vectors, most: int) -> dict[str, float]:
        """The ids of the most similar questions with their cosines, best first; ties by id. None below
        `_LEAST_RECALL_COSINE`."""
        if not self.ids:
            return {}
        cosines = self.vectors @ vector
        order = np.lexsort((np.arange(len(self.ids)), -cosines))[:most]
        return {self.ids[at]: float(cosines[at]) for at in order if cosines[at] >= _LEAST_RECALL_COSINE}

    def cosines(self, vector: Vectors) -> dict[str, float]:
        """Of all questions."""
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
    """None where a chunk does not state a fact any more that the answer cites it for."""
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
