"""Tools that ask: passages, answers, connections, names, corpora."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from overstory.answer import Answer, Citation
from overstory.conversation.conversation import AskOptions
from overstory.display import counted
from overstory.model import Evidence, Hit
from overstory.model.entity_paths import EntityPath, EntityPaths, NameFacts
from overstory.settings import DEFAULT_RETRIEVER
from overstory_service.hosted import LONGEST_FILTER
from overstory_service.mcp.calls import AgentTool, Arguments, Call
from overstory_service.mcp.quoting import Quotation
from overstory_service.mcp.results import (
    Connections,
    FoundPart,
    FoundPassages,
    GivenAnswer,
    KnownName,
    QuotedPassage,
    StatedPath,
    StatedStep,
    TiedName,
    ToldCorpora,
    ToldCorpus,
    ToldFact,
)
from overstory_service.mcp.telling import citation, place, quoted, short, shown_notes, shown_passages
from overstory_service.routes.questions import LONGEST_QUESTION, MOST_OTHER_CORPORA, OtherCorpus

_FOUND_TEXT_CHARACTERS = 1_500
"""Of a passage that an agent finds, if it asks for no more or fewer."""
_MOST_FOUND_TEXT_CHARACTERS = 10_000
_MOST_FOUND_PASSAGES = 20
_MOST_FOUND_PARTS = 10
"""Relations, links, reports and the like that are told with passages."""
MOST_TOLD_NAMES = 20
"""Spellings of a name, ids, words and the like that are told in one list."""
LONGEST_ASKED_NAME = 1_000
"""Characters of names, of corpora too, that an agent asks for."""


Filter = Annotated[
    str | None,
    Field(
        max_length=LONGEST_FILTER,
        description="A filter on the metadata of documents, like: author = 'Ada' and date >= 2024-01-01",
    ),
]


class OfCorpus(Arguments):
    """Of a corpus."""

    corpus: str | None = Field(
        None, max_length=LONGEST_ASKED_NAME, description="The name of a corpus; needed only if there are several."
    )


class OfCorpora(OfCorpus):
    """Of a corpus, or of several as if they were one."""

    also: list[OtherCorpus] = Field(
        [], max_length=MOST_OTHER_CORPORA, description="Names of other corpora, asked together with `corpus`."
    )


class ToSearch(OfCorpora):
    """A question, and how to search for it."""

    question: str = Field(min_length=1, max_length=LONGEST_QUESTION, description="A question, or words to look for.")
    k: int = Field(5, ge=1, le=_MOST_FOUND_PASSAGES, description="How many passages.")
    where: Filter = None
    retriever: str = Field(
        DEFAULT_RETRIEVER, min_length=1, max_length=LONGEST_ASKED_NAME, description="canopy, hybrid, lexical, dense, …"
    )
    characters: int = Field(
        _FOUND_TEXT_CHARACTERS, ge=100, le=_MOST_FOUND_TEXT_CHARACTERS, description="The most of each passage."
    )


class ToAsk(OfCorpora):
    """A question to be answered."""

    question: str = Field(min_length=1, max_length=LONGEST_QUESTION, description="A whole question.")
    k: int = Field(5, ge=1, le=_MOST_FOUND_PASSAGES, description="How many passages to read.")
    where: Filter = None
    retriever: str = Field(
        DEFAULT_RETRIEVER, min_length=1, max_length=LONGEST_ASKED_NAME, description="canopy, hybrid, lexical, dense, …"
    )
    style: Literal["short", "report"] | None = Field(None, description="The form of a language model's answer.")


class ToConnect(OfCorpus):
    """Two names."""

    start: str = Field(min_length=1, max_length=LONGEST_ASKED_NAME, description="A name, as texts write it.")
    end: str = Field(min_length=1, max_length=LONGEST_ASKED_NAME, description="Another name.")
    k: int = Field(3, ge=1, le=10, description="How many paths.")
    steps: int = Field(4, ge=1, le=6, description="The most that a path may have.")
    where: Filter = None


class ToName(OfCorpus):
    """A name."""

    name: str = Field(min_length=1, max_length=LONGEST_ASKED_NAME, description="A name, as texts write it.")
    limit: int = Field(15, ge=1, le=50, description="The most facts, and the most related names.")
    where: Filter = None


async def _search(call: Call, asked: ToSearch) -> FoundPassages:
    call.asks(asked.question)
    corpus = await call.corpus(asked.corpus)
    found: Evidence = await call.ask(
        [corpus, *asked.also],
        lambda view: view.search(asked.question, asked.k, retriever=asked.retriever, where=asked.where),
    )
    parts = tuple(
        FoundPart(each.kind, short(each.for_people), each.chunks[:MOST_TOLD_NAMES], each.documents[:MOST_TOLD_NAMES])
        for each in found.other_parts[:_MOST_FOUND_PARTS]
    )
    hits = tuple(_hit(number, hit, asked.characters) for number, hit in enumerate(found.hits, start=1))
    return FoundPassages(corpus, hits, parts, found.notes)


def _hit(number: int, hit: Hit, most: int) -> QuotedPassage:
    """A hit, with the part of its text that matched best."""
    start, end = hit.excerpt(most)
    shown = f"{'… ' if start else ''}{hit.text[start:end].strip()}{' …' if end < len(hit.text) else ''}"
    passage = quoted(
        number,
        document_id=hit.document_id,
        chunk_id=hit.chunk_id,
        title=hit.title,
        source=hit.source,
        source_key=hit.source_key,
        page=hit.page,
        heading=hit.heading,
        corpus=hit.corpus,
        text=shown,
        most=len(shown),
    )
    return replace(passage, cut=end - start < len(hit.text))


def _shown_search(found: FoundPassages, quotation: Quotation) -> str:
    lines = [f"{counted(len(found.passages), 'passage')} of corpus {found.corpus!r}, best first. {quotation.notice}"]
    lines += shown_passages(found.passages, quotation)
    if found.parts:
        lines.append("Also found:")
        lines.append(quotation.block("\n".join(f"- {each.kind}: {each.text}" for each in found.parts)))
    if any(each.cut for each in found.passages):
        lines.append(
            "Passages with … are cut: search with more `characters`, or read the document (read_document, with its id)."
        )
    return "\n".join([*lines, *shown_notes(found.notes, quotation)])


async def _ask(call: Call, asked: ToAsk) -> GivenAnswer:
    call.asks(asked.question)
    corpus = await call.corpus(asked.corpus)
    options = AskOptions(retriever=asked.retriever, where=asked.where, style=asked.style)
    found: Answer = await call.ask([corpus, *asked.also], lambda view: view.ask(asked.question, asked.k, **options))
    return GivenAnswer(
        corpus=corpus,
        answered=found.answered,
        state=found.state,
        kind=found.kind,
        text=found.text,
        confidence=found.confidence,
        citations=tuple(map(_cited, found.citations)),
        unsupported=found.unsupported[:MOST_TOLD_NAMES],
        notes=found.notes,
    )


def _cited(citation: Citation) -> QuotedPassage:
    return quoted(
        citation.number,
        document_id=citation.document_id,
        chunk_id=citation.chunk_id,
        title=citation.title,
        source=citation.source,
        source_key=citation.source_key,
        page=citation.page,
        corpus=citation.corpus,
        text=citation.text,
    )


def _shown_answer(found: GivenAnswer, quotation: Quotation) -> str:
    if found.answered:
        by = "Written by a language model from passages" if found.kind == "llm" else "Sentences of passages"
        sure = "" if found.confidence is None else f", confidence {found.confidence:.2f}"
        lines = [f"{by} of corpus {found.corpus!r}{sure}. {quotation.notice}"]
    else:
        lines = [f"Corpus {found.corpus!r} gives no answer that passages support ({found.state}). {quotation.notice}"]
    if found.text:
        lines.append(quotation.block(found.text))
    if found.unsupported:
        lines.append("No cited passage has these words of the answer:")
        lines.append(quotation.block(", ".join(found.unsupported)))
    lines += shown_passages(found.citations, quotation)
    return "\n".join([*lines, *shown_notes(found.notes, quotation)])


async def _why(call: Call, asked: ToConnect) -> Connections:
    corpus = await call.corpus(asked.corpus)
    found: EntityPaths = await call.read(
        corpus, lambda view: view.paths(asked.start, asked.end, asked.k, steps=asked.steps, where=asked.where)
    )
    numbers = itertools.count(1)
    paths = tuple(_path(each, numbers) for each in found.paths)
    return Connections(corpus, found.start, found.end, paths, found.notes)


def _path(path: EntityPath, numbers: Iterator[int]) -> StatedPath:
    steps = tuple(
        StatedStep(
            says=short(step.says),
            kind=step.kind,
            passage=quoted(
                next(numbers),
                document_id=step.document_id,
                chunk_id=step.chunk_id,
                title=step.title,
                source=step.source,
                source_key=step.source_key,
                heading=step.heading,
                text=" … ".join(step.sentences),
            ),
        )
        for step in path.steps
    )
    return StatedPath(path.names, path.cost, steps)


def _shown_paths(found: Connections, quotation: Quotation) -> str:
    if not found.paths:
        lines = [f"Nothing connects the two names in corpus {found.corpus!r} in so many steps. {quotation.notice}"]
    else:
        lines = [f"{counted(len(found.paths), 'path')} in corpus {found.corpus!r}. {quotation.notice}"]
    for rank, path in enumerate(found.paths, start=1):
        lines.append(f"Path {rank}, {counted(len(path.steps), 'step')}, cost {path.cost:.2f}:")
        lines.append(quotation.block(" → ".join(path.names)))
        for step in path.steps:
            lines.append(place(step.passage))
            lines.append(quotation.block(f"{step.says}\n{citation(step.passage)}\n\n{step.passage.text}"))
    return "\n".join([*lines, *shown_notes(found.notes, quotation)])


async def _name(call: Call, asked: ToName) -> KnownName:
    corpus = await call.corpus(asked.corpus)
    found: NameFacts = await call.read(corpus, lambda view: view.name(asked.name, limit=asked.limit, where=asked.where))
    facts = tuple(
        ToldFact(
            subject=short(fact.subject),
            predicate=short(fact.predicate),
            object=short(fact.object),
            passages=fact.passages,
            passage=quoted(
                number,
                document_id=fact.document_id,
                chunk_id=fact.chunk_id,
                title=fact.title,
                source=fact.source,
                source_key=fact.source_key,
                heading=fact.heading,
                text=fact.sentence,
            ),
        )
        for number, fact in enumerate(found.facts, start=1)
    )
    return KnownName(
        corpus=corpus,
        name=found.name,
        type=found.type,
        aliases=found.aliases[:MOST_TOLD_NAMES],
        passages=found.passages,
        facts=facts,
        related=tuple(
            TiedName(each.name, each.type, each.predicates[:MOST_TOLD_NAMES], each.statements) for each in found.related
        ),
        notes=found.notes,
    )


def _shown_name(found: KnownName, quotation: Quotation) -> str:
    kind = f", type {found.type}" if found.type else ""
    lines = [
        f"A name of corpus {found.corpus!r}{kind}, in {counted(found.passages, 'passage')}. {quotation.notice}",
        quotation.block(
            "\n".join([found.name, *([f"also: {', '.join(found.aliases)}"] if found.aliases else [])]),
        ),
    ]
    for fact in found.facts:
        times = f", and {counted(fact.passages - 1, 'other passage')}" if fact.passages > 1 else ""
        says = f"{fact.subject} – {fact.predicate} – {fact.object}"
        lines.append(f"{place(fact.passage)}{times}")
        lines.append(quotation.block(f"{says}\n{citation(fact.passage)}\n\n{fact.passage.text}"))
    if found.related:
        tied = (f"- {each.name} ({', '.join(each.predicates)}; {each.statements}×)" for each in found.related)
        lines += ["Names that facts tie to it:", quotation.block("\n".join(tied))]
    return "\n".join([*lines, *shown_notes(found.notes, quotation)])


async def _corpora(call: Call, _asked: Arguments) -> ToldCorpora:
    found = await call.run(call.host.corpora.base.corpora)
    counts = not call.access.where
    return ToldCorpora(
        tuple(
            ToldCorpus(each.corpus.name, each.documents if counts else None, each.chunks if counts else None)
            for each in found
            if call.access.sees(each.corpus.name)
        )
    )


def _shown_corpora(found: ToldCorpora, _quotation: Quotation) -> str:
    def line(each: ToldCorpus) -> str:
        if each.documents is None or each.passages is None:
            return repr(each.name)
        return f"{each.name!r}: {counted(each.documents, 'document')}, {counted(each.passages, 'passage')}"

    return "\n".join(map(line, found.corpora)) or "There are no corpora."


SEARCH = AgentTool(
    name="search",
    title="Find passages",
    description=(
        "Find the passages of documents that answer a question, best first, each with title, source, page and ids. "
        "Use it to read evidence yourself; for a ready answer use ask."
    ),
    arguments=ToSearch,
    result=FoundPassages,
    work=_search,
    shown=_shown_search,
)
ASK = AgentTool(
    name="ask",
    title="Answer a question",
    description=(
        "Answer a question from the documents, with the passages that the answer stands on; says so if they do not "
        "answer it."
    ),
    arguments=ToAsk,
    result=GivenAnswer,
    work=_ask,
    shown=_shown_answer,
)
WHY = AgentTool(
    name="why",
    title="How two names are connected",
    description=(
        "Show how two names (people, places, works, terms) are connected: the shortest path and the best others, each "
        "step with the sentence that states it."
    ),
    arguments=ToConnect,
    result=Connections,
    work=_why,
    shown=_shown_paths,
)
NAME = AgentTool(
    name="name",
    title="What is said of a name",
    description=(
        "What the documents say of one name: type, spellings, facts with the sentences that state them, and the names "
        "that facts tie to it."
    ),
    arguments=ToName,
    result=KnownName,
    work=_name,
    shown=_shown_name,
)
CORPORA = AgentTool(
    name="corpora",
    title="List corpora",
    description="List the corpora (collections of documents) that can be asked, with their sizes.",
    arguments=Arguments,
    result=ToldCorpora,
    work=_corpora,
    shown=_shown_corpora,
)
