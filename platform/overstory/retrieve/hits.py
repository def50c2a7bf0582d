"""Rows of the graph as hits."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from overstory.display import shortened
from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.index.metadata_values import stored_metadata
from overstory.model import BridgePath, Evidence, Excerpt, Hit, Part, Reason
from overstory.model.metadata import PAGE_STARTS, page_of, page_starts
from overstory.model.passage_text import without_boilerplate
from overstory.text.questions.asked_words import AskedWords


def best_of(scores: Mapping[str, float], k: int) -> list[str]:
    """The `k` ids with the highest scores; ties in the order of the ids."""
    ranked = sorted(zip(map(operator.neg, scores.values()), scores, strict=True))
    return [id_ for _, id_ in ranked[:k]]


NEAREST = "is among the closest in meaning to the question"
"""Of a passage that was found by meaning."""

SECTION_HAS_WORDS = "is in a section that has words of the question"
"""Of a passage that has none of them itself."""

_MOST_WORDS_OF_A_CLAUSE = 6
"""Words or names in one clause."""

LONGEST_REASON_TITLE_CHARACTERS = 60  # of a title or a name in a reason


def has_words(asked: AskedWords, row: Row) -> str:
    """Which words of the question a passage has, in its text, its title or its headings."""
    found = asked.found_in(row["title"], row["heading"], row["text"])
    return f"has words of the question: {listed(found)}" if found else SECTION_HAS_WORDS


def has_names(found: Sequence[str]) -> str:
    """Which names of the question a passage has."""
    return f"names {listed(found)}, as the question does"


def shares(name: str, source: str, *, better: bool) -> str:
    """By which name another passage led to this one; `source` as `quoted` gives it, `better` if it stands before this
    one. Two passages may lead to each other."""
    return f"shares the name {_line(name)} with {source}{', which was found first' if better else ''}"


def is_about(name: str, source: str) -> str:
    """By which name another passage led to this one, which is about it."""
    return f"is about {_line(name)}, named in {source}"


def is_linked(name: str, source: str) -> str:
    """By which link between documents another passage led to this one."""
    return f"is linked with {source} by {_line(name)}"


def two_names_away(name: str, source: str) -> str:
    """By which name a passage that was itself reached by a name led to this one."""
    return f"is two names away: by {_line(name)} from {source}"


def quoted(source: Row | None, target: Row | None) -> str:
    """A passage by its title in quotes, or else its first words; `target` is the one that it led to."""
    if source is None:
        return "a passage that is gone"
    if target is not None and source["document_id"] == target["document_id"]:
        return "another passage of this document"
    return f'"{shortened(source["title"] or source["text"], LONGEST_REASON_TITLE_CHARACTERS)}"'


def listed(words: Sequence[str]) -> str:
    """The first of these words or names, and how many more there are."""
    different = list(dict.fromkeys(_line(word) for word in words))
    more = len(different) - _MOST_WORDS_OF_A_CLAUSE
    return ", ".join(different[:_MOST_WORDS_OF_A_CLAUSE]) + (f" and {more} more" if more > 0 else "")


def _line(name: str) -> str:
    return shortened(name, LONGEST_REASON_TITLE_CHARACTERS)


def hit(row: Row, reasons: tuple[Reason, ...]) -> Hit:
    """A row of a `retrieve/…` statement as a hit."""
    metadata = stored_metadata(row["document"])
    starts = page_starts(metadata)
    page = page_of(row["start"], row["text"], starts)
    if page is not None:
        del metadata[PAGE_STARTS]
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
        start=row["start"],
        end=row["end"],
        page=page,
        metadata=metadata,
        repeated=row.get("repeated", 0),
        boilerplate=tuple(row["boilerplate"] or ()),
        corpus=row.get("corpus", ""),
    )


def content(row: Row) -> str:
    """The text of a row of `retrieve/chunks_by_id` with spaces for its boilerplate."""
    return without_boilerplate(row["text"], row["boilerplate"] or ())


def chunk_rows(tx: Transaction, corpus: Corpus, ids: Iterable[str]) -> dict[str, Row]:
    """Rows of `retrieve/chunks_by_id` by id, for each id once; chunks that were deleted meanwhile are left out."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return {}
    (row,) = tx.run("retrieve/chunks_by_id", corpus.label, ids=wanted)
    return {chunk["chunk_id"]: chunk for chunk in row["chunks"]}


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
    return ranked_hits(rows, cosines, lambda id_: [near(cosines[id_])])


def source_hits(rows: Mapping[str, Row], ids: Iterable[str]) -> tuple[Hit, ...]:
    """Passages that support parts of the evidence but were not found themselves: hits of score 0."""
    return ranked_hits(rows, dict.fromkeys(ids, 0.0), lambda _: ())


def sources_of(parts: Iterable[Part], hits: Iterable[Hit], rows: Mapping[str, Row]) -> tuple[Hit, ...]:
    """The passages that parts stand on and that are no hits.

    Args:
        rows: by id; passages that it lacks are left out.
    """
    found = {hit.chunk_id for hit in hits}
    return source_hits(rows, dict.fromkeys(id_ for part in parts for id_ in part.chunks if id_ not in found))


def with_hits(evidence: Evidence, hits: Sequence[Hit]) -> Evidence:
    """The evidence with these hits instead of its own, and the parts that are still about something.

    Paths to former hits and excerpts of them go. Passages that other parts stand on become sources.
    """
    shown = {each.chunk_id for each in hits}
    parts = tuple(p for p in evidence.parts if not isinstance(p, BridgePath | Excerpt) or p.chunk_id in shown)
    sources = {each.chunk_id: each for each in evidence.sources if each.chunk_id not in shown}
    former = {each.chunk_id: each for each in evidence.hits if each.chunk_id not in shown}
    for id_ in (id_ for part in parts for id_ in part.chunks if id_ in former):
        sources.setdefault(id_, replace(former[id_], score=0.0, reasons=()))
    return replace(evidence, hits=tuple(hits), parts=parts, sources=tuple(sources.values()))


def clause_of(found: Hit) -> str:
    """Why a hit was found, as the clause of a reason that takes the place of its own; "" without words."""
    return found.in_words.removeprefix("It ").removesuffix(".")


def near(cosine: float) -> Reason:
    """The reason for a chunk that was found by meaning alone."""
    return Reason("dense", cosine, "cosine similarity to the question", NEAREST)
