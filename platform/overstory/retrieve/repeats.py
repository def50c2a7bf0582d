"""Handling of hits with the same text. In search results, they are collapsed to one hit. `bench` needs all of them.

Retrievers return chunks with equal texts as separate hits. If such chunks also share a vector, however, dense search
returns only one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from overstory.errors import QuestionError
from overstory.graph import Corpus, Transaction
from overstory.model import BridgePath, Evidence, Excerpt, Hit, Part, Repeat
from overstory.protocols import Retriever
from overstory.retrieve.context import RetrievalContext, one_question
from overstory.retrieve.hits import chunk_rows, hit

MOST_HITS = 1_000
"""Maximum number of hits that a caller, or this module, may request from a retriever."""
MOST_PLACES_NAMED = 20
"""Maximum number of other passages with the same text that a hit lists."""
_WIDENING_FACTOR = 4
"""If too few hits have distinct texts, the retriever is asked for this many times as many hits."""

Group = list[Hit]
"""Hits with the same text, best first."""


@dataclass(frozen=True, slots=True)
class SharedVector:
    """A vector that several chunks share, as returned by `retrieve/repeats`.

    Attributes:
        times: number of chunks that share the vector.
        ids: ids of those requested chunks that share this vector.
        others: ids of all chunks that share this vector, up to a limit.
    """

    times: int
    ids: Sequence[str]
    others: Sequence[str]


Sharing = Callable[[Sequence[str]], list[SharedVector]]
"""A function that takes chunk ids and returns the vectors that these chunks share with other chunks."""

Repeats = dict[str, tuple[int, tuple[Repeat, ...]]]
"""Map from the id of a group's first hit to the number of other passages with its text, and some of these passages."""


def check_depth(k: int) -> None:
    """Raise `QuestionError` if `k`, the number of requested hits, is not between 1 and `MOST_HITS`."""
    if not 1 <= k <= MOST_HITS:
        raise QuestionError(
            f"k must be between 1 and {MOST_HITS:,}, got {k}.", remedy=f"Ask for 1 to {MOST_HITS:,} passages."
        )


def search_distinct(
    retriever: Retriever, question: str, k: int, *, read: Callable[[Sequence[Group]], Repeats]
) -> Evidence:
    """Return the best `k` hits with distinct texts. Each hit lists the other passages with the same text.

    If fewer than `k` hits have distinct texts, the retriever is asked for more hits, up to `MOST_HITS`.

    Args:
        read: looks up the other passages with the text of each group, as `read_repeats` does.
    """
    asked = k
    while True:
        evidence = retriever.retrieve(question, asked)
        groups = by_text(evidence.hits)
        if len(groups) >= k or len(evidence.hits) < asked or asked >= MOST_HITS:
            break
        asked = min(_WIDENING_FACTOR * asked, MOST_HITS)
    kept = groups[:k]
    repeating = [group for group in kept if len(group) > 1 or group[0].repeated]
    repeats = read(repeating) if repeating else {}
    notes = _too_few(k, len(groups), len(evidence.hits)) if 0 < len(groups) < k else ()
    return _collapsed(evidence, kept, repeats, notes)


def by_text(hits: Iterable[Hit]) -> list[Group]:
    """Group hits with the same text, ignoring differences in white space. The order of the hits is preserved."""
    groups: dict[str, Group] = {}
    for each in hits:
        groups.setdefault(" ".join(each.text.split()), []).append(each)
    return list(groups.values())


def read_repeats(tx: Transaction, corpus: Corpus, groups: Sequence[Group], sharing: Sharing | None = None) -> Repeats:
    """Look up the other passages with the text of each group.

    These are the group's other hits, and the chunks that share a vector with a hit of the group.

    Args:
        sharing: returns shared vectors, counting only chunks that may be shown; by default, all chunks count.
    """
    ids = [each.chunk_id for group in groups for each in group]
    shared = _shared(tx, corpus, ids, MOST_PLACES_NAMED + 1) if sharing is None else sharing(ids)
    by_chunk = {id_: vector for vector in shared for id_ in vector.ids}
    counted: dict[str, tuple[int, list[str]]] = {}
    for group in groups:
        first = group[0].chunk_id
        vectors = {id(vector): vector for each in group if (vector := by_chunk.get(each.chunk_id))}
        alone = sum(each.chunk_id not in by_chunk for each in group)
        total = sum(vector.times for vector in vectors.values()) + alone - 1
        places = dict.fromkeys(each.chunk_id for each in group)
        places |= dict.fromkeys(id_ for vector in vectors.values() for id_ in vector.others)
        places.pop(first)
        counted[first] = total, list(places)[:MOST_PLACES_NAMED]
    rows = chunk_rows(tx, corpus, (id_ for _, ids in counted.values() for id_ in ids))
    return {
        first: (total, tuple(repeat_of(hit(rows[id_] | {"score": 0.0}, ())) for id_ in ids if id_ in rows))
        for first, (total, ids) in counted.items()
    }


