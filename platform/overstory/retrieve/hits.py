"""Functions that convert rows to hits, and explain in words why each hit was found."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from overstory.display import shortened
from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.graph.times import FactTimes, times_of
from overstory.index.metadata_values import METADATA, stored_metadata
from overstory.model import BridgePath, Evidence, Excerpt, Hit, Part, Reason
from overstory.model.metadata import PAGE_STARTS, page_of, page_starts
from overstory.model.passage_text import without_boilerplate
from overstory.text.document_dates import SAID_AT, SAID_AT_PRECISION
from overstory.text.languages import stop_words
from overstory.text.names.keys import entity_key
from overstory.text.questions.asked_words import AskedWords


def best_of(scores: Mapping[str, float], k: int) -> list[str]:
    """Return the `k` ids with the highest scores, best first. Ids with equal scores are sorted."""
    ranked = sorted(zip(map(operator.neg, scores.values()), scores, strict=True))
    return [id_ for _, id_ in ranked[:k]]


NEAREST = "is among the closest in meaning to the question"
"""Explanation of a passage that was found by meaning."""

LOOSELY_SIMILAR = "is only loosely similar in meaning to the question, and was found through names in other passages"
"""Explanation of a passage that was found only through names that explain little."""

SECTION_HAS_WORDS = "is in a section that contains words of the question"
"""Explanation of a passage that contains no word of the question, although its section does."""

_MOST_WORDS_OF_A_CLAUSE = 6
"""Maximum number of words or names that one explanation lists."""

LONGEST_REASON_TITLE_CHARACTERS = 60  # longer titles and names are shortened in reasons


def has_words(asked: AskedWords, row: Row) -> str:
    """Return a clause that lists the words of the question in a passage's text, title and headings."""
    found = asked.found_in(row["title"], row["heading"], row["text"])
    return f"contains words of the question: {listed(found)}" if found else SECTION_HAS_WORDS


def other_words(asked: AskedWords, row: Row, names: Iterable[str]) -> str:
    """Return the clause of `has_words` without the words of some names and the stop words of the passage's language.

    Return "" if no word is left.
    """
    named = {word for name in names for word in entity_key(name).split()}
    common = stop_words(row["language"]) if row["language"] else frozenset[str]()
    found = asked.found_in(row["title"], row["heading"], row["text"])
    left = [word for word in found if entity_key(word) not in named and word.lower() not in common]
    return f"contains words of the question: {listed(left)}" if left else ""


def has_names(mentioned: Sequence[str], *, about: Sequence[str] = ()) -> str:
    """Return a clause that lists the names of the question in a passage.

    Args:
        about: those that the passage is about. The other names are in `mentioned`.
    """
    if not about:
        return f"mentions {listed(mentioned)}, as the question does"
    if not mentioned:
        return f"is about {listed(about)}, named in the question"
    return f"is about {listed(about)} and mentions {listed(mentioned)}, as the question does"


def shares(name: str, source: str) -> str:
    """Return a clause that explains that a passage was reached from another passage, because both mention a name.

    Args:
        source: the other passage, as returned by `quoted`.
    """
    return f"mentions {_line(name)}, as does {source}"


def mentions_subject(name: str, source: str) -> str:
    """Return a clause that explains that a passage was reached from another passage, whose subject it mentions.

    Args:
        name: the subject; "" if it is the title of the other passage.
        source: the other passage, as returned by `quoted`.
    """
    return f"mentions {_line(name)}, the subject of {source}" if name else f"mentions the subject of {source}"


def is_about(name: str, source: str) -> str:
    """Return a clause that explains that a passage is about a name in another passage.

    Args:
        source: the other passage, as returned by `quoted`.
    """
    return f"is about {_line(name)}, mentioned in {source}"


def is_linked(name: str, source: str) -> str:
    """Return a clause that explains that a link between documents led to a passage.

    Args:
        source: the passage from which the link was followed, as returned by `quoted`.
    """
    return f"is linked to {source} by {_line(name)}"


def quoted(source: Row | None, target: Row | None) -> str:
    """Return the words by which an explanation refers to a passage, such as its title in quotation marks.

    Args:
        source: the passage; None if it has been deleted.
        target: the passage that is explained, because `source` led to it; None if it has been deleted.
    """
    if source is None:
        return "a deleted passage"
    if target is not None and source["document_id"] == target["document_id"]:
        return "another passage of this document"
    return f'"{shortened(source["title"] or source["text"], LONGEST_REASON_TITLE_CHARACTERS)}"'


