"""The retriever itself: four questions to the graph, and `scoring` between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.index.linking import specificity
from overstory.model import BridgePath, Evidence, Hit, Reason
from overstory.notebook import shortened
from overstory.protocols import Vectors
from overstory.retrieve.base import RetrievalContext, ask_as_it_is_now, hit, text_index_name
from overstory.retrieve.canopy import scoring
from overstory.retrieve.canopy.names import AskedNames, asked_names, rare_phrases
from overstory.retrieve.canopy.paths import bridge_paths
from overstory.retrieve.canopy.scoring import Candidate, Link, Place, Scored, Seed, Way
from overstory.retrieve.question import clean_question, full_text_query
from overstory.retrieve.vectors import VectorCache

DEPTH = 50
"""Chunks that are looked at by meaning, and by words. On 6,761 chunks 50 lose nothing against looking at all, 20 lose
.01 of musique's R@5, 10 lose .02."""

OVERSAMPLING = 2
"""Of the vector index: its 50 nearest of 100 are nearly always the right ones, and the last ones matter little."""

MOST_ABOUT = 200
"""Chunks about one name; thousands of documents may be called "Introduction"."""

CHUNKS_A_PHRASE = 10
"""The full-text index compares stems, so that more than the few that make a phrase rare are looked at."""

OUTDATED = "names are older than the documents: overstory index finds those of new ones"


