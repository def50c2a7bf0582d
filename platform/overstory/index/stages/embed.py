"""The stage `embed`: it computes one vector per distinct text, and switches a corpus to another embedder.

All chunks with the same text, heading and title share one `PassageVector` node. Otherwise, equal vectors would fill
each other's neighbour lists in the vector index. Pending chunks have the label `Corpus_…_Unembedded`, so that a run
processes only what changed.

A vector node has two properties for vectors. `Corpus.embedding_property` names the one that searches use. To switch to
another embedder, the stage fills the other property and builds an index on it, while searches still use the first.
It then changes `Corpus.embedding_property`, and deletes the old vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from overstory.display import counted
from overstory.errors import ModelError
from overstory.graph import Corpus, Transaction, Writer, schema
from overstory.graph.client import Row
from overstory.graph.ids import passage_vector_id
from overstory.index.ledger import StageRun, corpus_counts, recorded
from overstory.model.passage_text import passage_text, squeezed
from overstory.protocols import Embedder, Progress, Vectors
from overstory.text.blocks import is_only_boilerplate
from overstory.vectors.packed import are_unit


def embedded_text(row: Mapping[str, Any]) -> str:
    """Return the text to embed for a chunk; "" if the chunk consists of boilerplate, so that it gets no vector.

    Args:
        row: the chunk's title, heading and text, and its boilerplate spans, if any.
    """
    spans: Sequence[int] = row.get("boilerplate") or ()
    if is_only_boilerplate((row["text"], row["heading"]), spans):
        return ""
    return passage_text(row["title"], row["heading"], squeezed(row["text"], spans))


def vector_of(label: str, row: Mapping[str, Any]) -> str | None:
    """Return the id of a chunk's vector, whether or not it is stored; None if the chunk gets no vector.

    Args:
        row: as for `embedded_text`.
    """
    text = embedded_text(row)
    return passage_vector_id(label, text) if text else None


_EMBEDDED_CHUNKS_A_BATCH = 256
"""Chunks that are embedded and written in one transaction. A killed process loses at most this work, about 4 s."""


def embed(writer: Writer, embedder: Embedder, *, progress: Progress) -> bool:
    """Embed the pending chunks. Each distinct text is embedded once. Return False if there was nothing to do."""
    corpus = writer.corpus
    corpus.check_embedder(embedder)
    _drop_other_vectors(writer, corpus)
    counts = corpus_counts(writer.graph, corpus.label)
    if not corpus.embedder and counts.chunks:
        writer.set(embedder=embedder.fingerprint, dimension=embedder.dimension)
    if counts.unembedded:
        _embed_new(writer, embedder, corpus.embedding_property, counts.unembedded, progress)
    return counts.unembedded > 0


def begin_vector_index(writer: Writer, *, dimension: int) -> bool:
    """Start to build the vector index if the corpus is large enough to need one; otherwise drop it.

    Searches compare all vectors until the index is online.

    Returns:
        True if the index is still being built, so that `sync_vectors` must wait for it.
    """
    graph, corpus = writer.graph, writer.corpus
    vectors = corpus_counts(graph, corpus.label).vectors
    name, online = schema.begin_vector_index(
        graph, corpus.label, corpus.embedding_property, vectors=vectors, dimension=dimension
    )
    usable = name if online else ""
    if usable != corpus.vector_index:
        writer.set(vector_index=usable)
    return not online


def sync_vectors(writer: Writer, *, dimension: int, progress: Progress | None = None) -> None:
    """Create the vector index, and wait until it is online; or drop it if the corpus is too small to need one."""
    corpus = writer.corpus
    index = _settle(writer, dimension, corpus.embedding_property, progress)
    if index != corpus.vector_index:
        writer.set(vector_index=index)


def re_embed(writer: Writer, embedder: Embedder, *, name: str = "", progress: Progress) -> bool:
    """Replace the corpus's vectors with vectors of another embedder. Return False if there was nothing to do.

    Searches use the old vectors until all new vectors and their index exist. Chunks that have no vector yet are
    embedded last. After an interruption, the same call continues.

    Args:
        name: name of the embedder to which the corpus is switched permanently; "" for the configured embedder.
    """
    corpus = writer.corpus
    if corpus.embedder in ("", embedder.fingerprint):
        if corpus.embedder_name != name:
            writer.set(embedder_name=name or None, embedder=embedder.fingerprint, dimension=embedder.dimension)
        return embed(writer, embedder, progress=progress)
    target = _other(corpus)
    if writer.properties.get("embedder_to_come") != embedder.fingerprint:  # an earlier switch may have been abandoned
        _drop_vectors(writer, corpus.label, target)
        writer.set(embedder_to_come=embedder.fingerprint, vectors_to_drop=None)
    (missing,) = writer.graph.run("ingest/count_without_vector", corpus.label, read=True, property=target)
    if missing["vectors"]:
        _embed_again(writer, embedder, target, missing["chunks"], progress)
    index = _settle(writer, embedder.dimension, target, progress)
    writer.set(
        embedder=embedder.fingerprint,
        dimension=embedder.dimension,
        embedding_property=target,
        vector_index=index,
        embedder_name=name or None,
        embedder_to_come=None,
        vectors_to_drop=corpus.embedding_property,
    )
    embed(writer, embedder, progress=progress)
    return True


def _embed_new(writer: Writer, embedder: Embedder, embedding_property: str, missing: int, progress: Progress) -> None:
    graph, label = writer.graph, writer.corpus.label
    progress.start("embed", missing, "chunks")
    with recorded(writer, "embed", embedder.fingerprint, of=("chunks", missing)) as run:
        while rows := graph.run("ingest/chunks_to_embed", label, read=True, limit=_EMBEDDED_CHUNKS_A_BATCH):
            texts = {row["id"]: embedded_text(row) for row in rows}
            vectors = {id_: passage_vector_id(label, text) if text else None for id_, text in texts.items()}
            wanted = {vector: row for row in rows if (vector := vectors[row["id"]]) is not None}
            new = _embedded(writer, embedder, embedding_property, wanted, run)
            joined: list[Row] = [{"id": id_, "vector": vector} for id_, vector in vectors.items()]

            def write(tx: Transaction, new: list[Row] = new, joined: list[Row] = joined) -> None:
                write_vectors(tx, label, embedding_property, new, joined)

            writer.commit("embed", write)
            run.count("chunks", len(rows))
            progress.advance(len(rows))
        progress.finish(_done(run, embedder))


def _embed_again(writer: Writer, embedder: Embedder, embedding_property: str, missing: int, progress: Progress) -> None:
    graph, label = writer.graph, writer.corpus.label
    progress.start("embed", missing, "chunks")
    with recorded(writer, "embed", embedder.fingerprint, of=("chunks", missing)) as run:
        for rows in graph.pages(
            "ingest/chunks_without_vector", label, size=_EMBEDDED_CHUNKS_A_BATCH, property=embedding_property
        ):
            wanted = {row["vector"]: row for row in rows}
            new = _embedded(writer, embedder, embedding_property, wanted, run)

            def write(tx: Transaction, new: list[Row] = new) -> None:
                write_vectors(tx, label, embedding_property, new)

            writer.commit("embed", write)
            run.count("chunks", len(rows))
            progress.advance(len(rows))
        progress.finish(_done(run, embedder))


def _embedded(
    writer: Writer, embedder: Embedder, embedding_property: str, wanted: dict[str, Row], run: StageRun
) -> list[Row]:
    """Embed the texts whose vectors are missing, and return rows for `write_vectors`.

    Args:
        wanted: for each vector id, a chunk with the text to embed.
    """
    label = writer.corpus.label
    rows = writer.graph.run("ingest/known_vectors", label, read=True, ids=list(wanted), property=embedding_property)
    known = {row["id"] for row in rows}
    new = {id_: row for id_, row in wanted.items() if id_ not in known}
    if not new:
        return []
    vectors = embedder.embed([embedded_text(row) for row in new.values()])
    check_vectors(vectors, len(new), embedder)
    run.count("vectors", len(new))
    run.tokens += sum(row["token_count"] for row in new.values())
    return [{"id": id_, "vector": vector.tolist()} for id_, vector in zip(new, vectors, strict=True)]


def write_vectors(
    tx: Transaction, label: str, embedding_property: str, new: Sequence[Row], joined: Sequence[Row] = ()
) -> None:
    """Store vectors, and connect chunks to them.

    Args:
        new: one row per vector to store: `id` (from `ids.passage_vector_id`) and `vector`.
        joined: one row per chunk: `id` of the chunk, and `vector`, the id of its vector, or None if it gets none.
    """
    if new:
        tx.run("ingest/write_vectors", label, property=embedding_property, rows=new)
    if joined:
        tx.run("ingest/join_vectors", label, rows=joined)


def _done(run: StageRun, embedder: Embedder) -> str:
    vectors, chunks = run.counts.get("vectors", 0), run.counts.get("chunks", 0)
    return f"{counted(vectors, 'vector')} of dimension {embedder.dimension} for {counted(chunks, 'chunk')}"


def check_vectors(vectors: Vectors, rows: int, embedder: Embedder) -> None:
    """Check that an embedder returned unit vectors of the right dimension, because the server indexes no others.

    Raises:
        ModelError: the shape of the array is not (rows, dimension), or a vector is not of unit length.
    """
    if vectors.shape != (rows, embedder.dimension):
        raise ModelError(
            f"{embedder.fingerprint} returned an array of shape {vectors.shape} for {rows} texts, expected "
            f"{(rows, embedder.dimension)}.",
            remedy="The embedder is broken, or its model changed under the same name: check OVERSTORY_EMBEDDER.",
        )
    if not are_unit(vectors):
        raise ModelError(
            f"{embedder.fingerprint} returned a vector that is not of unit length.",
            remedy="The embedder is broken: check OVERSTORY_EMBEDDER.",
        )


def _settle(writer: Writer, dimension: int, embedding_property: str, progress: Progress | None) -> str:
    graph, label = writer.graph, writer.corpus.label
    vectors = corpus_counts(graph, label).vectors
    return schema.sync_vector_index(
        graph, label, embedding_property, vectors=vectors, dimension=dimension, progress=progress
    )


def _other(corpus: Corpus) -> str:
    first, second = schema.PROPERTIES
    return second if corpus.embedding_property == first else first


def _drop_other_vectors(writer: Writer, corpus: Corpus) -> None:
    """If a switch to another embedder was interrupted or abandoned, delete the vectors that searches do not use."""
    if writer.properties.keys() & {"embedder_to_come", "vectors_to_drop"}:
        _drop_vectors(writer, corpus.label, _other(corpus))
        writer.set(embedder_to_come=None, vectors_to_drop=None)


def _drop_vectors(writer: Writer, label: str, embedding_property: str) -> None:
    schema.drop_vector_index(writer.graph, label, embedding_property)
    writer.graph.run_in_batches("ingest/remove_vectors", label, property=embedding_property)
