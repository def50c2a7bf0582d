"""SlimRAG's index: sentences with vectors, entities with vectors, and which sentence refers to which entity.

A document is read as a whole, and stored in one transaction with its mark, so that a killed run resumes with
the next. Adding or deleting a document touches its own sentences alone, and the entities that only they refer to. No
other retriever reads or writes any of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from overstory.display import counted
from overstory.graph import Corpus, GraphClient, Transaction, batches, schema
from overstory.graph.client import Row
from overstory.index.derived_vectors import DerivedVectors, remove_other_embedders, remove_unused_of, settle_awaited
from overstory.index.stages.embed import check_vectors
from overstory.llm import Chat, Estimate
from overstory.model.boilerplate import without_boilerplate
from overstory.protocols import Retriever
from overstory.retrieve import RetrievalContext
from overstory.systems.base import BuildContext, Owned, System, SystemRun, SystemView, unread
from overstory.systems.settings import option
from overstory.systems.slimrag.ids import entity_id, sentence_id
from overstory.systems.slimrag.reading import ReadDocument, Reader, ReadSentence, RuleReader, WholeDocument
from overstory.systems.slimrag.retriever_settings import SlimRagRetrieverSettings
from overstory.systems.state import IndexState
from overstory.systems.vector_indexes import SCANNED
from overstory.text.coreference.references import REFERENCES
from overstory.text.names.keys import entity_key
from overstory.text.parsing.readings import Reading

DOCUMENTS_A_PAGE = 500
SENTENCES_A_STATEMENT = 500
ENTITIES = "SlimEntity"
"""The kind of node whose vectors are searched."""


@dataclass(frozen=True, slots=True)
class SlimRagIndexSettings:
    """Settings of the index."""

    coreference: bool = option(True, "expressions that stand for the same thing are one entity")


class SlimRag(System[SlimRagIndexSettings, SlimRagRetrieverSettings]):
    """Source: Zhang et al. 2025, "Indexing Phase" and Algorithm 1, lines 2–10."""

    name = "slimrag"
    title = "SlimRAG"
    settings = SlimRagIndexSettings
    retriever_settings = SlimRagRetrieverSettings
    unit = "document"
    owns = Owned(
        labels=("SlimSentence", ENTITIES),
        unit_properties=("slimrag_prompt_tokens", "slimrag_completion_tokens"),
        vector_indexes=(ENTITIES,),
        saved_queries=("systems/slimrag/saved_queries/entity",),
        style=files("overstory.systems.slimrag").joinpath("style.grass"),
    )
    reads_with_model = True
    rebuilds_after_deletions = False

    def readings(self, settings: SlimRagIndexSettings, model: str) -> Sequence[Reading[Any]]:  # noqa: ARG002 # one parse serves all
        """Readings by rules, used without a language model."""
        return () if model else (REFERENCES,)

    def fingerprint(self, settings: SlimRagIndexSettings, context: BuildContext, chat: Chat | None) -> str:
        """The fingerprint of the reader."""
        return _reader(settings, context, chat).fingerprint

    def build(self, run: SystemRun[SlimRagIndexSettings]) -> None:
        """See `System.build`."""
        built = run.before is not None and run.before.built
        if run.before is not None and run.before.embedder != run.context.embedder.fingerprint:
            run.clear()
            remove_other_embedders(run.writer)
            built = False
        if built and run.backlog.pending > run.backlog.units - run.backlog.pending:
            # Made again after a large fill: one that grew by many small transactions answers five times more slowly.
            schema.drop_derived_index(run.graph, run.corpus.label, ENTITIES)
            built = False
        details = run.before.details if run.before is not None and built else {}
        run.publish(run.state(built=built, complete=False, details=details))
        run.progress.start(self.name, run.backlog.pending, "documents")
        _fill(run, _reader(run.settings, run.context, run.chat))
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
        """
        Raises:
            LlmError, ModelError, DatabaseError: as `System.build`.
        """
        from overstory.systems.slimrag.model_reading import ModelReader

        chat, before = view.context.chat(view.model), view.before
        reader = ModelReader(chat, RuleReader(view.context.extraction, coreference=view.settings.coreference))
        wanted = (view.settings, view.model, view.context.embedder.fingerprint, reader.fingerprint)
        same = before is not None and (before.settings, before.model, before.embedder, before.fingerprint) == wanted
        return reader.estimate(_documents(view.graph, view.corpus, self, before if same else None, again=not same))

    def describe(self, state: IndexState[SlimRagIndexSettings]) -> str:
        """Who read, and how."""
        return f"read by {state.model or 'rules'}, {'with' if state.settings.coreference else 'without'} coreference"

    def figures(
        self,
        graph: GraphClient,
        corpus: Corpus,
        state: IndexState[SlimRagIndexSettings],  # noqa: ARG002 # counted, not remembered
    ) -> Mapping[str, float]:
        """RITU is index tokens by corpus tokens, as the paper defines it (the fewer the more compact): with embeddings,
        and for the language model alone, which is 0 where rules read."""
        (row,) = graph.run("systems/slimrag/report", corpus.label, read=True)
        llm = row["prompt_tokens"] + row["completion_tokens"]
        whole = row["corpus_tokens"] or 1
        figures = {name: row[name] for name in ("sentences", "entities", "references")}
        figures |= {f"{name}_tokens": row[f"{name}_tokens"] for name in ("prompt", "completion", "embedding", "corpus")}
        return figures | {"RITU": round((llm + row["embedding_tokens"]) / whole, 3), "LLM-RITU": round(llm / whole, 3)}

    def retriever(self, context: RetrievalContext, settings: SlimRagRetrieverSettings) -> Retriever:
        """
        Raises:
            ModelError: the spaCy pipeline is not installed.
        """
        from overstory.systems.slimrag.retriever import SlimRagRetriever

        return SlimRagRetriever(self, context, settings)


def _reader(settings: SlimRagIndexSettings, context: BuildContext, chat: Chat | None) -> Reader:
    rules = RuleReader(context.extraction, coreference=settings.coreference, parsed=context.parsed)
    if chat is None:
        return rules
    from overstory.systems.slimrag.model_reading import ModelReader  # pydantic, which only a model needs

    return ModelReader(chat, rules)


def _documents(
    graph: GraphClient, corpus: Corpus, system: System[Any, Any], state: IndexState[Any] | None, *, again: bool = False
) -> Iterator[WholeDocument]:
    """The documents that are not read yet, in order of id, lazily."""
    for ids in unread(graph, corpus, system, state, again=again, size=DOCUMENTS_A_PAGE):
        for row in graph.run("systems/slimrag/documents", corpus.label, read=True, ids=ids):
            chunks = sorted(row["chunks"], key=lambda chunk: chunk["seq"])
            texts = tuple((chunk["id"], without_boilerplate(chunk["text"], chunk["boilerplate"])) for chunk in chunks)
            yield WholeDocument(row["id"], row["title"], texts)


def _fill(run: SystemRun[SlimRagIndexSettings], reader: Reader) -> None:
    documents = _documents(run.graph, run.corpus, run.system, None if run.scratch else run.before)
    for batch in batches(reader.read(documents), reader.at_once):
        _store(run, batch)
        run.ledger.count("documents", len(batch))
        run.ledger.count("windows", sum(read.windows for read in batch))
        run.ledger.count("read_by_rules", sum(read.by_rules for read in batch))
        run.progress.advance(len(batch))


def _store(run: SystemRun[SlimRagIndexSettings], batch: Sequence[ReadDocument]) -> None:
    """Writes documents with their sentences and entities, in one transaction."""
    label, embedder = run.corpus.label, run.context.embedder
    names = _names(label, batch)
    known = {row["id"] for row in run.graph.run("systems/slimrag/known_entities", label, read=True, ids=list(names))}
    new = {id_: name for id_, name in names.items() if id_ not in known}
    sentences = [sentence for document in batch for sentence in document.sentences]
    said, named = [sentence.text for sentence in sentences], list(new.values())
    store = DerivedVectors(run.writer, embedder, stage=run.system.name)
    store.of(said)  # so that all are stored
    vectors = embedder.embed(named) if named else np.zeros((0, embedder.dimension), np.float32)
    check_vectors(vectors, len(named), embedder)
    tokens = embedder.count_tokens([*said, *named]) if said else []
    entity_rows = [
        {"id": id_, "key": entity_key(name), "name": name, "tokens": count, "vector": vector.tolist()}
        for (id_, name), count, vector in zip(new.items(), tokens[len(said) :], vectors, strict=True)
    ]
    sentence_rows = [_row(label, *each) for each in zip(sentences, tokens, store.ids(said), strict=False)]
    took = [
        {"id": read.id, "prompt": read.usage.prompt_tokens, "completion": read.usage.completion_tokens}
        for read in batch
    ]

    def write(tx: Transaction) -> None:
        (cleared,) = tx.run("systems/slimrag/clear", label, ids=[document.id for document in batch])
        tx.run("systems/slimrag/write_entities", label, label=label, rows=entity_rows)
        for rows in batches(sentence_rows, SENTENCES_A_STATEMENT):
            tx.run("systems/slimrag/write_sentences", label, label=label, rows=rows)
        tx.run("systems/slimrag/remove_orphans", label, ids=cleared["entities"])
        remove_unused_of(tx, label, cleared["vectors"])
        tx.run("systems/slimrag/write_tokens", label, rows=took)

    run.commit(write, done=[document.id for document in batch])
    run.ledger.count("sentences", len(sentences))
    run.ledger.count("entities", len(new))
    run.ledger.count("embedding_tokens", sum(tokens))


def _names(label: str, batch: Iterable[ReadDocument]) -> dict[str, str]:
    """The entities that some documents refer to: their ids, and the first name of each."""
    names: dict[str, str] = {}
    for document in batch:
        for sentence in document.sentences:
            for reference in sentence.refers:
                key = entity_key(reference.name)
                if key:
                    names.setdefault(entity_id(label, key), reference.name)
    return names


def _row(label: str, sentence: ReadSentence, tokens: int, vector: str) -> Row:
    """A sentence as it is stored; `vector` is the id of its vector. Of several references to one entity the plainest
    counts."""
    refers: dict[str, dict[str, Any]] = {}  # values as the statement's header says
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
