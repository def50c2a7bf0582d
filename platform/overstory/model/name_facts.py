"""What a corpus says of one name: the facts that have it, with the sentences that state them, and the names they tie
to it."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.display import counted, printable, shortened
from overstory.model.origin import HasOrigin, HasPage, OfPassage


@dataclass(frozen=True, slots=True, repr=False)
class NameFact(HasOrigin):
    """A fact, and the first passage that states it.

    Attributes:
        sentence: the one that states it.
        passages: how many state it.
    """

    subject: str
    predicate: str
    object: str
    sentence: str
    title: str
    heading: str
    source: str
    source_key: str
    document_id: str
    chunk_id: str
    passages: int

    def __str__(self) -> str:
        return f"{self.subject} – {self.predicate} – {self.object}"

    def __repr__(self) -> str:
        return printable(f"<NameFact {self} [{self.origin}]: {shortened(self.sentence)}>")


@dataclass(frozen=True, slots=True, repr=False)
class MentioningPassage(OfPassage, HasPage):
    """A passage that mentions a name, or is about it."""

    text: str
    page: int | None = None

    def __repr__(self) -> str:
        return printable(f"<MentioningPassage {self.title or '(no title)'} [{self.origin}]: {shortened(self.text)}>")


@dataclass(frozen=True, slots=True)
class NamePassages:
    """A page of the passages of a name.

    Attributes:
        name: as the corpus writes it.
        passages: by title, and in each document as it has them.
        next: how many come before the next page; None at the end.
        notes: what the reader should know of the result.
    """

    name: str
    passages: tuple[MentioningPassage, ...]
    next: int | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelatedName:
    """A name that facts tie to another one.

    Attributes:
        type: as PERSON or ORG; "" if there is none.
        predicates: of these facts, the most frequent first.
        statements: how often they are stated.
    """

    name: str
    type: str
    predicates: tuple[str, ...]
    statements: int


@dataclass(frozen=True, slots=True, repr=False)
class NameFacts:
    """One name of a corpus.

    Attributes:
        name: as the corpus writes it.
        type: as PERSON or ORG; "" if there is none.
        aliases: its other spellings, the most frequent first.
        passages: how many mention it.
        facts: those that most passages state first, as many as were asked for.
        related: the names that facts tie to it most often, likewise.
        notes: what the reader should know of the result (what was not looked at, an index older than the corpus).
    """

    name: str
    type: str
    aliases: tuple[str, ...]
    passages: int
    facts: tuple[NameFact, ...]
    related: tuple[RelatedName, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """A line for the name, and one for each fact."""
        kind = f"{self.type}, " if self.type else ""
        lines = [f"<NameFacts of {self.name!r}: {kind}{counted(self.passages, 'passage')}>"]
        lines += [f"  {fact} [{fact.origin}]" for fact in self.facts]
        return printable("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]))
