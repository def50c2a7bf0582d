"""Bridge paths: the ways by which passages were reached, with the sentences that state them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from overstory.graph.client import Row
from overstory.model import BridgePath, BridgeStep
from overstory.retrieve.canopy.scoring import FORWARD, SECOND, SHARED, Bridge, Scored


def bridge_paths(
    shown: Sequence[Scored], all_scored: Mapping[str, Scored], rows: Mapping[str, Row]
) -> Iterator[BridgePath]:
    """The paths to passages, in their order, for each the one that brought most first.

    Args:
        all_scored: the sources of the ways too.
        rows: of `retrieve/chunks_by_id`, for passages and sources.
    """
    for one in shown:
        ways: list[tuple[float, Bridge, tuple[Bridge, ...]]] = []
        ways += [(FORWARD * b.value, b, ()) for b in (one.forward,) if b]
        ways += [(SHARED * b.value, b, ()) for b in (one.shared,) if b]
        if one.second:
            ways.append((SECOND * one.second_gain, one.second, _first_hop(all_scored, one.second)))
        for score, bridge, before in sorted(ways, key=lambda way: -way[0]):
            bridges = [(b, b.way.source) for b in (*before, bridge)]
            chunks = [source for _, source in bridges] + [one.chunk]
            if len(set(chunks)) == len(chunks) and all(chunk in rows for chunk in chunks):  # no way back
                start = all_scored[chunks[0]].candidate.seed
                yield BridgePath(
                    asked=start.name if start else "",
                    steps=tuple(_step(b, rows[chunks[i]], rows[chunks[i + 1]]) for i, (b, _) in enumerate(bridges)),
                    score=score,
                )


def _first_hop(all_scored: Mapping[str, Scored], second: Bridge) -> tuple[Bridge, ...]:
    """How the source of a second hop was reached itself."""
    source = all_scored[second.way.source]
    ways = [(FORWARD * b.value, b) for b in (source.forward,) if b] + [
        (SHARED * b.value, b) for b in (source.shared,) if b
    ]
    return (max(ways, key=lambda way: way[0])[1],) if ways else ()


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
    starts = [*row["sentences"], len(row["text"])]
    at = min(number or 0, len(starts) - 2)
    return " ".join(row["text"][starts[at] : starts[at + 1]].split())
