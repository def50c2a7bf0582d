"""benchmarks/reasons.py: how judged reasons are counted."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.reasons import table


def test_reasons_are_counted_by_judgement(tmp_path: Path) -> None:
    judged = {
        "is about 23": "false",
        "mentions Ulm": "true",
        "names Ulm": None,
        "contains words of the question: a": "true",
    }
    rows = [{"corpus": "demo", "reason": reason, "judged": each} for reason, each in judged.items()]
    file = tmp_path / "before.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert list(table([file]))[-1] == "| before, demo | 3 | 1 (33.3%) | 1 (33.3%) | 0 (0.0%) | 1 | 1 |"
