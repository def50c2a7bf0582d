"""The state of a system's index: how the index was built, and which units it has read.

A unit is a document, a chunk or an entity. Its property `touched` stores the corpus version in which it last changed.
The corpus also counts the deleted units of each kind.

An index has read all units that last changed in version `read_to` or earlier. If an unfinished run has read later
units, these carry the mark `read_NAME`. Thus pending units are found without scanning all units, and the code that
changes units need not know which systems exist.
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
        embedder: Fingerprint of the embedder that computed the vectors of the index.
        model: Name of the language model that read the texts; "" if rules read them.
        fingerprint: Fingerprint of everything else that affects how a unit is read.
        built: True if the index can be searched; False until the first build has finished.
        generation: Generation of the derived nodes that readers use; 0 if the system has no generations.
        read_to: Corpus version up to which the index has read all units.
        deleted: Number of units that had been deleted from the corpus when the index was built.
        placed: Number of changes that have been added to existing communities since everything was last clustered; 0 if
            the system always clusters everything, or never clusters.
        details: JSON values that only the system itself uses.
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
        """Return the state as JSON. The corpus stores it in a property."""
        return json.dumps(asdict(replace(self, settings=None)) | {"settings": stored(self.settings)})  # type: ignore[arg-type]


def read_state(system: System[S, Any], corpus: Corpus) -> IndexState[S] | None:
    """Return the state of a system's index in a corpus, or None if the corpus has no index of this system."""
    kept = corpus.systems.get(system.name)
    if kept is None:
        return None
    values = json.loads(kept)
    return IndexState(settings=restored(system.settings, values.pop("settings")), **values)


def require_state(system: System[S, Any], corpus: Corpus) -> IndexState[S]:
    """Return the state of a system's index, which must be ready to be searched.

    Raises:
        IndexMissing: There is no index, its first build has not finished, or its vectors are from another embedder.
    """
    state = read_state(system, corpus)
    if state is None:
        raise index_missing(system, corpus, f"has no {system.title} index")
    if not state.built:
        raise index_missing(system, corpus, f"has a {system.title} index that is not finished")
    if state.embedder != corpus.embedder:
        raise index_missing(system, corpus, f"has a {system.title} index with vectors of another embedder")
    return state


def generation_in_use(system: System[Any, Any], corpus: Corpus) -> int:
    """Return the number of the generation that readers of a system's index use; 0 if there is none."""
    state = read_state(system, corpus)
    return state.generation if state else 0


def placed_note(system: System[Any, Any], corpus: Corpus, placed: int) -> str:
    """Return a note that `placed` changes have been added to existing communities without clustering again."""
    changes = counted(placed, "change was", "changes were")
    return (
        f"{changes} added to the existing communities of {system.title} without clustering again; "
        f"{index_command(corpus.name, improve=True)} clusters the whole corpus again"
    )


def index_missing(system: System[Any, Any], corpus: Corpus, what: str, *, options: str = "") -> IndexMissing:
    """Return the error for an index that cannot be searched.

    Args:
        what: The problem, as a phrase that follows the name of the corpus: "has no SeRAG index".
        options: Index options with which the index must be built.
    """
    name = with_options(system, options)
    return IndexMissing(
        f"Corpus {corpus.name!r} {what}.",
        remedy=f'Run `{index_command(corpus.name, name)}`, or call Knowledge.index(systems=["{name}"]) in Python.',
    )


def with_options(system: System[Any, Any], options: str) -> str:
    """Return the name of a system with index options, in the form that `--system` takes: `serag:levels=3`."""
    return f"{system.name}:{options}" if options else system.name


@dataclass(frozen=True, slots=True)
class Backlog:
    """States by how many units an index is behind its corpus.

    Attributes:
        units: Number of units in the corpus.
        pending: Number of units that are new or have changed since the index read them. If the index reads several
            kinds of units, this is the count of the kind with the most such units.
        deleted: Number of units that have been deleted since the index read them.
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
    """Return the label of all units of one kind in a corpus, such as `Corpus_…_Chunk`."""
    return f"{corpus.label}_{unit.capitalize()}"


def mark_of(system: System[Any, Any]) -> str:
    """Return the name of the property that marks a unit as read by a system.

    Its value is the unit's `touched` at that time.
    """
    return f"read_{system.name}"


class StaleNotes:
    """Creates notes telling the user that an index is behind its corpus.

    Units are counted only once per corpus version. The object is safe to share between threads.
    """

    def __init__(self, system: System[Any, Any]) -> None:
        self._system = system
        self._lock = threading.Lock()
        self._counted: tuple[tuple[datetime.datetime, int], Backlog] | None = None

    def of(self, tx: Transaction, corpus: Corpus, state: IndexState[Any]) -> Iterator[str]:
        """Yield a note if the index is behind its corpus."""
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
