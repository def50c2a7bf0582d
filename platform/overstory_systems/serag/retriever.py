"""SeRAG's retriever: combines vectors, the question's entities, and neighbours within communities."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from overstory.display import counted, shortened
from overstory.errors import LlmError
from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.llm import Chat, prompt
from overstory.model import CommunityReport, Evidence, Hit, Reason
from overstory.protocols import Vectors
from overstory.retrieve.context import RetrievalContext
from overstory.retrieve.hits import best_of, chunk_rows, quoted, ranked_hits
from overstory.retrieve.question import Question, read_question
from overstory.retrieve.vector_search import VectorCache, depth_for
from overstory.systems.system_retriever import SystemRetriever
from overstory.systems.tree.lookup import require_tree
from overstory.vectors.packed import unpacked
from overstory_entropy.compile import Ints
from overstory_systems.serag.candidates import CandidateSearch, NameVectors, ScoredCandidates, similar_entities
from overstory_systems.serag.index import SeRag
from overstory_systems.serag.settings import TREES, SeragIndexSettings, SeragRetrieverSettings


@dataclass(frozen=True, slots=True)
class Communities:
    """The m communities of one generation of a tree, the coarsest first.

    Attributes:
        ids: Ids of the communities.
        levels: Shape (m,), level of each community.
        vectors: float32[m, d].
    """

    ids: list[str]
    levels: Ints
    vectors: Vectors

    def nearest(self, vector: Vectors, per_level: int) -> dict[str, float]:
        """Return the `per_level` communities of each level nearest to a vector, the finest level first."""
        cosines = self.vectors @ vector
        chosen: dict[str, float] = {}
        for level in np.unique(self.levels)[::-1]:
            of_level = np.flatnonzero(self.levels == level)
            best = of_level[np.argsort(-cosines[of_level], kind="stable")[:per_level]]
            chosen |= {self.ids[place]: float(cosines[place]) for place in best.tolist()}
        return chosen


class CommunityCache:
    """Caches the communities searched last, which are read once per generation. Threads can share an instance.

    With 384 dimensions, a community takes 1.5 KB. There are about 100 communities per 1,000 chunks.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: tuple[tuple[str, str, int], Communities] | None = None

    def of(self, tx: Transaction, corpus: Corpus, tree: str, generation: int, stamp: int) -> Communities:
        """Return the communities of a tree. `stamp` must change whenever the content of the generation changes."""
        state = (f"{corpus.label} {tree}", str(generation), stamp)
        with self._lock:
            if self._known is not None and self._known[0] == state:
                return self._known[1]
        rows = tx.run("systems/tree/vectors", corpus.label, tree=tree, generation=generation)
        found = Communities(
            ids=[row["id"] for row in rows],
            levels=np.array([row["level"] for row in rows], dtype=np.int64),
            vectors=unpacked(b"".join(row["vector"] for row in rows)).reshape(-1, corpus.dimension),
        )
        with self._lock:
            self._known = (state, found)
        return found


def members(tx: Transaction, corpus: Corpus, communities: Sequence[str]) -> dict[str, list[str]]:
    """Return a map from each community's id to the ids of its chunks, entities or documents."""
    rows = tx.run("systems/tree/members", corpus.label, ids=list(communities))
    return {row["community"]: row["units"] for row in rows}


_REPORT_TITLE_NAMES = 5  # maximum number of names in a report's first line
REPORT_NAMES_A_CHUNK = 12
"""Number of names per passage from which the names in a report's first line are chosen."""
_REPORT_PASSAGES = 5
"""Maximum number of passages that a report quotes."""
_QUOTED_PASSAGE_CHARACTERS = 160
"""Maximum number of characters of a quoted passage."""


@dataclass(frozen=True, slots=True)
class SelectedCommunity:
    """A community selected for a question.

    Attributes:
        level: Level of the community. Level 1 is the coarsest.
        cosine: Cosine between the community's vector and the question.
        members: Ids of the community's chunks.
    """

    id: str
    level: int
    cosine: float
    members: tuple[str, ...]


