"""Lists, deletes, exports and restores the remembered answers of a corpus."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from overstory.graph import Corpus, GraphClient, Transaction, batches
from overstory.graph.client import Row
from overstory.graph.ids import document_id
from overstory.model.memory import MemoryRestored, MemorySize, StoredAnswer, StoredFact
from overstory.protocols import Embedder
from overstory.surrogates import is_well_formed, printable
from overstory.vectors.packed import packed
from overstory_systems.apr.answer_writer import WHY_NOT, NewAnswer, Outcome, write
from overstory_systems.apr.codebook import Triple, coded, memory_id
from overstory_systems.apr.recall import MOST_CITED_FACTS, CitedFact, quote, read_citations

_STORED_ANSWERS_A_PAGE = 100
_MOST_MATCHING_ANSWERS = 10
"""Maximum number of answers that `with_ids` returns."""


class StoredMemory:
    """The remembered answers of one corpus. Implements `Memory`."""

    def __init__(
        self, graph: GraphClient, corpus: Corpus, system: str, waiting: Callable[[GraphClient, Corpus], int]
    ) -> None:
        self._graph = graph
        self._corpus = corpus
        self._system = system
        self._waiting = waiting  # returns the number of answers that are not yet written

    def size(self) -> MemorySize:
        (row,) = self._graph.run("systems/apr/memory/size", self._corpus.label, read=True)
        return MemorySize(**row, waiting=self._waiting(self._graph, self._corpus))

    def answers(self, *, like: str, limit: int) -> list[StoredAnswer]:
        rows = self._graph.run("systems/apr/memory/newest", self._corpus.label, read=True, like=like, limit=limit)
        found = {
            each.id: each
            for page in batches(_ids(rows), _STORED_ANSWERS_A_PAGE)
            for each in map(self._answer, self._rows(page))
        }
        return [found[id_] for id_ in _ids(rows) if id_ in found]

    def with_ids(self, beginnings: Sequence[str]) -> list[StoredAnswer]:
        rows = self._graph.run(
            "systems/apr/memory/with_ids",
            self._corpus.label,
            read=True,
            beginnings=list(beginnings),
            limit=_MOST_MATCHING_ANSWERS,
        )
        return sorted(map(self._answer, self._rows(_ids(rows))), key=operator.attrgetter("id"))

    def forget(self, ids: Sequence[str] | None) -> int:
        return sum(
            self._forget(page) for page in (self._pages() if ids is None else batches(ids, _STORED_ANSWERS_A_PAGE))
        )

    def records(self) -> Iterator[Mapping[str, object]]:
        """Yield the answers as records for export (`Memory.records`), skipping those that passages no longer state."""
        for page in self._pages():
            for row in sorted(self._rows(page), key=operator.itemgetter("id")):
                answer = self._answer(row)
                if answer.stated:
                    yield _record(row, answer)

    def restore(self, records: Sequence[Mapping[str, Any]], embedder: Embedder) -> MemoryRestored:
        self._corpus.check_embedder(embedder)
        given = [_given(record) for record in records]
        texts = list(dict.fromkeys(question[0] for each in given for question in each.questions))
        vectors = dict(zip(texts, packed(embedder.embed(texts)), strict=True)) if texts else {}

        def work(tx: Transaction) -> MemoryRestored:
            report = MemoryRestored()
            places = _FactPlaces.of(tx, self._corpus, given)
            for each in given:
                facts = [places.of_fact(self._corpus.label, fact) for fact in each.facts]
                missing = [found for found in facts if isinstance(found, str)]
                if missing:
                    report.leave_out(missing[0])
                    continue
                found = tuple(fact for fact in facts if not isinstance(fact, str))
                outcomes: set[Outcome] = {
                    write(tx, self._corpus, embedder.fingerprint, new) for new in each.answers(vectors, found)
                }
                _count(report, outcomes)
            return report

        return self._graph.transaction("systems/apr/memory/remember", work)

    def _forget(self, ids: Sequence[str]) -> int:
        def work(tx: Transaction) -> int:
            memory = memory_id(self._corpus.label)
            (row,) = tx.run("systems/apr/memory/forget", self._corpus.label, memory=memory, ids=list(ids))
            return int(row["forgotten"])

        return self._graph.transaction("systems/apr/memory/forget", work)

    def _pages(self) -> Iterator[list[str]]:
        for rows in self._graph.pages("systems/apr/memory/pages", self._corpus.label, size=_STORED_ANSWERS_A_PAGE):
            yield _ids(rows)

    def _rows(self, ids: Sequence[str]) -> list[Row]:
        return self._graph.run("systems/apr/memory/answers", self._corpus.label, read=True, ids=list(ids))

    def _answer(self, row: Row) -> StoredAnswer:
        chunks = {chunk: rest for chunk, *rest in row["chunks"]}
        stated = {(edge, chunk): sentence for edge, chunk, sentence in row["stated"]}
        cited = read_citations(row["citations"])
        there = (fact for fact in cited if fact.chunk in chunks)
        facts = (_fact(fact, chunks[fact.chunk], stated.get((fact.edge, fact.chunk), -1)) for fact in there)
        return StoredAnswer(
            id=row["id"],
            system=self._system,
            questions=tuple(text for text, _, _ in row["questions"]),
            text=row["text"],
            short=row["short"],
            kind=row["kind"],
            model=row["model"],
            asked=row["asked"],
            facts=tuple(facts),
            stated=row["standing"] == row["supports"] and all((fact.edge, fact.chunk) in stated for fact in cited),
        )


def _ids(rows: Sequence[Row]) -> list[str]:
    return [row["id"] for row in rows]


def _fact(fact: CitedFact, passage: Sequence[Any], sentence: int) -> StoredFact:
    text, starts, document, source, source_key, title = passage
    return StoredFact(
        head=fact.head,
        relation=fact.relation,
        tail=fact.tail,
        quote=quote(text, starts, sentence),
        chunk_id=fact.chunk,
        document_id=document,
        source=source,
        source_key=source_key,
        title=title,
    )


def _record(row: Row, answer: StoredAnswer) -> dict[str, object]:
    return {
        "questions": [
            {"text": text, "asked": asked, "triples": json.loads(triples)} for text, asked, triples in row["questions"]
        ],
        "text": answer.text,
        "short": answer.short,
        "kind": answer.kind,
        "model": answer.model,
        "asked": answer.asked,
        "facts": [
            {
                "head": fact.head,
                "relation": fact.relation,
                "tail": fact.tail,
                "run": run,
                "source": fact.source,
                "source_key": fact.source_key,
                "quote": fact.quote,
            }
            for fact, run in zip(answer.facts, row["runs"], strict=True)
        ],
    }


@dataclass(frozen=True, slots=True)
class _GivenFact:
    triple: Triple
    source: str
    source_key: str
    quote: str


@dataclass(frozen=True, slots=True)
class _Given:
    """An exported answer. Each question consists of its text, the time when it was asked, and its triples as JSON."""

    questions: tuple[tuple[str, str, str], ...]
    text: str
    short: str
    kind: str
    model: str
    facts: tuple[_GivenFact, ...]
    runs: tuple[int, ...]

    def answers(self, vectors: Mapping[str, bytes], facts: tuple[CitedFact, ...]) -> Iterator[NewAnswer]:
        """Yield one `NewAnswer` per question, the oldest question first."""
        for text, asked, triples in sorted(self.questions, key=operator.itemgetter(1, 0)):
            yield NewAnswer(
                text, vectors[text], triples, self.text, self.short, self.kind, self.model, asked, facts, self.runs
            )


def _given(record: Mapping[str, Any]) -> _Given:
    questions = [
        (_text(q["text"]), _text(q["asked"]), json.dumps(_triples(q["triples"]))) for q in _some(record["questions"])
    ]
    facts = [
        _GivenFact(
            Triple(_text(fact["head"]), _text(fact["relation"]), _text(fact["tail"])),
            _text(fact["source"]),
            _text(fact["source_key"]),
            _text(fact["quote"]),
        )
        for fact in _some(record["facts"])
    ]
    if len(facts) > MOST_CITED_FACTS:
        raise ValueError(f"an answer cites at most {MOST_CITED_FACTS} facts, this one cites {len(facts):,}")
    kind = _text(record["kind"])
    if kind not in ("llm", "extractive"):
        raise ValueError(f'kind must be "llm" or "extractive", got {kind!r:.40}')
    return _Given(
        tuple(questions),
        printable(_text(record["text"])),
        printable(_text(record["short"])),
        kind,
        _text(record["model"]),
        tuple(facts),
        tuple(_whole(fact["run"]) for fact in record["facts"]),
    )


def _some(value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise TypeError(f"expected a non-empty list, got {value!r:.40}")
    return value


def _triples(value: Any) -> list[list[str]]:
    if not isinstance(value, list) or not all(isinstance(each, list) and len(each) == 3 for each in value):
        raise TypeError(f"expected a list of triples, got {value!r:.40}")
    return [[_text(word) for word in each] for each in value]


def _text(value: Any) -> str:
    if not isinstance(value, str) or not is_well_formed(value):
        raise TypeError(f"expected a string, got {value!r:.40}")
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise TypeError(f"expected the number of a run, got {value!r:.40}")
    return value


@dataclass(frozen=True, slots=True)
class _FactPlaces:
    """The chunks and sentences of a corpus that state given facts."""

    documents: frozenset[str]  # ids of the documents that exist
    found: Mapping[tuple[str, str], Sequence[tuple[str, str]]]
    """For each (document id, edge id): the chunks that state the edge, each with its sentence, in document order."""

    @classmethod
    def of(cls, tx: Transaction, corpus: Corpus, given: Sequence[_Given]) -> _FactPlaces:
        wanted = {
            (_document(corpus.label, fact), edge)
            for each in given
            for fact in each.facts
            if (edge := _edge(corpus.label, fact))
        }
        (row,) = tx.run("systems/apr/memory/places", corpus.label, facts=[list(each) for each in sorted(wanted)])
        found: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for document, edge, chunk, _, text, starts, sentence in sorted(row["found"], key=operator.itemgetter(3, 2)):
            found.setdefault((document, edge), []).append((chunk, quote(text, starts, sentence)))
        return cls(frozenset(row["documents"]), found)

    def of_fact(self, label: str, fact: _GivenFact) -> CitedFact | str:
        """Locate a fact in this corpus, or return the reason why no passage states it.

        If several passages state the fact, the passage with the quoted sentence is used, otherwise the first passage.
        """
        document, edge = _document(label, fact), _edge(label, fact)
        if document not in self.documents:
            return "a cited document is not in this corpus"
        passages = self.found.get((document, edge), ())
        if not passages:
            return "a cited document does not state the cited fact"
        same = [chunk for chunk, quoted in passages if quoted == fact.quote]
        return CitedFact(edge, (same or [passages[0][0]])[0], fact.triple.head, fact.triple.relation, fact.triple.tail)


def _document(label: str, fact: _GivenFact) -> str:
    return document_id(label, fact.source, fact.source_key)


def _edge(label: str, fact: _GivenFact) -> str:
    return next((edge.id for edge in coded(label, [fact.triple])), "")


def _count(report: MemoryRestored, outcomes: set[Outcome]) -> None:
    if "remembered" in outcomes:
        report.restored += 1
    elif outcomes == {"known"}:
        report.known += 1
    else:
        report.leave_out(WHY_NOT[min(outcomes - {"known"})])
