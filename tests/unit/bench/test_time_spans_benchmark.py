"""benchmarks/time_spans.py: a span is right if both ends are."""

from __future__ import annotations

from benchmarks.time_spans import ReadSpan, table


def test_precision_counts_spans_read_and_recall_spans_stated() -> None:
    spans = [
        ReadSpan("en", "since 2019", ("2019", None), ("2019", None)),
        ReadSpan("en", "until 2019", (None, "2019"), ("2019", None)),
        ReadSpan("de", "seit 2019", ("2019", None), (None, None)),
        ReadSpan("de", "Raum 2019", (None, None), (None, None)),
    ]
    assert list(table(spans))[1:] == [
        "| en | 2 | 2 | 2 | 1 | 0.500 | 0.500 |",
        "| de | 2 | 1 | 0 | 0 | – | 0.000 |",
        "| all | 4 | 3 | 2 | 1 | 0.500 | 0.333 |",
    ]
