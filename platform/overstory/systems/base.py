"""The interface of a retrieval system: its index, its retriever, and the nodes that it owns in the graph.

A system is a package with an entry point in the group `overstory.systems`. The entry point names a subclass of `System`
that declares the system's settings. Shared modules do the rest: `settings` parses options, `lifecycle` builds, reports
on and removes indexes, and `state` defines the index state that is stored in the corpus.
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
    """The parts of the graph that only one system writes. They are deleted when its index is removed.

    A node of a system has four labels: `Overstory`, the corpus label, its kind (one of `labels`) and `Corpus_…_KIND`. A
    node derived from a chunk, document or entity also has the label `OfChunk`, `OfDocument` or `OfEntity`, and is
    deleted with that chunk, document or entity. A node that several such nodes share has the label `Shared`, and is
    deleted with the last of these nodes. Nodes that are shared by shared nodes are treated in the same way.

    Attributes:
        labels: Kinds of the system's nodes.
        marks: Additional labels of some nodes, without the prefix `Corpus_…_`.
        relationship_types: Types of the relationships that the system writes between units. Relationships of the
            system's own nodes need not be listed, because they are deleted with the nodes.
        unit_properties: Properties that the system writes to units, except its read mark.
        vector_indexes: Those of `labels` whose property `embedding` is in a vector index of the system.
        generations: Names of the system's derived structures (see `graph.generations`).
        saved_queries: Names of statements for Neo4j Browser, in reading order: `systems/NAME/saved_queries/…`.
        examples: Name of a statement that finds example values for the parameters of the saved queries. It receives the
            values found so far (see `browser.queries`). "" if there is no such statement.
        style: GraSS rules with the colours of `labels` and `relationship_types` in Neo4j Browser.
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
    """The inputs that all index builds share.

    Attributes:
        chat: Opens the language model with a given name.
        parsed: Texts that this run has already parsed, with the values that `System.readings` asked for.
    """

    embedder: Embedder
    extraction: ExtractionSettings
    chat: Callable[[str], Chat]
    progress: Progress
    parsed: ParsedTexts | None = None


