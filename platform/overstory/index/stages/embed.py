"""The embed stage: a vector for every chunk, and the change from one embedder to another without a gap.

Vectors live in one of two properties; `Corpus.embedding_property` says which is searched. A second embedder fills the
other one and its index while readers stay on the first, one property switches them, then the old vectors go.
"""

from __future__ import annotations

from overstory.errors import ModelError
from overstory.graph import Corpus, GraphClient, Transaction, Writer, read_corpus, schema
from overstory.graph.client import Row
from overstory.index.ledger import recorded
from overstory.model.passage_text import passage_text
from overstory.protocols import Embedder, Progress, Vectors

CHUNKS_A_BATCH = 256
"""Most work lost in a kill: about four seconds of embedding. Also one write transaction."""


def embed(writer: Writer, embedder: Embedder, *, progress: Progress) -> bool:
    """Embeds what has no vector yet; False if there was nothing to do.

    Raises:
        EmbedderMismatch: the corpus has another embedder's vectors; nothing was written.
        ModelError: the embedder gave something else than vectors.
        LeaseLost, DatabaseError: what was committed before stays, and the same call goes on from there.
    """
    corpus = read_corpus(writer.graph, writer.corpus.name)
    corpus.check_embedder(embedder)
    _drop_other_vectors(writer, corpus)
    chunks, missing = _missing(writer.graph, corpus.label, corpus.embedding_property)
    if not corpus.embedder and chunks:
        writer.set(embedder=embedder.fingerprint, dimension=embedder.dimension)
    if missing:
        _fill(writer, embedder, corpus.embedding_property, missing, progress)
    sync_vectors(writer, embedder)
    return missing > 0


def sync_vectors(writer: Writer, embedder: Embedder) -> None:
    """Gives the corpus a vector index, or takes it away, depending on its size."""
    corpus = read_corpus(writer.graph, writer.corpus.name)
    chunks, _ = _missing(writer.graph, corpus.label, corpus.embedding_property)
    index = _settle(writer, embedder, corpus.embedding_property, chunks)
    if index != corpus.vector_index:
        writer.set(vector_index=index)


def re_embed(writer: Writer, embedder: Embedder, *, progress: Progress) -> bool:
    """Replaces the corpus' vectors with another embedder's; False if it has these already.

    Readers use the old vectors until all new ones and their index are there. Interrupted, it resumes where it stopped.

    Raises:
        ModelError, LeaseLost, DatabaseError: as `embed`; readers are still on the old vectors.
    """
    corpus = read_corpus(writer.graph, writer.corpus.name)
    if corpus.embedder in ("", embedder.fingerprint):
        return embed(writer, embedder, progress=progress)
    target = _other(corpus)
    (row,) = writer.graph.run("corpus/read", read=True, id=corpus.id)
    if row["corpus"].get("embedder_to_come") != embedder.fingerprint:  # leftovers of a third embedder
        _drop_vectors(writer, corpus.label, target)
        writer.set(embedder_to_come=embedder.fingerprint)
    chunks, missing = _missing(writer.graph, corpus.label, target)
    if missing:
        _fill(writer, embedder, target, missing, progress)
    index = _settle(writer, embedder, target, chunks)
    writer.set(
        embedder=embedder.fingerprint,
        dimension=embedder.dimension,
        embedding_property=target,
        vector_index=index,
        embedder_to_come=None,
    )
    _drop_vectors(writer, corpus.label, corpus.embedding_property)
    return True


def _fill(writer: Writer, embedder: Embedder, embedding_property: str, missing: int, progress: Progress) -> None:
    label = writer.corpus.label
    progress.start("embed", missing, "chunks")
    with recorded(writer, "embed", embedder.fingerprint, of=("chunks", missing)) as run:
        for rows in writer.graph.pages(
            "ingest/chunks_without_vector", label, size=CHUNKS_A_BATCH, property=embedding_property
        ):
            vectors = embedder.embed([passage_text(row["title"], row["heading"], row["text"]) for row in rows])
            check_vectors(vectors, len(rows), embedder)
            vector_rows = [{"id": row["id"], "vector": v.tolist()} for row, v in zip(rows, vectors, strict=True)]

            def write(tx: Transaction, vector_rows: list[Row] = vector_rows) -> None:
                tx.run("ingest/write_vectors", label, property=embedding_property, rows=vector_rows)

            writer.commit("embed", write)
            run.count("chunks", len(rows))
            run.tokens += sum(row["token_count"] for row in rows)
            progress.advance(len(rows))
    progress.finish(f"{run.counts.get('chunks', 0)} vectors of dimension {embedder.dimension}")


def check_vectors(vectors: Vectors, rows: int, embedder: Embedder) -> None:
    """A vector of another length would be stored, and silently not be indexed.

    Raises:
        ModelError: these are not as many vectors of the embedder's dimension.
    """
    if vectors.shape != (rows, embedder.dimension):
        raise ModelError(
            f"{embedder.fingerprint} gave an array of shape {vectors.shape} for {rows} texts, not "
            f"{(rows, embedder.dimension)}.",
            remedy="The embedder is broken, or its model changed behind the same name: check OVERSTORY_EMBEDDER.",
        )


def _settle(writer: Writer, embedder: Embedder, embedding_property: str, chunks: int) -> str:
    return schema.sync_vector_index(
        writer.graph, writer.corpus.label, embedding_property, chunks=chunks, dimension=embedder.dimension
    )


def _missing(graph: GraphClient, label: str, embedding_property: str) -> tuple[int, int]:
    (row,) = graph.run("ingest/count_without_vector", label, read=True, property=embedding_property)
    return row["chunks"], row["missing"]


def _other(corpus: Corpus) -> str:
    first, second = schema.PROPERTIES
    return second if corpus.embedding_property == first else first


def _drop_other_vectors(writer: Writer, corpus: Corpus) -> None:
    """Completes an interrupted switch, and drops an abandoned change of embedders."""
    (row,) = writer.graph.run("corpus/read", read=True, id=corpus.id)
    chunks, missing = _missing(writer.graph, corpus.label, _other(corpus))
    if chunks > missing or "embedder_to_come" in row["corpus"]:
        _drop_vectors(writer, corpus.label, _other(corpus))
        writer.set(embedder_to_come=None)


def _drop_vectors(writer: Writer, label: str, embedding_property: str) -> None:
    schema.drop_vector_index(writer.graph, label, embedding_property)
    writer.graph.run_in_batches("ingest/remove_vectors", label, property=embedding_property)
