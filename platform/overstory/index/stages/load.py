"""The load stage: documents in, `Document` and `Chunk` nodes out. The same content twice changes nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from overstory.display import counted
from overstory.errors import BrokenSource
from overstory.graph import Corpus, GraphClient, Writer
from overstory.graph.ids import document_id
from overstory.index.boilerplate import count_all_documents, sync_boilerplate
from overstory.index.document_checks import fault_of
from overstory.index.ledger import recorded
from overstory.index.stages.annotate import annotate
from overstory.index.write_documents import chunk_rows, document_row, store_documents
from overstory.model import Annotation, Document
from overstory.protocols import Embedder, OnBroken, Progress
from overstory.text.chunking.splitting import split

DOCUMENTS_A_BATCH = 100
CHARACTERS_A_BATCH = 4_000_000
MOST_SHOWN = 5


@dataclass(slots=True, repr=False)
class LoadReport:
    """The outcome of loading a run's documents, each counted once.

    Attributes:
        annotated: documents that got entities and triples from an annotation.
        broken: what could not be read or stored; the rest went in.
    """

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    chunks: int = 0
    annotated: int = 0
    broken: list[BrokenSource] = field(default_factory=list[BrokenSource])
    skipped: list[str] = field(default_factory=list[str])

    @property
    def documents(self) -> int:
        return self.added + self.changed + self.unchanged

    def __repr__(self) -> str:
        """The counts, and below them the first of what was broken."""
        counts = f"{self.added:,} added, {self.changed:,} changed, {self.unchanged:,} unchanged"
        others = (("annotated", self.annotated), ("skipped", len(self.skipped)), ("broken", len(self.broken)))
        rest = "".join(f", {number:,} {what}" for what, number in others if number)
        lines = [f"<LoadReport: {counts}{rest}; {counted(self.chunks, 'new chunk')}>"]
        lines += [f"  {error}" for error in self.broken[:MOST_SHOWN]]
        if len(self.broken) > MOST_SHOWN:
            lines.append(f"  … and {len(self.broken) - MOST_SHOWN:,} more in .broken")
        return "\n".join(lines)


def load(
    writer: Writer,
    documents: Iterable[Document | Annotation],
    embedder: Embedder,
    *,
    report: LoadReport,
    on_broken: OnBroken,
    progress: Progress,
) -> None:
    """Writes documents in batches, each whole or not at all; `report` says what became of them.

    An annotation must come after its document. The embedder gives the token limit of a chunk.

    Raises:
        LeaseLost, DatabaseError: what was committed before stays, and the same call goes on from there.
    """
    progress.start("load", None, "documents")
    with recorded(writer, "load", "load-1") as run:
        count_all_documents(writer)
        for batch in _document_batches(documents):
            _load_batch(writer, _storable(batch, on_broken), embedder, report)
            annotations = [item for item in batch if isinstance(item, Annotation)]
            report.annotated += annotate(writer, annotations, on_broken)
            progress.advance(len(batch))
        for what in ("added", "changed", "unchanged", "chunks", "annotated"):
            run.count(what, getattr(report, what))
    progress.finish(f"{report.added} added, {report.changed} changed, {report.unchanged} unchanged")
    sync_boilerplate(writer, progress=progress)


def preview(
    graph: GraphClient, corpus: Corpus | None, documents: Iterable[Document | Annotation], *, report: LoadReport
) -> None:
    """Counts in `report` what `load` would do, and writes nothing. Without a corpus everything would be new."""
    for batch in _document_batches(documents):
        wanted = [item for item in batch if isinstance(item, Document)]
        report.annotated += len(batch) - len(wanted)
        if corpus is None:
            report.added += len(wanted)
            continue
        by_id = {document_id(corpus.label, d.source, d.source_key): d for d in wanted}
        known = _known(graph, corpus.label, list(by_id))
        for id_, document in by_id.items():
            if id_ not in known:
                report.added += 1
            elif known[id_] == sha256_of(document):
                report.unchanged += 1
            else:
                report.changed += 1


def sha256_of(document: Document) -> str:
    """Detects a changed document: hexadecimal SHA-256 over its title, text, headings and metadata."""
    headings = [[h.start, h.level, h.text] for h in document.headings]
    content = [document.title, document.text, headings, dict(document.metadata)]
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _storable(batch: Iterable[Document | Annotation], on_broken: OnBroken) -> list[Document]:
    """The documents of a batch that can be stored; the others go to `on_broken`."""
    documents: list[Document] = []
    for item in batch:
        if isinstance(item, Document):
            fault = fault_of(item)
            if fault is None:
                documents.append(item)
            else:
                on_broken(fault)
    return documents


def _document_batches(items: Iterable[Document | Annotation]) -> Iterator[list[Document | Annotation]]:
    """Batches of bounded number and bounded text."""
    batch: list[Document | Annotation] = []
    characters = 0
    for item in items:
        batch.append(item)
        characters += len(str(item.text)) if isinstance(item, Document) else 0
        if len(batch) >= DOCUMENTS_A_BATCH or characters >= CHARACTERS_A_BATCH:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _load_batch(writer: Writer, batch: Sequence[Document], embedder: Embedder, report: LoadReport) -> None:
    label = writer.corpus.label
    by_id = {document_id(label, d.source, d.source_key): d for d in batch}
    shas = {id_: sha256_of(document) for id_, document in by_id.items()}
    known = _known(writer.graph, label, list(by_id))
    wanted = {id_: document for id_, document in by_id.items() if known.get(id_) != shas[id_]}
    report.unchanged += len(by_id) - len(wanted)
    if not wanted:
        return
    changed = [id_ for id_ in wanted if id_ in known]
    pieces = {id_: split(document, embedder.count_tokens, embedder.token_limit) for id_, document in wanted.items()}
    documents = [document_row(label, id_, d, shas[id_], len(pieces[id_])) for id_, d in wanted.items()]
    chunks = [row for id_, d in wanted.items() for row in chunk_rows(label, id_, d.title, pieces[id_])]
    writer.commit("load", lambda tx: store_documents(tx, writer.corpus, changed, documents, chunks))
    report.changed += len(changed)
    report.added += len(wanted) - len(changed)
    report.chunks += len(chunks)


def _known(graph: GraphClient, label: str, ids: list[str]) -> dict[str, str]:
    """The SHA-256 of those documents that are stored, by id."""
    rows = graph.run("ingest/known_documents", label, read=True, ids=ids)
    return {row["id"]: row["sha256"] for row in rows}
