"""What became of questions: tables for people, objects for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from overstory.bench.outcomes import Measured, Outcome, measures, milliseconds
from overstory.display import on_one_line, shortened

_LONGEST_CELL_CHARACTERS = 120
"""Characters of an answer in a table."""

Outcomes = Mapping[str, Sequence[Outcome]]
"""By retriever."""


def as_measure_table(outcomes: Outcomes) -> Table:
    """A line for each measure that there are questions for, a column for each retriever."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 1), pad_edge=False)
    table.add_column("")
    for name in outcomes:
        table.add_column(escape(name), justify="right")
    for row in zip(*(measures(each) for each in outcomes.values()), strict=True):
        if any(measured.of for measured in row):
            table.add_row(row[0].name, *map(_shown, row))
    times = [milliseconds(each) for each in outcomes.values()]
    table.add_row("ms p50", *(f"{p50:.0f}" for p50, _ in times))
    table.add_row("ms p95", *(f"{p95:.0f}" for _, p95 in times))
    return table


def as_failure_table(outcomes: Sequence[Outcome]) -> Table:
    """A line for each question whose answer is not as expected."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for name in ("", "question", "expected", "said", "cited", "why"):
        table.add_column(name, overflow="fold")
    for outcome in outcomes:
        if outcome.failures:
            cells = (
                outcome.asked.id.removeprefix("line "),
                outcome.asked.text,
                _expected(outcome),
                outcome.answer.short or f"({outcome.answer.state.replace('_', ' ')})",
                ", ".join(outcome.cited),
                ", ".join(outcome.failures),
            )
            table.add_row(*(escape(shortened(on_one_line(cell), _LONGEST_CELL_CHARACTERS)) for cell in cells))
    return table


def as_objects(outcomes: Outcomes) -> list[dict[str, object]]:
    """One object per retriever, with the documented keys of `overstory bench --answers FILE --json`."""
    return [_object(name, each) for name, each in outcomes.items()]


def _object(retriever: str, outcomes: Sequence[Outcome]) -> dict[str, object]:
    p50, p95 = milliseconds(outcomes)
    return {
        "retriever": retriever,
        "questions": len(outcomes),
        "answerable": sum(outcome.asked.answerable for outcome in outcomes),
        "kind": "+".join(sorted({outcome.answer.kind for outcome in outcomes})),
        "measures": {each.name.replace(" ", "_"): _values(each) for each in measures(outcomes)},
        "p50_ms": round(p50, 3),
        "p95_ms": round(p95, 3),
        "answers": [_answer(outcome) for outcome in outcomes],
    }


def _values(measured: Measured) -> dict[str, float | int | None]:
    interval = measured.interval
    mean, low, high = (None,) * 3 if interval is None else (interval.mean, interval.low, interval.high)
    return {"mean": _rounded(mean), "low": _rounded(low), "high": _rounded(high), "of": measured.of}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _answer(outcome: Outcome) -> dict[str, object]:
    asked, answer, scores = outcome.asked, outcome.answer, outcome.scores
    return {
        "id": asked.id,
        "question": asked.text,
        "expected": asked.answers,
        "answerable": asked.answerable,
        "sources": asked.named,
        "short": answer.short,
        "answer": answer.text,
        "kind": answer.kind,
        "state": answer.state,
        "guess": answer.guess,
        "cited": outcome.cited,
        "failures": outcome.failures,
        "EM": None if scores is None else scores.exact,
        "F1": None if scores is None else _rounded(scores.f1),
        "substring": None if scores is None else scores.substring,
        "citations_right": _rounded(outcome.precision),
        "sources_cited": _rounded(outcome.recall),
        "unsupported": answer.unsupported,
        "notes": answer.notes,
        "ms": round(outcome.seconds * 1000.0, 3),
    }


def _shown(measured: Measured) -> str:
    if measured.interval is None:
        return "–"
    mean, low, high = measured.interval.mean, measured.interval.low, measured.interval.high
    return f"{mean:.3f} [{low:.2f}–{high:.2f}] of {measured.of}"


def _expected(outcome: Outcome) -> str:
    if not outcome.asked.answerable:
        return "(not in the documents)"
    sources = f" [{', '.join(outcome.asked.named)}]" if outcome.asked.named else ""
    return f"{' | '.join(outcome.asked.answers)}{sources}".strip()
