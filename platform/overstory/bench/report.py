"""Benchmark results: a table for people, a list of objects for programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from overstory.bench.answer_metrics import AnswerScores
from overstory.bench.bootstrap import Interval, difference_interval, mean_interval
from overstory.bench.metrics import Scores
from overstory.bench.runner import BenchResult

Measure = Callable[[Scores], float]

_MEASURES: tuple[tuple[str, Measure], ...] = (
    ("R@2", lambda scores: scores.recall_2),
    ("R@5", lambda scores: scores.recall_5),
    ("R@10", lambda scores: scores.recall_10),
    ("all@5", lambda scores: scores.all_5),
    ("nDCG@10", lambda scores: scores.ndcg_10),
)
_ANSWER_MEASURES: tuple[tuple[str, Callable[[AnswerScores], float]], ...] = (
    ("EM", lambda scores: scores.exact),
    ("F1", lambda scores: scores.f1),
    ("ROUGE-L", lambda scores: scores.rouge_l),
    ("substring", lambda scores: scores.substring),
    ("answered", lambda scores: scores.answered),
    ("uncited", lambda scores: scores.uncited),
)
_SHARES = ("answered", "uncited")
"""Measures of answers of which no value is the best."""
_SPANNED = ("R@5", "all@5")
"""The metrics shown with intervals."""


def as_objects(results: Sequence[BenchResult], *, intervals: bool = False) -> list[dict[str, str | float | int]]:
    """One object per retriever, with the documented keys of `overstory bench --json`.

    Args:
        intervals: append `R@5_low`, `R@5_high`, `all@5_low` and `all@5_high`.

    Results with answers have their metrics at the end, and the `kind` of the answers.
    """
    return [_object(result) | (_bounds(result) if intervals else {}) | _answers(result) for result in results]


def as_table(results: Sequence[BenchResult], *, intervals: bool = False) -> Table:
    """One line per retriever; with several, the best value of each metric is bold.

    Args:
        intervals: add a second line with the 95 % bootstrap intervals below R@5 and all@5.
    """
    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    table.add_column("retriever", overflow="fold")
    for name, _ in _MEASURES:
        table.add_column(name, justify="right")
    for name in ("ms p50", "ms p95", "index s"):
        table.add_column(name, justify="right")
    best = [max((measure(each.row.scores) for each in results), default=0.0) for _, measure in _MEASURES]
    for result in results:
        row = result.row
        metrics = [
            _metric(measure(row.scores), best=top if len(results) > 1 else None)
            for (_, measure), top in zip(_MEASURES, best, strict=True)
        ]
        times = (f"{row.p50_ms:.1f}", f"{row.p95_ms:.1f}", f"{row.index_s:.1f}")
        table.add_row(escape(row.retriever), *metrics, *times)
        if intervals:
            spans = (_span(interval_of(result, measure)) if name in _SPANNED else "" for name, measure in _MEASURES)
            table.add_row("  95 %", *spans)
    return table


def as_answer_table(results: Sequence[BenchResult]) -> Table:
    """The metrics of answers: one line for each retriever with answers."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    table.add_column("retriever", overflow="fold")
    for name, _ in _ANSWER_MEASURES:
        table.add_column(name, justify="right")
    table.add_column("kind")
    answers = [result.answers for result in results if result.answers]
    best = [max((measure(row.scores) for row in answers), default=0.0) for _, measure in _ANSWER_MEASURES]
    for result in results:
        if row := result.answers:
            metrics = (
                _metric(measure(row.scores), best=top if len(answers) > 1 and name not in _SHARES else None)
                for (name, measure), top in zip(_ANSWER_MEASURES, best, strict=True)
            )
            table.add_row(escape(result.row.retriever), *metrics, row.kind)
    return table


def interval_of(result: BenchResult, measure: Measure) -> Interval:
    """The 95 % bootstrap interval of a metric over the questions of a result."""
    return mean_interval([measure(scores) for scores in result.scores.values()])


def difference_of(result: BenchResult, other: BenchResult, measure: Measure) -> Interval:
    """The difference of a metric to another retriever's on the same questions, with its 95 % interval."""
    if result.scores.keys() != other.scores.keys():
        raise ValueError(f"{result.row.retriever} and {other.row.retriever} were not asked the same questions")
    return difference_interval(
        [measure(scores) for scores in result.scores.values()],
        [measure(other.scores[question]) for question in result.scores],
    )


def _object(result: BenchResult) -> dict[str, str | float | int]:
    row = result.row
    return (
        {"retriever": row.retriever}
        | {name: round(measure(row.scores), 6) for name, measure in _MEASURES}
        | {"p50_ms": round(row.p50_ms, 3), "p95_ms": round(row.p95_ms, 3), "index_s": round(row.index_s, 3)}
        | {"queries": row.queries}
    )


def _answers(result: BenchResult) -> dict[str, str | float | int]:
    row = result.answers
    if row is None:
        return {}
    return {name: round(measure(row.scores), 6) for name, measure in _ANSWER_MEASURES} | {"kind": row.kind}


def _bounds(result: BenchResult) -> dict[str, str | float | int]:
    bounds: dict[str, str | float | int] = {}
    for name, measure in _MEASURES:
        if name in _SPANNED:
            interval = interval_of(result, measure)
            bounds |= {f"{name}_low": round(interval.low, 6), f"{name}_high": round(interval.high, 6)}
    return bounds


def _metric(value: float, *, best: float | None) -> str:
    return f"[bold]{value:.3f}[/bold]" if value == best else f"{value:.3f}"


def _span(interval: Interval) -> str:
    """Two digits each, ".59–.66" or ".97–1.0", so that a line fits 80 columns."""
    low, high = (f"{bound:.2f}".removeprefix("0")[:3] for bound in (interval.low, interval.high))
    return f"{low}–{high}"
