"""Reports on the groups of a tree, level by level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from overstory.protocols import Silence
from overstory.systems.texts.reports import RULES, Report, TreeReports, write_levels
from overstory.systems.texts.writers import RuleWriter

KEYS = {1: "a", 2: "b", 3: "ab"}
LEVELS = [[1, 2], [3]]
"""Two groups, and one of both."""


class Toys(NamedTuple):
    key: str
    parts: Sequence[Report]


class Rules(RuleWriter[Toys, Report]):
    fingerprint = "toy-rules:1"

    def text(self, group: Toys) -> Report:
        title = " and ".join(part.title for part in group.parts) or group.key.upper()
        return Report(group.key, title, "", 1.0, [], RULES, ())


def written(known: Mapping[str, Report]) -> TreeReports:
    def groups(nodes: Sequence[int], reports: Mapping[int, Report]) -> Iterator[Toys]:
        for node in nodes:
            yield Toys(KEYS[node], [reports[1], reports[2]] if node == 3 else [])

    return write_levels(LEVELS, groups, Rules(), known=known, progress=Silence())


def test_large_groups_are_described_by_the_reports_on_their_parts() -> None:
    found = written({})
    assert {node: report.title for node, report in found.of_node.items()} == {1: "A", 2: "B", 3: "A and B"}
    assert found.written == 3


def test_groups_with_the_same_content_keep_their_reports() -> None:
    old = Report("a", "Old A", "", 1.0, [], RULES, ())
    found = written({"a": old, "elsewhere": old})
    assert found.of_node[1] is old
    assert found.of_node[3].title == "Old A and B"
    assert found.written == 2
