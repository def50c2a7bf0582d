"""SlimRAG's index: sentences with vectors, entities with vectors, and which sentence refers to which entity.

A document is read as a whole, and stored in one transaction with its mark (the label `…_SlimRead`), so that a run that
is killed goes on with the next. Adding or deleting a document touches its own sentences alone, and the entities that
only they refer to. Nothing here is read or written by any other retriever.
"""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from overstory.display import counted
from overstory.errors import BudgetExhausted, LlmError, SettingsError
from overstory.graph import Corpus, GraphClient, Transaction, Writer, batches, read_corpus, schema
from overstory.graph.client import Row
from overstory.graph.corpora import SYSTEM
from overstory.graph.ids import slim_entity_id, slim_sentence_id
from overstory.index.ledger import StageRun, forget, recorded
from overstory.index.stages.embed import check_vectors
from overstory.llm import NO_MODEL, Chat, Estimate, Spent
from overstory.protocols import Embedder
from overstory.systems.base import BuildContext, Built, SystemReport
from overstory.systems.slimrag.reading import ReadDocument, Reader, ReadSentence, RuleReader, WholeDocument
from overstory.text.coreference.references import REFERENCES
from overstory.text.names.keys import entity_key
from overstory.text.parsing.readings import Reading
from overstory.vectors.packed import packed

NAME = "slimrag"
OPTIONS = {"coreference": True, "no-coreference": False}
DOCUMENTS_A_PAGE = 500
SENTENCES_A_STATEMENT = 500
_WAY_OUT = (
    "SlimRAG's index of this corpus reads with a language model; to have rules read instead: overstory index"
    " --system slimrag --model none --corpus {corpus}"
)


@dataclass(frozen=True, slots=True)
class Kept:
    """What a corpus keeps of SlimRAG.

    Attributes:
        coreference: whether expressions that stand for the same thing are one entity.
        model: the name of the language model that reads, "" if rules do.
        embedder: the fingerprint of the vectors.
        reader: the fingerprint of what reads, "" before the first document was read.
        ready: whether the index over entities is there.
    """

    coreference: bool = True
    model: str = ""
    embedder: str = ""
    reader: str = ""
    ready: bool = False

    @classmethod
    def of(cls, corpus: Corpus) -> Kept | None:
        """None if the corpus has no index for SlimRAG."""
        kept = corpus.systems.get(NAME)
        return None if kept is None else cls(**json.loads(kept))

    def with_wishes(self, option: str | None, model: str | None) -> Kept:
        """
        Raises:
            SettingsError: there is no such option.
        """
        if option is not None and option not in OPTIONS:
            raise SettingsError(
                f"SlimRAG's index has no option {option!r}.", remedy=f"Use one of: {', '.join(OPTIONS)}."
            )
        return replace(
            self,
            coreference=self.coreference if option is None else OPTIONS[option],
            model={None: self.model, NO_MODEL: ""}.get(model, model or ""),
        )


