"""A pytest plugin that measures what tests cost, and watches what they ask of the shared server.

For each phase of each test it counts CPU seconds of Python, with its child processes, and of the server's Java. Query
planning is estimated: the server plans a statement at its first execution after a change of the schema, so the time of
that execution beyond the statement's usual time counts as planning.

It fails tests that change the schema without the mark `changes_schema`, because the server then forgets all plans, and
a run in which the server warns of a statement (deprecated, a Cartesian product, an unbounded pattern).

`scripts/report_cost.py` reports on what runs with `--cost FILE` wrote.
"""

from __future__ import annotations

import functools
import json
import logging
import os
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import neo4j
import psutil
import pytest
from neo4j._sync.work.transaction import TransactionBase

from overstory.graph.statements import statement, statement_names

EXPENSIVE_SECONDS = 1.0
"""CPU seconds without planning from which a test without a mark is listed at the end of a run."""

# A small graph lacks many kinds and properties, and indexes are created IF NOT EXISTS.
_UNREMARKABLE = ["UNRECOGNIZED", "SCHEMA"]

_LABEL = re.compile(r"Corpus_[0-9a-f]{16}(_\w+)?|IndexSet_\d+")
_SCHEMA_CHANGE = re.compile(r"^(CREATE|DROP) (?!\()", re.MULTILINE)


@dataclass
class Phase:
    """CPU seconds and statements of one phase of a test."""

    python: float = 0.0
    java: float = 0.0
    statements: int = 0
    changes: list[str] = field(default_factory=list)
    planned: list[tuple[str, float]] = field(default_factory=list)


