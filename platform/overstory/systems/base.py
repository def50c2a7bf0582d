"""The interface of a retrieval system: its index, its retriever, and the nodes it owns in the graph.

A system is one package with one entry point in the group `overstory.systems`. Its class derives from `System` and
declares its settings. Shared modules do the rest: `settings` parses options, `lifecycle` builds, reports and removes
the index, and `state` holds the index state that the corpus stores.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

from overstory.graph import Corpus, GraphClient, Transaction, Writer, batches, generations, schema
from overstory.graph.corpora import SYSTEM
from overstory.graph.ids import derived_label
from overstory.index.ledger import StageRun
from overstory.llm import Chat, Estimate
from overstory.model.documents import Unit
from overstory.model.memory import MemoryRestored, MemorySize, StoredAnswer
from overstory.protocols import Embedder, Progress, Retriever
from overstory.retrieve import RetrievalContext
from overstory.settings import ExtractionSettings
from overstory.systems.settings import SettingsClass
from overstory.systems.state import Backlog, IndexState, mark_of, unit_label
from overstory.systems.tree.kinds import TreeKind
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.parsing.readings import Reading

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from overstory.answer import Answer
    from overstory.model import Evidence

S = TypeVar("S", bound=SettingsClass)
R = TypeVar("R", bound=SettingsClass)

_UNITS_A_PAGE = 500


@dataclass(frozen=True, slots=True)
class Owned:
    """The parts of the graph that only this system writes. When the index is removed, exactly these are deleted.

    A node of a system carries `Overstory`, the corpus label, its kind (one of `labels`) and `Corpus_…_KIND`. A node
    derived from a chunk, document or entity also carries `OfChunk`, `OfDocument` or `OfEntity` and is deleted with it.
    A node shared by several such nodes carries `Shared` and is deleted with the last of them. The same applies, one
    step further, to nodes shared by shared nodes.

    Attributes:
        marks: Extra labels that some of the nodes carry, as `Corpus_…_MARK`.
        relationship_types: Types of the relationships that the system writes between units. Relationships of its own
            nodes are deleted with the nodes.
        unit_properties: Properties that the system writes to units, besides its read mark.
        vector_indexes: The `labels` whose `embedding` property is in a vector index of the system.
        generations: Names of its derived structures (`graph.generations`).
        saved_queries: Statements for Neo4j Browser, in reading order, as `systems/NAME/saved_queries/…`.
        examples: Statement that finds values for the parameters of the saved queries. It receives the values found so
            far (`browser.queries`). "" if there is none.
        style: GraSS rules for Neo4j Browser: colors of `labels` and of `relationship_types`.
    """

    labels: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    relationship_types: tuple[str, ...] = ()
    unit_properties: tuple[str, ...] = ()
    vector_indexes: tuple[str, ...] = ()
    generations: tuple[str, ...] = ()
    saved_queries: tuple[str, ...] = ()
    examples: str = ""
    style: Traversable | None = None


@dataclass(frozen=True, slots=True)
class BuildContext:
    """Inputs shared by all index builds.

    Attributes:
        chat: Opens the language model with the given name.
        parsed: Texts that this run has already parsed, with the values of `System.readings`.
    """

    embedder: Embedder
    extraction: ExtractionSettings
    chat: Callable[[str], Chat]
    progress: Progress
    parsed: ParsedTexts | None = None


@dataclass(slots=True)
class SystemRun(Generic[S]):
    """An index build in progress: its inputs, and the methods that write its results.

    Attributes:
        corpus: The corpus as it was when the build began. No other writer changes it during the build.
        before: Index state when the build began; None if the corpus had no index.
        scratch: True if the index must be built from scratch: there is no index, or the settings, the embedder or the
            reader have changed.
        backlog: Number of units that the index lacks.
        chat: Language model that reads the texts; None if rules read them.
        ledger: Record of the run's counts and tokens.
        improve: True if everything should be clustered again, even if little or nothing changed.
    """

    system: System[S, Any]
    writer: Writer
    corpus: Corpus
    settings: S
    before: IndexState[S] | None
    scratch: bool
    backlog: Backlog
    context: BuildContext
    chat: Chat | None
    model: str
    fingerprint: str
    ledger: StageRun
    improve: bool = False
    figures: dict[str, float] = field(default_factory=dict[str, float])
    notes: list[str] = field(default_factory=list[str])
    published: IndexState[S] | None = None

    @property
    def graph(self) -> GraphClient:
        return self.writer.graph

    @property
    def progress(self) -> Progress:
        return self.context.progress

    @property
    def read_to(self) -> int:
        """Corpus version up to which the index has read all units; −1 if it must read everything."""
        return self.before.read_to if self.before is not None and not self.scratch else -1

    def unread(self, *, size: int = _UNITS_A_PAGE) -> Iterator[list[str]]:
        """Yield the ids of units that are new or changed since the last read, sorted, in pages of `size`."""
        return unread(self.graph, self.corpus, self.system, None if self.scratch else self.before, size=size)

    def clear(self) -> None:
        """Delete the system's nodes and vector indexes before the index is built from scratch.

        Raises:
            DatabaseError: The deletion stopped halfway. Nodes deleted so far stay deleted.
        """
        clear(self.writer, self.system)

    def commit(self, work: Callable[[Transaction], None], *, done: Sequence[str] = ()) -> None:
        """Run `work` in one transaction that also marks the units `done` as read, so a killed run resumes after them.

        Raises:
            LeaseLost, DatabaseError: Nothing was committed.
        """

        def unit(tx: Transaction) -> None:
            work(tx)
            if done:
                tx.run("systems/mark", self.corpus.label, ids=list(done), mark=mark_of(self.system))

        self.writer.commit(self.system.name, unit)

    def state(
        self,
        *,
        built: bool = True,
        complete: bool = True,
        generation: int = 0,
        placed: int = 0,
        details: Mapping[str, Any] | None = None,
    ) -> IndexState[S]:
        """Return an index state with the settings and figures of this run.

        Args:
            built: True if the index can be searched.
            complete: True if every unit was read.
            placed: See `IndexState`.
        """
        state = IndexState(
            settings=self.settings,
            embedder=self.context.embedder.fingerprint,
            model=self.model,
            fingerprint=self.fingerprint,
            built=built,
            generation=generation,
            read_to=self.corpus.version if complete else self.read_to,
            placed=placed,
            figures=dict(self.figures),
            details=details or {},
        )
        return replace(state, deleted=self.corpus.deletions[self.system.unit_of(state)])

    def publish(self, state: IndexState[S]) -> None:
        """Store a state in the corpus. From then on, readers use the index as this state describes it.

        Raises:
            LeaseLost, DatabaseError: Readers keep the old state.
        """
        kept = {SYSTEM + self.system.name: state.as_json()}
        if state.generation:
            (structure,) = self.system.owns.generations
            generations.publish(self.writer, structure, state.generation, self.system.owns.vector_indexes, **kept)
        else:
            self.writer.set(**kept)
        self.published = state

    def publish_in(self, tx: Transaction, state: IndexState[S]) -> None:
        """Publish a state in the same transaction that changes the index in place."""
        tx.run(
            "corpus/commit",
            self.corpus.label,
            token=self.writer.token,
            properties={SYSTEM + self.system.name: state.as_json()},
        )
        self.published = state


def unread(
    graph: GraphClient,
    corpus: Corpus,
    system: System[S, Any],
    state: IndexState[S] | None,
    *,
    size: int = _UNITS_A_PAGE,
    again: bool = False,
) -> Iterator[list[str]]:
    """Yield the ids of units that are new or changed since an index read them, sorted, in pages of at most `size`.

    Args:
        state: State of the index. Without one, the read marks of an unfinished first run are used.
        again: Yield all units, even those already read.
    """
    # All ids are held at once, about 90 MB per million: the index over `touched` returns them in another order.
    rows = graph.stream(
        "systems/touched",
        corpus.label,
        unit=unit_label(corpus, system.unit_of(state)),
        read_to=-1 if again or state is None else state.read_to,
        mark=None if again else mark_of(system),
    )
    yield from batches(sorted(row["id"] for row in rows), size)


def clear(writer: Writer, system: System[Any, Any]) -> None:
    """Delete the nodes and vector indexes of a system. Its state and what it wrote to units remain."""
    label = writer.corpus.label
    for kind in system.owns.vector_indexes:
        schema.drop_derived_index(writer.graph, label, kind)
    for kind in system.owns.labels:
        writer.graph.run_in_batches("systems/remove_nodes", derived_label(label, kind))


@dataclass(frozen=True, slots=True)
class SystemView(Generic[S]):
    """A corpus as `System.estimate` sees it, read-only."""

    graph: GraphClient
    corpus: Corpus
    settings: S
    before: IndexState[S] | None
    context: BuildContext
    model: str

    @property
    def is_as_built(self) -> bool:
        """Return True if the index was built with these settings, this model and this embedder."""
        before = self.before
        wanted = (True, self.settings, self.model, self.context.embedder.fingerprint)
        return before is not None and (before.built, before.settings, before.model, before.embedder) == wanted


class System(ABC, Generic[S, R]):
    """A published retrieval system: an index over a corpus, and a retriever that searches the index.

    Attributes:
        name: Name in `overstory index --system NAME` and `--retriever NAME`.
        title: Name as its authors write it.
        good_for: Questions or needs that the system suits, for `overstory systems`.
        settings, retriever_settings: Dataclasses that declare the options of the index and of the retriever.
        unit: Unit from which the index is built; see `unit_of`.
        owns: The parts of the graph that the system writes.
        trees: Trees that the index has or can have; see `systems.tree`. The first one is the default.
        reads_with_model: True if a language model can read the texts for the index.
        answers_on_all: True if the retriever answers questions about the whole corpus, which no single passage answers.
        rebuilds_after_deletions: True if deleted units put the index out of date. False if everything derived from a
            unit is deleted with it.
        memory_remedy: Sentence that names settings with which a first build takes less memory (see `bytes_a_passage`).
        statements: Folder of Cypher statements of a system outside this package, named `systems/NAME/…`. Built-in
            systems have theirs in `cypher/systems/NAME/`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    good_for: ClassVar[str] = ""
    settings: type[S]
    retriever_settings: type[R]
    unit: ClassVar[Unit]
    owns: ClassVar[Owned]
    trees: ClassVar[tuple[TreeKind, ...]] = ()
    reads_with_model: ClassVar[bool] = False
    answers_on_all: ClassVar[bool] = False
    rebuilds_after_deletions: ClassVar[bool] = True
    memory_remedy: ClassVar[str] = ""
    statements: ClassVar[Traversable | None] = None

    @abstractmethod
    def build(self, run: SystemRun[S]) -> None:
        """Bring the index up to date and publish its state.

        Raises:
            LlmError, BudgetExhausted, ModelError, GdsMissing, LeaseLost, DatabaseError: Everything committed so far
                stays, and the next call continues from there.
        """

    @abstractmethod
    def retriever(self, context: RetrievalContext, settings: R) -> Retriever:
        """Return a retriever over the index. Each question checks that the index exists."""

    def require(self, settings: S, graph: GraphClient) -> None:
        """Check the requirements of `build` before any work starts.

        Raises:
            GdsMissing: The server lacks Graph Data Science.
            ExtraMissing: A package is not installed.
        """

    def bytes_a_passage(self, settings: S, graph: GraphClient, corpus: Corpus) -> int:  # noqa: ARG002 # for systems that hold the whole corpus in memory
        """Return the client memory of a build in bytes per passage (docs/scale.md); 0 if constant."""
        return 0

    def fingerprint(self, settings: S, context: BuildContext, chat: Chat | None) -> str:  # noqa: ARG002 # for systems that read texts
        """Return a fingerprint of everything that decides how a unit is read, except settings, model and embedder."""
        return ""

    def readings(self, settings: S, model: str) -> Sequence[Reading[Any]]:  # noqa: ARG002 # for systems that parse texts
        """Return what `build` extracts from parsed chunks.

        The extract stage of the same run keeps the values in `BuildContext.parsed`.

        Args:
            model: Name of the language model that reads the texts; "" if rules read them.
        """
        return ()

    def estimate(self, view: SystemView[S]) -> Estimate:  # noqa: ARG002 # for systems that use a language model
        """Return an upper bound on the model requests of `build`. Nothing is sent or written."""
        return Estimate.nothing()

    def index_options(self, settings: R) -> str:  # noqa: ARG002 # for systems whose ablations need a separate index
        """Return the index options that these retriever settings require, as text for `settings.parse`."""
        return ""

    def when_asking(self, settings: R) -> R:
        """Return the retriever settings to use when questions are answered, not only searched."""
        return settings

    def unit_of(self, state: IndexState[S] | None) -> Unit:  # noqa: ARG002 # for systems with several kinds of units
        """Return the kind of unit that the index is built from.

        Units of this kind carry the read marks of the system. The backlog and the deletions of an index are counted in
        them.

        Args:
            state: State of the index; None for a corpus without an index.
        """
        return self.unit

    def units_of(self, state: IndexState[S] | None) -> tuple[Unit, ...]:
        """Return all kinds of units whose changes put the index out of date, the main unit first."""
        return (self.unit_of(state),)

    def has_tree(self, tree: TreeKind, state: IndexState[S]) -> bool:  # noqa: ARG002 # for systems with optional trees
        """Return True if a built index has this tree, one of `trees`."""
        return True

    def describe(self, state: IndexState[S]) -> str:
        """Return how the index was built, in a few words."""
        return f"read by {state.model or 'rules'}"

    def figures(self, graph: GraphClient, corpus: Corpus, state: IndexState[S]) -> Mapping[str, float]:  # noqa: ARG002
        """Return current counts of the index, in addition to the figures of the last build."""
        return {}


