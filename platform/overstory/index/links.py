"""Links between documents: those of a run replace the ones that its documents had before.

Links come in any order, and a document has all of its links only when everything is read. So a run collects them in a
temporary SQLite file, deleted at the end, and compares them with the stored ones by a digest for each document. Memory
does not grow with the number of documents or links.

A link to a document that is not stored leads to a `MissingDocument`, which is found by the id that the document would
have: whoever writes that document leads the links to it, and whoever deletes it leads them back.
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
"""Documents that are missing where links begin, each with an error of its own; the rest are counted."""

UNFINISHED = "unfinished"
"""In place of a digest, while the links of a document are written in several transactions."""

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
    """The links that a run reads, and which of its documents had links before. Use it in a `with` block.

    Attributes:
        added: how many links were read, those with equal ends, types and texts counted one by one.
    """

    def __init__(self, label: str) -> None:
        """`label` is that of the corpus."""
        super().__init__(*_TABLES)
        self.label = label
        self.added = 0

    def taken_from(self, items: Iterable[Loaded], on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """The documents and annotations; links are kept here, and those that cannot be stored go to `on_broken`."""
        for item in items:
            if not isinstance(item, Link):
                yield item
            elif (fault := link_fault(item)) is not None:
                on_broken(fault)
            elif not self.add(item):
                on_broken(_too_heavy(item))

    def add(self, link: Link) -> bool:
        """Adds a link; its weight is added to that of one with the same ends, type and text. False if the sum would be
        above `HEAVIEST_LINK`: the link is left out."""
        values = (link.target_source or link.source, link.target_key, link.type, link.text, link.weight)
        is_added = self._table.execute(_ADD, (self._own(link), *values, HEAVIEST_LINK)).rowcount == 1
        self.added += is_added
        return is_added

    def put(self, link: Link) -> None:
        """Adds a link that stands for all of its ends, type and text: once more changes nothing."""
        values = (link.target_source or link.source, link.target_key, link.type, link.text, link.weight)
        document = self._own(link)
        self._table.execute("INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?, ?, ?)", (document, *values))
        self.added += 1

    def note_read(self, document: str, links_sha256: str | None) -> None:
        """Notes a document that was read: its stored links, if it has some, are to be replaced."""
        if links_sha256:
            self._table.execute("INSERT OR IGNORE INTO had VALUES (?)", (bytes.fromhex(document),))

    def note_new(self, document: str) -> None:
        """Notes a document of a preview that would be stored."""
        self._table.execute("INSERT OR IGNORE INTO came VALUES (?)", (bytes.fromhex(document),))

    def is_new(self, document: str) -> bool:
        found = self._table.execute("SELECT 1 FROM came WHERE document = ?", (bytes.fromhex(document),))
        return found.fetchone() is not None

    def pages(self) -> Iterator[list[str]]:
        """The ids of the documents that have links now, or had some before, in order."""
        after = b""
        while found := self._table.execute(_PAGE, (after, _LINKED_DOCUMENTS_A_PAGE)).fetchall():
            yield [document.hex() for (document,) in found]
            (after,) = found[-1]

    def digest(self, document: str) -> tuple[str | None, int]:
        """What recognises the links of a document, None without any, and how many there are."""
        digest, number = hashlib.sha256(), 0
        for *names, weight in self._table.execute(_OF, (bytes.fromhex(document),)):
            digest.update(json.dumps([*names, _rounded(weight)], ensure_ascii=False).encode())
            number += 1
        return (digest.hexdigest() if number else None), number

    def origin(self, document: str) -> tuple[str, str]:
        """The source and the key of a document at which a link begins."""
        found = self._table.execute(
            "SELECT source, source_key FROM sources WHERE document = ?", (bytes.fromhex(document),)
        )
        source, key = found.fetchone()
        return str(source), str(key)

    def keep(self, rows: Iterable[Row]) -> None:
        """Adds stored links that the run may have missed."""
        for row in rows:
            values = (*_identity(row), row["weight"])
            self._table.execute("INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?, ?, ?)", values)

    def compare(self, documents: Sequence[str], stored: Iterable[Row]) -> None:
        """Notes the stored links of some documents, for `removals` and `additions`."""
        self._table.execute("DELETE FROM stored")
        self._table.execute("DELETE FROM changed")
        self._table.executemany("INSERT INTO changed VALUES (?)", [(bytes.fromhex(each),) for each in documents])
        for row in stored:
            values = (row["link"], row["target"], *_identity(row), row["weight"])
            self._table.execute("INSERT OR IGNORE INTO stored VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)

    def removals(self) -> Iterator[Row]:
        """The stored links of these documents that the run did not read."""
        for link, document, target, type_, text in self._table.execute(_REMOVED):
            yield {"link": link, "document": document.hex(), "target": target, "type": type_, "text": text}

    def additions(self) -> Iterator[Row]:
        """The links of these documents that are new, with None as their `link`, or have another weight."""
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
        """The id of the document that a link starts from, which is noted."""
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
    """Replace the links of each document that was read by those that were read with it; return how many documents have
    other links now, or would have after a preview.

    Interrupted, the same run again goes on from there: a document has a digest of its links once all are written.

    Args:
        is_partly_read: whether something of a source could not be read, so that its documents keep links which were not
            read either.
        on_broken: called for links that begin at a document which the corpus does not have.
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
    """Leads the links to documents that were missing until this transaction to the documents."""
    rows = [{"id": id_, "missing": missing_document_id(id_)} for id_ in documents]
    if rows:
        tx.run("ingest/resolve_links", corpus.label, rows=rows)


