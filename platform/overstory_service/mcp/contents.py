"""Tools that read: documents, trees and reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import Field

from overstory.display import counted
from overstory.index import StoredDocument
from overstory.index.stored_documents import DocumentPassage
from overstory.model.communities import Community, CommunityTree, MemberDocument, MemberName, MemberPassage
from overstory.model.community_reports import CommunityReports, FullReport, ReportedCommunity
from overstory.model.plain import plain
from overstory_service.hosted import Readable
from overstory_service.mcp.calls import AgentTool, Call
from overstory_service.mcp.questions import LONGEST_ASKED_NAME, MOST_TOLD_NAMES, Filter, OfCorpus
from overstory_service.mcp.quoting import Quotation
from overstory_service.mcp.results import (
    DocumentPiece,
    ListedReport,
    QuotedPassage,
    ReportedFinding,
    ToldReports,
    ToldTree,
    TreeCommunity,
    TreeMember,
)
from overstory_service.mcp.telling import (
    SHORT_TITLE_CHARACTERS,
    citation,
    place,
    quoted,
    short,
    shown_notes,
)

_READ_CHARACTERS = 20_000
"""Of a document, that are told at once; one passage at least."""
_LONGEST_READ_PASSAGE = 20_000
"""Characters of a passage of a document that are told."""
_MOST_READ_PASSAGES = 50
LONGEST_ID = 200
_MOST_TOLD_FINDING_PASSAGES = 3
"""Passages of a finding that are named."""
_SUMMARY_CHARACTERS = 2_000
"""Of the summary of a report, or of one of its findings, that are told."""
_MOST_TOLD_METADATA = 30
"""Values of a document's metadata that are told."""


class ToRead(OfCorpus):
    """A document, and where to begin."""

    document: str = Field(min_length=1, max_length=LONGEST_ID, description="The id of a document, as results name it.")
    first: int = Field(0, ge=0, le=2**31 - 1, description="How many passages to leave out before; `next` of a result.")
    limit: int = Field(10, ge=1, le=_MOST_READ_PASSAGES, description="The most passages.")


class ToSeeTree(OfCorpus):
    """A community of a tree."""

    node: str | None = Field(
        None, max_length=LONGEST_ID, description="The id of a community, or its beginning; the whole if left out."
    )
    depth: int = Field(1, ge=1, le=5, description="How many levels below it.")
    limit: int = Field(15, ge=1, le=50, description="The most communities below each, and the most members.")
    tree: str = Field("", max_length=LONGEST_ASKED_NAME, description="The name of a tree; the first if left out.")
    where: Filter = None


class ToReport(OfCorpus):
    """A community with a report."""

    community: str | None = Field(
        None,
        max_length=LONGEST_ID,
        description="The id of a community, or its beginning; the best reports if left out.",
    )
    level: int | None = Field(None, ge=1, le=100, description="Of a list: of which level, 1 for the coarsest.")
    limit: int = Field(10, ge=1, le=50, description="Of a list: how many.")
    tree: str = Field("", max_length=LONGEST_ASKED_NAME, description="The name of a tree; the first if left out.")
    where: Filter = None


@dataclass(frozen=True, slots=True)
class _Read:
    """What is read of a document in one go."""

    document: StoredDocument
    passages: list[DocumentPassage]


async def _read(call: Call, asked: ToRead) -> DocumentPiece:
    corpus = await call.corpus(asked.corpus)

    def read(view: Readable) -> _Read:
        found = view.document(asked.document)
        return _Read(found, view.document_passages(asked.document, first=asked.first, limit=asked.limit))

    read_ = await call.read(corpus, read)
    passages = tuple(_told(read_, asked.first))
    end = asked.first + len(passages)
    found = read_.document
    metadata = dict(list(found.metadata.items())[:_MOST_TOLD_METADATA])
    return DocumentPiece(
        corpus=corpus,
        document_id=found.id,
        title=short(found.title, SHORT_TITLE_CHARACTERS),
        source=short(found.origin, SHORT_TITLE_CHARACTERS),
        metadata={short(key, SHORT_TITLE_CHARACTERS): _value(plain(value)) for key, value in metadata.items()},
        chunks=found.chunks,
        passages=passages,
        next=end if passages and end < found.chunks else None,
    )


