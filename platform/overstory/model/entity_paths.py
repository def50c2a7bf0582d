"""Paths between two names: through which names one leads to the other, and the sentences that state each step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from overstory.display import counted, data_frame, html_table, printable, shortened
from overstory.model.origin import HasOrigin, OfPassage

if TYPE_CHECKING:
    import pandas


StepKind = Literal["fact", "link", "sentence", "subject", "passage"]
"""Statements of a step, the closest first: a fact of both names; a link between documents that have them as titles; a
sentence with both; a sentence with one, in a passage that is about the other; two sentences of a passage."""


@dataclass(frozen=True, slots=True, repr=False)
class PathStep(HasOrigin):
    """From one name to the next, and the passage that states it.

    Attributes:
        predicate: of the fact ("be born in"), or the type of the link; "" for other kinds.
        subject, object: of the fact, or the names from which and to which the link leads; "" for other kinds. Either
            may be the name at which the step starts.
        sentences: those that state it, in reading order: one, or two of a passage that has no common one. Of a link,
            the first of each of the two documents, where it says more than the title; it need not mention the link.
        cost: 1 and what it is short of a fact.
        more: how many other passages mention both names.
        link_text: what the link says; "" for other kinds.

    Title, source and ids of a link's step are those of the document to which the link belongs: from which it starts.
    """

    start: str
    end: str
    kind: StepKind
    predicate: str
    subject: str
    object: str
    sentences: tuple[str, ...]
    title: str
    heading: str
    source: str
    source_key: str
    document_id: str
    chunk_id: str
    cost: float
    more: int
    link_text: str = ""

    def __repr__(self) -> str:
        return printable(f"<PathStep {self.statement} [{self.origin}]: {shortened(' … '.join(self.sentences))}>")

    @property
    def statement(self) -> str:
        """The statement, without the sentence: "Bram Stoker – write – Dracula", "Dracula and Dublin together", or, of a
        link, "Keanu Reeves – ACTED_IN (Neo) – The Matrix"."""
        if self.kind == "link":
            text = f" ({shortened(self.link_text)})" if self.link_text else ""
            return f"{self.subject} – {self.predicate}{text} – {self.object}"
        if self.kind == "fact":
            return f"{self.subject} – {self.predicate} – {self.object}"
        return f"{self.start} and {self.end} together"


@dataclass(frozen=True, slots=True, repr=False)
class EntityPath:
    """One path between two names.

    Attributes:
        names: from start to end, both included; one more than `steps`.
        cost: of the steps, and what each name between says too little; the less, the better.
    """

    names: tuple[str, ...]
    steps: tuple[PathStep, ...]
    cost: float

    def __str__(self) -> str:
        return printable(" → ".join(self.names))

    def __repr__(self) -> str:
        return printable(f"<EntityPath {self.cost:.2f} {self}>")


@dataclass(frozen=True, slots=True, repr=False)
class EntityPaths:
    """The connections between two names.

    Attributes:
        start, end: the names as the corpus writes them.
        paths: the shortest, of several the best, and then the others from the best on. No two have the same names
            between.
        notes: what the reader should know of the result (what was not followed, an index older than the corpus).
    """

    start: str
    end: str
    paths: tuple[EntityPath, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """A line a path, and two for each of its steps."""
        lines = [f"<EntityPaths from {self.start!r} to {self.end!r}: {counted(len(self.paths), 'path')}>"]
        for rank, path in enumerate(self.paths, start=1):
            lines.append(f"{rank:>3}. {path}  (cost {path.cost:.2f})")
            for step in path.steps:
                lines.append(f"     {step.statement}: {step.title or '(no title)'} [{step.origin}]")
                lines.append(f"       {shortened(' … '.join(step.sentences))}")
        return printable("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]))

    def _repr_html_(self) -> str:
        header = ("path", "step", "title", "sentences", "source")
        shown = (
            (str(rank), step.statement, step.title, " … ".join(step.sentences), step.origin)
            for rank, path in enumerate(self.paths, start=1)
            for step in path.steps
        )
        return html_table(f"{self.start} → {self.end}", header, shown, self.notes)

    def to_pandas(self) -> pandas.DataFrame:
        """A row a step: `path` and `step` (both from 1), `path_cost`, and the fields of the step.

        Raises:
            ExtraMissing: pandas is not installed.
        """
        return data_frame(_records(self.paths), STEP_COLUMNS)


_FIELDS = (
    *("start", "end", "kind", "predicate", "subject", "object", "sentences", "title", "heading"),
    *("source", "source_key", "cost", "more", "document_id", "chunk_id", "link_text"),
)
STEP_COLUMNS = ("path", "step", "path_cost", *_FIELDS)


def _records(paths: tuple[EntityPath, ...]) -> Iterator[dict[str, object]]:
    for rank, path in enumerate(paths, start=1):
        for number, step in enumerate(path.steps, start=1):
            fields: dict[str, object] = {name: getattr(step, name) for name in _FIELDS}
            yield {"path": rank, "step": number, "path_cost": path.cost} | fields


@dataclass(frozen=True, slots=True, repr=False)
class EntityFact(HasOrigin):
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
        return printable(f"<EntityFact {self} [{self.origin}]: {shortened(self.sentence)}>")


@dataclass(frozen=True, slots=True, repr=False)
class MentioningPassage(OfPassage):
    """A passage that mentions a name, or is about it."""

    text: str
    page: int | None = None

    def __repr__(self) -> str:
        return printable(f"<MentioningPassage {self.title or '(no title)'} [{self.origin}]: {shortened(self.text)}>")


@dataclass(frozen=True, slots=True)
class EntityPassages:
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
class RelatedEntity:
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
class EntityFacts:
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
    facts: tuple[EntityFact, ...]
    related: tuple[RelatedEntity, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """A line for the name, and one for each fact."""
        kind = f"{self.type}, " if self.type else ""
        lines = [f"<EntityFacts of {self.name!r}: {kind}{counted(self.passages, 'passage')}>"]
        lines += [f"  {fact} [{fact.origin}]" for fact in self.facts]
        return printable("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]))
