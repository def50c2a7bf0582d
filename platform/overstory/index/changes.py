"""Finding the documents that an `ingest` run adds, changes, moves or removes.

The run records each document that it reads. It also records each stored document from the same paths that it did not
read. A document counts as moved if a new document has the same content. All records are in a temporary SQLite file, so
memory use does not grow with the number of documents.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Literal

from overstory.display import origin
from overstory.graph import GraphClient, Writer
from overstory.graph.client import Row
from overstory.graph.ids import document_id
from overstory.index.metadata_values import file_metadata_of, known_file_metadata, own_metadata, stored_metadata
from overstory.model import Annotation, Document, Link, Loaded
from overstory.model.metadata import page_starts, typed_json
from overstory.spool import Spool
from overstory.text.languages import foreign_language

# The next functions compare the documents of a run with their stored versions.
#
# No digest of the text alone is stored. `_has_text` therefore computes the digest of the new document with the stored
# metadata: if it equals the stored digest, only metadata changed.


@dataclass(frozen=True, slots=True)
class LoadTarget:
    """The corpus into which documents are loaded.

    Attributes:
        label: label that the corpus has or would have.
        writer: writer of the corpus; None in a preview, which writes nothing.
    """

    graph: GraphClient
    label: str
    exists: bool
    writer: Writer | None = None

    @classmethod
    def of(cls, writer: Writer) -> LoadTarget:
        return cls(writer.graph, writer.corpus.label, True, writer)

    def known(self, ids: Sequence[str]) -> dict[str, Row]:
        if not self.exists:
            return {}
        rows = self.graph.run("ingest/known_documents", self.label, read=True, ids=list(ids))
        return {row["id"]: row for row in rows}


@dataclass(frozen=True, slots=True)
class ComparedDocuments:
    """Documents of a run, compared with their stored versions. All maps are keyed by document id.

    Attributes:
        shas: digest of each document (`sha256_of`).
        known: row of `ingest/known_documents` for each document that is already stored.
        described: stored properties of each document whose metadata changed while its text did not.
    """

    documents: Mapping[str, Document]
    shas: Mapping[str, str]
    known: Mapping[str, Row]
    outcomes: Mapping[str, Outcome]
    described: Mapping[str, Row]

    def is_new_text(self, id_: str) -> bool:
        """Return True if the document must be split into chunks."""
        return self.outcomes[id_] != "unchanged" and id_ not in self.described

    def is_written(self, id_: str) -> bool:
        return self.outcomes[id_] != "unchanged" or id_ in self.described


def compared(target: LoadTarget, batch: Iterable[Document]) -> ComparedDocuments:
    by_id = {document_id(target.label, d.source, d.source_key): d for d in batch}
    shas = {id_: sha256_of(document) for id_, document in by_id.items()}
    known = target.known(list(by_id))
    outcomes: dict[str, Outcome] = {id_: _outcome(known.get(id_), sha) for id_, sha in shas.items()}
    others = [
        id_
        for id_, outcome in outcomes.items()
        if outcome == "changed" or (outcome == "unchanged" and _is_of_other_file(by_id[id_], known[id_]))
    ]
    rows = target.graph.run("corpus/documents_by_id", target.label, read=True, ids=others) if others else []
    stored: dict[str, Row] = {row["document"]["id"]: row["document"] for row in rows}
    described = {id_: row for id_, row in stored.items() if outcomes[id_] == "unchanged" or _has_text(by_id[id_], row)}
    return ComparedDocuments(by_id, shas, known, outcomes, described)


def _is_of_other_file(document: Document, known: Row) -> bool:
    return file_metadata_of(document) != known_file_metadata(known)


def _has_text(document: Document, stored: Row) -> bool:
    own = own_metadata(stored)
    if page_starts(own) != page_starts(document.metadata):
        return False
    if foreign_language(stored_metadata(stored)) != foreign_language(document.all_metadata):
        return False
    return str(stored["sha256"]) == sha256_of(replace(document, metadata=own))


def _outcome(stored: Row | None, sha256: str) -> Outcome:
    if stored is None:
        return "added"
    return "unchanged" if stored["sha256"] == sha256 else "changed"


def sha256_of(document: Document) -> str:
    """Return the hexadecimal SHA-256 of a document's title, text, headings and metadata."""
    headings = [[h.start, h.level, h.text] for h in document.headings]
    return digest_of([document.title, document.text, headings, dict(document.metadata)])


Kind = Literal["added", "changed", "moved", "removed"]
KINDS: tuple[Kind, ...] = ("added", "changed", "moved", "removed")