def _value(value: object) -> object:
    if isinstance(value, list):
        return [_value(each) for each in value[:_MOST_TOLD_METADATA]]  # pyright: ignore[reportUnknownVariableType] # of any type
    return short(value, SHORT_TITLE_CHARACTERS) if isinstance(value, str) else value


def _told(read: _Read, first: int) -> Iterator[QuotedPassage]:
    """The passages as far as there is room for them."""
    left = _READ_CHARACTERS
    for number, each in enumerate(read.passages, start=first):
        if number > first and len(each.text) > left:
            return
        left -= len(each.text)
        yield quoted(
            number,
            document_id=read.document.id,
            chunk_id=each.chunk_id,
            title=read.document.title,
            source=read.document.source,
            source_key=read.document.source_key,
            heading=each.heading,
            text=each.text,
            most=_LONGEST_READ_PASSAGE,
        )


def _shown_document(found: DocumentPiece, quotation: Quotation) -> str:
    if found.passages:
        first, last = found.passages[0].number, found.passages[-1].number
        which = f"passages {first}–{last} (from 0) of {found.chunks:,}"
    else:
        which = f"no passage from there on, of {found.chunks:,}"
    told = [f"{found.title or '(no title)'}\n{found.source}"]
    told += [f"{key}: {value}" for key, value in found.metadata.items()]
    lines = [
        f"Document {found.document_id} of corpus {found.corpus!r}, {which}. {quotation.notice}",
        quotation.block("\n".join(told)),
    ]
    heading = ""
    texts = []
    for each in found.passages:
        if each.heading and each.heading != heading:
            texts.append(f"\n## {each.heading}\n")
        heading = each.heading
        texts.append(each.text)
    if texts:
        lines.append(quotation.block("\n".join(texts)))
    if any(each.cut for each in found.passages):
        lines.append("A passage with … at its end was cut.")
    if found.next is not None:
        lines.append(f"Read on: read_document(document={found.document_id!r}, first={found.next})")
    return "\n".join(lines)


async def _tree(call: Call, asked: ToSeeTree) -> ToldTree:
    corpus = await call.corpus(asked.corpus)
    found: CommunityTree = await call.read(
        corpus,
        lambda view: view.tree(asked.node, depth=asked.depth, limit=asked.limit, tree=asked.tree, where=asked.where),
    )
    communities = tuple(_communities(found.community, ""))
    return ToldTree(
        corpus=corpus,
        tree=found.tree,
        unit=found.unit,
        size=found.size,
        above=found.above,
        communities=communities,
        members=tuple(_members(found.community)),
        notes=(*found.notes, *([f"not shown: {found.community.hidden}"] if found.community.hidden else [])),
    )


def _communities(one: Community, below: str) -> Iterator[TreeCommunity]:
    about = one.title or ", ".join(each.name for each in one.names)
    hidden = one.below - one.leaves
    yield TreeCommunity(one.id, below, one.level, one.size, short(about), short(one.summary), hidden)
    for each in one.communities:
        yield from _communities(each, one.id)


def _members(one: Community) -> Iterator[TreeMember]:
    for each in one.members:
        yield _member(one.id, each)
    for community in one.communities:
        yield from _members(community)


def _member(below: str, member: MemberPassage | MemberName | MemberDocument) -> TreeMember:
    text = short(str(member))
    match member:
        case MemberPassage():
            return TreeMember(below, member.chunk_id, member.document_id, text)
        case MemberDocument():
            return TreeMember(below, member.document_id, member.document_id, text)
        case MemberName():
            return TreeMember(below, member.entity_id, "", text)


def _shown_tree(found: ToldTree, quotation: Quotation) -> str:
    units = {"chunk": "passages", "entity": "names", "document": "documents"}[found.unit]
    of = f"Tree {found.tree!r} of corpus {found.corpus!r} groups {found.size:,} {units}."
    lines = [f"{of} Ids name communities, for tree and report. {quotation.notice}"]
    levels = {each.id: each.level for each in found.communities}
    top = min(levels.values())
    told = [
        f"{'  ' * (each.level - top)}{each.id} ({each.size:,} {units}, {each.communities:,} communities below): "
        f"{each.about or '(the whole)'}" + (f" — {each.summary}" if each.summary else "")
        for each in found.communities
    ]
    told += [f"- {each.id} in {each.below}: {each.text}" for each in found.members]
    lines.append(quotation.block("\n".join(told)))
    return "\n".join([*lines, *shown_notes(found.notes, quotation)])


