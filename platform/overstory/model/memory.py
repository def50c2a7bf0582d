"""Answers that a system remembers, as people and programs see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from overstory.display import counted, printable, shortened
from overstory.model.origin import HasOrigin

_SHORT_ID_CHARACTERS = 8  # characters of an id that people see


@dataclass(frozen=True, slots=True, repr=False)
class StoredFact(HasOrigin):
    """A fact that a remembered answer cites.

    Attributes:
        head, relation, tail: what it says.
        quote: the sentence that states it; "" where the system does not know which does.
        chunk_id, document_id, source, source_key, title: of the passage that states it.
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
        system: that remembers it, by its name.
        questions: to which it was given, the newest first; one at least.
        text: with the numbers of its citations, as it was given.
        short: the answer alone.
        kind: "llm" if a language model wrote it, "extractive" if it is sentences of passages.
        model: that wrote it; "" for an extractive answer.
        asked: when it was remembered, ISO 8601 in UTC.
        facts: that it cites, in its order.
        stated: whether passages still state all of them; another answer is not used.
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
    """How much a system remembers of a corpus.

    Attributes:
        answers, questions, facts, passages: the last two as far as answers cite them, each once.
        unsupported: answers that cite a fact that is no longer stated, and are not used.
        waiting: answers that this process could not write yet, because other transactions had what they stand on.
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
    """What became of the answers of an exported memory.

    Attributes:
        restored: new in this memory.
        known: that it had already.
        left_out: how many were not restored, by reason.
    """

    restored: int = 0
    known: int = 0
    left_out: dict[str, int] = field(default_factory=dict[str, int])

    def leave_out(self, why: str) -> None:
        """Counts an answer that cannot be restored."""
        self.left_out[why] = self.left_out.get(why, 0) + 1

    def add(self, other: MemoryRestored) -> None:
        """Adds the counts of another part."""
        self.restored += other.restored
        self.known += other.known
        for why, number in other.left_out.items():
            self.left_out[why] = self.left_out.get(why, 0) + number

    @property
    def reasons(self) -> Mapping[str, int]:
        """Why answers were left out, the most frequent reason first."""
        return dict(sorted(self.left_out.items(), key=lambda item: (-item[1], item[0])))
