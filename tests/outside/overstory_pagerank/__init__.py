"""A system in a package of its own: personalised PageRank over names and passages, much as HippoRAG has it.

Source: Gutiérrez et al. 2024, "HippoRAG"; passages are nodes and seeds as in "HippoRAG 2" (2025). No language model is
asked: names, descriptions and relations are those of `overstory.systems.entity_graph`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.graph.ids import content_id
from overstory.llm import Chat
from overstory.model import Evidence, Part, Reason
from overstory.protocols import Retriever
from overstory.retrieve import RetrievalContext
from overstory.retrieve.hits import chunk_rows, ranked_hits, sources_of
from overstory.retrieve.question import read_question
from overstory.retrieve.question_entities import question_entities
from overstory.retrieve.vector_search import nearest_chunks
from overstory.systems import BuildContext, Owned, System, SystemRun, option, require_state
from overstory.systems.entity_graph import DescribedEntity, EntityRelation, NearEntities, read_near_entities
from overstory.systems.system_retriever import SystemRetriever
from overstory.systems.texts.passages import passages_of, within
from overstory.systems.texts.writers import RuleWriter

MOST_CHUNKS = 5
"""Passages that a text stands on."""
MOST_TEXTS = 5
STEPS = 40
CLAUSE = "is where walks from the names of the question, and from passages near to it, pass most often"


@dataclass(frozen=True, slots=True)
class PagerankIndexSettings:
    """Settings of the relations between entities."""

    relations: bool = option(True, "walks lead from a name to those that facts and sentences tie to it")


@dataclass(frozen=True, slots=True)
class PagerankRetrieverSettings:
    """Settings of the walk."""

    damping: float = option(0.5, "how likely a walk goes on at each step", least=0, most=0.99)
    nearest: int = option(20, "passages near in meaning at which walks begin, too", least=1, most=1_000)
    meaning: float = option(0.05, "how likely they begin at one of these, where a rare name has 1", least=0.001, most=1)


class Profiles(RuleWriter[tuple[DescribedEntity, list[EntityRelation]], Row]):
    """Writes what is said of a name, and a line on each of its strongest relations."""

    fingerprint = "profiles-1"

    def text(self, group: tuple[DescribedEntity, list[EntityRelation]]) -> Row:
        entity, relations = group
        new = [each for each in relations if each.description and each.description not in entity.description]
        new.sort(key=lambda each: (-each.weight, each.source, each.target))
        told = within(new, MOST_CHUNKS - len(entity.chunks), same=lambda each: each.description)
        text = "\n".join([entity.embedded, *(each.description for each in told)])
        return {"text": text, "chunks": passages_of([entity, *told])}


class Pagerank(System[PagerankIndexSettings, PagerankRetrieverSettings]):
    """Personalised PageRank over entities and passages.

    Relations of an entity come from `MOST_PASSAGES_READ_OF_AN_ENTITY` of its passages; walks use all of them.
    """

    name = "pagerank"
    title = "PageRank"
    good_for = "passages that the names of a question lead to in several steps"
    settings = PagerankIndexSettings
    retriever_settings = PagerankRetrieverSettings
    unit = "entity"
    owns = Owned(labels=("PagerankName", "PagerankText"))
    rebuilds_after_deletions = False
    statements = files("overstory_pagerank").joinpath("cypher")

    def fingerprint(self, settings: PagerankIndexSettings, context: BuildContext, chat: Chat | None) -> str:  # noqa: ARG002
        return Profiles.fingerprint

    def build(self, run: SystemRun[PagerankIndexSettings]) -> None:
        """Writes the names that changed, a page at a time."""
        if run.scratch and run.before is not None:
            run.clear()
        run.publish(run.state(built=run.before is not None and run.before.built and not run.scratch, complete=False))
        for ids in run.unread():
            self._write(run, ids, read_near_entities(run.graph, run.corpus.label, ids))
        run.publish(run.state())

    def retriever(self, context: RetrievalContext, settings: PagerankRetrieverSettings) -> Retriever:
        return PagerankRetriever(self, context, settings)

    def _write(self, run: SystemRun[PagerankIndexSettings], ids: list[str], near: NearEntities) -> None:
        """Replaces some names, their texts and relations in one transaction."""
        label, entities = run.corpus.label, {entity.key: entity for entity in near.graph.entities}
        relations = near.graph.relations if run.settings.relations else ()
        around: dict[str, list[EntityRelation]] = {key: [] for key, entity in entities.items() if entity.id in set(ids)}
        for each in relations:
            for end in around.keys() & {each.source, each.target}:
                around[end].append(each)
        texts = dict(zip(around, Profiles().write((entities[key], around[key]) for key in around), strict=True))
        names: list[Row] = [
            {"entity": entity.id, "id": content_id("pagerank-name", entity.id), **texts.get(key, {"chunks": ()})}
            for key, entity in entities.items()
        ]
        related: list[Row] = [
            {"source": entities[each.source].id, "target": entities[each.target].id, "weight": each.weight}
            for each in relations
            if around.keys() & {each.source, each.target}
        ]
        partly = list({entities[key].id for key in around} - near.whole)

        def write(tx: Transaction) -> None:
            tx.run("systems/pagerank/clear", label, ids=ids, partly=partly)
            tx.run("systems/pagerank/write", label, label=label, rows=names)
            tx.run("systems/pagerank/relate", label, rows=related)

        run.commit(write, done=ids)


@dataclass(frozen=True, slots=True)
class Walks:
    """The graph of a corpus: its nodes, names before passages, each with its place; its edges in both directions, shape
    (e,), each with its share of the walks that leave its source."""

    place: Mapping[str, int]
    names: int
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    share: NDArray[np.float64]

    @classmethod
    def read(cls, tx: Transaction, label: str) -> Walks:
        rows = tx.run("systems/pagerank/graph", label)
        passages = [row["id"] for row in tx.run("corpus/chunk_ids", label)]
        place = {id_: at for at, id_ in enumerate([*sorted(row["id"] for row in rows), *sorted(passages)])}
        edges = sorted((place[row["id"]], place[end], weight) for row in rows for end, weight in row["edges"])
        one, other, weight = np.array(edges, dtype=np.float64).reshape(-1, 3).T
        ends, weights = np.concatenate([one, other]).astype(np.int64), np.concatenate([weight, weight])
        share = weights / np.bincount(ends, weights, len(place))[ends]
        return cls(place, len(rows), ends, np.concatenate([other, one]).astype(np.int64), share)

    def rarity(self, name: str) -> float:
        """1 for a name with one edge: the rarer a name of the question, the more walks begin there."""
        return 1.0 / max(1, int(np.count_nonzero(self.source == self.place[name])))

    def ranked(self, seeds: Mapping[str, float], damping: float) -> dict[str, float]:
        """Return how often walks from weighted `seeds` visit each node, most visited first."""
        size = len(self.place)
        start = np.zeros(size)
        start[[self.place[id_] for id_ in seeds]] = list(seeds.values())
        start /= max(float(start.sum()), 1e-9)
        rank = start
        for _ in range(STEPS):
            rank = (1 - damping) * start + damping * np.bincount(self.target, rank[self.source] * self.share, size)
        ids = list(self.place)
        return {ids[at]: float(rank[at]) for at in np.argsort(-rank, kind="stable") if rank[at] > 0.0}


class PagerankRetriever(SystemRetriever[PagerankIndexSettings, PagerankRetrieverSettings]):
    """Ranks passages by how often walks are there; its parts are the texts on the names where they are most often."""

    _held: tuple[object, Walks] | None = None

    def retrieve(self, question: str, k: int) -> Evidence:
        read, settings = read_question(question), self._settings
        vector = self._context.embedding(read.text)

        def ask(tx: Transaction, corpus: Corpus) -> Evidence:
            state, walks = require_state(self._system, corpus), self._walks(tx, corpus)
            entities = question_entities(tx, corpus, read).entities
            near = nearest_chunks(tx, corpus, vector.result(), settings.nearest)
            seeds = {entity.id: walks.rarity(entity.id) for entity in entities if entity.id in walks.place}
            seeds |= {id_: settings.meaning * max(cosine, 0.0) for id_, cosine in near.cosines.items()}
            masses = walks.ranked(seeds, settings.damping)
            score = dict(islice(((id_, mass) for id_, mass in masses.items() if walks.place[id_] >= walks.names), k))
            names = list(islice((id_ for id_ in masses if walks.place[id_] < walks.names), MOST_TEXTS))
            (row,) = tx.run("systems/pagerank/texts", corpus.label, ids=names)
            parts = tuple(
                Part(kind="entity", text=text, score=masses[id_], chunks=tuple(chunks), documents=tuple(documents))
                for id_, text, chunks, documents in row["texts"]
            )
            rows = chunk_rows(tx, corpus, [*score, *(id_ for part in parts for id_ in part.chunks)])
            hits = ranked_hits(rows, score, lambda id_: [Reason("pagerank", score[id_], "share of the walks", CLAUSE)])
            notes = (*read.notes, *near.notes, *self._stale.of(tx, corpus, state))
            return Evidence(question, self.name, hits, notes=notes, parts=parts, sources=sources_of(parts, hits, rows))

        return self._query(ask)

    def _walks(self, tx: Transaction, corpus: Corpus) -> Walks:
        """Read once a version of the corpus."""
        version, held = (corpus.created, corpus.version), self._held
        if held is None or held[0] != version:
            held = self._held = (version, Walks.read(tx, corpus.label))
        return held[1]
