"""The names of a corpus and their links to chunks as arrays: what canopy asks of them, without the graph.

Some 30 bytes a mention and 90 bytes and its text a name. The arrays are never changed: `merged` makes new ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Ids = npt.NDArray[np.uint64]
"""Identifiers of 32 hexadecimal digits: shape (n, 2), in order."""

Ints = npt.NDArray[np.int32]
Starts = npt.NDArray[np.int64]
Flags = npt.NDArray[np.uint8]
Rows = npt.NDArray[np.intp]

C = TypeVar("C", np.uint64, np.int32)
V = TypeVar("V", np.int32, np.float64)

SUBJECT_BIT, TERM_BIT, LEADS_BIT = 1, 2, 4
"""Bits of `NameIndex.flags`: a chunk is about the name; one defines it or has it as heading; ways lead by it."""


ID_BYTES, POINTER_BYTES = 81, 8
"""Of an identifier as a Python string, and of its place in a list."""
BYTES_A_CHUNK = 16 + ID_BYTES + 2 * POINTER_BYTES
"""Of an index, for a chunk's id, as a number and as a text, and that of its document."""


class IdsClash(ValueError):
    """Two identifiers of one corpus begin with the same 16 digits, which this index takes for the whole."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts as one array of UTF-8: `starts` has one item more than there are texts."""

    data: npt.NDArray[np.uint8]
    starts: Starts

    @classmethod
    def of(cls, texts: Iterable[str]) -> Texts:
        encoded = [text.encode("utf-8") for text in texts]
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), _starts([len(each) for each in encoded]))

    def __getitem__(self, number: int) -> str:
        return self.data[self.starts[number] : self.starts[number + 1]].tobytes().decode("utf-8")

    def taken(self, numbers: npt.NDArray[np.intp]) -> Texts:
        """Those of these numbers, in their order."""
        rows, starts = _segments(self.starts, numbers)
        return Texts(self.data[rows], starts)


@dataclass(frozen=True, slots=True)
class Entities:
    """The names themselves, n of them.

    Attributes:
        ids: (n, 2); hashes: (n,), of their keys.
        df: chunks in which the dictionary finds each.
        flags: SUBJECT_BIT, TERM_BIT and LEADS_BIT.
    """

    ids: Ids
    hashes: Starts
    df: Ints
    flags: Flags
    keys: Texts
    names: Texts

    def taken(self, numbers: Rows) -> Entities:
        """Those of these numbers, in their order."""
        return Entities(
            ids=self.ids[numbers],
            hashes=self.hashes[numbers],
            df=self.df[numbers],
            flags=self.flags[numbers],
            keys=self.keys.taken(numbers),
            names=self.names.taken(numbers),
        )


@dataclass(frozen=True, slots=True)
class ChunkLists(Generic[C, V]):
    """A list of chunks for each name, one after the other.

    Attributes:
        starts: (n + 1,), where the list of each begins.
        chunks: the chunks: (m, 2), their ids, or (m,), their numbers.
        values: (m,), one for each: of mentions the first sentence that says the name, or -1; of chunks that are about
            it, how much they are.
    """

    starts: Starts
    chunks: npt.NDArray[C]
    values: npt.NDArray[V]

    def __getitem__(self, number: int) -> tuple[npt.NDArray[C], npt.NDArray[V]]:
        """The chunks and the values of one."""
        some = slice(self.starts[number], self.starts[number + 1])
        return self.chunks[some], self.values[some]

    def taken(self, numbers: Rows) -> ChunkLists[C, V]:
        """The lists of these numbers, in their order."""
        rows, starts = _segments(self.starts, numbers)
        return ChunkLists(starts, self.chunks[rows], self.values[rows])


@dataclass(frozen=True, slots=True)
class NameRows:
    """Names in any order, with the chunks that mention them and those that are about them: what an index is made of."""

    entities: Entities
    mentions: ChunkLists[np.uint64, np.int32]
    about: ChunkLists[np.uint64, np.float64]

    @property
    def nbytes(self) -> int:
        return _bytes_of(self)

    def chunks(self) -> Ids:
        """The chunks, each once, in order."""
        return _distinct(np.concatenate([self.mentions.chunks, self.about.chunks]))

    def taken(self, numbers: Rows) -> NameRows:
        """The rows of these numbers, in their order."""
        return NameRows(self.entities.taken(numbers), self.mentions.taken(numbers), self.about.taken(numbers))


