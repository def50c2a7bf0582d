"""The canopy retriever: a few queries to the graph, with `scoring` between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from overstory.model import HYPERLINK, Evidence
from overstory.protocols import Vectors, cosine_spread
from overstory.retrieve.canopy import scoring
from overstory.retrieve.canopy.scoring import Candidate, DocumentLink, LinkingName, MentionWay, Scored, Seed, WeighedWay
from overstory.retrieve.canopy.shown import shown
from overstory.retrieve.canopy.stored_names import ListedChunk, QuestionNames, StoredNames, named_chunks, rare_phrases
from overstory.retrieve.context import NAMES_OUTDATED
from overstory.retrieve.hits import best_of
from overstory.retrieve.passages import CorpusPassages, PassageRetriever, Passages, SearchedQuestion
from overstory.retrieve.sections import FoundSection, nearest_passages
from overstory.text.names.tokens import idf_weight
from overstory.text.questions.asked_words import AskedWords

_CANOPY_CANDIDATES = 50
"""Candidates by meaning, and by words. On 6,761 chunks, 50 candidates lose nothing compared with all chunks, 20 lose
.01 of MuSiQue's R@5, and 10 lose .02."""

_CANOPY_OVERSAMPLING = 2
"""Depth of the vector index query per candidate. The best 50 of 100 results are nearly always correct."""

# Links between documents lead from a source p to a chunk t of the document at the other end, in either direction:
#     linked(t) = max A(p)·q·r        over the links of p's document,
# where A(p) is the activation of p (see `scoring`). q is 1 if the type or text of the link has a word of the question,
# else .75. r is below 1 if a document has m > 1 links of the same type and direction, with as many words of the
# question, because only one of them is probably meant: the document nearest to the rest of the question gets r = 1, the
# others 1/√m. Example: for "Who manages the plant?" with three MANAGES links, two get r = .58. Many links to one
# document do not reduce r. Hyperlinks are not followed, because they only suggest further reading.
_UNASKED_LINK_WEIGHT = 0.75
"""q of a link without a word of the question."""

_MOST_LINKS_OF_A_DOCUMENT = 100
"""If a document has more links, only those to documents that were already found are followed."""

_MOST_CHUNKS_OF_A_LINKED_DOCUMENT = 100
"""Maximum chunks of a linked document that was not found otherwise; larger documents are not reached."""

_MOST_REACHED_PASSAGES = 100
"""Maximum passages reached through names, per hop, that are compared with their sections: those with the best own
cosines. docs/canopy.md has the effect of this limit."""

UNFINISHED = (
    "the index has no entities yet, so none are followed until it is complete (`overstory index`, or Index on the page)"
)
BY_MEANING = "the corpus has no word or name of the question, so these passages are only the nearest by meaning"


class CanopyRetriever(PassageRetriever):
    """Ranks chunks by meaning, words and names of the question, and follows names from the best chunks to others."""

    name = "canopy"

    def found(self, passages: Passages, asked: SearchedQuestion) -> Evidence:
        vector = asked.vector  # computed while names and words are looked up
        corpora = list(passages.corpora.each(lambda one: one.corpus).values())
        chunks = sum(map(named_chunks, corpora))
        lookup = StoredNames(passages, chunks)
        names = lookup.question_names(asked.read)
        rest = vector if names.rest == names.question else self._context.embedding(names.rest)
        words = AskedWords.of(asked.read.text)
        spread = cosine_spread(self._context.embedder)
        searching = _CanopySearch(passages, lookup, chunks, names, words, vector, rest, spread)
        ranked = searching.ranked(max(_CANOPY_CANDIDATES, asked.k))
        hits, paths, sources = shown(passages, words, ranked, asked.k)
        unnamed = not all(corpus.named_by for corpus in corpora)
        on_result = (*searching.notes, *_notes(ranked, outdated=names.outdated, unnamed=unnamed))
        return Evidence(
            asked.question,
            self.name,
            passages.counted(hits),
            notes=(*asked.read.notes, *passages.notes, *on_result),
            parts=paths,
            sources=passages.counted(sources),
        )


