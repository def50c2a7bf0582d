"""Bridge paths: the ways by which passages were reached, with the sentences that state them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from overstory.graph.client import Row
from overstory.model import BridgePath, BridgeStep
from overstory.retrieve.canopy.scoring import FORWARD, SECOND, SHARED, Bridge, Scored
from overstory.retrieve.hits import content
from overstory.text.sentences import sentence_at


def bridge_paths(
    shown: Sequence[Scored], all_scored: Mapping[str, Scored], rows: Mapping[str, Row]
) -> Iterator[BridgePath]:
    """The paths to passages, in their order, for each the one that brought most first.

    Args:
        all_scored: the sources of the ways too.
        rows: of `retrieve/chunks_by_id`, for passages and sources.
    """
    for one in shown:
        ways = _first_hops(one)
        if one.second:
            ways.append((SECOND * one.second_gain, (*_way_to(all_scored[one.second.way.source]), one.second)))
        for score, bridges in sorted(ways, key=lambda way: -way[0]):
            chunks = [bridge.way.source for bridge in bridges] + [one.chunk]
            if len(set(chunks)) == len(chunks) and all(chunk in rows for chunk in chunks):  # no way back
                start = all_scored[chunks[0]].candidate.seed
                yield BridgePath.along(
                    (
                        _step(bridge, rows[here], rows[there])
                        for bridge, (here, there) in zip(bridges, pairwise(chunks), strict=True)
                    ),
                    asked=start.name if start else "",
                    score=score,
                    documents=(rows[chunk]["document_id"] for chunk in chunks),
                )


def _first_hops(one: Scored) -> list[tuple[float, tuple[Bridge, ...]]]:
    """The ways to a passage with what they brought; one if it is about the very name that it shares."""
    forward, shared = one.forward, one.shared
    if forward and shared and forward.way.source_and_key == shared.way.source_and_key:
        return [(FORWARD * forward.value + SHARED * shared.value, (forward,))]
    ways = [(FORWARD * forward.value, (forward,))] if forward else []
    return [*ways, (SHARED * shared.value, (shared,))] if shared else [*ways]


def _way_to(source: Scored) -> tuple[Bridge, ...]:
    """How the source of a second hop was reached itself, the best way."""
    return max(_first_hops(source), default=(0.0, ()), key=lambda way: way[0])[1]


def _step(bridge: Bridge, source: Row, target: Row) -> BridgeStep:
    way = bridge.way
    return BridgeStep(
        name=way.name,
        kind="mentions" if way.weight is None else "about",
        source_id=source["chunk_id"],
        source_title=source["title"],
        source_sentence=_sentence(source, way.here),
        target_id=target["chunk_id"],
        target_title=target["title"],
        target_sentence=_sentence(target, way.there),
    )


def _sentence(row: Row, number: int | None) -> str:
    """A sentence of a passage, its first one where none says the name."""
    return sentence_at(content(row), row["sentences"], number or 0)
