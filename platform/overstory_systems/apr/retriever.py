"""Ranks sequences of facts by a coarse and then a fine score, and ranks the passages that state them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

import numpy as np

from overstory.display import shortened
from overstory.graph import Corpus, Transaction, schema
from overstory.graph.client import Row
from overstory.model import Evidence, Excerpt, FactStatement, Hit, Reason
from overstory.protocols import Vectors
from overstory.retrieve.context import RetrievalContext
from overstory.retrieve.hits import NEAREST, best_of, chunk_rows, content, near, quoted, ranked_hits, shares, sources_of
from overstory.retrieve.question import Question, read_question, shortened_for_parser
from overstory.retrieve.vector_search import chunk_cosines, nearest_chunks
from overstory.settings import ExtractionSettings
from overstory.systems.base import System
from overstory.systems.state import require_state
from overstory.systems.system_retriever import SystemRetriever
from overstory.systems.vector_indexes import SCANNED
from overstory.text.coreference.references import PRONOUNS, REFERENCES
from overstory.text.extraction.findings import FINDINGS
from overstory.text.names.keys import entity_key, fold
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.readings import combined
from overstory.text.parsing.spacy_parser import SpacyParser
from overstory.text.questions.names import mentioned
from overstory.vectors.packed import of_unit_length
from overstory_systems.apr.candidates import (
    CandidateRun,
    CodebookVectors,
    FineScore,
    SharedSymbol,
    fine,
    links,
    read_candidates,
    read_runs,
    relevance,
    shared_names,
    shortlist,
)
from overstory_systems.apr.codebook import (
    ENTITIES,
    CodebookEdge,
    FactRun,
    RecalledAnswer,
    RelatedQuestion,
    ScoredRun,
    SymbolKind,
    Triple,
    no_vectors,
)
from overstory_systems.apr.encodings import SHARES, SHARES_WITH_TEXTS, TokenCounter
from overstory_systems.apr.prompt import build
from overstory_systems.apr.recall import AnswerRecall
from overstory_systems.apr.settings import AprIndexSettings, AprRetrieverSettings

_MOST_SEARCHED_NAMES = 16
"""Maximum number of names that are searched, including the names in triples. Each name costs one search."""
_MOST_ASKED_TRIPLES = 16  # Maximum number of the question's triples that are searched.

ASKING = frozenset({"who", "whom", "whose", "what", "which", "where", "when", "why", "how"})
_STANDS_FOR_NOTHING = ASKING | PRONOUNS.keys() | {"that", "this", "there"}

_READING = combined((FINDINGS, REFERENCES))


@dataclass(frozen=True, slots=True)
class AskedTriples:
    """The triples and names of a question.

    Attributes:
        triples: Triples in the order of the question, at most `_MOST_ASKED_TRIPLES`. A head or tail that the question
            asks for is "".
        names: Distinct names, at most `_MOST_SEARCHED_NAMES`: first those in the triples, then other names and noun
            phrases.
        notes: A note if the parser read only part of the question.
    """

    triples: tuple[Triple, ...]
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()


class QuestionTripleReader:
    """Reads triples from questions. Threads can share an instance."""

    def __init__(self, settings: ExtractionSettings) -> None:
        self._parser = SpacyParser(find_pipeline(settings.pipeline), _READING)

    def read(self, question: Question) -> AskedTriples:
        text, notes = shortened_for_parser(question.text)
        findings, references = self._parser.parse([text])[0]
        triples = asked_triples(findings.facts)[:_MOST_ASKED_TRIPLES]
        of_triples = (name for triple in triples for name in triple.ends)
        names = (*of_triples, *mentioned(text, references.references))
        return AskedTriples(tuple(triples), tuple(_distinct_names(names))[:_MOST_SEARCHED_NAMES], notes)


def asked_triples(facts: Iterable[FactStatement]) -> list[Triple]:
    """Convert the facts of a question to triples, removing question words and pronouns.

    "which band" becomes "band", and "who" becomes "". Triples that then have neither head nor tail are dropped.
    """
    triples = (Triple(_stripped(fact.subject), fact.predicate, _stripped(fact.object), fact.sentence) for fact in facts)
    return [triple for triple in triples if triple.ends]


def _stripped(text: str) -> str:
    first, _, rest = text.partition(" ")
    if not rest:
        return "" if first.casefold() in _STANDS_FOR_NOTHING else text
    return _stripped(rest) if first.casefold() in ASKING else text


def _distinct_names(names: Iterable[str]) -> Iterator[str]:
    known: set[str] = set()
    for name in names:
        key = entity_key(name)
        if key and key not in known:
            known.add(key)
            yield name


def excerpts(runs: Sequence[ScoredRun], rows: Mapping[str, Row]) -> Iterator[Excerpt]:
    """Yield the sentences that state the facts of some runs, grouped by passage. Each sentence is yielded once.

    Args:
        runs: Runs sorted by score, best first.
        rows: Rows of `retrieve/chunks_by_id`, by chunk id. Runs from a chunk without a row are skipped.
    """
    scores: dict[str, dict[int, float]] = {}
    documents: dict[str, str] = {}
    for each in runs:
        chunk = each.run.chunk
        if chunk not in rows:
            continue
        documents[chunk] = each.run.document
        sentences = _sentences(rows[chunk])
        of_chunk = scores.setdefault(chunk, {})
        for edge, place in zip(each.run.edges, each.run.sentences, strict=True):
            stated = place if 0 <= place < len(sentences) else stating(edge, sentences)
            of_chunk.setdefault(stated, each.score)
    for chunk, of_chunk in scores.items():
        sentences = _sentences(rows[chunk])
        for place in sorted(of_chunk):
            text = sentences[place].strip()
            if text:
                yield Excerpt(text=text, score=of_chunk[place], chunks=(chunk,), documents=(documents[chunk],))


def stating(edge: CodebookEdge, sentences: Sequence[str]) -> int:
    """Return the index of the sentence most likely to state an edge, for facts loaded without a sentence.

    This is the first sentence that contains head and tail. Otherwise, it is the first that contains the tail, then the
    first that contains the head, then sentence 0.
    """
    head, tail = fold(edge.head), fold(edge.tail)
    folded = [fold(sentence) for sentence in sentences]
    found = [2 * (tail in sentence) + (head in sentence) for sentence in folded]
    return max(range(len(found)), key=lambda place: (found[place], -place))


def _sentences(row: Row) -> list[str]:
    """Split a passage without its boilerplate into sentences. There is always at least one."""
    text = content(row)
    starts = [0, *(start for start in row["sentences"] if 0 < start < len(text)), len(text)]
    return [text[start:stop] for start, stop in pairwise(starts)]


_APR_NEAREST_CHUNKS = 20
"""Number of nearest passages whose runs are also candidates, unless `k` is greater."""
_LEADING_PASSAGES = 10
"""Number of best passages whose names are followed to other passages."""
_MOST_LINKED_PASSAGES = 20
"""Maximum number of passages that are added because they share a name with one of the best passages."""
_MOST_RECALLED_ANSWERS = 20
"""Maximum number of remembered answers that are considered."""
_MOST_RELATED_QUESTIONS = 5
"""Maximum number of remembered questions that are considered."""
_SAME_QUESTION_COSINE = 0.999
"""Cosine from which a remembered question counts as the current question, which would add nothing."""
_LONGEST_FACT_CHARACTERS = 120
"""Maximum number of characters of a fact in a reason."""

NOTHING_TO_READ = "no fact was selected: passages are read instead"
NO_FACTS = "facts led to fewer passages than requested: the others are the nearest in meaning"


class AprRetriever(SystemRetriever[AprIndexSettings, AprRetrieverSettings]):
    """Ranks runs (sequences of consecutive facts), and ranks each passage by its best run.

    Source: AutoPrunedRetriever paper, Sections 2.4 to 2.6 and Appendix A.3.
    """

    def __init__(
        self,
        system: System[AprIndexSettings, AprRetrieverSettings],
        context: RetrievalContext,
        settings: AprRetrieverSettings,
    ) -> None:
        super().__init__(system, context, settings)
        self._questions = QuestionTripleReader(context.extraction)
        self._vocabulary = CodebookVectors(context.embedder)
        self._recall = AnswerRecall()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="apr")

    def retrieve(self, question: str, k: int) -> Evidence:
        """Return the `k` passages with the best runs, and a prompt that contains the facts."""
        read = read_question(question)
        vector = self._pool.submit(self._context.embedder.embed, [read.text])  # runs during parsing
        asked = self._questions.read(read)

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            state = require_state(self._system, corpus)
            index = "" if ENTITIES in state.details.get(SCANNED, ()) else schema.derived_index(corpus.label, ENTITIES)
            asking = _CodebookSearch(
                tx, corpus, self._vocabulary, self._settings, asked, vector.result()[0], index, self._pool
            )
            found = asking.found(k)
            counter = TokenCounter(self._context.embedder, self._context.chat())
            runs, recalled, related = self._with_remembered(tx, corpus, asking, found)
            prompt = build(asked.triples, runs, recalled, related, self._settings, counter, read.text, asking.vector)
            unread = {chunk for part in prompt.parts for chunk in part.chunks} - found.rows.keys()
            rows = {**found.rows, **chunk_rows(tx, corpus, unread)}
            parts = (*excerpts(prompt.runs, rows), *prompt.parts)
            notes = (*read.notes, *asked.notes, *self._stale.of(tx, corpus, state), *asking.notes, *prompt.notes)
            sources = sources_of(parts, found.hits, rows)
            divided = SHARES_WITH_TEXTS if self._settings.texts else SHARES
            if not any(part.kind in divided for part in prompt.parts):
                divided = {}
                notes = (*notes, NOTHING_TO_READ)
            return Evidence(question, self.name, found.hits, notes, parts=parts, sources=sources, shares=divided)

        return self._query(query)

    def _with_remembered(
        self, tx: Transaction, corpus: Corpus, asking: _CodebookSearch, found: _RankedRuns
    ) -> tuple[Sequence[ScoredRun], Sequence[RecalledAnswer], Sequence[RelatedQuestion]]:
        settings, vector = self._settings, asking.vector
        if settings.recall != "always":
            return found.runs, (), ()
        answers = settings.answers != "none" or settings.policy
        questions = settings.questions != "none" or settings.policy
        if settings.recall_by == "symbols":
            recalled, related = self._recall.by_symbols(tx, corpus, vector, asking.symbols)
            return asking.competed(found.runs, recalled if answers else (), related if questions else ())
        return (
            found.runs,
            self._recall(tx, corpus, vector, _MOST_RECALLED_ANSWERS) if answers else (),
            self._recall.related(tx, corpus, vector, _MOST_RELATED_QUESTIONS) if questions else (),
        )


@dataclass(frozen=True, slots=True)
class _RunScore:
    """A candidate passage and the terms of its score."""

    run: CandidateRun | None  # the passage's best run
    fine: FineScore | None  # score of the best run
    cosine: float  # cosine between the passage and the question
    link: SharedSymbol | None = None  # the name through which the passage was found


@dataclass(frozen=True, slots=True)
class _RankedRuns:
    hits: tuple[Hit, ...]
    runs: tuple[ScoredRun, ...]  # sorted by score, best first
    rows: Mapping[str, Row]  # rows of the passages that were read, by id


@dataclass(slots=True)
class _CodebookSearch:
    """The search for one question in one transaction."""

    tx: Transaction
    corpus: Corpus
    vocabulary: CodebookVectors
    settings: AprRetrieverSettings
    asked: AskedTriples
    vector: Vectors  # vector of the question
    index: str  # name of the vector index of entities; "" means that entities are scanned
    pool: Executor  # thread pool that runs the embedder
    notes: list[str] = field(default_factory=list[str])
    # Candidate runs by id, with their scores and the vectors of their edges:
    known: dict[str, tuple[CandidateRun, FineScore, Vectors]] = field(
        default_factory=dict[str, "tuple[CandidateRun, FineScore, Vectors]"]
    )
    cosines: dict[str, float] = field(default_factory=dict[str, float])  # with the question, by chunk id
    lines: Vectors = field(default_factory=no_vectors)  # vectors of the question's triples, names and text
    symbols: dict[str, float] = field(default_factory=dict[str, float])  # cosines of the nearest entities, by entity id

    def found(self, k: int) -> _RankedRuns:
        texts = self._texts()
        vectors = self.vocabulary.of_texts(self.tx, self.corpus, texts, self.pool)  # embedded during the next search
        nearest = nearest_chunks(self.tx, self.corpus, self.vector, max(k, _APR_NEAREST_CHUNKS))
        names, relations, lines = self._of_question(texts, vectors.result())
        coarse = shortlist(self.tx, self.corpus, self.vocabulary, names, relations, index=self.index)
        self.lines, self.symbols = lines, coarse.symbols
        self.notes += [*coarse.notes, *nearest.notes]
        self.cosines |= nearest.cosines
        self._score(lines, coarse.runs, nearest.cosines if self.settings.passage else ())
        linked = self._linked_passages(lines) if self.settings.path else {}
        passages = self._passages(linked)
        scores = self._scores(passages)
        ranked = {id_: scores[id_] for id_ in best_of(scores, k)}
        if len(ranked) < k:
            filled = [id_ for id_ in nearest.cosines if id_ not in ranked][: k - len(ranked)]
            lowest = min(ranked.values(), default=1.0)
            ranked |= {id_: min(lowest, nearest.cosines[id_]) for id_ in filled}
            self.notes += [NO_FACTS] if filled else []
        rows = chunk_rows(self.tx, self.corpus, [*ranked, *(link.source for link in linked.values())])
        runs = self._runs(linked)
        stated = (passages[id_].run for id_ in ranked if id_ in passages)
        facts = read_runs(self.tx, self.corpus, dict.fromkeys((*runs, *(run.id for run in stated if run))))
        reasons = _Reasons(self.settings, passages, scores, facts, rows)
        hits = ranked_hits(rows, ranked, lambda id_: reasons.of(id_) if id_ in passages else [near(self.cosines[id_])])
        scored = (ScoredRun(facts[id_], score, self.known[id_][2]) for id_, score in runs.items() if id_ in facts)
        return _RankedRuns(hits, tuple(scored), rows)

    def competed(
        self, runs: Sequence[ScoredRun], recalled: Sequence[RecalledAnswer], related: Sequence[RelatedQuestion]
    ) -> tuple[list[ScoredRun], list[RecalledAnswer], list[RelatedQuestion]]:
        """Return the `settings.runs` best items among runs of facts, remembered answers and remembered questions.

        All items are scored like runs. Source: AutoPrunedRetriever paper, Section 2.4, "the global TopM runs across all
        queries and channels".
        """
        texts = [*dict.fromkeys(text for each in related for edge in each.edges for text in _symbols(edge))]
        vectors = self.vocabulary.of_texts(self.tx, self.corpus, texts, self.pool).result()
        of_text = dict(zip(texts, vectors, strict=True))
        questions = [
            replace(each, vectors=_line_vectors([[of_text[text] for text in _symbols(edge)] for edge in each.edges]))
            for each in related
            if each.edges and each.similarity < _SAME_QUESTION_COSINE
        ]
        self._complete({chunk for each in recalled for chunk in each.chunks})
        scores = {f"run {each.run.id}": each.score for each in runs}
        remembered: list[RecalledAnswer | RelatedQuestion] = [*recalled, *questions]
        for each, score in zip(
            remembered, fine(self.lines, self.vector, [each.vectors for each in remembered]), strict=True
        ):
            chunks = each.chunks if isinstance(each, RecalledAnswer) else ()
            cosine = max((self.cosines.get(chunk, 0.0) for chunk in chunks), default=each.similarity)
            scores[f"remembered {each.id}"] = score.total + self._of_passage(cosine, None)
        best = set(best_of(scores, self.settings.runs))
        return (
            [each for each in runs if f"run {each.run.id}" in best],
            [each for each in recalled if f"remembered {each.id}" in best],
            [each for each in questions if f"remembered {each.id}" in best],
        )

    def _texts(self) -> list[tuple[SymbolKind, str]]:
        triples = self.asked.triples
        names = dict.fromkeys((*self.asked.names, *(end for each in triples for end in each.ends)))
        relations = dict.fromkeys(each.relation for each in triples)
        return [*(("entity", name) for name in names), *(("relation", relation) for relation in relations)]

    def _of_question(
        self, texts: Sequence[tuple[SymbolKind, str]], vectors: Vectors
    ) -> tuple[Vectors, Vectors, Vectors]:
        names = vectors[: len(self.asked.names)]
        relations = vectors[[place for place, (kind, _) in enumerate(texts) if kind == "relation"]]
        of_triples = self._lines(self.asked.triples, dict(zip(texts, vectors, strict=True)))
        if self.settings.lines == "triples" and len(of_triples):
            return names, relations, of_triples
        return names, relations, np.concatenate([of_triples, of_unit_length(names), self.vector[None]])

    def _lines(self, triples: Sequence[Triple], vectors: Mapping[tuple[SymbolKind, str], Vectors]) -> Vectors:
        """Return one unit vector per triple, computed like edge vectors, float32[len(triples), d]."""
        lines = np.zeros((len(triples), len(self.vector)), dtype=np.float32)
        for row, triple in enumerate(triples):
            lines[row] = vectors["relation", triple.relation]
            for end in triple.ends:
                lines[row] += vectors["entity", end]
        return of_unit_length(lines)

    def _score(self, lines: Vectors, ids: Collection[str], chunks: Collection[str]) -> None:
        new = [each for each in read_candidates(self.tx, self.corpus, ids, chunks) if each.id not in self.known]
        edges = list(dict.fromkeys(edge for each in new for edge in each.edges))
        place = {edge: row for row, edge in enumerate(edges)}
        table = self.vocabulary.of_edges(self.tx, self.corpus, edges)
        vectors = [table[[place[edge] for edge in each.edges]] for each in new]
        for each, score, of_run in zip(new, fine(lines, self.vector, vectors), vectors, strict=True):
            self.known[each.id] = (each, score, of_run)
        self._complete({each.chunk for each in new})

    def _complete(self, chunks: Collection[str]) -> None:
        missing = sorted(set(chunks) - self.cosines.keys()) if self.settings.passage else []
        self.cosines |= chunk_cosines(self.tx, self.corpus, self.vector, missing)

    def _linked_passages(self, lines: Vectors) -> dict[str, SharedSymbol]:
        """Return the passages that share names with the best passages, each with its link. Also scores their runs."""
        passages = self._passages({})
        scores = self._scores(passages)
        best = best_of(scores, _LEADING_PASSAGES + 1)
        sources = relevance({id_: scores[id_] for id_ in best})
        leading = {id_: sources[id_] for id_ in best[:_LEADING_PASSAGES]}
        linked = links(leading, shared_names(self.tx, self.corpus, list(leading)))
        unknown = {id_ for id_ in linked if id_ not in passages}
        self._complete(unknown)
        promise = {
            id_: self.settings.passage * self.cosines.get(id_, 0.0) + self.settings.path * linked[id_].value
            for id_ in unknown
        }
        new = best_of(promise, _MOST_LINKED_PASSAGES)
        self._score(lines, (), new)
        return {id_: link for id_, link in linked.items() if id_ in passages or id_ in new}

    def _passages(self, linked: Mapping[str, SharedSymbol]) -> dict[str, _RunScore]:
        """Return the candidate passages. Nearby passages without facts are included if `settings.passage` is not 0."""
        best: dict[str, tuple[CandidateRun, FineScore]] = {}
        for each, score, _ in self.known.values():
            before = best.get(each.chunk)
            if before is None or (-score.total, each.id) < (-before[1].total, before[0].id):
                best[each.chunk] = (each, score)
        found = {
            id_: _RunScore(run, score, self.cosines.get(id_, 0.0), linked.get(id_))
            for id_, (run, score) in best.items()
        }
        if self.settings.passage:
            for id_, cosine in self.cosines.items():
                found.setdefault(id_, _RunScore(None, None, cosine, linked.get(id_)))
        return found

    def _scores(self, passages: Mapping[str, _RunScore]) -> dict[str, float]:
        """Score each passage. A passage without facts gets the median fact score."""
        usual = median([each.fine.total for each in passages.values() if each.fine] or [0.0])
        return {
            id_: (each.fine.total if each.fine else usual) + self._of_passage(each.cosine, each.link)
            for id_, each in passages.items()
        }

    def _of_passage(self, cosine: float, link: SharedSymbol | None) -> float:
        return self.settings.passage * cosine + self.settings.path * (link.value if link else 0.0)

    def _runs(self, linked: Mapping[str, SharedSymbol]) -> dict[str, float]:
        scores = {
            id_: score.total + self._of_passage(self.cosines.get(each.chunk, 0.0), linked.get(each.chunk))
            for id_, (each, score, _) in self.known.items()
        }
        return {id_: scores[id_] for id_ in best_of(scores, self.settings.runs)}


@dataclass(frozen=True, slots=True)
class _Reasons:
    settings: AprRetrieverSettings
    passages: Mapping[str, _RunScore]
    scores: Mapping[str, float]
    facts: Mapping[str, FactRun]  # by id of the run
    rows: Mapping[str, Row]

    def of(self, id_: str) -> Iterator[Reason]:
        """Yield the terms of a passage's score."""
        passage = self.passages[id_]
        run = self.facts.get(passage.run.id) if passage.run else None
        if passage.fine and run:
            terms = ", ".join(f"{name} {value:.3f}" for name, value in passage.fine._asdict().items())
            yield Reason("facts", passage.fine.total, terms, f"states: {_fact_lines(run)}")
        if self.settings.passage:
            plain = run is None and passage.link is None
            detail = f"{self.settings.passage:g} · cosine similarity to the question"
            yield Reason("dense", self.settings.passage * passage.cosine, detail, NEAREST if plain else "")
        if passage.link:
            clause = shares(passage.link.name, quoted(self.rows.get(passage.link.source), self.rows.get(id_)))
            value = passage.link.value
            yield Reason("path", self.settings.path * value, f"{self.settings.path:g} · relevance {value:.3f}", clause)


def _symbols(edge: CodebookEdge) -> list[tuple[SymbolKind, str]]:
    found: tuple[tuple[SymbolKind, str], ...] = (
        ("entity", edge.head),
        ("relation", edge.relation),
        ("entity", edge.tail),
    )
    return [(kind, text) for kind, text in found if text]


def _line_vectors(lines: Iterable[Sequence[Vectors]]) -> Vectors:
    """Return one unit vector per line, computed like edge vectors, float32[n, d]."""
    return of_unit_length(np.stack([np.sum(symbols, axis=0, dtype=np.float32) for symbols in lines]))


def _fact_lines(run: FactRun) -> str:
    facts = "; ".join(edge.line for edge in run.edges)
    return shortened(facts, _LONGEST_FACT_CHARACTERS)
