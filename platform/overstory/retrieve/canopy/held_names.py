"""The names of a corpus and their links, held in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from overstory.graph import Corpus, GraphClient, Transaction, batches, read_corpus
from overstory.graph.corpora import corpus_id, corpus_of
from overstory.graph.ids import corpus_label
from overstory.retrieve.canopy.name_index import (
    NO_SENTENCE,
    SUBJECT,
    TERM,
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
from overstory.retrieve.canopy.name_lookup import CHUNKS_A_PHRASE, MOST_ABOUT, Found, FoundByWords, NameLinks
from overstory.retrieve.canopy.names import QuestionNames, named_chunks, names_in
from overstory.retrieve.canopy.scoring import MOST_SHARED, RARE, Link, Place
from overstory.retrieve.context import text_index_name
from overstory.retrieve.edited_names import cached_edits
from overstory.retrieve.graph_copies import Work
from overstory.retrieve.question import Question, full_text_query
from overstory.retrieve.question_entities import QuestionEntities, QuestionEntity, entities_in
from overstory.text.names.edits import EditedNames
from overstory.text.names.idf import idf_weight

WHAT = "names and links"
NAMES_A_STATEMENT = 300
CHUNKS_A_STATEMENT = 2_000


@dataclass(frozen=True, slots=True)
class NamesCopy:
    """The names of a corpus and what they lead to, with its edits of names."""

    label: str
    index: NameIndex
    edits: EditedNames

    @property
    def nbytes(self) -> int:
        """Without the edits, some 1 KB each, which are held anyway."""
        return self.index.nbytes

    def question_names(self, question: Question) -> QuestionNames:
        """The names that a question has, as if they were up to date."""
        entities, matches = entities_in(question, self.label, self.edits, self._entities)
        return names_in(question, QuestionEntities(entities, matches, outdated=False))

    def _entities(self, ids: Sequence[str], terms: Sequence[str]) -> Iterator[QuestionEntity]:
        index = self.index
        for place, (id_, number) in enumerate(zip((*ids, *terms), index.numbers((*ids, *terms)), strict=True)):
            if number >= 0:
                flags = int(index.flags[number])
                if place < len(ids) or flags & TERM:
                    yield QuestionEntity(
                        id=id_,
                        key=index.keys[number],
                        name=index.names[number],
                        df=int(index.df[number]),
                        subject=bool(flags & SUBJECT),
                        term=bool(flags & TERM),
                    )


@dataclass(frozen=True, slots=True)
class Start:
    """What a question of which the names are known reads first.

    Attributes:
        outdated: whether the corpus has changed since its names were found.
        words: the chunks that have its words; phrases: those that may have its phrases.
    """

    corpus: Corpus
    outdated: bool
    has_links: bool
    words: list[Found]
    phrases: list[Found]


def read_start(tx: Transaction, name: str, names: QuestionNames, depth: int) -> Start | None:
    """The start of a question; None where there is no such corpus.

    Args:
        name: of the corpus.
        depth: how many chunks are found by words.

    Raises:
        SchemaTooNew, SchemaTooOld: the graph is another version's.
    """
    label = corpus_label(name)
    rows = tx.run(
        "retrieve/canopy_start",
        label,
        id=corpus_id(name),
        text_index=text_index_name(label),
        query=full_text_query(names.question),
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
        words=[Found(chunk, document, words) for chunk, document, words in row["words"]],
        phrases=[Found(chunk, doc, phrase=phrase, text=text) for chunk, doc, phrase, text in row["phrases"]],
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
        return FoundByWords([*self._start.words, *self._named(names), *self._start.phrases], self._start.has_links)

    def _named(self, names: QuestionNames) -> Iterator[Found]:
        index = self._copy.index
        known = list(zip(names.known, index.numbers([name.id for name in names.known]), strict=True))
        places: list[tuple[int, str, float | None]] = []
        for name, number in known:
            if name.subject:
                places += [
                    (chunk, name.key, weight) for chunk, weight in zip(*index.about(number, MOST_ABOUT), strict=True)
                ]
        for name, number in known:
            if not name.subject and name.df <= RARE:
                places += [(chunk, name.key, None) for chunk in index.mentions(number)[0]]
        ids = index.chunk_and_document_ids(chunk for chunk, _, _ in places)
        for chunk, key, weight in places:
            yield Found(*ids[chunk], key=key, weight=weight)

    def links(self, sources: Sequence[str], asked: Sequence[str]) -> NameLinks:
        """As `NameLookup.links`."""
        index, chunks = self._copy.index, named_chunks(self._start.corpus)
        never = set(asked)
        mentioned: dict[int, list[Place]] = {}
        for source, chunk in zip(sources, index.chunk_numbers(sources), strict=True):
            for entity, sentence in index.leading(chunk) if chunk >= 0 else ():
                mentioned.setdefault(entity, []).append(_place(source, sentence))
        ways = [(entity, index.keys[entity], places) for entity, places in mentioned.items()]
        ways = [way for way in ways if way[1] not in never]
        df = {entity: int(index.df[entity]) for entity, _, _ in ways}
        shared = {entity: index.mentions(entity) for entity in df if 2 <= df[entity] <= MOST_SHARED}
        about = {entity: index.about(entity, MOST_ABOUT) for entity in df}
        ids = index.chunk_and_document_ids(
            chunk for places in (*shared.values(), *about.values()) for chunk in places[0]
        )
        links = [
            Link(
                key=key,
                name=index.names[entity],
                idf=idf_weight(chunks, df[entity]),
                sources=places,
                about=[(ids[chunk][0], weight) for chunk, weight in zip(*about[entity], strict=True)],
                shared=[
                    _place(ids[chunk][0], sentence)
                    for chunk, sentence in zip(*shared.get(entity, ((), ())), strict=True)
                ],
                rare=df[entity] <= MOST_SHARED,
            )
            for entity, key, places in ways
        ]
        return NameLinks(links, dict(ids.values()))


def _place(chunk: str, sentence: int) -> Place:
    return Place(chunk, None if sentence == NO_SENTENCE else sentence)


class NamesLoader:
    """Reads a `NamesCopy`: all of it, or what changed."""

    def load(self, graph: GraphClient, corpus: Corpus, work: Work) -> NamesCopy:
        """As `Loader.load`."""
        rows = _read_names(graph, corpus, _all_ids(graph, corpus, work), work, 0)
        return _copy(graph, corpus, rows, None, work)

    def update(self, held: NamesCopy, since: Corpus, graph: GraphClient, corpus: Corpus, work: Work) -> NamesCopy:
        """As `Loader.update`: reads the names that were touched since, or that the mentions stage has yet to touch; and
        of all others only whether they are there, if some were deleted."""
        changed = packed_ids(
            sorted(
                {
                    row["id"]
                    for row in graph.stream(
                        "retrieve/held_name_changes", corpus.label, label=corpus.label, version=since.version
                    )
                }
            )
        )
        work.rest()
        gone = changed
        if corpus.deletions["entity"] != since.deletions["entity"]:
            there = _all_ids(graph, corpus, work)
            known = held.index.ids
            gone = np.concatenate([gone, known[~np.isin(known[:, 0], there[:, 0])]])
        if not len(gone):
            return NamesCopy(corpus.label, held.index, _edits(graph, corpus))
        new = _read_names(graph, corpus, changed, work, held.nbytes)
        rows = joined([without(held.index.rows(), gone), new])
        work.rest()
        return _copy(graph, corpus, rows, held.index, work)


def _all_ids(graph: GraphClient, corpus: Corpus, work: Work) -> Ids:
    pieces = [packed_ids([])]
    for some in batches(graph.stream("retrieve/held_name_ids", corpus.label), CHUNKS_A_STATEMENT):
        pieces.append(packed_ids([row["id"] for row in some]))
        work.check_room(sum(piece.nbytes for piece in pieces))
        work.rest()
    return np.concatenate(pieces)


def _read_names(graph: GraphClient, corpus: Corpus, ids: Ids, work: Work, held: int) -> NameRows:
    """The rows of some names, as far as they are there and of the dictionary."""
    pieces = [no_rows()]
    size = held
    for start in range(0, len(ids), NAMES_A_STATEMENT):
        (row,) = graph.run(
            "retrieve/held_names",
            corpus.label,
            read=True,
            ids=unpacked_ids(ids[start : start + NAMES_A_STATEMENT]),
            most_shared=MOST_SHARED,
        )
        pieces.append(rows_of(row["names"]))
        size += pieces[-1].nbytes
        work.check_room(size)
        work.rest()
    return joined(pieces)


def _copy(graph: GraphClient, corpus: Corpus, rows: NameRows, known: NameIndex | None, work: Work) -> NamesCopy:
    """The copy of these rows; the documents of chunks are read as far as no copy knows them."""
    chunks = rows.chunks()
    documents = np.zeros_like(chunks)
    there = np.zeros(len(chunks), dtype=np.bool_)
    if known is not None:
        documents, there = known.documents_of(chunks)
    missing = np.flatnonzero(~there)
    for some in batches(missing.tolist(), CHUNKS_A_STATEMENT):
        (row,) = graph.run("retrieve/chunk_documents", corpus.label, read=True, ids=unpacked_ids(chunks[some]))
        of_chunk = dict(row["documents"])
        found = [place for place, chunk in zip(some, unpacked_ids(chunks[some]), strict=True) if chunk in of_chunk]
        documents[found] = packed_ids([of_chunk[chunk] for chunk in unpacked_ids(chunks[found])])
        work.rest()
    return NamesCopy(corpus.label, index_of(rows, chunks, documents), _edits(graph, corpus))


def _edits(graph: GraphClient, corpus: Corpus) -> EditedNames:
    return graph.reading("retrieve/held_names", lambda tx: cached_edits(tx, read_corpus(tx, corpus.name)))
