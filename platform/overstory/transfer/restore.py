"""Restores an export: stores the documents, chunks, vectors, mentions and facts in its lines.

Exports are not trusted. The module `records` validates every line before it is stored.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from overstory.errors import BrokenSource, EmbedderMismatch
from overstory.graph import Corpus, Transaction, Writer, batches, batches_by_size
from overstory.graph.ids import document_id
from overstory.index.boilerplate import count_all_documents
from overstory.index.changes import LoadTarget
from overstory.index.ledger import recorded
from overstory.index.links import ReadLinks, store_links
from overstory.index.metadata_values import file_metadata_of, known_file_metadata
from overstory.index.name_edits import (
    add_edits,
    dismiss_merge,
    names_of,
    replace_vocabulary,
    stored_edits,
    stored_vocabularies,
)
from overstory.index.removal import RememberedAnswers
from overstory.index.stages.embed import vector_of, write_vectors
from overstory.index.stages.load import LoadReport
from overstory.index.stages.metadata import sync_metadata
from overstory.index.stages.sections import sync_sections
from overstory.index.stored_documents import set_disabled, set_disabled_in
from overstory.index.write_documents import (
    Row,
    chunk_rows,
    document_row,
    shrink_changed,
    store_documents,
    store_large_document,
    store_metadata,
)
from overstory.index.write_extractions import Findings, write_findings
from overstory.protocols import OnBroken, Progress
from overstory.text.names.edits import EditedNames
from overstory.transfer.export import EXPORTED_DOCUMENTS_A_PAGE, unsealed
from overstory.transfer.records import ExportHeader, RestoredChunk, RestoredDocument, read_documents, read_header
from overstory.transfer.shard_folders import FIRST_LINE_BYTES, opened
from overstory.transfer.staged_folder import staged_shards

_RESTORED_CHUNKS_A_TRANSACTION = 2_000
"""Maximum number of chunks that are written in one transaction, together with their vectors, mentions and facts.

A document with more chunks is written in several transactions.
"""

_MARK = b'{"overstory_export":'


def separate_exports(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Separate exports from other paths. A staged folder counts as the exports that it contains, its shards.

    Returns:
        The paths of the exports, and all other paths.

    Raises:
        SourceError: staging of a folder has not finished.
    """
    exports: list[str] = []
    others: list[str] = []
    for path in paths:
        shards = staged_shards(path)
        if shards is not None:
            exports += shards
        else:
            (exports if _is_export(path) else others).append(path)
    return exports, others


def usable_exports(paths: Sequence[str], on_broken: OnBroken) -> list[str]:
    """Return the exports whose first line is valid. For each other export, pass the error to `on_broken`."""
    usable: list[str] = []
    for path in paths:
        try:
            with opened(path, most_bytes=FIRST_LINE_BYTES) as lines:
                _, first = next(unsealed(lines, path))
                read_header(first, path)
        except BrokenSource as error:
            on_broken(error)
        except OSError as error:
            on_broken(BrokenSource(f"cannot be read: {error}", source=path))
        else:
            usable.append(path)
    return usable


def restore_file(
    writer: Writer,
    path: str,
    *,
    report: LoadReport,
    answers: RememberedAnswers,
    on_broken: OnBroken,
    progress: Progress,
) -> None:
    """Restore an export. A document that is already in the corpus with the same content is not stored again.

    - At the first damaged line, reading stops, and the error is passed to `on_broken`. The documents before this line
      are stored.
    - The stored links of a document are replaced with those in the export.
    - A document is disabled if it is disabled in the export or in the corpus.
    - Cached answers of language models that quote a replaced document are deleted.
    """
    try:
        with opened(path) as lines:
            _restore(writer, lines, source=path, report=report, answers=answers, on_broken=on_broken, progress=progress)
    except BrokenSource as error:
        on_broken(error)
    except OSError as error:
        on_broken(BrokenSource(f"cannot be read: {error}", source=path))


def _restore(
    writer: Writer,
    lines: Iterable[bytes],
    *,
    source: str,
    report: LoadReport,
    answers: RememberedAnswers,
    on_broken: OnBroken,
    progress: Progress,
) -> None:
    numbered = unsealed(lines, source)
    header = read_header(next(numbered)[1], source)
    _take_over_embedder(writer, header, source)
    _take_over_vocabularies(writer, header)
    _take_over_edits(writer, header)
    for name, into in header.dismissed_merges:
        dismiss_merge(writer, name, into)
    sync_sections(writer, progress=progress)
    sync_metadata(writer, progress=progress)
    progress.start("restore", None, "documents")
    with recorded(writer, "load", "restore-1") as run, ReadLinks(writer.corpus.label) as links:
        count_all_documents(writer)
        failures: list[BrokenSource] = []
        edits = names_of(writer)
        for batch in batches(read_documents(numbered, header, source, failures), EXPORTED_DOCUMENTS_A_PAGE):
            known = _restore_batch(writer, batch, edits, report, answers)
            report.metadata_only += _describe_files(writer, batch, known)
            _note_links(links, batch, known)
            progress.advance(len(batch))
        report.links += links.added
        report.relinked += store_links(
            LoadTarget.of(writer), links, is_partly_read=lambda _: False, on_broken=on_broken, progress=progress
        )
        if failures:
            raise failures[0]
        run.count("added", report.added)
        run.count("changed", report.changed)
    progress.finish(f"{report.added} added, {report.changed} changed, {report.unchanged} unchanged")