class CanopyRetriever:
    """Meaning, words and names of a question, and where the names in the best passages lead: to passages about them,
    and to others that mention them."""

    name = "canopy"

    def __init__(self, context: RetrievalContext) -> None:
        self._context = context
        self._vectors = VectorCache()

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` best chunks.

        Raises:
            QuestionError: the question is empty.
            IndexMissing, EmbedderMismatch, CorpusNotFound: as their names say.
        """
        text, notes = clean_question(question)

        def ask(tx: Transaction, corpus: Corpus) -> Evidence:
            names = asked_names(tx, corpus, text)
            ranked = _Asking(self._context, self._vectors, tx, corpus, names).ranked(k)
            hits, paths = _shown(tx, corpus, ranked, k)
            told = (*notes, *([OUTDATED] if names.outdated else []), *([] if hits else ["nothing found"]))
            return Evidence(question=question, retriever=self.name, hits=hits, notes=told, paths=paths)

        return ask_as_it_is_now(self._context, "retrieve/canopy", ask)


@dataclass(slots=True)
class _Asking:
    """One question in its transaction."""

    context: RetrievalContext
    cache: VectorCache
    tx: Transaction
    corpus: Corpus
    names: AskedNames

    def ranked(self, k: int) -> list[Scored]:
        asked = self.context.embedder.embed([self.names.question, self.names.rest])
        candidates = self._first(asked, max(DEPTH, k))
        first = scoring.first_scores(candidates)
        sources = first.sources()
        links = self._links(sources, forward=True)
        found = scoring.reached({chunk: first.activation(chunk) for chunk in sources}, links, self.names.words)
        self._add(candidates, found, asked)
        scored = scoring.final_scores(candidates, first, found)
        again = scoring.second_sources(scored, sources)
        second = scoring.reached(again, self._links(list(again), forward=False), self.names.words)
        known = set(candidates)
        self._add(candidates, second, asked)
        newcomers = {chunk: candidate for chunk, candidate in candidates.items() if chunk not in known}
        return scoring.with_second_hop(scored | scoring.final_scores(newcomers, first, scoring.Reached()), second)

    def _first(self, asked: Vectors, depth: int) -> dict[str, Candidate]:
        """The chunks found by meaning, by words, and by the names of the question."""
        corpus, names = self.corpus, self.names
        by_index = {"vector_index": corpus.vector_index, "vector_depth": OVERSAMPLING * depth}
        rows = self.tx.run(
            "retrieve/canopy_candidates_index" if corpus.vector_index else "retrieve/canopy_candidates_exact",
            corpus.label,
            vector=asked[0].tolist(),
            text_index=text_index_name(corpus),
            query=full_text_query(names.question),
            depth=depth,
            subjects=[name.id for name in names.known if name.subject],
            rare=[name.id for name in names.known if not name.subject and name.df <= scoring.RARE],
            most=MOST_ABOUT,
            phrases=list(dict.fromkeys(names.quoted().values())),
            phrase_depth=CHUNKS_A_PHRASE,
            **(by_index if corpus.vector_index else {"property": corpus.embedding_property}),
        )
        seeds, words = _seeds(rows, names, corpus.named_chunks)
        ids = list(dict.fromkeys(row["chunk_id"] for row in rows if row["phrase"] is None or row["chunk_id"] in seeds))
        return {
            id_: Candidate(cosine, rest, words.get(id_, 0.0), seeds.get(id_))
            for id_, cosine, rest in self._compared(ids, asked)
        }

    def _add(self, candidates: dict[str, Candidate], found: scoring.Reached, asked: Vectors) -> None:
        """What was only reached becomes a candidate too."""
        ids = [id_ for id_ in dict.fromkeys((*found.forward, *found.shared)) if id_ not in candidates]
        for id_, cosine, rest in self._compared(ids, asked):
            candidates[id_] = Candidate(cosine, rest)

    def _compared(self, ids: Sequence[str], asked: Vectors) -> Iterator[tuple[str, float, float]]:
        """Chunks with their cosines to the question and to the question without its names."""
        cosines = self.cache.of(self.tx, self.corpus, ids) @ asked.T
        for id_, (cosine, rest) in zip(ids, cosines.tolist(), strict=True):
            yield id_, cosine, rest

    def _links(self, sources: Sequence[str], *, forward: bool) -> list[Link]:
        """The names that these chunks mention and that lead somewhere."""
        if not sources:
            return []
        rows = self.tx.run(
            "retrieve/canopy_expand",
            self.corpus.label,
            sources=list(sources),
            asked=[name.key for name in self.names.known],
            forward=forward,
            most=MOST_ABOUT,
            most_shared=scoring.MOST_SHARED,
        )
        return [_link(row, self.corpus.named_chunks) for row in rows]


def _seeds(rows: Iterable[Row], names: AskedNames, chunks: int) -> tuple[dict[str, Seed], dict[str, float]]:
    """The best seed of each chunk that has one, and BM25 of those that were found by words."""
    by_key = {name.key: name for name in names.known}
    words: dict[str, float] = {}
    phrases: dict[str, dict[str, str]] = {}
    found: list[tuple[str, Seed]] = []
    for row in rows:
        chunk = row["chunk_id"]
        if row["words"] is not None:
            words[chunk] = row["words"]
        elif row["phrase"] is not None:
            phrases.setdefault(row["phrase"], {})[chunk] = row["text"]
        elif row["key"] is not None:
            name = by_key[row["key"]]
            weight = scoring.RARE_SEED if row["weight"] is None else row["weight"]
            found.append((chunk, Seed(name.name, name.tells * weight)))
    seeds: dict[str, Seed] = {}
    for chunk, seed in (*found, *rare_phrases(names, phrases, chunks).items()):
        if chunk not in seeds or (seed.weight, seed.name) > (seeds[chunk].weight, seeds[chunk].name):
            seeds[chunk] = seed
    return seeds, words


def _link(row: Row, chunks: int) -> Link:
    return Link(
        key=row["key"],
        name=row["name"],
        tells=specificity(chunks, row["df"]),
        sources=[Place(chunk, sentences) for chunk, sentences in row["sources"]],
        about=[(chunk, weight) for chunk, weight in row["about"]],
        shared=[Place(chunk, sentences) for chunk, sentences in row["shared"]],
    )


def _shown(
    tx: Transaction, corpus: Corpus, ranked: Sequence[Scored], k: int
) -> tuple[tuple[Hit, ...], tuple[BridgePath, ...]]:
    """The first hits, and the paths to them."""
    by_chunk = {one.chunk: one for one in ranked}
    first = ranked[:k]
    ids = list(dict.fromkeys(chunk for one in first for chunk in _on_the_way(one, by_chunk)))
    rows = {row["chunk_id"]: row for row in tx.run("retrieve/chunks_by_id", corpus.label, ids=ids)}
    shown = [one for one in first if one.chunk in rows]
    hits = tuple(hit(rows[one.chunk] | {"score": one.score}, _reasons(one, rows)) for one in shown)
    return hits, tuple(bridge_paths(shown, by_chunk, rows))


def _on_the_way(one: Scored, by_chunk: Mapping[str, Scored]) -> Iterator[str]:
    """A chunk, the sources of the ways to it, and theirs."""
    yield one.chunk
    for source in one.came_from():
        yield source
        yield from by_chunk[source].came_from()


def _reasons(one: Scored, rows: Mapping[str, Row]) -> tuple[Reason, ...]:
    """The parts of the score; they add up to it."""
    reasons = [Reason("dense", one.dense, "similar to the question")]
    if one.words:
        reasons.append(Reason("words", one.words, "words of the question"))
    if one.seed:
        reasons.append(Reason("name", one.name, f"has {one.seed.name!r} of the question"))
    reasons.append(Reason("rest", one.rest, "similar to the question without its names"))
    if one.forward:
        reasons.append(
            Reason("forward", scoring.FORWARD * one.forward.value, f"is about {_leading(one.forward.way, rows)}")
        )
    if one.shared:
        reasons.append(
            Reason("shared", scoring.SHARED * one.shared.value, f"mentions {_leading(one.shared.way, rows)}")
        )
    if one.second:
        gain = scoring.SECOND * one.second_gain
        reasons.append(Reason("second", gain, f"mentions {_leading(one.second.way, rows)}, itself reached so"))
    return tuple(reasons)


def _leading(way: Way, rows: Mapping[str, Row]) -> str:
    """A name, and the passage that leads to it."""
    source = rows.get(way.source)
    title = source["title"] or shortened(source["text"], 40) if source else "?"
    return f"{way.name!r}, which {title!r} mentions"
