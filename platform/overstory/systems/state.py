"""The state of a system's index: how it was built, and up to which change of the corpus it has read.

Every unit (a document, a chunk or an entity) carries in `touched` the version of its corpus in which it last changed;
a deletion raises a counter of its kind. An index has read all units up to `read_to`; those that an unfinished run has
read beyond that carry the mark `read_NAME`. So what is missing is found without a look at the rest, and no statement of
another part knows the system.
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
        settings: what it was built with.
        embedder: the fingerprint of the embedder of its vectors.
        model: the language model that read, "" where rules did.
        fingerprint: of everything else that decides what is read from a unit.
        built: whether it can be asked; False before the first build has ended.
        generation: of the derived nodes that readers use, 0 where the system has no generations.
        read_to: the version of the corpus up to which all units were read.
        deleted: the corpus' count of deleted units when they were.
        placed: what was added to communities that were there, changed or removed in them, since the whole was last
            clustered; 0 where a system clusters all of it each time, or nothing.
        figures: of the last build, by names that say what they are.
        details: what only the system itself reads; JSON values.
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
        """For the property of the corpus."""
        return json.dumps(asdict(replace(self, settings=None)) | {"settings": stored(self.settings)})  # type: ignore[arg-type]


def read_state(system: System[S, Any], corpus: Corpus) -> IndexState[S] | None:
    """None where the corpus has no index of the system."""
    kept = corpus.systems.get(system.name)
    if kept is None:
        return None
    values = json.loads(kept)
    return IndexState(settings=restored(system.settings, values.pop("settings")), **values)


def require_state(system: System[S, Any], corpus: Corpus) -> IndexState[S]:
    """The state of an index that can be searched."""
    state = read_state(system, corpus)
    if state is None:
        raise index_missing(system, corpus, f"has no {system.title} index")
    if not state.built:
        raise index_missing(system, corpus, f"has a {system.title} index that is not finished")
    if state.embedder != corpus.embedder:
        raise index_missing(system, corpus, f"has a {system.title} index with vectors of another embedder")
    return state


def generation_in_use(system: System[Any, Any], corpus: Corpus) -> int:
    """The generation that readers of a system's index use; 0 where there is none."""
    state = read_state(system, corpus)
    return state.generation if state else 0


def placed_note(system: System[Any, Any], corpus: Corpus, placed: int) -> str:
    """What the user should know of an index whose last changes were added without clustering again."""
    changes = counted(placed, "change was", "changes were")
    return (
        f"{changes} added to the existing communities of {system.title} without clustering again; "
        f"{index_command(corpus.name, improve=True)} clusters the whole corpus again"
    )


def index_missing(system: System[Any, Any], corpus: Corpus, what: str, *, options: str = "") -> IndexMissing:
    """The error for an index that cannot be searched.

    Args:
        what: what the corpus lacks, after its name.
        options: of the index that is needed.
    """
    name = with_options(system, options)
    return IndexMissing(
        f"Corpus {corpus.name!r} {what}.",
        remedy=f'Run: {index_command(corpus.name, name)}, or Knowledge.index(systems=["{name}"]) in Python.',
    )


def with_options(system: System[Any, Any], options: str) -> str:
    """A system with options of its index, as `--system` takes them."""
    return f"{system.name}:{options}" if options else system.name


@dataclass(frozen=True, slots=True)
class Backlog:
    """How far an index is behind its corpus.

    Attributes:
        units: how many the corpus has.
        pending: how many of them changed since the index read them, or are new; of several kinds that it reads, those
            of which it is most.
        deleted: how many were deleted since.
    """

    units: int
    pending: int
    deleted: int


def read_backlog(
    graph: GraphClient | Transaction, corpus: Corpus, system: System[S, Any], state: IndexState[S] | None
) -> Backlog:
    """Reads the counts; for an index that is not there every unit is pending."""
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
    """The label of the units of a corpus."""
    return f"{corpus.label}_{unit.capitalize()}"


def mark_of(system: System[Any, Any]) -> str:
    """The property of a unit that holds the change up to which the system has read it."""
    return f"read_{system.name}"


class StaleNotes:
    """Notes on an index that is behind its corpus, counted once a version. Safe to share between threads."""

    def __init__(self, system: System[Any, Any]) -> None:
        self._system = system
        self._lock = threading.Lock()
        self._counted: tuple[tuple[datetime.datetime, int], Backlog] | None = None

    def of(self, tx: Transaction, corpus: Corpus, state: IndexState[Any]) -> Iterator[str]:
        """At most one note."""
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
