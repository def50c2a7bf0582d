"""The ledger: what each stage did to a corpus, with which settings, at what cost, stored with the data; what is left
for the stages, and an estimate of how long that takes."""

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
    """Numbers that the server keeps, so that reading them costs the same for every size of corpus.

    Attributes:
        links: between stored documents.
        unresolved: links to documents that are not stored.
        unembedded, unread: chunks for the stages embed and extract; an extractor that replaces another reads all.
        stale: entities and facts for the entities stage.
        renamed: chunks in which that stage has to edit names.
        changed: chunks and entities that came or changed since the mentions stage last ran.
        boilerplate_only: chunks that hold nothing but boilerplate.
        boilerplate: chunks that hold any.
        boilerplate_stale: folders and documents to look at for boilerplate.
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
    """The numbers of the corpus with this label."""
    (row,) = graph.run("corpus/kept_counts", label, read=True)
    return CorpusCounts(**row)


USUAL_SECONDS = {"minilm-int8": 0.10, "spacy": 0.07}
"""Processor seconds for a chunk, by the kind of model: 5,906 chunks of manuals took two cores 305 s and 208 s."""

_OTHER_STEPS_FACTOR = 1.1
"""Linking names and facts takes about a tenth of the two steps that are measured."""

_MOST_RUNS_MEASURED = 5


@dataclass(frozen=True, slots=True)
class IndexTime:
    """An estimate of how long indexing takes.

    Attributes:
        measured: whether it is from earlier runs in this database; else from the usual time of the models that come
            along, on as many processors as this machine has.
    """

    seconds: float
    measured: bool


def estimate_index_time(
    graph: GraphClient, *, embed: int, extract: int, embedder: str, extractor: str, usual: bool
) -> IndexTime | None:
    """About how long the index takes for so many chunks; None where nothing is known about it.

    Args:
        embed, extract: chunks for either stage.
        embedder, extractor: fingerprints.
        usual: whether `USUAL_SECONDS` may be used where nothing was measured: the spaCy pipeline is the default one.
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