@dataclass(frozen=True, slots=True)
class NameIndex:
    """Names in order of the hashes of their keys, which hold in this process alone, and the chunks that mention them or
    are about them, in order of their ids.

    Attributes:
        mentions: with numbers of chunks; about: likewise, the highest weight first, then by the ids.
        chunks: (c, 2), their ids; chunk_ids: the same as texts, which questions need; document_ids: of their documents.
        of_chunk_starts, of_chunk: where the mentions of each chunk begin, and their places in `mentions`; only of names
            that LEAD.
    """

    entities: Entities
    mentions: ChunkLists[np.int32, np.int32]
    about: ChunkLists[np.int32, np.float64]
    chunks: Ids
    chunk_ids: list[str]
    document_ids: list[str]
    of_chunk_starts: Starts
    of_chunk: Ints

    @property
    def nbytes(self) -> int:
        arrays = (self.entities, self.mentions, self.about, self.chunks, self.of_chunk_starts, self.of_chunk)
        documents = len(set(self.document_ids))
        texts = (len(self.chunk_ids) + documents) * ID_BYTES + 2 * len(self.chunk_ids) * POINTER_BYTES
        return sum(map(_bytes_of, arrays)) + texts

    def numbers(self, keys: Sequence[str]) -> Iterator[tuple[str, int]]:
        """Those of some keys that are there, in their order, and the numbers of their names."""
        known = self.entities.hashes
        if not len(known):
            return
        hashes = _hashes(keys)
        places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        for found in np.flatnonzero(known[places] == hashes).tolist():
            place = int(places[found])
            while place < len(known) and known[place] == hashes[found]:
                if self.entities.keys[place] == keys[found]:
                    yield keys[found], place
                place += 1

    def chunk_numbers(self, ids: Sequence[str]) -> list[int]:
        """The numbers of chunks; -1 for one that no name leads to or from."""
        places = _places(self.chunks, packed_ids(ids))
        return [int(place) for place in places]

    def leading(self, chunk: int) -> list[tuple[int, int]]:
        """The names that a chunk mentions and that lead somewhere, each with the first sentence that says it."""
        rows = self.of_chunk[self.of_chunk_starts[chunk] : self.of_chunk_starts[chunk + 1]]
        entities = np.searchsorted(self.mentions.starts, rows, side="right") - 1
        return list(zip(entities.tolist(), self.mentions.values[rows].tolist(), strict=True))

    def most_about(self, entity: int, most: int) -> tuple[Ints, npt.NDArray[np.float64]]:
        """The chunks that are most about a name, and how much each is."""
        chunks, weights = self.about[entity]
        return chunks[:most], weights[:most]

    def ids_of(self, chunks: Ints) -> list[str]:
        """The ids of chunks."""
        ids = self.chunk_ids
        return [ids[chunk] for chunk in chunks.tolist()]

    def documents_by_chunk(self, chunks: Iterable[Ints]) -> dict[str, str]:
        """The ids of the documents of several lists of chunks, by those of the chunks."""
        ids, documents = self.chunk_ids, self.document_ids
        return {ids[chunk]: documents[chunk] for some in chunks for chunk in some.tolist()}

    def rows(self) -> NameRows:
        """As rows, to be joined with others."""
        return NameRows(
            self.entities,
            ChunkLists(self.mentions.starts, self.chunks[self.mentions.chunks], self.mentions.values),
            ChunkLists(self.about.starts, self.chunks[self.about.chunks], self.about.values),
        )

    def known_documents(self) -> dict[str, str]:
        """The ids of the documents of all chunks, by those of the chunks."""
        return dict(zip(self.chunk_ids, self.document_ids, strict=True))


def without(rows: NameRows, gone: Ids) -> NameRows:
    """The rows but for those of some entities."""
    kept = ~np.isin(rows.entities.ids[:, 0], gone[:, 0])
    return rows if kept.all() else rows.taken(np.flatnonzero(kept))


def joined(pieces: Sequence[NameRows]) -> NameRows:
    """Rows of several pieces, which have no entity in common."""
    entities = [piece.entities for piece in pieces]
    return NameRows(
        Entities(
            ids=np.concatenate([each.ids for each in entities]),
            hashes=np.concatenate([each.hashes for each in entities]),
            df=np.concatenate([each.df for each in entities]),
            flags=np.concatenate([each.flags for each in entities]),
            keys=_joined_texts([each.keys for each in entities]),
            names=_joined_texts([each.names for each in entities]),
        ),
        _joined_lists([piece.mentions for piece in pieces]),
        _joined_lists([piece.about for piece in pieces]),
    )


def no_rows() -> NameRows:
    """Rows of no name."""
    return rows_of([])


def rows_of(names: Sequence[Sequence[Any]]) -> NameRows:  # columns of several types, as the statement's header says
    """Rows of `retrieve/held_names`."""
    ids, keys, texts, df, flags, mentions, about = zip(*names, strict=True) if names else ((),) * 7
    return NameRows(
        Entities(
            ids=packed_ids(ids),
            hashes=_hashes(keys),
            df=np.array(df, dtype=np.int32),
            flags=np.array(flags, dtype=np.uint8),
            keys=Texts.of(keys),
            names=Texts.of(texts),
        ),
        _lists_of(mentions, np.int32),
        _lists_of(about, np.float64),
    )


