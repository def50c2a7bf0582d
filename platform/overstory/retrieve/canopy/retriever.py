"""The canopy retriever, which sends a few queries to the graph and computes scores with `scoring` between them."""

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
"""Number of candidates to find by meaning, and also by words. On 6,761 chunks, 50 candidates are as good as all chunks.
With 20 candidates, R@5 on MuSiQue is 0.01 lower."""

_CANOPY_OVERSAMPLING = 2
"""Number of vectors to request from the vector index per candidate. The best 50 of 100 are nearly always correct."""

# Links between documents lead from a source chunk p to a chunk t of the document at the other end, in either direction.
# The best link to t adds a score in proportion to
#     linked(t) = max A(p)·q·r        over the links of p's document to t
# where
#     A(p) is the activation of p, which `scoring` defines;
#     q    is 1 if the type or text of the link contains a word of the question, otherwise 0.75;
#     r    is 1, but lower if the question probably means a different link (see below).
# If links of the same type and direction, which contain equally many words of the question, lead from p to m different
# chunks, the question probably means only one of them. Therefore, r is 1 for the chunk that is most similar to the
# question without its names, and 1/√m for the others. Example: for "Who manages the plant?" and three MANAGES links,
# two links get r = 0.58. Hyperlinks are not followed, because they only suggest further reading.
_UNASKED_LINK_WEIGHT = 0.75
"""Weight of a link whose type and text contain no word of the question."""

_MOST_LINKS_OF_A_DOCUMENT = 100
"""If a document has more than this many links, only links to documents that were already found are followed."""

_MOST_CHUNKS_OF_A_LINKED_DOCUMENT = 100
"""A link does not reach a document with more than this many chunks, unless the document was already found otherwise."""

_MOST_REACHED_PASSAGES = 100
"""Maximum number of passages that names add to the candidates in each hop. If names reach more, the passages with the
best scores are added. These scores are computed without sections. The effect of this limit is in docs/canopy.md."""

UNFINISHED = (
    "the index has no entities yet, so none are followed until it is complete (`overstory index`, or Index on the page)"
)
BY_MEANING = "the corpus has no word or name of the question, so these passages are only the nearest by meaning"


class CanopyRetriever(PassageRetriever):
    """Ranks chunks by meaning, words and names, and follows names and links from the best chunks to other chunks."""

    name = "canopy"

    def found(self, passages: Passages, asked: SearchedQuestion) -> Evidence:
        vector = asked.vector  # another thread computes it while names and words are looked up
        corpora = list(passages.corpora.each(lambda one: one.corpus).values())
        chunks = sum(map(named_chunks, corpora))
        lookup = StoredNames(passages, chunks)
        names = lookup.question_names(asked.read)
        rest = vector if names.rest == names.question else self._context.embedding(names.rest)
        words = AskedWords.of(asked.read.text)
        spread = cosine_spread(self._context.embedder)
        searching = _CanopySearch(passages, lookup, chunks, names, words, vector, rest, spread)
        ranked = searching.ranked(max(_CANOPY_CANDIDATES, asked.k))
        hits, paths, sources = shown(passages, lookup, names, words, ranked, asked.k)
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
    """The search for one question.

    Attributes:
        chunks: number of chunks in which names were counted.
        rest: vector of the question without its names.
        spread: factor that scales the weight of BM25 to the embedder's cosines; see `protocols.cosine_spread`.
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
        second.forward.clear()  # in the second hop, chunks about a name do not improve the results
        known = set(candidates)
        self._add_reached(candidates, second, second.gains(scoring.SECOND_HOP_WEIGHT), first.scale, asked)
        links_again = self._linked(again, scores, candidates, asked)
        newcomers = {chunk: candidate for chunk, candidate in candidates.items() if chunk not in known}
        found_all = scored | scoring.final_scores(newcomers, first, scoring.Reached(), {})
        names = self.names
        direct = scoring.direct_documents(candidates.values(), first, form=names.form, clear=names.clear)
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
        """Return a map from chunk id to the chunk's features, for the chunks found by meaning, words or names.

        Args:
            asked: float32 of shape (2, d), with the vectors of the question and of the question without its names.
        """
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
        """Follow links from the sources' documents, and return a map from each chunk reached to the best link to it.

        Chunks that are not yet candidates are added to `candidates`.

        Args:
            scores: map from chunk to score. A link leads to the best chunk of a document in this map, or else to the
                document's first chunk.
        """
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
        """Add the best of the chunks reached through names to the candidates, and drop the others.

        At most `_MOST_REACHED_PASSAGES` chunks are added.

        Args:
            reached: the ways through names. Those to dropped chunks are removed.
            gains: map from chunk id to the score that the ways add.
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
            vectors = self.passages.vectors([*sources, *several])  # in one call, because each call opens a transaction
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
    """Return a map from each source to the chunk about the name that is most similar to the source.

    The cosine of a source and a chunk is `likeness[source][rows[chunk]]`.
    """
    nearest: dict[str, str] = {}
    for source, _ in link.sources:
        others = sorted(chunk for chunk, _ in link.about if chunk != source)
        if others:
            cosines = likeness[source][[rows[chunk] for chunk in others]]
            nearest[source] = others[int(np.argmax(cosines))]
    return nearest


def _notes(ranked: Sequence[Scored], *, outdated: bool, unnamed: bool) -> Iterator[str]:
    if outdated:
        yield UNFINISHED if unnamed else NAMES_OUTDATED
    if not ranked:
        yield "nothing was found"
    elif not any(one.candidate.words or one.candidate.seed for one in ranked):
        yield BY_MEANING


class FoundLinks(NamedTuple):
    """Links of documents, with a note on each document whose links were not all followed."""

    links: list[DocumentLink]
    notes: tuple[str, ...] = ()


def document_links(passages: Passages, sources: Sequence[str], found: Sequence[str]) -> FoundLinks:
    """Read the links from and to the documents of the given chunks. Links do not cross corpora.

    Args:
        found: ids of documents that were already found. If a document has many links, only those to documents in
            `found` are returned.
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
    """Return a map from chunk id to the best link to the chunk.

    Args:
        activations: map from source chunk to activation. Links from a source with activation 0 are ignored.
        reached: map from link to the chunk that the link leads to.
        candidates: map from each chunk in `reached` to its features.
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
