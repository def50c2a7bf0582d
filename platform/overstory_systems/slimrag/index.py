"""SlimRAG's index: sentences and entities with vectors, and the entities to which each sentence refers.

Documents are read completely and stored in one transaction together with their progress marks. Therefore, a killed
build resumes with the next documents. If a document is added or deleted, only its own sentences change, and entities to
which no other sentences refer. No other retriever uses these nodes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np

from overstory.display import counted
from overstory.graph import Corpus, GraphClient, Transaction, batches, schema
from overstory.graph.client import Row
from overstory.index.derived_vectors import DerivedVectors, remove_other_embedders, remove_unused_of, settle_awaited
from overstory.index.prefetch import prefetch
from overstory.index.stages.embed import check_vectors
from overstory.llm import Chat, Estimate
from overstory.model.passage_text import without_boilerplate
from overstory.protocols import Retriever
from overstory.retrieve import RetrievalContext
from overstory.systems.base import BuildContext, Owned, System, SystemRun, SystemView, unread
from overstory.systems.figures import PartSeconds, TimedEmbedder
from overstory.systems.settings import Preset, Presets, option
from overstory.systems.state import IndexState
from overstory.systems.statements import Statements, run_statements, shared_labels
from overstory.systems.vector_indexes import SCANNED
from overstory.text.coreference.references import REFERENCES
from overstory.text.names.keys import entity_key
from overstory.text.parsing.readings import Reading
from overstory_systems.slimrag.entity_readers import (
    EntityReader,
    ReadDocument,
    ReadSentence,
    RuleReader,
    WholeDocument,
    entity_id,
    sentence_id,
)


@dataclass(frozen=True, slots=True)
class SlimRagRetrieverSettings:
    """Settings of the retriever. The defaults are from the paper's appendix."""

    decomposition: bool = option(True, "split questions into sub-questions first")
    entities: int = option(5, "K: entities of the corpus per entity of the question", least=1, most=100)
    sentences: int = option(10, "H: sentences in the context", least=1, most=1_000)
    context_tokens: int = option(500, "tokens in the context", least=1, most=100_000)

    presets: ClassVar[Presets] = {"whole": Preset("questions are not split", {"decomposition": False})}


_SLIMRAG_DOCUMENTS_A_PAGE = 500
ENTITIES = "SlimEntity"
"""Label of the nodes whose vectors are searched."""


@dataclass(frozen=True, slots=True)
class SlimRagIndexSettings:
    """Settings of the index."""

    coreference: bool = option(True, "treat expressions that refer to the same thing as one entity")


