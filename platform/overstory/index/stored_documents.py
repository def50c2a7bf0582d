"""Finding stored documents by source, reading their passages, and disabling documents."""

from __future__ import annotations

import difflib
import heapq
import itertools
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from overstory.errors import DocumentNotFound
from overstory.graph import Corpus, GraphClient, Transaction, Writer, batches, schema
from overstory.graph.client import Row
from overstory.graph.ids import document_id
from overstory.index.status import StoredDocument, documents_by_id, stored_document
from overstory.sources import Root, absolute
from overstory.surrogates import is_well_formed
from overstory.wildcards import LONGEST_PATTERN_CHARACTERS, path_pattern

# A disabled document stays stored and indexed, but searches leave it out.
#
# Disabled documents have a label, by which they are found. `Corpus.disabled` is their number, so that a search knows
# whether there are any.

_DISABLED_DOCUMENTS_A_TRANSACTION = 5_000


def set_disabled(writer: Writer, ids: Iterable[str], *, disabled: bool) -> int:
    """Disable or enable documents. Return how many were not yet in that state."""
    changed = 0
    for batch in batches(ids, _DISABLED_DOCUMENTS_A_TRANSACTION):

        def work(tx: Transaction, batch: Sequence[str] = batch) -> int:
            return set_disabled_in(tx, writer.corpus, batch, disabled=disabled)

        changed += writer.commit("disable" if disabled else "enable", work)
    return changed


def set_disabled_in(tx: Transaction, corpus: Corpus, ids: Sequence[str], *, disabled: bool) -> int:
    """Disable or enable documents within a transaction of the writer. Return how many were not yet in that state."""
    (row,) = tx.run("corpus/disable_documents" if disabled else "corpus/enable_documents", corpus.label, ids=list(ids))
    return int(row["changed"])


def disabled_ids(graph: GraphClient, corpus: Corpus) -> list[str]:
    """Return the ids of the disabled documents, in no particular order."""
    if not corpus.disabled:
        return []
    (row,) = graph.run("retrieve/disabled_ids", corpus.label, read=True)
    return list(row["documents"])


@dataclass(frozen=True, slots=True)
class DocumentPassage:
    """A passage of a document.

    Attributes:
        heading: the headings above the passage, from the outermost to the innermost.
        start, end: position of the passage in the document's text, in characters.
        position: number of passages before this one.
    """

    chunk_id: str
    heading: str
    text: str
    start: int
    end: int
    position: int


def document_by_id(graph: GraphClient, corpus: Corpus, document: str) -> StoredDocument:
    for found in documents_by_id(graph, corpus, [document]):
        return found
    raise document_unknown(document)


def document_passages(
    graph: GraphClient, corpus: Corpus, document: str, *, first: int, limit: int
) -> list[DocumentPassage]:
    """Return the passages of a document in reading order."""
    rows = graph.run("corpus/document_passages", corpus.label, read=True, id=document, skip=first, limit=limit)
    return [
        DocumentPassage(row["id"], row["heading"] or "", row["text"], int(row["start"]), int(row["end"]), position)
        for position, row in enumerate(rows, start=first)
    ]


def passage_position(graph: GraphClient, corpus: Corpus, document: str, passage: str) -> int:
    """Return the number of passages before the given passage of a document.

    Raises:
        DocumentNotFound: the document does not exist, or does not contain this passage.
    """
    for row in graph.run("corpus/passage_position", corpus.label, read=True, id=document, passage=passage):
        return int(row["position"])
    title = document_by_id(graph, corpus, document).title
    raise DocumentNotFound(
        f"{title or document!r} has no passage {passage!r}.",
        remedy="The text has changed since. Search again, or read the document from its start.",
    )


def document_unknown(document: str) -> DocumentNotFound:
    return DocumentNotFound(f"No document has the id {document!r}.", remedy="`overstory documents` lists ids.")


_SOURCE_DOCUMENTS_A_PAGE = 1_000
_MOST_SOURCES_COMPARED = 5_000
"""Maximum number of sources that are compared with an unknown source to find similar ones.

This many are read from the nearest folder, and as many again from the start of the corpus.
"""
_MOST_NEAREST_SOURCES = 3
_LEAST_SOURCE_LIKENESS = 0.5

