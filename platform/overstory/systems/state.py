"""The state of a system's index: how it was built, and up to which corpus version it has read.

Every unit (a document, a chunk or an entity) stores in `touched` the corpus version in which it last changed, and each
deletion raises a counter for its kind of unit. An index has read all units up to version `read_to`. Units that an
unfinished run has read beyond that carry the mark `read_NAME`. So pending units are found without scanning the others,
and statements outside a system do not need to know it.
"""

from __future__ import annotations

import datetime
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from overstory.display import counted, index_command
from overstory.errors import IndexMissing
from overstory.graph import Corpus, GraphClient, Transaction
from overstory.model.documents import PLURAL, Unit
from overstory.systems.settings import SettingsClass, restored, stored

if TYPE_CHECKING:
    from overstory.systems.base import System

S = TypeVar("S", bound=SettingsClass)


@dataclass(frozen=True, slots=True)
class IndexState(Generic[S]):
    """The state of one system's index in one corpus.

    Attributes:
        settings: Settings with which the index was built.
        embedder: Fingerprint of the embedder that made its vectors.
        model: Name of the language model that read the texts; "" if rules read them.
        fingerprint: Fingerprint of everything else that decides how a unit is read.
        built: True if the index can be searched; False before the first build has finished.
        generation: Generation of the derived nodes that readers use; 0 if the system has no generations.
        read_to: Corpus version up to which all units were read.
        deleted: The corpus's count of deleted units at that time.
        placed: Number of changes made within existing communities since everything was last clustered; 0 if the system
            clusters everything each time or never clusters.
        figures: Figures of the last build, by name.
        details: JSON values that only the system itself reads.
    """

    settings: S
    embedder: str = ""
    model: str = ""
    fingerprint: str = ""
    built: bool = False
    generation: int = 0
    read_to: int = -1
    deleted: int = 0
    placed: int = 0
    figures: Mapping[str, float] = field(default_factory=dict[str, float])
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def as_json(self) -> str:
        """Return the state as JSON, for a property of the corpus."""
        return json.dumps(asdict(replace(self, settings=None)) | {"settings": stored(self.settings)})  # type: ignore[arg-type]


def read_state(system: System[S, Any], corpus: Corpus) -> IndexState[S] | None:
    """Return the state of a system's index; None if the corpus has no index of the system."""
    kept = corpus.systems.get(system.name)
    if kept is None:
        return None
    values = json.loads(kept)
    return IndexState(settings=restored(system.settings, values.pop("settings")), **values)


def require_state(system: System[S, Any], corpus: Corpus) -> IndexState[S]:
    """Return the state of an index that can be searched; raise `IndexMissing` otherwise."""
    state = read_state(system, corpus)
    if state is None:
        raise index_missing(system, corpus, f"has no {system.title} index")
    if not state.built:
        raise index_missing(system, corpus, f"has a {system.title} index that is not finished")
    if state.embedder != corpus.embedder:
        raise index_missing(system, corpus, f"has a {system.title} index with vectors of another embedder")
    return state


def generation_in_use(system: System[Any, Any], corpus: Corpus) -> int:
    """Return the generation that readers of a system's index use; 0 if there is none."""
    state = read_state(system, corpus)
    return state.generation if state else 0


def placed_note(system: System[Any, Any], corpus: Corpus, placed: int) -> str:
    """Return a note for the user that recent changes were added without clustering again."""
    changes = counted(placed, "change was", "changes were")
    return (
        f"{changes} added to the existing communities of {system.title} without clustering again; "
        f"{index_command(corpus.name, improve=True)} clusters the whole corpus again"
    )


def index_missing(system: System[Any, Any], corpus: Corpus, what: str, *, options: str = "") -> IndexMissing:
    """Return the error for an index that cannot be searched.

    Args:
        what: What the corpus lacks, as a phrase that follows the corpus name.
        options: Options of the required index.
    """
    name = with_options(system, options)
    return IndexMissing(
        f"Corpus {corpus.name!r} {what}.",
        remedy=f'Run: {index_command(corpus.name, name)}, or Knowledge.index(systems=["{name}"]) in Python.',
    )


def with_options(system: System[Any, Any], options: str) -> str:
    """Return a system's name with index options, in the form `--system` takes: `serag:levels=3`."""
    return f"{system.name}:{options}" if options else system.name


@dataclass(frozen=True, slots=True)
class Backlog:
    """How far an index is behind its corpus.

    Attributes:
        units: Number of units in the corpus.
        pending: Number of units that are new or changed since the index read them. If the index reads several kinds of
            units, the largest of their counts.
        deleted: Number of units deleted since the index read them.
    """

    units: int
    pending: int
    deleted: int


def read_backlog(
    graph: GraphClient | Transaction, corpus: Corpus, system: System[S, Any], state: IndexState[S] | None
) -> Backlog:
    """Count the units that an index lacks. Without an index, every unit is pending."""
    unit = system.unit_of(state)
    parameters = {
        "label": corpus.label,
        "units": [unit_label(corpus, each) for each in system.units_of(state)],
        "read_to": state.read_to if state else -1,
        "mark": mark_of(system),
    }
    if isinstance(graph, Transaction):
        (row,) = graph.run("systems/backlog", corpus.label, **parameters)
    else:
        (row,) = graph.run("systems/backlog", corpus.label, read=True, **parameters)
    deleted = corpus.deletions[unit]
    return Backlog(row[unit], row["pending"], max(0, deleted - state.deleted) if state else 0)


def unit_label(corpus: Corpus, unit: Unit) -> str:
    """Return the label of a corpus's units, such as `Corpus_…_Chunk`."""
    return f"{corpus.label}_{unit.capitalize()}"


def mark_of(system: System[Any, Any]) -> str:
    """Return the name of the unit property that stores the version up to which the system has read the unit."""
    return f"read_{system.name}"


class StaleNotes:
    """Notes that an index is behind its corpus, counted once per corpus version. Thread-safe."""

    def __init__(self, system: System[Any, Any]) -> None:
        self._system = system
        self._lock = threading.Lock()
        self._counted: tuple[tuple[datetime.datetime, int], Backlog] | None = None

    def of(self, tx: Transaction, corpus: Corpus, state: IndexState[Any]) -> Iterator[str]:
        """Yield at most one note."""
        backlog = self._backlog(tx, corpus, state)
        system, units = self._system, PLURAL[self._system.unit_of(state)]
        command = index_command(corpus.name)
        if backlog.pending:
            yield (
                f"{backlog.pending:,} of {backlog.units:,} {units} are new or changed since the {system.title} "
                f"index was last brought up to date: run {command}"
            )
        elif backlog.deleted and system.rebuilds_after_deletions:
            yield f"{units} were deleted since the {system.title} index was built: run {command}"

    def _backlog(self, tx: Transaction, corpus: Corpus, state: IndexState[Any]) -> Backlog:
        key = (corpus.created, corpus.version)
        with self._lock:
            counted = self._counted
        if counted is None or counted[0] != key:
            counted = (key, read_backlog(tx, corpus, self._system, state))
            with self._lock:
                self._counted = counted
        return counted[1]