@dataclass(slots=True)
class _CanopySearch:
    """A search for one question.

    Attributes:
        chunks: number of chunks in which names were counted.
        vector, rest: vectors of the question and of the question without its names.
        spread: spread of the embedder's cosines.
    """

    passages: Passages
    lookup: StoredNames
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
        if embedded := self.rest.done():
            asked[1] = self.rest.result()
        candidates = self._first(found, sections, asked)
        first = scoring.first_scores(candidates, spread=self.spread)
        sources = first.sources()
        activations = {chunk: first.activation(chunk) for chunk in sources}
        links_of_sources = self._links(sources)
        if not embedded:
            asked[1] = self.rest.result()
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
        second.forward.clear()  # does not improve the results of the second hop
        known = set(candidates)
        self._add_reached(candidates, second, second.gains(scoring.SECOND_HOP_WEIGHT), first.scale, asked)
        links_again = self._linked(again, scores, candidates, asked)
        newcomers = {chunk: candidate for chunk, candidate in candidates.items() if chunk not in known}
        found_all = scored | scoring.final_scores(newcomers, first, scoring.Reached(), {})
        names = self.names
        direct = scoring.direct_documents(candidates.values(), form=names.form, capital=names.capital)
        return scoring.ranking(scoring.with_second_hop(found_all, second, links_again), self.documents, direct=direct)

    def _named(self, depth: int) -> tuple[list[FoundSection], list[ListedChunk]]:
        sections, found, self.has_links, notes = self.lookup.found(self.names, depth)
        self.notes += notes
        return sections, found

    def _near(self, depth: int) -> list[ListedChunk]:
        near = self.passages.near(self.vector.result(), depth, vector_depth=_CANOPY_OVERSAMPLING * depth)
        self.notes += near.notes
        return [ListedChunk(chunk, near.documents[chunk]) for chunk in near.cosines]

    def _first(
        self, found: Sequence[ListedChunk], sections: Sequence[FoundSection], asked: Vectors
    ) -> dict[str, Candidate]:
        """Return the candidates of the first step, with their cosines."""
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
        """Follow the links of the documents of chunks; newly reached chunks are added to the candidates."""
        if not (self.has_links and activations):
            return {}
        best: dict[str, str] = {}
        for chunk in best_of(scores, len(scores)):
            best.setdefault(self.documents[chunk], chunk)
        links, notes = document_links(self.passages, list(activations), list(best))
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
        """Add the best `_MOST_REACHED_PASSAGES` chunks reached through names to the candidates; drop the others."""
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
        ids = [id_ for id_ in dict.fromkeys(found) if id_ not in candidates]
        for id_, cosine, rest in self._compared(ids, asked):
            candidates[id_] = Candidate(cosine, rest)

    def _compared(self, ids: Sequence[str], asked: Vectors) -> Iterable[tuple[str, float, float]]:
        cosines = self.passages.vectors(ids) @ asked.T
        return zip(ids, cosines[:, 0].tolist(), cosines[:, 1].tolist(), strict=True)

    def _links(self, sources: Sequence[str]) -> list[LinkingName]:
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
            vectors = self.passages.vectors([*sources, *several])  # one call, because each needs a transaction
            likeness = vectors[len(sources) :] @ vectors[: len(sources)].T
        rows = {chunk: row for row, chunk in enumerate(several)}
        of = {source: likeness[:, column] for column, source in enumerate(sources)}
        return [replace(link, nearest=_nearest(link, of, rows)) if len(link.about) > 1 else link for link in links]


