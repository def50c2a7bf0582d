"""Changes of a run of `ingest`: its documents are compared with those that are stored, and changes are noted.

The run notes each document that it reads, and each stored one of the same paths that it did not read; then moves are
told from additions and removals by their content. Everything is in a temporary SQLite file, deleted at the end, so that
memory does not grow with the number of documents.
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

# Documents that are read, compared with those that are stored: which are new, and what changed of the others.
#
# No digest of the text alone is stored: whether it is the same follows from the digest of the whole and the metadata
# that are stored, so that this also holds for documents that an earlier version loaded.


@dataclass(frozen=True, slots=True)
class LoadTarget:
    """The corpus that documents are loaded into.

    Attributes:
        label: of the corpus, also if it does not exist yet.
        writer: None for a preview, which writes nothing.
    """

    graph: GraphClient
    label: str
    exists: bool
    writer: Writer | None = None

    @classmethod
    def of(cls, writer: Writer) -> LoadTarget:
        return cls(writer.graph, writer.corpus.label, True, writer)

    def known(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return rows of `ingest/known_documents` by id."""
        if not self.exists:
            return {}
        rows = self.graph.run("ingest/known_documents", self.label, read=True, ids=list(ids))
        return {row["id"]: row for row in rows}


@dataclass(frozen=True, slots=True)
class ComparedDocuments:
    """Documents, and what is stored of them, by their ids.

    Attributes:
        shas: by which a changed one is known.
        known: rows of `ingest/known_documents`.
        described: the properties of those that are stored with other metadata, and otherwise as they are.
    """

    documents: Mapping[str, Document]
    shas: Mapping[str, str]
    known: Mapping[str, Row]
    outcomes: Mapping[str, Outcome]
    described: Mapping[str, Row]

    def is_new_text(self, id_: str) -> bool:
        """Whether a document is to be cut into chunks."""
        return self.outcomes[id_] != "unchanged" and id_ not in self.described

    def is_written(self, id_: str) -> bool:
        return self.outcomes[id_] != "unchanged" or id_ in self.described


def compared(target: LoadTarget, batch: Iterable[Document]) -> ComparedDocuments:
    """Compare documents with those that are stored."""
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
    """Whether a stored document has the same text, so that only its metadata changed; a page is one of its chunks' too,
    and in another language it is read in another way.

    Its digest says so: it is that of the document with the metadata that are stored.
    """
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
    """Detects a changed document: hexadecimal SHA-256 over its title, text, headings and metadata."""
    headings = [[h.start, h.level, h.text] for h in document.headings]
    return digest_of([document.title, document.text, headings, dict(document.metadata)])


Kind = Literal["added", "changed", "moved", "removed"]
KINDS: tuple[Kind, ...] = ("added", "changed", "moved", "removed")

Outcome = Literal["added", "changed", "unchanged"]


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """What a run of `ingest` did to a document, or would do.

    Attributes:
        origin: the document's source, with its key if it has one.
        before: its origin before it moved; "" if it did not.
        chunks: of a preview, into how many passages a document that is new or changed is cut; else 0.
    """

    kind: Kind
    origin: str
    before: str = ""
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class Identity:
    """A document as changes know it.

    Attributes:
        id: 32 hexadecimal digits.
        sha256: of all its content.
        content: the SHA-256 of all but its title, which may come from a file's name; "" if unknown.
        chunks: how many it is cut into; 0 if unknown.
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
        heir: the id of a document of the run with equal content, which takes over vectors and extractions; "" if none.
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

# The nth vanished document of a content is the nth new one of it, in order of their origins.
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
    """Hexadecimal SHA-256 over JSON, in which dates may stand."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=typed_json)
    return hashlib.sha256(text.encode()).hexdigest()


def content_sha256(document: Document) -> str:
    """Recognises a document whose title changed: hexadecimal SHA-256 over its text, headings and metadata."""
    headings = [[h.start, h.level, h.text] for h in document.headings]
    content = [document.text, headings, dict(document.metadata)]
    return digest_of(content)


class Changes(Spool):
    """The documents of a run, and the stored ones that it did not find again. Use it in a `with` block."""

    def __init__(self) -> None:
        super().__init__(*_TABLES)

    def note_read(self, document: Identity, outcome: Outcome) -> None:
        """Notes a document that the run read."""
        self._table.execute(_READ, (*_columns(document), outcome, document.chunks))

    def was_read(self, id_: str) -> bool:
        """Whether the run read the document with this id."""
        found = self._table.execute("SELECT 1 FROM read WHERE id = ?", (bytes.fromhex(id_),))
        return found.fetchone() is not None

    def note_missing(self, document: Identity, *, kept: int | None = None) -> None:
        """Notes a stored document that is no longer there to read.

        Args:
            kept: it is gone only if it moved; a number by which `find_moves` counts those that did not.
        """
        self._table.execute(_GONE, (*_columns(document), kept))

    def find_moves(self) -> Counter[int]:
        """Pairs vanished documents with new ones of equal content, of equal names first; each is in one pair at most.
        How many of those that are gone only if they moved did not, by their numbers; they are no longer gone.

        A vanished document without a pair leaves what was found in it to any document with all of its content: in a run
        that was interrupted after the move was written, the new one is no longer new.
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
        """How many documents vanished and did not move."""
        return self._count("SELECT count(*) FROM gone WHERE moved = 0")

    @property
    def moved(self) -> int:
        return self._count("SELECT count(*) FROM gone WHERE moved = 1")

    @property
    def moved_chunks(self) -> int:
        """How many chunks the documents have that moved, as far as `Identity.chunks` says it."""
        return self._count("SELECT coalesce(sum(chunks), 0) FROM read WHERE taken = 1")

    def removals(self) -> Iterator[Removal]:
        """All documents to delete, those that moved among them, by id."""
        for id_, heir in self._table.execute("SELECT id, heir FROM gone ORDER BY id"):
            yield Removal(id_.hex(), "" if heir is None else heir.hex())

    def listed(self, *, vanished: bool) -> Iterator[DocumentChange]:
        """Every change: what was added, changed, moved and removed, each in order of sources.

        Args:
            vanished: whether documents that vanished are removed; if not, what would have moved was added.
        """
        for kind in KINDS if vanished else _WITHOUT_REMOVALS:
            statement = _CHANGES[kind] if vanished or kind != "added" else _ALL_ADDED
            for source, key, old_source, old_key, chunks in self._table.execute(statement):
                before = origin(old_source, old_key) if kind == "moved" else ""
                yield DocumentChange(kind, origin(source, key), before, chunks)

    def without_annotations(self, items: Iterable[Loaded]) -> Iterator[Document | Link]:
        """The documents and links; annotations are kept until `annotations` is called."""
        for item in items:
            if not isinstance(item, Annotation):
                yield item
            else:
                found = json.dumps([item.source, item.source_key, item.entities, item.triples])
                self._table.execute("INSERT INTO annotations VALUES (?)", (found,))

    def annotations(self) -> Iterator[Annotation]:
        """The annotations that were kept, in their order."""
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
