"""Pairs of names of which somebody said that they are not one: kept with the corpus, and not suggested again."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from overstory.graph import Corpus, GraphClient, Transaction, Writer
from overstory.graph.ids import content_id
from overstory.text.names.keys import entity_key


@dataclass(frozen=True, slots=True)
class DismissedMerge:
    """Two names that are not one, as they were given, and when that was said (UTC)."""

    name: str
    into: str
    at: datetime.datetime


def dismiss_merge(writer: Writer, name: str, into: str) -> None:
    """Keeps that two names are not one; in whatever order they are given."""
    label = writer.corpus.label
    first, second = sorted((entity_key(name), entity_key(into)))

    def work(tx: Transaction) -> None:
        tx.run(
            "corpus/dismiss_merge",
            label,
            id=_id(label, first, second),
            first=first,
            second=second,
            name=name,
            into=into,
        )

    writer.commit("names", work)


def undo_dismissed_merge(writer: Writer, name: str, into: str) -> bool:
    """Forgets that two names are not one; whether it was known."""
    label = writer.corpus.label
    id_ = _id(label, *sorted((entity_key(name), entity_key(into))))

    def work(tx: Transaction) -> bool:
        (row,) = tx.run("corpus/undo_dismissed_merge", label, id=id_)
        return bool(row["deleted"])

    return writer.commit("names", work)


def dismissed_merges(graph: GraphClient, corpus: Corpus) -> dict[tuple[str, str], DismissedMerge]:
    """The pairs that are not one, the latest first, by their keys in alphabetical order."""
    return {
        (row["first"], row["second"]): DismissedMerge(row["name"], row["into"], row["at"].to_native())
        for row in graph.run("corpus/dismissed_merges", corpus.label, read=True)
    }


def _id(label: str, first: str, second: str) -> str:
    return content_id("dismissed-merge", label, first, second)
