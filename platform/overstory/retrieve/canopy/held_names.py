"""The names of a corpus and their links, held in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from overstory.graph import Corpus, GraphClient, Transaction, batches, read_corpus
from overstory.graph.corpora import corpus_of
from overstory.graph.ids import corpus_label, entity_id
from overstory.retrieve.canopy.name_index import (
    BYTES_A_CHUNK,
    SUBJECT_BIT,
    TERM_BIT,
    Ids,
    NameIndex,
    NameRows,
    index_of,
    joined,
    no_rows,
    packed_ids,
    rows_of,
    unpacked_ids,
    without,
)
from overstory.retrieve.canopy.name_lookup import (
    CHUNKS_A_PHRASE,
    MOST_CHUNKS_ABOUT_A_NAME,
    FoundByWords,
    ListedChunk,
    NameLinks,
)
from overstory.retrieve.canopy.names import QuestionNames, named_chunks, names_in
from overstory.retrieve.canopy.scoring import MOST_CHUNKS_OF_A_RARE_NAME, MOST_CHUNKS_OF_A_SHARED_NAME, LinkingName
from overstory.retrieve.edited_names import cached_edits
from overstory.retrieve.graph_copies import Work
from overstory.retrieve.question import Question
from overstory.retrieve.question_entities import QuestionEntities, QuestionEntity, entities_in
from overstory.retrieve.sections import FoundSection, section_query
from overstory.text.names.edits import EditedNames
from overstory.text.names.tokens import idf_weight

WHAT = "names and links"
NOWHERE = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32))
_HELD_NAMES_A_STATEMENT = 300
_HELD_CHUNKS_A_STATEMENT = 2_000
_HELD_NAMES_BEFORE_AN_ESTIMATE = 3_000
"""Names that are read before it is estimated what all take: a copy that is too large is given up soon."""
_ESTIMATED_BYTES_SHARE = 0.8
"""Of an estimate, as much as must have room; what is read has it in any case."""


@dataclass(frozen=True, slots=True)
class NamesCopy:
    """The names of a corpus and what they lead to, with its edits of names, and its languages besides English."""

    label: str
    index: NameIndex
    edits: EditedNames
    languages: tuple[str, ...] = ()

    @property
    def nbytes(self) -> int:
        """Without the edits, some 1 KB each, which are held anyway."""
        return self.index.nbytes

    def question_names(self, question: Question) -> QuestionNames:
        """The names that a question has, as if they were up to date."""
        entities, matches = entities_in(question, self.edits.resolve, self._entities)
        return names_in(question, QuestionEntities(entities, matches, outdated=False))

    def _entities(self, keys: Sequence[str], terms: Sequence[str]) -> Iterator[QuestionEntity]:
        for key, number in self.index.numbers(keys):
            yield self._entity(key, number)
        for key, number in self.index.numbers(terms):
            if self.index.entities.flags[number] & TERM_BIT:
                yield self._entity(key, number)

    def _entity(self, key: str, number: int) -> QuestionEntity:
        entities = self.index.entities
        flags = int(entities.flags[number])
        return QuestionEntity(
            id=entity_id(self.label, key),
            key=key,
            name=entities.names[number],
            df=int(entities.df[number]),
            subject=bool(flags & SUBJECT_BIT),
            term=bool(flags & TERM_BIT),
        )


@dataclass(frozen=True, slots=True)
class Start:
    """What a question of which the names are known reads first.

    Attributes:
        outdated: whether the corpus has changed since its names were found.
        sections: those that have its words; phrases: the chunks that may have its phrases.
    """

    corpus: Corpus
    outdated: bool
    has_links: bool
    sections: list[FoundSection]
    phrases: list[ListedChunk]


def read_start(
    tx: Transaction, name: str, names: QuestionNames, depth: int, languages: Sequence[str] = ()
) -> Start | None:
    """The start of a question; None where there is no such corpus.

    Args:
        name: of the corpus.
        depth: how many sections are found by words.
        languages: of the corpus, besides English.
    """
    label = corpus_label(name)
    rows = tx.run(
        "retrieve/canopy_start",
        label,
        query=section_query(names.question, languages),
        depth=depth,
        phrases=list(dict.fromkeys(names.quoted().values())),
        phrase_depth=CHUNKS_A_PHRASE,
    )
    if not rows:
        return None
    (row,) = rows
    corpus = corpus_of(row)
    return Start(
        corpus=corpus,
        outdated=row["changed"] > 0 or not corpus.named_by,
        has_links=row["links"] > 0,
        sections=[FoundSection(*each) for each in row["sections"]],
        phrases=[ListedChunk(chunk, doc, phrase=phrase, text=text) for chunk, doc, phrase, text in row["phrases"]],
    )


class HeldNames:
    """A copy of the version of the corpus that a question has read, with what it read at the start."""

    def __init__(self, copy: NamesCopy, start: Start) -> None:
        self._copy = copy
        self._start = start

    def question_names(self, question: Question) -> QuestionNames:
        """As `NameLookup.question_names`."""
        return self._copy.question_names(question).of_state(outdated=self._start.outdated)

    def found(self, names: QuestionNames, depth: int) -> FoundByWords:
        """As `NameLookup.found`. The depth is that of the start."""
        del depth
        return FoundByWords(self._start.sections, [*self._named(names), *self._start.phrases], self._start.has_links)

    def _named(self, names: QuestionNames) -> Iterator[ListedChunk]:
        index = self._copy.index
        number = dict(index.numbers([name.key for name in names.known]))
        subjects = [name.key for name in names.known if name.subject]
        rare = [name.key for name in names.known if not name.subject and name.df <= MOST_CHUNKS_OF_A_RARE_NAME]
        about = [index.most_about(number[key], MOST_CHUNKS_ABOUT_A_NAME) for key in subjects]
        for key, (chunks, weights) in zip(subjects, about, strict=True):
            documents = index.documents_by_chunk([chunks])
            for chunk, weight in zip(index.ids_of(chunks), weights.tolist(), strict=True):
                yield ListedChunk(chunk, documents[chunk], key=key, weight=weight)
        for key in rare:
            for chunk, document in index.documents_by_chunk([index.mentions[number[key]][0]]).items():
                yield ListedChunk(chunk, document, key=key)

    def links(self, sources: Sequence[str], asked: Sequence[str]) -> NameLinks:
        """As `NameLookup.links`."""
        index, chunks = self._copy.index, named_chunks(self._start.corpus)
        mentioned: dict[int, list[tuple[str, int]]] = {}
        for source, chunk in zip(sources, index.chunk_numbers(sources), strict=True):
            for entity, sentence in index.leading(chunk) if chunk >= 0 else ():
                mentioned.setdefault(entity, []).append((source, sentence))
        for _, entity in index.numbers(asked):
            mentioned.pop(entity, None)
        df = index.entities.df[list(mentioned)].tolist()
        shared = [
            index.mentions[e] if 2 <= n <= MOST_CHUNKS_OF_A_SHARED_NAME else NOWHERE
            for e, n in zip(mentioned, df, strict=True)
        ]
        about = [index.most_about(entity, MOST_CHUNKS_ABOUT_A_NAME) for entity in mentioned]
        links = [
            LinkingName(
                key=index.entities.keys[entity],
                name=index.entities.names[entity],
                idf=idf_weight(chunks, n),
                sources=places,
                about=list(zip(index.ids_of(chunks_about), weights.tolist(), strict=True)),
                shared=list(zip(index.ids_of(chunks_shared), sentences.tolist(), strict=True)),
                rare=n <= MOST_CHUNKS_OF_A_SHARED_NAME,
            )
            for (entity, places), n, (chunks_shared, sentences), (chunks_about, weights) in zip(
                mentioned.items(), df, shared, about, strict=True
            )
        ]
        return NameLinks(links, index.documents_by_chunk([some for some, _ in (*shared, *about)]))


class NamesLoader:
    """Reads a `NamesCopy`: all of it, or what changed."""

    def load(self, graph: GraphClient, corpus: Corpus, work: Work) -> NamesCopy:
        """As `Loader.load`."""
        ids = _all_ids(graph, corpus, work)
        ids = ids[np.lexsort(ids.T)]  # they are hashes: those of frequent names lie anywhere
        rows = _read_names(graph, corpus, ids, work, to_come=named_chunks(corpus) * BYTES_A_CHUNK)
        return _copy(graph, corpus, rows, None, work)

    def update(self, held: NamesCopy, since: Corpus, graph: GraphClient, corpus: Corpus, work: Work) -> NamesCopy:
        """As `Loader.update`: reads the names that were touched since, or that the mentions stage has yet to touch; and
        of all others only whether they are there, if some were deleted."""
        changed = packed_ids(
            sorted(
                {row["id"] for row in graph.stream("retrieve/held_name_changes", corpus.label, version=since.version)}
            )
        )
        work.rest()
        gone = changed
        if corpus.deletions["entity"] != since.deletions["entity"]:
            there = _all_ids(graph, corpus, work)
            known = held.index.entities.ids
            gone = np.concatenate([gone, known[~np.isin(known[:, 0], there[:, 0])]])
        if not len(gone):
            return NamesCopy(corpus.label, held.index, _edits(graph, corpus), corpus.languages)
        new = _read_names(graph, corpus, changed, work, held=held.nbytes)
        rows = joined([without(held.index.rows(), gone), new])
        work.rest()
        return _copy(graph, corpus, rows, held.index, work)


def _all_ids(graph: GraphClient, corpus: Corpus, work: Work) -> Ids:
    pieces = [packed_ids([])]
    for some in batches(graph.stream("retrieve/held_name_ids", corpus.label), _HELD_CHUNKS_A_STATEMENT):
        pieces.append(packed_ids([row["id"] for row in some]))
        work.check_room(sum(piece.nbytes for piece in pieces))
        work.rest()
    return np.concatenate(pieces)


def _read_names(
    graph: GraphClient, corpus: Corpus, ids: Ids, work: Work, *, held: int = 0, to_come: int = 0
) -> NameRows:
    """The rows of those names that are there and of the dictionary.

    Args:
        ids: in the order of hashes, in which the first are a sample of all.
        held: bytes that the copy has already; to_come: that it will have besides them, which are only estimated.
    """
    pieces = [no_rows()]
    size = 0
    for start in range(0, len(ids), _HELD_NAMES_A_STATEMENT):
        (row,) = graph.run(
            "retrieve/held_names",
            corpus.label,
            read=True,
            ids=unpacked_ids(ids[start : start + _HELD_NAMES_A_STATEMENT]),
            most_shared=MOST_CHUNKS_OF_A_SHARED_NAME,
        )
        pieces.append(rows_of(row["names"]))
        size += pieces[-1].nbytes
        work.check_room(held + size)
        if (read := start + _HELD_NAMES_A_STATEMENT) >= _HELD_NAMES_BEFORE_AN_ESTIMATE:
            work.check_room(int(_ESTIMATED_BYTES_SHARE * (held + to_come + size * max(1.0, len(ids) / read))))
        work.rest()
    return joined(pieces)


def _copy(graph: GraphClient, corpus: Corpus, rows: NameRows, known: NameIndex | None, work: Work) -> NamesCopy:
    """The copy of these rows; the documents of chunks are read as far as no copy knows them."""
    chunks = rows.chunks()
    documents = known.known_documents() if known is not None else {}
    missing = [chunk for chunk in unpacked_ids(chunks) if chunk not in documents]
    for some in batches(missing, _HELD_CHUNKS_A_STATEMENT):
        (row,) = graph.run("retrieve/chunk_documents", corpus.label, read=True, ids=some)
        documents |= dict(row["documents"])
        work.rest()
    return NamesCopy(corpus.label, index_of(rows, chunks, documents), _edits(graph, corpus), corpus.languages)


def _edits(graph: GraphClient, corpus: Corpus) -> EditedNames:
    return graph.reading("retrieve/held_names", lambda tx: cached_edits(tx, read_corpus(tx, corpus.name)))