_AFTER_ALL = "\U0010ffff"
_NEXT = "\0"
"""A string with this character appended is the next string in sorted order."""
_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Selection:
    """A set of sources.

    Attributes:
        ranges: ranges of sources in sorted order. Each is a pair: its first source, and the first source after it.
        pattern: pattern that the sources must also match; None if all sources in the ranges are selected.
    """

    ranges: tuple[tuple[str, str], ...]
    pattern: re.Pattern[str] | None = None

    def holds(self, source: str) -> bool:
        return any(least <= source < before for least, before in self.ranges) and self._fits(source)

    def _fits(self, source: str) -> bool:
        return self.pattern is None or self.pattern.fullmatch(source) is not None


EVERYTHING = Selection((("", _AFTER_ALL),))


def selection_of(root: Root) -> Selection:
    """Select the source at a path. If `root.with_contents` is True, also select all sources below it."""
    own = (root.path, root.path + _NEXT)
    return Selection((own, _below(root.path)) if root.with_contents else (own,))


def selections(given: str) -> list[Selection]:
    """Return the selections of sources to which a text may refer, most likely first.

    The text may be:

    - the exact source of a document
    - the path of a file, or of a folder with everything below it; like `ingest`, it accepts relative paths
    - a pattern for paths, or a pattern for exact sources

    In a pattern, `*` and `?` match within one path segment, `**` also matches across segments, and `[…]` matches one of
    several characters. If a folder matches, everything below it is selected.
    """
    found: list[Selection] = []
    for form in _forms(given):
        path = absolute(form).as_posix() if form and _is_path(form) else form
        # The empty text must not select the folder "/".
        found.append(selection_of(Root(form, with_contents=bool(form) and form == path)))
        if path != form:
            found.append(selection_of(Root(path)))
        if _WILD.search(form) and len(form) <= LONGEST_PATTERN_CHARACTERS:
            found += [_matching(os.path.abspath(form)), _matching(form)]  # noqa: PTH100 # the same as in ingest
    return found


def _forms(given: str) -> list[str]:
    """File names from macOS may be in NFD, in which "é" consists of two code points."""
    if given.isascii():
        return [given]
    return list(dict.fromkeys((given, unicodedata.normalize("NFC", given), unicodedata.normalize("NFD", given))))


def select(graph: GraphClient, corpus: Corpus, given: str) -> Selection | None:
    """Return the first of `selections` that contains a document; None if there is none."""
    for selection in selections(given):
        if next(rows_of(graph, corpus, selection), None) is not None:
            return selection
    return None


def ids_of_origin(corpus: Corpus, given: str) -> list[str]:
    """Return the possible document ids for a text such as "table.csv#7", which consists of a source and a key.

    The source or the key may contain further "#", so every "#" is tried as the separator.
    """
    ids: list[str] = []
    for sign in re.finditer("#", given):
        source, key = given[: sign.start()], given[sign.end() :]
        if source and key:
            path = absolute(source).as_posix() if _is_path(source) else source
            ids += [document_id(corpus.label, each, key) for each in dict.fromkeys((source, path))]
    return ids


def select_all(graph: GraphClient, corpus: Corpus, given: str | Iterable[str]) -> list[Selection]:
    """Return the selection to which each text refers. Raise an error if a text refers to no document."""
    schema.create_database_indexes(graph)
    found: list[Selection] = []
    for each in [given] if isinstance(given, str) else given:
        selection = select(graph, corpus, each)
        if selection is None:
            raise _not_found(graph, corpus, each)
        found.append(selection)
    return found


def stored_documents(
    graph: GraphClient,
    corpus: Corpus,
    *,
    source: str | Sequence[str] | None = None,
    after: tuple[str, str] | None = None,
) -> Iterator[StoredDocument]:
    """Yield the documents of a corpus lazily, sorted by source and key.

    Args:
        source: texts as for `selections`. Only documents that they select are yielded: those of the first text, then
            those of the second, and so on. No document is yielded twice.
        after: yield only documents after this source and key; requires `source` to be None.
    """
    schema.create_database_indexes(graph)
    if source is None and after is not None:
        yield from map(stored_document, _of_source(graph, corpus, after[0], after=after[1]))
        yield from map(stored_document, _between(graph, corpus, after[0] + _NEXT, _AFTER_ALL))
        return
    if source is None:
        yield from map(stored_document, rows_of(graph, corpus, EVERYTHING))
        return
    given = [source] if isinstance(source, str) else source
    chosen = [selection for each in given if (selection := select(graph, corpus, each)) is not None]
    yield from map(stored_document, rows_of_all(graph, corpus, chosen))


def rows_of_all(graph: GraphClient, corpus: Corpus, chosen: Sequence[Selection]) -> Iterator[Row]:
    """Yield the properties of the documents in several selections lazily. Each document is yielded once."""
    for number, selection in enumerate(chosen):
        for row in rows_of(graph, corpus, selection):
            if not any(earlier.holds(row["source"]) for earlier in chosen[:number]):
                yield row


