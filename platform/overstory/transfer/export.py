"""Exports a corpus as JSON lines, and computes the digest of a corpus.

Each line contains one document with everything that was extracted from it. It contains no ids, because ids depend on
the name of the corpus. Therefore a corpus can be restored under another name or in another database, and its digest
remains the same.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from overstory.errors import BrokenSource
from overstory.graph import Corpus, GraphClient, batches
from overstory.graph.ids import document_id
from overstory.graph.times import times_of
from overstory.index.ledger import corpus_counts
from overstory.index.metadata_values import FILE_METADATA, stored_metadata
from overstory.index.name_edits import dismissed_merges, stored_edits, stored_vocabularies
from overstory.index.stages.mentions import pending_mentions
from overstory.index.write_extractions import Findings, fact_record, kept, unpacked
from overstory.model import HEAVIEST_LINK, Document, MetadataValue
from overstory.model.metadata import MODIFIED, as_json, dated_keys, endless_keys
from overstory.vectors.packed import are_unit

# The checksum of a line covers this line and all lines before it, and the last line contains the number of documents.
# A reader therefore detects that a line was changed, removed, added or moved before it stores the line.

EXPORT_AGAIN = "Export the corpus again; delete a damaged shard and stage again."
_MARK = ',"checksum":"'


def sealed(lines: Iterable[str]) -> Iterator[str]:
    """Yield each line with a checksum, followed by the end line, which contains the number of documents.

    Args:
        lines: JSON objects as text, without line breaks. The first is the header, and each other line is a document.
    """
    running = hashlib.sha256()
    documents = -1
    for line in lines:
        documents += 1
        running.update(line.encode())
        yield line[:-1] + _checksum(running.hexdigest())
    running.update(_end(documents))
    yield _end(documents)[:-1].decode() + _checksum(running.hexdigest())


def unsealed(lines: Iterable[bytes], source: str) -> Iterator[tuple[int, str]]:
    """Verify the checksum of each line, and yield the line number and the line without its checksum.

    Line numbers begin with 1. The end line is not yielded.

    Raises:
        BrokenSource: a line was changed, lines are missing, or there are lines after the end line.
    """
    running = hashlib.sha256()
    last, documents, ended = 1, -1, False
    for last, line in enumerate(map(bytes.strip, lines), start=1):  # `last` is also used after the loop
        if not line:
            continue
        if ended:
            raise _broken(
                "it comes after the end line of an export", source, last, "Load each export from its own file."
            )
        body = line.rpartition(_MARK.encode())[0]
        running.update(body + b"}")
        if line[len(body) :] != _checksum(running.hexdigest()).encode():
            raise _broken(
                "its checksum does not match: the line was changed, or lines before it are missing", source, last
            )
        ended = body + b"}" == _end(documents)
        documents += 1
        if not ended:
            yield last, _decoded(body, source, last) + "}"
    if not ended:
        raise _broken("the export is incomplete: its end line is missing", source, last)


def _checksum(digest: str) -> str:
    return f'{_MARK}{digest}"}}'


def _end(documents: int) -> bytes:
    return b'{"overstory_export_end":%d}' % documents


def _decoded(body: bytes, source: str, number: int) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise _broken("it is not UTF-8", source, number) from error


def _broken(why: str, source: str, line: int, remedy: str = EXPORT_AGAIN) -> BrokenSource:
    return BrokenSource(why, source=source, line=line, remedy=remedy)


EXPORT_FORMAT = 5
"""Version of the export format. Other versions cannot be read; the earlier ones had no checksums."""
EXPORTED_DOCUMENTS_A_PAGE = 100

# A parsed line of an export, or a row from the graph. The keys are defined in this module.
Record = dict[str, Any]


def export_lines(graph: GraphClient, corpus: Corpus, only: Collection[str] | None = None) -> Iterator[str]:
    """Yield the lines of an export, lazily: a header, one line per document, and an end line.

    Each line contains a checksum, but no line break.

    Args:
        only: ids of the documents to export; None for all documents. If ids are given, links to other documents, name
            edits and vocabularies are left out, because they may contain names from other documents.
    """
    yield from sealed(_lines(graph, corpus, only))


def _lines(graph: GraphClient, corpus: Corpus, only: Collection[str] | None) -> Iterator[str]:
    header: Record = {
        "overstory_export": EXPORT_FORMAT,
        "corpus": corpus.name,
        "embedder": corpus.embedder,
        "dimension": corpus.dimension,
        "analyzer": corpus.analyzer,
    }
    if corpus.embedder_name:
        header["embedder_name"] = corpus.embedder_name
    if only is None and (edits := _name_edits(graph, corpus)):
        header["name_edits"] = edits
    if only is None and (vocabulary := _vocabulary(graph, corpus)):
        header["vocabulary"] = vocabulary
    if only is None and (dismissed := dismissed_merges(graph, corpus)):
        header["dismissed_merges"] = [[pair.name, pair.into] for pair in dismissed.values()]
    yield json_line(header)
    for record in document_records(graph, corpus, edited=False, only=only):
        yield json_line(record)


def document_records(
    graph: GraphClient, corpus: Corpus, *, edited: bool, only: Collection[str] | None = None
) -> Iterator[Record]:
    """Yield the record of each document, with its chunks and their vectors, mentions and facts, lazily.

    Args:
        edited: if True, the records contain names as users edited them; otherwise, as they were extracted.
        only: as in `export_lines`.
    """
    label = corpus.label
    for page in _pages(graph, label, only):
        documents = [row["document"] for row in page]
        ids = [document["id"] for document in documents]
        rows = graph.run("export/chunks", label, read=True, documents=ids, property=corpus.embedding_property)
        chunk_ids = [row["id"] for row in rows]
        mentions = _grouped(graph.run("export/mentions", label, read=True, chunks=chunk_ids))
        facts = _grouped(map(_with_times, graph.run("export/statements", label, read=True, chunks=chunk_ids)))
        if not edited:
            for row in kept(graph, label, chunk_ids):
                _put_originals(mentions, facts, row["by"], unpacked(row["chunk"], row["found"]))
        links = _links(graph, label, ids)
        if only is not None:
            _keep_own(mentions, facts)
            links = {id_: [link for link in own if _target(label, link) in only] for id_, own in links.items()}
        chunks: dict[str, list[Record]] = {}
        for row in rows:
            found = {"mentions": mentions.get(row["id"], []), "facts": facts.get(row["id"], [])}
            chunks.setdefault(row["document"], []).append(_chunk_record(row) | found)
        for document in documents:
            yield _document_record(document, chunks.get(document["id"], []), links.get(document["id"], []))


def _pages(graph: GraphClient, label: str, only: Collection[str] | None) -> Iterator[list[Record]]:
    if only is None:
        yield from graph.pages(
            "corpus/document_pages", label, size=EXPORTED_DOCUMENTS_A_PAGE, id_of=lambda row: row["document"]["id"]
        )
        return
    for ids in batches(sorted(only), EXPORTED_DOCUMENTS_A_PAGE):
        yield graph.run("corpus/documents_by_id", label, read=True, ids=ids)


def _target(label: str, link: Record) -> str:
    return document_id(label, link["target_source"], link["target_key"])


def _keep_own(mentions: dict[str, list[Record]], facts: dict[str, list[Record]]) -> None:
    """Change the names in each fact to the spelling in its own passage.

    In a corpus, facts contain the spelling that most passages use, which may come from documents that are not exported.
    """
    for chunk, stated in facts.items():
        written = {row["key"]: row["surfaces"][0] for row in mentions.get(chunk, []) if row["surfaces"]}
        for fact in stated:
            for end in ("subject", "object"):
                key = fact[f"{end}_key"]
                if key:
                    fact[end] = written.get(key, key)


def digest(graph: GraphClient, corpus: Corpus) -> str:
    """Return a digest of everything that was derived from the documents, as 64 hexadecimal digits.

    The digest covers chunks, links, vectors, mentions, facts, entities, name edits and vocabularies. It also covers the
    results of the mentions stage if they are up to date. It does not cover times, run ids, versions and the name of the
    corpus.

    The digest is the sum of the SHA-256 hashes of all records. It therefore does not depend on their order, and nothing
    has to be sorted or kept in memory.
    """
    total = 0
    for record in _digest_records(graph, corpus):
        total += int.from_bytes(hashlib.sha256(json_line(record).encode()).digest())
    return f"{total % 2**256:064x}"


def _name_edits(graph: GraphClient, corpus: Corpus) -> list[Record]:
    """Return the name edits, oldest first, without their numbers and times, which are valid only in this corpus."""
    return [asdict(stored.edit) for stored in stored_edits(graph, corpus)]


def _vocabulary(graph: GraphClient, corpus: Corpus) -> list[Record]:
    return [
        {"source": source} | asdict(name)
        for source, names in stored_vocabularies(graph, corpus).items()
        for name in names.values()
    ]


def _put_originals(mentions: dict[str, list[Record]], facts: dict[str, list[Record]], by: str, found: Findings) -> None:
    """Replace the edited mentions and facts of a chunk with those that an extractor originally found.

    They are sorted in the same order as the rows from the graph.

    Args:
        mentions, facts: maps from chunk ids to rows, which are changed in place.
    """
    chunk = found.chunk_id
    rows: dict[str, Record] = {}
    for mention in found.mentions:
        row = rows.setdefault(mention.key, {"key": mention.key, "by": by, "surfaces": [], "types": [], "sentences": []})
        row["surfaces"].append(mention.surface)
        row["types"].append(mention.type)
        if mention.sentence is not None:
            row["sentences"].append(mention.sentence)
    others = [row for row in mentions.get(chunk, []) if row["by"] != by]
    mentions[chunk] = sorted([*others, *rows.values()], key=lambda row: (row["by"], row["key"]))
    stated = [fact_record(fact) | {"by": by} for fact in found.facts]
    others = [row for row in facts.get(chunk, []) if row["by"] != by]
    facts[chunk] = sorted(
        [*others, *stated],
        key=lambda row: (row["by"], row["position"], row["subject"], row["predicate"], row["object"]),
    )


def _links(graph: GraphClient, label: str, documents: list[str]) -> dict[str, list[Record]]:
    """Return a map from document ids to the sorted links of the documents. Weights are at most `HEAVIEST_LINK`."""
    result: dict[str, list[Record]] = {}
    names = ("target_source", "target_key", "type", "text", "weight")
    for row in graph.run("ingest/stored_links", label, read=True, documents=documents):
        link = {name: row[name] for name in names} | {"weight": min(row["weight"], HEAVIEST_LINK)}
        result.setdefault(row["document"], []).append(link)
    for links in result.values():
        links.sort(key=lambda link: [link[name] for name in names])
    return result


def _document_record(document: Record, chunks: list[Record], links: list[Record]) -> Record:
    own = Document(document["source"], document["source_key"], "", document["title"], stored_metadata(document))
    of_file, disabled = document.get(FILE_METADATA, []), bool(document.get("disabled"))
    return _record(own, document["sha256"], chunks, links, of_file=of_file, disabled=disabled)


def document_record(document: Document, sha256: str, chunks: list[Record], links: list[Record]) -> Record:
    """Return the record of a document that is not stored in a graph."""
    of_file = sorted(document.file_metadata.keys() - document.metadata.keys())
    return _record(replace(document, metadata=document.all_metadata), sha256, chunks, links, of_file=of_file)


def _record(
    document: Document,
    sha256: str,
    chunks: list[Record],
    links: list[Record],
    *,
    of_file: Sequence[str],
    disabled: bool = False,
) -> Record:
    metadata = dict(sorted(document.metadata.items()))
    dates, endless = dated_keys(metadata), endless_keys(metadata)
    record: Record = {
        "source": document.source,
        "source_key": document.source_key,
        "title": document.title,
        "sha256": sha256,
        "metadata": as_json(metadata) | {key: _written(metadata[key]) for key in endless},
        **({"dates": dates} if dates else {}),
        **({"numbers": endless} if endless else {}),
        **({FILE_METADATA: of_file} if of_file else {}),
        **({"disabled": True} if disabled else {}),
        "chunks": chunks,
    }
    return record | {"links": links} if links else record


def _written(value: MetadataValue) -> str | list[str]:
    return [str(each) for each in value] if isinstance(value, list) else str(value)


def _without_times(record: Record) -> Record:
    """Return the record of a document without the file's modification time, which differs between copies of a file."""
    if MODIFIED not in record.get(FILE_METADATA, ()):
        return record
    metadata = {key: value for key, value in record["metadata"].items() if key != MODIFIED}
    return record | {"metadata": metadata}


