"""Parts of evidence other than passages: reports, relations, paths and so on, each with its supporting passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from overstory.display import around, printable, shortened
from overstory.model.passage_text import count_at_most

PartKind = Literal["entity", "relation", "report", "path", "subgraph", "excerpt", "answer"]
"""Kinds of parts. `relation` covers one or several triples, `report` any summary, `answer` a remembered answer."""

PART_KINDS: tuple[PartKind, ...] = get_args(PartKind)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Part:
    """A result of a retriever other than a hit.

    A retriever that needs more fields subclasses this class; the added fields become the part's `details`.

    Attributes:
        text: text that language models read; its first line describes the part. People read `for_people`.
        score: comparable only among parts of one kind in one result.
        chunks: ids of the supporting passages, most important first; at least one.
        documents: ids of the documents of those passages.
    """

    kind: PartKind
    text: str
    score: float
    chunks: tuple[str, ...]
    documents: tuple[str, ...]

    def __repr__(self) -> str:
        return printable(f"<{type(self).__name__} {self.kind} {self.score:.4f} {self.title}>")

    @property
    def standing(self) -> Mapping[str, str] | None:
        """Statements that list all documents behind the part, as a mapping from statement name to node id.

        Empty if `documents` is complete. None if the documents are unknown; then filtered questions leave the part out.
        """
        return None

    @property
    def title(self) -> str:
        return shortened(self.for_people.strip().partition("\n")[0])

    @property
    def for_people(self) -> str:
        """Text shown to people; by default the text for language models."""
        return self.text

    @property
    def tokens(self) -> int:
        """Upper bound on the tokens of the text, used for contexts and budgets."""
        return count_at_most(self.text)

    @property
    def details(self) -> dict[str, object]:
        """Fields of the subclass as JSON types, and `for_people` if it differs from the text."""
        common = {each.name for each in fields(Part)}
        own: dict[str, object] = {
            name: _with_lists(value) for name, value in asdict(self).items() if name not in common
        }
        shown = self.for_people
        return own if shown == self.text else own | {"for_people": shown}

    def as_json(self) -> dict[str, object]:
        common: dict[str, object] = {
            "kind": self.kind,
            "text": self.text,
            "score": self.score,
            "tokens": self.tokens,
            "chunks": list(self.chunks),
            "documents": list(self.documents),
        }
        return common | {"details": details} if (details := self.details) else common


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Excerpt(Part):
    """Sentences of one passage, from a retriever that finds sentences."""

    kind: PartKind = field(default="excerpt", init=False)

    @property
    def chunk_id(self) -> str:
        """Id of the passage that contains the sentences."""
        return self.chunks[0]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CommunityReport(Part):
    """A summary of a community in a tree.

    Attributes:
        community: id of the community in the graph.
        level: level in the tree, 1 for the coarsest.
        size: number of passages, or of entities in a tree of entities.
    """

    kind: PartKind = field(default="report", init=False)
    community: str
    level: int
    size: int

    @property
    def standing(self) -> Mapping[str, str]:
        return {"systems/tree/stands_on": self.community}


@dataclass(frozen=True, slots=True)
class ReportFinding:
    """One finding of a report, with the ids of its supporting passages, most important first."""

    text: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RatedReport(CommunityReport):
    """A stored report on a community; its text consists of heading, summary and findings.

    Attributes:
        heading: full heading; `title` may be shortened.
        rating: importance of the community, 0 to 10.
        findings: findings, most important first.
    """

    heading: str
    summary: str
    rating: float
    findings: tuple[ReportFinding, ...]

    @property
    def standing(self) -> Mapping[str, str]:
        return {"systems/tree/report_stands_on": self.community}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LinkEdge(Part):
    """A link between two documents of a loaded graph that the question asks for, with a passage of each document.

    Attributes:
        source, target: titles of the start and target documents.
        type, link_text: type and text of the link.
        step: 1 for an edge at a vertex named in the question, 2 for an edge one step further.
        at_source: True if that vertex is the source.
    """

    kind: PartKind = field(default="relation", init=False)
    source: str
    type: str
    target: str
    link_text: str
    step: int
    at_source: bool

    @classmethod
    def between(
        cls,
        source: str,
        type_: str,
        target: str,
        *,
        text: str,
        step: int,
        at_source: bool,
        chunks: tuple[str, str],
        documents: tuple[str, str],
    ) -> LinkEdge:
        """Create an edge whose text reads like a sentence: "Hanna Kern SIGNED Order 7001"."""
        statement = " ".join(f"{source} {type_} {target}".split())
        return cls(
            text=f"{statement}: {' '.join(text.split())}" if text.strip() else statement,
            score=1.0 / step,
            chunks=chunks,
            documents=documents,
            source=source,
            type=type_,
            target=target,
            link_text=text,
            step=step,
            at_source=at_source,
        )

    @property
    def reached(self) -> str:
        """Title of the document at the far end, seen from the question."""
        return self.target if self.at_source else self.source


BridgeStepKind = Literal["about", "mentions", "link", "link back"]
LINK_KINDS = frozenset({"link", "link back"})


@dataclass(frozen=True, slots=True)
class BridgeStep:
    """A step from one passage to another, through an entity in the first passage or a link between their documents.

    Attributes:
        name: entity name, or type of the link.
        kind: "about" if the second passage is about the entity, "mentions" if it only mentions it; "link" if the first
            document links to the second, "link back" for the opposite direction.
        source_sentence, target_sentence: sentence with the name; the first sentence if no sentence has it.
        link_text: text of the link; "" for an entity.
    """

    name: str
    kind: BridgeStepKind
    source_id: str
    source_title: str
    source_sentence: str
    target_id: str
    target_title: str
    target_sentence: str
    link_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BridgePath(Part):
    """The path from the question to a passage; `score` is the path's contribution to the passage's score.

    Attributes:
        asked: entity in the question that led to the first passage; "" if its meaning or words did.
    """

    kind: PartKind = field(default="path", init=False)
    asked: str
    steps: tuple[BridgeStep, ...]

    @classmethod
    def along(cls, steps: Iterable[BridgeStep], *, asked: str, score: float, documents: Iterable[str]) -> BridgePath:
        """Create the path of one or more steps.

        Its text has entities and passages on the first line, then the sentences.

        Args:
            documents: ids of the passages' documents; duplicates are dropped.
        """
        taken = tuple(steps)
        line = " ".join((asked or "the question").split())
        names = [("→", taken[0].source_title or shortened(taken[0].source_sentence, 40))]
        for step in taken:
            arrow = "←" if step.kind == "link back" else "→"
            names += [(arrow, step.name), (arrow, step.target_title or shortened(step.target_sentence, 40))]
        before = line
        for arrow, name in ((arrow, " ".join(name.split())) for arrow, name in names):
            if name != before:  # skip a name that equals the title before it
                line += f" {arrow} {name}"
            before = name
        sentences = dict.fromkeys([*(step.source_sentence for step in taken), taken[-1].target_sentence])
        return cls(
            text="\n".join([line, *sentences]),
            score=score,
            chunks=(taken[0].source_id, *(step.target_id for step in taken)),
            documents=tuple(dict.fromkeys(documents)),
            asked=asked,
            steps=taken,
        )

    @property
    def chunk_id(self) -> str:
        """Id of the passage at the end of the path."""
        return self.steps[-1].target_id

    def quotations(self) -> tuple[str, ...]:
        """Return a quotation per passage on the path, cut around the name: '"Dracula" names Stoker: «…»'."""
        lines: list[str] = []
        for step in self.steps:
            source = step.source_title or shortened(step.source_sentence, 40)
            if step.kind in LINK_KINDS:
                target = step.target_title or shortened(step.target_sentence, 40)
                ends = (source, target) if step.kind == "link" else (target, source)
                quoted = f": {shortened(step.link_text)}" if step.link_text not in ("", step.name) else ""
                lines.append(f'"{ends[0]}" links to "{ends[1]}" by {step.name}{quoted}')
            else:
                lines.append(f'"{source}" names {step.name}: «{around(step.source_sentence, step.name)}»')
        last = self.steps[-1]
        if last.kind in LINK_KINDS:
            return (*lines, f"This passage begins: «{shortened(last.target_sentence)}»")
        does = f"is about {last.name}" if last.kind == "about" else f"names {last.name}, too"
        return (*lines, f"This passage {does}: «{around(last.target_sentence, last.name)}»")

    def __str__(self) -> str:
        return printable(self.text.partition("\n")[0])


def _with_lists(value: Any) -> Any:  # converts the tuples in an `asdict` result to lists, as JSON has them
    if isinstance(value, dict):
        return {key: _with_lists(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_with_lists(each) for each in value]
    return value
