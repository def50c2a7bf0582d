"""Paths between two entities with the sentences that support each step, and the facts and passages of one entity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from overstory.display import counted, data_frame, html_table, printable, shortened
from overstory.model.origin import HasOrigin, OfPassage
from overstory.model.time_spans import HasTimes

if TYPE_CHECKING:
    import pandas


StepKind = Literal["fact", "link", "sentence", "subject", "passage", "document"]
"""Kinds of support for a step from one entity to another, strongest first.

- "fact": a fact about both entities.
- "link": a link between two documents whose titles are the names of the entities.
- "sentence": a sentence that contains both entities.
- "subject": a sentence that contains one entity, in a passage about the other entity.
- "passage": two sentences of one passage, each with one of the entities.
- "document": two passages of a short document, such as a mail, each with one of the entities.
"""


@dataclass(frozen=True, slots=True, repr=False)
class PathStep(HasOrigin, HasTimes):
    """A step of a path from one entity to the next, with the passage that supports the step.

    If the kind is "link", the title, source and ids are those of the document at the start of the link. If it is
    "document", the heading and the id of the passage are those of the first passage.

    Attributes:
        predicate: predicate of the fact, such as "be born in", or type of the link; "" for other kinds.
        subject: subject of the fact, or start of the link; "" for other kinds. It may be either of the two entities.
        object: object of the fact, or target of the link; "" for other kinds.
        sentences: one sentence that contains both entities, or two sentences in reading order if there is none. For a
            link, the first sentence of each document, unless it only repeats the title.
        cost: 1 for a fact, and more for weaker kinds of support.
        more: number of other passages that mention both entities.
        link_text: text of the link; "" for other kinds.
        holds_from, holds_to, said_at, ended, time_words: time of the fact, as in `HasTimes`.
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
    holds_from: str = ""
    holds_to: str = ""
    said_at: str = ""
    ended: bool = False
    time_words: str = ""

    def __repr__(self) -> str:
        return printable(f"<PathStep {self.statement} [{self.origin}]: {shortened(' … '.join(self.sentences))}>")

    @property
    def statement(self) -> str:
        """The step as text: "Bram Stoker – write – Dracula", or "Dracula and Dublin together" if there is no fact."""
        if self.kind == "link":
            text = f" ({shortened(self.link_text)})" if self.link_text else ""
            return f"{self.subject} – {self.predicate}{text} – {self.object}"
        if self.kind == "fact":
            return f"{self.subject} – {self.predicate} – {self.object}"
        return f"{self.start} and {self.end} together"


@dataclass(frozen=True, slots=True, repr=False)
class EntityPath:
    """One path between two entities.

    Attributes:
        names: names of the entities on the path, from start to end. There is one more name than there are steps.
        cost: sum of the costs of the steps, plus a penalty for each unspecific entity between start and end. A lower
            cost is better.
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
    """The paths between two entities.

    Attributes:
        start: name of the first entity, as it is spelled in the corpus.
        end: name of the last entity, as it is spelled in the corpus.
        paths: first the best of the shortest paths, then the other paths, best first. No two paths go through the same
            entities.
    """

    start: str
    end: str
    paths: tuple[EntityPath, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
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
        """Return a DataFrame with one row per step.

        The columns are `path` and `step` (numbers, counted from 1), `path_cost`, and the fields of the step.

        Raises:
            ExtraMissing: pandas is not installed.
        """
        return data_frame(_records(self.paths), STEP_COLUMNS)


_FIELDS = (
    *("start", "end", "kind", "predicate", "subject", "object", "sentences", "title", "heading"),
    *("source", "source_key", "cost", "more", "document_id", "chunk_id", "link_text"),
    *("holds_from", "holds_to", "said_at", "ended", "time_words"),
)
STEP_COLUMNS = ("path", "step", "path_cost", *_FIELDS)


def _records(paths: tuple[EntityPath, ...]) -> Iterator[dict[str, object]]:
    for rank, path in enumerate(paths, start=1):
        for number, step in enumerate(path.steps, start=1):
            fields: dict[str, object] = {name: getattr(step, name) for name in _FIELDS}
            yield {"path": rank, "step": number, "path_cost": path.cost} | fields


@dataclass(frozen=True, slots=True, repr=False)
class EntityFact(HasOrigin, HasTimes):
    """A fact about an entity, with the first passage that states it.

    Attributes:
        passages: number of all passages that state the fact.
        holds_from, holds_to, said_at, ended, time_words: time of the fact, as in `HasTimes`.
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
    holds_from: str = ""
    holds_to: str = ""
    said_at: str = ""
    ended: bool = False
    time_words: str = ""

    def __str__(self) -> str:
        return f"{self.subject} – {self.predicate} – {self.object}"

    def __repr__(self) -> str:
        return printable(f"<EntityFact {self} [{self.origin}]: {shortened(self.sentence)}>")


@dataclass(frozen=True, slots=True, repr=False)
class MentioningPassage(OfPassage):
    """A passage that mentions an entity or is about the entity."""

    text: str
    page: int | None = None

    def __repr__(self) -> str:
        return printable(f"<MentioningPassage {self.title or '(no title)'} [{self.origin}]: {shortened(self.text)}>")


@dataclass(frozen=True, slots=True)
class EntityPassages:
    """One page of the passages that mention an entity.

    Attributes:
        name: name of the entity, as it is spelled in the corpus.
        passages: passages, sorted by title and by position in the document.
        next: offset of the next page of passages; None if this is the last page.
    """

    name: str
    passages: tuple[MentioningPassage, ...]
    next: int | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelatedEntity:
    """An entity that occurs in facts together with a given entity.

    Attributes:
        type: entity type such as PERSON or ORG; "" if unknown.
        predicates: predicates of the facts that contain both entities, most frequent first.
        statements: number of times that passages state these facts.
    """

    name: str
    type: str
    predicates: tuple[str, ...]
    statements: int


@dataclass(frozen=True, slots=True, repr=False)
class TypeVotes:
    """A type that parsers gave to mentions of an entity, and the number of these mentions."""

    type: str
    mentions: int


@dataclass(frozen=True, slots=True)
class MergedName:
    """A name that documents use for an entity, and why: "spelling", "abbreviation", "initials" or "part"."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class EntityFacts:
    """The facts and relations of one entity.

    Attributes:
        name: name of the entity, as it is spelled in the corpus.
        type: entity type such as PERSON or ORG; "" if unknown.
        aliases: other spellings of the name, most frequent first.
        votes: the types that parsers gave to its mentions, and how often. Without a vocabulary, the first is
            the type of the entity: votes that fit the form of the name count double. Empty under a filter.
        merged: the aliases that were merged when the corpus was indexed, because a document uses them for this entity.
        passages: number of passages that mention the entity.
        facts: facts about the entity, up to the requested limit. Facts that more passages state come first.
        related: entities that occur in facts with this entity, up to the requested limit. Entities whose connecting
            facts are stated more often come first.
    """

    name: str
    type: str
    aliases: tuple[str, ...]
    passages: int
    facts: tuple[EntityFact, ...]
    related: tuple[RelatedEntity, ...]
    votes: tuple[TypeVotes, ...] = ()
    merged: tuple[MergedName, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        kind = f"{self.type}, " if self.type else ""
        lines = [f"<EntityFacts of {self.name!r}: {kind}{counted(self.passages, 'passage')}>"]
        lines += [f"  {fact}{f' ({fact.when})' if fact.when else ''} [{fact.origin}]" for fact in self.facts]
        return printable("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]))
