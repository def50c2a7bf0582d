"""The result of asking: an answer, its sources, and its cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from overstory.display import html_table, shortened
from overstory.llm import Spent
from overstory.model import Evidence
from overstory.model.origin import HasOrigin, PassagePlace

AnswerKind = Literal["llm", "extractive"]
AnswerState = Literal["answered", "uncited", "not_in_documents", "nothing_found", "nothing_read"]
"""`uncited`: a language model answered and cited no passage, so that nothing says what its answer rests on.
`not_in_documents`: what was found does not answer the question. `nothing_found`: there was nothing. `nothing_read`: no
passage fits into the tokens that were allowed."""


@dataclass(frozen=True, slots=True)
class CitedPassage(PassagePlace):
    """A passage that a citation leads to.

    Attributes:
        start, end: its characters in the text of its document.
        also: how often its text is repeated and where, as of `Hit.also`.
        corpus: as of `Hit`.
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
        number: what stands for it in the answer, as [1].
        chunk_id, document_id, source, source_key, page, corpus: of the passage; of another part, its first passage's.
        title: of the passage, or the first line of the part.
        text: what was read of it: for an extractive answer the sentences that were taken over.
        kind: "passage", or the kind of the part.
        passages: the passages that it leads to, one or more; each was in the evidence.
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
        """The origins of all the passages that it leads to, each once."""
        return ", ".join(dict.fromkeys(each.origin for each in self.passages)) or self.origin

    def __repr__(self) -> str:
        kind = "" if self.kind == "passage" else f"{self.kind} "
        return f"<Citation [{self.number}] {kind}{self.title!r} [{self.places}]: {shortened(self.text)}>"


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """An answer to a question.

    Attributes:
        text: with the numbers of its citations; without control characters and others that nobody sees, so that a
            terminal may show it.
        short: the answer alone: of an extractive one its `guess`, or else its best sentence; of a language model's the
            text without numbers; "" where there is no answer. An uncited one has it, too.
        kind: "llm" if a language model wrote it, "extractive" if it is sentences of the passages.
        state: whether there is an answer, and why not: see `AnswerState`. Without an answer there are no citations.
        citations: by their numbers. Each number in square brackets in the text is one of them; whether the passage says
            what the text says is for the reader to judge.
        evidence: all that was found, whether it was read or not.
        usage: of language models for this answer, including the search for evidence.
        notes: what the reader should know: what was left out, removed, or went wrong.
        model: as the endpoint names it, or as it was asked for if the answer was cut; "" for an extractive answer.
        guess: of an extractive answer the name, date or number in its best sentence that may be what was asked for; ""
            where that is not certain.
        confidence: of an extractive answer, or of its refusal, how far the passages answer the question, from 0 to 1;
            None for other answers, and where no passage has a sentence.
        unsupported: names, numbers and dates in a language model's answer that stand neither in what it cites nor in
            the question, as it writes them; where it cites nothing, in nothing that was read.
        did_you_mean: names of the question that no passage mentions, each with the most similar that some mention;
            empty where there is none like them.
        follow_up: the question as it was typed, if a conversation completed it to `question`; else "".
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
        """Whether there is an answer that passages support: a language model's must cite one."""
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
