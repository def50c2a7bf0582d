"""Corpora: named parts of one database that share nothing but the server."""

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
"""Prefix of the properties that hold `Corpus.systems`."""
UNITS = {"document": "documents", "chunk": "chunks", "entity": "entities"}
"""The units that systems build on, with the plurals of their counters."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus as stored in the graph.

    Attributes:
        label: what every node of the corpus carries, and the id of the corpus' own.
        version: rises with every committed change.
        analyzer: how its full-text index reads words.
        index_set: the number of its set of full-text indexes.
        embedder, dimension: of the vectors that are asked; "" and 0 before the first.
        embedding_property: where those vectors are.
        vector_index: the index over them, "" while they are few enough to be scanned.
        named_chunks: the number of chunks when the mentions stage last ran, -1 before it first did.
        named_by: the fingerprint of that stage, "" before.
        extracted_by: the fingerprint of the extractor that read every chunk which is not marked as unread, "" where
            there may be several.
        systems: what each system whose index the corpus has keeps of it, by the system's name.
        deletions: how many units of each kind were ever deleted: "document", "chunk", "entity".
        keep_boilerplate: whether blocks that most documents of a folder repeat are read like any other text.
        sectioned_by: the fingerprint by which the words of its sections were indexed, "" before.
        metadata_by: the fingerprint by which the values of its metadata were written as nodes, "" before.
        boilerplate_by: the rule by which the blocks of all documents were counted, "" before.
        name_edits: how many edits of names by hand were ever made; the number of the last one.
        vocabularies: how many times a vocabulary was loaded that changed something.
        disabled: how many documents are disabled.
        unfinished: the id of a new document that is being written in several transactions, or was when that was
            interrupted; "" for none.
        languages: those besides English that passages were ever loaded in, by their ISO codes.
        languages_read_by: how an extractor read each of these at last, as "de=…".
        embedder_name: the embedder that the corpus was switched to by name; "" where that of the settings is used.
        is_deleting: whether it is being deleted, or was when that was interrupted.
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
        """Whether names may be other than they are found: there were edits by hand, or vocabularies."""
        return bool(self.name_edits or self.vocabularies)

    @property
    def hides_documents(self) -> bool:
        """Whether there are passages of which nothing may be found: of disabled documents, or of an unfinished one."""
        return bool(self.disabled or self.unfinished)

    def check_embedder(self, embedder: Embedder) -> None:
        if not self.embedder or self.embedder == embedder.fingerprint:
            return
        raise EmbedderMismatch(
            f"Corpus {self.name!r} has vectors of dimension {self.dimension} by {self.embedder}; the embedder in use "
            f"is {embedder.fingerprint} with dimension {embedder.dimension}.",
            remedy="Use the corpus' own embedder (OVERSTORY_EMBEDDER, or from now on for this corpus "
            f"{index_command(self.name)} --embedder NAME), or change it: {index_command(self.name)} --re-embed, "
            "in Python index(re_embed=True).",
        )


@dataclass(frozen=True, slots=True, repr=False)
class CorpusSize:
    """A corpus with the number of its documents and chunks."""

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
    """The corpus of this name, created if missing, with its indexes online.

    Args:
        sectioned_by: of a new one, which has no sections that would have to be indexed first.
    """
    schema.prepare(graph)
    label = corpus_label(name)
    while True:
        rows = graph.run("corpus/create", label, name=name, analyzer=schema.ANALYZER, sectioned_by=sectioned_by)
        if rows:
            return corpus_from(rows[0]["corpus"])
        schema.create_sets(graph)


def count_deleted(tx: Transaction, corpus: Corpus, *, documents: int = 0, chunks: int = 0, entities: int = 0) -> None:
    """Adds to the counts of deleted units, in the transaction that deletes them: `Corpus.deletions`."""
    if documents or chunks or entities:
        tx.run("corpus/count_deleted", corpus.label, documents=documents, chunks=chunks, entities=entities)


def read_corpus(graph: GraphClient | Transaction, name: str, *, to_delete: bool = False) -> Corpus:
    """The corpus of this name.

    Args:
        to_delete: it may be one of which a part is deleted.

    Raises:
        CorpusNotFound: there is none.
        CorpusDeleting: a part of it is deleted.
    """
    run = graph.run if isinstance(graph, Transaction) else functools.partial(graph.run, read=True)
    rows = run("corpus/read", corpus_label(name))
    if rows and rows[0]["corpus"]:  # the server gives no properties of a node that is deleted meanwhile
        return corpus_of(rows[0], to_delete=to_delete)
    schema.refuse_others(schema.version_of(run("schema/read_version")))
    known = [row["name"] for row in run("corpus/names")]
    raise CorpusNotFound(
        f"There is no corpus {name!r}; " + (f"there are {', '.join(known)}." if known else "there is none at all."),
        remedy=f"Load something: overstory ingest PATH --corpus {shlex.quote(name)}, or Knowledge.ingest in Python.",
    )


def corpus_of(row: Row, *, to_delete: bool = False) -> Corpus:
    """The corpus in a row of `corpus/read`, or of another statement that reads one as that does.

    Raises:
        CorpusDeleting: a part of it is deleted, and it is not read `to_delete` the rest.
    """
    schema.refuse_others(row["schema"])
    return corpus_from(row["corpus"], to_delete=to_delete)


def corpus_from(properties: Row, *, to_delete: bool = False) -> Corpus:
    """The corpus whose node has these properties.

    Raises:
        CorpusDeleting: as `corpus_of`.
    """
    corpus = _corpus(properties)
    if corpus.is_deleting and not to_delete:
        raise CorpusDeleting(
            f"Corpus {corpus.name!r} is being deleted, or that was interrupted: a part of it is gone.",
            remedy=f"Delete the rest: {delete_command(corpus.name)}, in Python delete_corpus(). Then load it again.",
        )
    return corpus


def list_corpora(graph: GraphClient) -> list[CorpusSize]:
    """All corpora, by name."""
    schema.refuse_others(schema.schema_version(graph))
    return [
        CorpusSize(_corpus(row["corpus"]), documents=row["documents"], chunks=row["chunks"])
        for row in graph.run("corpus/list", read=True)
        if row["corpus"]
    ]


def _corpus(row: Row) -> Corpus:
    """The corpus of a node's properties, which are named as the fields but for the label."""
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