def listed(words: Sequence[str]) -> str:
    """Return a list of words or names as text, with a count in place of the last ones if there are many.

    Example: "a, b, c, d, e, f and 3 more".
    """
    different = list(dict.fromkeys(_line(word) for word in words))
    more = len(different) - _MOST_WORDS_OF_A_CLAUSE
    return ", ".join(different[:_MOST_WORDS_OF_A_CLAUSE]) + (f" and {more} more" if more > 0 else "")


def _line(name: str) -> str:
    return shortened(name, LONGEST_REASON_TITLE_CHARACTERS)


def hit(row: Row, reasons: tuple[Reason, ...]) -> Hit:
    """Convert a row of a `retrieve/…` statement to a hit."""
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
    """Return the text of a row of `retrieve/chunks_by_id`, with its boilerplate replaced by spaces."""
    return without_boilerplate(row["text"], row["boilerplate"] or ())


def chunk_rows(tx: Transaction, corpus: Corpus, ids: Iterable[str]) -> dict[str, Row]:
    """Return a map from chunk id to the chunk's row of `retrieve/chunks_by_id`.

    Chunks that have been deleted are left out.
    """
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return {}
    (row,) = tx.run("retrieve/chunks_by_id", corpus.label, ids=wanted)
    return {chunk["chunk_id"]: chunk for chunk in row["chunks"]}


def fact_times(properties: Mapping[str, Any], chunk: Row) -> FactTimes:
    """Return the times of a fact that a chunk states. Without one of its own, `said_at` is that of the document.

    Args:
        properties: those of `STATED_IN`.
        chunk: the chunk's row of `retrieve/chunks_by_id`.
    """
    times = times_of(properties)
    if not times["said_at"]:
        document = chunk["document"]
        day, precision = document.get(METADATA + SAID_AT), document.get(METADATA + SAID_AT_PRECISION)
        times["said_at"] = times_of({"said_at": day, "said_at_precision": precision})["said_at"]
    return times


def ranked_hits(
    rows: Mapping[str, Row], scores: Mapping[str, float], reasons: Callable[[str], Iterable[Reason]]
) -> tuple[Hit, ...]:
    """Return chunks as hits, in the order of `scores`.

    Args:
        rows: the rows of the chunks, as returned by `chunk_rows`. Chunks without a row are left out.
        reasons: returns the reasons for a chunk, given its id.
    """
    return tuple(hit(rows[id_] | {"score": score}, tuple(reasons(id_))) for id_, score in scores.items() if id_ in rows)


def hits_by_cosine(rows: Mapping[str, Row], cosines: Mapping[str, float]) -> tuple[Hit, ...]:
    """Return chunks as hits, in the order of `cosines`. The score of a hit is its cosine."""
    return ranked_hits(rows, cosines, lambda id_: [near(cosines[id_])])


def source_hits(rows: Mapping[str, Row], ids: Iterable[str]) -> tuple[Hit, ...]:
    """Convert passages to sources of the evidence, which are hits with score 0 and no reasons."""
    return ranked_hits(rows, dict.fromkeys(ids, 0.0), lambda _: ())


def sources_of(parts: Iterable[Part], hits: Iterable[Hit], rows: Mapping[str, Row]) -> tuple[Hit, ...]:
    """Return the passages that support parts of the evidence, except those that are hits.

    Args:
        rows: map from chunk id to row. Passages without a row are left out.
    """
    found = {hit.chunk_id for hit in hits}
    return source_hits(rows, dict.fromkeys(id_ for part in parts for id_ in part.chunks if id_ not in found))


def with_hits(evidence: Evidence, hits: Sequence[Hit]) -> Evidence:
    """Replace the hits of the evidence.

    If a hit is removed, paths to it and excerpts from it are removed, too. If it supports another part, it becomes a
    source.
    """
    shown = {each.chunk_id for each in hits}
    parts = tuple(p for p in evidence.parts if not isinstance(p, BridgePath | Excerpt) or p.chunk_id in shown)
    sources = {each.chunk_id: each for each in evidence.sources if each.chunk_id not in shown}
    former = {each.chunk_id: each for each in evidence.hits if each.chunk_id not in shown}
    for id_ in (id_ for part in parts for id_ in part.chunks if id_ in former):
        sources.setdefault(id_, replace(former[id_], score=0.0, reasons=()))
    return replace(evidence, hits=tuple(hits), parts=parts, sources=tuple(sources.values()))


def clause_of(found: Hit) -> str:
    """Return the explanation of a hit as a clause, without "It" and the full stop; "" if there is no explanation."""
    return found.in_words.removeprefix("It ").removesuffix(".")


def near(cosine: float) -> Reason:
    """Return the reason for a chunk that was found by meaning alone."""
    return Reason("dense", cosine, "cosine similarity to the question", NEAREST)
