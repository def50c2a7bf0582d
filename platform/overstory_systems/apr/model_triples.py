"""Extracts triples with a language model, one request per window of sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple

from pydantic import BaseModel, Field

from overstory.errors import NoUsableAnswer
from overstory.graph import GraphClient, batches
from overstory.llm import Chat, Estimate, Request, prompt
from overstory.llm.answer_fields import at_most
from overstory.model import Message
from overstory.model.passage_text import without_boilerplate
from overstory.surrogates import on_one_line
from overstory.text.names.keys import key_words
from overstory.text.sentences import sentence_texts
from overstory.text.windows import numbered, windows
from overstory_systems.apr.codebook import Triple
from overstory_systems.apr.settings import TripleSource
from overstory_systems.apr.triple_readers import APR_READING_VERSION, ReadChunk, StatedChunk

STAGE = "apr"
PROMPT = "triples"
_LONGEST_TRIPLE_TERM_CHARACTERS = 200  # maximum length of a head, relation or tail
_MOST_TRIPLES_A_WINDOW = 64  # maximum number of triples in an answer
NONE = "(none)"


class FoundTriple(BaseModel):
    """What a sentence states; `sentence` is its number."""

    head: Annotated[str, Field(max_length=_LONGEST_TRIPLE_TERM_CHARACTERS), at_most(_LONGEST_TRIPLE_TERM_CHARACTERS)]
    relation: Annotated[
        str, Field(max_length=_LONGEST_TRIPLE_TERM_CHARACTERS), at_most(_LONGEST_TRIPLE_TERM_CHARACTERS)
    ]
    tail: Annotated[str, Field(max_length=_LONGEST_TRIPLE_TERM_CHARACTERS), at_most(_LONGEST_TRIPLE_TERM_CHARACTERS)]
    sentence: int = 0


class FoundTriples(BaseModel):
    """What a window of sentences states."""

    triples: Annotated[list[FoundTriple], Field(max_length=_MOST_TRIPLES_A_WINDOW), at_most(_MOST_TRIPLES_A_WINDOW)]


class NumberedSentence(NamedTuple):
    """A sentence and its index in the chunk."""

    place: int
    text: str


SentencesOf = Callable[[Sequence[str]], dict[str, list[NumberedSentence]]]
"""Returns a map from chunk id to the chunk's sentences."""


def stored_sentences(graph: GraphClient, label: str) -> SentencesOf:
    """Return a function that reads the stored sentences of chunks, skipping blank sentences."""

    def read(ids: Sequence[str]) -> dict[str, list[NumberedSentence]]:
        found: dict[str, list[NumberedSentence]] = {}
        for row in graph.run("systems/apr/texts", label, read=True, ids=list(ids)):
            texts = sentence_texts(without_boilerplate(row["text"], row["boilerplate"]), row["sentences"] or [0])
            found[row["id"]] = [
                NumberedSentence(place, on_one_line(text)) for place, text in enumerate(texts) if text.strip()
            ]
        return found

    return read


class ModelTripleReader:
    """Reads triples with a language model, several chunks at a time. Chunks with loaded triples need no request.

    If an answer is unusable or states nothing from the passage, the facts found by rules replace it.
    """

    at_once = 8
    reads_ahead = False

    def __init__(self, chat: Chat, source: TripleSource, sentences: SentencesOf) -> None:
        self._chat = chat.booked(STAGE)
        self._source: TripleSource = source
        self._sentences = sentences
        self._prompt = prompt(PROMPT, __package__)
        self.fingerprint = reader_fingerprint(chat)

    def read(self, chunks: Iterable[StatedChunk]) -> Iterator[ReadChunk]:
        yield from self._chat.each(self._read, self._with_sentences(chunks))

    def estimate(self, chunks: Iterable[StatedChunk]) -> Estimate:
        """Return an upper bound on the cost of reading the chunks."""
        return self._chat.estimate(
            Request(self._messages(chunk, window), FoundTriples)
            for chunk, sentences in self._with_sentences(chunks)
            for window in windows(sentences)
        )

    def _with_sentences(self, chunks: Iterable[StatedChunk]) -> Iterator[tuple[StatedChunk, list[NumberedSentence]]]:
        for some in batches(chunks, self.at_once):
            asked = [chunk.id for chunk in some if not self._given(chunk)]
            found = self._sentences(asked) if asked else {}
            yield from ((chunk, found.get(chunk.id, [])) for chunk in some)

    def _given(self, chunk: StatedChunk) -> bool:
        return self._source == "loaded" or (self._source == "auto" and bool(chunk.loaded))

    def _read(self, asked: tuple[StatedChunk, list[NumberedSentence]]) -> ReadChunk:
        chunk, sentences = asked
        if self._given(chunk):
            return ReadChunk(chunk.id, chunk.resolved(chunk.loaded))
        chat = self._chat.quoting([chunk.id])
        passage_words = set(key_words(" ".join([chunk.title, *(sentence.text for sentence in sentences)])))
        triples: list[Triple] = []
        parts = list(windows(sentences))
        by_rules = 0
        for window in parts:
            try:
                answer = chat.ask_for(FoundTriples, self._messages(chunk, window), once=True).value
            except NoUsableAnswer:
                answer = FoundTriples(triples=[])
            found = list(_grounded(answer, window, passage_words))
            if not found:  # Answers of small models may contain nothing usable.
                places = {sentence.place for sentence in window}
                found = [triple for triple in chunk.by_rules if triple.sentence in places]
                by_rules += bool(found)
            triples += found
        return ReadChunk(chunk.id, chunk.resolved(triples), len(parts), by_rules)

    def _messages(self, chunk: StatedChunk, window: Sequence[NumberedSentence]) -> Sequence[Message]:
        return self._prompt.messages(title=on_one_line(chunk.title) or NONE, sentences=numbered(window))


def _grounded(answer: FoundTriples, window: Sequence[NumberedSentence], passage_words: set[str]) -> Iterator[Triple]:
    """Yield the triples whose head and tail consist of words from the passage or its title."""
    for triple in answer.triples:
        head, relation, tail = map(on_one_line, (triple.head, triple.relation, triple.tail))
        words = (key_words(head), key_words(tail))
        if relation and all(words) and passage_words.issuperset([*words[0], *words[1]]):
            known = 0 < triple.sentence <= len(window)
            yield Triple(head, relation, tail, window[triple.sentence - 1].place if known else -1)


def reader_fingerprint(chat: Chat) -> str:
    """Return a fingerprint that changes whenever the same chunk can result in different triples."""
    return f"{chat.model.fingerprint} {prompt(PROMPT, __package__).fingerprint} {APR_READING_VERSION}"
