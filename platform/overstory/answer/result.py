"""The result of asking a question, which is an answer with its sources and costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from overstory.display import html_table, shortened
from overstory.llm import Spent
from overstory.model import Evidence
from overstory.model.origin import HasOrigin, PassagePlace

AnswerKind = Literal["llm", "extractive"]
AnswerState = Literal["answered", "uncited", "not_in_documents", "nothing_found", "nothing_read"]
"""The state of an answer:

- `answered`: the answer cites at least one passage.
- `uncited`: a language model answered without citing a passage.
- `not_in_documents`: the passages found do not answer the question.
- `nothing_found`: no passage was found.
- `nothing_read`: no passage fits into the token limit.
"""


@dataclass(frozen=True, slots=True)
class CitedPassage(PassagePlace):
    """A passage that supports a citation.

    Attributes:
        page: number of the page on which the passage is; None if it is unknown.
        start: offset in the document's text at which the passage starts, in characters.
        end: offset in the document's text at which the passage ends, in characters.
        also: how often and where the text of the passage is repeated, as in `Hit.also`.
    """

    page: int | None = None
    start: int | None = None
    end: int | None = None
    also: str = ""
    corpus: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Citation(HasOrigin):
    """A source of an answer, which is a passage or another part of the evidence.

    Attributes:
        number: the number by which the answer cites the source, as in [1].
        chunk_id, document_id, source, source_key, page, corpus: the origin of the passage. For another part, it is the
            origin of the first passage that supports it.
        text: the text of the source that was read. For an extractive answer, it consists of the quoted sentences.
        kind: "passage", or the kind of the part.
        passages: the passages that support the source, at least one. For a passage, it is the passage itself.
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
        """The distinct origins of the passages, as a list separated by commas."""
        return ", ".join(dict.fromkeys(each.origin for each in self.passages)) or self.origin

    def __repr__(self) -> str:
        kind = "" if self.kind == "passage" else f"{self.kind} "
        return f"<Citation [{self.number}] {kind}{self.title!r} [{self.places}]: {shortened(self.text)}>"


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """An answer to a question.

    Attributes:
        text: the answer with citation numbers like [1]. Control characters and invisible characters are removed, so
            that the text can be shown in a terminal.
        short: the answer without citation numbers. For an extractive answer, it is the `guess`, or the best sentence if
            there is no guess. It is "" if the question was not answered.
        kind: "llm" if a language model wrote the answer, or "extractive" if it consists of quotes from the evidence.
        state: whether the question was answered, and if not, why; see `AnswerState`.
        citations: the sources, sorted by number; empty if the question was not answered. Each number in brackets in the
            text refers to one of these sources. The reader has to judge whether the source supports the statement.
        evidence: everything that was found, including passages that were not read.
        usage: requests and tokens of language models for this answer, including the search for evidence.
        notes: warnings for the user, for example about passages that were left out or steps that failed.
        model: the name of the model as reported by the endpoint, or as requested if the answer was cut; "" for an
            extractive answer.
        guess: for an extractive answer, the name, date or number in the best sentence that answers the question; "" if
            the guess is uncertain.
        confidence: for an extractive answer or refusal, the confidence that the passages answer the question, from 0 to
            1. It is None for other answers, and if no passage contains a sentence.
        unsupported: names, numbers and dates in a language model's answer that appear neither in the question nor in a
            cited passage. If the answer cites no passage, they appear in no passage that was read.
        follow_up: the question as the user typed it, if a conversation completed it to `question`; otherwise "".
        did_you_mean: map from each name in the question that no passage mentions to the most similar names that
            passages mention. A name without a similar name is left out.
        nearest: for an extractive refusal, the sentences that come nearest to an answer, best first, with their
            sources. It is uncertain whether they answer the question.
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
    nearest: tuple[Citation, ...] = ()

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
