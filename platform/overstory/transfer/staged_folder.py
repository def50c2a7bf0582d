"""Staging: converts documents to shards, without a database. Shards contain chunks, vectors, mentions and facts.

A shard is an export of some of the documents (see `transfer.export`). `ingest` restores it like any other export.

The content and the name of a shard depend only on its documents, models and settings. Therefore a repeated run keeps
the shards that already exist. The hash of a document decides whether a shard ends after it. Therefore an additional
document changes only one shard.

The file `MANIFEST` lists the shards of the folder. It is marked as complete once all of them exist.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol, cast

from overstory.display import counted
from overstory.errors import BrokenSource, ModelError, OverstoryError, SourceError
from overstory.index.chunking import Chunking
from overstory.index.document_checks import link_fault, storable, with_found_metadata
from overstory.machine import processors
from overstory.model import HEAVIEST_LINK, Annotation, Document, Link, Loaded
from overstory.processes import AnsweringProcess, ProcessEnded, ProcessPool, answering, from_line, to_line
from overstory.protocols import Embedder, Extractor, OnBroken, Progress
from overstory.sources import DecodedFile
from overstory.structured_text import parse_json
from overstory.transfer.shard_folders import ShardFolder, opened, shard_folder
from overstory.transfer.shards import LinkKey, Shard, ShardJob, ShardWriter, Slice, chunks_in, models_of

SLICES_AHEAD = 2
"""Number of slices that are assigned to each worker: one slice waits while another is written."""

_TRIES_OF_A_SLICE = 2
"""Number of attempts to write a slice.

If one process is killed, the cause may be an accident. If a second is killed, the cause is probably the slice.
"""


class StageEngine(Protocol):
    """Writes slices as shards. If a slice is written several times, the shard is always the same."""

    def shards(self, slices: Iterable[Slice]) -> Iterator[Shard]:
        """Write each slice as a shard, and yield the shards in any order, lazily. Only a few slices are read ahead.

        Raises:
            SourceError: a shard cannot be written.
            ModelError: a model cannot be used, or a worker ended unexpectedly.
        """
        ...


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a worker could not write a shard, in a form that can be sent between processes.

    Attributes:
        of_source: True for a `SourceError`, False for a `ModelError`.
    """

    message: str
    remedy: str
    of_source: bool

    def error(self) -> OverstoryError:
        return (SourceError if self.of_source else ModelError)(self.message, remedy=self.remedy)


class StageWorker:
    """Writes shards for another process. It loads the models when it writes the first shard."""

    def __init__(self, job: ShardJob) -> None:
        self._job = job
        self._writer: ShardWriter | None = None

    def write(self, some: Slice) -> Shard | Refusal:
        try:
            if self._writer is None:
                self._writer = self._job.writer()
            (shard,) = self._writer.shards([some])
        except OverstoryError as error:
            return Refusal(str(error), error.remedy, isinstance(error, SourceError))
        return shard