def _shared(tx: Transaction, corpus: Corpus, ids: Sequence[str], most: int) -> list[SharedVector]:
    rows = tx.run("retrieve/repeats", corpus.label, ids=list(ids), most=most)
    return [SharedVector(row["times"], row["ids"], row["others"]) for row in rows]


def repeat_of(found: Hit) -> Repeat:
    return Repeat(
        chunk_id=found.chunk_id,
        document_id=found.document_id,
        source=found.source,
        source_key=found.source_key,
        title=found.title,
        heading=found.heading,
        page=found.page,
    )


def _too_few(k: int, texts: int, hits: int) -> tuple[str, ...]:
    """Return a note that explains why fewer passages than requested are shown.

    If nothing was found, the retriever itself adds a note.
    """
    if hits == texts:
        return (f"only {texts:,} of the {k:,} requested passages were found",)
    others = f"the other {hits - texts:,} repeat their text"
    bound = f", and at most {MOST_HITS:,} are read" if hits >= MOST_HITS else ""
    return (f"only {texts:,} of the {k:,} requested passages are shown: {others}{bound}",)


def _collapsed(evidence: Evidence, kept: Sequence[Group], repeats: Repeats, notes: Sequence[str]) -> Evidence:
    """Return the evidence with only the first hit of each group, and drop parts about hits that are no longer shown."""
    hits = tuple(_with_repeats(group[0], repeats) for group in kept)
    if len(hits) == len(evidence.hits):
        return replace(evidence, hits=hits, notes=(*evidence.notes, *notes)) if repeats or notes else evidence
    shown = {each.chunk_id for each in hits}
    others = {each.chunk_id: each for each in evidence.hits if each.chunk_id not in shown}
    same = {each.chunk_id for group in kept for each in group[1:]}
    parts = tuple(part for part in evidence.parts if not _is_of(part, others.keys(), same))
    needed = dict.fromkeys(chunk for part in parts for chunk in part.chunks if chunk in others)
    sources = (*evidence.sources, *(replace(others[id_], score=0.0, reasons=()) for id_ in needed))
    return replace(evidence, hits=hits, parts=parts, sources=sources, notes=(*evidence.notes, *notes))


def _is_of(part: Part, others: Iterable[str], same: Iterable[str]) -> bool:
    """Return True if a part leads to one of the `others`, or is an excerpt from one of the `same`.

    Args:
        others: ids of all hits that are not shown.
        same: ids of hits that are not shown because another hit has the same text.
    """
    if isinstance(part, BridgePath):
        return part.chunk_id in others
    return isinstance(part, Excerpt) and part.chunk_id in same


def _with_repeats(found: Hit, repeats: Repeats) -> Hit:
    if found.chunk_id not in repeats:
        return found
    total, named = repeats[found.chunk_id]
    return replace(found, repeated=total, repeats=named)


def _all_share(tx: Transaction, corpus: Corpus) -> None:
    del tx, corpus


class WithRepeats:
    """Retriever that adds, after each hit, the chunks that share the hit's vector, with the same score.

    `bench` uses it, because relevance judgements may refer to any of several equal passages.
    """

    def __init__(
        self,
        retriever: Retriever,
        context: RetrievalContext,
        *,
        sharing: Callable[[Transaction, Corpus], Sharing | None] = _all_share,
    ) -> None:
        """
        Args:
            sharing: returns a function that looks up shared vectors, counting only chunks that the caller may see. If
                it returns None, all chunks count.
        """
        self.name = retriever.name
        self._retriever = retriever
        self._context = context
        self._sharing = sharing

    @one_question()
    def retrieve(self, question: str, k: int) -> Evidence:
        """Return the retriever's `k` hits, each followed by up to `MOST_HITS` chunks that share its vector."""
        evidence = self._retriever.retrieve(question, k)
        repeated = [each.chunk_id for each in evidence.hits if each.repeated]
        if not repeated:
            return evidence

        def read(tx: Transaction) -> tuple[Hit, ...]:
            corpus = self._context.corpus(tx)
            sharing = self._sharing(tx, corpus)
            shared = _shared(tx, corpus, repeated, MOST_HITS) if sharing is None else sharing(repeated)
            return _expanded(tx, corpus, evidence.hits, shared)

        return replace(evidence, hits=self._context.graph.reading("retrieve/repeats", read))


def _expanded(tx: Transaction, corpus: Corpus, hits: Sequence[Hit], shared: Sequence[SharedVector]) -> tuple[Hit, ...]:
    others = {id_: each.others for each in shared for id_ in each.ids}
    seen = {each.chunk_id for each in hits}
    new = [id_ for ids in others.values() for id_ in ids if id_ not in seen]
    rows = chunk_rows(tx, corpus, new)
    expanded: list[Hit] = []
    for each in hits:
        expanded.append(each)
        for id_ in others.get(each.chunk_id, ()):
            if id_ in rows and id_ not in seen:
                seen.add(id_)
                expanded.append(hit(rows[id_] | {"score": each.score}, each.reasons))
    return tuple(expanded)