Outcome = Literal["added", "changed", "unchanged"]


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """A change to a document that `ingest` made, or that a preview predicts.

    Attributes:
        origin: source of the document, followed by its key if it has one, like "table.csv#7".
        before: for a moved document, its former origin; otherwise "".
        chunks: in a preview, the number of chunks of a new or changed document; otherwise 0.
    """

    kind: Kind
    origin: str
    before: str = ""
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class Identity:
    """The id, origin and digests of a document.

    Attributes:
        id: document id, 32 hexadecimal digits.
        sha256: digest of the title, text, headings and metadata.
        content: the same digest without the title, which may come from the file name; "" if unknown.
        chunks: number of chunks; 0 if unknown.
    """

    id: str
    source: str
    source_key: str
    sha256: str
    content: str
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class Removal:
    """A document to delete.

    Attributes:
        heir: id of a document with equal content that the run read. It takes over the vectors and extractions of the
            deleted document. "" if there is no such document.
    """

    id: str
    heir: str


OnRead = Callable[[Identity, Outcome], None]
OnChange = Callable[[DocumentChange], object]

_DOCUMENT = "id BLOB PRIMARY KEY, source TEXT, source_key TEXT, name TEXT, sha256 TEXT, content TEXT"
_TABLES = (
    f"read ({_DOCUMENT}, outcome TEXT, chunks INTEGER, taken INTEGER DEFAULT 0) WITHOUT ROWID",
    f"gone ({_DOCUMENT}, kept INTEGER, heir BLOB, moved INTEGER DEFAULT 0) WITHOUT ROWID",
    "pairs (old BLOB PRIMARY KEY, new BLOB) WITHOUT ROWID",
    "annotations (found TEXT)",
)
_READ = (
    "INSERT OR IGNORE INTO read (id, source, source_key, name, sha256, content, outcome, chunks) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_GONE = "INSERT OR IGNORE INTO gone (id, source, source_key, name, sha256, content, kept) VALUES (?, ?, ?, ?, ?, ?, ?)"

# If several documents have the same content, the first missing one is paired with the first new one, and so on. Both
# are sorted by source and key.
_PAIR = """
INSERT INTO pairs
WITH
  old AS (SELECT id, {columns}, row_number() OVER (PARTITION BY {columns} ORDER BY source, source_key) AS n
          FROM gone WHERE moved = 0),
  new AS (SELECT id, {columns}, row_number() OVER (PARTITION BY {columns} ORDER BY source, source_key) AS n
          FROM read WHERE outcome = 'added' AND taken = 0)
SELECT old.id, new.id FROM old JOIN new USING ({columns}, n)
"""
_AS_PAIRED = (
    "UPDATE gone SET moved = 1, heir = (SELECT new FROM pairs WHERE old = gone.id) WHERE id IN (SELECT old FROM pairs)",
    "UPDATE read SET taken = 1 WHERE id IN (SELECT new FROM pairs)",
    "DELETE FROM pairs",
)
_HEIRS = "UPDATE gone SET heir = (SELECT min(id) FROM read WHERE read.sha256 = gone.sha256) WHERE moved = 0"
_UNMOVED = "SELECT kept, count(*) FROM gone WHERE kept IS NOT NULL AND moved = 0 GROUP BY kept"
_PREFERENCES = ("sha256, name", "content, name", "sha256", "content")

_CHANGES: dict[Kind, str] = {
    "added": "SELECT source, source_key, '', '', chunks FROM read WHERE outcome = 'added' AND taken = 0 ORDER BY 1, 2",
    "changed": "SELECT source, source_key, '', '', chunks FROM read WHERE outcome = 'changed' ORDER BY 1, 2",
    "moved": "SELECT new.source, new.source_key, gone.source, gone.source_key, 0 "
    "FROM gone JOIN read AS new ON new.id = gone.heir WHERE gone.moved = 1 ORDER BY 3, 4",
    "removed": "SELECT source, source_key, '', '', 0 FROM gone WHERE moved = 0 ORDER BY 1, 2",
}
_WITHOUT_REMOVALS: tuple[Kind, ...] = ("added", "changed")
_ALL_ADDED = "SELECT source, source_key, '', '', chunks FROM read WHERE outcome = 'added' ORDER BY 1, 2"


def digest_of(content: object) -> str:
    """Return the hexadecimal SHA-256 of a value encoded as JSON. The value may contain dates."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=typed_json)
    return hashlib.sha256(text.encode()).hexdigest()


def content_sha256(document: Document) -> str:
    """Return the hexadecimal SHA-256 of a document's text, headings and metadata, without its title."""
    headings = [[h.start, h.level, h.text] for h in document.headings]
    content = [document.text, headings, dict(document.metadata)]
    return digest_of(content)


class Changes(Spool):
    """The documents that a run read, and the stored documents that it did not find.

    They are in a temporary file. Use the object in a `with` block.
    """

    def __init__(self) -> None:
        super().__init__(*_TABLES)

    def note_read(self, document: Identity, outcome: Outcome) -> None:
        self._table.execute(_READ, (*_columns(document), outcome, document.chunks))

    def was_read(self, id_: str) -> bool:
        found = self._table.execute("SELECT 1 FROM read WHERE id = ?", (bytes.fromhex(id_),))
        return found.fetchone() is not None

    def note_missing(self, document: Identity, *, kept: int | None = None) -> None:
        """Record a stored document whose file no longer exists.

        Args:
            kept: None if the document must be deleted. If it must be kept unless it moved, a number under which
                `find_moves` counts it.
        """
        self._table.execute(_GONE, (*_columns(document), kept))

    def find_moves(self) -> Counter[int]:
        """Pair each missing document with a new document of equal content, if there is one.

        If there are several, one with the same file name is preferred.

        If a missing document has no new counterpart, its heir is any document with equal content that was read. This
        matters after an interrupted run, which may already have stored the document at its new place.

        Returns:
            For each number passed to `note_missing`, how many documents are kept because they did not move.
        """
        if not self.removed:
            return Counter()
        for columns in _PREFERENCES:
            self._table.execute(_PAIR.format(columns=columns))
            for statement in _AS_PAIRED:
                self._table.execute(statement)
        unmoved = Counter(dict(self._table.execute(_UNMOVED)))
        self._table.execute("DELETE FROM gone WHERE kept IS NOT NULL AND moved = 0")
        self._table.execute("CREATE INDEX read_sha256 ON read (sha256, id)")
        self._table.execute(_HEIRS)
        return unmoved

    @property
    def removed(self) -> int:
        """Number of missing documents that did not move."""
        return self._count("SELECT count(*) FROM gone WHERE moved = 0")

    @property
    def moved(self) -> int:
        return self._count("SELECT count(*) FROM gone WHERE moved = 1")

    @property
    def moved_chunks(self) -> int:
        """Number of chunks of moved documents. Documents whose number of chunks is unknown count as 0."""
        return self._count("SELECT coalesce(sum(chunks), 0) FROM read WHERE taken = 1")

    def removals(self) -> Iterator[Removal]:
        """Yield all documents to delete, sorted by id. They include the old versions of moved documents."""
        for id_, heir in self._table.execute("SELECT id, heir FROM gone ORDER BY id"):
            yield Removal(id_.hex(), "" if heir is None else heir.hex())

    def listed(self, *, vanished: bool) -> Iterator[DocumentChange]:
        """Yield added, then changed, then moved, then removed documents. Each group is sorted by source.

        Args:
            vanished: True if missing documents are deleted. If False, a moved document counts as added, and no document
                as removed.
        """
        for kind in KINDS if vanished else _WITHOUT_REMOVALS:
            statement = _CHANGES[kind] if vanished or kind != "added" else _ALL_ADDED
            for source, key, old_source, old_key, chunks in self._table.execute(statement):
                before = origin(old_source, old_key) if kind == "moved" else ""
                yield DocumentChange(kind, origin(source, key), before, chunks)

    def without_annotations(self, items: Iterable[Loaded]) -> Iterator[Document | Link]:
        """Yield the documents and links among the items. Store the annotations, which `annotations` yields later."""
        for item in items:
            if not isinstance(item, Annotation):
                yield item
            else:
                found = json.dumps([item.source, item.source_key, item.entities, item.triples])
                self._table.execute("INSERT INTO annotations VALUES (?)", (found,))

    def annotations(self) -> Iterator[Annotation]:
        for (found,) in self._table.execute("SELECT found FROM annotations ORDER BY rowid"):
            source, key, entities, triples = json.loads(found)
            yield Annotation(source, key, tuple(entities), tuple((s, p, o) for s, p, o in triples))

    def _count(self, statement: str) -> int:
        (number,) = self._table.execute(statement).fetchone()
        return int(number)


def _columns(document: Identity) -> tuple[bytes, str, str, str, str, str | None]:
    name = f"{PurePosixPath(document.source).name}#{document.source_key}"
    return (
        bytes.fromhex(document.id),
        document.source,
        document.source_key,
        name,
        document.sha256,
        document.content or None,
    )
