"""Extracts entities and then relations with a language model, in two requests per window of sentences.

The readings of each chunk are stored as soon as its document is read (`HiragReading`). Therefore, a killed build pays
for almost nothing twice. Layer 0 is built from all stored readings (`model_layer`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, Field

from overstory.errors import AnswerTruncated, LlmError, NoUsableAnswer, PromptTooLong
from overstory.graph import Corpus, GraphClient, Transaction, batches
from overstory.graph.client import Row
from overstory.llm import Chat, Estimate, Request, prompt
from overstory.llm.answer_fields import Strength, at_most
from overstory.llm.digests import fingerprint_of
from overstory.model import Message
from overstory.model.passage_text import without_boilerplate
from overstory.surrogates import on_one_line
from overstory.systems.base import SystemRun, SystemView
from overstory.text.names.keys import entity_key, key_words
from overstory.text.windows import ChunkSentence, numbered, sentences_of, windows
from overstory_systems.hirag.knowledge_graph import NAME, reading_id
from overstory_systems.hirag.settings import HiragIndexSettings

_HIRAG_READING_VERSION = 3
"""Increase this number if the same answers would be stored differently."""
_WINDOW_OVERLAP_SENTENCES = 2
"""Number of sentences that two consecutive windows share: 1/8 of a window. In the paper, chunks share 1/12."""
_DOCUMENTS_STORED_TOGETHER = 8
"""Number of documents stored together. A killed build reads at most these again, with answers from the cache."""
_UNREAD_CHUNKS_A_PAGE = 500
_LONGEST_READ_NAME_CHARACTERS = 200  # maximum length of a name in an answer
_LONGEST_READ_TYPE_CHARACTERS = 40  # maximum length of a type in an answer
_LONGEST_READ_DESCRIPTION_CHARACTERS = 1_000  # maximum length of a description in an answer
_LEAST_HALF_WINDOW_SENTENCES = 4
"""Minimum number of sentences of half a window. If an answer was cut off, its window is split in two, unless the halves
would be shorter."""
_MOST_READ_ENTITIES = 64  # maximum number of entities in an answer
_MOST_READ_RELATIONS = 128  # maximum number of relations in an answer
_KNOWN_NAMES_CHARACTERS = 1_000
"""Maximum number of characters of the names from earlier windows in a request. The latest names come first."""
_RELATION_NAMES_CHARACTERS = 3_000
"""Maximum number of characters of the names in a request for relations. Other names get no relations in this window."""
NONE = "(none)"


class FoundEntity(BaseModel):
    """An entity by its fullest name."""

    name: Annotated[str, Field(max_length=_LONGEST_READ_NAME_CHARACTERS), at_most(_LONGEST_READ_NAME_CHARACTERS)]
    type: Annotated[str, Field(max_length=_LONGEST_READ_TYPE_CHARACTERS), at_most(_LONGEST_READ_TYPE_CHARACTERS)] = ""
    description: Annotated[
        str, Field(max_length=_LONGEST_READ_DESCRIPTION_CHARACTERS), at_most(_LONGEST_READ_DESCRIPTION_CHARACTERS)
    ] = ""


class FoundEntities(BaseModel):
    """The entities of a window."""

    entities: Annotated[list[FoundEntity], Field(max_length=_MOST_READ_ENTITIES), at_most(_MOST_READ_ENTITIES)]


class FoundRelation(BaseModel):
    """What the text says of two entities, and how strongly they belong together, from 1 to 10."""

    source: Annotated[str, Field(max_length=_LONGEST_READ_NAME_CHARACTERS), at_most(_LONGEST_READ_NAME_CHARACTERS)]
    target: Annotated[str, Field(max_length=_LONGEST_READ_NAME_CHARACTERS), at_most(_LONGEST_READ_NAME_CHARACTERS)]
    description: Annotated[
        str, Field(max_length=_LONGEST_READ_DESCRIPTION_CHARACTERS), at_most(_LONGEST_READ_DESCRIPTION_CHARACTERS)
    ] = ""
    strength: Strength = 1


class FoundRelations(BaseModel):
    """The relations among the entities of a window."""

    relations: Annotated[list[FoundRelation], Field(max_length=_MOST_READ_RELATIONS), at_most(_MOST_READ_RELATIONS)]


@dataclass(frozen=True, slots=True)
class UnreadDocument:
    """A document that must be read, with its chunks in order.

    Attributes:
        chunks: For each chunk: its id, its text without boilerplate, and the corpus version of its last change.
    """

    id: str
    title: str
    chunks: tuple[tuple[str, str, int], ...]


@dataclass(slots=True)
class ChunkReading:
    """The result of reading a chunk.

    Attributes:
        entities: Key, name, type and description of each entity.
        relations: Keys of both ends, description and strength of each relation.
        rules: True if rules must read the chunk, too, because an answer was unusable.
        read_with: Ids of all chunks in the same windows. The readings may come from any of them.
    """

    entities: list[tuple[str, str, str, str]] = field(default_factory=list[tuple[str, str, str, str]])
    relations: list[tuple[str, str, str, int]] = field(default_factory=list[tuple[str, str, str, int]])
    rules: bool = False
    read_with: set[str] = field(default_factory=set[str])

    @property
    def found(self) -> str:
        """The entities and relations as JSON, for storage."""
        return json.dumps({"entities": self.entities, "relations": self.relations}, ensure_ascii=False)


@dataclass(slots=True)
class DocumentReading:
    """A document with its readings.

    Attributes:
        chunks: The reading of each chunk of the document, by chunk id.
        windows: Number of windows. A window that was split counts as two.
        by_rules: Number of windows that are left to rules.
    """

    document: UnreadDocument
    chunks: dict[str, ChunkReading]
    windows: int = 0
    by_rules: int = 0

    def leave_to_rules(self, window: Sequence[ChunkSentence]) -> None:
        """Mark the chunks of a window whose answer is unusable, so that rules read them."""
        self.windows += 1
        self.by_rules += 1
        for sentence in window:
            self.chunks[sentence.chunk].rules = True


class ModelGraphReader:
    """Reads documents with a language model, several documents at a time."""

    def __init__(self, chat: Chat, settings: HiragIndexSettings) -> None:
        self._chat = chat.booked(NAME)
        self._gleaning = settings.gleaning
        self._entities, self._relations, self._missed = (
            prompt(name, __package__) for name in ("entities", "relations", "gleaning")
        )
        prompts = [self._entities.fingerprint, self._relations.fingerprint]
        prompts += [self._missed.fingerprint] if settings.gleaning else []
        self.fingerprint = fingerprint_of("hirag-reader", _HIRAG_READING_VERSION, (chat.model.fingerprint, *prompts))

    def read(self, documents: Iterable[UnreadDocument]) -> Iterator[DocumentReading]:
        """Yield each document with its readings, in order, lazily."""
        yield from self._chat.each(self._read, documents)

    def estimate(self, documents: Iterable[UnreadDocument]) -> Estimate:
        """Return an upper bound on the cost of reading, if no answer is cut off or must be corrected.

        Names that a request repeats from earlier answers are assumed to have the maximum length.
        """
        return self._chat.estimate(request for document in documents for request in self._requests(document))

    def _requests(self, document: UnreadDocument) -> Iterator[Request]:
        for number, window in enumerate(_windows(document)):
            known = "x " * (_KNOWN_NAMES_CHARACTERS // 2) if number else NONE
            first = self._about(document, window, known)
            yield Request(first, FoundEntities)
            if self._gleaning:
                answer = "x " * self._chat.model.max_tokens
                yield Request([*first, *self._missed.messages(answer=answer)], FoundEntities)
            names = "x " * (_RELATION_NAMES_CHARACTERS // 2)
            messages = self._relations.messages(title=_title(document), entities=names, sentences=numbered(window))
            yield Request(messages, FoundRelations)

    def _about(self, document: UnreadDocument, window: Sequence[ChunkSentence], known: str) -> list[Message]:
        return self._entities.messages(title=_title(document), known=known, sentences=numbered(window))

    def _read(self, document: UnreadDocument) -> DocumentReading:
        read = DocumentReading(document, {chunk: ChunkReading() for chunk, _, _ in document.chunks})
        names = _DocumentNames()
        waiting = [(window, True) for window in _windows(document)][::-1]
        while waiting:
            window, whole = waiting.pop()
            try:
                self._read_window(read, window, names)
            except (AnswerTruncated, PromptTooLong):
                half = len(window) // 2
                if whole and half >= _LEAST_HALF_WINDOW_SENTENCES:
                    waiting += [(window[half:], False), (window[:half], False)]
                else:
                    read.leave_to_rules(window)
            except NoUsableAnswer:
                read.leave_to_rules(window)
        return read

    def _read_window(self, read: DocumentReading, window: Sequence[ChunkSentence], names: _DocumentNames) -> None:
        """Read a window with the model, and add either all readings or, on an error, nothing.

        A name is dropped unless it occurs in the window, in the title or in an earlier window.
        """
        known, read_in = names.that_fit(_KNOWN_NAMES_CHARACTERS)
        chat = self._chat.quoting([*(sentence.chunk for sentence in window), *read_in])
        content = _WindowContent(window, read.document.title)
        found = {
            key: entity
            for key, entity in self._found(chat, self._about(read.document, window, known)).items()
            if key in names.called or content.mentions(entity.name)
        }
        for key, entity in found.items():
            names.add(key, entity.name, window)
        related = self._related(chat, read.document, window, found)
        read.windows += 1
        among = sorted({sentence.chunk for sentence in window})
        for chunk in among:
            read.chunks[chunk].read_with.update(among)
        for key, entity in found.items():
            for chunk in content.of(key):
                read.chunks[chunk].entities.append((key, names.called[key], entity.type, entity.description))
        for one, other, relation in related:
            chunk = content.of(one, other)[0]
            read.chunks[chunk].relations.append((one, other, relation.description, relation.strength))

    def _found(self, chat: Chat, messages: Sequence[Message]) -> dict[str, FoundEntity]:
        reply = chat.ask_for(FoundEntities, messages, once=True)
        answers = [reply.value]
        if self._gleaning:
            again = [*messages, *self._missed.messages(answer=reply.completion.text)]
            answers.append(chat.ask_for(FoundEntities, again, once=True).value)
        found: dict[str, FoundEntity] = {}
        for entity in (each for answer in answers for each in answer.entities):
            name, type_, description = map(on_one_line, (entity.name, entity.type, entity.description))
            if key := entity_key(name):
                found.setdefault(key, FoundEntity(name=name, type=type_, description=description))
        return found

    def _related(
        self, chat: Chat, document: UnreadDocument, window: Sequence[ChunkSentence], found: dict[str, FoundEntity]
    ) -> list[tuple[str, str, FoundRelation]]:
        """Return the relations of a window, each with the keys of its ends. Relations of unlisted names are dropped."""
        if len(found) < 2:
            return []
        names = (
            "\n".join(_first_that_fit((entity.name for entity in found.values()), _RELATION_NAMES_CHARACTERS)) or NONE
        )
        messages = self._relations.messages(title=_title(document), entities=names, sentences=numbered(window))
        related: dict[tuple[str, str], FoundRelation] = {}
        for relation in chat.ask_for(FoundRelations, messages, once=True).value.relations:
            one, other = sorted(entity_key(on_one_line(end)) for end in (relation.source, relation.target))
            if one != other and one in found and other in found:
                cleaned = relation.model_copy(update={"description": on_one_line(relation.description)})
                related.setdefault((one, other), cleaned)
        return [(*ends, relation) for ends, relation in related.items()]


class _DocumentNames:
    """The names found in a document so far, by key, in order."""

    def __init__(self) -> None:
        self.called: dict[str, str] = {}
        self._read_in: dict[str, frozenset[str]] = {}

    def add(self, key: str, name: str, window: Sequence[ChunkSentence]) -> None:
        """Add a name that was read in a window, unless its key is already known."""
        self.called.setdefault(key, name)
        self._read_in.setdefault(key, frozenset(sentence.chunk for sentence in window))

    def that_fit(self, characters: int) -> tuple[str, frozenset[str]]:
        """Return the latest names that fit into a request, and the ids of the chunks in which they were read."""
        fitting = _first_that_fit(reversed(self.called.values()), characters)
        read_in = list(self._read_in.values())[len(self._read_in) - len(fitting) :]
        return "; ".join(fitting) or NONE, frozenset().union(*read_in)


class _WindowContent:
    """The words of a window, with methods that search them by chunk."""

    def __init__(self, window: Sequence[ChunkSentence], title: str) -> None:
        texts: dict[str, list[str]] = {}
        for sentence in window:
            texts.setdefault(sentence.chunk, []).append(sentence.text)
        self._texts = {chunk: f" {' '.join(key_words(' '.join(lines)))} " for chunk, lines in texts.items()}
        self._sentences = [frozenset(key_words(text)) for text in (title, *(sentence.text for sentence in window))]

    def mentions(self, name: str) -> bool:
        """Return True if the title or a single sentence contains all words of a name.

        "Marie and Pierre Curie" mentions "Marie Curie".
        """
        return any(map(frozenset(key_words(name)).issubset, self._sentences))

    def of(self, *keys: str) -> list[str]:
        """Return the chunks that contain all of these names; if there are none, those with any name; otherwise all."""
        mentioned = [[f" {key} " in text for key in keys] for text in self._texts.values()]
        for enough in (all, any):
            found = [chunk for chunk, keys_found in zip(self._texts, mentioned, strict=True) if enough(keys_found)]
            if found:
                return found
        return list(self._texts)


def reader_fingerprint(chat: Chat, settings: HiragIndexSettings) -> str:
    """Return a fingerprint that changes whenever the same chunk can be read differently."""
    return ModelGraphReader(chat, settings).fingerprint


def read_documents(run: SystemRun[HiragIndexSettings], chat: Chat) -> None:
    """Read new and changed documents with a language model, and store the readings in batches.

    Documents are always read completely, but requests that were answered before are served from the cache.
    """
    reader = ModelGraphReader(chat, run.settings)
    (unread,) = run.graph.run("systems/hirag/count_unread", run.corpus.label, read=True, by=reader.fingerprint)
    if not unread["documents"]:
        return
    run.progress.start(f"{NAME} reading", unread["documents"], "documents")
    read: list[DocumentReading] = []
    try:
        for document in reader.read(_unread(run.graph, run.corpus, reader.fingerprint)):
            read.append(document)
            if len(read) == _DOCUMENTS_STORED_TOGETHER:
                _store(run, reader.fingerprint, read)
                read = []
    except LlmError:
        _store(run, reader.fingerprint, read)  # Keep readings that are already paid for.
        raise
    _store(run, reader.fingerprint, read)
    counts = run.ledger.counts
    run.progress.finish(f"{counts['windows']:,} windows, {counts['read_by_rules']:,} of them by rules")


def _store(run: SystemRun[HiragIndexSettings], by: str, read: Sequence[DocumentReading]) -> None:
    label = run.corpus.label
    rows: list[Row] = [
        {
            "id": reading_id(chunk),
            "chunk": chunk,
            "found": each.chunks[chunk].found,
            "rules": each.chunks[chunk].rules,
            "read_with": sorted(each.chunks[chunk].read_with - {chunk}),
            "touched": touched,
        }
        for each in read
        for chunk, _, touched in each.document.chunks
    ]

    def write(tx: Transaction) -> None:
        for page in batches(rows, _UNREAD_CHUNKS_A_PAGE):
            tx.run("systems/hirag/write_readings", label, by=by, rows=page)

    if rows:
        run.commit(write)
    run.ledger.count("documents", len(read))
    run.ledger.count("windows", sum(each.windows for each in read))
    run.ledger.count("read_by_rules", sum(each.by_rules for each in read))
    run.progress.advance(len(read))


def estimate_reading(view: SystemView[HiragIndexSettings]) -> Estimate:
    """Return an upper bound on the cost of reading. Nothing is sent or written.

    Excludes the cost of summarising long merged descriptions.
    """
    reader = ModelGraphReader(view.context.chat(view.model), view.settings)
    return reader.estimate(_unread(view.graph, view.corpus, reader.fingerprint))


def _unread(graph: GraphClient, corpus: Corpus, by: str) -> Iterator[UnreadDocument]:
    """Yield the documents with at least one unread chunk, lazily."""
    begun: set[str] = set()  # A document's chunks can be on several pages.
    for page in graph.pages("systems/hirag/unread_documents", corpus.label, size=_UNREAD_CHUNKS_A_PAGE, by=by):
        new = sorted({row["document"] for row in page} - begun)
        begun.update(new)
        for ids in batches(new, _DOCUMENTS_STORED_TOGETHER):
            for row in graph.run("systems/hirag/documents", corpus.label, read=True, ids=ids):
                chunks = sorted(row["chunks"], key=lambda chunk: chunk["seq"])
                yield UnreadDocument(
                    row["id"],
                    row["title"],
                    tuple((each["id"], without_boilerplate(each["text"], each["boilerplate"]), each["touched"])
                          for each in chunks),
                )  # fmt: skip


def _windows(document: UnreadDocument) -> Iterator[list[ChunkSentence]]:
    sentences = sentences_of((chunk, text) for chunk, text, _ in document.chunks)
    return windows(sentences, overlap=_WINDOW_OVERLAP_SENTENCES)


def _title(document: UnreadDocument) -> str:
    return document.title or NONE


def _first_that_fit(names: Iterable[str], characters: int) -> list[str]:
    """Return the first names that fit, counting two characters per name for separators."""
    taken: list[str] = []
    for name in names:
        characters -= len(name) + 2
        if characters < 0:
            break
        taken.append(name)
    return taken
