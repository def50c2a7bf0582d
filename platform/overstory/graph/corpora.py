"""Corpora, which are named and independent parts of one database."""

from __future__ import annotations

import datetime
import functools
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from overstory.display import counted, delete_command, index_command
from overstory.errors import CorpusDeleting, CorpusNotFound, EmbedderMismatch
from overstory.graph import schema
from overstory.graph.client import GraphClient, Row, Transaction
from overstory.graph.ids import corpus_label
from overstory.protocols import Embedder

SYSTEM = "system_"
"""Prefix of the properties of a corpus node that store `Corpus.systems`."""
UNITS = {"document": "documents", "chunk": "chunks", "entity": "entities"}
"""Units that systems index, each with the plural used in the names of counters."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The properties of a corpus in the graph.

    Attributes:
        label: label of every node of the corpus. It is also the id of the corpus node.
        version: number that increases with every committed change.
        index_set: number of the set of full-text indexes that the corpus uses.
        embedder: fingerprint of the embedder that computed the searched vectors; "" before the first vector.
        dimension: dimension of the searched vectors; 0 before the first vector.
        embedding_property: node property that stores the searched vectors.
        vector_index: name of the index over the searched vectors; "" if a search scans all vectors because there are
            few.
        named_chunks: number of chunks when the mentions stage last ran; -1 before its first run.
        named_by: fingerprint of the mentions stage when it last ran; "" before its first run.
        extracted_by: fingerprint of the extractor that read all chunks, except those marked as unread; "" if several
            extractors may have read them.
        systems: state of each system that has an index in this corpus, by system name.
        deletions: number of units deleted so far, by kind: "document", "chunk", "entity".
        keep_boilerplate: False if blocks of text that most documents of a folder repeat are ignored.
        sectioned_by: fingerprint with which the words of sections were last indexed; "" before.
        metadata_by: fingerprint with which metadata values were last written as nodes; "" before.
        boilerplate_by: fingerprint of the rule by which the blocks of all documents were counted; "" before.
        name_edits: number of manual edits of entities made so far, including edits that were undone.
        vocabularies: number of times that loading a vocabulary changed the corpus.
        disabled: number of disabled documents.
        unfinished: id of a new document that is being written in several transactions, or whose writing was
            interrupted; "" otherwise.
        languages: ISO codes of all languages, except English, in which passages have been loaded.
        languages_read_by: how the extractor last read each of these languages, as "de=…".
        embedder_name: name of the embedder to which the corpus was switched; "" for the configured embedder.
        is_deleting: True if the corpus is being deleted, or its deletion was interrupted.
    """

    name: str
    label: str
    created: datetime.datetime
    version: int
    analyzer: str
    index_set: int
    embedder: str
    dimension: int
    embedding_property: str
    vector_index: str
    named_chunks: int
    named_by: str
    extracted_by: str = ""
    systems: Mapping[str, str] = field(default_factory=dict)
    deletions: Mapping[str, int] = field(default_factory=dict)
    keep_boilerplate: bool = False
    sectioned_by: str = ""
    metadata_by: str = ""
    boilerplate_by: str = ""
    name_edits: int = 0
    vocabularies: int = 0
    disabled: int = 0
    unfinished: str = ""
    languages: tuple[str, ...] = ()
    languages_read_by: tuple[str, ...] = ()
    embedder_name: str = ""
    is_deleting: bool = False

    @property
    def edits_names(self) -> bool:
        """True if manual edits or loaded vocabularies may have changed entities."""
        return bool(self.name_edits or self.vocabularies)

    @property
    def hides_documents(self) -> bool:
        """True if the corpus contains documents that searches must skip: disabled or unfinished documents."""
        return bool(self.disabled or self.unfinished)

    def check_embedder(self, embedder: Embedder) -> None:
        if not self.embedder or self.embedder == embedder.fingerprint:
            return
        raise EmbedderMismatch(
            f"Corpus {self.name!r} has vectors of dimension {self.dimension} from {self.embedder}; the current one "
            f"is {embedder.fingerprint} with dimension {embedder.dimension}.",
            remedy="Use the embedder of the corpus (OVERSTORY_EMBEDDER, or permanently for this corpus "
            f"{index_command(self.name)} --embedder NAME), or embed it again: {index_command(self.name)} --re-embed, "
            "in Python index(re_embed=True).",
        )


