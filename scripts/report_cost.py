"""Report the cost of test runs, and check that they ran every statement.

python -m scripts.report_cost [--statements] FILE…

pytest writes the files with `--cost FILE` (tests/cost.py). With --statements, the script only checks that every
statement was run, or is planned by tests/integration/graph/test_statements.py.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.integration.graph.test_statements import PLANNED

from overstory.graph.statements import statement_names


def main(arguments: Sequence[str]) -> int:
    files = [Path(each) for each in arguments if not each.startswith("--")]
    reports = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}
    if "--statements" not in arguments:
        _print(reports)
    ran = {name for report in reports.values() for name in report["plans"]}
    missing = [name for name in statement_names() if name not in ran | PLANNED]
    for name in missing:
        print(f"FAILED: no test runs the statement {name}: test it, or add it to PLANNED in test_statements.py")
    return int(bool(missing))


def _print(reports: Mapping[str, Mapping[str, Any]]) -> None:
    head = f"{'':44}{'tests':>7}{'CPU s':>8}{'Python':>8}{'Java':>8}{'planning':>10}"
    print(head)
    for part, report in reports.items():
        rows = report["tests"]
        _print_sums(part, rows)
        outside = report["python"] - sum(row["python"] for row in rows)
        print(f"  {'collection, imports':42}{'':7}{outside:8.1f}{outside:8.1f}")
        folders = defaultdict(list)
        for row in rows:
            folders["/".join(row["test"].split("::")[0].split("/")[1:-1][:3])].append(row)
        for folder, own in sorted(folders.items()):
            _print_sums(f"  {folder}", own)
    every = [row for report in reports.values() for row in report["tests"]]
    _print_sums("all", every)
    print(f"\nThe fifty most expensive tests\n{head[:37]:37}{head[51:]}")
    by_test: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in every:
        by_test[row["test"]].append(row)
    for test in sorted(by_test, key=lambda test: -_cpu(by_test[test]))[:50]:
        print(f"{_columns(by_test[test])}  {test}")
    plans: Counter[str] = Counter()
    for report in reports.values():
        plans.update(report["plans"])
    print(f"\nStatements planned most often, of {sum(plans.values()):,} plans")
    for name, times in plans.most_common(30):
        print(f"{times:8,}  {name.splitlines()[0][:100]}")


def _print_sums(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    tests = len({row["test"] for row in rows})
    print(f"{name:44}{tests:7,}{_columns(rows)}")


def _columns(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return CPU seconds in total, of Python, of Java, and of Java's query planning."""
    return f"{_cpu(rows):8.1f}{_sum(rows, 'python'):8.1f}{_sum(rows, 'java'):8.1f}{_sum(rows, 'planning'):10.1f}"


def _cpu(rows: Iterable[Mapping[str, Any]]) -> float:
    return float(sum(row["python"] + row["java"] for row in rows))


def _sum(rows: Iterable[Mapping[str, Any]], what: str) -> float:
    return float(sum(row[what] for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
