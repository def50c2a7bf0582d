"""The sentences stage, off unless it is asked for: a vector for every sentence that says a name which a chunk is about.

Only such sentences lead anywhere (`overstory.retrieve.canopy`). `Corpus.sentence_embedder` says whether a corpus is to
have them, and by which embedder. A chunk that is finished has their number in `sentence_vectors`; the names stage,
which sees every change of a chunk, of its sentences and of the names in it, takes that away again. A sentence that is
still there, at whatever place, keeps its vector.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from overstory.graph import Corpus, GraphClient, Transaction, Writer, read_corpus
from overstory.graph.client import Row
from overstory.graph.ids import sentence_id
from overstory.index.embedding import check_vectors
from overstory.index.ledger import forget, recorded
from overstory.protocols import Embedder, Progress
from overstory.text.sentences import sentence_texts

STAGE = "sentences"
CHUNKS_A_BATCH = 100
"""What a kill may cost: about four seconds of embedding. Also one write transaction."""


def settle_sentences(writer: Writer, embedder: Embedder, *, wanted: bool | None, progress: Progress) -> bool:
    """Brings the sentence vectors up to date, or removes them; False if there was nothing to do.

    Args:
        wanted: whether the corpus is to have them; None leaves that as it is.

    Raises:
        ModelError: the embedder gave something else than vectors.
        LeaseLost, DatabaseError: what was committed before stays, and the same call goes on from there.
    """
    corpus = read_corpus(writer.graph, writer.corpus.name)
    if wanted is False:
        return _remove(writer, corpus)
    if not wanted and not corpus.sentence_embedder:
        return False
    if corpus.sentence_embedder != embedder.fingerprint:
        writer.graph.run_in_batches("ingest/remove_all_sentences", writer.corpus.label)
        writer.set(sentence_embedder=embedder.fingerprint)
    pending: int = _state(writer.graph, writer.corpus.label)["pending"]
    if pending:
        _fill(writer, embedder, pending, progress)
    return pending > 0


def sentences_to_do(graph: GraphClient, corpus: Corpus) -> int:
    """How many chunks the stage would look at, in a corpus that has sentence vectors."""
    state = _state(graph, corpus.label)
    return int(state["pending"] if corpus.sentence_embedder == corpus.embedder else state["chunks"])


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence that is to have a vector. `text` is what is embedded: white space does not count."""

    id: str
    chunk: str
    seq: int
    text: str


def _fill(writer: Writer, embedder: Embedder, pending: int, progress: Progress) -> None:
    label = writer.corpus.label
    progress.start(STAGE, pending, "chunks")
    with recorded(writer, STAGE, embedder.fingerprint) as run:
        for rows in writer.graph.pages("ingest/chunks_without_sentences", label, size=CHUNKS_A_BATCH):
            sentences = [sentence for row in rows for sentence in _wanted(row)]
            stored = {id_ for row in rows for id_ in row["stored"]}
            new = [sentence for sentence in sentences if sentence.id not in stored]
            gone = sorted(stored.difference(sentence.id for sentence in sentences))
            vectors = dict(zip((s.id for s in new), _embedded([s.text for s in new], embedder), strict=True))
            written = [{"id": s.id, "chunk": s.chunk, "seq": s.seq, "vector": vectors.get(s.id)} for s in sentences]
            numbers = Counter(sentence.chunk for sentence in sentences)
            finished = [{"chunk": row["id"], "number": numbers[row["id"]]} for row in rows]

            def write(
                tx: Transaction,
                gone: list[str] = gone,
                written: list[Row] = written,
                finished: list[Row] = finished,
            ) -> None:
                tx.run("ingest/remove_sentences", label, ids=gone)
                tx.run("ingest/write_sentences", label, label=label, rows=written)
                tx.run("ingest/finish_sentences", label, rows=finished)

            writer.commit(STAGE, write)
            run.count("chunks", len(rows))
            run.count("vectors", len(new))
            run.count("removed", len(gone))
            run.tokens += sum(embedder.count_tokens([sentence.text for sentence in new]))
            progress.advance(len(rows))
    progress.finish(f"{run.counts.get('vectors', 0)} vectors of dimension {embedder.dimension}")


def _embedded(texts: list[str], embedder: Embedder) -> list[list[float]]:
    if not texts:
        return []
    vectors = embedder.embed(texts)
    check_vectors(vectors, len(texts), embedder)
    rows: list[list[float]] = vectors.tolist()
    return rows


def _wanted(row: Row) -> Iterator[_Sentence]:
    """The sentences of a chunk that are to have a vector. Equal ones are told apart by their order."""
    starts: list[int] = row["starts"] or [0]
    wanted = set(row["wanted"])
    seen: Counter[str] = Counter()
    for seq, sentence in enumerate(sentence_texts(row["text"], starts)):
        text = " ".join(sentence.split())
        if seq in wanted and text:
            yield _Sentence(sentence_id(row["id"], text, seen[text]), row["id"], seq, text)
        seen[text] += 1


def _remove(writer: Writer, corpus: Corpus) -> bool:
    state = _state(writer.graph, corpus.label)
    if not corpus.sentence_embedder and not state["sentences"]:
        return False
    writer.set(sentence_embedder=None)  # first: no reader shall find some of them
    writer.graph.run_in_batches("ingest/remove_all_sentences", corpus.label)
    forget(writer, STAGE)
    return True


def _state(graph: GraphClient, label: str) -> Row:
    (state,) = graph.run("ingest/sentences_state", label, read=True)
    return state