class SlimRag(System[SlimRagIndexSettings, SlimRagRetrieverSettings]):
    """The SlimRAG system, which indexes sentences and the entities to which they refer.

    Source: Zhang et al. 2025, "Indexing Phase" and Algorithm 1, lines 2–10.
    """

    name = "slimrag"
    title = "SlimRAG"
    good_for = 'sentences instead of passages, also those that say "she" or "the company"'
    settings = SlimRagIndexSettings
    retriever_settings = SlimRagRetrieverSettings
    unit = "document"
    owns = Owned(
        labels=("SlimSentence", ENTITIES),
        unit_properties=("slimrag_prompt_tokens", "slimrag_completion_tokens"),
        vector_indexes=(ENTITIES,),
        saved_queries=("systems/slimrag/saved_queries/entity",),
        style=files("overstory_systems.slimrag").joinpath("style.grass"),
    )
    reads_with_model = True
    rebuilds_after_deletions = False

    def readings(self, settings: SlimRagIndexSettings, model: str) -> Sequence[Reading[Any]]:  # noqa: ARG002 # the same for all settings
        """Return the readings that the rules need. A language model needs none."""
        return () if model else (REFERENCES,)

    def fingerprint(self, settings: SlimRagIndexSettings, context: BuildContext, chat: Chat | None) -> str:
        return _reader(settings, context, chat).fingerprint

    def build(self, run: SystemRun[SlimRagIndexSettings]) -> None:
        built = run.before is not None and run.before.built
        if run.before is not None and run.before.embedder != run.context.embedder.fingerprint:
            run.clear()
            remove_other_embedders(run.writer)
            built = False
        if built and run.backlog.pending > run.backlog.units - run.backlog.pending:
            # After a large change, the index is rebuilt: growing it in small transactions makes it five times slower.
            schema.drop_derived_index(run.graph, run.corpus.label, ENTITIES)
            built = False
        details = run.before.details if run.before is not None and built else {}
        run.publish(run.state(built=built, complete=False, details=details))
        run.progress.start(self.name, run.backlog.pending, "documents")
        _Fill(run, _reader(run.settings, run.context, run.chat)).run()
        settle_awaited(run.writer, stage=self.name)
        dimension = run.context.embedder.dimension
        index = schema.sync_derived_index(run.graph, run.corpus.label, ENTITIES, dimension=dimension)
        run.publish(run.state(built=True, complete=True, details={SCANNED: [] if index else [ENTITIES]}))
        counts = run.ledger.counts
        sentences, entities = counts.get("sentences", 0), counts.get("entities", 0)
        run.progress.finish(f"{counted(sentences, 'sentence')}, {counted(entities, 'new entity', 'new entities')}")
        if counts.get("read_by_rules"):
            run.notes.append(
                f"{counts['read_by_rules']:,} of {counted(counts['windows'], 'window')} of sentences were read by "
                f"rules: the answers of {run.model} could not be used, or named nothing"
            )

    def estimate(self, view: SystemView[SlimRagIndexSettings]) -> Estimate:
        from overstory_systems.slimrag.model_entities import ModelEntityReader

        chat, before = view.context.chat(view.model), view.before
        reader = ModelEntityReader(chat, RuleReader(view.context.extraction, coreference=view.settings.coreference))
        wanted = (view.settings, view.model, view.context.embedder.fingerprint, reader.fingerprint)
        same = before is not None and (before.settings, before.model, before.embedder, before.fingerprint) == wanted
        return reader.estimate(_documents(view.graph, view.corpus, self, before if same else None, again=not same))

    def describe(self, state: IndexState[SlimRagIndexSettings]) -> str:
        """Describe the reader, and state whether coreference is resolved."""
        return f"read by {state.model or 'rules'}, {'with' if state.settings.coreference else 'without'} coreference"

    def figures(
        self,
        graph: GraphClient,
        corpus: Corpus,
        state: IndexState[SlimRagIndexSettings],  # noqa: ARG002 # the graph is counted
    ) -> Mapping[str, float]:
        """Count sentences, entities, references and tokens, and compute RITU and LLM-RITU.

        RITU, defined in the paper, is the number of index tokens divided by the number of corpus tokens. A low value
        means a compact index. LLM-RITU only counts the language model's tokens, and is 0 with rules.
        """
        (row,) = graph.run("systems/slimrag/report", corpus.label, read=True)
        llm = row["prompt_tokens"] + row["completion_tokens"]
        whole = row["corpus_tokens"] or 1
        figures = {name: row[name] for name in ("sentences", "entities", "references")}
        figures |= {f"{name}_tokens": row[f"{name}_tokens"] for name in ("prompt", "completion", "embedding", "corpus")}
        return figures | {"RITU": round((llm + row["embedding_tokens"]) / whole, 3), "LLM-RITU": round(llm / whole, 3)}

    def retriever(self, context: RetrievalContext, settings: SlimRagRetrieverSettings) -> Retriever:
        from overstory_systems.slimrag.retriever import SlimRagRetriever

        return SlimRagRetriever(self, context, settings)


def _reader(settings: SlimRagIndexSettings, context: BuildContext, chat: Chat | None) -> EntityReader:
    rules = RuleReader(context.extraction, coreference=settings.coreference, parsed=context.parsed)
    if chat is None:
        return rules
    from overstory_systems.slimrag.model_entities import ModelEntityReader  # pydantic is needed only with a model

    return ModelEntityReader(chat, rules)


def _documents(
    graph: GraphClient, corpus: Corpus, system: System[Any, Any], state: IndexState[Any] | None, *, again: bool = False
) -> Iterator[WholeDocument]:
    for ids in unread(graph, corpus, system, state, again=again, size=_SLIMRAG_DOCUMENTS_A_PAGE):
        for row in graph.run("systems/slimrag/documents", corpus.label, read=True, ids=ids):
            chunks = sorted(row["chunks"], key=lambda chunk: chunk["seq"])
            texts = tuple((chunk["id"], without_boilerplate(chunk["text"], chunk["boilerplate"])) for chunk in chunks)
            yield WholeDocument(row["id"], row["title"], texts)


