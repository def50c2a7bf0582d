"""Presentation of canopy's results: hits, reasons that explain the terms of their scores, and paths to the hits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from overstory.graph.client import Row
from overstory.model import BridgePath, BridgeStep, BridgeStepKind, Hit, Reason
from overstory.model.passage_text import PATH_SEPARATOR
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
from overstory.retrieve.hits import (
    NEAREST,
    content,
    has_names,
    has_words,
    is_about,
    is_linked,
    quoted,
    ranked_hits,
    shares,
    source_hits,
    two_names_away,
)
from overstory.retrieve.passages import Passages
from overstory.text.names.keys import entity_key
from overstory.text.questions.asked_words import AskedWords
from overstory.text.sentences import sentence_at

_NUMBERED = re.compile(r"(?:[A-Z](?:\.\d{1,3}){1,9}\.?|\d{1,3}(?:\.\d{1,3}){0,9}\.|\d{1,3}(?:\.\d{1,3}){1,9})\s+")
"""Matches the number at the beginning of a heading, such as "6. ", "2.1 " or "A.3. ". It does not match "50 Cent" or
"J. R. R. Tolkien"."""


def bridge_paths(
    shown: Sequence[Scored], all_scored: Mapping[str, Scored], rows: Mapping[str, Row]
) -> Iterator[BridgePath]:
    """Yield the paths to the shown passages, in the order of the passages. Paths with higher scores come first.

    A path is left out if it stays within one document, connects equal sentences, or leads through a heading.

    Args:
        all_scored: map from chunk id to scored chunk, also for the chunks from which paths start.
        rows: map from chunk id to row of `retrieve/chunks_by_id`, for all chunks on the paths.
    """
    for one in shown:
        ways = _first_hops(one)
        if one.second:
            ways.append(
                (SECOND_HOP_WEIGHT * one.second_gain, (*_way_to(all_scored[one.second.way.source]), one.second))
            )
        if link := one.linked_second:
            ways.append((SECOND_LINK_WEIGHT * link.value, (*_way_to(all_scored[link.way.source]), link)))
        for score, bridges in sorted(ways, key=lambda way: -way[0]):
            chunks = [bridge.way.source for bridge in bridges] + [one.chunk]
            passed = [rows[chunk] for chunk in chunks if chunk in rows]
            if len(set(chunks)) == len(chunks) == len(passed) and _is_informative(bridges, passed):  # no loops
                start = all_scored[chunks[0]].candidate.seed
                yield BridgePath.along(
                    (_step(bridge, *ends) for bridge, ends in zip(bridges, pairwise(passed), strict=True)),
                    asked=start.name if start else "",
                    score=score,
                    documents=(row["document_id"] for row in passed),
                )


def _is_informative(bridges: Sequence[WeighedWay], passed: Sequence[Row]) -> bool:
    """Return True if a way leads to another document, connects different sentences, and uses no heading as a name."""
    if passed[0]["document_id"] == passed[-1]["document_id"]:
        return False
    for bridge, (source, target) in zip(bridges, pairwise(passed), strict=True):
        if bridge.way.link:
            continue
        first_sentence, second_sentence = (_sentence(source, bridge.way.here), _sentence(target, bridge.way.there))
        about = bridge.way.weight is not None
        if first_sentence.casefold() == second_sentence.casefold() or _is_heading(
            bridge.way.name, source if about else target, source
        ):
            return False
    return True


def _is_heading(name: str, *rows: Row) -> bool:
    """Return True if a name begins with a heading number, or is a heading of a passage that differs from its title."""
    if _NUMBERED.match(name):
        return True
    key = entity_key(name)
    headings = {part for row in rows for part in row["heading"].split(PATH_SEPARATOR) if part != row["title"]}
    return any(key == entity_key(_NUMBERED.sub("", heading)) for heading in headings)


def _first_hops(one: Scored) -> list[tuple[float, tuple[WeighedWay, ...]]]:
    return [*_by_names(one), *([(LINKED_WEIGHT * one.linked.value, (one.linked,))] if one.linked else [])]


def _by_names(one: Scored) -> list[tuple[float, tuple[WeighedWay, ...]]]:
    forward, shared = one.forward, one.shared
    if forward and shared and forward.way.source_and_key == shared.way.source_and_key:
        return [(FORWARD_WEIGHT * forward.value + SHARED_NAMES_WEIGHT * shared.value, (forward,))]
    ways = [(FORWARD_WEIGHT * forward.value, (forward,))] if forward else []
    return [*ways, (SHARED_NAMES_WEIGHT * shared.value, (shared,))] if shared else [*ways]


def _way_to(source: Scored) -> tuple[WeighedWay, ...]:
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
        source_sentence=_sentence(source, way.here),
        target_id=target["chunk_id"],
        target_title=target["title"],
        target_sentence=_sentence(target, way.there),
        link_text=way.link.text if way.link else "",
    )


def _sentence(row: Row, number: int | None) -> str:
    return sentence_at(content(row), row["sentences"], number or 0)


def shown(
    passages: Passages, words: AskedWords, ranked: Sequence[Scored], k: int
) -> tuple[tuple[Hit, ...], tuple[BridgePath, ...], tuple[Hit, ...]]:
    """Return the first `k` hits, the paths to these hits, and the other passages on these paths."""
    by_chunk = {one.chunk: one for one in ranked}
    first = ranked[:k]
    rows = passages.rows(chunk for one in first for chunk in _on_the_way(one, by_chunk))
    scores = {one.chunk: one.score for one in first}
    hits = ranked_hits(rows, scores, lambda chunk: _reasons(by_chunk[chunk], words, rows, scores))
    paths = tuple(bridge_paths([one for one in first if one.chunk in rows], by_chunk, rows))
    passed = dict.fromkeys(chunk for path in paths for chunk in path.chunks if chunk not in scores)
    return hits, paths, source_hits(rows, passed)


def _on_the_way(one: Scored, by_chunk: Mapping[str, Scored]) -> Iterator[str]:
    """Yield a chunk, the chunks from which ways lead to it, and the chunks from which ways lead to those."""
    yield one.chunk
    for source in one.came_from():
        yield source
        yield from by_chunk[source].came_from()


def _reasons(
    one: Scored, words: AskedWords, rows: Mapping[str, Row], scores: Mapping[str, float]
) -> tuple[Reason, ...]:
    """Return the reasons for a hit. The sum of their scores is the score of the hit.

    The similarity in meaning is explained in words only if nothing else explains the hit.
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
    reasons.append(Reason("rest", one.rest, f"cosine {found.rest:.3f} to the question without its names"))
    if one.forward:
        clause = _leading(one.forward.way, one, rows, scores)
        reasons.append(Reason("forward", scoring.FORWARD_WEIGHT * one.forward.value, clause, clause))
    if one.shared:
        clause = _leading(one.shared.way, one, rows, scores)
        same_name = one.forward is not None and one.forward.way.source_and_key == one.shared.way.source_and_key
        reasons.append(
            Reason("shared", scoring.SHARED_NAMES_WEIGHT * one.shared.value, clause, "" if same_name else clause)
        )
    if one.linked:
        clause = _over_link(one.linked.way, one, rows)
        reasons.append(Reason("linked", scoring.LINKED_WEIGHT * one.linked.value, clause, clause))
    if one.direct:
        reasons.append(
            Reason(
                "direct",
                one.direct,
                "ranked before passages that were reached through names",
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
    source = quoted(rows.get(way.source), rows[target.chunk])
    if way.weight is not None:
        return is_about(way.name, source)
    return shares(way.name, source, better=scores.get(way.source, target.score) > target.score)


def _over_link(way: MentionWay, target: Scored, rows: Mapping[str, Row]) -> str:
    return is_linked(way.name, quoted(rows.get(way.source), rows[target.chunk]))
