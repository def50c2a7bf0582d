"""Results other than passages, such as reports, relations and paths, each with the passages that support it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, get_args

from overstory.display import around, counted, printable, shortened
from overstory.model.passage_text import count_at_most

PartKind = Literal["entity", "relation", "report", "path", "subgraph", "excerpt", "answer", "table"]
"""Kinds of parts.

- "entity": an entity.
- "relation": one or more facts.
- "report": a summary of any kind.
- "path": how a passage was reached from the question.
- "subgraph": several nodes of a graph and the edges between them.
- "excerpt": sentences from a passage.
- "answer": a remembered answer.
- "table": the rows of a table that a question about a set asks for.
"""

PART_KINDS: tuple[PartKind, ...] = get_args(PartKind)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Part:
    """A result of a retriever that is not a passage.

    A retriever that needs more fields defines a subclass. The fields of the subclass become the `details` of the part.

    Attributes:
        text: text for language models. Its first line describes the part. People read `for_people`.
        score: score of the part. Only scores of parts of the same kind in the same result can be compared.
        chunks: ids of the passages that support the part, most important first. There is at least one.
        documents: ids of the documents that contain these passages.
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
        """Statements that return the documents on which the part is based: a map from statement name to node id.

        An empty map means that `documents` already contains all of them. None means that they are unknown; answers to
        questions with a filter then leave the part out.
        """
        return None

    @property
    def title(self) -> str:
        return shortened(self.for_people.strip().partition("\n")[0])

    @property
    def for_people(self) -> str:
        """The text for people; by default, it is the same as the text for language models."""
        return self.text

    @property
    def tokens(self) -> int:
        """An upper bound on the number of tokens in the text."""
        return count_at_most(self.text)

    @property
    def details(self) -> dict[str, object]:
        """The fields that the subclass adds, as JSON types, and `for_people` if it differs from `text`."""
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
    """Sentences of one passage that a retriever selected."""

    kind: PartKind = field(default="excerpt", init=False)

    @property
    def chunk_id(self) -> str:
        """The id of the passage that contains the sentences."""
        return self.chunks[0]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CommunityReport(Part):
    """A summary of a community in a tree.

    Attributes:
        community: id of the community.
        level: level of the community in the tree. Level 1 is directly below the root.
        size: number of passages in the community; in a tree of entities, the number of entities.
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
    """One finding of a report.

    Attributes:
        chunks: ids of the passages that support the finding, most important first.
    """

    text: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RatedReport(CommunityReport):
    """A stored report on a community. Its text consists of the heading, the summary and the findings.

    Attributes:
        heading: the full heading, whereas `title` may be shortened.
        rating: importance of the community, from 0 to 10.
        findings: findings of the report, most important first.
    """

    heading: str
    summary: str
    rating: float
    findings: tuple[ReportFinding, ...]

    @property
    def standing(self) -> Mapping[str, str]:
        return {"systems/tree/report_stands_on": self.community}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OverviewLine(Part):
    """A line of an overview of a corpus, such as a folder with the dates of its documents.

    Attributes:
        heading: what the line is about.
        body: what is said about it.
    """

    kind: PartKind = field(default="report", init=False)
    heading: str
    body: str

    @classmethod
    def of(cls, heading: str, body: str, *, chunks: tuple[str, ...], documents: tuple[str, ...]) -> OverviewLine:
        text = f"{heading}\n{body}"
        return cls(text=text, score=1.0, chunks=chunks, documents=documents, heading=heading, body=body)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LinkEdge(Part):
    """A link between two documents that the question asks for, supported by one passage of each document.

    Attributes:
        source: title of the document at the start of the link.
        target: title of the document at the end of the link.
        step: 1 if the question names one of the two documents, 2 if the link is one step away from such a document.
        at_source: True if the end of the link that is nearer to the question is `source`.
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
        """Create an edge. Its text reads like a sentence, such as "Hanna Kern SIGNED Order 7001"."""
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
        """The title of the document at the end of the link that is farther from the question."""
        return self.target if self.at_source else self.source


@dataclass(frozen=True, slots=True)
class CitedRow:
    """A row of a table, with the id of the passage in which it begins."""

    text: str
    chunk: str


