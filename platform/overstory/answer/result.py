"""The result of asking a question: an answer, its sources, and its cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from overstory.display import html_table, shortened
from overstory.llm import Spent
from overstory.model import Evidence
from overstory.model.origin import HasOrigin, PassagePlace

AnswerKind = Literal["llm", "extractive"]
AnswerState = Literal["answered", "uncited", "not_in_documents", "nothing_found", "nothing_read"]
"""`answered`: passages support the answer. `uncited`: a language model answered without citing a passage.
`not_in_documents`: the passages found do not answer the question. `nothing_found`: no passage was found.
`nothing_read`: no passage fits into the token limit."""


@dataclass(frozen=True, slots=True)
class CitedPassage(PassagePlace):
    """A passage that supports a citation.

    Attributes:
        start, end: character offsets of the passage in the text of its document.
        also: how often the text is repeated and where, as in `Hit.also`.
        corpus: name of the corpus, as in `Hit.corpus`.
    """

    page: int | None = None
    start: int | None = None
    end: int | None = None
    also: str = ""
    corpus: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Citation(HasOrigin):
    """A source of an answer: a passage, or another part of the evidence with the passages that support it.

    Attributes:
        number: the number of the source in the answer, shown as [1].
        chunk_id, document_id, source, source_key, page, corpus: the origin of the passage; for another part, the origin
            of its first passage.
        title: the title of the passage, or the first line of the part.
        text: the text that was read; for an extractive answer the quoted sentences.
        kind: "passage", or the kind of the part.
        passages: the passages of the evidence that support the citation, at least one.
    """

    number: int
    chunk_id: str
    document_id: str
    source: str
    source_key: str
    title: str
    text: str
    page: int | None = None
    kind: str = "passage"
    passages: tuple[CitedPassage, ...] = ()
    corpus: str = ""

    @property
    def places(self) -> str:
        """The distinct origins of the passages, separated by commas."""
        return ", ".join(dict.fromkeys(each.origin for each in self.passages)) or self.origin

    def __repr__(self) -> str:
        kind = "" if self.kind == "passage" else f"{self.kind} "
        return f"<Citation [{self.number}] {kind}{self.title!r} [{self.places}]: {shortened(self.text)}>"


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """An answer to a question.

    Attributes:
        text: the answer with citation numbers like [1]. Control characters and invisible characters are removed, so
            that a terminal can show the text.
        short: the answer without citation numbers. For an extractive answer the `guess`, or else the best sentence.
            "" if the question was not answered.
        kind: "llm" if a language model wrote the answer, "extractive" if it quotes sentences of the passages.
        state: whether the question was answered, and if not, why; see `AnswerState`.
        citations: the sources, by number; empty without an answer. Each number in brackets in the text is one of these
            sources. Whether the passage supports the statement is for the reader to judge.
        evidence: everything that was found, including what was not read.
        usage: requests and tokens of language models for this answer, including the search for evidence.
        notes: warnings for the reader, such as passages that were left out or steps that failed.
        model: the name of the model as reported by the endpoint, or as requested if the answer was cut; "" for an
            extractive answer.
        guess: for an extractive answer, the name, date or number in the best sentence that answers the question; "" if
            that is uncertain.
        confidence: for an extractive answer or refusal, how likely the passages answer the question, 0 to 1. None for
            other answers, and if no passage has a sentence.
        unsupported: names, numbers and dates of a language model's answer that appear neither in the question nor in
            the cited passages, or in the passages that were read if none is cited. As the answer writes them.
        follow_up: the question as the user typed it, if a conversation completed it to `question`; else "".
        did_you_mean: names of the question that no passage mentions -> the most similar names that passages do
            mention; without names that have no similar one.
    """

    question: str
    text: str
    short: str
    kind: AnswerKind
    state: AnswerState
    citations: tuple[Citation, ...]
    evidence: Evidence
    usage: Spent = field(default_factory=Spent)
    notes: tuple[str, ...] = ()
    model: str = ""
    guess: str = ""
    confidence: float | None = None
    unsupported: tuple[str, ...] = ()
    follow_up: str = ""
    did_you_mean: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    @property
    def answered(self) -> bool:
        """True if the question was answered, with at least one citation."""
        return self.state == "answered"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        by = f" by {self.model}" if self.model else ""
        lines = [f"<Answer ({self.kind}{by}) to {shortened(self.question)!r}: {shortened(self.short)}>", self.text]
        lines += [
            f"[{each.number}] {each.title or shortened(each.text, 60)} [{each.places}]" for each in self.citations
        ]
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        rows = ((str(each.number), each.title, shortened(each.text, 300), each.places) for each in self.citations)
        notes = (f"{self.kind} answer", *self.notes)
        return html_table(self.text, ("", "title", "text", "source"), rows, notes)
