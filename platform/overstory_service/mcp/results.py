"""What the tools return as structured content. Its JSON strings are where text of documents stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from overstory_service.mcp.quoting import NOTICE


@dataclass(frozen=True, slots=True)
class QuotedPassage:
    """A passage of a document, as far as it is told.

    Attributes:
        number: by which the text refers to it, as [1].
        corpus: that it is in, where several were asked.
        cut: whether more of it was left out.
    """

    number: int
    document_id: str
    chunk_id: str
    title: str
    source: str
    page: int | None
    heading: str
    corpus: str
    text: str
    cut: bool


@dataclass(frozen=True, slots=True)
class FoundPart:
    """Something else that was found, such as a relation, a link or a report, and the passages that it stands on."""

    kind: str
    text: str
    chunk_ids: tuple[str, ...]
    document_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundPassages:
    """The passages that answer a question, best first, and what the retriever found besides."""

    notice: str = field(default=NOTICE, kw_only=True)
    corpus: str
    passages: tuple[QuotedPassage, ...]
    parts: tuple[FoundPart, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer, and the passages that it stands on.

    Attributes:
        answered: whether the passages answer the question.
        state: why not, where they do not.
        kind: "llm" if a language model wrote it, "extractive" if it is sentences of the passages.
        confidence: of an extractive answer, 0 to 1.
        unsupported: names, numbers and dates of a language model's answer that no cited passage has.
    """

    notice: str = field(default=NOTICE, kw_only=True)
    corpus: str
    answered: bool
    state: str
    kind: str
    text: str
    confidence: float | None
    citations: tuple[QuotedPassage, ...]
    unsupported: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StatedStep:
    """A step of a path, and the passage that states it."""

    says: str
    kind: str
    passage: QuotedPassage


@dataclass(frozen=True, slots=True)
class StatedPath:
    """A path from one name to another; the lower the cost, the better."""

    names: tuple[str, ...]
    cost: float
    steps: tuple[StatedStep, ...]


@dataclass(frozen=True, slots=True)
class Connections:
    """How two names are connected; no path means that nothing connects them in so many steps."""

    notice: str = field(default=NOTICE, kw_only=True)
    corpus: str
    start: str
    end: str
    paths: tuple[StatedPath, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToldFact:
    """A fact, the first passage that states it, and how many do."""

    subject: str
    predicate: str
    object: str
    passages: int
    passage: QuotedPassage


@dataclass(frozen=True, slots=True)
class TiedName:
    """A name that facts tie to another one, by which predicates, and how often these are stated."""

    name: str
    type: str
    predicates: tuple[str, ...]
    statements: int


@dataclass(frozen=True, slots=True)
class KnownName:
    """What a corpus says of a name."""

    notice: str = field(default=NOTICE, kw_only=True)
    corpus: str
    name: str
    type: str
    aliases: tuple[str, ...]
    passages: int
    facts: tuple[ToldFact, ...]
    related: tuple[TiedName, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TreeCommunity:
    """A community of a tree.

    Attributes:
        below: the id of the community that it is right below; "" for the one that was asked for.
        about: its title, or else the names that tell it from the rest.
        communities: how many are right below it.
    """

    id: str
    below: str
    level: int
    size: int
    about: str
    summary: str
    communities: int


@dataclass(frozen=True, slots=True)
class TreeMember:
    """A passage, a name or a document right below a community.

    Attributes:
        below: the id of the community.
        id: of the passage, the name or the document.
        document_id: "" for a name.
    """

    below: str
    id: str
    document_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToldTree:
    """A part of a tree: a community, what is below it, and which communities it is in.

    Attributes:
        unit: what the tree groups: chunk (passages), entity (names) or document.
    """

    notice: str = field(default=NOTICE, kw_only=True)
    corpus: str
    tree: str
    unit: str
    size: int
    above: tuple[str, ...]
    communities: tuple[TreeCommunity, ...]
    members: tuple[TreeMember, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListedReport:
    """A report in short."""

    community: str
    level: int
    size: int
    title: str
    summary: str
    rating: float


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """A statement of a report, with the documents and passages that it stands on."""

    text: str
    names: tuple[str, ...]
    passages: tuple[QuotedPassage, ...]


@dataclass(frozen=True, slots=True)
class ToldReports:
    """Reports on communities.

    Attributes:
        reports: the one that was asked for, or those of the highest rating.
        findings: of the one that was asked for.
        below: the reports right below it.
        more: how many other reports there are at this level.
    """

    notice: str = field(default=NOTICE, kw_only=True)
    corpus: str
    tree: str
    reports: tuple[ListedReport, ...]
    findings: tuple[ReportedFinding, ...]
    below: tuple[ListedReport, ...]
    more: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentPiece:
    """A document, and passages of it in reading order.

    Attributes:
        chunks: how many passages it has.
        next: the number of the passage to read on from; None at the end.
    """

    notice: str = field(default=NOTICE, kw_only=True)
    corpus: str
    document_id: str
    title: str
    source: str
    metadata: dict[str, Any]
    chunks: int
    passages: tuple[QuotedPassage, ...]
    next: int | None


@dataclass(frozen=True, slots=True)
class ToldCorpus:
    """A corpus. Its sizes are None for a token with a filter."""

    name: str
    documents: int | None
    passages: int | None


@dataclass(frozen=True, slots=True)
class ToldCorpora:
    """The corpora that can be asked."""

    corpora: tuple[ToldCorpus, ...]


@dataclass(frozen=True, slots=True)
class StoredText:
    """What became of a text: added, changed, unchanged, or broken with its problems."""

    corpus: str
    state: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeletedDocument:
    """How many documents were deleted."""

    corpus: str
    documents: int


@dataclass(frozen=True, slots=True)
class ToldJob:
    """A job, and how far it is.

    Attributes:
        state: queued, running, done, failed or cancelled.
        progress: what it does now; "" before and after.
    """

    job: str
    corpus: str
    kind: str
    state: str
    progress: str
    problem: str
    result: dict[str, Any] | None = field(default=None)
