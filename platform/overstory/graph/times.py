"""Times of facts as properties of the graph: temporal values, each with its precision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from overstory.model.time_spans import PartialDate

TIMES = ("holds_from", "holds_to", "said_at")


class FactTimes(TypedDict):
    """When a fact holds and when it was said, according to one passage, as text such as "2019" or "2019-03".

    Attributes:
        holds_from, holds_to, said_at: "" if unknown.
        ended: True if the passage says that the fact no longer holds.
        time_words: the words that say so.
    """

    holds_from: str
    holds_to: str
    said_at: str
    ended: bool
    time_words: str


def time_properties(times: FactTimes) -> dict[str, object]:
    """Return the properties of `STATED_IN` for the times of a fact.

    A beginning is stored as the first day of its year or month, an end as the last day.
    """
    properties: dict[str, object] = {}
    dates = {"holds_from": times["holds_from"], "holds_to": times["holds_to"], "said_at": times["said_at"]}
    for name, written in dates.items():
        if written:
            day = PartialDate.read(written)
            properties[name] = day.last if name == "holds_to" else day.first
            properties[f"{name}_precision"] = day.precision
    if times["ended"]:
        properties["ended"] = True
    if times["time_words"]:
        properties["time_words"] = times["time_words"]
    return properties


def times_of(properties: Mapping[str, Any]) -> FactTimes:
    """Return the times in the properties of `STATED_IN`."""
    return FactTimes(
        holds_from=_written(properties, "holds_from"),
        holds_to=_written(properties, "holds_to"),
        said_at=_written(properties, "said_at"),
        ended=bool(properties.get("ended")),
        time_words=properties.get("time_words") or "",
    )


def _written(properties: Mapping[str, Any], name: str) -> str:
    day = properties.get(name)
    if day is None:
        return ""
    return str(PartialDate.of(day, properties.get(f"{name}_precision") or "day"))