def _chunk_record(row: Record) -> Record:
    kept = {key: row[key] for key in ("heading", "text", "start", "end", "token_count", "extracted", "sentences")}
    if row["boilerplate"]:
        kept["boilerplate"] = row["boilerplate"]
    return kept | {"vector": packed_vector(row["vector"])}


def packed_vector(vector: Sequence[float] | None) -> str | None:
    """Return a vector in the format of an export: little-endian float32 numbers, encoded as base64.

    Return None if there is no vector, or if its length is not 1. The passage must then be embedded again after it was
    restored.
    """
    if vector is None:
        return None
    packed = np.asarray(vector, dtype="<f4")
    return base64.b64encode(packed.tobytes()).decode("ascii") if are_unit(packed[np.newaxis]) else None


def _with_times(row: Record) -> Record:
    times = times_of(row["times"])
    return {name: value for name, value in row.items() if name != "times"} | {k: v for k, v in times.items() if v}


def _grouped(rows: Iterable[Record]) -> dict[str, list[Record]]:
    result: dict[str, list[Record]] = {}
    for row in rows:
        result.setdefault(row["chunk"], []).append({key: value for key, value in row.items() if key != "chunk"})
    return result


def _digest_records(graph: GraphClient, corpus: Corpus) -> Iterator[Record]:
    yield {"embedder": corpus.embedder, "dimension": corpus.dimension, "analyzer": corpus.analyzer}
    yield from ({"name_edit": number} | edit for number, edit in enumerate(_name_edits(graph, corpus)))
    yield from ({"vocabulary": name} for name in _vocabulary(graph, corpus))
    yield from (_without_times(record) for record in document_records(graph, corpus, edited=True))
    statements = ["entities", "relations", "order"]
    # Outdated results of the mentions stage are left out, because they depend on an earlier state of the corpus.
    if not pending_mentions(corpus, corpus_counts(graph, corpus.label)):
        statements += ["about", "dictionary_mentions"]
    for statement in statements:
        for row in graph.stream(f"export/{statement}", corpus.label):
            yield {statement: row}


def json_line(record: Record) -> str:
    """Return a record as a line of an export, without checksum and line break."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