class SlimRag:
    """See `overstory.systems.System`. Source: Zhang et al. 2025, "Indexing Phase" and Algorithm 1, lines 2–10."""

    name = NAME

    def readings(self, corpus: Corpus, *, option: str | None, model: str | None) -> Sequence[Reading[Any]]:
        """What rules read, where no language model does.

        Raises:
            SettingsError: there is no such option.
        """
        kept = (Kept.of(corpus) or Kept()).with_wishes(option, model)
        return () if kept.model else (REFERENCES,)

    def build(self, writer: Writer, context: BuildContext, *, option: str | None, model: str | None) -> Built:
        """
        Raises:
            SettingsError, LlmError, BudgetExhausted, ModelError, LeaseLost, DatabaseError: as `System.build`.
        """
        corpus = read_corpus(writer.graph, writer.corpus.name)
        before = Kept.of(corpus)
        documents, done = _counts(writer.graph, corpus)
        kept = (before or Kept()).with_wishes(option, model)
        current = kept == before and kept.ready and kept.embedder == context.embedder.fingerprint
        if kept.model and current and documents == done:
            return Built(False)  # the model may be gone, where nothing is to be read
        chat = _chat(kept, context, corpus)
        reader = _reader(kept, context, chat)
        kept = replace(kept, embedder=context.embedder.fingerprint, reader=reader.fingerprint)
        if before is not None and before.embedder != kept.embedder:
            _clear(writer)
            kept = replace(kept, ready=False)
        if before is None or replace(before, ready=kept.ready) != kept:
            writer.graph.run_in_batches("systems/slimrag/unread", corpus.label)
            done = 0
        if kept.ready and documents - done > done:
            schema.drop_slimrag_index(writer.graph, corpus.label)
            kept = replace(kept, ready=False)
        if kept != before:
            _keep(writer, kept)
        notes = self._read(writer, reader, context, kept, chat, documents - done) if documents > done else ()
        if not kept.ready:
            # Made anew after many entities came in, since one that grew by many small transactions answers five times
            # more slowly.
            schema.create_slimrag_index(writer.graph, corpus.label, context.embedder.dimension)
            _keep(writer, replace(kept, ready=True))
        return Built(documents > done, notes)

    def _read(
        self,
        writer: Writer,
        reader: Reader,
        context: BuildContext,
        kept: Kept,
        chat: Chat | None,
        pending: int,
    ) -> tuple[str, ...]:
        """Reads what is not read yet; what is to be known of that."""
        context.progress.start(NAME, pending, "documents")
        before = chat.accounts.spent if chat else Spent()
        with recorded(writer, NAME, f"{kept.reader} {kept.embedder}") as run:
            try:
                _fill(writer, reader, context, run)
            except BudgetExhausted:
                raise
            except LlmError as error:
                raise _with_way_out(error, writer.corpus) from error.__cause__
            took = chat.accounts.spent - before if chat else Spent()
            run.tokens += took.usage.tokens
        sentences, entities = run.counts.get("sentences", 0), run.counts.get("entities", 0)
        context.progress.finish(f"{counted(sentences, 'sentence')}, {counted(entities, 'new entity', 'new entities')}")
        return tuple(_told(kept, run.counts, took)) if chat else ()

    def estimate(
        self, graph: GraphClient, corpus: Corpus, context: BuildContext, *, option: str | None, model: str | None
    ) -> Estimate:
        """
        Raises:
            SettingsError, LlmError, ModelError, DatabaseError: as `System.build`.
        """
        before = Kept.of(corpus)
        kept = (before or Kept()).with_wishes(option, model)
        if not kept.model:
            return Estimate.nothing()
        from overstory.systems.slimrag.model_reading import ModelReader

        reader = ModelReader(context.chat(kept.model), RuleReader(context.extraction, coreference=kept.coreference))
        same = replace(kept, embedder=context.embedder.fingerprint, reader=reader.fingerprint) == before
        return reader.estimate(_documents(graph, corpus, everything=not same))

    def option_for(self, retriever_option: str) -> str | None:  # noqa: ARG002 # the protocol's
        """See `System.option_for`: the retriever's options are of questions alone."""
        return None

    def report(self, graph: GraphClient, corpus: Corpus) -> SystemReport:
        """RITU is index tokens by corpus tokens, as the paper defines it (the fewer the more compact): with embeddings,
        and for the language model alone, which is 0 where rules read."""
        kept = Kept.of(corpus) or Kept()
        (row,) = graph.run("systems/slimrag/report", corpus.label, read=True)
        llm = row["prompt_tokens"] + row["completion_tokens"]
        whole = row["corpus_tokens"] or 1
        figures = {name: row[name] for name in ("sentences", "entities", "references")}
        figures |= {f"{name}_tokens": row[f"{name}_tokens"] for name in ("prompt", "completion", "embedding", "corpus")}
        figures |= {"RITU": round((llm + row["embedding_tokens"]) / whole, 3), "LLM-RITU": round(llm / whole, 3)}
        how = f"read by {kept.model or 'rules'}, {'with' if kept.coreference else 'without'} coreference"
        return SystemReport(NAME, row["documents"] - row["done"], how, figures)

    def pending(self, graph: GraphClient, corpus: Corpus) -> int:
        documents, done = _counts(graph, corpus)
        return documents - done

    def remove(self, writer: Writer) -> None:
        """
        Raises:
            LeaseLost, DatabaseError: call again to go on.
        """
        writer.set(**{SYSTEM + NAME: None})  # first: no reader shall find a part of it
        _clear(writer)
        writer.graph.run_in_batches("systems/slimrag/unread", writer.corpus.label)
        forget(writer, NAME)


def _told(kept: Kept, counts: dict[str, int], took: Spent) -> Iterator[str]:
    """What a run with a language model took, and how often rules stood in for it."""
    yield f"{kept.model} took {took}"
    if counts.get("read_by_rules"):
        windows = counted(counts["windows"], "window")
        yield (
            f"{counts['read_by_rules']:,} of {windows} of sentences were read by rules: the answers of {kept.model}"
            " could not be used, or named nothing"
        )


def _chat(kept: Kept, context: BuildContext, corpus: Corpus) -> Chat | None:
    """The language model that the corpus is read with."""
    if not kept.model:
        return None
    try:
        return context.chat(kept.model)
    except LlmError as error:
        raise _with_way_out(error, corpus) from error.__cause__


def _with_way_out(error: LlmError, corpus: Corpus) -> LlmError:
    """The same error, that also says how to go on without the model."""
    error.remedy = f"{error.remedy} {_WAY_OUT.format(corpus=shlex.quote(corpus.name))}".strip()
    return error


def _clear(writer: Writer) -> None:
    schema.drop_slimrag_index(writer.graph, writer.corpus.label)
    writer.graph.run_in_batches("systems/slimrag/remove", writer.corpus.label)