def community_reports(
    selected: Sequence[SelectedCommunity], hits: Sequence[Hit], names: Sequence[Row]
) -> Iterator[CommunityReport]:
    """Yield a report on each selected community that contains a hit, the nearest to the question first.

    A report covers only the hits, because summarising all members would take longer than the search.

    Args:
        names: Rows of `systems/serag/names_in` for the hits.
    """
    ids = {hit.chunk_id for hit in hits}
    idf = {row["id"]: dict(row["names"]) for row in names}
    for community in sorted(selected, key=lambda each: (-each.cosine, each.id)):
        inside = ids.intersection(community.members)
        found = [hit for hit in hits if hit.chunk_id in inside]
        if found:
            yield CommunityReport(
                text="\n".join(
                    [_title(community, found, idf), *(f"- {_quoted(hit)}" for hit in found[:_REPORT_PASSAGES])]
                ),
                score=community.cosine,
                chunks=tuple(hit.chunk_id for hit in found),
                documents=tuple(dict.fromkeys(hit.document_id for hit in found)),
                community=community.id,
                level=community.level,
                size=len(community.members),
            )


def _title(community: SelectedCommunity, found: Sequence[Hit], idf: Mapping[str, Mapping[str, float]]) -> str:
    """State the community's size and its best names, ranked by IDF summed over the hits that mention them."""
    weights: dict[str, float] = {}
    for hit in found:
        for name, weight in idf.get(hit.chunk_id, {}).items():
            weights[name] = weights.get(name, 0.0) + weight
    best = sorted(weights, key=lambda name: (-weights[name], name))[:_REPORT_TITLE_NAMES]
    size = f"Community of {counted(len(community.members), 'passage')}, {len(found):,} of them found"
    return f"{size}: {', '.join(best)}" if best else size


def _quoted(hit: Hit) -> str:
    beginning = shortened(hit.text, _QUOTED_PASSAGE_CHARACTERS)
    return f"{hit.title}: {beginning}" if hit.title else beginning


PROMPT = "self_query"
_SERAG_NAMES_TOKENS = 300  # maximum number of tokens in an answer


def passage_of(chat: Chat, question: str) -> str:
    """Let the model write a passage that could answer the question (SeRAG paper, Section 3.3, Appendix A.1)."""
    booked = chat.booked("serag", question)
    limit = min(_SERAG_NAMES_TOKENS, chat.model.max_tokens)
    return " ".join(booked.ask(prompt(PROMPT, __package__).messages(question=question), max_tokens=limit).text.split())


_MOST_SELECTED_CHUNKS = 20_000
"""Maximum number of chunks in selected communities that are compared. Chunks of the finest communities come first."""


class SeragRetriever(SystemRetriever[SeragIndexSettings, SeragRetrieverSettings]):
    """Ranks chunks by the published score or by ours. `SeragRetrieverSettings` describes both."""

    def __init__(self, system: SeRag, context: RetrievalContext, settings: SeragRetrieverSettings) -> None:
        super().__init__(system, context, settings)
        self._vectors = VectorCache()
        self._communities = CommunityCache()
        self._names = NameVectors(context.embedder)

    def retrieve(self, question: str, k: int) -> Evidence:
        asked = self._with_self_query(read_question(question))
        vector = self._context.embedding(asked.text)  # embeds during the name look-up

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
        if len(ids) > _MOST_SELECTED_CHUNKS:
            asking.notes.append(
                f"{_MOST_SELECTED_CHUNKS:,} of {len(ids):,} chunks of the selected communities were compared"
            )
        vectors = self._vectors.of(asking.tx, asking.corpus, ids[:_MOST_SELECTED_CHUNKS])
        return dict(zip(ids[:_MOST_SELECTED_CHUNKS], (vectors @ asking.vector).tolist(), strict=True))


def _hits(tx: Transaction, corpus: Corpus, found: ScoredCandidates) -> tuple[Hit, ...]:
    wanted = [*found.scores, *(found.linked[id_].source for id_ in found.scores if id_ in found.linked)]
    rows = chunk_rows(tx, corpus, wanted)

    def reasons(id_: str) -> Iterator[Reason]:
        linked = found.linked.get(id_)
        return found.reasons(id_, quoted(rows.get(linked.source), rows[id_]) if linked else "")

    return ranked_hits(rows, found.scores, reasons)


def _best_cosines(selected: Iterable[SelectedCommunity]) -> dict[str, float]:
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
