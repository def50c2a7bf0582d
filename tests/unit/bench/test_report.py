from __future__ import annotations

import json
from io import StringIO

from rich.console import Console

from overstory.bench.metrics import Scores
from overstory.bench.report import as_objects, as_table
from overstory.bench.runner import BenchRow

ROWS = [
    BenchRow("dense", Scores(0.5, 0.75, 1.0, 0.5, 2 / 3), 12.3456, 20.0, 4.5, 50),
    BenchRow("lexi[cal]", Scores(0.25, 0.8, 1.0, 0.4, 0.5), 3.0, 5.0, 0.0, 50),
]


def test_the_objects_have_the_promised_keys_in_order() -> None:
    assert json.loads(json.dumps(as_objects(ROWS)))[0] == {
        "retriever": "dense",
        "R@2": 0.5,
        "R@5": 0.75,
        "R@10": 1.0,
        "all@5": 0.5,
        "nDCG@10": 0.666667,
        "p50_ms": 12.346,
        "p95_ms": 20.0,
        "index_s": 4.5,
        "queries": 50,
    }
    assert " ".join(as_objects(ROWS)[1]) == "retriever R@2 R@5 R@10 all@5 nDCG@10 p50_ms p95_ms index_s queries"


def test_the_table_has_one_line_a_retriever() -> None:
    console = Console(width=80, record=True, file=StringIO())
    console.print(as_table(ROWS))
    text = console.export_text()
    assert "nDCG@10" in text
    assert "0.667" in text
    assert "lexi[cal]" in text
    assert len(text.splitlines()) == 6  # with a rule below the head, and blank lines around
