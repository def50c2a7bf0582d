"""The output of benchmarks/speed.py, and the counts of benchmarks/updates.py and curves.py."""

from __future__ import annotations

import dataclasses
import datetime
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from benchmarks.curves import Axis, Point, add_points, picture, read_points, short
from benchmarks.measurements import Cost, Spread
from benchmarks.speed import (
    RELEASED,
    Release,
    Yardstick,
    comparison,
    ratios,
    read_release,
    relative,
    report,
    write_release,
)
from benchmarks.updates import OPEN, Update, backwards, points, ran, rows

from overstory.index import StageRecord

NOW = Release(
    "0.2.0", "2026-11-22", "a machine", {"question: canopy p50": Spread(1.5, 1.4, 1.7), "new": Spread(2, 2, 2)}
)
LAST = Release(
    "0.1.0", "2026-11-01", "another", {"question: canopy p50": Spread(3.0, 2.8, 3.1), "old": Spread(1, 1, 1)}
)


def stage(name: str, second: int, seconds: float = 1.0) -> StageRecord:
    started = datetime.datetime(2026, 11, 22, 0, 0, second, tzinfo=datetime.UTC)
    return StageRecord(name, "", "done", started, started, seconds, 0, {}, 1)


def test_figures_stand_beside_those_of_the_last_release() -> None:
    lines = report(NOW, LAST)
    assert "| question: canopy p50 | 1.50 (1.40–1.70) | 3.00 (2.80–3.10) | **0.50** |" in lines
    assert "| new | 2.00 | – | – |" in lines
    assert lines[-1] == "Not measured now: old."
    assert "| question: canopy p50 | 1.50 (1.40–1.70) |" in report(NOW, None)


def test_figures_of_all_systems_are_compared_with_those_of_the_same_systems_only() -> None:
    same = {name: Spread(2, 2, 2) for name in ("index: serag", "one document: add", "one document: add, serag")}
    now, last = dataclasses.replace(NOW, figures=same), dataclasses.replace(LAST, figures=same)
    assert "| one document: add | 2.00 | 2.00 | 1.00 |" in report(now, last)
    now = dataclasses.replace(now, figures=same | {"index: apr": Spread(1, 1, 1)})
    assert "| one document: add | 2.00 | – | – |" in report(now, last)
    assert "| one document: add, serag | 2.00 | 2.00 | 1.00 |" in report(now, last)
    assert report(now, last)[-1].endswith("the systems are others.")


def test_a_difference_within_the_spread_is_not_bold() -> None:
    assert comparison(Spread(2.0, 1.0, 3.0), Spread(2.5, 2.0, 4.0)) == "0.80"
    assert comparison(Spread(2.0, 1.9, 2.1), Spread(0.0, 0.0, 0.0)) == "–"


def test_figures_that_are_kept_are_read_again(tmp_path: Path) -> None:
    write_release(NOW, tmp_path / "speed.json")
    assert read_release(tmp_path / "speed.json") == NOW
    assert read_release(tmp_path / "none.json") is None


def test_those_of_the_repository_can_be_read() -> None:
    kept = read_release(RELEASED)
    assert kept is not None
    assert kept.figures


def test_ratios_are_taken_round_by_round() -> None:
    assert ratios([2.0, 8.0, 3.0], [1.0, 2.0, 1.0]) == Spread(3.0, 2.0, 4.0)
    assert relative(8.0, Spread(2.0, 1.0, 4.0), chunks=2) == Spread(2.0, 1.0, 4.0)


def test_the_yardstick_is_laid_on_before_and_after() -> None:
    calls: list[str] = []
    yardstick = Yardstick(lambda texts: calls.append(f"embed {len(texts)}"), ["a", "b"])
    yardstick.around(lambda: calls.append("first"))
    yardstick.around(lambda: calls.append("second"))
    assert calls == ["embed 2", "first", "embed 2", "second", "embed 2"]


def test_stages_that_ran_are_those_with_another_start() -> None:
    before = [stage("embed", 1), stage("extract", 1)]
    after = [stage("embed", 1), stage("extract", 2), stage("mentions", 3)]
    assert [each.name for each in ran(before, after)] == ["extract", "mentions"]


def test_updates_are_a_row_with_all_stages_and_points_for_curves() -> None:
    one, two = (Update(Cost(n, n), Cost(1.0, 0.5), {"embed": n}) for n in (1.0, 3.0))
    found = {("small", OPEN, "add"): [one, two], ("small", OPEN, "delete"): [dataclasses.replace(one, stages={})]}
    head, added, deleted = rows(found, {"small": 1_000})
    assert head[-2:] == ["index", "embed"]
    assert added == ["1,000", OPEN, "add", "3.00 (2.00–4.00)", "2.50 (1.50–3.50)", "2.00", "1.00", "2.00"]
    assert deleted[-1] == "0.00"
    assert Point(f"one document, {OPEN}: s", "add", 1_000, 3.0) in points(found, {"small": 1_000})
    assert Point("one document, add, stages: s", "embed", 1_000, 2.0) in points(found, {"small": 1_000})


def test_sentences_come_backwards() -> None:
    assert backwards("Ada was born in London. She wrote a program.") == "She wrote a program.\nAda was born in London."


def test_newer_figures_replace_older_ones(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    add_points(file, [Point("ms", "dense", 6_000, 12.0), Point("ms", "canopy", 6_000, 24.0)])
    add_points(file, [Point("ms", "dense", 6_000, 13.0), Point("ms", "dense", 26_000, 17.0)])
    assert {(each.series, each.chunks): each.value for each in read_points(file)} == {
        ("canopy", 6_000): 24.0,
        ("dense", 6_000): 13.0,
        ("dense", 26_000): 17.0,
    }


def test_a_picture_has_a_panel_for_each_chart_and_a_line_for_each_series() -> None:
    made = [
        Point(chart, name, size, size / 1_000) for chart in ("a & b", "c") for name in "xy" for size in (1_000, 63_000)
    ]
    drawn = Xml.fromstring(picture(made, ["a & b", "c"]))  # noqa: S314 (our own)
    assert sum(each.tag.endswith("polyline") for each in drawn.iter()) == 4
    texts = [each.text for each in drawn.iter() if each.tag.endswith("text")]
    assert {"a & b", "c", "x", "y", "63k"} <= set(texts)


def test_an_axis_is_logarithmic() -> None:
    axis = Axis(1.0, 100.0)
    assert [axis.share(value) for value in (1.0, 10.0, 100.0)] == [0.0, 0.5, 1.0]
    assert axis.ticks() == [1, 2, 5, 10, 20, 50, 100]
    assert Axis.over([2.0, 2.5]) == Axis(1.6, 3.125)
    assert Axis.over([2.0, 2.5], 10.0).high / Axis.over([2.0, 2.5], 10.0).low == pytest.approx(10.0)
    assert [short(value) for value in (0.05, 20.0, 6_761)] == ["0.05", "20", "6.76k"]
