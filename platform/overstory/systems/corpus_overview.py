"""An overview of a corpus without a model: kinds, dates and folders of its documents, and the names in most of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath

from overstory.answer.overview import Thing, sentences_in, stands_alone, things_of
from overstory.display import counted, on_one_line, shortened
from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.graph.schema import text_index
from overstory.index.metadata_values import stored_metadata
from overstory.model import Evidence, OverviewLine, Part, RatedReport
from overstory.retrieve.hits import chunk_rows, source_hits
from overstory.text.document_dates import document_date
from overstory.text.table_rows import row_cells

_DOCUMENTS_READ = 2_000  # maximum number of documents whose kind, folder and date are read
_DOCUMENTS_READ_FOR_NAMES = 400
_PASSAGES_OF_A_DOCUMENT = 30  # maximum number of passages of a document in which names are counted
_MOST_FOLDERS = 6
_MOST_KINDS = 6
_MOST_TITLES = 3
_LONGEST_TITLE_CHARACTERS = 60  # longer titles are shortened
_MOST_NAMES = 6
_NAMES_READ = 20  # number of names for which a sentence is looked for
_PASSAGES_OF_A_NAME = 8  # number of passages in which a sentence on a name is looked for
_SENTENCE_WORDS = range(5, 36)  # number of words in a sentence that is shown
_PROJECTS: Mapping[str, str] = {"projects": "project", "Projekte": "Projekt", "projets": "projet"}
"""Words for projects, with the word that is searched."""
_PASSAGES_ON_PROJECTS = 40

_FOLDER, _FILE_NAME = "folder", "file_name"
_NO_FOLDER = "."
_ENDED = re.compile(r"[.!?。！？][\"'”’»)]*$")
_DEFINING = re.compile(r",|\s(?:is|are|was|were|ist|war|est|était|es|era)\s")
_NUMBER = re.compile(r"\d+")


def overview_lines(tx: Transaction, corpus: Corpus) -> tuple[list[OverviewLine], Mapping[str, Row]]:
    """Return the lines of an overview, and the rows of the passages that support them by id."""
    (read,) = tx.run("retrieve/overview_documents", corpus.label, looked_at=_DOCUMENTS_READ)
    documents: Sequence[Row] = read["documents"]
    if len(documents) < 2:
        return [], {}
    (total,) = tx.run("corpus/count_documents", corpus.label)
    drafts = [_on_documents(total["documents"], documents), *_on_folders(documents)]
    projects, project_rows = _on_projects(tx, corpus)
    names, name_rows = _on_names(tx, corpus, documents)
    cited = list(dict.fromkeys(id_ for draft in drafts for id_ in draft.documents))
    firsts = {row["document"]: row["chunk"] for row in tx.run("retrieve/first_passages", corpus.label, documents=cited)}
    placed = [replace(draft, chunks=tuple(firsts[id_] for id_ in draft.documents if id_ in firsts)) for draft in drafts]
    rows = chunk_rows(tx, corpus, firsts.values()) | project_rows | name_rows
    lines = [line for line in (*placed, *projects, *names) if any(chunk in rows for chunk in line.chunks)]
    return lines, rows


def with_overview(tx: Transaction, corpus: Corpus, evidence: Evidence) -> Evidence:
    """Add an overview to evidence for a question about all documents.

    Reports based on several documents come before those based on one, such as a long log.
    """
    lines, rows = overview_lines(tx, corpus)
    there = {hit.chunk_id for hit in (*evidence.hits, *evidence.sources)}
    used = dict.fromkeys(chunk for line in lines for chunk in line.chunks if chunk in rows and chunk not in there)
    others = sorted(evidence.parts, key=lambda part: isinstance(part, RatedReport) and len(part.documents) < 2)
    parts: tuple[Part, ...] = (*lines, *others)
    sources = (*evidence.sources, *source_hits(rows, used))
    shares = evidence.shares or {"report": 0.5, "passage": 0.5}
    return replace(evidence, parts=parts, sources=sources, shares=shares) if lines else evidence


def _on_documents(total: int, documents: Sequence[Row]) -> OverviewLine:
    kinds = sorted(Counter(map(_kind, documents)).items(), key=lambda each: (-each[1], each[0]))
    listed = ", ".join(f"{number:,} {kind}" for kind, number in kinds[:_MOST_KINDS])
    more = len(kinds) - _MOST_KINDS
    body = f"{listed} and {counted(more, 'more kind')}" if more > 0 else listed
    if total > len(documents):
        body = f"of {len(documents):,} read: {body}"
    folders = len(set(map(_folder, documents)))
    parts = [body, counted(folders, "folder") if folders > 1 else "", _dated(documents)]
    return _line(counted(total, "document"), "; ".join(filter(None, parts)), documents[:1])


def _on_folders(documents: Sequence[Row]) -> Iterator[OverviewLine]:
    """Yield a line for each of the largest folders, if there are several."""
    folders: dict[str, list[Row]] = {}
    for document in documents:
        folders.setdefault(_folder(document), []).append(document)
    if len(folders) < 2:
        return
    largest = sorted(folders.items(), key=lambda each: (-len(each[1]), each[0]))
    for folder, own in largest[:_MOST_FOLDERS]:
        examples = _examples(own)
        titles = "; ".join(shortened(on_one_line(each["title"]), _LONGEST_TITLE_CHARACTERS) for each in examples)
        parts = [counted(len(own), "document"), _dated(own), titles]
        name = "Files outside folders" if folder == _NO_FOLDER else folder
        yield _line(name, "; ".join(filter(None, parts)), examples)


def _examples(documents: Sequence[Row]) -> list[Row]:
    """Return documents with different titles. Titles that differ only in numbers, such as dates, are alike."""
    alike = Counter(_NUMBER.sub("#", document["title"]) for document in documents)
    found: dict[str, Row] = {}
    for document in sorted(documents, key=lambda each: (-alike[_NUMBER.sub("#", each["title"])], each["title"])):
        if document["title"]:
            found.setdefault(_NUMBER.sub("#", document["title"]), document)
    return list(found.values())[:_MOST_TITLES] or list(documents[:1])


def _folder(document: Row) -> str:
    return str(stored_metadata(document).get(_FOLDER, _NO_FOLDER))


def _kind(document: Row) -> str:
    """Return the kind of a document's file, as its suffix."""
    name = str(stored_metadata(document).get(_FILE_NAME, "")) or document["source"]
    return PurePosixPath(name).suffix.lower() or "without a file"


