"""Parses and validates the lines of an export.

Users may edit exports. Therefore a value that cannot be stored in the graph is rejected.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, cast

import numpy as np

from overstory.display import counted, printable
from overstory.errors import BrokenSource
from overstory.graph.times import TIMES, FactTimes
from overstory.index.document_checks import link_fault
from overstory.index.metadata_values import FILE_METADATA
from overstory.index.write_extractions import FoundFact, FoundMention
from overstory.model import HEAVIEST_LINK, Document, Link, MetadataValue, TextPiece
from overstory.model.metadata import with_dates
from overstory.model.time_spans import PartialDate
from overstory.structured_text import parse_json
from overstory.surrogates import is_well_formed
from overstory.text.names.edits import NameEdit, checked_edit
from overstory.text.names.keys import entity_key
from overstory.text.names.vocabulary import Names, VocabularyName
from overstory.transfer.export import EXPORT_AGAIN, EXPORT_FORMAT, Record
from overstory.vectors.packed import are_unit

NUMBER_BOUND = 2**53
"""Largest whole number that is allowed in an export.

No position or count is larger, and all JSON readers represent it exactly.
"""
_MOST_VECTOR_DIMENSIONS = 4_096
"""Maximum dimension of the vectors in a Neo4j vector index."""

_INVALID = (ValueError, TypeError, KeyError, AttributeError, OverflowError)
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ExportHeader:
    """The first line of an export.

    Attributes:
        embedder: fingerprint of the embedder; "" if the export contains no vectors.
        dimension: dimension of the vectors; 0 if the export contains no vectors.
        name_edits: the user's edits of names, oldest first.
        vocabularies: map from the path of each vocabulary file to the names in it, by entity key.
        dismissed_merges: pairs of names that the user marked as different entities.
        embedder_name: the name of the embedder that was chosen for the corpus; "" if the settings chose the embedder.
    """

    embedder: str
    dimension: int
    name_edits: tuple[NameEdit, ...] = ()
    vocabularies: Mapping[str, Mapping[str, VocabularyName]] = field(default_factory=dict)
    dismissed_merges: tuple[tuple[str, str], ...] = ()
    embedder_name: str = ""


@dataclass(frozen=True, slots=True)
class RestoredChunk:
    """A chunk with everything that was extracted from it.

    Attributes:
        extracted: fingerprint of the extractor that processed the chunk; "" if none has.
        sentences: start offsets of the sentences.
        boilerplate: start and end offsets of the boilerplate, in ascending order.
        mentions: pairs of an extractor and a mention that it found.
        facts: pairs of an extractor and a fact that it found.
    """

    piece: TextPiece
    vector: list[float] | None
    extracted: str
    sentences: list[int]
    boilerplate: list[int]
    mentions: list[tuple[str, FoundMention]]
    facts: list[tuple[str, FoundFact]]


@dataclass(frozen=True, slots=True)
class RestoredDocument:
    """A document with everything that was extracted from it. `document.text` is empty: the chunks contain the text."""

    document: Document
    sha256: str
    chunks: list[RestoredChunk]
    links: list[Link]
    disabled: bool = False


def read_header(line: str, source: str) -> ExportHeader:
    try:
        header = parse_json(line)
        format_ = _whole(header["overstory_export"])
        known = format_ == EXPORT_FORMAT
        result = ExportHeader(
            _text(header["embedder"]),
            _whole(header["dimension"], _MOST_VECTOR_DIMENSIONS),
            tuple(_name_edit(edit) for edit in _list(header.get("name_edits", []))) if known else (),
            _vocabularies(_list(header.get("vocabulary", []))) if known else {},
            tuple(map(_dismissed, _list(header.get("dismissed_merges", [])))) if known else (),
            _text(header.get("embedder_name", "")),
        )
        for name in (result.embedder, result.embedder_name):
            if printable(name) != name or "\n" in name:
                raise ValueError("the embedder's name has control characters")
        if bool(result.embedder) != bool(result.dimension):
            raise ValueError("the embedder and its dimension must be given together")
    except _INVALID as error:
        raise _broken(source, 1, "the first line of an export", error) from error
    if not known:
        raise BrokenSource(
            f"is an export in format {format_}, but this version reads format {EXPORT_FORMAT}",
            source=source,
            line=1,
            remedy="Load it with the version that wrote it, or export the corpus again with this version.",
        )
    return result


def read_documents(
    numbered: Iterable[tuple[int, str]], header: ExportHeader, source: str, failures: list[BrokenSource]
) -> Iterator[RestoredDocument]:
    """Yield the documents in the lines of an export. Stop at the first damaged line and add an error to `failures`.

    The function needs about 100 bytes of memory per document, to find documents that occur twice with different
    content.

    Args:
        numbered: the lines that contain documents, with their numbers. For a damaged line, the iterator raises
            `BrokenSource`.
    """
    seen: dict[int, int] = {}
    read = 0
    try:
        for number, line in numbered:
            try:
                restored = _restored(parse_json(line), header)
                _check_once(restored, seen)
            except _INVALID as error:
                raise _broken(source, number, "a document of an export", error) from error
            yield restored
            read += 1
    except BrokenSource as error:
        before = f"only the lines before it were loaded: {counted(read, 'document')}"
        failures.append(BrokenSource(f"{error.reason}; {before}", source=source, line=error.line, remedy=error.remedy))


def _name_edit(record: Record) -> NameEdit:
    return checked_edit(_text(record["kind"]), _text(record["name"]), _text(record["to"]))


def _dismissed(pair: Any) -> tuple[str, str]:  # `pair` is parsed JSON of any type
    name, into = map(_text, _list(pair))
    if not entity_key(name) or not entity_key(into) or entity_key(name) == entity_key(into):
        raise ValueError(f"{name!r:.40} and {into!r:.40} are not two different names")
    return name, into


def _vocabularies(records: list[Any]) -> dict[str, dict[str, VocabularyName]]:
    found: dict[str, Names] = {}
    for number, record in enumerate(records, start=1):
        source = _text(record["source"])
        if not source:
            raise ValueError("a vocabulary has no path")
        aliases = [_text(alias) for alias in _list(record["aliases"])]
        found.setdefault(source, Names()).add(_text(record["name"]), _text(record["type"]), aliases, number)
    return {source: names.by_key() for source, names in found.items()}


def _check_once(restored: RestoredDocument, seen: dict[int, int]) -> None:
    key, content = hash((restored.document.source, restored.document.source_key)), int(restored.sha256[:15], 16)
    if seen.setdefault(key, content) != content:
        raise ValueError("an earlier line has the same document with different content")


def _broken(source: str, line: int, what: str, error: Exception) -> BrokenSource:
    why = f"{error} is missing" if isinstance(error, KeyError) else printable(str(error))
    return BrokenSource(f"not {what}: {why}", source=source, line=line, remedy=EXPORT_AGAIN)


def _restored(record: Record, header: ExportHeader) -> RestoredDocument:
    metadata, of_file = _metadata(record)
    document = Document(
        source=_text(record["source"]),
        source_key=_text(record["source_key"]),
        text="",  # the text is contained in the chunks
        title=_text(record["title"]),
        metadata={key: value for key, value in metadata.items() if key not in of_file},
        file_metadata={key: value for key, value in metadata.items() if key in of_file},
    )
    if not document.source:
        raise ValueError("the source is empty")
    sha256 = _text(record["sha256"])
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"{sha256!r:.40} is not a SHA-256")
    chunks: list[RestoredChunk] = []
    end = 0
    for seq, each in enumerate(_list(record["chunks"])):
        chunk = _chunk(seq, each, header)
        if chunk.piece.start < end:
            raise ValueError(f"chunk {seq} begins at {chunk.piece.start}, before the end of the previous chunk")
        end = chunk.piece.end
        chunks.append(chunk)
    links = [_link(document, each) for each in _list(record.get("links", []))]
    return RestoredDocument(document, sha256, chunks, links, _flag(record.get("disabled", False)))


def _metadata(record: Record) -> tuple[dict[str, MetadataValue], set[str]]:
    """Return all metadata of a document, and the set of those keys that describe its file."""
    dated = {_text(key) for key in _list(record.get("dates", []))}
    written = {_text(key) for key in _list(record.get("numbers", []))}
    metadata = {
        _text(key): with_dates(value) if key in dated else _numbers(value) if key in written else _storable(value)
        for key, value in record["metadata"].items()
    }
    of_file = {_text(key) for key in _list(record.get(FILE_METADATA, []))}
    if not of_file | dated | written <= metadata.keys():
        raise ValueError("it lists metadata keys that it does not have")
    return metadata, of_file


def _numbers(value: object) -> MetadataValue:
    return (
        [float(_text(each)) for each in cast("list[object]", value)] if isinstance(value, list) else float(_text(value))
    )


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r:.40} is neither true nor false")
    return value


def _link(document: Document, record: Record) -> Link:
    weight = record["weight"]
    if not isinstance(weight, int | float) or isinstance(weight, bool):
        raise TypeError(f"{weight!r:.40} is not a number")
    link = Link(
        source=document.source,
        source_key=document.source_key,
        target_source=_text(record["target_source"]),
        target_key=_text(record["target_key"]),
        type=_text(record["type"]),
        text=_text(record["text"]),
        weight=min(float(weight), HEAVIEST_LINK),  # earlier versions exported larger weights, even infinite ones
    )
    if (fault := link_fault(link)) is not None:
        raise ValueError(str(fault))
    return link


def _chunk(seq: int, record: Record, header: ExportHeader) -> RestoredChunk:
    piece = TextPiece(
        seq=seq,
        start=_whole(record["start"]),
        end=_whole(record["end"]),
        text=_text(record["text"]),
        heading=_text(record["heading"]),
        token_count=_whole(record["token_count"]),
    )
    if not piece.text or piece.end - piece.start != len(piece.text):
        raise ValueError(f"chunk {seq} has {len(piece.text)} characters, but goes from {piece.start} to {piece.end}")
    sentences = _sentences(record["sentences"], len(piece.text))
    return RestoredChunk(
        piece=piece,
        vector=_vector(record["vector"], header),
        extracted="" if record["extracted"] is None else _text(record["extracted"]),
        sentences=sentences,
        boilerplate=_spans(record.get("boilerplate"), len(piece.text)),
        mentions=[found for mention in _list(record["mentions"]) for found in _mentions(mention)],
        facts=[(_text(fact["by"]), _fact(fact)) for fact in _list(record["facts"])],
    )


def _sentences(value: object, length: int) -> list[int]:
    """Return the start offsets of the sentences in a text with `length` characters.

    Raises:
        ValueError: an offset is larger than `length`, or the offsets are not in ascending order.
    """
    starts = [] if value is None else [_whole(start, length) for start in _list(value)]
    if any(second <= first for first, second in pairwise(starts)):
        raise ValueError("the start offsets of sentences are not in ascending order")
    return starts


def _spans(value: object, length: int) -> list[int]:
    spans = [] if value is None else [_whole(place, length) for place in _list(value)]
    if len(spans) % 2 or any(second <= first for first, second in pairwise(spans)):
        raise ValueError("the spans of boilerplate are not in ascending order")
    return spans


def _mentions(record: Record) -> Iterator[tuple[str, FoundMention]]:
    surfaces = _list(record["surfaces"])
    sentences = [None] * len(surfaces) if record["sentences"] is None else _list(record["sentences"])
    for surface, type_, sentence in zip(
        surfaces, _list(record["types"]), sentences or [None] * len(surfaces), strict=True
    ):
        where = None if sentence is None else _whole(sentence)
        yield _text(record["by"]), FoundMention(_text(record["key"]), _text(surface), _text(type_), where)


def _fact(record: Record) -> FoundFact:
    return FoundFact(
        subject=_text(record["subject"]),
        subject_key=_text(record["subject_key"]),
        predicate=_text(record["predicate"]),
        object=_text(record["object"]),
        object_key=_text(record["object_key"]),
        position=_whole(record["position"]),
        sentence=None if record["sentence"] is None else _whole(record["sentence"]),
        quote=_text(record["quote"]),
        **_times(record),
    )


def _times(record: Record) -> FactTimes:
    """Return the times of a fact; exports of earlier versions have none."""
    dates = {name: _text(record.get(name, "")) for name in TIMES}
    for written in filter(None, dates.values()):
        PartialDate.read(written)
    return FactTimes(
        holds_from=dates["holds_from"],
        holds_to=dates["holds_to"],
        said_at=dates["said_at"],
        ended=bool(record.get("ended")),
        time_words=_text(record.get("time_words", "")),
    )


def _vector(packed: object, header: ExportHeader) -> list[float] | None:
    if packed is None:
        return None
    vector = np.frombuffer(base64.b64decode(_text(packed), validate=True), dtype="<f4")
    if vector.size != header.dimension:
        raise ValueError(f"a vector has {vector.size} dimensions, but the header declares {header.dimension}")
    if not are_unit(vector[np.newaxis]):
        raise ValueError("a vector is not of unit length")
    values: list[float] = vector.tolist()
    return values


def _list(value: object) -> list[Any]:  # the items are parsed JSON of any type
    if not isinstance(value, list):
        raise TypeError(f"{value!r:.40} is not a list")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is not a string")
    if not is_well_formed(value):
        raise ValueError(f"{value!r:.40} has half of a surrogate pair")
    return value


def _whole(value: object, most: int = NUMBER_BOUND) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r:.40} is not a whole number")
    if not 0 <= value <= most:
        raise ValueError(f"{value!r:.40} is not between 0 and {most:,}")
    return value


def _storable(value: object) -> MetadataValue:
    for each in value if isinstance(value, list) else [value]:
        if type(each) is str:
            _text(each)
        elif type(each) is int and not -(2**63) <= each < 2**63:
            raise ValueError(f"{each!r:.40} has more than 64 bits")
        elif type(each) not in (str, int, float, bool):
            raise TypeError(f"{each!r:.40} cannot be stored as metadata")
    if isinstance(value, list) and len({type(each) for each in value}) > 1:
        raise TypeError(f"{value!r:.40} has values of several types")
    return cast("MetadataValue", value)
