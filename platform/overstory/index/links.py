"""Storing links between documents. The links that a run reads replace the stored links of its documents.

Links arrive in any order, and the links of a document are complete only at the end of the run. A run therefore collects
all links in a temporary SQLite file. At the end, a digest per document shows whether the document's links changed.
Memory use does not grow with the number of documents or links.

If a link's end document is not stored, the link leads to a `MissingDocument` node instead, whose id is derived from the
document's id. When the document is stored, the link is redirected to it. When the document is deleted, the link is
redirected back.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from overstory.display import counted
from overstory.errors import BrokenSource
from overstory.graph import Corpus, GraphClient, Transaction, Writer, batches
from overstory.graph.client import Row
from overstory.graph.ids import document_id, missing_document_id
from overstory.index.changes import LoadTarget
from overstory.index.document_checks import link_fault
from overstory.model import HEAVIEST_LINK, Annotation, Document, Link, Loaded
from overstory.protocols import OnBroken, Progress
from overstory.spool import Spool

_LINKED_DOCUMENTS_A_PAGE = 100
_LINKS_A_COMMIT = 5_000
_LINKS_A_STATEMENT = 1_000
_MOST_MISSING_DOCUMENTS_SHOWN = 20
"""Maximum number of missing start documents that are each reported as an error. All further ones share one error."""

UNFINISHED = "unfinished"
"""Value stored instead of the digest while the links of a document are being written in several transactions."""

_LINK = """
    document BLOB, target_source TEXT, target_key TEXT, type TEXT, text TEXT, weight REAL,
    PRIMARY KEY (document, target_source, target_key, type, text)
"""
_TABLES = (
    "had (document BLOB PRIMARY KEY) WITHOUT ROWID",
    "came (document BLOB PRIMARY KEY) WITHOUT ROWID",
    f"links ({_LINK}) WITHOUT ROWID",
    "sources (document BLOB PRIMARY KEY, source TEXT, source_key TEXT) WITHOUT ROWID",
    "changed (document BLOB PRIMARY KEY) WITHOUT ROWID",
    f"stored (link TEXT, target TEXT, {_LINK}) WITHOUT ROWID",
)
_ADD = """
    INSERT INTO links VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET weight = weight + excluded.weight WHERE weight + excluded.weight <= ?
"""
_PAGE = (
    "SELECT document FROM (SELECT document FROM had WHERE document > ?1 UNION SELECT document FROM sources "
    "WHERE document > ?1) ORDER BY document LIMIT ?2"
)
_OF = "SELECT target_source, target_key, type, text, weight FROM links WHERE document = ? ORDER BY 1, 2, 3, 4"
_REMOVED = """
    SELECT link, stored.document, target, stored.type, stored.text
    FROM stored LEFT JOIN links USING (document, target_source, target_key, type, text)
    WHERE links.weight IS NULL
"""
_WRITTEN = """
    SELECT link, document, target_source, target_key, type, text, links.weight
    FROM links LEFT JOIN stored USING (document, target_source, target_key, type, text)
    WHERE document IN (SELECT document FROM changed) AND links.weight IS NOT stored.weight