MOST_ROWS_OF_A_PART = 1_000
_MOST_NAMES_IN_A_SENTENCE = 20


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TablePart(Part):
    """The rows of a table that a question about a set asks for. They are complete, up to the first 1,000.

    Attributes:
        table: title of the document and name of the table.
        counts: True if the question asks for a number.
        number: number of the rows, or of the distinct values of the column that the question asks for. If that column
            contains numbers, as for "how many seats", it is their sum.
        summed: the column whose numbers were added; "" if rows or values were counted.
        names: the distinct names of the rows, or the distinct values of that column.
        groups: each value of a column with the number of its rows, if the question asks for them.
        condition: the condition that the rows meet, such as "City: Ulm, not Team: Valves"; "" for all rows.
        rows: the rows.
    """

    kind: PartKind = field(default="table", init=False)
    table: str
    counts: bool
    number: float
    summed: str
    names: tuple[str, ...]
    groups: tuple[tuple[str, int], ...]
    condition: str
    rows: tuple[CitedRow, ...]

    @classmethod
    def of(
        cls,
        *,
        table: str,
        counts: bool,
        number: float,
        summed: str,
        names: Sequence[str],
        groups: Sequence[tuple[str, int]],
        condition: str,
        rows: Sequence[tuple[str, str]],
        chunks: Iterable[str],
        documents: tuple[str, ...],
    ) -> TablePart:
        """Create a part whose text is the answer in one sentence, followed by the rows."""
        shown = tuple(CitedRow(*row) for row in rows[:MOST_ROWS_OF_A_PART])
        cited = {row.chunk for row in shown}
        part = cls(
            text="",
            score=1.0,
            chunks=tuple(chunk for chunk in chunks if chunk in cited or not shown),
            documents=documents,
            table=table,
            counts=counts,
            number=number,
            summed=summed,
            names=tuple(names),
            groups=tuple(groups),
            condition=condition,
            rows=shown,
        )
        return replace(part, text="\n".join([part.statement, *(row.text for row in shown)]))

    @property
    def statement(self) -> str:
        """The answer in one sentence, such as "3 rows of staff › Staff (City: Ulm): Ada, Ben, Carla"."""
        of = f"{self.table} ({self.condition})" if self.condition else self.table
        if self.groups:
            return f"{of}: {', '.join(f'{name} {number:,}' for name, number in self.groups)}"
        if not self.rows:
            return f"No row of {of}"
        named = f": {self.listed}" if self.names else ""
        if self.summed:
            return f"{self.summed}: {self._number} in {counted(len(self.rows), 'row')} of {of}{named}"
        if self.number == len(self.names) != len(self.rows):
            return f"{self._number} in {of}{named}"
        return f"{counted(len(self.rows), 'row')} of {of}{named}"

    @property
    def _number(self) -> str:
        return f"{self.number:,.15g}"

    @property
    def listed(self) -> str:
        """The names, separated by commas. Only the first 20 are listed."""
        more = len(self.names) - _MOST_NAMES_IN_A_SENTENCE
        listed = ", ".join(self.names[:_MOST_NAMES_IN_A_SENTENCE])
        return f"{listed} and {more:,} more" if more > 0 else listed

    @property
    def short(self) -> str:
        """The number or the names, whichever the question asks for; the groups if it asks for those."""
        if self.groups and self.counts:
            return ", ".join(f"{name} {number:,}" for name, number in self.groups)
        return self._number if self.counts else self.listed or "none"


BridgeStepKind = Literal["about", "mentions", "link", "link back"]
LINK_KINDS = frozenset({"link", "link back"})


@dataclass(frozen=True, slots=True)
class BridgeStep:
    """A step from a first to a second passage, through an entity in the first or a link between their documents.

    Attributes:
        name: name of the entity, or type of the link.
        kind: kind of the step:
            "about": the second passage is about the entity.
            "mentions": the second passage only mentions the entity.
            "link": the document of the first passage links to the document of the second.
            "link back": the document of the second passage links to the document of the first.
        source_id: id of the first passage.
        source_title: title of its document.
        source_sentence: the sentence of the first passage that contains the name, or its first sentence if none does.
        target_id: id of the second passage.
        target_title: title of its document.
        target_sentence: the sentence of the second passage that contains the name, or its first sentence if none does.
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
    """A path from the question to a passage.

    Attributes:
        score: contribution of the path to the score of the passage.
        asked: name of the entity in the question that led to the first passage on the path; "" if the meaning or the
            words of the question led there.
    """

    kind: PartKind = field(default="path", init=False)
    asked: str
    steps: tuple[BridgeStep, ...]

    @classmethod
    def along(cls, steps: Iterable[BridgeStep], *, asked: str, score: float, documents: Iterable[str]) -> BridgePath:
        """Create a path from one or more steps.

        The first line of its text consists of the entities and the titles of the passages. The sentences follow.

        Args:
            documents: ids of the documents that contain the passages. Duplicates are dropped.
        """
        taken = tuple(steps)
        line = " ".join((asked or "the question").split())
        names = [("→", taken[0].source_title or shortened(taken[0].source_sentence, 40))]
        for step in taken:
            arrow = "←" if step.kind == "link back" else "→"
            names += [(arrow, step.name), (arrow, step.target_title or shortened(step.target_sentence, 40))]
        before = line
        for arrow, name in ((arrow, " ".join(name.split())) for arrow, name in names):
            if name != before:
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
        """The id of the passage at the end of the path."""
        return self.steps[-1].target_id

    def quotations(self) -> tuple[str, ...]:
        """Return one line for each passage on the path, with a quotation: '"Dracula" names Stoker: «…»'."""
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


def _with_lists(value: Any) -> Any:  # the result of `asdict` may contain tuples, which become lists as in JSON
    if isinstance(value, dict):
        return {key: _with_lists(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_with_lists(each) for each in value]
    return value
