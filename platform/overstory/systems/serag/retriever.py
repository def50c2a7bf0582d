"""SeRAG's retriever: meaning, the entities of the question, and what stands beside the best in its community."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from overstory.errors import LlmError
from overstory.graph import Corpus, Transaction
from overstory.model import Evidence, Hit, Reason
from overstory.protocols import Vectors
from overstory.retrieve.base import RetrievalContext, ask_as_it_is_now, depth_for, hit
from overstory.retrieve.question import clean_question
from overstory.retrieve.vectors import VectorCache
from overstory.systems.serag.community_vectors import CommunityCache
from overstory.systems.serag.names import AskedNames, NameVectors, similar_entities
from overstory.systems.serag.options import SeragOptions
from overstory.systems.serag.scoring import Edge, Nearness, best_of, entity_bonus, nearness
from overstory.systems.serag.self_query import FIRST_HITS, best_sentences, passage_of
from overstory.systems.serag.settings import NAME, Kept, usable

FEW_CHUNKS = 100
"""A name in so many chunks or fewer makes them candidates, however far from the question they are in meaning."""
MOST_EDGES = 64
"""Of each anchor that are followed, the strongest."""
MOST_MEMBERS = 20_000
"""Chunks of selected communities that are looked at; the finest communities come first."""


class SeragRetriever:
    """Ranks chunks by SeRAG's score, or by ours over its graph; see `SeragOptions`."""

    name = NAME

    def __init__(self, context: RetrievalContext, option: str = "", *, options: SeragOptions | None = None) -> None:
        """
        Args:
            option: what follows the name in `serag:paper,flat`: "paper" scores as published, "flat" asks neither tree
                nor graph, "semantic" those over meaning alone, "no-self-query" asks no language model, "feedback" adds
                the best sentences of the first hits to the question.

        Raises:
            SettingsError: there is no such option.
        """
        self._context = context
        self._options = options or SeragOptions.named(option)
        self._vectors = VectorCache()
        self._communities = CommunityCache()
        self._names = NameVectors(context.embedder)
        self._counted: tuple[tuple[str, int], int, int] | None = None

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` best chunks.

        Raises:
            QuestionError: the question is empty.
            IndexMissing: the corpus has no index for SeRAG, or not the tree that is asked.
            EmbedderMismatch, CorpusNotFound: as their names say.
        """
        text, notes = clean_question(question)
        asked, told = self._asked(text)
        vector: Vectors = self._context.embedder.embed([asked])[0]

        def ask(tx: Transaction, corpus: Corpus) -> Evidence:
            asking = _Asking(tx, corpus, usable(corpus, self._options.tree), self._options, asked, vector)
            found = self._found(asking, k)
            hits = _hits(tx, corpus, found)
            all_notes = (*notes, *told, *asking.names.notes, *self._stale(asking), *found.notes)
            return Evidence(question=question, retriever=self.name, hits=hits, notes=all_notes)

        return ask_as_it_is_now(self._context, "retrieve/serag", ask)

    def _asked(self, question: str) -> tuple[str, tuple[str, ...]]:
        """What is searched for, and a note on what was added to the question."""
        if self._options.self_query == "feedback":
            return self._with_feedback(question)
        chat = self._context.chat() if self._options.self_query == "model" else None
        if chat is None:
            return question, ()
        try:
            passage = passage_of(chat, question)
        except LlmError as error:
            return question, (f"asked without a self-query: {error}",)
        return f"{question} {passage}", (f"self-query by the language model: {passage}",)

    def _with_feedback(self, question: str) -> tuple[str, tuple[str, ...]]:
        vector: Vectors = self._context.embedder.embed([question])[0]

        def ask(tx: Transaction, corpus: Corpus) -> str:
            usable(corpus, self._options.tree)
            cosines = _nearest(tx, corpus, vector, FIRST_HITS)
            first = best_of(cosines, FIRST_HITS)
            rows = {row["chunk_id"]: row for row in tx.run("retrieve/chunks_by_id", corpus.label, ids=first)}
            return best_sentences(question, [rows[id_] for id_ in first if id_ in rows], self._context.embedder)

        added = ask_as_it_is_now(self._context, "retrieve/serag", ask)
        return f"{question} {added}", (f"self-query by pseudo-relevance feedback: {added}",)

    def _found(self, asking: _Asking, k: int) -> _Found:
        options = self._options
        depth = depth_for(k)
        if options.coarse:
            selected = self._selected(asking)
            cosines = {id_: cosine for id_, (cosine, _) in selected.items()}
        else:
            selected = {}
            cosines = asking.candidates(depth)
        entities = list(asking.names.entities)
        if options.similar_names and asking.names.names:
            near, words = best_of(cosines, depth), sorted(asking.names.words())
            rows = asking.tx.run("retrieve/serag_entities", asking.corpus.label, ids=near, words=words)
            entities += similar_entities(rows, asking.names, self._names, asking.kept.chunks)
        bonus = entity_bonus(entities, by_what_it_tells=options.by_what_it_tells)
        found = _Found({}, cosines, bonus, {id_: cosine for id_, (_, cosine) in selected.items()}, options)
        found.score()
        if options.beside:
            asking.walk(found)
        if options.coarse and len(found.scores) < k:
            asking.fill(found, k)
        found.keep(k)
        return found

    def _selected(self, asking: _Asking) -> dict[str, tuple[float, float]]:
        """The chunks of the selected communities: their cosines, and those of their best selected community."""
        communities = self._communities.of(
            asking.tx, asking.corpus, self._options.tree, asking.kept.generation, asking.corpus.version
        )
        chosen = communities.nearest(asking.vector, self._options.communities)
        members = asking.members(list(chosen))
        best: dict[str, float] = {}
        for community, cosine in chosen.items():
            for chunk in members.get(community, ()):
                if len(best) < MOST_MEMBERS or chunk in best:
                    best[chunk] = max(cosine, best.get(chunk, -1.0))
        ids = list(best)
        vectors = self._vectors.of(asking.tx, asking.corpus, ids)
        return {id_: (cosine, best[id_]) for id_, cosine in zip(ids, (vectors @ asking.vector).tolist(), strict=True)}

    def _stale(self, asking: _Asking) -> Iterator[str]:
        """A note where chunks are not in the tree as they are now; they are counted once a version of the corpus."""
        corpus = asking.corpus
        state = (corpus.id, corpus.version)
        if self._counted is None or self._counted[0] != state:
            (row,) = asking.tx.run("ingest/serag_counts", corpus.label)
            self._counted = (state, row["chunks"], row["chunks"] - row["done"])
        _, chunks, missing = self._counted
        if missing:
            command = f"overstory index --corpus {shlex.quote(corpus.name)}"
            yield f"{missing:,} of {chunks:,} chunks are not in SeRAG's tree yet: run {command}"


@dataclass(slots=True)
class _Found:
    """Candidates with the parts of their scores.

    Attributes:
        scores: what they are ranked by.
        cosines: to the question.
        bonus: log(1 + B).
        coarse: of their best selected communities.
        beside: what they owe to better ones beside them.
        filled: those that are there by their cosines alone.
    """

    scores: dict[str, float]
    cosines: dict[str, float]
    bonus: Mapping[str, float]
    coarse: Mapping[str, float]
    options: SeragOptions
    beside: dict[str, Nearness] = field(default_factory=dict[str, Nearness])
    filled: set[str] = field(default_factory=set[str])
    notes: tuple[str, ...] = ()

    def score(self) -> None:
        """Eq. 10 for every candidate."""
        given = self.options
        for id_, cosine in self.cosines.items():
            fine = cosine + given.bonus * self.bonus.get(id_, 0.0)
            self.scores[id_] = given.fine * fine + given.coarse * self.coarse.get(id_, 0.0)

    def keep(self, k: int) -> None:
        kept = best_of(self.scores, k)
        self.scores = {id_: self.scores[id_] for id_ in kept}

    def reasons(self, id_: str, titles: Mapping[str, str]) -> Iterator[Reason]:
        given = self.options
        yield Reason(
            "dense", given.fine * self.cosines[id_], f"cosine similarity to the question {self.cosines[id_]:.3f}"
        )
        if id_ in self.filled:
            yield Reason("filled", 0.0, "the selected communities have too few passages: filled up by cosine")
        if id_ in self.bonus:
            yield Reason("entities", given.fine * given.bonus * self.bonus[id_], "names of the question")
        if id_ in self.coarse:
            yield Reason(
                "community", given.coarse * self.coarse[id_], f"cosine of its community {self.coarse[id_]:.3f}"
            )
        if id_ in self.beside:
            near = self.beside[id_]
            beside = titles.get(near.beside) or near.beside[:8]
            yield Reason("beside", given.beside * near.score, f"linked to {beside!r} in one community")


@dataclass(slots=True)
class _Asking:
    """One question in its transaction."""

    tx: Transaction
    corpus: Corpus
    kept: Kept
    options: SeragOptions
    question: str
    vector: Vectors
    names: AskedNames = field(init=False)

    def __post_init__(self) -> None:
        self.names = AskedNames(self.tx, self.corpus, self.question, self.kept.chunks)

    def candidates(self, depth: int) -> dict[str, float]:
        """The chunks nearest in meaning, and those that say a name which few say."""
        found = _nearest(self.tx, self.corpus, self.vector, depth)
        named = {id_ for each in self.names.entities if len(each.counts) <= FEW_CHUNKS for id_ in each.counts}
        return found | self._cosines(sorted(named - found.keys()))

    def walk(self, found: _Found) -> None:
        """Adds what the best chunks pass on along edges that stay in their communities."""
        anchors = best_of(found.scores, self.options.anchors)
        rows = self.tx.run(
            "retrieve/serag_linked",
            self.corpus.label,
            ids=anchors,
            tree=self.options.tree,
            generation=self.kept.generation,
            weight=self.options.edge_weight,
            most=MOST_EDGES,
        )
        edges = (Edge(row["id"], other, weight / row["strongest"]) for row in rows for other, weight in row["inside"])
        found.beside = nearness(found.scores, edges)
        new = self._cosines(sorted(found.beside.keys() - found.cosines.keys()))
        found.cosines |= new
        found.score()
        for id_, near in found.beside.items():
            if id_ in found.scores:
                found.scores[id_] += self.options.beside * near.score

    def fill(self, found: _Found, k: int) -> None:
        """Makes up for too few candidates with the chunks nearest in meaning, behind all others."""
        least = min(found.scores.values(), default=0.0)
        nearest = _nearest(self.tx, self.corpus, self.vector, depth_for(k))
        for id_ in best_of({id_: cosine for id_, cosine in nearest.items() if id_ not in found.scores}, k):
            found.cosines[id_] = nearest[id_]
            found.scores[id_] = least - 2.0 + nearest[id_]
            found.filled.add(id_)

    def members(self, communities: list[str]) -> dict[str, list[str]]:
        rows = self.tx.run("retrieve/serag_members", self.corpus.label, ids=communities)
        return {row["community"]: row["chunks"] for row in rows}

    def _cosines(self, ids: list[str]) -> dict[str, float]:
        if not ids:
            return {}
        (row,) = self.tx.run(
            "retrieve/serag_cosines",
            self.corpus.label,
            ids=ids,
            property=self.corpus.embedding_property,
            vector=self.vector.tolist(),
        )
        return dict(zip(row["ids"], row["cosines"], strict=True))


def _nearest(tx: Transaction, corpus: Corpus, vector: Vectors, depth: int) -> dict[str, float]:
    where = {"index": corpus.vector_index} if corpus.vector_index else {"property": corpus.embedding_property}
    statement = "retrieve/serag_nearest_index" if corpus.vector_index else "retrieve/serag_nearest_exact"
    (row,) = tx.run(statement, corpus.label, vector=vector.tolist(), depth=depth, **where)
    return dict(zip(row["ids"], row["cosines"], strict=True))


def _hits(tx: Transaction, corpus: Corpus, found: _Found) -> tuple[Hit, ...]:
    wanted = [*found.scores, *(found.beside[id_].beside for id_ in found.scores if id_ in found.beside)]
    rows = {
        row["chunk_id"]: row for row in tx.run("retrieve/chunks_by_id", corpus.label, ids=list(dict.fromkeys(wanted)))
    }
    titles = {id_: row["title"] for id_, row in rows.items()}
    return tuple(
        hit(rows[id_] | {"score": score}, tuple(found.reasons(id_, titles)))
        for id_, score in found.scores.items()
        if id_ in rows
    )