def index_of(rows: NameRows, chunks: Ids, documents: Mapping[str, str]) -> NameIndex:
    """The index of these names.

    Args:
        chunks: all of the rows, each once, in order.
        documents: the id of the document of each chunk, by the id of the chunk; "" where there is none, since the chunk
            was deleted meanwhile.
    """
    _refuse_clashes(rows.entities.ids)
    _refuse_clashes(chunks)
    ordered = rows.taken(np.lexsort((rows.entities.ids[:, 0], rows.entities.hashes)))
    mentions, about = _numbered(chunks, ordered.mentions), _numbered(chunks, ordered.about)
    by_weight = np.lexsort(
        (about.chunks, -about.values, np.repeat(np.arange(len(rows.entities.ids)), np.diff(about.starts)))
    )
    leads = np.repeat((ordered.entities.flags & LEADS_BIT) > 0, np.diff(mentions.starts))
    leading = np.flatnonzero(leads).astype(np.int32)
    led = mentions.chunks[leading]
    chunk_ids = unpacked_ids(chunks)
    same: dict[str, str] = {}  # chunks of one document share a string
    return NameIndex(
        entities=ordered.entities,
        mentions=mentions,
        about=ChunkLists(about.starts, about.chunks[by_weight], about.values[by_weight]),
        chunks=chunks,
        chunk_ids=chunk_ids,
        document_ids=[same.setdefault(id_, id_) for id_ in (documents.get(chunk, "") for chunk in chunk_ids)],
        of_chunk_starts=_starts(np.bincount(led, minlength=len(chunks))),
        of_chunk=leading[np.argsort(led, kind="stable")],
    )


def packed_ids(ids: Sequence[str]) -> Ids:
    """Identifiers of 32 hexadecimal digits as (n, 2) numbers, whose order is theirs."""
    data = bytes.fromhex("".join(ids))
    if len(data) != 16 * len(ids):
        raise ValueError("an identifier has not 32 hexadecimal digits")
    return np.frombuffer(data, dtype=">u8").astype(np.uint64).reshape(-1, 2)


def unpacked_ids(ids: Ids) -> list[str]:
    """(n, 2) numbers as identifiers."""
    digits = ids.astype(">u8").tobytes().hex()
    return [digits[start : start + 32] for start in range(0, len(digits), 32)]


def _places(known: Ids, ids: Ids) -> npt.NDArray[np.intp]:
    """Where ids are among known ones, which are in order; -1 for one that is not."""
    if not len(known):
        return np.full(len(ids), -1, dtype=np.intp)
    places = np.minimum(np.searchsorted(known[:, 0], ids[:, 0]), len(known) - 1)
    return np.where((known[places] == ids).all(axis=1), places, -1)


def _distinct(ids: Ids) -> Ids:
    _, first = np.unique(ids[:, 0], return_index=True)
    distinct: Ids = ids[first]
    return distinct


def _refuse_clashes(ids: Ids) -> None:
    if len(np.unique(ids[:, 0])) < len(ids):
        raise IdsClash("two identifiers begin with the same 16 digits")


def _hashes(keys: Sequence[str]) -> Starts:
    return np.fromiter(map(hash, keys), dtype=np.int64, count=len(keys))


def _starts(lengths: Sequence[int] | npt.NDArray[np.intp]) -> Starts:
    """Where segments of these lengths begin, and where the last one ends."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])


def _segments(starts: Starts, numbers: npt.NDArray[np.intp]) -> tuple[Starts, Starts]:
    """The rows of some segments, one after the other, and where each begins among them."""
    lengths = (starts[1:] - starts[:-1])[numbers]
    taken = _starts(lengths)
    rows = np.arange(taken[-1]) + np.repeat(starts[:-1][numbers] - taken[:-1], lengths)
    return rows, taken


def _joined_starts(pieces: Sequence[Starts]) -> Starts:
    return _starts(np.concatenate([np.diff(piece) for piece in pieces]))


def _lists_of(lists: Sequence[Sequence[tuple[str, float]]], dtype: type[V]) -> ChunkLists[np.uint64, V]:
    """Lists of chunks by their ids, each with its value."""
    flat = [each for some in lists for each in some]
    starts = _starts([len(some) for some in lists])
    return ChunkLists(starts, packed_ids([chunk for chunk, _ in flat]), np.array([value for _, value in flat], dtype))


def _joined_lists(pieces: Sequence[ChunkLists[C, V]]) -> ChunkLists[C, V]:
    return ChunkLists(
        _joined_starts([piece.starts for piece in pieces]),
        np.concatenate([piece.chunks for piece in pieces]),
        np.concatenate([piece.values for piece in pieces]),
    )


def _numbered(chunks: Ids, lists: ChunkLists[np.uint64, V]) -> ChunkLists[np.int32, V]:
    """With the numbers of the chunks instead of their ids."""
    return ChunkLists(lists.starts, _places(chunks, lists.chunks).astype(np.int32), lists.values)


def _joined_texts(pieces: Sequence[Texts]) -> Texts:
    data = np.concatenate([piece.data for piece in pieces])
    return Texts(data, _joined_starts([piece.starts for piece in pieces]))


def _bytes_of(value: object) -> int:
    """Of an array, or of all of a dataclass."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    return sum(_bytes_of(getattr(value, each.name)) for each in fields(cast("DataclassInstance", value)))