@dataclass(slots=True)
class SystemRun(Generic[S]):
    """An index build in progress: its inputs, and methods for writing its results.

    Attributes:
        corpus: The corpus as it was when the build began. No other writer changes it during the build.
        before: State of the index when the build began; None if the corpus had no index.
        scratch: True if the index must be built from scratch, because there is none or because the settings, the
            language model, the embedder or the fingerprint have changed.
        backlog: Number of units that the index lacks.
        chat: Language model that reads the texts; None if rules read them.
        model: Name of that language model; "" if rules read the texts.
        ledger: Records the counts and tokens of the build.
        improve: True if everything must be clustered again, even if little or nothing has changed.
        figures: Figures of the build, by name. They are stored in the index state.
        published: The index state that this build has stored; None if it has stored none yet.
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
        """The corpus version up to which the index has read all units; −1 if it must read everything again."""
        return self.before.read_to if self.before is not None and not self.scratch else -1

    def unread(self, *, size: int = _UNITS_A_PAGE) -> Iterator[list[str]]:
        """Yield the ids of the units that the build must read, sorted, in lists of at most `size` ids."""
        return unread(self.graph, self.corpus, self.system, None if self.scratch else self.before, size=size)

    def clear(self) -> None:
        """Delete the system's nodes and vector indexes. Call this before building the index from scratch.

        Raises:
            DatabaseError: The deletion stopped halfway. Nodes that were already deleted stay deleted.
        """
        clear(self.writer, self.system)

    def commit(self, work: Callable[[Transaction], None], *, done: Sequence[str] = ()) -> None:
        """Run `work` in a transaction that also marks units as read. If the build is killed, it resumes after them.

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
        """Return an index state with the settings and figures of this build.

        Args:
            built: True if the index can be searched.
            complete: True if all units were read.
            generation, placed, details: See `IndexState`.
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
        """Store an index state in the corpus. From then on, readers use the index that this state describes.

        Raises:
            LeaseLost, DatabaseError: The state was not stored, and readers continue to use the old index.
        """
        kept = {SYSTEM + self.system.name: state.as_json()}
        if state.generation:
            (structure,) = self.system.owns.generations
            generations.publish(self.writer, structure, state.generation, self.system.owns.vector_indexes, **kept)
        else:
            self.writer.set(**kept)
        self.published = state

    def publish_in(self, tx: Transaction, state: IndexState[S]) -> None:
        """Store an index state in the corpus, in the transaction that changes the index in place."""
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
    """Yield the ids of units that are new or have changed since an index read them, sorted, in lists of up to `size`.

    Units that an unfinished build has marked as read are left out.

    Args:
        state: State of the index; None if the index must be built from scratch.
        again: True to yield all units, even those that were already read.
    """
    # All ids are held in memory to sort them, because the database index on `touched` returns them in another order.
    # They take about 90 MB per million.
    rows = graph.stream(
        "systems/touched",
        corpus.label,
        unit=unit_label(corpus, system.unit_of(state)),
        read_to=-1 if again or state is None else state.read_to,
        mark=None if again else mark_of(system),
    )
    yield from batches(sorted(row["id"] for row in rows), size)


def clear(writer: Writer, system: System[Any, Any]) -> None:
    """Delete the nodes and vector indexes of a system. Its state and the properties that it wrote to units remain."""
    label = writer.corpus.label
    for kind in system.owns.vector_indexes:
        schema.drop_derived_index(writer.graph, label, kind)
    for kind in system.owns.labels:
        writer.graph.run_in_batches("systems/remove_nodes", derived_label(label, kind))


@dataclass(frozen=True, slots=True)
class SystemView(Generic[S]):
    """The inputs of `System.estimate`, which must not change anything.

    Attributes:
        settings: Settings that the index will have.
        before: Current state of the index; None if the corpus has no index.
        model: Name of the language model that will read the texts; "" for rules.
    """

    graph: GraphClient
    corpus: Corpus
    settings: S
    before: IndexState[S] | None
    context: BuildContext
    model: str

    @property
    def is_as_built(self) -> bool:
        """True if the index was built with these settings, this language model and this embedder."""
        before = self.before
        wanted = (True, self.settings, self.model, self.context.embedder.fingerprint)
        return before is not None and (before.built, before.settings, before.model, before.embedder) == wanted


class System(ABC, Generic[S, R]):
    """A published retrieval system: an index over a corpus, and a retriever that searches the index.

    Attributes:
        name: Name of the system in `overstory index --system NAME` and `--retriever NAME`.
        title: Name of the system as its authors write it.
        good_for: Questions or needs for which the system is suitable, shown by `overstory systems`.
        settings: Dataclass that declares the options of the index.
        retriever_settings: Dataclass that declares the options of the retriever.
        unit: Kind of unit from which the index is built (see `unit_of`).
        trees: Trees that the index can contain (see `systems.tree`). The first tree is the default.
        reads_with_model: True if a language model can read the texts for the index.
        answers_on_all: True if the retriever answers questions about the corpus as a whole, which no single passage
            answers.
        rebuilds_after_deletions: True if the index is out of date after units have been deleted. False if everything
            derived from a unit is deleted with the unit.
        memory_remedy: Sentence for the user that names settings with which a first build takes less memory (see
            `bytes_a_passage`).
        statements: Folder of the system's Cypher statements, which are named `systems/NAME/…`. None for built-in
            systems, whose statements are in `cypher/systems/NAME/`.
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
            LlmError, BudgetExhausted, ModelError, GdsMissing, LeaseLost, DatabaseError: Everything that was committed
                is kept, and the next call continues from there.
        """

    @abstractmethod
    def retriever(self, context: RetrievalContext, settings: R) -> Retriever:
        """Return a retriever that searches the index. For each question, it checks that the index exists."""

    def require(self, settings: S, graph: GraphClient) -> None:
        """Check that everything `build` requires is installed, before any work starts.

        Raises:
            GdsMissing: The Neo4j server lacks the Graph Data Science plugin.
            ExtraMissing: A Python package is not installed.
        """

    def bytes_a_passage(self, settings: S, graph: GraphClient, corpus: Corpus) -> int:  # noqa: ARG002 # for systems that hold the whole corpus in memory
        """Return the memory that a build from scratch needs in this process, in bytes per passage (see docs/scale.md).

        Return 0 if the memory does not grow with the corpus.
        """
        return 0

    def fingerprint(self, settings: S, context: BuildContext, chat: Chat | None) -> str:  # noqa: ARG002 # for systems that read texts
        """Return a fingerprint of everything that affects the index, except its settings, model and embedder.

        If the fingerprint changes, the index is built from scratch.
        """
        return ""

    def readings(self, settings: S, model: str) -> Sequence[Reading[Any]]:  # noqa: ARG002 # for systems that parse texts
        """Return functions that extract from a parsed chunk what `build` needs.

        The extraction stage, which parses the chunks in the same run, stores their results in `BuildContext.parsed`.

        Args:
            model: Name of the language model that reads the texts; "" if rules read them.
        """
        return ()

    def estimate(self, view: SystemView[S]) -> Estimate:  # noqa: ARG002 # for systems that use a language model
        """Return an upper bound on the language model usage of `build`. Nothing is sent or written."""
        return Estimate.nothing()

    def index_options(self, settings: R) -> str:  # noqa: ARG002 # for systems whose ablations need a separate index
        """Return the index options that these retriever settings require, in the form that `settings.parse` reads."""
        return ""

    def when_asking(self, settings: R) -> R:
        """Return the retriever settings to use for answering a question, given the settings to use for a search."""
        return settings

    def unit_of(self, state: IndexState[S] | None) -> Unit:  # noqa: ARG002 # for systems with several kinds of units
        """Return the kind of unit from which the index is built: chunk, document or entity.

        Units of this kind carry the system's read marks, and the backlog of the index is counted in these units.
        """
        return self.unit

    def units_of(self, state: IndexState[S] | None) -> tuple[Unit, ...]:
        """Return all kinds of units that put the index out of date when they change. The first is `unit_of(state)`."""
        return (self.unit_of(state),)

    def has_tree(self, tree: TreeKind, state: IndexState[S]) -> bool:  # noqa: ARG002 # for systems with optional trees
        """Return True if the built index contains this tree, which is one of `trees`."""
        return True

    def describe(self, state: IndexState[S]) -> str:
        """Describe in a few words how the index was built."""
        return f"read by {state.model or 'rules'}"

    def figures(self, graph: GraphClient, corpus: Corpus, state: IndexState[S]) -> Mapping[str, float]:  # noqa: ARG002
        """Return counts of the current contents of the index, which are shown with the figures of the last build."""
        return {}


@dataclass(frozen=True, slots=True)
class LearningRun:
    """The inputs of `Learner.learn` that do not depend on the answer."""

    graph: GraphClient
    corpus: Corpus
    embedder: Embedder
    chat: Chat | None


@runtime_checkable
class Learner(Protocol):
    """A system that learns from answers. It is called only if the user asked to remember the answer."""

    def learn(self, answer: Answer, evidence: Evidence, run: LearningRun) -> Iterable[str]:
        """Learn from an answer, and return notes that state what was stored, or why nothing was stored.

        Raises:
            DatabaseError: Nothing was stored. The answer is still valid.
        """
        ...


class Memory(Protocol):
    """The answers that a system remembers for one corpus.

    Changing them requires no lease and does not change the corpus version.

    Raises:
        DatabaseError: The answers cannot be read, or a change was not committed. Earlier changes are kept.
    """

    def size(self) -> MemorySize: ...

    def answers(self, *, like: str, limit: int) -> list[StoredAnswer]:
        """Return the most recent answers, newest first.

        Args:
            like: Text that the question must contain, ignoring case; "" for any question.
        """
        ...

    def with_ids(self, beginnings: Sequence[str]) -> list[StoredAnswer]:
        """Return the answers whose ids start with one of the given prefixes, sorted by id."""
        ...

    def forget(self, ids: Sequence[str] | None) -> int:
        """Delete answers and everything that belongs only to them, and return the number of deleted answers.

        Args:
            ids: Complete ids; None to delete all answers.
        """
        ...

    def records(self) -> Iterator[Mapping[str, object]]:
        """Yield the answers as JSON objects, sorted by id. They identify facts and passages by text and source."""
        ...

    def restore(self, records: Sequence[Mapping[str, Any]], embedder: Embedder) -> MemoryRestored:
        """Restore answers that `Memory.records` exported from this or another corpus.

        An answer is restored if its passages exist in this corpus and still state its facts.

        Raises:
            ValueError, TypeError, KeyError: A record is malformed. Nothing was written.
            EmbedderMismatch: The corpus was built with another embedder. Nothing was written.
        """
        ...


@runtime_checkable
class Remembers(Learner, Protocol):
    """A system that remembers answers, and lets people list, delete, export and restore them."""

    def memory(self, graph: GraphClient, corpus: Corpus) -> Memory:
        """Return the answers that the system remembers for a corpus. If the corpus has no index, there are none."""
        ...

    def settle(self, graph: GraphClient) -> Iterable[str]:
        """Write everything that `learn` has not written yet, and return notes about what was lost."""
        ...