def _reader(kept: Kept, context: BuildContext, chat: Chat | None) -> Reader:
    rules = RuleReader(context.extraction, coreference=kept.coreference, parsed=context.parsed)
    if chat is None:
        return rules
    from overstory.systems.slimrag.model_reading import ModelReader  # pydantic, which only a model needs

    return ModelReader(chat, rules)


def _counts(graph: GraphClient, corpus: Corpus) -> tuple[int, int]:
    """How many documents there are, and how many of them were read."""
    (row,) = graph.run("systems/slimrag/pending", corpus.label, read=True)
    return row["documents"], row["done"]


def _keep(writer: Writer, kept: Kept) -> None:
    writer.set(**{SYSTEM + NAME: json.dumps(asdict(kept))})


def _documents(graph: GraphClient, corpus: Corpus, *, everything: bool = False) -> Iterator[WholeDocument]:
    """The documents that are not read yet, or all of them, in order of id, lazily."""
    pages = graph.pages("systems/slimrag/documents", corpus.label, size=DOCUMENTS_A_PAGE, everything=everything)
    for row in itertools.chain.from_iterable(pages):
        chunks = sorted(row["chunks"], key=lambda chunk: chunk["seq"])
        texts = tuple((chunk["id"], chunk["text"]) for chunk in chunks)
        yield WholeDocument(row["id"], row["title"], texts)


def _fill(writer: Writer, reader: Reader, context: BuildContext, run: StageRun) -> None:
    documents = _documents(writer.graph, writer.corpus)
    for batch in batches(reader.read(documents), reader.at_once):
        _store(writer, batch, context.embedder, run)
        run.count("documents", len(batch))
        run.count("windows", sum(read.windows for read in batch))
        run.count("read_by_rules", sum(read.by_rules for read in batch))
        context.progress.advance(len(batch))


def _store(writer: Writer, batch: Sequence[ReadDocument], embedder: Embedder, run: StageRun) -> None:
    """Documents with their sentences and entities, in one transaction."""
    label = writer.corpus.label
    names = _names(label, batch)
    known = {row["id"] for row in writer.graph.run("systems/slimrag/known_entities", label, read=True, ids=list(names))}
    new = {id_: name for id_, name in names.items() if id_ not in known}
    sentences = [sentence for document in batch for sentence in document.sentences]
    texts = [*(sentence.text for sentence in sentences), *new.values()]
    vectors = embedder.embed(texts) if texts else np.zeros((0, embedder.dimension), np.float32)
    check_vectors(vectors, len(texts), embedder)
    tokens = embedder.count_tokens(texts) if texts else []
    entity_rows = [
        {"id": id_, "key": entity_key(name), "name": name, "tokens": count, "vector": vector.tolist()}
        for (id_, name), count, vector in zip(
            new.items(), tokens[len(sentences) :], vectors[len(sentences) :], strict=True
        )
    ]
    of_sentences = packed(vectors[: len(sentences)])
    sentence_rows = [_row(label, *each) for each in zip(sentences, tokens, of_sentences, strict=False)]
    finished = [
        {"id": read.id, "prompt": read.usage.prompt_tokens, "completion": read.usage.completion_tokens}
        for read in batch
    ]

    def write(tx: Transaction) -> None:
        (cleared,) = tx.run("systems/slimrag/clear", label, ids=[document.id for document in batch])
        tx.run("systems/slimrag/write_entities", label, label=label, rows=entity_rows)
        for rows in batches(sentence_rows, SENTENCES_A_STATEMENT):
            tx.run("systems/slimrag/write_sentences", label, label=label, rows=rows)
        tx.run("systems/slimrag/remove_orphans", label, ids=cleared["entities"])
        tx.run("systems/slimrag/finish", label, rows=finished)

    writer.commit(NAME, write)
    run.count("sentences", len(sentences))
    run.count("entities", len(new))
    run.count("embedding_tokens", sum(tokens))


def _names(label: str, batch: Iterable[ReadDocument]) -> dict[str, str]:
    """The entities that some documents refer to: their ids, and the first name of each."""
    names: dict[str, str] = {}
    for document in batch:
        for sentence in document.sentences:
            for reference in sentence.refers:
                key = entity_key(reference.name)
                if key:
                    names.setdefault(slim_entity_id(label, key), reference.name)
    return names


def _row(label: str, sentence: ReadSentence, tokens: int, vector: bytes) -> Row:
    """A sentence as it is stored. Of several references to one entity the plainest counts."""
    refers: dict[str, dict[str, Any]] = {}  # values as the statement's header says
    plainest = sorted(sentence.refers, key=lambda reference: ("text", "alias", "coreference").index(reference.by))
    for reference in plainest:
        key = entity_key(reference.name)
        if key:
            row = {"entity": slim_entity_id(label, key), "surface": reference.surface, "by": reference.by}
            refers.setdefault(row["entity"], row)
    return {
        "id": slim_sentence_id(sentence.chunk, sentence.seq),
        "chunk": sentence.chunk,
        "seq": sentence.seq,
        "text": sentence.text,
        "tokens": tokens,
        "vector": vector,
        "refers": list(refers.values()),
    }
