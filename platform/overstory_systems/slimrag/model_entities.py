"""Finds entities in documents and sub-questions in questions with a language model.

One request per window of sentences resolves coreference and returns canonical names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pydantic import BaseModel, Field

from overstory.errors import NoUsableAnswer
from overstory.llm import Chat, Estimate, Request, prompt, record_usage
from overstory.model import Message, Usage
from overstory.text.coreference.chains import Resolved
from overstory.text.names.keys import entity_key, key_words
from overstory.text.windows import WINDOW_SENTENCES, numbered, sentences_of, windows
from overstory_systems.slimrag.entity_readers import ReadDocument, ReadSentence, RuleReader, WholeDocument

STAGE = "slimrag"
PROMPT = "entities"
_LONGEST_FOUND_NAME_CHARACTERS = 200  # maximum length of a name in an answer
_MOST_KNOWN_NAMES = 40
"""Maximum number of names from earlier windows in a request. The latest names are used."""


class FoundEntity(BaseModel):
    """An entity, by its fullest name, and the numbers of all sentences that refer to it."""

    name: str = Field(min_length=1, max_length=_LONGEST_FOUND_NAME_CHARACTERS)
    sentences: list[int] = Field(max_length=WINDOW_SENTENCES)


class FoundEntities(BaseModel):
    """What a window of sentences refers to."""

    entities: list[FoundEntity] = Field(max_length=64)


class ModelEntityReader:
    """Reads documents with a language model, several at a time.

    Rules read a window if the model's answer is unusable or contains no name that occurs in the document.
    """

    at_once = 8

    def __init__(self, chat: Chat, rules: RuleReader) -> None:
        self._chat = chat.booked(STAGE)
        self._rules = rules
        self._prompt = prompt(PROMPT, __package__)
        self.fingerprint = f"{chat.model.fingerprint} {self._prompt.fingerprint} {rules.fingerprint}"

    def read(self, documents: Iterable[WholeDocument]) -> Iterator[ReadDocument]:
        yield from self._chat.each(self._read, documents)

    def estimate(self, documents: Iterable[WholeDocument]) -> Estimate:
        """Return an upper bound on the cost of reading, except for names that requests repeat from earlier windows."""
        return self._chat.estimate(
            Request(self._messages(document, window, ()), FoundEntities)
            for document in documents
            for window in windows(_sentences(document))
        )

    def _read(self, document: WholeDocument) -> ReadDocument:
        sentences = _sentences(document)
        replies = _DocumentReplies(document)
        remembered, by_rules, read = Usage(), 0, list[ReadSentence]()
        parts = list(windows(sentences))
        with record_usage() as recorded:
            for window in parts:
                try:
                    chat = self._chat.quoting([*(sentence.chunk for sentence in window), *replies.chunks])
                    reply = chat.ask_for(FoundEntities, self._messages(document, window, replies.names))
                except NoUsableAnswer:
                    refers: list[list[Resolved]] = []
                else:
                    remembered += reply.completion.usage if reply.completion.cached else Usage()
                    refers = replies.of(window, reply.value)
                if not any(refers):  # Answers of small models may contain nothing usable.
                    refers = self._rules.of_sentences([sentence.text for sentence in window], document.title)
                    by_rules += any(refers)
                read += [sentence._replace(refers=found) for sentence, found in zip(window, refers, strict=True)]
        usage = recorded.spent.usage + remembered
        return ReadDocument(document.id, tuple(read), usage, len(parts), by_rules)

    def _messages(
        self, document: WholeDocument, window: Sequence[ReadSentence], known: Sequence[str]
    ) -> Sequence[Message]:
        return self._prompt.messages(
            title=document.title or "(none)", known="; ".join(known) or "(none)", sentences=numbered(window)
        )


class _DocumentReplies:
    """The model's replies for a document so far. Names that do not occur in the document are ignored."""

    def __init__(self, document: WholeDocument) -> None:
        self._words = set(key_words(" ".join([document.title, *(text for _, text in document.chunks)])))
        self._names: dict[str, str] = {}
        self._chunks: dict[str, frozenset[str]] = {}  # by key, the chunks of the window that named it

    @property
    def names(self) -> Sequence[str]:
        """The latest names, as many as a request repeats."""
        return list(self._names.values())[-_MOST_KNOWN_NAMES:]

    @property
    def chunks(self) -> frozenset[str]:
        """Ids of the chunks in which these names were read."""
        return frozenset().union(*list(self._chunks.values())[-_MOST_KNOWN_NAMES:])

    def of(self, window: Sequence[ReadSentence], found: FoundEntities) -> list[list[Resolved]]:
        """Return the references of each sentence. A sentence that contains a name always refers to its entity."""
        refers: list[list[Resolved]] = [[] for _ in window]
        texts = [f" {' '.join(key_words(sentence.text))} " for sentence in window]
        chunks = frozenset(sentence.chunk for sentence in window)
        for entity in found.entities:
            name = " ".join(entity.name.split())
            key = entity_key(name)
            if not key or not self._words.issuperset(key_words(name)):
                continue
            name = self._names.setdefault(key, name)
            self._chunks.setdefault(key, chunks)
            for number, words in enumerate(texts, start=1):
                if f" {key} " in words:
                    refers[number - 1].append(Resolved(name, name, "text"))
                elif number in entity.sentences:
                    refers[number - 1].append(Resolved(name, "", "coreference"))
        return refers


def _sentences(document: WholeDocument) -> list[ReadSentence]:
    return [ReadSentence(*sentence, ()) for sentence in sentences_of(document.chunks)]


_QUESTION_PROMPT = "question"
_SLIMRAG_NAMES_TOKENS = 400  # maximum number of tokens in an answer


class SubQuestion(BaseModel):
    """A simpler question, and what it names."""

    question: str = Field(min_length=1, max_length=500)
    entities: list[str] = Field(max_length=8)


class SubQuestions(BaseModel):
    """What a question is made of."""

    sub_questions: list[SubQuestion] = Field(min_length=1, max_length=4)


def sub_questions(chat: Chat, question: str) -> dict[str, Sequence[str]]:
    """Return a map from each sub-question to its entities."""
    booked = chat.booked("slimrag", question)
    limit = min(_SLIMRAG_NAMES_TOKENS, chat.model.max_tokens)
    reply = booked.ask_for(
        SubQuestions, prompt(_QUESTION_PROMPT, __package__).messages(question=question), max_tokens=limit
    )
    return {part.question: [name for name in part.entities if name.strip()] for part in reply.value.sub_questions}
