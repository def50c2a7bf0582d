"""Rows of the graph as hits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.model import Hit, Reason


def hit(row: Row, reasons: tuple[Reason, ...]) -> Hit:
    """A row of a `retrieve/…` statement as a hit."""
    return Hit(
        chunk_id=row["chunk_id"],
        document_id=row["document_id"],
        source=row["source"],
        source_key=row["source_key"],
        title=row["title"],
        heading=row["heading"],
        text=row["text"],
        score=row["score"],
        reasons=reasons,
    )


def chunk_rows(tx: Transaction, corpus: Corpus, ids: Iterable[str]) -> dict[str, Row]:
    """Rows of `retrieve/chunks_by_id` by id, for each id once; chunks that were deleted meanwhile are left out."""
    wanted = list(dict.fromkeys(ids))
    rows = tx.run("retrieve/chunks_by_id", corpus.label, ids=wanted) if wanted else []
    return {row["chunk_id"]: row for row in rows}


def ranked_hits(
    rows: Mapping[str, Row], scores: Mapping[str, float], reasons: Callable[[str], Iterable[Reason]]
) -> tuple[Hit, ...]:
    """The chunks with scores as hits, in the order of `scores`.

    Args:
        rows: as `chunk_rows` gives them; a chunk without a row is left out.
        reasons: those of a chunk, by id.
    """
    return tuple(hit(rows[id_] | {"score": score}, tuple(reasons(id_))) for id_, score in scores.items() if id_ in rows)


def hits_by_cosine(rows: Mapping[str, Row], cosines: Mapping[str, float]) -> tuple[Hit, ...]:
    """Chunks as hits whose scores are their cosines to the question, in the order of `cosines`."""
    return ranked_hits(rows, cosines, lambda id_: [Reason("dense", cosines[id_], "cosine similarity to the question")])