"""


class ReadLinks(Spool):
    """The links that a run reads, and those of its documents that had links before.

    They are in a temporary file. Use the object in a `with` block.

    Attributes:
        added: number of links read. Links with the same ends, type and text are stored as one, but counted separately.
    """

    def __init__(self, label: str) -> None:
        super().__init__(*_TABLES)
        self.label = label
        self.added = 0

    def taken_from(self, items: Iterable[Loaded], on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """Yield the documents and annotations among the items. Store valid links; report others to `on_broken`."""
        for item in items:
            if not isinstance(item, Link):
                yield item
            elif (fault := link_fault(item)) is not None:
                on_broken(fault)
            elif not self.add(item):
                on_broken(_too_heavy(item))

    def add(self, link: Link) -> bool:
        """Add a link. If there is one with the same ends, type and text, add to its weight instead.

        If the sum of the weights would exceed `HEAVIEST_LINK`, ignore the link and return False.
        """
        values = (link.target_source or link.source, link.target_key, link.type, link.text, link.weight)
        is_added = self._table.execute(_ADD, (self._own(link), *values, HEAVIEST_LINK)).rowcount == 1
        self.added += is_added
        return is_added

    def put(self, link: Link) -> None:
        """Add a link unless there is one with the same ends, type and text."""
        values = (link.target_source or link.source, link.target_key, link.type, link.text, link.weight)
        document = self._own(link)
        self._table.execute("INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?, ?, ?)", (document, *values))
        self.added += 1

    def note_read(self, document: str, links_sha256: str | None) -> None:
        """Record that a document was read. If it has stored links, they will be replaced."""
        if links_sha256:
            self._table.execute("INSERT OR IGNORE INTO had VALUES (?)", (bytes.fromhex(document),))

    def note_new(self, document: str) -> None:
        self._table.execute("INSERT OR IGNORE INTO came VALUES (?)", (bytes.fromhex(document),))

    def is_new(self, document: str) -> bool:
        found = self._table.execute("SELECT 1 FROM came WHERE document = ?", (bytes.fromhex(document),))
        return found.fetchone() is not None

    def pages(self) -> Iterator[list[str]]:
        """Yield batches of ids of the documents that have links now or had links before, in sorted order."""
        after = b""
        while found := self._table.execute(_PAGE, (after, _LINKED_DOCUMENTS_A_PAGE)).fetchall():
            yield [document.hex() for (document,) in found]
            (after,) = found[-1]

    def digest(self, document: str) -> tuple[str | None, int]:
        """Return the digest and the number of a document's links. The digest is None if there are no links."""
        digest, number = hashlib.sha256(), 0
        for *names, weight in self._table.execute(_OF, (bytes.fromhex(document),)):
            digest.update(json.dumps([*names, _rounded(weight)], ensure_ascii=False).encode())
            number += 1
        return (digest.hexdigest() if number else None), number

    def origin(self, document: str) -> tuple[str, str]:
        found = self._table.execute(
            "SELECT source, source_key FROM sources WHERE document = ?", (bytes.fromhex(document),)
        )
        source, key = found.fetchone()
        return str(source), str(key)

    def keep(self, rows: Iterable[Row]) -> None:
        """Add stored links that the run may have missed. A link that the run did read is not added again."""
        for row in rows:
            values = (*_identity(row), row["weight"])
            self._table.execute("INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?, ?, ?)", values)

    def compare(self, documents: Sequence[str], stored: Iterable[Row]) -> None:
        """Record the links that the graph stores for these documents. `removals` and `additions` use them."""
        self._table.execute("DELETE FROM stored")
        self._table.execute("DELETE FROM changed")
        self._table.executemany("INSERT INTO changed VALUES (?)", [(bytes.fromhex(each),) for each in documents])
        for row in stored:
            values = (row["link"], row["target"], *_identity(row), row["weight"])
            self._table.execute("INSERT OR IGNORE INTO stored VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)

    def removals(self) -> Iterator[Row]:
        """Yield the stored links that the run did not read, for the documents passed to `compare`."""
        for link, document, target, type_, text in self._table.execute(_REMOVED):
            yield {"link": link, "document": document.hex(), "target": target, "type": type_, "text": text}

    def additions(self) -> Iterator[Row]:
        """Yield the links that are new or whose weight changed, for the documents passed to `compare`.

        The value `link` is the id of the stored link; None for a new link.
        """
        for link, document, source, key, type_, text, weight in self._table.execute(_WRITTEN):
            yield {
                "link": link,
                "document": document.hex(),
                "target": document_id(self.label, source, key),
                "target_source": source,
                "target_key": key,
                "type": type_,
                "text": text,
                "weight": _rounded(weight),
            }

    def _own(self, link: Link) -> bytes:
        document = bytes.fromhex(document_id(self.label, link.source, link.source_key))
        self._table.execute("INSERT OR IGNORE INTO sources VALUES (?, ?, ?)", (document, link.source, link.source_key))
        return document


def store_links(
    target: LoadTarget,
    links: ReadLinks,
    *,
    is_partly_read: Callable[[str], bool],
    on_broken: OnBroken,
    progress: Progress,
) -> int:
    """Replace the links of each document that was read. Return the number of documents whose links changed.

    A preview only counts these documents. If the run is interrupted, the same run can be repeated: the digest of a
    document's links is stored only after all of them are written.

    Args:
        is_partly_read: function that returns True if part of a source could not be read. The documents of such a source
            keep all stored links.
        on_broken: called for links that start at a document which the corpus does not contain.
    """
    unowned: list[str] = []
    relinked = written = 0
    pages = links.pages()
    first = next(pages, None)
    if first is None:
        return 0
    progress.start("links", None, "documents")
    for page in itertools.chain([first], pages):
        known = target.known(page)
        there = [id_ for id_ in page if id_ in known or links.is_new(id_)]
        unowned += itertools.islice(
            (id_ for id_ in page if id_ not in there), _MOST_MISSING_DOCUMENTS_SHOWN + 1 - len(unowned)
        )
        _keep(target.graph, links, known, is_partly_read)
        digests = {id_: links.digest(id_) for id_ in there}
        before = {id_: row["links_sha256"] for id_, row in known.items()}
        changed = [id_ for id_ in there if digests[id_][0] != before.get(id_)]
        if changed and target.writer is not None:
            written += _replace(target.writer, links, changed, digests)
        relinked += len(changed)
        progress.advance(len(page))
    progress.finish(f"{counted(written, 'link')} written or deleted")
    _report_unowned(links, unowned, on_broken)
    return relinked


def resolve_links(tx: Transaction, corpus: Corpus, documents: Sequence[str]) -> None:
    """Redirect links from missing documents to the given documents, which this transaction has stored."""
    rows = [{"id": id_, "missing": missing_document_id(id_)} for id_ in documents]
    if rows:
        tx.run("ingest/resolve_links", corpus.label, rows=rows)


def unresolve_links(tx: Transaction, corpus: Corpus, documents: Sequence[str]) -> None:
    """Prepare the deletion of documents.

    Links that end at these documents are redirected to `MissingDocument` nodes. Links that start at them are deleted.
    """
    if not documents:
        return
    rows = [{"id": id_, "missing": missing_document_id(id_)} for id_ in documents]
    ids = list(documents)
    tx.run("ingest/remove_links_of_documents", corpus.label, ids=ids)
    tx.run("ingest/unresolve_links", corpus.label, ids=ids, rows=rows)


def _keep(
    graph: GraphClient, links: ReadLinks, known: Mapping[str, Row], is_partly_read: Callable[[str], bool]
) -> None:
    partly = [id_ for id_, row in known.items() if row["links_sha256"] and is_partly_read(row["source"])]
    if partly:
        links.keep(graph.stream("ingest/stored_links", links.label, documents=partly))


# `_replace` returns the number of links that were written or deleted.
def _replace(
    writer: Writer, links: ReadLinks, documents: Sequence[str], digests: dict[str, tuple[str | None, int]]
) -> int:
    links.compare(documents, writer.graph.stream("ingest/stored_links", links.label, documents=list(documents)))
    changes = itertools.chain(links.removals(), links.additions())
    parts = batches(changes, _LINKS_A_COMMIT)
    part: list[Row] | None = next(parts, [])
    number = 0
    while part is not None:
        following = next(parts, None)
        rows: list[Row] = [
            {"document": id_, "links_sha256": digest, "links": number_of or None}
            if following is None
            else {"document": id_, "links_sha256": UNFINISHED, "links": None}
            for id_ in documents
            for digest, number_of in (digests[id_],)
        ]
        _commit(writer, part, rows)
        number += len(part)
        part = following
    return number


def _commit(writer: Writer, changes: Sequence[Row], finished: Sequence[Row]) -> None:
    label = writer.corpus.label
    removals = [row for row in changes if "weight" not in row]
    weighed = [row for row in changes if "weight" in row and row["link"] is not None]
    new = [row for row in changes if "weight" in row and row["link"] is None]
    attempts = itertools.count()

    def work(tx: Transaction) -> None:
        for rows in batches(removals, _LINKS_A_STATEMENT):
            tx.run("ingest/remove_links", label, rows=rows)
        for rows in batches(weighed, _LINKS_A_STATEMENT):
            tx.run("ingest/weigh_links", label, rows=rows)
        # If the connection breaks during a commit, the driver retries, although the first attempt may have succeeded.
        additions = _not_stored(tx, label, new) if next(attempts) else new
        for rows in batches(additions, _LINKS_A_STATEMENT):
            targets = sorted({row["target"] for row in rows})
            stored = {row["id"] for row in tx.run("ingest/known_documents", label, ids=targets)}
            resolved = [row for row in rows if row["target"] in stored]
            missing = [
                row | {"target": missing_document_id(row["target"])} for row in rows if row["target"] not in stored
            ]
            if resolved:
                tx.run("ingest/write_links", label, rows=resolved)
            if missing:
                tx.run("ingest/write_unresolved_links", label, rows=missing)
        tx.run("ingest/finish_links", label, rows=list(finished))

    writer.commit("links", work)


def _not_stored(tx: Transaction, label: str, rows: Sequence[Row]) -> list[Row]:
    documents = sorted({row["document"] for row in rows})
    stored = {_identity(row) for row in tx.run("ingest/stored_links", label, documents=documents)}
    return [row for row in rows if _identity(row) not in stored]


def _report_unowned(links: ReadLinks, documents: Sequence[str], on_broken: OnBroken) -> None:
    for id_ in documents[:_MOST_MISSING_DOCUMENTS_SHOWN]:
        source, key = links.origin(id_)
        _, number = links.digest(id_)
        on_broken(
            BrokenSource(
                f"no document has the key {key!r}, at which {counted(number, 'link starts', 'links start')}.",
                source=source,
                remedy="Load the document along with its links, or remove the links.",
            )
        )
    if len(documents) > _MOST_MISSING_DOCUMENTS_SHOWN:
        source, _ = links.origin(documents[-1])
        on_broken(BrokenSource("further links start at keys that no document has.", source=source, remedy=""))


def _too_heavy(link: Link) -> BrokenSource:
    named = f" of the type {link.type!r}" if link.type else ""
    return BrokenSource(
        f"the weights of the links from {link.source_key!r} to {link.target_key!r}{named} add up to more than "
        f"{HEAVIEST_LINK:g}.",
        source=link.source,
        remedy="Use smaller weights; only their ratios matter.",
    )


def _identity(row: Row) -> tuple[bytes, Any, Any, Any, Any]:
    names = (row["target_source"], row["target_key"], row["type"], row["text"])
    return (bytes.fromhex(row["document"]), *names)


def _rounded(weight: float) -> float:
    """Round a sum of weights, so that it does not depend on the order in which they were added."""
    return float(f"{weight:.12g}")