@dataclass(frozen=True, slots=True, repr=False)
class CorpusSize:
    """A corpus, with the number of its documents and the number of its chunks."""

    corpus: Corpus
    documents: int
    chunks: int

    def __repr__(self) -> str:
        return (
            f"<CorpusSize {self.corpus.name!r}: {counted(self.documents, 'document')}, {counted(self.chunks, 'chunk')}"
            f"{', being deleted' if self.corpus.is_deleting else ''}>"
        )


_BEFORE_AN_INDEX: Row = {"embedder": "", "dimension": 0, "vector_index": "", "named_chunks": -1, "named_by": ""}


def create_corpus(graph: GraphClient, name: str, *, sectioned_by: str = "") -> Corpus:
    """Return the corpus with this name. If it does not exist, create it and wait until its indexes are online.

    Args:
        sectioned_by: value of `Corpus.sectioned_by` for a new corpus, which contains no sections yet.
    """
    schema.prepare(graph)
    label = corpus_label(name)
    while True:
        rows = graph.run("corpus/create", label, name=name, analyzer=schema.ANALYZER, sectioned_by=sectioned_by)
        if rows:
            return corpus_from(rows[0]["corpus"])
        schema.create_sets(graph)


def count_deleted(tx: Transaction, corpus: Corpus, *, documents: int = 0, chunks: int = 0, entities: int = 0) -> None:
    """Add to the counts in `Corpus.deletions`. Call this in the transaction that deletes the units."""
    if documents or chunks or entities:
        tx.run("corpus/count_deleted", corpus.label, documents=documents, chunks=chunks, entities=entities)


def read_corpus(graph: GraphClient | Transaction, name: str, *, to_delete: bool = False) -> Corpus:
    """Read the corpus with this name.

    Args:
        to_delete: True to return a partly deleted corpus instead of raising an error.

    Raises:
        CorpusNotFound: the corpus does not exist.
        CorpusDeleting: the corpus is partly deleted, and `to_delete` is False.
    """
    run = graph.run if isinstance(graph, Transaction) else functools.partial(graph.run, read=True)
    rows = run("corpus/read", corpus_label(name))
    if rows and rows[0]["corpus"]:  # it is empty if another process has just deleted the node
        return corpus_of(rows[0], to_delete=to_delete)
    schema.refuse_others(schema.version_of(run("schema/read_version")))
    known = [row["name"] for row in run("corpus/names")]
    raise CorpusNotFound(
        f"There is no corpus {name!r}; " + (f"there are {', '.join(known)}." if known else "the database has none."),
        remedy=f"Load documents: overstory ingest PATH --corpus {shlex.quote(name)}, in Python Knowledge.ingest.",
    )


def corpus_of(row: Row, *, to_delete: bool = False) -> Corpus:
    """Return the corpus that is described by a row of `corpus/read`, or of a statement with the same columns.

    Raises:
        CorpusDeleting: the corpus is partly deleted, and `to_delete` is False.
    """
    schema.refuse_others(row["schema"])
    return corpus_from(row["corpus"], to_delete=to_delete)


def corpus_from(properties: Row, *, to_delete: bool = False) -> Corpus:
    """Return the corpus that the properties of a corpus node describe.

    Raises:
        CorpusDeleting: the corpus is partly deleted, and `to_delete` is False.
    """
    corpus = _corpus(properties)
    if corpus.is_deleting and not to_delete:
        raise CorpusDeleting(
            f"Corpus {corpus.name!r} is being deleted, or its deletion was interrupted.",
            remedy=f"Delete the rest: {delete_command(corpus.name)}, in Python delete_corpus(). Then load it again.",
        )
    return corpus


def list_corpora(graph: GraphClient) -> list[CorpusSize]:
    schema.refuse_others(schema.schema_version(graph))
    return [
        CorpusSize(_corpus(row["corpus"]), documents=row["documents"], chunks=row["chunks"])
        for row in graph.run("corpus/list", read=True)
        if row["corpus"]
    ]


def _corpus(row: Row) -> Corpus:
    """Convert the properties of a corpus node. They have the same names as the fields, except `label`."""
    values: dict[str, Any] = {
        **_BEFORE_AN_INDEX,
        **{each.name: row[each.name] for each in fields(Corpus) if each.name in row},
        "label": row["corpus"],
        "created": row["created"].to_native(),
        "systems": {name.removeprefix(SYSTEM): value for name, value in row.items() if name.startswith(SYSTEM)},
        "deletions": {unit: row.get(f"deleted_{plural}", 0) for unit, plural in UNITS.items()},
        "languages": tuple(row.get("languages", ())),
        "languages_read_by": tuple(row.get("languages_read_by", ())),
    }
    return Corpus(**values)
