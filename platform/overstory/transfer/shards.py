"""Writes shards. A shard is an export of some documents with their chunks, vectors, mentions and facts.

The content and the name of a shard depend only on its documents, models and settings. Every process therefore writes
the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from overstory.embed import make_embedder
from overstory.errors import BrokenSource, ModelError
from overstory.index.changes import sha256_of
from overstory.index.chunking import Chunking
from overstory.index.stages.embed import check_vectors, embedded_text
from overstory.index.stages.extract import findings_of
from overstory.index.write_extractions import Findings, fact_record
from overstory.model import ChunkText, Document, Extraction, TextPiece
from overstory.protocols import Embedder, Extractor, Silence
from overstory.settings import EmbeddingSettings, ExtractionSettings
from overstory.structured_text import parse_json
from overstory.text import make_extractor
from overstory.text.language_detection import foreign_passage_languages
from overstory.text.languages import foreign_language
from overstory.transfer.export import EXPORT_FORMAT, Record, document_record, json_line, packed_vector, sealed, unsealed
from overstory.transfer.shard_folders import FIRST_LINE_BYTES, ShardFolder, opened, shard_folder

FINGERPRINT = "stage-3"
"""Version of the content of shards. It must be changed whenever the same documents may result in different shards."""

LinkKey = tuple[str, str, str, str]
"""A link as a tuple: the source of its target, the key of its target, its type, and its text."""


@dataclass(slots=True)
class Slice:
    """The documents for one shard, with the links that start from them.

    Attributes:
        links: map from the source and key of each document to its links with their weights.
        digests: the SHA-256 digests of the documents, in the same order.
    """

    documents: list[Document]
    links: dict[tuple[str, str], dict[LinkKey, float]]
    digests: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.digests = list(map(sha256_of, self.documents))

    def name(self, models: str) -> str:
        """Return the file name of the shard for these documents.

        Args:
            models: the fingerprints of the models, as `models_of` returns them.
        """
        parts = [FINGERPRINT, models]
        for document, digest in zip(self.documents, self.digests, strict=True):
            parts += [document.source, document.source_key, digest]
            parts.append(repr(sorted(document.file_metadata.items(), key=lambda item: item[0])))
            parts.append(repr(sorted(self.links[document.source, document.source_key].items())))
        return f"shard-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}.jsonl"


@dataclass(frozen=True, slots=True)
class Shard:
    name: str
    documents: int
    chunks: int


@dataclass(frozen=True, slots=True)
class ShardJob:
    """Everything that a process needs for writing shards. Environment variables are not read.

    Attributes:
        folder: path of the folder for the shards, or an address that fsspec supports.
        models: fingerprints of the models of the process that requests the shards.
        version: `FINGERPRINT` in the process that requests the shards. With other models or another version, a worker
            would write shards with other names.
    """

    folder: str
    embedding: EmbeddingSettings
    extraction: ExtractionSettings
    models: str
    version: str = FINGERPRINT

    def writer(self) -> ShardWriter:
        """Load the models, and return a writer that uses them.

        Raises:
            ModelError: a model cannot be loaded in this process, or it is not the requested model.
            SourceError: the folder cannot be accessed.
            ExtraMissing: the folder is in a store, but fsspec is not installed.
        """
        embedder, extractor = make_embedder(self.embedding), make_extractor(self.extraction)
        if (FINGERPRINT, own := models_of(embedder, extractor)) != (self.version, self.models):
            raise ModelError(
                f"A worker has the models {FINGERPRINT} {own}, but {self.version} {self.models} are required.",
                remedy="Install the same packages on all machines; a model that was passed to `use` exists only here.",
            )
        return ShardWriter(shard_folder(self.folder), embedder, extractor, Chunking("stage", embedder, Silence()))


@dataclass(slots=True)
class _OpenShard:
    """A shard that is not finished, because the extractor has not processed all of its chunks yet."""

    name: str
    slice: Slice
    pieces: list[list[TextPiece]]
    texts: list[str]
    vectors: list[list[float] | None]
    found: list[Extraction]


class ShardWriter:
    """Writes slices as shards in this process."""

    def __init__(self, folder: ShardFolder, embedder: Embedder, extractor: Extractor, chunking: Chunking) -> None:
        self._folder, self._embedder, self._extractor, self._chunking = folder, embedder, extractor, chunking
        self._models = models_of(embedder, extractor)

    def shards(self, slices: Iterable[Slice]) -> Iterator[Shard]:
        """Write each slice as a shard, and yield the shards in order.

        All slices should be passed in one call, because the extractor may start processes that end with the call.

        Raises:
            SourceError: a shard cannot be written.
            ModelError: a model cannot be used.
        """
        waiting: deque[_OpenShard] = deque()

        def texts() -> Iterator[ChunkText]:
            for some in slices:
                waiting.append(_prepared(some.name(self._models), some, self._chunking, self._embedder))
                yield from _to_extract(waiting[-1])

        for extraction in self._extractor.extract(texts()):
            waiting[0].found.append(extraction)
            if len(waiting[0].found) == len(waiting[0].texts):
                made = waiting.popleft()
                lines = [_header(made, self._embedder), *map(json_line, _records(made, self._extractor))]
                self._folder.write(made.name, list(sealed(lines)))
                yield Shard(made.name, len(made.slice.documents), len(made.texts))


def models_of(embedder: Embedder, extractor: Extractor) -> str:
    """Return a text that identifies the models on which the content of a shard depends."""
    return f"{embedder.fingerprint} {embedder.token_limit} {extractor.fingerprint}"


def chunks_in(path: str) -> int | None:
    """Return the number of chunks that the header of a shard states, or None if the header is damaged.

    Args:
        path: the path or the address of the shard.

    Raises:
        OSError: the file cannot be read.
        SourceError: the store cannot be accessed.
    """
    with opened(path, most_bytes=FIRST_LINE_BYTES) as lines:
        try:
            _, header = next(unsealed(lines, path))
            return int(parse_json(header)["chunks"])
        except (BrokenSource, ValueError, TypeError, KeyError):
            return None


def _prepared(name: str, some: Slice, chunking: Chunking, embedder: Embedder) -> _OpenShard:
    pieces = [chunking.pieces(document) for document in some.documents]
    texts: list[str] = []
    for document, own in zip(some.documents, pieces, strict=True):
        texts += [
            embedded_text({"title": document.title, "heading": piece.heading, "text": piece.text}) for piece in own
        ]
    wanted = list(dict.fromkeys(text for text in texts if text))
    vectors: dict[str, list[float]] = {}
    if wanted:
        embedded = embedder.embed(wanted)
        check_vectors(embedded, len(wanted), embedder)
        vectors = dict(zip(wanted, embedded.tolist(), strict=True))
    every = [piece.text for own in pieces for piece in own]
    return _OpenShard(name, some, pieces, every, [vectors.get(text) for text in texts], [])


def _to_extract(made: _OpenShard) -> Iterator[ChunkText]:
    number = 0
    for document, own in zip(made.slice.documents, made.pieces, strict=True):
        languages = foreign_passage_languages([piece.text for piece in own], foreign_language(document.all_metadata))
        for piece, language in zip(own, languages, strict=True):
            yield ChunkText(
                id=f"{made.name} {number}",
                title=document.title,
                heading=piece.heading,
                text=piece.text,
                language=language,
            )
            number += 1


def _records(made: _OpenShard, extractor: Extractor) -> Iterator[Record]:
    number = 0
    for document, digest, own in zip(made.slice.documents, made.slice.digests, made.pieces, strict=True):
        chunks: list[Record] = []
        for piece in own:
            found = made.found[number]
            findings = findings_of(found, piece.text, piece.heading)
            chunks.append(
                {
                    "heading": piece.heading,
                    "text": piece.text,
                    "start": piece.start,
                    "end": piece.end,
                    "token_count": piece.token_count,
                    "extracted": extractor.fingerprint,
                    "sentences": list(found.sentences),
                    "vector": packed_vector(made.vectors[number]),
                    "mentions": _mentions(findings, extractor.by),
                    "facts": [{"by": extractor.by} | fact_record(fact) for fact in findings.facts],
                }
            )
            number += 1
        yield document_record(document, digest, chunks, _links(made.slice, document))


def _links(some: Slice, document: Document) -> list[Record]:
    names = ("target_source", "target_key", "type", "text")
    of = some.links[document.source, document.source_key]
    return [dict(zip(names, key, strict=True)) | {"weight": of[key]} for key in sorted(of)]


def _mentions(findings: Findings, by: str) -> list[Record]:
    """Return the mentions in the format of an export, with one record per entity key that contains all its mentions."""
    of: dict[str, Record] = {}
    for mention in findings.mentions:
        empty: Record = {"key": mention.key, "by": by, "surfaces": [], "types": [], "sentences": []}
        record = of.setdefault(mention.key, empty)
        for name, value in (("surfaces", mention.surface), ("types", mention.type), ("sentences", mention.sentence)):
            record[name].append(value)
    return list(of.values())


def _header(made: _OpenShard, embedder: Embedder) -> str:
    return json_line(
        {
            "overstory_export": EXPORT_FORMAT,
            "corpus": "",
            "embedder": embedder.fingerprint,
            "dimension": embedder.dimension,
            "analyzer": "",
            "chunks": len(made.texts),
        }
    )