def _seeds(found: Iterable[ListedChunk], names: QuestionNames, chunks: int) -> dict[str, Seed]:
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
    """Return source -> the most similar chunk about the name, by its cosine in `likeness[source][rows[chunk]]`."""
    nearest: dict[str, str] = {}
    for source, _ in link.sources:
        others = sorted(chunk for chunk, _ in link.about if chunk != source)
        if others:
            cosines = likeness[source][[rows[chunk] for chunk in others]]
            nearest[source] = others[int(np.argmax(cosines))]
    return nearest


def _notes(ranked: Sequence[Scored], *, outdated: bool, unnamed: bool) -> Iterator[str]:
    """Yield notes on the result."""
    if outdated:
        yield UNFINISHED if unnamed else NAMES_OUTDATED
    if not ranked:
        yield "nothing was found"
    elif not any(one.candidate.words or one.candidate.seed for one in ranked):
        yield BY_MEANING


class FoundLinks(NamedTuple):
    """The links of documents, and notes on documents whose links were not all followed."""

    links: list[DocumentLink]
    notes: tuple[str, ...] = ()


def document_links(passages: Passages, sources: Sequence[str], found: Sequence[str]) -> FoundLinks:
    """Read the links of the documents of chunks, in either direction, within each corpus.

    Args:
        sources: ids of the chunks.
        found: ids of documents; only links to these are followed from a document with many links.
    """
    of = passages.corpora.each_of(sources, lambda corpus, own: _corpus_links(corpus, own, found))
    for title, each in of.items():
        passages.corpora.found_in(title, (link.first for link in each.links if link.first is not None))
    links = [link for each in of.values() for link in each.links]
    return FoundLinks(links, tuple(note for each in of.values() for note in each.notes))


def _corpus_links(passages: CorpusPassages, sources: Sequence[str], found: Sequence[str]) -> FoundLinks:
    rows = passages.tx.run(
        "retrieve/canopy_links",
        passages.corpus.label,
        sources=list(sources),
        found=list(found),
        most=_MOST_LINKS_OF_A_DOCUMENT,
        most_chunks=_MOST_CHUNKS_OF_A_LINKED_DOCUMENT,
        hyperlink=HYPERLINK,
    )
    links = [DocumentLink(*each) for row in rows for each in row["links"]]
    if passages.among is not None:
        links = [link for link in links if link.document in passages.among.matching.documents]
        if passages.among.matching.restricted:  # the note would reveal the number of other documents
            return FoundLinks(links)
    many = {row["title"]: row["degree"] for row in rows if row["degree"] > _MOST_LINKS_OF_A_DOCUMENT}
    limited = "links, so only links to passages that were already found were followed"
    return FoundLinks(links, tuple(f"{title!r} has {degree:,} {limited}" for title, degree in many.items()))


def linked(
    activations: Mapping[str, float],
    reached: Mapping[DocumentLink, str],
    asked: AskedWords,
    candidates: Mapping[str, Candidate],
) -> dict[str, WeighedWay]:
    """Return chunk id -> the best link to the chunk.

    Args:
        activations: source -> activation. A source with activation 0 reaches nothing.
        reached: link -> the chunk that it leads to.
        candidates: the reached chunks with their cosines.
    """
    alike: dict[tuple[str, str, bool, int], dict[DocumentLink, str]] = {}
    for link, chunk in reached.items():
        words = len(asked.found_in(link.type.replace("_", " "), link.text))
        alike.setdefault((link.source, link.type, link.outgoing, words), {})[link] = chunk
    found: dict[str, WeighedWay] = {}
    for (source, _, _, words), chunks in alike.items():
        nearest = max(chunks.values(), key=lambda chunk: (candidates[chunk].rest, chunk))
        others = len(set(chunks.values())) ** -0.5
        for link, chunk in chunks.items():
            value = (
                activations[source] * (1.0 if words else _UNASKED_LINK_WEIGHT) * (1.0 if chunk == nearest else others)
            )
            if value > 0 and (chunk not in found or value > found[chunk].value):
                found[chunk] = WeighedWay(MentionWay(source, "", link.name, None, link=link), value)
    return found
