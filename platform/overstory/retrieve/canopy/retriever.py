"""The retriever itself: a few questions to the graph, and `scoring` between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from overstory.filters import Expression
from overstory.graph import Corpus, Transaction
from overstory.model import Evidence
from overstory.protocols import Vectors, cosine_spread
from overstory.retrieve.among import Among
from overstory.retrieve.canopy import scoring
from overstory.retrieve.canopy.held_names import WHAT, HeldNames, NamesCopy, NamesLoader, Start, read_start
from overstory.retrieve.canopy.joined_names import JoinedNames
from overstory.retrieve.canopy.linked_passages import JoinedLinkedPassages, LinkedCorpus, LinkedPassages
from overstory.retrieve.canopy.links import linked
from overstory.retrieve.canopy.matching_names import MatchingNames
from overstory.retrieve.canopy.name_lookup import ListedChunk, NameLookup
from overstory.retrieve.canopy.names import QuestionNames, named_chunks, rare_phrases
from overstory.retrieve.canopy.scoring import Candidate, LinkingName, Scored, Seed, WeighedWay
from overstory.retrieve.canopy.shown import shown
from overstory.retrieve.canopy.stored_names import StoredNames
from overstory.retrieve.context import NAMES_OUTDATED, RetrievalContext, query_current_corpus
from overstory.retrieve.corpus_cache import VectorCache
from overstory.retrieve.graph_copies import Held
from overstory.retrieve.joined_corpora import AskedCorpus, JoinedCorpora
from overstory.retrieve.question import Question, read_question
from overstory.retrieve.ranking import best_of
from overstory.retrieve.sections import FoundSection, blended_vectors, check_sections, nearest_passages
from overstory.text.names.tokens import idf_weight
from overstory.text.questions.asked_words import AskedWords

_CANOPY_CANDIDATES = 50
"""Candidates by meaning, and by words. On 6,761 chunks 50 lose nothing against looking at all, 20 lose
.01 of musique's R@5, 10 lose .02."""

_CANOPY_OVERSAMPLING = 2
"""Of the vector index: its 50 nearest of 100 are nearly always the right ones, and the last ones matter little."""

_MOST_REACHED_PASSAGES = 100
"""Passages that names lead to and that are compared with their sections, of one hop: those whose own cosines promise
most. What it changes stands in docs/canopy.md."""

UNFINISHED = (
    "the index has no names yet, and nothing is found by following them until it is complete "
    "(`overstory index`, or Index under Keep on the page)"
)
BY_MEANING = "no word and no name of the question is in the corpus: these are the nearest by meaning, near or not"


