"""Storing documents as `Document` and `Chunk` nodes. Loading the same content again changes nothing."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from overstory.display import counted, origin, printable
from overstory.errors import BrokenSource
from overstory.graph import Writer
from overstory.index.boilerplate import count_all_documents, sync_boilerplate
from overstory.index.changes import ComparedDocuments, Identity, LoadTarget, OnRead, Outcome, compared, content_sha256
from overstory.index.chunking import Chunking
from overstory.index.document_checks import keys_of, storable, with_found_metadata
from overstory.index.ledger import IndexTime, StageRun, recorded
from overstory.index.links import ReadLinks, store_links
from overstory.index.removal import RememberedAnswers
from overstory.index.stages.extract import annotate
from overstory.index.stages.metadata import sync_metadata
from overstory.index.stages.sections import sync_sections
from overstory.index.write_documents import (
    WRITTEN_CHUNKS_A_TRANSACTION,
    chunk_rows,
    document_row,
    shrink_changed,
    store_documents,
    store_large_document,
    store_metadata,
)
from overstory.model import Annotation, Document, Loaded, TextPiece
from overstory.protocols import Embedder, OnBroken, Progress, Silence
from overstory.sources import DecodedFile, Kept

_DOCUMENTS_A_BATCH = 100
_CHARACTERS_A_BATCH = 4_000_000
_MOST_ERRORS_SHOWN = 5
_MANY_CHUNKS = 1_000
"""If one document has most of the new chunks, a note states that, but only if it has at least this many."""
LOADED_COUNTS = ("added", "changed", "moved", "removed", "metadata_only", "chunks")
"""Counts in a `LoadReport`. If an interrupted run is continued, they include what was done before the interruption."""


@dataclass(frozen=True, slots=True)
class LargestDocument:
    """The document with the most new chunks.

    Attributes:
        origin: source of the document, followed by its key if it has one, like "table.csv#7".
    """

    origin: str
    chunks: int


@dataclass(slots=True, repr=False)
class LoadReport:
    """The outcome of a load. Each document is counted once as added, changed, unchanged or moved.

    Attributes:
        noted_by: id under which the corpus stores the counts of committed work (`LOADED_COUNTS`), so that they are not
            lost if the process is killed; "" if they are not stored.
        moved: number of documents whose content was stored under another source that no longer exists; only with
            `sync`.
        removed: number of documents that were deleted because their files no longer exist; only with `sync`.
        metadata_only: number of documents for which only metadata was written. If only file metadata changed, they
            count as unchanged; otherwise they count as changed.
        annotated: number of documents that got entities and triples from an annotation.
        in_corpus: number of documents in the corpus afterwards; None if nothing was read.
        vanished: without `sync`, the number of stored documents whose files no longer exist.
        links: number of links read. Links with the same ends, type and text are counted separately.
        relinked: number of documents whose links changed, including new documents with links.
        unresolved: number of links to documents that the corpus does not contain; 0 in a preview.
        chunks: number of chunks written; in a preview, of new chunks.
        largest: the document with the most new chunks; None if there are no new chunks.
        index_time: in a preview, the estimated time to index the new chunks; None if there are none, or if the time is
            unknown.
        broken: errors about items that could not be read or stored. All other items were loaded.
        skipped: files that were not read. The reason is stated unless no loader recognises the file.
        decoded: files in an encoding other than UTF-8, with the encoding; also web pages with invalid bytes, with the
            number of bytes that were replaced by "�".
        kept: stored documents that were not read but may still exist, with the reason.
        on_languages: notes that are added if the embedder does not support most languages of the corpus.
    """

    noted_by: str = ""
    added: int = 0
    changed: int = 0
    moved: int = 0
    unchanged: int = 0
    removed: int = 0
    metadata_only: int = 0
    chunks: int = 0
    annotated: int = 0
    links: int = 0
    relinked: int = 0
    unresolved: int = 0
    in_corpus: int | None = None
    vanished: int = 0
    largest: LargestDocument | None = None
    index_time: IndexTime | None = None
    broken: list[BrokenSource] = field(default_factory=list[BrokenSource])
    skipped: list[str] = field(default_factory=list[str])
    hidden: int = 0
    excluded: int = 0
    decoded: list[DecodedFile] = field(default_factory=list[DecodedFile])
    kept: list[Kept] = field(default_factory=list[Kept])
    on_languages: tuple[str, ...] = ()

    @property
    def documents(self) -> int:
        return self.added + self.changed + self.moved + self.unchanged

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings: one document has most of the new chunks, or the embedder does not support the language."""
        found = self.largest
        if found is None or found.chunks < _MANY_CHUNKS or 2 * found.chunks <= self.chunks:
            return self.on_languages
        share = f"One document has {found.chunks:,} of {self.chunks:,} new chunks: {found.origin}."
        advice = f"{share} If it is a log or a dump, exclude it, because searches would find little else."
        return (advice, *self.on_languages)

    def count_chunks(self, document: Document, chunks: int) -> None:
        self.chunks += chunks
        if chunks > (self.largest.chunks if self.largest else 0):
            self.largest = LargestDocument(origin(document.source, document.source_key), chunks)

    def __repr__(self) -> str:
        counts = f"{self.added:,} added, {self.changed:,} changed, {self.unchanged:,} unchanged"
        others = (
            ("moved", self.moved),
            ("removed", self.removed),
            ("metadata alone", self.metadata_only),
            ("annotated", self.annotated),
            ("links", self.links),
            ("relinked", self.relinked),
            ("links unresolved", self.unresolved),
            ("kept", sum(each.documents for each in self.kept)),
            ("skipped", len(self.skipped)),
            ("hidden", self.hidden),
            ("excluded", self.excluded),
            ("in other encodings", sum(not each.replaced for each in self.decoded)),
            ("with � for bytes", sum(bool(each.replaced) for each in self.decoded)),
            ("broken", len(self.broken)),
        )
        rest = "".join(f", {number:,} {what}" for what, number in others if number)
        lines = [f"<LoadReport: {counts}{rest}; {counted(self.chunks, 'new chunk')}>"]
        lines += [f"  {error}" for error in self.broken[:_MOST_ERRORS_SHOWN]]
        if len(self.broken) > _MOST_ERRORS_SHOWN:
            lines.append(f"  … and {len(self.broken) - _MOST_ERRORS_SHOWN:,} more in .broken")
        return printable("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]))


def load(
    target: LoadTarget,
    documents: Iterable[Loaded],
    embedder: Embedder,
    *,
    report: LoadReport,
    answers: RememberedAnswers,
    on_broken: OnBroken,
    progress: Progress,
    on_read: OnRead | None = None,
    is_partly_read: Callable[[str], bool] | None = None,
) -> None:
    """Write documents in batches, and count them in `report`. A preview only counts them.

    Each document is written in one transaction, unless it is very large. An annotation must come after its document; a
    link may come before or after its documents. At the end, the links of each document are replaced by those that were
    read.

    Args:
        embedder: embedder whose token limit no chunk may exceed.
        answers: caches of answers. Answers that quote changed text are deleted from them.
        on_read: called for each document that is now stored, whether or not it changed.
        is_partly_read: function that returns True if part of a source could not be read. The documents of such a source
            keep all stored links. It is called at the end.
    """
    writer = target.writer
    chunking = Chunking("preview" if writer is None else "load", embedder, progress)
    if writer is not None:
        sync_sections(writer, progress=progress)
        sync_metadata(writer, progress=progress)
    with (
        nullcontext(StageRun()) if writer is None else recorded(writer, "load", "load-1") as run,
        ReadLinks(target.label) as links,
    ):
        if writer is not None:
            count_all_documents(writer)
        keys = keys_of(target.graph, target.label) if target.exists else set[str]()
        for batch in _document_batches(links.taken_from(with_found_metadata(documents), on_broken)):
            _load_batch(target, storable(batch, on_broken, keys), chunking, report, answers, links, on_read or _ignore)
            annotations = [item for item in batch if isinstance(item, Annotation)]
            report.annotated += len(annotations) if writer is None else annotate(writer, annotations, on_broken)
            chunking.advance(len(batch))
        progress.finish(
            f"{counted(report.documents, 'document')} read"
            if writer is None
            else f"{report.added} added, {report.changed} changed, {report.unchanged} unchanged"
        )
        report.links += links.added
        report.relinked += store_links(
            target,
            links,
            is_partly_read=is_partly_read or _never,
            on_broken=on_broken,
            progress=Silence() if writer is None else progress,
        )
        for what in ("added", "changed", "unchanged", "chunks", "annotated", "relinked"):
            run.count(what, getattr(report, what))
    if writer is not None:
        sync_boilerplate(writer, progress=progress)


def _document_batches(items: Iterable[Document | Annotation]) -> Iterator[list[Document | Annotation]]:
    batch: list[Document | Annotation] = []
    characters = 0
    for item in items:
        batch.append(item)
        characters += len(str(item.text)) if isinstance(item, Document) else 0
        if len(batch) >= _DOCUMENTS_A_BATCH or characters >= _CHARACTERS_A_BATCH:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _load_batch(
    target: LoadTarget,
    batch: Sequence[Document],
    chunking: Chunking,
    report: LoadReport,
    answers: RememberedAnswers,
    links: ReadLinks,
    on_read: OnRead,
) -> None:
    found = compared(target, batch)
    identities = {
        id_: Identity(id_, d.source, d.source_key, found.shas[id_], content_sha256(d) if found.is_written(id_) else "")
        for id_, d in found.documents.items()
    }
    pieces = {id_: chunking.pieces(d) for id_, d in found.documents.items() if found.is_new_text(id_)}
    if target.writer is None:
        identities |= {id_: replace(identities[id_], chunks=len(cut)) for id_, cut in pieces.items()}
    else:
        _store(target.writer, found, identities, pieces, answers, report)
        _describe(target.writer, found, identities)
    for id_, cut in pieces.items():
        report.count_chunks(found.documents[id_], len(cut))
    _count(report, found)
    for id_, identity in identities.items():
        if id_ in found.known:
            links.note_read(id_, found.known[id_]["links_sha256"])
        elif target.writer is None:
            links.note_new(id_)
        on_read(identity, found.outcomes[id_])


def _describe(writer: Writer, found: ComparedDocuments, identities: Mapping[str, Identity]) -> None:
    corpus, stored = writer.corpus, found.described
    if not stored:
        return
    rows = [
        document_row(corpus.label, id_, found.documents[id_], own.sha256, 0, content_sha256=own.content)
        for id_ in stored
        for own in (identities[id_],)
    ]
    writer.commit("load", lambda tx: store_metadata(tx, corpus, rows, stored))


def _store(
    writer: Writer,
    found: ComparedDocuments,
    identities: Mapping[str, Identity],
    pieces: Mapping[str, list[TextPiece]],
    answers: RememberedAnswers,
    report: LoadReport,
) -> None:
    if not pieces:
        return
    label = writer.corpus.label
    wanted = {id_: found.documents[id_] for id_ in pieces}
    changed = [found.known[id_] for id_ in wanted if id_ in found.known]
    documents = {
        id_: document_row(label, id_, d, own.sha256, len(pieces[id_]), content_sha256=own.content)
        for id_, d in wanted.items()
        for own in (identities[id_],)
    }
    rows = {id_: chunk_rows(label, id_, d, pieces[id_]) for id_, d in wanted.items()}
    shrink_changed(writer, changed, rows.__getitem__, answers=answers)
    known, at_once = {row["id"] for row in changed}, WRITTEN_CHUNKS_A_TRANSACTION
    together = [id_ for id_ in wanted if len(rows[id_]) <= at_once]
    if together:
        own = [documents[id_] for id_ in together]
        chunks = list(itertools.chain.from_iterable(rows[id_] for id_ in together))
        ids = [id_ for id_ in together if id_ in known]
        corpus = writer.corpus
        _note_counts(writer, report, added=len(together) - len(ids), changed=len(ids), chunks=len(chunks))
        writer.commit("load", lambda tx: store_documents(tx, corpus, ids, own, chunks, answers=answers))
    for id_ in (id_ for id_ in wanted if len(rows[id_]) > at_once):
        store_large_document(
            writer,
            documents[id_],
            rows[id_],
            doing="load",
            at_once=at_once,
            is_stored=id_ in known,
            answers=answers,
        )


def _note_counts(writer: Writer, report: LoadReport, **more: int) -> None:
    """Make the next transaction also store the report's counts, increased by `more`.

    The counts are then not lost if the process is killed.
    """
    if report.noted_by:
        counts = {name: getattr(report, name) + more.get(name, 0) for name in LOADED_COUNTS}
        writer.noted = {"loaded_by": report.noted_by, "loaded": json.dumps(counts)}


def _count(report: LoadReport, found: ComparedDocuments) -> None:
    numbers = Counter(found.outcomes.values())
    report.metadata_only += len(found.described)
    report.added += numbers["added"]
    report.changed += numbers["changed"]
    report.unchanged += numbers["unchanged"]


def _ignore(_document: Identity, _outcome: Outcome) -> None: ...


def _never(_source: str) -> bool:
    return False
