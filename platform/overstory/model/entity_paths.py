"""Paths between two entities, with the sentences that support each step; also facts and passages of one entity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from overstory.display import counted, data_frame, html_table, printable, shortened
from overstory.model.origin import HasOrigin, OfPassage

if TYPE_CHECKING:
    import pandas


StepKind = Literal["fact", "link", "sentence", "subject", "passage"]
"""Kinds of support for a step, strongest first.

"fact" is a fact about both entities; "link" a link between documents titled after them; "sentence" a sentence with
both; "subject" a sentence with one, in a passage about the other; "passage" two sentences of one passage.
"""


@dataclass(frozen=True, slots=True, repr=False)
class PathStep(HasOrigin):
    """A step of a path from one entity to the next, with the passage that supports it.

    Title, source and ids of a link step are those of the document at the start of the link.

    Attributes:
        predicate: predicate of the fact ("be born in"), or type of the link; "" for other kinds.
        subject, object: subject and object of the fact, or start and target of the link; "" for other kinds. Either may
            be the entity at which the step starts.
        sentences: supporting sentences in reading order: one, or two if no sentence has both entities. For a link, the
            first sentence of each document if it adds to the title.
        cost: 1 for a fact, higher for weaker support.
        more: number of further passages that mention both entities.
        link_text: text of the link; "" for other kinds.
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
        """The step in words: "Bram Stoker – write – Dracula", or without a fact "Dracula and Dublin together"."""
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
        names: entity names from start to end, one more than `steps`.
        cost: sum of the step costs plus a penalty for each unspecific entity in between; lower is better.
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
        start, end: entity names as spelled in the corpus.
        paths: the best of the shortest paths, followed by the other paths, best first. No two paths go through the same
            entities.
        notes: remarks on the result, for example paths that were not followed, or an outdated index.
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
        """Return one row per step: `path` and `step` (both from 1), `path_cost`, and the fields of the step.

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
    """A fact about an entity, with the first passage that states it.

    Attributes:
        sentence: sentence that states the fact.
        passages: number of passages that state the fact.
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
    """A passage that mentions an entity or is about it."""

    text: str
    page: int | None = None

    def __repr__(self) -> str:
        return printable(f"<MentioningPassage {self.title or '(no title)'} [{self.origin}]: {shortened(self.text)}>")


@dataclass(frozen=True, slots=True)
class EntityPassages:
    """One page of the passages that mention an entity.

    Attributes:
        name: entity name as spelled in the corpus.
        passages: passages ordered by title and by position in the document.
        next: offset of the next page; None on the last page.
        notes: remarks on the result.
    """

    name: str
    passages: tuple[MentioningPassage, ...]
    next: int | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelatedEntity:
    """An entity that facts relate to another one.

    Attributes:
        type: entity type such as PERSON or ORG; "" if unknown.
        predicates: predicates of the connecting facts, most frequent first.
        statements: number of times these facts are stated.
    """

    name: str
    type: str
    predicates: tuple[str, ...]
    statements: int


@dataclass(frozen=True, slots=True, repr=False)
class EntityFacts:
    """The facts and relations of one entity.

    Attributes:
        name: entity name as spelled in the corpus.
        type: entity type such as PERSON or ORG; "" if unknown.
        aliases: other spellings, most frequent first.
        passages: number of passages that mention the entity.
        facts: facts stated in most passages first, up to the requested limit.
        related: entities with most connecting facts first, up to the requested limit.
        notes: remarks on the result, for example passages that were not read, or an outdated index.
    """

    name: str
    type: str
    aliases: tuple[str, ...]
    passages: int
    facts: tuple[EntityFact, ...]
    related: tuple[RelatedEntity, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        kind = f"{self.type}, " if self.type else ""
        lines = [f"<EntityFacts of {self.name!r}: {kind}{counted(self.passages, 'passage')}>"]
        lines += [f"  {fact} [{fact.origin}]" for fact in self.facts]
        return printable("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]))
