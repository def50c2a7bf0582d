"""Restore: exported files become documents, chunks, vectors, mentions and facts again.

Files are untrusted: every line is validated before it is stored.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from overstory.errors import BrokenSource, EmbedderMismatch
from overstory.graph import Corpus, Transaction, Writer, batches, read_corpus
from overstory.graph.ids import document_id
from overstory.index.boilerplate import count_all_documents
from overstory.index.embedded_text import vector_of
from overstory.index.ledger import recorded
from overstory.index.stages.embed import write_vectors
from overstory.index.stages.load import LoadReport
from overstory.index.write_documents import Row, chunk_rows, document_row, store_documents
from overstory.index.write_extractions import Findings, FoundFact, FoundMention, write_findings
from overstory.model import Document, TextPiece
from overstory.protocols import OnBroken, Progress
from overstory.transfer.export import DOCUMENTS_A_PAGE, FORMAT, Record

_MARK = b'{"overstory_export":'


@dataclass(frozen=True, slots=True)
class _Header:
    embedder: str
    dimension: int


@dataclass(frozen=True, slots=True)
class _Chunk:
    piece: TextPiece
    vector: list[float] | None
    extracted: str
    sentences: list[int]
    boilerplate: list[int]
    mentions: list[tuple[str, FoundMention]]
    facts: list[tuple[str, FoundFact]]


@dataclass(frozen=True, slots=True)
class _Restored:
    """A line of an export: a document (whose text is in its chunks) with everything extracted from it."""

    document: Document
    sha256: str
    chunks: list[_Chunk]


def separate_exports(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Exported files, and all other paths."""
    exports = [path for path in paths if _is_export(Path(path))]
    return exports, [path for path in paths if path not in exports]


def usable_exports(paths: Sequence[str], on_broken: OnBroken) -> list[str]:
    """The files with a valid header; the others are passed to `on_broken`."""
    usable: list[str] = []
    for path in paths:
        try:
            with Path(path).open(encoding="utf-8") as lines:
                _header(lines.readline(), path)
        except BrokenSource as error:
            on_broken(error)
        except (OSError, UnicodeDecodeError) as error:
            on_broken(BrokenSource(f"cannot be read: {error}", source=path))
        else:
            usable.append(path)
    return usable


def restore_file(writer: Writer, path: str, *, report: LoadReport, on_broken: OnBroken, progress: Progress) -> None:
    """Restore an export. Documents that are already in the corpus unchanged are skipped.

    Reading ends at the first invalid line, which is passed to `on_broken`; the documents before it are stored.

    Raises:
        EmbedderMismatch: the vectors of file and corpus are of different embedders; nothing was written.
    """
    try:
        with Path(path).open(encoding="utf-8") as lines:
            _restore(writer, lines, source=path, report=report, progress=progress)
    except BrokenSource as error:
        on_broken(error)
    except (OSError, UnicodeDecodeError) as error:
        on_broken(BrokenSource(f"cannot be read: {error}", source=path))


def _restore(writer: Writer, lines: Iterable[str], *, source: str, report: LoadReport, progress: Progress) -> None:
    numbered = enumerate(lines, start=1)
    header = _header(next(numbered, (1, ""))[1], source)
    _take_over_embedder(writer, header, source)
    progress.start("restore", None, "documents")
    with recorded(writer, "load", "restore-1") as run:
        count_all_documents(writer)
        failures: list[BrokenSource] = []
        for batch in batches(_documents(numbered, header, source, failures), DOCUMENTS_A_PAGE):
            _restore_batch(writer, batch, report)
            progress.advance(len(batch))
        if failures:
            raise failures[0]
        run.count("added", report.added)
        run.count("changed", report.changed)
    progress.finish(f"{report.added} added, {report.changed} changed, {report.unchanged} unchanged")


def _take_over_embedder(writer: Writer, header: _Header, source: str) -> None:
    own = read_corpus(writer.graph, writer.corpus.name).embedder  # an export before this one may have set it
    if not header.embedder or header.embedder == own:
        return
    if own:
        raise EmbedderMismatch(
            f"{source} has vectors by {header.embedder}, corpus {writer.corpus.name!r} by {own}.",
            remedy="Restore into a corpus of its own: --corpus NAME",
        )
    writer.set(embedder=header.embedder, dimension=header.dimension)


def _restore_batch(writer: Writer, batch: list[_Restored], report: LoadReport) -> None:
    label = writer.corpus.label
    by_id = {document_id(label, r.document.source, r.document.source_key): r for r in batch}
    rows = writer.graph.run("ingest/known_documents", label, read=True, ids=list(by_id))
    known = {row["id"]: row["sha256"] for row in rows}
    wanted = {id_: restored for id_, restored in by_id.items() if known.get(id_) != restored.sha256}
    report.unchanged += len(batch) - len(wanted)
    if not wanted:
        return
    changed = [id_ for id_ in wanted if id_ in known]
    writer.commit("restore", lambda tx: _store(tx, writer, changed, wanted))
    report.changed += len(changed)
    report.added += len(wanted) - len(changed)
    report.chunks += sum(len(restored.chunks) for restored in wanted.values())


