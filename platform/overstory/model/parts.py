"""Parts of the evidence besides passages: reports, relations, paths and the like, each with its passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from overstory.display import around, printable, shortened
from overstory.model.passage_text import count_at_most

PartKind = Literal["entity", "relation", "report", "path", "subgraph", "excerpt", "answer"]
"""`relation` is a triple or several, `report` any summary, `answer` one that is remembered."""

PART_KINDS: tuple[PartKind, ...] = get_args(PartKind)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Part:
    """Something that a retriever found besides its hits.

    A retriever with more to report derives a class from this one: the fields it adds are the part's `details`.

    Attributes:
        text: what language models read of it, and people too but for `for_people`; its first line says what it is.
        score: comparable among parts of one kind in one result only.
        chunks: the ids of the passages it stands on, the most important first; at least one.
        documents: the ids of their documents.
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
        """What reads all documents that it stands on, beside `documents`: by the name of a statement, which gives those
        of nodes, the id of one. Empty where `documents` are all; None where nothing does, so that the part is left out
        where a question has a filter."""
        return None

    @property
    def title(self) -> str:
        """The first line of what people read, cut to a width."""
        return shortened(self.for_people.strip().partition("\n")[0])

    @property
    def for_people(self) -> str:
        """What a terminal shows of it, where that is not the text that a language model reads."""
        return self.text

    @property
    def tokens(self) -> int:
        """An upper bound on the tokens of the text, as contexts and budgets count them."""
        return count_at_most(self.text)

    @property
    def details(self) -> dict[str, object]:
        """The fields that only its kind has, as JSON types; and `for_people`, where that is not the text."""
        common = {each.name for each in fields(Part)}
        own: dict[str, object] = {
            name: _with_lists(value) for name, value in asdict(self).items() if name not in common
        }
        shown = self.for_people
        return own if shown == self.text else own | {"for_people": shown}

    def as_json(self) -> dict[str, object]:
        """The part for programs: `kind`, `text`, `score`, `tokens`, `chunks`, `documents`; `details` if it has any."""
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
    """Sentences of one passage, of a retriever that finds sentences rather than passages."""

    kind: PartKind = field(default="excerpt", init=False)

    @property
    def chunk_id(self) -> str:
        """The passage it is taken from."""
        return self.chunks[0]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CommunityReport(Part):
    """A summary of a community of a tree.

    Attributes:
        community: its id in the graph.
        level: in its tree, from 1, the coarsest.
        size: how many passages it has, or names in a tree of names.
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
    """One statement of a report, and the ids of the passages it stands on, the most important first."""

    text: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RatedReport(CommunityReport):
    """A report that the index has of a community; its text is heading, summary and findings, below each other.

    Attributes:
        heading: what it is about, whole, where `title` may be cut.
        rating: how much the community matters, 0 to 10.
        findings: the most important first.
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
    """An edge of a loaded graph that a question asks for: a link between two documents, with a passage of each.

    Attributes:
        source, target: titles of the document that it starts from, and of the one that it leads to.
        type, link_text: of the link.
        step: 1 at a vertex that the question names, 2 at one that such an edge leads to.
        at_source: whether this vertex is the source.
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
        """An edge, whose text reads like a sentence: "Hanna Kern SIGNED Order 7001"."""
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
        """The title at the end that it leads to from where the question is."""
        return self.target if self.at_source else self.source


BridgeStepKind = Literal["about", "mentions", "link", "link back"]
LINK_KINDS = frozenset({"link", "link back"})


@dataclass(frozen=True, slots=True)
class BridgeStep:
    """From one passage to another by a name that the first one mentions, or by a link between their documents.

    Attributes:
        name: what the first passage mentions, or the type of the link.
        kind: "about" if the second passage is about the name, "mentions" if it mentions it too; "link" if the first
            document links to the second, "link back" if the second links to the first.
        source_sentence, target_sentence: what says the name; the first sentence where none does.
        link_text: what the link says; "" for a name.
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
    """How a passage was reached, from the question on; `score` is how much this path brought to it.

    Attributes:
        asked: the name in the question that led to the first passage; "" if its meaning or its words did.
    """

    kind: PartKind = field(default="path", init=False)
    asked: str
    steps: tuple[BridgeStep, ...]

    @classmethod
    def along(cls, steps: Iterable[BridgeStep], *, asked: str, score: float, documents: Iterable[str]) -> BridgePath:
        """The path of these steps, one or more. Its text has names and passages on one line, and the sentences below.

        Args:
            documents: of its passages; those that come again are left out.
        """
        taken = tuple(steps)
        line = " ".join((asked or "the question").split())
        names = [("→", taken[0].source_title or shortened(taken[0].source_sentence, 40))]
        for step in taken:
            arrow = "←" if step.kind == "link back" else "→"
            names += [(arrow, step.name), (arrow, step.target_title or shortened(step.target_sentence, 40))]
        before = line
        for arrow, name in ((arrow, " ".join(name.split())) for arrow, name in names):
            if name != before:  # a name may be a title
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
        """The passage at its end."""
        return self.steps[-1].target_id

    def quotations(self) -> tuple[str, ...]:
        """What the passages on the way say, a line each, cut around the name: '"Dracula" names Stoker: «…»'."""
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
        """Names and passages on one line."""
        return printable(self.text.partition("\n")[0])


def _with_lists(value: Any) -> Any:  # what `asdict` gives, with lists for tuples as JSON has them
    if isinstance(value, dict):
        return {key: _with_lists(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_with_lists(each) for each in value]
    return value