def _dated(documents: Iterable[Row]) -> str:
    dates = [
        found.date
        for document in documents
        if (
            found := document_date(
                title=document["title"], path=document["source"], metadata=stored_metadata(document), text=""
            )
        )
    ]
    if not dates:
        return ""
    first, last = min(dates, key=lambda each: each.first), max(dates, key=lambda each: each.last)
    return f"dated {first}" if first == last else f"dated from {first} to {last}"


def _on_projects(tx: Transaction, corpus: Corpus) -> tuple[list[OverviewLine], dict[str, Row]]:
    """Return a line with the projects, which are things that passages call a project, and its passages."""
    for kind, word in _PROJECTS.items():
        (found,) = tx.run(
            "retrieve/words_among",
            corpus.label,
            index=text_index(corpus.index_set),
            query=word,
            depth=_PASSAGES_ON_PROJECTS,
            documents=None,
        )
        rows = chunk_rows(tx, corpus, (chunk for chunk, *_ in filter(None, found["chunks"])))
        things = things_of(kind, source_hits(rows, rows))
        if things:
            names = "; ".join(dict.fromkeys(on_one_line(thing.name) for thing in things))
            return [_of_things("Projects", names, things)], rows
    return [], {}


def _of_things(heading: str, names: str, things: Sequence[Thing]) -> OverviewLine:
    chunks = dict.fromkeys(thing.passage.chunk_id for thing in things)
    documents = dict.fromkeys(thing.passage.document_id for thing in things)
    return OverviewLine.of(heading, names, chunks=tuple(chunks), documents=tuple(documents))


def _on_names(tx: Transaction, corpus: Corpus, documents: Sequence[Row]) -> tuple[list[OverviewLine], dict[str, Row]]:
    """Return a line with a sentence for each of the names that most documents contain, and their passages."""
    found = list(
        tx.run(
            "retrieve/overview_names",
            corpus.label,
            documents=[document["id"] for document in documents[:_DOCUMENTS_READ_FOR_NAMES]],
            passages=_PASSAGES_OF_A_DOCUMENT,
            limit=_NAMES_READ,
            most=_PASSAGES_OF_A_NAME,
        )
    )
    rows = chunk_rows(tx, corpus, (chunk for row in found for chunk in row["chunks"]))
    lines = (line for row in found if (line := _on_name(row, rows)) is not None)
    return list(islice(lines, _MOST_NAMES)), rows


def _on_name(row: Row, rows: Mapping[str, Row]) -> OverviewLine | None:
    """Return a line with the best sentence on a name: one that begins with it, rather a definition, rather short."""
    name = str(row["name"])
    hits = source_hits(rows, [chunk for chunk in dict.fromkeys(row["chunks"]) if chunk in rows])
    sentences = [
        (sentence, hit)
        for hit in hits
        for sentence in sentences_in(hit.content.replace("**", ""))
        if name in sentence and _ENDED.search(sentence)
    ]
    candidates = [
        (not _defines(sentence, name), not sentence.startswith((name, f"The {name}")), place, sentence, hit)
        for place, (sentence, hit) in enumerate(sentences)
        if len(sentence.split()) in _SENTENCE_WORDS and stands_alone(sentence) and not row_cells(sentence)
    ]
    if not candidates:
        return None
    *_, sentence, hit = min(candidates, key=lambda each: each[:3])
    heading = f"{on_one_line(name)} ({counted(row['documents'], 'document')})"
    return OverviewLine.of(heading, sentence, chunks=(hit.chunk_id,), documents=(hit.document_id,))


def _defines(sentence: str, name: str) -> bool:
    rest = sentence.removeprefix("The ")
    return rest.startswith(name) and _DEFINING.match(rest, len(name)) is not None


def _line(heading: str, body: str, documents: Sequence[Row]) -> OverviewLine:
    return OverviewLine.of(heading, body, chunks=(), documents=tuple(each["id"] for each in documents))
