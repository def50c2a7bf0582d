"""The names of a corpus and their links to chunks as arrays: what canopy asks of them, without the graph.

Some 30 bytes a mention and 90 bytes and its text a name. The arrays are never changed: `merged` makes new ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.uint64]
"""Identifiers of 32 hexadecimal digits: shape (n, 2), in order."""

Ints = npt.NDArray[np.int32]
Starts = npt.NDArray[np.int64]
Flags = npt.NDArray[np.uint8]

SUBJECT, TERM, LEADS = 1, 2, 4
"""Bits of `NameIndex.flags`: a chunk is about the name; one defines it or has it as heading; ways lead by it."""


ID_BYTES, POINTER_BYTES = 81, 8
"""Of an identifier as a Python string, and of its place in a list."""


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

    @property
    def nbytes(self) -> int:
        return self.data.nbytes + self.starts.nbytes


@dataclass(frozen=True, slots=True)
class NameRows:
    """Names with their links, in any order, and chunks by their ids: what `merged` makes an index from.

    Attributes:
        ids: (n, 2), of the entities; hashes: (n,), of their keys.
        df: chunks in which the dictionary finds each.
        flags: SUBJECT, TERM and LEADS.
        mention_starts: (n + 1,), where the mentions of each begin.
        mention_chunks: (m, 2), ids; mention_sentences: (m,), the first that says the name, or -1.
        about_starts, about_chunks, about_weights: the chunks that are about each, likewise.
    """

    ids: Ids
    hashes: Starts
    df: Ints
    flags: Flags
    keys: Texts
    names: Texts
    mention_starts: Starts
    mention_chunks: Ids
    mention_sentences: Ints
    about_starts: Starts
    about_chunks: Ids
    about_weights: npt.NDArray[np.float64]

    @property
    def nbytes(self) -> int:
        return sum(getattr(self, each.name).nbytes for each in fields(self))

    def chunks(self) -> Ids:
        """The chunks, each once, in order."""
        return _distinct(np.concatenate([self.mention_chunks, self.about_chunks]))

    def taken(self, numbers: npt.NDArray[np.intp]) -> NameRows:
        """The rows of these numbers, in their order."""
        mentions, mention_starts = _segments(self.mention_starts, numbers)
        about, about_starts = _segments(self.about_starts, numbers)
        return NameRows(
            ids=self.ids[numbers],
            hashes=self.hashes[numbers],
            df=self.df[numbers],
            flags=self.flags[numbers],
            keys=self.keys.taken(numbers),
            names=self.names.taken(numbers),
            mention_starts=mention_starts,
            mention_chunks=self.mention_chunks[mentions],
            mention_sentences=self.mention_sentences[mentions],
            about_starts=about_starts,
            about_chunks=self.about_chunks[about],
            about_weights=self.about_weights[about],
        )


@dataclass(frozen=True, slots=True)
class NameIndex:
    """Names in order of the hashes of their keys, which hold in this process alone, and the chunks that mention them or
    are about them, in order of their ids.

    Attributes:
        ids, hashes, df, flags, keys, names, mention_starts, mention_sentences, about_starts, about_weights: as of
            `NameRows`, but the chunks about a name stand in order of weight, the highest first, and of their ids.
        mention_chunks, about_chunks: numbers of chunks.
        chunks: (c, 2), their ids; chunk_ids: the same as texts, which questions need; document_ids: of their documents.
        of_chunk_starts, of_chunk: where the mentions of each chunk begin, and their places in `mention_chunks`; only of
            names that LEAD.
    """

    ids: Ids
    hashes: Starts
    df: Ints
    flags: Flags
    keys: Texts
    names: Texts
    mention_starts: Starts
    mention_chunks: Ints
    mention_sentences: Ints
    about_starts: Starts
    about_chunks: Ints
    about_weights: npt.NDArray[np.float64]
    chunks: Ids
    chunk_ids: list[str]
    document_ids: list[str]
    of_chunk_starts: Starts
    of_chunk: Ints

    @property
    def nbytes(self) -> int:
        texts = {"chunk_ids", "document_ids"}
        arrays = sum(getattr(self, each.name).nbytes for each in fields(self) if each.name not in texts)
        documents = len(set(self.document_ids))
        return int(arrays) + (len(self.chunk_ids) + documents) * ID_BYTES + 2 * len(self.chunk_ids) * POINTER_BYTES

    def numbers(self, keys: Sequence[str]) -> Iterator[tuple[str, int]]:
        """Those of some keys that are there, in their order, and the numbers of their names."""
        if not len(self.hashes):
            return
        hashes = _hashes(keys)
        places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        for found in np.flatnonzero(self.hashes[places] == hashes).tolist():
            place = int(places[found])
            while place < len(self.hashes) and self.hashes[place] == hashes[found]:
                if self.keys[place] == keys[found]:
                    yield keys[found], place
                place += 1

    def chunk_numbers(self, ids: Sequence[str]) -> list[int]:
        """The numbers of chunks; -1 for one that no name leads to or from."""
        places = _places(self.chunks, packed_ids(ids))
        return [int(place) for place in places]

    def leading(self, chunk: int) -> list[tuple[int, int]]:
        """The names that a chunk mentions and that lead somewhere, each with the first sentence that says it."""
        rows = self.of_chunk[self.of_chunk_starts[chunk] : self.of_chunk_starts[chunk + 1]]
        entities = np.searchsorted(self.mention_starts, rows, side="right") - 1
        return list(zip(entities.tolist(), self.mention_sentences[rows].tolist(), strict=True))

    def mentions(self, entity: int) -> tuple[Ints, Ints]:
        """The chunks that mention a name, and the first sentence of each that says it."""
        some = slice(self.mention_starts[entity], self.mention_starts[entity + 1])
        return self.mention_chunks[some], self.mention_sentences[some]

    def about(self, entity: int, most: int) -> tuple[Ints, npt.NDArray[np.float64]]:
        """The chunks that are most about a name, and how much each is."""
        start, stop = self.about_starts[entity], self.about_starts[entity + 1]
        some = slice(start, min(stop, start + most))
        return self.about_chunks[some], self.about_weights[some]

    def ids_of(self, chunks: Ints) -> list[str]:
        """The ids of chunks."""
        ids = self.chunk_ids
        return [ids[chunk] for chunk in chunks.tolist()]

    def documents_by_chunk(self, chunks: Iterable[Ints]) -> dict[str, str]:
        """The ids of the documents of several lists of chunks, by those of the chunks."""
        ids, documents = self.chunk_ids, self.document_ids
        return {ids[chunk]: documents[chunk] for some in chunks for chunk in some.tolist()}

    def rows(self) -> NameRows:
        """As rows, to be merged with others."""
        return NameRows(
            ids=self.ids,
            hashes=self.hashes,
            df=self.df,
            flags=self.flags,
            keys=self.keys,
            names=self.names,
            mention_starts=self.mention_starts,
            mention_chunks=self.chunks[self.mention_chunks],
            mention_sentences=self.mention_sentences,
            about_starts=self.about_starts,
            about_chunks=self.chunks[self.about_chunks],
            about_weights=self.about_weights,
        )

    def known_documents(self) -> dict[str, str]:
        """The ids of the documents of all chunks, by those of the chunks."""
        return dict(zip(self.chunk_ids, self.document_ids, strict=True))


def without(rows: NameRows, gone: Ids) -> NameRows:
    """The rows but for those of some entities."""
    kept = ~np.isin(rows.ids[:, 0], gone[:, 0])
    return rows if kept.all() else rows.taken(np.flatnonzero(kept))


def joined(pieces: Sequence[NameRows]) -> NameRows:
    """Rows of several pieces, which have no entity in common."""
    return NameRows(
        ids=np.concatenate([piece.ids for piece in pieces]),
        hashes=np.concatenate([piece.hashes for piece in pieces]),
        df=np.concatenate([piece.df for piece in pieces]),
        flags=np.concatenate([piece.flags for piece in pieces]),
        keys=_joined_texts([piece.keys for piece in pieces]),
        names=_joined_texts([piece.names for piece in pieces]),
        mention_starts=_joined_starts([piece.mention_starts for piece in pieces]),
        mention_chunks=np.concatenate([piece.mention_chunks for piece in pieces]),
        mention_sentences=np.concatenate([piece.mention_sentences for piece in pieces]),
        about_starts=_joined_starts([piece.about_starts for piece in pieces]),
        about_chunks=np.concatenate([piece.about_chunks for piece in pieces]),
        about_weights=np.concatenate([piece.about_weights for piece in pieces]),
    )


def no_rows() -> NameRows:
    """Rows of no name."""
    return rows_of([])


def rows_of(names: Sequence[Sequence[Any]]) -> NameRows:  # columns of several types, as the statement's header says
    """Rows of `retrieve/held_names`."""
    ids, keys, texts, df, flags, mentions, about = zip(*names, strict=True) if names else ((),) * 7
    flat_mentions = [each for some in mentions for each in some]
    flat_about = [each for some in about for each in some]
    return NameRows(
        ids=packed_ids(ids),
        hashes=_hashes(keys),
        df=np.array(df, dtype=np.int32),
        flags=np.array(flags, dtype=np.uint8),
        keys=Texts.of(keys),
        names=Texts.of(texts),
        mention_starts=_starts([len(some) for some in mentions]),
        mention_chunks=packed_ids([chunk for chunk, _ in flat_mentions]),
        mention_sentences=np.array([sentence for _, sentence in flat_mentions], dtype=np.int32),
        about_starts=_starts([len(some) for some in about]),
        about_chunks=packed_ids([chunk for chunk, _ in flat_about]),
        about_weights=np.array([weight for _, weight in flat_about], dtype=np.float64),
    )


def index_of(rows: NameRows, chunks: Ids, documents: Mapping[str, str]) -> NameIndex:
    """The index of these names.

    Args:
        chunks: all of the rows, each once, in order.
        documents: the id of the document of each chunk, by the id of the chunk; "" where there is none, since the chunk
            was deleted meanwhile.

    Raises:
        IdsClash: of entities, chunks or documents.
    """
    ordered = rows.taken(np.lexsort((rows.ids[:, 0], rows.hashes)))
    _refuse_clashes(rows.ids)
    _refuse_clashes(chunks)
    chunk_ids = unpacked_ids(chunks)
    same: dict[str, str] = {}  # chunks of one document share a string
    document_ids = [same.setdefault(id_, id_) for id_ in (documents.get(chunk, "") for chunk in chunk_ids)]
    mention_chunks = _places(chunks, ordered.mention_chunks).astype(np.int32)
    about_chunks = _places(chunks, ordered.about_chunks).astype(np.int32)
    about_entities = np.repeat(np.arange(len(ordered.ids)), np.diff(ordered.about_starts))
    by_weight = np.lexsort((about_chunks, -ordered.about_weights, about_entities))
    leads = np.repeat((ordered.flags & LEADS) > 0, np.diff(ordered.mention_starts))
    leading = np.flatnonzero(leads).astype(np.int32)
    of_chunk = leading[np.argsort(mention_chunks[leading], kind="stable")]
    return NameIndex(
        ids=ordered.ids,
        hashes=ordered.hashes,
        df=ordered.df,
        flags=ordered.flags,
        keys=ordered.keys,
        names=ordered.names,
        mention_starts=ordered.mention_starts,
        mention_chunks=mention_chunks,
        mention_sentences=ordered.mention_sentences,
        about_starts=ordered.about_starts,
        about_chunks=about_chunks[by_weight],
        about_weights=ordered.about_weights[by_weight],
        chunks=chunks,
        chunk_ids=chunk_ids,
        document_ids=document_ids,
        of_chunk_starts=_starts(np.bincount(mention_chunks[leading], minlength=len(chunks))),
        of_chunk=of_chunk,
    )


def packed_ids(ids: Sequence[str]) -> Ids:
    """Identifiers of 32 hexadecimal digits as (n, 2) numbers, whose order is theirs.

    Raises:
        ValueError: one is none.
    """
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


def _joined_texts(pieces: Sequence[Texts]) -> Texts:
    data = np.concatenate([piece.data for piece in pieces])
    return Texts(data, _joined_starts([piece.starts for piece in pieces]))
