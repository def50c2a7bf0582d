"""Reports on the groups of a tree, level by level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from overstory.protocols import Silence
from overstory.systems.texts.reports import RULES, Report, TreeReports, write_levels
from overstory.systems.texts.writing import RuleWriter

LEVELS = ({1: "a", 2: "b"}, {3: "ab"})
"""Two groups, and one of both."""


class Rules(RuleWriter[tuple[str, Sequence[Report]], Report]):
    fingerprint = "toy-rules:1"

    def text(self, group: tuple[str, Sequence[Report]]) -> Report:
        key, parts = group
        return Report(key, " and ".join(part.title for part in parts) or key.upper(), "", 1.0, [], RULES, ())


def written(known: Mapping[str, Report]) -> TreeReports:
    def groups(nodes: Sequence[int], reports: Mapping[int, Report]) -> Iterator[tuple[str, Sequence[Report]]]:
        keys = LEVELS[0] | LEVELS[1]
        for node in nodes:
            yield keys[node], [reports[1], reports[2]] if node == 3 else []

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
