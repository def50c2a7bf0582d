"""Presentation of canopy's results: hits, reasons that explain the terms of their scores, and paths to the hits."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from overstory.graph.client import Row
from overstory.model import BridgePath, BridgeStep, BridgeStepKind, Hit, Reason
from overstory.retrieve.canopy import scoring
from overstory.retrieve.canopy.scoring import (
    FORWARD_WEIGHT,
    LINKED_WEIGHT,
    SECOND_HOP_WEIGHT,
    SECOND_LINK_WEIGHT,
    SHARED_NAMES_WEIGHT,
    MentionWay,
    Scored,
    WeighedWay,
)
from overstory.retrieve.canopy.stored_names import QuestionNames, StoredNames
from overstory.retrieve.canopy.telling import Telling, sentence_of
from overstory.retrieve.hits import (
    LOOSELY_SIMILAR,
    NEAREST,
    has_names,
    is_about,
    is_linked,
    mentions_subject,
    other_words,
    quoted,
    ranked_hits,
    shares,
    source_hits,
)
from overstory.retrieve.passages import Passages
from overstory.text.names.keys import entity_key, without_parentheses
from overstory.text.questions.asked_words import AskedWords

Ways: TypeAlias = tuple[WeighedWay, ...]
"""The steps of a way to a passage. A way in the second hop has two."""

_NEAR = 50
"""This many passages are called the closest in meaning, or as many as there are hits. At least as many are compared."""


def _ways(one: Scored, all_scored: Mapping[str, Scored]) -> list[tuple[float, Ways]]:
    """Return the ways to a passage, each with its share of the score. Higher shares come first."""
    ways = _first_hops(one)
    if one.second:
        ways.append((SECOND_HOP_WEIGHT * one.second_gain, (*_way_to(all_scored[one.second.way.source]), one.second)))
    if link := one.linked_second:
        ways.append((SECOND_LINK_WEIGHT * link.value, (*_way_to(all_scored[link.way.source]), link)))
    return sorted(ways, key=lambda way: -way[0])


def _path(ways: Ways, target: Scored, score: float, telling: Telling) -> BridgePath:
    chunks = [bridge.way.source for bridge in ways] + [target.chunk]
    passed = [telling.rows[chunk] for chunk in chunks]
    start = telling.scored[chunks[0]].candidate.seed
    return BridgePath.along(
        (_step(bridge, *ends) for bridge, ends in zip(ways, pairwise(passed), strict=True)),
        asked=start.name if start else "",
        score=score,
        documents=(row["document_id"] for row in passed),
    )


def _first_hops(one: Scored) -> list[tuple[float, Ways]]:
    return [*_by_names(one), *([(LINKED_WEIGHT * one.linked.value, (one.linked,))] if one.linked else [])]


def _by_names(one: Scored) -> list[tuple[float, Ways]]:
    forward, shared = one.forward, one.shared
    if forward and shared and forward.way.source_and_key == shared.way.source_and_key:
        return [(FORWARD_WEIGHT * forward.value + SHARED_NAMES_WEIGHT * shared.value, (forward,))]
    ways = [(FORWARD_WEIGHT * forward.value, (forward,))] if forward else []
    return [*ways, (SHARED_NAMES_WEIGHT * shared.value, (shared,))] if shared else [*ways]


def _way_to(source: Scored) -> Ways:
    return max(_first_hops(source), default=(0.0, ()), key=lambda way: way[0])[1]


def _step(bridge: WeighedWay, source: Row, target: Row) -> BridgeStep:
    way = bridge.way
    kind: BridgeStepKind = "mentions" if way.weight is None else "about"
    if way.link:
        kind = "link" if way.link.outgoing else "link back"
    return BridgeStep(
        name=way.name,
        kind=kind,
        source_id=source["chunk_id"],
        source_title=source["title"],
        source_sentence=sentence_of(source, way.here),
        target_id=target["chunk_id"],
        target_title=target["title"],
        target_sentence=sentence_of(target, way.there),
        link_text=way.link.text if way.link else "",
    )


def shown(
    passages: Passages, lookup: StoredNames, names: QuestionNames, words: AskedWords, ranked: Sequence[Scored], k: int
) -> tuple[tuple[Hit, ...], tuple[BridgePath, ...], tuple[Hit, ...]]:
    """Return the first `k` hits, the paths that explain them, and the other passages on these paths."""
    by_chunk = {one.chunk: one for one in ranked}
    first = ranked[:k]
    rows = passages.rows(chunk for one in first for chunk in _on_the_way(one, by_chunk))
    first = [one for one in first if one.chunk in rows]
    ways = {one.chunk: _ways(one, by_chunk) for one in first}
    keys = [step.way.key for each in ways.values() for _, way in each for step in way if not step.way.link]
    found = lookup.of_chunks(rows, [*(name.key for name in names.known), *keys])
    near = heapq.nlargest(max(_NEAR, k), (one.candidate.cosine for one in ranked))[-1] if ranked else 0.0
    telling = Telling(names, words, lookup.chunks, near, by_chunk, rows, found)
    explained = {
        one.chunk: [(score, way) for score, way in ways[one.chunk] if telling.tells(way, one.chunk)] for one in first
    }
    scores = {one.chunk: one.score for one in first}
    best = {chunk: way for chunk, each in explained.items() for _, way in each[:1]}
    hits = ranked_hits(rows, scores, lambda chunk: _reasons(by_chunk[chunk], best.get(chunk, ()), telling))
    paths = tuple(_path(way, one, score, telling) for one in first for score, way in explained[one.chunk])
    passed = dict.fromkeys(chunk for path in paths for chunk in path.chunks if chunk not in scores)
    return hits, paths, source_hits(rows, passed)


def _on_the_way(one: Scored, by_chunk: Mapping[str, Scored]) -> Iterator[str]:
    """Yield a chunk, the chunks from which ways lead to it, and the chunks from which ways lead to those."""
    yield one.chunk
    for source in one.came_from():
        yield source
        yield from by_chunk[source].came_from()


def _reasons(one: Scored, way: Ways, telling: Telling) -> tuple[Reason, ...]:
    """Return the reasons for a hit. The sum of their scores is the score of the hit.

    At most two reasons are explained in words: the names of the question in the passage, and the best way to it. Words
    of the question are added if one of these is missing, and the similarity in meaning if there is nothing else.

    Args:
        way: the best way that explains the hit; () if there is none.
    """
    found, row = one.candidate, telling.rows[one.chunk]
    about, mentioned = telling.asked_names(one.chunk)
    names = [*about, *mentioned]
    named = has_names(mentioned, about=about) if names else ""
    by_words = other_words(telling.words, row, names) if found.words and not (named and way) else ""
    meant = NEAREST if found.cosine >= telling.near else LOOSELY_SIMILAR
    nearest = "" if named or way or by_words else meant
    reasons = [Reason("dense", one.dense, f"cosine {found.cosine:.3f} of passage and section to the question", nearest)]
    if found.words:
        reasons.append(Reason("words", one.words, f"BM25 of its section {found.words:.3f}", by_words))
    if found.seed and not names:
        reasons.append(Reason("name", one.name))
    for place, name in enumerate(names):
        reasons.append(Reason("name", 0.0 if place else one.name, name, "" if place else named))
    reasons.append(Reason("rest", one.rest, f"cosine {found.rest:.3f} to the question without its names"))
    for kind, weight, bridge in (
        ("forward", scoring.FORWARD_WEIGHT, one.forward),
        ("shared", SHARED_NAMES_WEIGHT, one.shared),
        ("linked", LINKED_WEIGHT, one.linked),
        ("second", SECOND_HOP_WEIGHT, one.second and one.second._replace(value=one.second_gain)),
        ("linked_second", SECOND_LINK_WEIGHT, one.linked_second),
    ):
        if bridge:
            clause = _clause(way, one.chunk, telling) if way and way[-1].way is bridge.way else ""
            source = quoted(telling.rows.get(bridge.way.source), row)
            reasons.append(Reason(kind, weight * bridge.value, clause or f"{bridge.way.name}, from {source}", clause))
    if one.direct:
        reasons.append(Reason("direct", one.direct, "ranked before passages that were reached through names"))
    return tuple(reasons)


def _clause(ways: Ways, target: str, telling: Telling) -> str:
    """Return a clause that explains how a way of one or two steps led to a passage."""
    ends = [each.way.source for each in ways[1:]] + [target]
    return ", which ".join(
        _of_step(each.way, end, telling) for each, end in reversed(list(zip(ways, ends, strict=True)))
    )


def _of_step(way: MentionWay, target: str, telling: Telling) -> str:
    row = telling.rows[way.source]
    source = quoted(row, telling.rows[target])
    if way.link:
        return is_linked(way.name, source)
    if way.weight is not None:
        return is_about(way.name, source)
    if not telling.is_about(way.source, way.key):
        return shares(way.name, source)
    return mentions_subject("" if entity_key(without_parentheses(row["title"])) == way.key else way.name, source)
