"""Staging: documents become shards with their chunks, vectors, mentions and facts, without a database.

A shard is an export (`transfer.export`) of some of the documents, so that `ingest` restores it as any other. What is
in it depends on its documents, models and settings alone, and so does its name: a repeated run writes the same file,
and leaves what is there. Where a shard ends depends on the document that it ends with, so that one document more
changes one shard. A file is written under another name and renamed; `MANIFEST` lists the shards of a run, and is
complete only when all of them are there.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from overstory.display import counted
from overstory.errors import BrokenSource, SourceError
from overstory.index.chunking import Chunking
from overstory.index.compared_documents import sha256_of
from overstory.index.document_checks import link_fault
from overstory.index.embedded_text import embedded_text
from overstory.index.stages.extract import findings_of
from overstory.index.storable import storable, with_languages
from overstory.index.write_extractions import Findings
from overstory.model import HEAVIEST_LINK, Annotation, ChunkText, Document, Extraction, Link, Loaded, TextPiece
from overstory.protocols import Embedder, Extractor, OnBroken, Progress
from overstory.text.language_detection import foreign_passage_languages
from overstory.text.languages import foreign_language
from overstory.transfer.export import EXPORT_FORMAT_ALL_ENABLED, Record, document_record, json_line, packed_vector
from overstory.whole_files import written_whole

MANIFEST = "overstory-stage.json"
MANIFEST_FORMAT = 1
FINGERPRINT = "stage-1"
"""Changes whenever the same documents may give other chunks."""
MEAN_DOCUMENTS_A_SHARD = 128
MOST_DOCUMENTS_A_SHARD = 1_000
MOST_CHARACTERS_A_SHARD = 4_000_000
"""Of texts; a shard ends at the first of the three, and each is held in memory until it is written."""

_SHARD_NAME = re.compile(r"shard-[0-9a-f]{32}\.jsonl")
_LinkKey = tuple[str, str, str, str]


@dataclass(slots=True)
class StageReport:
    """The outcome of staging.

    Attributes:
        documents, chunks: in all shards.
        written, kept, deleted: shards that are new, that were there already, and that are of documents as they were
            before.
        left_out: annotations, and links that do not come with the document that they start from, as those of graphs:
            `ingest` the source itself for these.
        broken: what could not be read or stored; the rest is staged.
        skipped: files that were not read, each with the reason unless it is that no loader reads it.
    """

    documents: int = 0
    chunks: int = 0
    written: int = 0
    kept: int = 0
    deleted: int = 0
    left_out: int = 0
    broken: list[BrokenSource] = field(default_factory=list[BrokenSource])
    skipped: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Slice:
    """Some documents that go into one shard, with the links that start from each.

    Attributes:
        digests: of the documents, in their order.
    """

    documents: list[Document]
    links: dict[tuple[str, str], dict[_LinkKey, float]]
    digests: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.digests = list(map(sha256_of, self.documents))

    def name(self, models: str) -> str:
        parts = [FINGERPRINT, models]
        for document, digest in zip(self.documents, self.digests, strict=True):
            parts += [document.source, document.source_key, digest]
            parts.append(repr(sorted(document.file_metadata.items(), key=lambda item: item[0])))
            parts.append(repr(sorted(self.links[document.source, document.source_key].items())))
        return f"shard-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}.jsonl"


@dataclass(slots=True)
class _Shard:
    """A shard that is being made: its chunks wait for what the extractor finds in them."""

    name: str
    slice: _Slice
    pieces: list[list[TextPiece]]
    texts: list[str]
    vectors: list[list[float] | None]
    found: list[Extraction]


def stage(
    items: Iterable[Loaded],
    folder: Path,
    embedder: Embedder,
    extractor: Extractor,
    *,
    report: StageReport,
    on_broken: OnBroken,
    progress: Progress,
) -> None:
    """Writes the shards of documents into a folder, which has those of no others afterwards. Those there already stay.

    Raises:
        SourceError: nothing was read, or the folder cannot be written or has other files in it.
        ModelError: a model cannot be used.
    """
    _check_folder(folder)
    before = _listed(folder)
    slices = _slices(items, report, on_broken)
    first = next(slices, None)
    if first is None:
        raise SourceError("Nothing was read: there is nothing to stage.", remedy="Shards that are there already stay.")
    _write_manifest(folder, before, complete=False)
    chunking = Chunking("stage", embedder, progress)
    models = f"{embedder.fingerprint} {embedder.token_limit} {extractor.fingerprint}"
    names: list[str] = []
    waiting: deque[_Shard] = deque()

    def texts() -> Iterator[ChunkText]:
        for some in itertools.chain((first,), slices):
            name = some.name(models)
            names.append(name)
            report.documents += len(some.documents)
            if (folder / name).exists():
                report.kept += 1
                report.chunks += _chunks_in(folder / name)
                chunking.advance(len(some.documents))
                continue
            shard = _prepared(name, some, chunking, embedder)
            report.chunks += len(shard.texts)
            waiting.append(shard)
            yield from _to_extract(shard)

    for extraction in extractor.extract(texts()):
        waiting[0].found.append(extraction)
        if len(waiting[0].found) == len(waiting[0].texts):
            shard = waiting.popleft()
            _write(folder / shard.name, [_header(shard, embedder), *map(json_line, _records(shard, extractor))])
            report.written += 1
            chunking.advance(len(shard.slice.documents))
    outdated = set() if report.broken else set(before) - set(names)  # what was broken may be there again
    for name in sorted(outdated):
        (folder / name).unlink(missing_ok=True)
        report.deleted += 1
    _write_manifest(folder, names, complete=True)
    progress.finish(f"{counted(report.written, 'shard')} written, {report.kept:,} kept")


def staged_shards(folder: str) -> list[str] | None:
    """The shards of a folder that was staged, in order; None for any other path.

    Raises:
        SourceError: staging it has not ended, or a shard is not there.
    """
    file = Path(folder) / MANIFEST
    try:
        manifest: object = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    again = "Run the same `overstory stage` again: it goes on with what is missing."
    if not isinstance(manifest, dict) or manifest.get("overstory_stage") != MANIFEST_FORMAT:
        raise SourceError(f"{file} is of another version of Overstory, or damaged.", remedy=again)
    if not manifest.get("complete"):
        raise SourceError(f"Staging {folder} has not ended.", remedy=again)
    names = [str(name) for name in cast("list[object]", manifest.get("shards", []))]
    if not all(map(_SHARD_NAME.fullmatch, names)):
        raise SourceError(f"{file} names files that are no shards.", remedy=again)
    paths = [Path(folder) / name for name in names]
    if missing := [path.name for path in paths if not path.is_file()]:
        raise SourceError(f"{folder} lacks {counted(len(missing), 'shard')}: {missing[0]}", remedy=again)
    return [str(path) for path in paths]


def _slices(items: Iterable[Loaded], report: StageReport, on_broken: OnBroken) -> Iterator[_Slice]:
    """The documents in parts; where one ends depends on its documents alone."""
    documents: list[Document] = []
    links: dict[tuple[str, str], dict[_LinkKey, float]] = {}
    characters = 0
    is_full = False
    for item in with_languages(items):
        if isinstance(item, Annotation):
            report.left_out += 1
        elif isinstance(item, Link):
            report.left_out += not _add_link(links, item, on_broken)
        else:
            for document in storable([item], on_broken):
                if is_full:
                    yield _Slice(documents, links)
                    documents, links, characters = [], {}, 0
                documents.append(document)
                links[document.source, document.source_key] = {}
                characters += len(document.text)
                is_full = (
                    _ends_a_shard(document)
                    or len(documents) >= MOST_DOCUMENTS_A_SHARD
                    or characters >= MOST_CHARACTERS_A_SHARD
                )
    if documents:
        yield _Slice(documents, links)


def _ends_a_shard(document: Document) -> bool:
    name = hashlib.sha256(f"{document.source}\0{document.source_key}".encode()).digest()
    return int.from_bytes(name[:4]) % MEAN_DOCUMENTS_A_SHARD == 0


def _add_link(links: dict[tuple[str, str], dict[_LinkKey, float]], link: Link, on_broken: OnBroken) -> bool:
    """Whether the document that a link starts from is here."""
    of = links.get((link.source, link.source_key))
    if of is None:
        return False
    if (fault := link_fault(link)) is not None:
        on_broken(fault)
        return True
    key = (link.target_source or link.source, link.target_key, link.type, link.text)
    of[key] = min(of.get(key, 0.0) + link.weight, HEAVIEST_LINK)
    return True


def _prepared(name: str, some: _Slice, chunking: Chunking, embedder: Embedder) -> _Shard:
    pieces = [chunking.pieces(document) for document in some.documents]
    texts: list[str] = []
    for document, own in zip(some.documents, pieces, strict=True):
        texts += [
            embedded_text({"title": document.title, "heading": piece.heading, "text": piece.text}) for piece in own
        ]
    wanted = list(dict.fromkeys(text for text in texts if text))
    vectors = dict(zip(wanted, embedder.embed(wanted).tolist() if wanted else (), strict=True))
    every = [piece.text for own in pieces for piece in own]
    return _Shard(name, some, pieces, every, [vectors.get(text) for text in texts], [])


def _to_extract(shard: _Shard) -> Iterator[ChunkText]:
    number = 0
    for document, own in zip(shard.slice.documents, shard.pieces, strict=True):
        languages = foreign_passage_languages([piece.text for piece in own], foreign_language(document.all_metadata))
        for piece, language in zip(own, languages, strict=True):
            yield ChunkText(
                id=f"{shard.name} {number}",
                title=document.title,
                heading=piece.heading,
                text=piece.text,
                language=language,
            )
            number += 1


def _records(shard: _Shard, extractor: Extractor) -> Iterator[Record]:
    """The lines of a shard: a document each."""
    number = 0
    for document, digest, own in zip(shard.slice.documents, shard.slice.digests, shard.pieces, strict=True):
        chunks: list[Record] = []
        for piece in own:
            found = shard.found[number]
            findings = findings_of(found, piece.text)
            chunks.append(
                {
                    "heading": piece.heading,
                    "text": piece.text,
                    "start": piece.start,
                    "end": piece.end,
                    "token_count": piece.token_count,
                    "extracted": extractor.fingerprint,
                    "sentences": list(found.sentences),
                    "vector": packed_vector(shard.vectors[number]),
                    "mentions": _mentions(findings, extractor.by),
                    "facts": [{"by": extractor.by} | asdict(fact) for fact in findings.facts],
                }
            )
            number += 1
        yield document_record(document, digest, chunks, _links(shard.slice, document))


def _links(some: _Slice, document: Document) -> list[Record]:
    names = ("target_source", "target_key", "type", "text")
    of = some.links[document.source, document.source_key]
    return [dict(zip(names, key, strict=True)) | {"weight": of[key]} for key in sorted(of)]


def _mentions(findings: Findings, by: str) -> list[Record]:
    """As an export has them: each name once, with all of its mentions."""
    of: dict[str, Record] = {}
    for mention in findings.mentions:
        empty: Record = {"key": mention.key, "by": by, "surfaces": [], "types": [], "sentences": []}
        record = of.setdefault(mention.key, empty)
        for name, value in (("surfaces", mention.surface), ("types", mention.type), ("sentences", mention.sentence)):
            record[name].append(value)
    return list(of.values())


def _check_folder(folder: Path) -> None:
    """
    Raises:
        SourceError: it cannot be made, or has files in it that no staging wrote.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        foreign = None if (folder / MANIFEST).exists() else next(iter(sorted(folder.iterdir())), None)
    except OSError as error:
        raise SourceError(f"{folder} cannot be written: {error.strerror}.", remedy="Name another folder.") from error
    if foreign is not None:
        raise SourceError(f"{folder} has other files in it: {foreign.name}", remedy="Name a new folder.")


def _listed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("shard-*.jsonl"))


def _header(shard: _Shard, embedder: Embedder) -> str:
    return json_line(
        {
            "overstory_export": EXPORT_FORMAT_ALL_ENABLED,
            "corpus": "",
            "embedder": embedder.fingerprint,
            "dimension": embedder.dimension,
            "analyzer": "",
            "chunks": len(shard.texts),
        }
    )


def _chunks_in(shard: Path) -> int:
    with shard.open(encoding="utf-8") as lines:
        return int(json.loads(next(lines))["chunks"])


def _write_manifest(folder: Path, names: Sequence[str], *, complete: bool) -> None:
    manifest: dict[str, Any] = {"overstory_stage": MANIFEST_FORMAT, "complete": complete, "shards": list(names)}
    _write(folder / MANIFEST, [json.dumps(manifest, indent=1)])


def _write(file: Path, lines: Sequence[str]) -> None:
    try:
        with written_whole(file) as out:
            out.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise SourceError(
            f"{file} cannot be written: {error.strerror}.", remedy="Free some space, or name another folder."
        ) from error
