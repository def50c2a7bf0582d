"""SeRAG's retriever: meaning, the entities of the question, and what stands beside the best in its community."""

from __future__ import annotations

from overstory.errors import LlmError
from overstory.graph import Corpus, Transaction
from overstory.model import Evidence, Hit
from overstory.protocols import Vectors
from overstory.retrieve.context import RetrievalContext, depth_for, hit, query_current_corpus
from overstory.retrieve.corpus_cache import VectorCache
from overstory.retrieve.question import clean_question
from overstory.retrieve.ranking import best_of
from overstory.systems.serag.candidates import Asking, Found
from overstory.systems.serag.index import SeRag
from overstory.systems.serag.index_settings import TREES
from overstory.systems.serag.names import NameVectors, similar_entities
from overstory.systems.serag.retriever_settings import SeragRetrieverSettings
from overstory.systems.serag.self_query import passage_of
from overstory.systems.state import StaleNotes
from overstory.systems.tree.community_vectors import CommunityCache, members
from overstory.systems.tree.finding import require_tree

MOST_MEMBERS = 20_000
"""Chunks of selected communities that are looked at; the finest communities come first."""


class SeragRetriever:
    """Ranks chunks by SeRAG's score, or by ours over its graph; see `SeragRetrieverSettings`."""

    def __init__(self, system: SeRag, context: RetrievalContext, settings: SeragRetrieverSettings) -> None:
        self.name = system.name
        self._system = system
        self._context = context
        self._settings = settings
        self._vectors = VectorCache()
        self._communities = CommunityCache()
        self._names = NameVectors(context.embedder)
        self._stale = StaleNotes(system)

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
            state = require_tree(self._system, corpus, TREES[self._settings.tree])
            asking = Asking(tx, corpus, state, self._settings, asked, vector)
            found = self._found(asking, k)
            hits = _hits(tx, corpus, found)
            all_notes = (*notes, *told, *asking.names.notes, *self._stale.of(tx, corpus, state), *asking.notes)
            return Evidence(question=question, retriever=self.name, hits=hits, notes=all_notes)

        return query_current_corpus(self._context, "retrieve/serag", ask)

    def _asked(self, question: str) -> tuple[str, tuple[str, ...]]:
        """What is searched for, and a note on what was added to the question."""
        chat = self._context.chat() if self._settings.self_query else None
        if chat is None:
            return question, ()
        try:
            passage = passage_of(chat, question)
        except LlmError as error:
            return question, (f"asked without a self-query: {error}",)
        return f"{question} {passage}", (f"self-query by the language model: {passage}",)

    def _found(self, asking: Asking, k: int) -> Found:
        settings = self._settings
        depth = depth_for(k)
        if settings.coarse:
            selected = self._selected(asking)
            cosines = {id_: cosine for id_, (cosine, _) in selected.items()}
        else:
            selected = {}
            cosines = asking.candidates(depth)
        entities = list(asking.names.entities)
        if settings.similar_names and asking.names.names:
            near, words = best_of(cosines, depth), sorted(asking.names.words())
            rows = asking.tx.run("systems/serag/entities", asking.corpus.label, ids=near, words=words)
            entities += similar_entities(rows, asking.names, self._names, asking.state.details["chunks"])
        found = Found(settings, cosines, {id_: cosine for id_, (_, cosine) in selected.items()}, entities)
        if settings.neighbours:
            asking.walk(found)
        if settings.coarse and len(found.scores) < k:
            asking.fill(found, k)
        found.keep(k)
        return found

    def _selected(self, asking: Asking) -> dict[str, tuple[float, float]]:
        """The chunks of the selected communities: their cosines, and those of their best selected community."""
        communities = self._communities.of(
            asking.tx, asking.corpus, self._settings.tree, asking.state.generation, asking.corpus.version
        )
        chosen = communities.nearest(asking.vector, self._settings.communities)
        chunks = members(asking.tx, asking.corpus, list(chosen))
        best: dict[str, float] = {}
        for community, cosine in chosen.items():
            for chunk in chunks.get(community, ()):
                best[chunk] = max(cosine, best.get(chunk, -1.0))
        if len(best) > MOST_MEMBERS:
            asking.notes.append(f"{MOST_MEMBERS:,} of {len(best):,} chunks of the selected communities were looked at")
        ids = list(best)[:MOST_MEMBERS]
        vectors = self._vectors.of(asking.tx, asking.corpus, ids)
        return {id_: (cosine, best[id_]) for id_, cosine in zip(ids, (vectors @ asking.vector).tolist(), strict=True)}


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