def rows_of(graph: GraphClient, corpus: Corpus, selection: Selection) -> Iterator[Row]:
    """Yield the properties of the documents in a selection lazily, sorted by source and key.

    The caller may delete the documents while they are yielded.
    """
    for least, before in selection.ranges:
        for row in _between(graph, corpus, least, before):
            if selection.holds(row["source"]):
                yield row


def _between(graph: GraphClient, corpus: Corpus, least: str, before: str) -> Iterator[Row]:
    while True:
        page = graph.run(
            "corpus/documents_from", corpus.label, read=True, least=least, before=before, limit=_SOURCE_DOCUMENTS_A_PAGE
        )
        yield from (row["document"] for row in page)
        if len(page) < _SOURCE_DOCUMENTS_A_PAGE:
            return
        last = page[-1]["document"]  # more documents may come from the same source
        yield from _of_source(graph, corpus, last["source"], after=last["source_key"])
        least = last["source"] + _NEXT


def _of_source(graph: GraphClient, corpus: Corpus, source: str, *, after: str) -> Iterator[Row]:
    """Yield the documents of a source whose keys come after `after`.

    They are read in parts, sorted by key, because one file may contain a million records.
    """
    while page := graph.run(
        "corpus/documents_of_source",
        corpus.label,
        read=True,
        source=source,
        least=after + _NEXT,
        limit=_SOURCE_DOCUMENTS_A_PAGE,
    ):
        yield from (row["document"] for row in page)
        after = page[-1]["document"]["source_key"]


def _not_found(graph: GraphClient, corpus: Corpus, given: str) -> DocumentNotFound:
    nearest = nearest_sources(given, _sources_near(graph, corpus, given))
    remedy = "`overstory documents` lists sources."
    if nearest:
        remedy = f"Similar sources: {', '.join(nearest)}. {remedy}"
    return DocumentNotFound(f"No document has the source {given!r}.", nearest=nearest, remedy=remedy)


def _sources_near(graph: GraphClient, corpus: Corpus, given: str) -> Iterator[str]:
    """Yield sources to compare with an unknown source.

    The first ones are in the nearest folder that contains documents. The others are from the start of the corpus.
    """
    for folder in absolute(given).parents if given and _is_path(given) else ():
        rows = rows_of(graph, corpus, Selection((_below(folder.as_posix()),)))
        near = [row["source"] for row in itertools.islice(rows, _MOST_SOURCES_COMPARED)]
        if near:
            yield from near
            break
    for row in itertools.islice(rows_of(graph, corpus, EVERYTHING), _MOST_SOURCES_COMPARED):
        yield row["source"]


def nearest_sources(given: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the known sources with the most similar file names, most similar first."""
    wanted = absolute(given).as_posix() if given and _is_path(given) else given
    whole, name = (difflib.SequenceMatcher(b=text, autojunk=False) for text in (wanted, PurePosixPath(wanted).name))
    best: list[tuple[float, float, str]] = []
    for source in dict.fromkeys(known):
        floor = max(_LEAST_SOURCE_LIKENESS, best[0][0] if len(best) == _MOST_NEAREST_SOURCES else 0.0)
        like = _likeness(name, PurePosixPath(source).name, floor)
        if like >= floor:
            found = (like, _likeness(whole, source, 0.0), source)  # of equally similar names, prefer similar paths
            (heapq.heappushpop if len(best) == _MOST_NEAREST_SOURCES else heapq.heappush)(best, found)
    return tuple(source for *_, source in sorted(best, key=lambda each: (-each[0], -each[1], each[2])))


def _likeness(matcher: difflib.SequenceMatcher[str], text: str, floor: float) -> float:
    """Return the similarity, from 0 to 1; or 0 if quick estimates show that it is below `floor`."""
    matcher.set_seq1(text)
    if matcher.real_quick_ratio() < floor or matcher.quick_ratio() < floor:
        return 0.0
    return matcher.ratio()


def _below(path: str) -> tuple[str, str]:
    folder = path.rstrip("/")
    return folder + "/", folder + "0"  # "0" comes directly after "/" in sorted order


def _is_path(given: str) -> bool:
    return "\0" not in given and "://" not in given and is_well_formed(given)


def _matching(pattern: str) -> Selection:
    prefix = pattern[: match.start()] if (match := _WILD.search(pattern)) else pattern
    return Selection(((prefix, prefix + _AFTER_ALL),), path_pattern(pattern))
