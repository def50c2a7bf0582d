"""Answers that a system remembers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from overstory.display import counted, printable, shortened
from overstory.model.origin import HasOrigin

_SHORT_ID_CHARACTERS = 8


@dataclass(frozen=True, slots=True, repr=False)
class StoredFact(HasOrigin):
    """A fact that a remembered answer cites.

    Attributes:
        head: subject of the fact.
        tail: object of the fact.
        quote: sentence that states the fact; "" if the system does not store the sentence.
    """

    head: str
    relation: str
    tail: str
    quote: str
    chunk_id: str
    document_id: str
    source: str
    source_key: str
    title: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.head, self.relation, self.tail)))

    def __repr__(self) -> str:
        return printable(f"<StoredFact {self} [{self.origin}]>")


@dataclass(frozen=True, slots=True, repr=False)
class StoredAnswer:
    """An answer that a system remembers.

    Attributes:
        questions: questions that got this answer, newest first. There is at least one.
        text: the full answer, with citation numbers.
        short: the answer without citations.
        kind: "llm" if a language model wrote the answer, "extractive" if the answer consists of sentences from
            passages.
        model: name of the language model that wrote the answer; "" for an extractive answer.
        asked: time at which the answer was stored, in ISO 8601 and UTC.
        facts: the cited facts, in the order in which the answer cites them.
        stated: True if passages still state all cited facts. Otherwise the answer is not used.
    """

    id: str
    system: str
    questions: tuple[str, ...]
    text: str
    short: str
    kind: str
    model: str
    asked: str
    facts: tuple[StoredFact, ...]
    stated: bool = True

    @property
    def short_id(self) -> str:
        return self.id[:_SHORT_ID_CHARACTERS]

    def __repr__(self) -> str:
        shown = f"{shortened(self.questions[0])!r}: {shortened(self.short)}"
        return printable(f"<StoredAnswer {self.short_id} ({self.kind}) to {shown}>")


@dataclass(frozen=True, slots=True)
class MemorySize:
    """The size of a system's memory of a corpus.

    Attributes:
        facts: number of different facts that answers cite.
        passages: number of different passages that state these facts.
        unsupported: number of answers that are not used because no passage states one of their facts any more.
        waiting: number of answers that this process has not stored yet because other transactions locked their
            passages.
    """

    answers: int = 0
    questions: int = 0
    facts: int = 0
    passages: int = 0
    unsupported: int = 0
    waiting: int = 0

    def __str__(self) -> str:
        what = (
            counted(self.answers, "answer"),
            counted(self.questions, "question"),
            counted(self.facts, "fact"),
            counted(self.passages, "passage"),
        )
        return f"{what[0]} to {what[1]}, from {what[2]} of {what[3]}"


@dataclass(slots=True)
class MemoryRestored:
    """The result of restoring an exported memory.

    Attributes:
        known: number of answers that the memory already contained.
        left_out: number of skipped answers for each reason.
    """

    restored: int = 0
    known: int = 0
    left_out: dict[str, int] = field(default_factory=dict[str, int])

    def leave_out(self, why: str) -> None:
        self.left_out[why] = self.left_out.get(why, 0) + 1

    def add(self, other: MemoryRestored) -> None:
        self.restored += other.restored
        self.known += other.known
        for why, number in other.left_out.items():
            self.left_out[why] = self.left_out.get(why, 0) + number

    @property
    def reasons(self) -> Mapping[str, int]:
        """The number of skipped answers for each reason, most frequent reason first."""
        return dict(sorted(self.left_out.items(), key=lambda item: (-item[1], item[0])))