def _store(tx: Transaction, writer: Writer, changed: list[str], wanted: dict[str, _Restored]) -> None:
    corpus, label = writer.corpus, writer.corpus.label
    documents = [document_row(label, id_, r.document, r.sha256, len(r.chunks)) for id_, r in wanted.items()]
    chunks: list[tuple[str, _Chunk]] = []
    rows: list[Row] = []
    for id_, restored in wanted.items():
        own = chunk_rows(label, id_, restored.document.title, [chunk.piece for chunk in restored.chunks])
        for row, chunk in zip(own, restored.chunks, strict=True):
            if chunk.boilerplate:  # as the vector was made without it
                row["properties"]["boilerplate"] = chunk.boilerplate
                row["vector"] = vector_of(corpus.label, row["properties"])
        rows += own
        chunks += zip([str(row["id"]) for row in own], restored.chunks, strict=True)
    store_documents(tx, corpus, changed, documents, rows)
    _store_vectors(tx, corpus, rows, [chunk for _, chunk in chunks])
    for by in sorted({by for _, chunk in chunks for by, _ in (*chunk.mentions, *chunk.facts)}):
        write_findings(tx, label, by, [_findings(id_, chunk, by) for id_, chunk in chunks])
    marks = [
        {"chunk": id_, "fingerprint": chunk.extracted, "sentences": chunk.sentences}
        for id_, chunk in chunks
        if chunk.extracted
    ]
    tx.run("ingest/mark_extracted", label, rows=marks)


def _store_vectors(tx: Transaction, corpus: Corpus, rows: Sequence[Row], chunks: Sequence[_Chunk]) -> None:
    """An export has a vector for each chunk; chunks with the same text share one in the graph."""
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


def _findings(chunk_id: str, chunk: _Chunk, by: str) -> Findings:
    return Findings(
        chunk_id=chunk_id,
        mentions=[mention for kind, mention in chunk.mentions if kind == by],
        facts=[fact for kind, fact in chunk.facts if kind == by],
    )


def _header(line: str, source: str) -> _Header:
    try:
        header = json.loads(line)
        known = header["overstory_export"] == FORMAT
        result = _Header(_text(header["embedder"]), int(header["dimension"]))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise _broken(source, 1, "the first line of an export", error) from error
    if not known:
        raise BrokenSource("is an export of a later version", source=source, line=1, remedy="Upgrade Overstory.")
    return result


def _documents(
    numbered: Iterable[tuple[int, str]], header: _Header, source: str, failures: list[BrokenSource]
) -> Iterator[_Restored]:
    """Yields documents until the first invalid line, which is recorded in `failures`."""
    for number, line in numbered:
        if line.strip():
            try:
                restored = _restored(json.loads(line), header)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                failures.append(_broken(source, number, "a document of an export", error))
                return
            yield restored


def _broken(source: str, line: int, what: str, error: Exception) -> BrokenSource:
    why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
    return BrokenSource(f"not {what}: {why}", source=source, line=line, remedy="Export the corpus again.")


def _restored(record: Record, header: _Header) -> _Restored:
    document = Document(
        source=_text(record["source"]),
        source_key=_text(record["source_key"]),
        text="",  # in the chunks
        title=_text(record["title"]),
        metadata={_text(key): _storable(value) for key, value in record["metadata"].items()},
    )
    chunks = [_chunk(seq, chunk, header) for seq, chunk in enumerate(record["chunks"])]
    return _Restored(document, _text(record["sha256"]), chunks)


def _chunk(seq: int, record: Record, header: _Header) -> _Chunk:
    piece = TextPiece(
        seq=seq,
        start=int(record["start"]),
        end=int(record["end"]),
        text=_text(record["text"]),
        heading=_text(record["heading"]),
        token_count=int(record["token_count"]),
    )
    return _Chunk(
        piece=piece,
        vector=_vector(record["vector"], header),
        extracted=_text(record["extracted"] or ""),
        sentences=[int(start) for start in record["sentences"] or ()],
        boilerplate=_spans(record.get("boilerplate"), len(piece.text)),
        mentions=[found for mention in record["mentions"] for found in _mentions(mention)],
        facts=[(_text(fact["by"]), _fact(fact)) for fact in record["facts"]],
    )


def _spans(given: object, length: int) -> list[int]:
    """The spans of boilerplate in a text of this length."""
    spans = [int(place) for place in given] if isinstance(given, list) else []
    if len(spans) % 2 or spans != sorted(set(spans)) or (spans and not 0 <= spans[0] < spans[-1] <= length):
        raise ValueError(f"the spans {spans!r:.40} of boilerplate in a text of {length} characters")
    return spans


def _mentions(record: Record) -> Iterator[tuple[str, FoundMention]]:
    sentences = record["sentences"] or [None] * len(record["surfaces"])
    for surface, type_, sentence in zip(record["surfaces"], record["types"], sentences, strict=True):
        where = None if sentence is None else int(sentence)
        yield _text(record["by"]), FoundMention(_text(record["key"]), _text(surface), _text(type_), where)


def _fact(record: Record) -> FoundFact:
    return FoundFact(
        subject=_text(record["subject"]),
        subject_key=_text(record["subject_key"]),
        predicate=_text(record["predicate"]),
        object=_text(record["object"]),
        object_key=_text(record["object_key"]),
        position=int(record["position"]),
        sentence=None if record["sentence"] is None else int(record["sentence"]),
        quote=_text(record["quote"]),
    )


def _vector(packed: object, header: _Header) -> list[float] | None:
    if packed is None:
        return None
    vector = np.frombuffer(base64.b64decode(_text(packed), validate=True), dtype="<f4")
    if vector.size != header.dimension or not np.isfinite(vector).all():
        raise ValueError(f"a vector of {vector.size} numbers; expected {header.dimension} finite ones")
    values: list[float] = vector.tolist()
    return values


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is not a text")
    return value


def _storable(value: object) -> str | int | float | bool | list[str] | list[int] | list[float] | list[bool]:
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list) and all(isinstance(each, str | int | float | bool) for each in value):
        return value
    raise TypeError(f"{value!r:.40} cannot be a property")


def _is_export(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(_MARK)) == _MARK
    except OSError:
        return False