class CanopyRetriever:
    """Meaning, words and names of a question, and the passages that names in the best ones lead to: those about
    them, and others that mention them."""

    name = "canopy"

    def __init__(self, context: RetrievalContext) -> None:
        self._context = context
        self._vectors = VectorCache(blended_vectors)
        self._copy = context.copies.of(WHAT, NamesLoader)

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` best chunks."""
        asked = read_question(question)
        vector = self._context.embedding(asked.text)  # while its names and words are looked up
        depth = max(_CANOPY_CANDIDATES, k)
        ahead = self._ahead(asked, vector)
        start: Start | None = None

        def read(tx: Transaction) -> Corpus:
            nonlocal start
            start = _start(tx, self._context.corpus_name, ahead, depth) if ahead else None
            corpus = self._context.with_vectors(start.corpus) if start else self._context.corpus_with_vectors(tx)
            return check_sections(corpus)

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            passages = self._passages(tx, corpus, None)
            lookup: NameLookup
            if ahead and start and ahead.held.is_of(corpus):
                lookup = HeldNames(ahead.held.value, start)
                names, rest = ahead.names.of_state(outdated=start.outdated), ahead.rest
                return self._found(passages, lookup, names, _ReadQuestion(question, asked, vector, rest, k), [corpus])
            self._copy.current(self._context.graph, corpus)  # is brought up to date meanwhile
            lookup = StoredNames(tx, corpus)
            names = lookup.question_names(asked)
            known = ahead.rest if ahead and ahead.names.rest == names.rest else None
            rest = known or self._rest(names, vector)
            return self._found(passages, lookup, names, _ReadQuestion(question, asked, vector, rest, k), [corpus])

        return query_current_corpus(self._context, "retrieve/canopy", query, read=read)

    def retrieve_among(self, question: str, k: int, where: Expression) -> Evidence:
        """The `k` best chunks of the documents that a filter lets through; names lead through these alone."""
        asked = read_question(question)
        vector = self._context.embedding(asked.text)

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            among = self._among(tx, corpus, where)
            if not among.matching.documents:
                return Evidence(question, self.name, (), notes=(*asked.notes, *among.notes))
            lookup = MatchingNames(among)
            names = lookup.question_names(asked)
            rest = self._rest(names, vector)
            passages = self._passages(tx, corpus, among)
            return self._found(passages, lookup, names, _ReadQuestion(question, asked, vector, rest, k), [corpus])

        return query_current_corpus(self._context, "retrieve/canopy", query)

    def retrieve_joined(self, question: str, k: int, corpora: JoinedCorpora) -> Evidence:
        """The `k` best chunks of several corpora; names lead from one to another."""

        def opened(member: AskedCorpus, tx: Transaction, corpus: Corpus) -> LinkedCorpus:
            return cast("CanopyRetriever", member.plain).linked_corpus(tx, corpus, member.where)

        asked = read_question(question)
        vector = self._context.embedding(asked.text)
        joined = corpora.opened("retrieve/canopy", opened)
        of = list(joined.each(lambda one: one.corpus).values())
        passages = JoinedLinkedPassages(joined)
        lookup = JoinedNames(joined, passages, sum(map(named_chunks, of)))
        names = lookup.question_names(asked)
        rest = self._rest(names, vector)
        return self._found(passages, lookup, names, _ReadQuestion(question, asked, vector, rest, k), of)

    def linked_corpus(self, tx: Transaction, corpus: Corpus, where: Expression | None) -> LinkedCorpus:
        """The passages and names of a corpus, or those of the documents that a filter lets through."""
        return self._passages(tx, corpus, None if where is None else self._among(tx, corpus, where))

    def _passages(self, tx: Transaction, corpus: Corpus, among: Among | None) -> LinkedCorpus:
        return LinkedCorpus(tx, check_sections(corpus), among, self._vectors)

    def _among(self, tx: Transaction, corpus: Corpus, where: Expression) -> Among:
        return Among(tx, corpus, self._context.filters.of(tx, corpus, where))

    def _found(
        self,
        passages: LinkedPassages,
        lookup: NameLookup,
        names: QuestionNames,
        asked: _ReadQuestion,
        corpora: list[Corpus],
    ) -> Evidence:
        """
        Args:
            corpora: in which the passages are.
        """
        words = AskedWords.of(asked.read.text)
        spread = cosine_spread(self._context.embedder)
        chunks = sum(map(named_chunks, corpora))
        searching = _CanopySearch(passages, lookup, chunks, names, words, asked.vector, asked.rest, spread)
        ranked = searching.ranked(max(_CANOPY_CANDIDATES, asked.k))
        hits, paths, sources = shown(passages, words, ranked, asked.k)
        unnamed = not all(corpus.named_by for corpus in corpora)
        told = (*searching.notes, *_notes(ranked, outdated=names.outdated, unnamed=unnamed))
        return Evidence(
            asked.question,
            self.name,
            passages.counted(hits),
            notes=(*asked.read.notes, *passages.notes, *told),
            parts=paths,
            sources=passages.counted(sources),
        )

    def _ahead(self, asked: Question, vector: Future[Vectors]) -> _Ahead | None:
        """The names of a question in what is held of the corpus, before it is known whether that is up to date."""
        held = self._copy.latest()
        if held is None:
            return None
        names = held.value.question_names(asked)
        return _Ahead(held, names, self._rest(names, vector))

    def _rest(self, names: QuestionNames, vector: Future[Vectors]) -> Future[Vectors]:
        return vector if names.rest == names.question else self._context.embedding(names.rest)


@dataclass(frozen=True, slots=True)
class _ReadQuestion:
    """A question, as it was asked and as it is read, with future vectors of it and of it without its names."""

    question: str
    read: Question
    vector: Future[Vectors]
    rest: Future[Vectors]
    k: int


@dataclass(frozen=True, slots=True)
class _Ahead:
    """The names of a question as a copy has them, and the vector of the question without them."""

    held: Held[NamesCopy]
    names: QuestionNames
    rest: Future[Vectors]


def _start(tx: Transaction, name: str, ahead: _Ahead, depth: int) -> Start | None:
    return read_start(tx, name, ahead.names, depth, ahead.held.value.languages)


@dataclass(slots=True)
class _CanopySearch:
    """One question, with future vectors of it and of it without names.

    Attributes:
        chunks: among which names were counted.
        spread: of the embedder's cosines.
    """

    passages: LinkedPassages
    lookup: NameLookup
    chunks: int
    names: QuestionNames
    words: AskedWords
    vector: Future[Vectors]
    rest: Future[Vectors]
    spread: float
    notes: list[str] = field(default_factory=list[str])
    documents: dict[str, str] = field(default_factory=dict[str, str])
    has_links: bool = False

    def ranked(self, depth: int) -> list[Scored]:
        sections, named = self._named(depth)
        found = [*named, *self._near(depth)]
        self.documents |= {each.chunk: each.document for each in found}
        vector = self.vector.result()
        asked = np.zeros((2, len(vector)), dtype=np.float32)
        asked[0] = vector
        if embedded := self.rest.done():  # where the names were known before
            asked[1] = self.rest.result()
        candidates = self._first(found, sections, asked)
        first = scoring.first_scores(candidates, spread=self.spread)
        sources = first.sources()
        activations = {chunk: first.activation(chunk) for chunk in sources}
        links_of_sources = self._links(sources)
        if not embedded:
            asked[1] = self.rest.result()  # which was embedded meanwhile
            for id_, cosine, rest in self._compared(list(candidates), asked):
                candidate = candidates[id_]
                candidates[id_] = Candidate(cosine, rest, candidate.words, candidate.seed)
        reached = scoring.reached(activations, links_of_sources, self.names.words, self.documents)
        self._add_reached(candidates, reached, reached.gains(), first.scale, asked)
        links = self._linked(activations, first.scores, candidates, asked)
        scored = scoring.final_scores(candidates, first, reached, links)
        scores = {chunk: one.score for chunk, one in scored.items()}
        again = scoring.second_sources(scored, scores, sources)
        second = scoring.reached(again, self._links(list(again)), self.names.words, self.documents)
        second.forward.clear()  # brings nothing the second time
        known = set(candidates)
        self._add_reached(candidates, second, second.gains(scoring.SECOND_HOP_WEIGHT), first.scale, asked)
        links_again = self._linked(again, scores, candidates, asked)
        newcomers = {chunk: candidate for chunk, candidate in candidates.items() if chunk not in known}
        found_all = scored | scoring.final_scores(newcomers, first, scoring.Reached(), {})
        names = self.names
        direct = scoring.direct_documents(candidates.values(), form=names.form, capital=names.capital)
        return scoring.ranking(scoring.with_second_hop(found_all, second, links_again), self.documents, direct=direct)

    def _named(self, depth: int) -> tuple[list[FoundSection], list[ListedChunk]]:
        """The sections found by words, and the chunks by the names of the question."""
        sections, found, self.has_links = self.lookup.found(self.names, depth)
        return sections, found

    def _near(self, depth: int) -> list[ListedChunk]:
        """The chunks found by meaning."""
        near = self.passages.near(self.vector.result(), depth, vector_depth=_CANOPY_OVERSAMPLING * depth)
        self.notes += near.notes
        return [ListedChunk(chunk, near.documents[chunk]) for chunk in near.cosines]

    def _first(
        self, found: Sequence[ListedChunk], sections: Sequence[FoundSection], asked: Vectors
    ) -> dict[str, Candidate]:
        """The chunks found, with their cosines to the question, and to the rest if that is known."""
        seeds = _seeds(found, self.names, self.chunks)
        words = {id_: section.words for section in sections for id_ in section.chunks}
        ids = list(dict.fromkeys(each.chunk for each in found if each.phrase is None or each.chunk in seeds))
        every = list(dict.fromkeys([*ids, *words]))
        compared = {id_: (cosine, rest) for id_, cosine, rest in self._compared(every, asked)}
        nearest = list(nearest_passages(sections, {id_: cosine for id_, (cosine, _) in compared.items()}))
        self.documents |= {id_: section.document for id_, section in nearest}
        return {
            id_: Candidate(*compared[id_], words.get(id_, 0.0), seeds.get(id_))
            for id_ in dict.fromkeys([*ids, *(id_ for id_, _ in nearest)])
        }

    def _linked(
        self,
        activations: Mapping[str, float],
        scores: Mapping[str, float],
        candidates: dict[str, Candidate],
        asked: Vectors,
    ) -> dict[str, WeighedWay]:
        """Where links between documents lead from these chunks; adds what was only reached so to the candidates.

        Args:
            scores: of all candidates; of a document that has some, a link leads to the best.
        """
        if not (self.has_links and activations):
            return {}
        best: dict[str, str] = {}
        for chunk in best_of(scores, len(scores)):
            best.setdefault(self.documents[chunk], chunk)
        links, notes = self.passages.document_links(list(activations), list(best))
        self.notes += [note for note in notes if note not in self.notes]
        ends = {link: best.get(link.document, link.first) for link in links}
        reached = {link: end for link, end in ends.items() if end is not None}
        self.documents |= {found: link.document for link, found in reached.items()}
        self._add(candidates, reached.values(), asked)
        return linked(activations, reached, self.words, candidates)

    def _add_reached(
        self,
        candidates: dict[str, Candidate],
        reached: scoring.Reached,
        gains: Mapping[str, float],
        scale: float,
        asked: Vectors,
    ) -> None:
        """Adds chunks that names led to, the `_MOST_REACHED_PASSAGES` best by their own cosines; forgets the others.

        Args:
            gains: of all chunks that were reached.
            scale: of first scores.
        """
        gains = {id_: gain for id_, gain in gains.items() if id_ not in candidates}
        if len(gains) > _MOST_REACHED_PASSAGES:
            weights = np.array([1 / scale, scoring.REST_WEIGHT], dtype=np.float32)
            itself = (self.passages.own_cosines(list(gains), asked) @ weights).tolist()
            promised = {id_: gain + score for (id_, gain), score in zip(gains.items(), itself, strict=True)}
            kept = best_of(promised, _MOST_REACHED_PASSAGES)
            reached.leave_out(gains.keys() - set(kept))
            gains = dict.fromkeys(kept, 0.0)
        self._add(candidates, gains, asked)

    def _add(self, candidates: dict[str, Candidate], found: Iterable[str], asked: Vectors) -> None:
        """Adds chunks that were only reached to the candidates."""
        ids = [id_ for id_ in dict.fromkeys(found) if id_ not in candidates]
        for id_, cosine, rest in self._compared(ids, asked):
            candidates[id_] = Candidate(cosine, rest)

    def _compared(self, ids: Sequence[str], asked: Vectors) -> Iterable[tuple[str, float, float]]:
        """Chunks with their cosines to the question and to the question without its names."""
        cosines = self.passages.vectors(ids) @ asked.T
        return zip(ids, cosines[:, 0].tolist(), cosines[:, 1].tolist(), strict=True)

    def _links(self, sources: Sequence[str]) -> list[LinkingName]:
        """The names that these chunks mention and that lead somewhere."""
        if not sources:
            return []
        led = self.lookup.links(sources, [name.key for name in self.names.known])
        self.documents |= led.documents
        links = led.links
        several = sorted({chunk for link in links if len(link.about) > 1 for chunk, _ in link.about})
        if not several:
            return links
        if len(several) > _MOST_REACHED_PASSAGES:
            likeness = self.passages.own_cosines(several, self.passages.vectors(sources))
        else:
            vectors = self.passages.vectors([*sources, *several])  # at once, as each corpus is asked in a transaction
            likeness = vectors[len(sources) :] @ vectors[: len(sources)].T
        rows = {chunk: row for row, chunk in enumerate(several)}
        of = {source: likeness[:, column] for column, source in enumerate(sources)}
        return [replace(link, nearest=_nearest(link, of, rows)) if len(link.about) > 1 else link for link in links]


def _seeds(found: Iterable[ListedChunk], names: QuestionNames, chunks: int) -> dict[str, Seed]:
    """The best seed of each chunk that has one."""
    by_key = {name.key: name for name in names.known}
    phrases: dict[str, dict[str, str]] = {}
    seeded: list[tuple[str, Seed]] = []
    for each in found:
        if each.phrase is not None:
            phrases.setdefault(each.phrase, {})[each.chunk] = each.text or ""
        elif each.key is not None:
            name = by_key[each.key]
            weight = scoring.RARE_SEED if each.weight is None else each.weight
            seeded.append((each.chunk, Seed(name.name, idf_weight(chunks, name.df) * weight)))
    seeds: dict[str, Seed] = {}
    for chunk, seed in (*seeded, *rare_phrases(names, phrases, chunks).items()):
        if seed.weight > 0 and (
            chunk not in seeds or (seed.weight, seed.name) > (seeds[chunk].weight, seeds[chunk].name)
        ):
            seeds[chunk] = seed
    return seeds


def _nearest(link: LinkingName, likeness: Mapping[str, Vectors], rows: Mapping[str, int]) -> dict[str, str]:
    """For each source the chunk about a name that is most like it, by the cosine of their vectors.

    Args:
        likeness: of each source, to all chunks.
        rows: of the chunks.
    """
    nearest: dict[str, str] = {}
    for source, _ in link.sources:
        others = sorted(chunk for chunk, _ in link.about if chunk != source)
        if others:
            cosines = likeness[source][[rows[chunk] for chunk in others]]
            nearest[source] = others[int(np.argmax(cosines))]
    return nearest


def _notes(ranked: Sequence[Scored], *, outdated: bool, unnamed: bool) -> Iterator[str]:
    """Notes on the result.

    Args:
        unnamed: a corpus has no names yet.
    """
    if outdated:
        yield UNFINISHED if unnamed else NAMES_OUTDATED
    if not ranked:
        yield "nothing found"
    elif not any(one.candidate.words or one.candidate.seed for one in ranked):
        yield BY_MEANING
