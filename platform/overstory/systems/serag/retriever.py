"""SeRAG's retriever: meaning, the entities of the question, and what stands beside the best in its community."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from overstory.errors import LlmError
from overstory.graph import Corpus, Transaction
from overstory.model import CommunityReport, Evidence, Hit
from overstory.protocols import Vectors
from overstory.retrieve.context import RetrievalContext, depth_for, hit, query_current_corpus
from overstory.retrieve.corpus_cache import VectorCache
from overstory.retrieve.question import clean_question
from overstory.retrieve.ranking import best_of
from overstory.systems.serag.candidates import Asking, Found
from overstory.systems.serag.community_vectors import CommunityCache
from overstory.systems.serag.index_settings import NAME, usable
from overstory.systems.serag.names import NameVectors, similar_entities
from overstory.systems.serag.reports import NAMES_A_CHUNK, SelectedCommunity, community_reports
from overstory.systems.serag.retriever_settings import SeragOptions
from overstory.systems.serag.self_query import passage_of

MOST_MEMBERS = 20_000
"""Chunks of selected communities that are looked at; the finest communities come first."""


class SeragRetriever:
    """Ranks chunks by SeRAG's score, or by ours over its graph; see `SeragOptions`."""

    name = NAME

    def __init__(self, context: RetrievalContext, option: str = "", *, options: SeragOptions | None = None) -> None:
        """
        Args:
            option: what follows the name in `serag:paper,flat`: "paper" scores as published, "flat" asks neither tree
                nor graph, "semantic" those over meaning alone, "no-self-query" asks no language model.

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
            asking = Asking(tx, corpus, usable(corpus, self._options.tree), self._options, asked, vector)
            selected = self._selected(asking) if self._options.coarse else []
            found = self._found(asking, k, selected)
            hits = _hits(tx, corpus, found)
            reports = _reports(tx, corpus, selected, hits)
            all_notes = (*notes, *told, *asking.names.notes, *self._stale(asking), *asking.notes)
            return Evidence(question, self.name, hits, notes=all_notes, parts=reports)

        return query_current_corpus(self._context, "retrieve/serag", ask)

    def _asked(self, question: str) -> tuple[str, tuple[str, ...]]:
        """What is searched for, and a note on what was added to the question."""
        chat = self._context.chat() if self._options.self_query == "model" else None
        if chat is None:
            return question, ()
        try:
            passage = passage_of(chat, question)
        except LlmError as error:
            return question, (f"asked without a self-query: {error}",)
        return f"{question} {passage}", (f"self-query by the language model: {passage}",)

    def _found(self, asking: Asking, k: int, selected: Sequence[SelectedCommunity]) -> Found:
        options = self._options
        depth = depth_for(k)
        coarse = _best_cosines(selected)
        cosines = self._cosines(asking, list(coarse)) if options.coarse else asking.candidates(depth)
        entities = list(asking.names.entities)
        if options.similar_names and asking.names.names:
            near, words = best_of(cosines, depth), sorted(asking.names.words())
            rows = asking.tx.run("systems/serag/entities", asking.corpus.label, ids=near, words=words)
            entities += similar_entities(rows, asking.names, self._names, asking.kept.chunks)
        found = Found(options, cosines, {id_: coarse[id_] for id_ in cosines if id_ in coarse}, entities)
        if options.beside:
            asking.walk(found)
        if options.coarse and len(found.scores) < k:
            asking.fill(found, k)
        found.keep(k)
        return found

    def _selected(self, asking: Asking) -> list[SelectedCommunity]:
        """The communities nearest to the question on each level, the finest first."""
        communities = self._communities.of(
            asking.tx, asking.corpus, self._options.tree, asking.kept.generation, asking.corpus.version
        )
        chosen = communities.nearest(asking.vector, self._options.communities)
        members = asking.members(list(chosen))
        levels = dict(zip(communities.ids, communities.levels.tolist(), strict=True))
        return [
            SelectedCommunity(id_, levels[id_], cosine, tuple(members.get(id_, ()))) for id_, cosine in chosen.items()
        ]

    def _cosines(self, asking: Asking, ids: list[str]) -> dict[str, float]:
        """Cosines to the question of the first `MOST_MEMBERS` of these chunks."""
        if len(ids) > MOST_MEMBERS:
            asking.notes.append(f"{MOST_MEMBERS:,} of {len(ids):,} chunks of the selected communities were looked at")
        vectors = self._vectors.of(asking.tx, asking.corpus, ids[:MOST_MEMBERS])
        return dict(zip(ids[:MOST_MEMBERS], (vectors @ asking.vector).tolist(), strict=True))

    def _stale(self, asking: Asking) -> Iterator[str]:
        """A note where tree and chunks have grown apart; they are counted once a version of the corpus."""
        corpus = asking.corpus
        state = (corpus.id, corpus.version)
        if self._counted is None or self._counted[0] != state:
            (row,) = asking.tx.run("systems/serag/counts", corpus.label)
            self._counted = (state, row["chunks"], row["chunks"] - row["done"])
        _, chunks, missing = self._counted
        command = f"overstory index --corpus {shlex.quote(corpus.name)}"
        if missing:
            yield f"{missing:,} of {chunks:,} chunks are not in SeRAG's tree yet: run {command}"
        elif asking.kept.chunks != chunks:
            yield f"passages were deleted since SeRAG's tree was made: run {command}"


def _hits(tx: Transaction, corpus: Corpus, found: Found) -> tuple[Hit, ...]:
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


def _best_cosines(selected: Iterable[SelectedCommunity]) -> dict[str, float]:
    """Of each chunk of these communities the cosine of its best one, in their order."""
    best: dict[str, float] = {}
    for community in selected:
        for chunk in community.members:
            best[chunk] = max(community.cosine, best.get(chunk, -1.0))
    return best


def _reports(
    tx: Transaction, corpus: Corpus, selected: Sequence[SelectedCommunity], hits: Sequence[Hit]
) -> tuple[CommunityReport, ...]:
    if not selected or not hits:
        return ()
    ids = [each.chunk_id for each in hits]
    names = tx.run("systems/serag/names_in", corpus.label, ids=ids, names=NAMES_A_CHUNK)
    return tuple(community_reports(selected, hits, names))
