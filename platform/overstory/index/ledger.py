"""The ledger: what each stage did to a corpus, with which settings, at what cost, stored with the data."""

from __future__ import annotations

import datetime
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

from overstory.cancelling import WorkCancelled, cancellable
from overstory.errors import DatabaseError, DatabaseUnreachable, LlmCancelled
from overstory.graph import Corpus, GraphClient, Writer
from overstory.graph.ids import stage_id
from overstory.graph.lease import current_token

_COUNT = "count_"
_INTERRUPTIONS = (KeyboardInterrupt, GeneratorExit, LlmCancelled, WorkCancelled)

_LEAST_ITEMS_MEASURED = 100
"""A run that handled fewer says little about how fast its stage is: loading a model takes longer."""

StageStatus = Literal["running", "done", "stopped", "failed", "interrupted"]
"""A stage is stopped by its user, and interrupted where its process was killed, or lost the database."""


@dataclass(slots=True)
class StageRun:
    """A running stage, which adds up its counts and tokens here."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    tokens: int = 0

    def count(self, what: str, number: int) -> None:
        self.counts[what] = self.counts.get(what, 0) + number


@dataclass(frozen=True, slots=True)
class StageRecord:
    """A line of the ledger: the last run of a stage.

    Attributes:
        fingerprint: changes when the stage would do something else.
        seconds: of the last run alone.
        version: the corpus' version when it ended.
        at, total: how far a stage came that was stopped, and how far it would have gone, in its units; None if unknown.
    """

    name: str
    fingerprint: str
    status: StageStatus
    started: datetime.datetime
    finished: datetime.datetime | None
    seconds: float
    tokens: int
    counts: dict[str, int]
    version: int
    at: int | None = None
    total: int | None = None


@contextmanager
def recorded(writer: Writer, name: str, fingerprint: str, *, of: tuple[str, int] | None = None) -> Generator[StageRun]:
    """Records a stage as running, then as done, stopped (interrupted) or failed, with its counts, seconds and tokens.

    Args:
        of: what the stage counts as it goes, and how many of these there are.
    """
    run = StageRun()
    began = time.perf_counter()
    started = _now()
    _write(writer, name, fingerprint=fingerprint, status="running", started=started, finished=None, at=None, total=None)
    try:
        yield run
    except DatabaseUnreachable:
        raise  # nobody is there to be told
    except BaseException as error:
        status: StageStatus = "stopped" if isinstance(error, _INTERRUPTIONS) else "failed"
        unit, total = of or ("", None)
        with suppress(DatabaseError), cancellable(None):  # the first error matters more
            _write(
                writer,
                name,
                status=status,
                finished=_now(),
                seconds=round(time.perf_counter() - began, 3),
                tokens=run.tokens,
                at=run.counts.get(unit, 0) if of else None,
                total=total,
                **_speed(run, unit, fingerprint, began),
            )
        raise
    _write(
        writer,
        name,
        status="done",
        finished=_now(),
        seconds=round(time.perf_counter() - began, 3),
        tokens=run.tokens,
        version=writer.corpus.version,
        **_speed(run, of[0] if of else "", fingerprint, began),
        **{_COUNT + what: number for what, number in run.counts.items()},
    )


def _speed(run: StageRun, unit: str, fingerprint: str, began: float) -> dict[str, object]:
    """What `corpus/stage_speeds` reads; nothing for a short run, so that the last long one stays."""
    units = run.counts.get(unit, 0)
    if units < _LEAST_ITEMS_MEASURED:
        return {}
    return {
        "measured": _now(),
        "measured_by": fingerprint,
        "measured_units": units,
        "measured_seconds": round(time.perf_counter() - began, 3),
    }


def forget(writer: Writer, name: str) -> None:
    """Removes the ledger line of a stage whose work was removed."""
    label = writer.corpus.label
    writer.commit(name, lambda tx: tx.run("corpus/remove_stage", label, id=stage_id(label, name)))


def read_ledger(graph: GraphClient, corpus: Corpus) -> list[StageRecord]:
    """The last run of each stage, in order of their starts. One that was killed is still stored as running: it is
    interrupted unless the writer that began it still holds the lease."""
    stages = [row["stage"] for row in graph.run("corpus/read_stages", corpus.label, read=True)]
    writer = current_token(graph, corpus) if any(stage["status"] == "running" for stage in stages) else ""
    records: list[StageRecord] = []
    for stage in stages:
        finished = stage.get("finished")
        killed = stage["status"] == "running" and stage.get("writer_token") != writer
        records.append(
            StageRecord(
                name=stage["name"],
                fingerprint=stage["fingerprint"],
                status="interrupted" if killed else stage["status"],
                started=stage["started"].to_native(),
                finished=finished.to_native() if finished else None,
                seconds=stage.get("seconds", 0.0),
                tokens=stage.get("tokens", 0),
                counts={key.removeprefix(_COUNT): value for key, value in stage.items() if key.startswith(_COUNT)},
                version=stage.get("version", 0),
                at=stage.get("at"),
                total=stage.get("total"),
            )
        )
    return records


def _write(writer: Writer, name: str, **properties: object) -> None:
    corpus = writer.corpus
    writer.graph.run(
        "corpus/write_stage",
        corpus.label,
        token=writer.token,
        id=stage_id(corpus.label, name),
        name=name,
        properties=properties,
    )


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
