"""Benchmark results side by side: a table for people, a list of objects for programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from overstory.bench.runner import BenchRow

_MEASURES: tuple[tuple[str, Callable[[BenchRow], float]], ...] = (
    ("R@2", lambda row: row.scores.recall_2),
    ("R@5", lambda row: row.scores.recall_5),
    ("R@10", lambda row: row.scores.recall_10),
    ("all@5", lambda row: row.scores.all_5),
    ("nDCG@10", lambda row: row.scores.ndcg_10),
)


def as_objects(rows: Sequence[BenchRow]) -> list[dict[str, str | float | int]]:
    """One object a retriever, with the keys that `overstory bench --json` promises."""
    return [
        {"retriever": row.retriever}
        | {name: round(measure(row), 6) for name, measure in _MEASURES}
        | {"p50_ms": round(row.p50_ms, 3), "p95_ms": round(row.p95_ms, 3), "index_s": round(row.index_s, 3)}
        | {"queries": row.queries}
        for row in rows
    ]


def as_table(rows: Sequence[BenchRow]) -> Table:
    """One line a retriever; the best value of each metric is bold when there are several."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    table.add_column("retriever", overflow="fold")
    for name, _ in _MEASURES:
        table.add_column(name, justify="right")
    for name in ("ms p50", "ms p95", "index s"):
        table.add_column(name, justify="right")
    best = [max((measure(row) for row in rows), default=0.0) for _, measure in _MEASURES]
    for row in rows:
        metrics = [
            _metric(measure(row), best=top if len(rows) > 1 else None)
            for (_, measure), top in zip(_MEASURES, best, strict=True)
        ]
        times = (f"{row.p50_ms:.1f}", f"{row.p95_ms:.1f}", f"{row.index_s:.1f}")
        table.add_row(escape(row.retriever), *metrics, *times)
    return table


def _metric(value: float, *, best: float | None) -> str:
    return f"[bold]{value:.3f}[/bold]" if value == best else f"{value:.3f}"