def unresolve_links(tx: Transaction, corpus: Corpus, documents: Sequence[str]) -> None:
    """Before documents are deleted: leads links to them to what stands for missing documents, and deletes their own
    links to such."""
    if not documents:
        return
    rows = [{"id": id_, "missing": missing_document_id(id_)} for id_ in documents]
    ids = list(documents)
    tx.run("ingest/remove_links_of_documents", corpus.label, ids=ids)
    tx.run("ingest/unresolve_links", corpus.label, ids=ids, rows=rows)


def _keep(
    graph: GraphClient, links: ReadLinks, known: Mapping[str, Row], is_partly_read: Callable[[str], bool]
) -> None:
    """Keeps the stored links of documents whose sources could not be read whole."""
    partly = [id_ for id_, row in known.items() if row["links_sha256"] and is_partly_read(row["source"])]
    if partly:
        links.keep(graph.stream("ingest/stored_links", links.label, documents=partly))


# Returns how many links were written or deleted.
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
        # The driver tries again where it lost the connection while it committed, and does not know whether it did.
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
                f"no document has the key {key!r}, at which {counted(number, 'link begins', 'links begin')}.",
                source=source,
                remedy="Load the document with its links, or leave them out.",
            )
        )
    if len(documents) > _MOST_MISSING_DOCUMENTS_SHOWN:
        source, _ = links.origin(documents[-1])
        on_broken(BrokenSource("more links than these begin at keys that no document has.", source=source, remedy=""))


def _too_heavy(link: Link) -> BrokenSource:
    named = f" of the type {link.type!r}" if link.type else ""
    return BrokenSource(
        f"the weights of the links from {link.source_key!r} to {link.target_key!r}{named} have a sum above "
        f"{HEAVIEST_LINK:g}.",
        source=link.source,
        remedy="Give them smaller weights: only their ratios count.",
    )


def _identity(row: Row) -> tuple[bytes, Any, Any, Any, Any]:
    names = (row["target_source"], row["target_key"], row["type"], row["text"])
    return (bytes.fromhex(row["document"]), *names)


def _rounded(weight: float) -> float:
    """A sum of weights, the same in whatever order they came."""
    return float(f"{weight:.12g}")