class _Fill:
    def __init__(self, run: SystemRun[SlimRagIndexSettings], reader: EntityReader) -> None:
        self._run = run
        self._reader = reader
        self._reading, self._making, self._writing = (PartSeconds(run.figures) for _ in range(3))  # one per thread
        self._embedder = TimedEmbedder(run.context.embedder, self._making, run.figures)
        self._store = DerivedVectors(run.writer, self._embedder, stage=run.system.name)
        self._one_page = threading.Lock()
        self._coming: frozenset[str] = frozenset()  # ids of the entities of the page that is written next

    def run(self) -> None:
        run, removed = self._run, set[str]()
        for page in prefetch(self._pages()) if run.chat is None else self._pages():
            ready = page
            # The previous page may have deleted entities or vectors that this page uses.
            if not removed.isdisjoint(page.relies_on):
                ready = self._page(page.documents, frozenset())
            with self._writing("write"):
                removed = self._written(ready)
            self._count(ready)
            run.progress.advance(len(ready.documents))

    def _pages(self) -> Iterator[_DocumentPage]:
        run = self._run
        documents = _documents(run.graph, run.corpus, run.system, None if run.scratch else run.before)
        read = batches(self._reader.read(documents), self._reader.at_once)
        while True:
            with self._reading("read"):
                batch = next(read, None)
            if batch is None:
                return
            page = self._page(batch, self._coming)
            self._coming = frozenset(row["id"] for row in page.entities)
            yield page

    def _page(self, batch: Sequence[ReadDocument], coming: frozenset[str]) -> _DocumentPage:
        """Prepare a page of documents. The vectors of their sentences are stored immediately.

        Args:
            coming: Ids of entities that will be stored before this page is written.
        """
        with self._one_page, self._making("vectors"):
            return self._made(batch, coming)

    def _made(self, batch: Sequence[ReadDocument], coming: frozenset[str]) -> _DocumentPage:
        run, embedder = self._run, self._embedder
        label = run.corpus.label
        names = _names(label, batch)
        sentences = [sentence for document in batch for sentence in document.sentences]
        texts = [sentence.text for sentence in sentences]
        self._store.of(texts)  # stores all vectors
        rows = run.graph.run("systems/slimrag/known_entities", label, read=True, ids=list(names))
        known = coming.union(str(row["id"]) for row in rows)
        new = {id_: name for id_, name in names.items() if id_ not in known}
        named = list(new.values())
        vectors = embedder.embed(named) if named else np.zeros((0, embedder.dimension), np.float32)
        check_vectors(vectors, len(named), embedder)
        tokens = embedder.count_tokens([*texts, *named]) if texts else []
        entity_rows: list[Row] = [
            {
                "id": id_,
                "properties": {"key": entity_key(name), "name": name, "tokens": count},
                "vector": vector.tolist(),
            }
            for (id_, name), count, vector in zip(new.items(), tokens[len(texts) :], vectors, strict=True)
        ]
        ids = self._store.ids(texts)
        sentence_rows = [_row(label, *each) for each in zip(sentences, tokens, ids, strict=False)]
        return _DocumentPage(batch, entity_rows, sentence_rows, known.union(ids), sum(tokens))

    def _written(self, page: _DocumentPage) -> set[str]:
        """Write a page in one transaction, and return the ids of entities and vectors that it may have deleted."""
        label = self._run.corpus.label
        took = [
            {"id": read.id, "prompt": read.usage.prompt_tokens, "completion": read.usage.completion_tokens}
            for read in page.documents
        ]
        removed: set[str] = set()

        def write(tx: Transaction) -> None:
            (cleared,) = tx.run("systems/slimrag/clear", label, ids=[document.id for document in page.documents])
            statements: Statements = [
                ("systems/store/insert", page.entities, {"labels": shared_labels(label, ENTITIES)}),
                ("systems/slimrag/write_sentences", page.sentences, {}),
            ]
            run_statements(tx, label, statements)
            tx.run("systems/slimrag/remove_orphans", label, ids=cleared["entities"])
            remove_unused_of(tx, label, cleared["vectors"])
            tx.run("systems/slimrag/write_tokens", label, rows=took)
            removed.update(cleared["entities"], cleared["vectors"])

        self._run.commit(write, done=[document.id for document in page.documents])
        return removed

    def _count(self, page: _DocumentPage) -> None:
        ledger = self._run.ledger
        ledger.count("documents", len(page.documents))
        ledger.count("windows", sum(read.windows for read in page.documents))
        ledger.count("read_by_rules", sum(read.by_rules for read in page.documents))
        ledger.count("sentences", len(page.sentences))
        ledger.count("entities", len(page.entities))
        ledger.count("embedding_tokens", page.tokens)


@dataclass(frozen=True, slots=True)
class _DocumentPage:
    documents: Sequence[ReadDocument]
    entities: Sequence[Row]  # new entities only
    sentences: Sequence[Row]
    relies_on: frozenset[str]  # ids of stored entities and vectors that the sentences use
    tokens: int  # total of all embedded texts


def _names(label: str, batch: Iterable[ReadDocument]) -> dict[str, str]:
    names: dict[str, str] = {}
    for document in batch:
        for sentence in document.sentences:
            for reference in sentence.refers:
                key = entity_key(reference.name)
                if key:
                    names.setdefault(entity_id(label, key), reference.name)
    return names


def _row(label: str, sentence: ReadSentence, tokens: int, vector: str) -> Row:
    """Convert a sentence to a row with its vector's id and, for each entity, its most literal reference."""
    refers: dict[str, dict[str, Any]] = {}  # columns are listed in the statement's header
    plainest = sorted(sentence.refers, key=lambda reference: ("text", "alias", "coreference").index(reference.by))
    for reference in plainest:
        key = entity_key(reference.name)
        if key:
            row = {"entity": entity_id(label, key), "surface": reference.surface, "by": reference.by}
            refers.setdefault(row["entity"], row)
    return {
        "id": sentence_id(sentence.chunk, sentence.seq),
        "chunk": sentence.chunk,
        "seq": sentence.seq,
        "text": sentence.text,
        "tokens": tokens,
        "vector": vector,
        "refers": list(refers.values()),
    }
