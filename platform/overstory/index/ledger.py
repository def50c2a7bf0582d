"""The ledger, which records the last run of each index stage; also counts of pending work, and time estimates."""

from __future__ import annotations

import datetime
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

from overstory.cancellation import WorkCancelled, cancellable
from overstory.errors import DatabaseError, DatabaseUnreachable, LlmCancelled
from overstory.graph import Corpus, GraphClient, Writer
from overstory.graph.ids import stage_id
from overstory.graph.lease import current_token
from overstory.machine import processors


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """Numbers of nodes and relationships. The server maintains them, so reading them takes constant time.

    Attributes:
        links: links between stored documents.
        unresolved: links to documents that are not stored.
        unembedded: chunks that the stage `embed` must process.
        unread: chunks that the stage `extract` must process. If the extractor has changed, the stage processes all
            chunks, regardless of this number.
        stale: entities and facts that the stage `entities` must process.
        renamed: chunks to which the stage `entities` must apply manual edits.
        changed: chunks and entities that changed since the stage `mentions` last ran.
        boilerplate_only: chunks that consist of boilerplate only.
        boilerplate: chunks that contain any boilerplate.
        boilerplate_stale: folders and documents that must be checked for boilerplate.
    """

    documents: int
    chunks: int
    vectors: int
    entities: int
    links: int
    unresolved: int
    unembedded: int
    unread: int
    stale: int
    renamed: int
    changed: int
    boilerplate_only: int
    boilerplate: int
    boilerplate_stale: int


def corpus_counts(graph: GraphClient, label: str) -> CorpusCounts:
    (row,) = graph.run("corpus/kept_counts", label, read=True)
    return CorpusCounts(**row)


USUAL_SECONDS = {"minilm-int8": 0.10, "minilm-fast": 0.04, "minilm-and-bge": 0.11, "spacy": 0.07}
"""CPU seconds per chunk, by kind of model.

They were measured on manuals: on two cores, 5,906 chunks took 305 s with minilm-int8, and 208 s with spaCy.
"""

_OTHER_STEPS_FACTOR = 1.1
"""The measured times are multiplied by this factor, because the other stages take about a tenth of these times."""

_MOST_RUNS_MEASURED = 5


@dataclass(frozen=True, slots=True)
class IndexTime:
    """An estimate of the indexing time.

    Attributes:
        measured: True if the estimate is based on earlier runs in this database. False if it is based on typical speeds
            of the built-in models, and on the number of processors of this machine.
    """

    seconds: float
    measured: bool


def estimate_index_time(
    graph: GraphClient, *, embed: int, extract: int, embedder: str, extractor: str, usual: bool
) -> IndexTime | None:
    """Estimate the time needed to index chunks. Return None if there are no chunks, or no speed is known.

    Args:
        embed, extract: number of chunks that the stages `embed` and `extract` must process.
        embedder, extractor: fingerprints of the embedder and the extractor.
        usual: True to use `USUAL_SECONDS` if nothing was measured. They hold only for the default spaCy pipeline.
    """
    seconds, measured = 0.0, True
    for stage, chunks, fingerprint in (("embed", embed, embedder), ("extract", extract, extractor)):
        if not chunks:
            continue
        rate = _seconds_a_chunk(graph, stage, fingerprint)
        if rate is None:
            if not usual or (kind := fingerprint.partition(":")[0]) not in USUAL_SECONDS:
                return None
            rate, measured = USUAL_SECONDS[kind] / processors(), False
        seconds += chunks * rate
    return IndexTime(_OTHER_STEPS_FACTOR * seconds, measured) if seconds else None


def _seconds_a_chunk(graph: GraphClient, stage: str, fingerprint: str) -> float | None:
    runs = graph.run("corpus/stage_speeds", read=True, name=stage, fingerprint=fingerprint, limit=_MOST_RUNS_MEASURED)
    units = sum(run["units"] for run in runs)
    return float(sum(run["seconds"] for run in runs) / units) if units else None


_COUNT = "count_"
_INTERRUPTIONS = (KeyboardInterrupt, GeneratorExit, LlmCancelled, WorkCancelled)

_LEAST_ITEMS_MEASURED = 100
"""Minimum number of items in a run from which the speed is measured. Shorter runs mostly load the model."""

StageStatus = Literal["running", "done", "stopped", "failed", "interrupted"]
"""State of a stage: "stopped" if the user ended it, "interrupted" if its process was killed or lost the database."""


@dataclass(slots=True)
class StageRun:
    """The counts and the token usage of a running stage."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    tokens: int = 0

    def count(self, what: str, number: int) -> None:
        self.counts[what] = self.counts.get(what, 0) + number


@dataclass(frozen=True, slots=True)
class StageRecord:
    """The last run of a stage, as stored in the ledger.

    Attributes:
        fingerprint: identifier of the model or code version. If it changes, the stage may produce another result.
        version: corpus version at the end of the run.
        at, total: for a stopped run, how many items were finished, and how many were planned; None if unknown.
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
    """Record a stage as running during a `with` block, then as done, stopped or failed.

    Its counts, duration and token usage are recorded, too.

    Args:
        of: what the stage counts, such as "chunks", and the number to process.
    """
    run = StageRun()
    began = time.perf_counter()
    started = _now()
    _write(writer, name, fingerprint=fingerprint, status="running", started=started, finished=None, at=None, total=None)
    try:
        yield run
    except DatabaseUnreachable:
        raise  # the database is unavailable, so nothing can be recorded
    except BaseException as error:
        status: StageStatus = "stopped" if isinstance(error, _INTERRUPTIONS) else "failed"
        unit, total = of or ("", None)
        with suppress(DatabaseError), cancellable(None):  # an error while recording must not hide the first error
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
    """Return the properties from which `corpus/stage_speeds` computes the speed.

    The result is {} for a short run, so that the properties of the last long run are kept.
    """
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
    label = writer.corpus.label
    writer.commit(name, lambda tx: tx.run("corpus/remove_stage", label, id=stage_id(label, name)))


def read_ledger(graph: GraphClient, corpus: Corpus) -> list[StageRecord]:
    """Return the last run of each stage, sorted by start time.

    A killed run is still stored as "running". It is returned as "interrupted" if its writer no longer holds the lease.
    """
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
