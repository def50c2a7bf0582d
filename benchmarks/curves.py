"""Draw curves over the number of chunks as SVG, from figures that other benchmarks wrote.

    python -m benchmarks.growth small large --questions FILE --json figures.json
    python -m benchmarks.updates small large --json figures.json
    python -m benchmarks.curves figures.json --chart 'p50 ms' --chart 'p95 ms' --picture docs/images/questions.svg

A chart is a panel with one line per series. Both axes are logarithmic: a cost that grows with the corpus is a straight
slope, and a constant cost is level. Without --picture the charts are listed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path

WIDTH, HEIGHT, LEFT, TOP, GAP = 340, 240, 60, 44, 30
LINE_HEIGHT = 18
DECADE = 10.0
"""Least ratio of the ends of a panel's vertical axis, so that a small difference looks small."""
COLOURS = ("#2870C2", "#F79767", "#569480", "#C990C0", "#9AA1AC", "#D9A514", "#4C4F69", "#DA7194", "#8B5A2B", "#111111")


@dataclass(frozen=True, slots=True)
class Point:
    """One figure: the value of a series in a chart at a number of chunks."""

    chart: str
    series: str
    chunks: int
    value: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", type=Path, metavar="FILE")
    parser.add_argument("--chart", action="append", metavar="NAME", help="may be repeated")
    parser.add_argument("--picture", type=Path, metavar="FILE")
    given = parser.parse_args()
    points = read_points(given.figures)
    charts = list(dict.fromkeys(point.chart for point in points))
    unknown = sorted(set(given.chart or []) - set(charts))
    if unknown or given.picture is None:
        print(*([f"No figures for: {', '.join(unknown)}. Available charts:"] if unknown else []), *charts, sep="\n")
        return int(bool(unknown))
    given.picture.write_text(picture(points, given.chart or charts), encoding="utf-8")
    return 0


def read_points(file: Path) -> list[Point]:
    """Return the figures in a file; none if the file does not exist."""
    return [Point(**each) for each in json.loads(file.read_text(encoding="utf-8"))] if file.is_file() else []


def add_points(file: Path, new: Iterable[Point]) -> None:
    """Add figures to a file. They replace figures with the same chart, series and size."""
    known = {(each.chart, each.series, each.chunks): each for each in [*read_points(file), *new]}
    rows = [{**asdict(known[key]), "value": round(known[key].value, 4)} for key in sorted(known)]
    file.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")


def picture(points: Sequence[Point], charts: Sequence[str]) -> str:
    width = GAP + len(charts) * (LEFT + WIDTH + GAP)
    most = max(len({point.series for point in points if point.chart == chart}) for chart in charts)
    height = TOP + HEIGHT + 40 + LINE_HEIGHT * math.ceil(most / 2)
    names = list(dict.fromkeys(point.series for point in points if point.chart in charts))
    colours = dict(zip(names, itertools.cycle(COLOURS)))
    panels = [
        _panel([point for point in points if point.chart == chart], LEFT + place * (LEFT + WIDTH + GAP), colours)
        for place, chart in enumerate(charts)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="12" fill="#2A2C34">\n<rect width="{width}" height="{height}" fill="#FFFFFF"/>\n'
        f"{''.join(panels)}</svg>\n"
    )


def _panel(points: Sequence[Point], left: int, colours: dict[str, str]) -> str:
    values = [point.value for point in points if point.value > 0]
    x, y = Axis.over([point.chunks for point in points]), Axis.over(values, DECADE)
    bottom = TOP + HEIGHT

    def place(point: Point) -> tuple[float, float]:
        return left + WIDTH * x.share(point.chunks), bottom - HEIGHT * y.share(point.value)

    parts = [f'<text x="{left}" y="{TOP - 18}" font-weight="bold">{escape(points[0].chart)}</text>']
    for tick in y.ticks():
        at = bottom - HEIGHT * y.share(tick)
        parts.append(f'<path d="M{left},{at:.1f} h{WIDTH}" stroke="#E1E4EA"/>')
        parts.append(f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{short(tick)}</text>')
    for size in sorted({point.chunks for point in points}):
        at = left + WIDTH * x.share(size)
        parts.append(f'<path d="M{at:.1f},{bottom} v4" stroke="#2A2C34"/>')
        parts.append(f'<text x="{at:.1f}" y="{bottom + 18}" text-anchor="middle">{short(size)}</text>')
    parts.append(f'<path d="M{left},{TOP} V{bottom} H{left + WIDTH}" fill="none" stroke="#2A2C34"/>')
    for number, name in enumerate(dict.fromkeys(point.series for point in points)):
        line = sorted((point for point in points if point.series == name and point.value > 0), key=lambda p: p.chunks)
        drawn = [place(point) for point in line]
        joined = " ".join(f"{a:.1f},{b:.1f}" for a, b in drawn)
        parts.append(f'<polyline points="{joined}" fill="none" stroke="{colours[name]}" stroke-width="2"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colours[name]}"/>' for a, b in drawn]
        key_x, key_y = left + (number % 2) * WIDTH // 2, bottom + 36 + number // 2 * LINE_HEIGHT
        parts.append(f'<path d="M{key_x},{key_y} h18" stroke="{colours[name]}" stroke-width="3"/>')
        parts.append(f'<text x="{key_x + 24}" y="{key_y + 4}">{escape(name)}</text>')
    return "\n".join(parts) + "\n"


@dataclass(frozen=True, slots=True)
class Axis:
    """A logarithmic axis from `low` to `high`, which are positive and different."""

    low: float
    high: float

    @classmethod
    def over(cls, values: Sequence[float], factor: float = 1.0) -> Axis:
        """Return an axis with some space at both ends; its high end is at least `factor` times the low end."""
        low, high = min(values) / 1.25, max(values) * 1.25
        wider = max(1.0, math.sqrt(factor * low / high))
        return cls(low / wider, high * wider)

    def share(self, value: float) -> float:
        return math.log(value / self.low) / math.log(self.high / self.low)

    def ticks(self) -> list[float]:
        """Return 1, 2 and 5 times the powers of ten, or only the powers if there are many."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        steps = (1, 2, 5) if len(powers) <= 4 else (1,)
        return [step * 10.0**power for power in powers for step in steps if self.low <= step * 10.0**power <= self.high]


def short(value: float) -> str:
    """Return a number as a label: 0.05, 20, 63k."""
    if value >= 1_000:
        return f"{value / 1_000:,.3g}k"
    return f"{value:g}"


if __name__ == "__main__":
    sys.exit(main())
