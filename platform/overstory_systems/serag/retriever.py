"""SeRAG's retriever: meaning, the entities of the question, and neighbours of the best chunks in their communities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from overstory.errors import LlmError
from overstory.graph import Corpus, Transaction
from overstory.llm import Chat, prompt
from overstory.model import CommunityReport, Evidence, Hit, Reason
from overstory.retrieve.context import RetrievalContext
from overstory.retrieve.corpus_cache import VectorCache
from overstory.retrieve.hits import chunk_rows, ranked_hits
from overstory.retrieve.question import Question, read_question
from overstory.retrieve.ranking import best_of
from overstory.retrieve.vector_search import depth_for
from overstory.retrieve.wording import quoted
from overstory.systems.system_retriever import SystemRetriever
from overstory.systems.tree.community_vectors import CommunityCache, members
from overstory.systems.tree.finding import require_tree
from overstory_systems.serag.candidates import CandidateSearch, ScoredCandidates
from overstory_systems.serag.index import SeRag
from overstory_systems.serag.index_settings import TREES, SeragIndexSettings
from overstory_systems.serag.names import NameVectors, similar_entities
from overstory_systems.serag.reports import REPORT_NAMES_A_CHUNK, SelectedCommunity, community_reports
from overstory_systems.serag.retriever_settings import SeragRetrieverSettings

PROMPT = "self_query"
_SERAG_NAMES_TOKENS = 300  # of a model's answer


def passage_of(chat: Chat, question: str) -> str:
    """A passage that could answer the question, by the model's own knowledge (Section 3.3, Appendix A.1)."""
    booked = chat.booked("serag", question)
    limit = min(_SERAG_NAMES_TOKENS, chat.model.max_tokens)
    return " ".join(booked.ask(prompt(PROMPT, __package__).messages(question=question), max_tokens=limit).text.split())


_MOST_SELECTED_CHUNKS = 20_000
"""Chunks of selected communities that are looked at; the finest communities come first."""


class SeragRetriever(SystemRetriever[SeragIndexSettings, SeragRetrieverSettings]):
    """Ranks chunks by SeRAG's score, or by ours over its graph; see `SeragRetrieverSettings`."""

    def __init__(self, system: SeRag, context: RetrievalContext, settings: SeragRetrieverSettings) -> None:
        super().__init__(system, context, settings)
        self._vectors = VectorCache()
        self._communities = CommunityCache()
        self._names = NameVectors(context.embedder)

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` best chunks."""
        asked = self._with_self_query(read_question(question))
        vector = self._context.embedding(asked.text)  # while its names are looked up

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            state = require_tree(self._system, corpus, TREES[self._settings.tree])
            asking = CandidateSearch(tx, corpus, state, self._settings, asked, vector)
            selected = self._selected(asking) if self._settings.coarse else []
            found = self._found(asking, k, selected)
            hits = _hits(tx, corpus, found)
            reports = _reports(tx, corpus, selected, hits)
            all_notes = (*asked.notes, *asking.names.notes, *self._stale.of(tx, corpus, state), *asking.notes)
            return Evidence(question, self.name, hits, notes=all_notes, parts=reports)

        return self._query(query)

    def _with_self_query(self, question: Question) -> Question:
        """The question with a language model's passage added to it, and a note that says so."""
        chat = self._context.chat() if self._settings.self_query else None
        if chat is None:
            return question
        try:
            passage = passage_of(chat, question.text)
        except LlmError as error:
            return replace(question, notes=(*question.notes, f"asked without a self-query: {error}"))
        notes = (*question.notes, f"self-query by the language model: {passage}")
        return Question(f"{question.text} {passage}", notes)

    def _found(self, asking: CandidateSearch, k: int, selected: Sequence[SelectedCommunity]) -> ScoredCandidates:
        settings = self._settings
        depth = depth_for(k)
        coarse = _best_cosines(selected)
        cosines = self._cosines(asking, list(coarse)) if settings.coarse else asking.candidates(depth)
        entities = list(asking.names.entities)
        if settings.similar_names and asking.names.names:
            near, words = best_of(cosines, depth), sorted(asking.names.words())
            rows = asking.tx.run("systems/serag/entities", asking.corpus.label, ids=near, words=words)
            entities += similar_entities(rows, asking.names, self._names, asking.state.details["chunks"])
        found = ScoredCandidates(settings, cosines, {id_: coarse[id_] for id_ in cosines if id_ in coarse}, entities)
        if settings.neighbours:
            asking.walk(found)
        if settings.coarse and len(found.scores) < k:
            asking.fill(found, k)
        found.keep(k)
        return found

    def _selected(self, asking: CandidateSearch) -> list[SelectedCommunity]:
        """The communities nearest to the question on each level, the finest first."""
        communities = self._communities.of(
            asking.tx, asking.corpus, self._settings.tree, asking.state.generation, asking.corpus.version
        )
        chosen = communities.nearest(asking.vector, self._settings.communities)
        chunks = members(asking.tx, asking.corpus, list(chosen))
        levels = dict(zip(communities.ids, communities.levels.tolist(), strict=True))
        return [
            SelectedCommunity(id_, levels[id_], cosine, tuple(chunks.get(id_, ()))) for id_, cosine in chosen.items()
        ]

    def _cosines(self, asking: CandidateSearch, ids: list[str]) -> dict[str, float]:
        """Cosines to the question of the first `_MOST_SELECTED_CHUNKS` of these chunks."""
        if len(ids) > _MOST_SELECTED_CHUNKS:
            asking.notes.append(
                f"{_MOST_SELECTED_CHUNKS:,} of {len(ids):,} chunks of the selected communities were looked at"
            )
        vectors = self._vectors.of(asking.tx, asking.corpus, ids[:_MOST_SELECTED_CHUNKS])
        return dict(zip(ids[:_MOST_SELECTED_CHUNKS], (vectors @ asking.vector).tolist(), strict=True))


def _hits(tx: Transaction, corpus: Corpus, found: ScoredCandidates) -> tuple[Hit, ...]:
    wanted = [*found.scores, *(found.beside[id_].beside for id_ in found.scores if id_ in found.beside)]
    rows = chunk_rows(tx, corpus, wanted)

    def reasons(id_: str) -> Iterator[Reason]:
        beside = found.beside.get(id_)
        linked = quoted(rows.get(beside.beside), rows[id_]) if beside else ""
        return found.reasons(id_, linked)

    return ranked_hits(rows, found.scores, reasons)


def _best_cosines(selected: Iterable[SelectedCommunity]) -> dict[str, float]:
    """For each chunk of these communities, the cosine of its best one, in their order."""
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
    names = tx.run("systems/serag/names_in", corpus.label, ids=ids, names=REPORT_NAMES_A_CHUNK)
    return tuple(community_reports(selected, hits, names))