class StageProcesses:
    """A `StageEngine` that writes shards in several processes on this machine.

    Each process loads its own copy of the models. If a process is killed, another is started in its place.
    """

    def __init__(self, job: ShardJob, workers: int) -> None:
        self._job = with_threads(job, max(1, processors() // workers))
        self._workers = workers

    def shards(self, slices: Iterable[Slice]) -> Iterator[Shard]:
        start = partial(AnsweringProcess, f"{__name__}:main", first_line=to_line(self._job))
        with ProcessPool(start, _asked, self._workers, tries=_TRIES_OF_A_SLICE) as processes:
            try:
                yield from processes.answers(slices, ahead=SLICES_AHEAD)
            except ProcessEnded as ended:
                raise ModelError(
                    f"{_TRIES_OF_A_SLICE} worker processes ended unexpectedly on the same documents ({ended}).",
                    remedy="They may have run out of memory: try again with fewer --workers; finished shards are kept.",
                ) from ended


def with_threads(job: ShardJob, threads: int) -> ShardJob:
    """Return a copy of a job that uses `threads` threads and starts no processes.

    It is meant for one of several workers on a machine.
    """
    return replace(
        job, embedding=replace(job.embedding, threads=threads), extraction=replace(job.extraction, processes=1)
    )


def _asked(process: AnsweringProcess, some: Slice) -> Shard:
    answer: Shard | Refusal = from_line(process.answer(to_line(some)))
    if isinstance(answer, Refusal):
        raise answer.error()
    return answer


def main() -> None:
    """Run the main loop of a worker process, which reads a job and then slices, and answers each slice with a shard."""
    with answering() as give:
        worker = StageWorker(from_line(sys.stdin.buffer.readline()))
        for line in sys.stdin.buffer:
            give(to_line(worker.write(from_line(line))))


MANIFEST = "overstory-stage.json"
_MANIFEST_FORMAT = 2
_MEAN_DOCUMENTS_A_SHARD = 128
_MOST_DOCUMENTS_A_SHARD = 1_000
_MOST_CHARACTERS_A_SHARD = 4_000_000
"""A shard ends when the texts of its documents reach this many characters.

It may end earlier, because of the two limits above. Until then, the documents are kept in memory.
"""

_SHARD_NAME = re.compile(r"shard-[0-9a-f]{32}\.jsonl")
_UNFINISHED = re.compile(rf"{_SHARD_NAME.pattern}\.\d+\.part")
"""Name of an incomplete file that is left behind if a process is killed (see `written_whole`)."""


@dataclass(slots=True)
class StageReport:
    """The outcome of staging.

    Attributes:
        written: number of new shards.
        kept: number of shards that already existed.
        deleted: number of shards that were deleted because their documents have changed or are gone.
        left_out: number of annotations, plus links that are loaded separately from their start document, as in graphs.
            They are not in the shards. To load them, run `ingest` on the source itself.
        broken: sources that could not be read or stored. All other sources are staged.
        skipped: files that were not read, each with the reason unless the reason is that no loader recognises the file.
        decoded: files that were read in an encoding other than UTF-8, or in which bytes were replaced with "�".
    """

    documents: int = 0
    chunks: int = 0
    written: int = 0
    kept: int = 0
    deleted: int = 0
    left_out: int = 0
    broken: list[BrokenSource] = field(default_factory=list[BrokenSource])
    skipped: list[str] = field(default_factory=list[str])
    decoded: list[DecodedFile] = field(default_factory=list[DecodedFile])


def stage(
    items: Iterable[Loaded],
    folder: ShardFolder,
    embedder: Embedder,
    extractor: Extractor,
    *,
    engine: StageEngine | None = None,
    report: StageReport,
    on_broken: OnBroken,
    progress: Progress,
) -> None:
    """Write documents as shards into a folder.

    Shards of these documents that already exist are kept. Other shards are deleted, unless a source was broken.

    Args:
        engine: the engine that writes the shards; None to write them in this process.

    Raises:
        SourceError: no document was read, or the folder cannot be written to or contains other files.
        ModelError: a model cannot be used.
    """
    before = _checked(folder)
    slices = _slices(items, report, on_broken)
    first = next(slices, None)
    if first is None:
        raise SourceError(
            "No document was read, so there is nothing to stage.",
            remedy="Check the sources. Existing shards were kept.",
        )
    _write_manifest(folder, sorted(before), complete=False)
    chunking = Chunking("stage", embedder, progress)
    models = models_of(embedder, extractor)
    names: dict[str, None] = {}

    def missing() -> Iterator[Slice]:
        for some in itertools.chain((first,), slices):
            name = some.name(models)
            if name in names:  # the same documents were read before in this run
                continue
            names[name] = None
            report.documents += len(some.documents)
            if name in before and (chunks := chunks_in(folder.path(name))) is not None:
                report.kept += 1
                report.chunks += chunks
                chunking.advance(len(some.documents))
            else:
                yield some

    for shard in (engine or ShardWriter(folder, embedder, extractor, chunking)).shards(missing()):
        report.written += 1
        report.chunks += shard.chunks
        chunking.advance(shard.documents)
    there = folder.names()
    if elsewhere := [name for name in names if name not in there]:
        raise SourceError(
            f"{folder.address} lacks {counted(len(elsewhere), 'shard')} that workers wrote: {elsewhere[0]}",
            remedy="Name a folder that is shared by this machine and the machines of the workers.",
        )
    outdated = set() if report.broken else before - names.keys()  # a broken document may be readable again later
    for name in sorted(outdated | {name for name in there if _UNFINISHED.fullmatch(name)}):
        folder.delete(name)
    report.deleted += len(outdated)
    _write_manifest(folder, list(names), complete=True)
    progress.finish(f"{counted(report.written, 'shard')} written, {report.kept:,} kept")


def staged_shards(folder: str) -> list[str] | None:
    """Return the paths of the shards in a staged folder, in order, or None if the path is not a staged folder.

    Raises:
        SourceError: staging has not finished, a shard is missing, or the store cannot be accessed.
        ExtraMissing: the folder is in a store, but fsspec is not installed.
    """
    staged = shard_folder(folder)
    file = staged.path(MANIFEST)
    try:
        with opened(file) as lines:
            written = lines.read()
    except (OSError, ValueError):  # a path that contains a null byte causes a ValueError
        return None
    again = "Run the same `overstory stage` again: it continues where it stopped."
    try:
        manifest: object = parse_json(written)
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("overstory_stage") != _MANIFEST_FORMAT:
        raise SourceError(f"{file} is damaged, or was written by another version of Overstory.", remedy=again)
    if not manifest.get("complete"):
        raise SourceError(f"Staging of {folder} has not finished.", remedy=again)
    names = [str(name) for name in cast("list[object]", manifest.get("shards", []))]
    if manifest.get("checksum") != _checksum(names) or not all(map(_SHARD_NAME.fullmatch, names)):
        raise SourceError(f"{file} is damaged: its list of shards does not match its checksum.", remedy=again)
    there = staged.names()
    if missing := [name for name in names if name not in there]:
        raise SourceError(f"{folder} lacks {counted(len(missing), 'shard')}: {missing[0]}", remedy=again)
    return [staged.path(name) for name in names]


def _slices(items: Iterable[Loaded], report: StageReport, on_broken: OnBroken) -> Iterator[Slice]:
    """The end of a slice depends only on the documents in the slice."""
    documents: list[Document] = []
    links: dict[tuple[str, str], dict[LinkKey, float]] = {}
    characters = 0
    is_full = False
    for item in with_found_metadata(items):
        if isinstance(item, Annotation):
            report.left_out += 1
        elif isinstance(item, Link):
            report.left_out += not _add_link(links, item, on_broken)
        else:
            for document in storable([item], on_broken, set()):
                if is_full:
                    yield Slice(documents, links)
                    documents, links, characters = [], {}, 0
                documents.append(document)
                links[document.source, document.source_key] = {}
                characters += len(document.text)
                is_full = (
                    _ends_a_shard(document)
                    or len(documents) >= _MOST_DOCUMENTS_A_SHARD
                    or characters >= _MOST_CHARACTERS_A_SHARD
                )
    if documents:
        yield Slice(documents, links)


def _ends_a_shard(document: Document) -> bool:
    name = hashlib.sha256(f"{document.source}\0{document.source_key}".encode()).digest()
    return int.from_bytes(name[:4]) % _MEAN_DOCUMENTS_A_SHARD == 0


def _add_link(links: dict[tuple[str, str], dict[LinkKey, float]], link: Link, on_broken: OnBroken) -> bool:
    """Add a link to the document that it starts from, and return True; return False if the slice lacks that document.

    A link that is not valid is reported as broken instead.

    Args:
        links: the links in the current slice, by source and key of their start document.
    """
    of = links.get((link.source, link.source_key))
    if of is None:
        return False
    if (fault := link_fault(link)) is not None:
        on_broken(fault)
        return True
    key = (link.target_source or link.source, link.target_key, link.type, link.text)
    of[key] = min(of.get(key, 0.0) + link.weight, HEAVIEST_LINK)
    return True


def _checked(folder: ShardFolder) -> set[str]:
    """Return the names of the shards that are already in a folder.

    Raises:
        SourceError: the folder cannot be created, or it contains files that were not written by staging.
    """
    names = folder.names()
    if names and MANIFEST not in names:
        raise SourceError(f"{folder.address} contains other files: {min(names)}", remedy="Name a new folder.")
    return set(filter(_SHARD_NAME.fullmatch, names))


def _checksum(names: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


def _write_manifest(folder: ShardFolder, names: Sequence[str], *, complete: bool) -> None:
    manifest: dict[str, Any] = {"overstory_stage": _MANIFEST_FORMAT, "complete": complete, "shards": list(names)}
    manifest["checksum"] = _checksum(names)
    folder.write(MANIFEST, [json.dumps(manifest, indent=1)])