def _take_over_embedder(writer: Writer, header: ExportHeader, source: str) -> None:
    own = writer.corpus.embedder  # read again for each export, because an earlier export may have set it in this run
    if not header.embedder or header.embedder == own:
        return
    if own:
        raise EmbedderMismatch(
            f"{source} has vectors from the embedder {header.embedder}, but corpus {writer.corpus.name!r} uses {own}.",
            remedy="Restore it into another corpus: --corpus NAME",
        )
    name = header.embedder_name or None
    writer.set(embedder=header.embedder, dimension=header.dimension, embedder_name=name)


def _take_over_vocabularies(writer: Writer, header: ExportHeader) -> None:
    """Existing vocabularies are not changed."""
    known = stored_vocabularies(writer.graph, writer.corpus)
    for source, names in header.vocabularies.items():
        if source not in known:
            replace_vocabulary(writer, source, names)


def _take_over_edits(writer: Writer, header: ExportHeader) -> None:
    corpus = writer.corpus
    known = {stored.edit for stored in stored_edits(writer.graph, corpus)}
    new = [edit for edit in header.name_edits if edit not in known]
    if new:
        add_edits(writer, new)


def _restore_batch(
    writer: Writer,
    batch: list[RestoredDocument],
    edits: EditedNames | None,
    report: LoadReport,
    answers: RememberedAnswers,
) -> dict[str, Row]:
    """Write the new and changed documents in a batch.

    Returns:
        A map from ids to the rows of those documents that the corpus already contained.
    """
    label = writer.corpus.label
    by_id = {document_id(label, r.document.source, r.document.source_key): r for r in batch}
    stored = writer.graph.run("ingest/known_documents", label, read=True, ids=list(by_id))
    known: dict[str, Row] = {row["id"]: row for row in stored}
    wanted = {
        id_: restored for id_, restored in by_id.items() if id_ not in known or known[id_]["sha256"] != restored.sha256
    }
    report.unchanged += len(batch) - len(wanted)
    others = [id_ for id_, restored in by_id.items() if restored.disabled and id_ not in wanted]
    if others:
        set_disabled(writer, others, disabled=True)
    if not wanted:
        return known
    changed = [id_ for id_ in wanted if id_ in known]
    rows = {id_: _chunk_rows(label, id_, restored) for id_, restored in wanted.items()}
    shrink_changed(writer, [known[id_] for id_ in changed], rows.__getitem__, answers=answers)
    for ids in batches_by_size(wanted, lambda id_: len(rows[id_]), _RESTORED_CHUNKS_A_TRANSACTION):
        if len(rows[ids[0]]) > _RESTORED_CHUNKS_A_TRANSACTION:
            _store_large(writer, wanted[ids[0]], rows[ids[0]], edits, is_stored=ids[0] in known, answers=answers)
            continue
        some = {id_: wanted[id_] for id_ in ids}
        store = functools.partial(_store, corpus=writer.corpus, known=known, wanted=some, rows=rows, edits=edits)
        writer.commit("restore", functools.partial(store, answers=answers))
    report.changed += len(changed)
    report.added += len(wanted) - len(changed)
    report.chunks += sum(len(restored.chunks) for restored in wanted.values())
    return known


def _describe_files(writer: Writer, batch: Sequence[RestoredDocument], known: Mapping[str, Row]) -> int:
    """Update the file metadata of those documents whose content is unchanged. Return how many were updated."""
    label = writer.corpus.label
    by_id = {document_id(label, r.document.source, r.document.source_key): r for r in batch}
    others = [
        id_
        for id_, restored in by_id.items()
        if id_ in known
        and known[id_]["sha256"] == restored.sha256
        and known_file_metadata(known[id_]) != file_metadata_of(restored.document)
    ]
    if others:
        found = writer.graph.run("corpus/documents_by_id", label, read=True, ids=others)
        stored: dict[str, Row] = {row["document"]["id"]: row["document"] for row in found}
        rows = [document_row(label, id_, by_id[id_].document, by_id[id_].sha256, 0) for id_ in stored]
        writer.commit("restore", lambda tx: store_metadata(tx, writer.corpus, rows, stored))
    return len(others)


def _note_links(links: ReadLinks, batch: Sequence[RestoredDocument], known: Mapping[str, Row]) -> None:
    for restored in batch:
        id_ = document_id(links.label, restored.document.source, restored.document.source_key)
        links.note_read(id_, known[id_]["links_sha256"] if id_ in known else None)
        for link in restored.links:
            links.put(link)