async def _report(call: Call, asked: ToReport) -> ToldReports:
    corpus = await call.corpus(asked.corpus)
    community = asked.community
    if community is None:
        listed: CommunityReports = await call.read(
            corpus,
            lambda view: view.reports(level=asked.level, limit=asked.limit, tree=asked.tree, where=asked.where),
        )
        reports = tuple(map(_listed, listed.reports))
        return ToldReports(corpus, listed.tree, reports, (), (), listed.more, listed.notes)
    found: FullReport = await call.read(corpus, lambda view: view.report(community, tree=asked.tree, where=asked.where))
    numbers = iter(range(1, 1 + _MOST_TOLD_FINDING_PASSAGES * len(found.findings)))
    findings = tuple(
        ReportedFinding(
            short(finding.text, _SUMMARY_CHARACTERS),
            finding.names[:MOST_TOLD_NAMES],
            tuple(
                quoted(
                    next(numbers),
                    document_id=each.document_id,
                    chunk_id=each.chunk_id,
                    title=each.title,
                    source=each.source,
                    source_key=each.source_key,
                    page=each.page,
                    heading=each.heading,
                    text="",
                )
                for each in finding.passages[:_MOST_TOLD_FINDING_PASSAGES]
            ),
        )
        for finding in found.findings
    )
    below = tuple(map(_listed, found.below))
    return ToldReports(corpus, found.tree, (_listed(found.community),), findings, below, 0, found.notes)


def _listed(one: ReportedCommunity) -> ListedReport:
    return ListedReport(
        one.id, one.level, one.size, short(one.title), short(one.summary, _SUMMARY_CHARACTERS), one.rating
    )


def _shown_report(found: ToldReports, quotation: Quotation) -> str:
    lines = [
        f"{counted(len(found.reports), 'report')} of tree {found.tree!r} of corpus {found.corpus!r}"
        + (f", {found.more:,} more at this level" if found.more else "")
        + f". {quotation.notice}"
    ]
    for each in found.reports:
        lines.append(f"Community {each.community}, rating {each.rating:.1f}, level {each.level}, size {each.size:,}:")
        lines.append(quotation.block(f"{each.title or '(no report)'}\n{each.summary}"))
    for number, finding in enumerate(found.findings, start=1):
        lines.append(f"Finding {number}:")
        lines.append(quotation.block(finding.text))
        lines += [place(each) for each in finding.passages]
        if finding.passages:
            lines.append(quotation.block("\n".join(citation(each) for each in finding.passages)))
    if found.below:
        lines.append("Reports below it:")
        lines.append(quotation.block("\n".join(f"- {each.community}: {each.title}" for each in found.below)))
    return "\n".join([*lines, *shown_notes(found.notes, quotation)])


READ_DOCUMENT = AgentTool(
    name="read_document",
    title="Read a document",
    description=(
        "Read a document from its beginning or from a passage on, with its metadata. Long documents come in pieces: "
        "`next` says where to read on."
    ),
    arguments=ToRead,
    result=DocumentPiece,
    work=_read,
    shown=_shown_document,
)
TREE = AgentTool(
    name="tree",
    title="Show what a corpus is about",
    description=(
        "Show the communities of a corpus: groups of passages, names or documents that belong together, from the whole "
        "or from one community down. Needs the index of a system with a tree (serag, hirag, tretriever)."
    ),
    arguments=ToSeeTree,
    result=ToldTree,
    work=_tree,
    shown=_shown_tree,
)
REPORT = AgentTool(
    name="report",
    title="Read reports on communities",
    description=(
        "Read the report on a community, each finding with its passages; without `community`, the reports of the "
        "highest rating. Needs the index of a system that writes reports (hirag)."
    ),
    arguments=ToReport,
    result=ToldReports,
    work=_report,
    shown=_shown_report,
)