@dataclass(frozen=True, slots=True)
class LearningRun:
    """Inputs of a system that learns from answers."""

    graph: GraphClient
    corpus: Corpus
    embedder: Embedder
    chat: Chat | None


@runtime_checkable
class Learner(Protocol):
    """A system that learns from answers. It is called only if the caller asks to remember the answer."""

    def learn(self, answer: Answer, evidence: Evidence, run: LearningRun) -> Iterable[str]:
        """Learn from a complete answer, and return notes on what was stored or why nothing was stored.

        Raises:
            DatabaseError: Nothing was stored. The answer stays valid.
        """
        ...


class Memory(Protocol):
    """The answers that a system remembers for one corpus. Changes need no lease and leave the corpus version as it is.

    Raises:
        DatabaseError: The answers cannot be read, or a change was not committed. Earlier commits stay.
    """

    def size(self) -> MemorySize: ...

    def answers(self, *, like: str, limit: int) -> list[StoredAnswer]:
        """Return the newest answers, newest first.

        Args:
            like: Only answers whose question contains this text, ignoring case; "" for all.
        """
        ...

    def with_ids(self, beginnings: Sequence[str]) -> list[StoredAnswer]:
        """Return the answers whose ids start with one of the prefixes, in order of id."""
        ...

    def forget(self, ids: Sequence[str] | None) -> int:
        """Delete answers and everything that belonged only to them, and return the number of deleted answers.

        Args:
            ids: Complete ids; None deletes all answers.
        """
        ...

    def records(self) -> Iterator[Mapping[str, object]]:
        """Yield the answers as JSON objects that name facts and passages by text and source, in order of id."""
        ...

    def restore(self, records: Sequence[Mapping[str, Any]], embedder: Embedder) -> MemoryRestored:
        """Restore answers from `records` of this or another corpus.

        An answer is restored if its passages exist and still state its facts.

        Raises:
            ValueError, TypeError, KeyError: A record is malformed. Nothing was written.
            EmbedderMismatch: Nothing was written.
        """
        ...


@runtime_checkable
class Remembers(Learner, Protocol):
    """A system that learns answers which people can list, delete, export and restore."""

    def memory(self, graph: GraphClient, corpus: Corpus) -> Memory:
        """Return the remembered answers of a corpus; empty if the corpus has no index."""
        ...

    def settle(self, graph: GraphClient) -> Iterable[str]:
        """Write what `learn` could not write yet, and return notes on what was lost."""
        ...