def _store(
    tx: Transaction,
    corpus: Corpus,
    known: Mapping[str, Row],
    wanted: Mapping[str, RestoredDocument],
    rows: Mapping[str, list[Row]],
    edits: EditedNames | None,
    answers: RememberedAnswers,
) -> None:
    """Write documents with the vectors, mentions and facts of their chunks.

    Args:
        known: map from ids to the rows of documents that the corpus already contains.
        wanted: map from ids to the documents to write.
        rows: map from document ids to the rows of their chunks.
    """
    documents = [_document_row(corpus, id_, restored) for id_, restored in wanted.items()]
    own = list(itertools.chain.from_iterable(rows[id_] for id_ in wanted))
    chunks = list(itertools.chain.from_iterable(restored.chunks for restored in wanted.values()))
    store_documents(tx, corpus, [id_ for id_ in wanted if id_ in known], documents, own, answers=answers)
    disabled = [id_ for id_, restored in wanted.items() if restored.disabled]
    if disabled:
        set_disabled_in(tx, corpus, disabled, disabled=True)
    _store_found(tx, corpus, own, chunks, edits)


def _store_large(
    writer: Writer,
    restored: RestoredDocument,
    rows: Sequence[Row],
    edits: EditedNames | None,
    *,
    is_stored: bool,
    answers: RememberedAnswers,
) -> None:
    corpus = writer.corpus
    id_ = str(rows[0]["document"])

    def with_part(tx: Transaction, part: slice) -> None:
        _store_found(tx, corpus, rows[part], restored.chunks[part], edits)

    def at_last(tx: Transaction) -> None:
        if restored.disabled:
            set_disabled_in(tx, corpus, [id_], disabled=True)

    store_large_document(
        writer,
        _document_row(corpus, id_, restored),
        rows,
        doing="restore",
        at_once=_RESTORED_CHUNKS_A_TRANSACTION,
        is_stored=is_stored,
        answers=answers,
        with_part=with_part,
        at_last=at_last,
    )


def _store_found(
    tx: Transaction,
    corpus: Corpus,
    rows: Sequence[Row],
    chunks: Sequence[RestoredChunk],
    edits: EditedNames | None,
) -> None:
    _store_vectors(tx, corpus, rows, chunks)
    found = [(str(row["id"]), chunk) for row, chunk in zip(rows, chunks, strict=True)]
    for by in sorted({by for chunk in chunks for by, _ in (*chunk.mentions, *chunk.facts)}):
        write_findings(tx, corpus.label, by, [_findings(id_, chunk, by) for id_, chunk in found], edits)
    marks = [
        {"chunk": id_, "fingerprint": chunk.extracted, "sentences": chunk.sentences}
        for id_, chunk in found
        if chunk.extracted
    ]
    tx.run("ingest/mark_extracted", corpus.label, rows=marks)


def _document_row(corpus: Corpus, id_: str, restored: RestoredDocument) -> Row:
    return document_row(corpus.label, id_, restored.document, restored.sha256, len(restored.chunks))


def _chunk_rows(label: str, id_: str, restored: RestoredDocument) -> list[Row]:
    rows = chunk_rows(label, id_, restored.document, [chunk.piece for chunk in restored.chunks])
    for row, chunk in zip(rows, restored.chunks, strict=True):
        if chunk.boilerplate:  # the exported vector belongs to the text without its boilerplate
            row["properties"]["boilerplate"] = chunk.boilerplate
            row["vector"] = vector_of(label, row["properties"])
    return rows


def _store_vectors(tx: Transaction, corpus: Corpus, rows: Sequence[Row], chunks: Sequence[RestoredChunk]) -> None:
    """An export contains a vector for each chunk. In the graph, chunks with equal text share one vector."""
    joined: list[Row] = []
    vectors: dict[str, list[float]] = {}
    for row, chunk in zip(rows, chunks, strict=True):
        if chunk.vector is not None and row["vector"] is not None:
            joined.append({"id": row["id"], "vector": row["vector"]})
            vectors.setdefault(str(row["vector"]), chunk.vector)
    property_ = corpus.embedding_property
    stored = tx.run("ingest/known_vectors", corpus.label, ids=list(vectors), property=property_)
    known = {row["id"] for row in stored}
    new: list[Row] = [{"id": id_, "vector": vector} for id_, vector in vectors.items() if id_ not in known]
    write_vectors(tx, corpus.label, property_, new, joined)


def _findings(chunk_id: str, chunk: RestoredChunk, by: str) -> Findings:
    return Findings(
        chunk_id=chunk_id,
        mentions=[mention for kind, mention in chunk.mentions if kind == by],
        facts=[fact for kind, fact in chunk.facts if kind == by],
    )


def _is_export(path: str) -> bool:
    if not os.path.isfile(path):  # noqa: PTH113 # `Path.is_file` raises an error if the string is too long for a path
        return False
    try:
        with Path(path).open("rb") as file:
            return file.read(len(_MARK)) == _MARK
    except OSError:
        return False
