"""What canopy shows of passages: hits with the parts of their scores in words, and the paths to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from overstory.graph.client import Row
from overstory.model import BridgePath, Hit, Reason
from overstory.retrieve.canopy import scoring
from overstory.retrieve.canopy.bridge_paths import bridge_paths
from overstory.retrieve.canopy.linked_passages import LinkedPassages
from overstory.retrieve.canopy.scoring import MentionWay, Scored
from overstory.retrieve.hits import ranked_hits, source_hits
from overstory.retrieve.wording import (
    NEAREST,
    has_names,
    has_words,
    is_about,
    is_linked,
    quoted,
    shares,
    two_names_away,
)
from overstory.text.questions.asked_words import AskedWords


def shown(
    passages: LinkedPassages, words: AskedWords, ranked: Sequence[Scored], k: int
) -> tuple[tuple[Hit, ...], tuple[BridgePath, ...], tuple[Hit, ...]]:
    """The first hits, the paths to them, and the passages on the paths that are not among the hits."""
    by_chunk = {one.chunk: one for one in ranked}
    first = ranked[:k]
    rows = passages.rows(chunk for one in first for chunk in _on_the_way(one, by_chunk))
    scores = {one.chunk: one.score for one in first}
    hits = ranked_hits(rows, scores, lambda chunk: _reasons(by_chunk[chunk], words, rows, scores))
    paths = tuple(bridge_paths([one for one in first if one.chunk in rows], by_chunk, rows))
    passed = dict.fromkeys(chunk for path in paths for chunk in path.chunks if chunk not in scores)
    return hits, paths, source_hits(rows, passed)


def _on_the_way(one: Scored, by_chunk: Mapping[str, Scored]) -> Iterator[str]:
    """A chunk, the sources of the ways to it, and theirs."""
    yield one.chunk
    for source in one.came_from():
        yield source
        yield from by_chunk[source].came_from()


def _reasons(
    one: Scored, words: AskedWords, rows: Mapping[str, Row], scores: Mapping[str, float]
) -> tuple[Reason, ...]:
    """The parts of the score; they add up to it. Meaning is put in words only if there is no other reason.

    Args:
        scores: of all hits.
    """
    found, row = one.candidate, rows[one.chunk]
    plain = not (found.words or found.seed or one.came_from())
    reasons = [
        Reason(
            "dense",
            one.dense,
            f"cosine {found.cosine:.3f} of passage and section to the question",
            NEAREST if plain else "",
        )
    ]
    if found.words:
        has = has_words(words, row)
        reasons.append(Reason("words", one.words, f"{has} (BM25 of its section {found.words:.3f})", has))
    if found.seed:
        reasons.append(Reason("name", one.name, found.seed.name, has_names([found.seed.name])))
    reasons.append(Reason("rest", one.rest, f"cosine {found.rest:.3f} to the rest of the question, names aside"))
    if one.forward:
        clause = _leading(one.forward.way, one, rows, scores)
        reasons.append(Reason("forward", scoring.FORWARD_WEIGHT * one.forward.value, clause, clause))
    if one.shared:
        clause = _leading(one.shared.way, one, rows, scores)
        said = one.forward is not None and one.forward.way.source_and_key == one.shared.way.source_and_key
        reasons.append(Reason("shared", scoring.SHARED_NAMES_WEIGHT * one.shared.value, clause, "" if said else clause))
    if one.linked:
        clause = _over_link(one.linked.way, one, rows)
        reasons.append(Reason("linked", scoring.LINKED_WEIGHT * one.linked.value, clause, clause))
    if one.direct:
        reasons.append(
            Reason(
                "direct",
                one.direct,
                "names are followed to later passages only",
            )
        )
    if one.second:
        way = one.second.way
        clause = two_names_away(way.name, quoted(rows.get(way.source), row))
        reasons.append(Reason("second", scoring.SECOND_HOP_WEIGHT * one.second_gain, clause, clause))
    if one.linked_second:
        clause = _over_link(one.linked_second.way, one, rows)
        reasons.append(Reason("linked_second", scoring.SECOND_LINK_WEIGHT * one.linked_second.value, clause, clause))
    return tuple(reasons)


def _leading(way: MentionWay, target: Scored, rows: Mapping[str, Row], scores: Mapping[str, float]) -> str:
    """How a name led from another passage to this one; `scores` are those of all hits."""
    source = quoted(rows.get(way.source), rows[target.chunk])
    if way.weight is not None:
        return is_about(way.name, source)
    return shares(way.name, source, better=scores.get(way.source, target.score) > target.score)


def _over_link(way: MentionWay, target: Scored, rows: Mapping[str, Row]) -> str:
    """How a link led from another passage to this one."""
    return is_linked(way.name, quoted(rows.get(way.source), rows[target.chunk]))