class Cost:
    """Costs of all phases of all tests of a run."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._server: psutil.Process | None = None
        self._java = 0.0
        self._end: tuple[float, float] | None = None
        self._phases: dict[tuple[str, str], Phase] = defaultdict(Phase)
        self._now = Phase()
        self._preparing = False
        self._marked: set[str] = set()
        self._planned: set[str] = set()
        self._usual: dict[str, list[float]] = defaultdict(list)
        self._plans: Counter[str] = Counter()
        self._notifications: dict[str, str] = {}
        self._began = time.time()

    def watch(self, server: int) -> None:
        """Count the CPU of this process as Java's from now on."""
        self._server = psutil.Process(server)
        self._now.java -= self._used()[1]

    def unwatch(self) -> None:
        """Stop counting: when the server ends, its CPU counts as that of a child process."""
        self._end = self._used()

    @contextmanager
    def preparing(self) -> Generator[None]:
        """Allow changes of the schema: for fixtures of the whole run."""
        self._preparing = True
        try:
            yield
        finally:
            self._preparing = False

    def ran(self, text: str, seconds: float) -> None:
        """Count an execution of a statement."""
        self._now.statements += 1
        if _changes_schema(text):
            self._planned.clear()
            if not self._preparing:
                self._now.changes.append(text)
        if text in self._planned:
            self._usual[text].append(seconds)
        else:
            self._planned.add(text)
            self._plans[text] += 1
            self._now.planned.append((text, seconds))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        return (yield from self._measured(item, "setup"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        return (yield from self._measured(item, "call"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        return (yield from self._measured(item, "teardown"))

    def notified(self, notification: str) -> None:
        """Keep what the server remarks of a statement."""
        self._notifications.setdefault(notification, os.environ.get("PYTEST_CURRENT_TEST", ""))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._notifications:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(json.dumps(self._report()), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for notification, test in self._notifications.items():
            terminalreporter.line(f"FAILED: the server warns of a statement in {test}: {notification}")
        expensive = [
            (seconds, test)
            for test, seconds in seconds_without_planning(self._rows()).items()
            if seconds > EXPENSIVE_SECONDS and test not in self._marked
        ]
        if expensive:
            terminalreporter.section(f"tests over {EXPENSIVE_SECONDS:g} CPU s without planning, not marked slow")
        for seconds, test in sorted(expensive, reverse=True):
            terminalreporter.line(f"{seconds:6.1f}  {test}")

    def _measured(self, item: pytest.Item, when: str) -> Generator[None, object, object]:
        if item.get_closest_marker("slow") is not None:
            self._marked.add(item.nodeid)
        self._now = phase = self._phases[item.nodeid, when]
        python, java = self._used()
        try:
            result = yield
        finally:
            python_after, java_after = self._used()
            phase.python += python_after - python
            phase.java += java_after - java
            self._now = Phase()
        if phase.changes and when != "teardown" and item.get_closest_marker("changes_schema") is None:
            raise AssertionError(
                "Changes the schema, after which the server plans every statement again: mark it changes_schema.\n"
                + phase.changes[0]
            )
        return result

    def _used(self) -> tuple[float, float]:
        """CPU seconds of Python and of Java until now."""
        if self._end is not None:
            return self._end
        if self._server is not None:
            with suppress(psutil.Error):  # it has ended
                times = self._server.cpu_times()
                self._java = times.user + times.system
        return sum(os.times()[:4]), self._java

    def _rows(self) -> list[dict[str, Any]]:
        usual = {text: statistics.median(seconds) for text, seconds in self._usual.items()}
        return [
            {
                "test": test,
                "when": when,
                "python": phase.python,
                "java": phase.java,
                "planning": min(phase.java, sum(max(0.0, took - usual.get(text, 0.0)) for text, took in phase.planned)),
                "plans": len(phase.planned),
                "statements": phase.statements,
            }
            for (test, when), phase in self._phases.items()
        ]

    def _report(self) -> dict[str, Any]:
        names = _names_of_statements()
        plans: Counter[str] = Counter()
        for text, times in self._plans.items():
            plans[names.get(_normal(text), text)] += times
        return {"wall": time.time() - self._began, "python": self._used()[0], "tests": self._rows(), "plans": plans}


def install(config: pytest.Config, file: Path | None) -> Cost:
    """Measure this run, and write what it cost to `file`."""
    cost = Cost(file)
    config.pluginmanager.register(cost, "overstory-cost")
    neo4j.Session.run = _timed(neo4j.Session.run, cost.ran)  # type: ignore[method-assign]
    TransactionBase.run = _timed(TransactionBase.run, cost.ran)  # type: ignore[method-assign]
    neo4j.GraphDatabase.driver = _notifying(neo4j.GraphDatabase.driver)  # type: ignore[method-assign]
    log = logging.getLogger("neo4j.notifications")
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(_Notifications(cost))
    return cost


class _Notifications(logging.Handler):
    """Hears from the driver what the server remarks of statements."""

    def __init__(self, cost: Cost) -> None:
        super().__init__()
        self._cost = cost

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        # Ours, not a user's that a test makes up. Properties by a parameter have no index (03N95), and need none.
        if "// Rows:" in text and "03N95" not in text:
            self._cost.notified(text)


def _timed(run: Callable[..., Any], ran: Callable[[str, float], None]) -> Callable[..., Any]:
    @wraps(run)
    def timed(self: object, query: str | neo4j.Query, *given: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return run(self, query, *given, **named)  # returns when the statement is planned
        finally:
            ran(query.text if isinstance(query, neo4j.Query) else query, time.perf_counter() - began)

    return timed


def _notifying(driver: Callable[..., neo4j.Driver]) -> Callable[..., neo4j.Driver]:
    """Drivers that ask the server for notifications, which ours do not."""

    @wraps(driver)
    def notifying(*given: Any, **named: Any) -> neo4j.Driver:
        asked = {
            "notifications_min_severity": "INFORMATION",
            "notifications_disabled_classifications": _UNREMARKABLE,
        }
        return driver(*given, **named | asked)

    return notifying


@functools.cache
def _changes_schema(text: str) -> bool:
    return _SCHEMA_CHANGE.search(text) is not None


def _normal(text: str) -> str:
    """A statement's text without labels of corpora and index sets, and as before its parameters were put into a map."""
    return _LABEL.sub("", text.removeprefix("PROFILE ")).replace("$given.", "$")


def _names_of_statements() -> dict[str, str]:
    """The names of our statements by their normal texts."""
    label = "Corpus_0123456789abcdef"
    found: dict[str, str] = {}
    for name in statement_names():
        for given in (label, f"{label}_Entity", "IndexSet_1"):
            try:
                found[_normal(statement(name, given))] = name
            except ValueError:
                continue
    return found


def seconds_without_planning(rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """CPU seconds of each test's call: its fixtures are shared, and plans depend on the order of tests."""
    return {row["test"]: row["python"] + row["java"] - row["planning"] for row in rows if row["when"] == "call"}
