"""The interface of a system: its index, its retriever, and what it owns in the graph.

A system is one folder and one entry point in the group `overstory.systems`. It derives from `System` and says what its
settings are; the shared rooms do the rest: `settings` reads its options, `lifecycle` builds, reports and removes its
index, `state` is what a corpus keeps of it.
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
    """The parts of the graph that only this system writes: the allow-list for what is deleted with its index.

    A node of a system carries `Overstory`, the label of its corpus, its kind (one of `labels`) and `Corpus_…_KIND`. One
    that stands on a chunk, a document or an entity also carries `OfChunk`, `OfDocument` or `OfEntity`, and
    goes with it; what such nodes share carries `Shared`, and goes with the last of them, as does what that
    shares in turn, one step further.

    Attributes:
        labels: the kinds of its nodes.
        marks: what some of these carry besides, as `Corpus_…_MARK`.
        relationship_types: of the relationships that it writes between units; those of its nodes go with these.
        unit_properties: that it writes to the units it reads, besides its mark.
        vector_indexes: those of `labels` whose `embedding` a vector index of the system holds.
        generations: the names of its derived structures (`graph.generations`).
        saved_queries: statements for Neo4j Browser, in the order of reading; `systems/NAME/saved_queries/…`.
        examples: a statement that finds values of their parameters, which takes those that there are already
            (`browser.queries`); "" if there is none.
        style: GraSS rules for Neo4j Browser: of those of `labels` that it draws in colours of their own, and of
            `relationship_types`.
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
    """Shared inputs of every index build.

    Attributes:
        chat: opens the language model of a name.
        parsed: texts that this run has parsed, with the values of `System.readings`.
    """

    embedder: Embedder
    extraction: ExtractionSettings
    chat: Callable[[str], Chat]
    progress: Progress
    parsed: ParsedTexts | None = None


@dataclass(slots=True)
class SystemRun(Generic[S]):
    """A build in progress: its task, and how it writes.

    Attributes:
        corpus: as it was when the build began; nobody else changes it meanwhile.
        before: the state of the index then, None where there was none.
        scratch: whether everything is to be read again: there was no index, or one of other settings, another embedder
            or another reader.
        backlog: what the index lacks.
        chat: the language model that reads, None where rules do.
        model: its name, "" where rules read.
        ledger: counts and tokens of the run go here.
        improve: whether the whole is to be clustered again, though little or nothing changed.
        figures: what the index holds and took, by names that say what they are.
        notes: what the user should know of the run.
        published: the last state that was published.
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
        """The version up to which the index has read; −1 if it must read everything."""
        return self.before.read_to if self.before is not None and not self.scratch else -1

    def unread(self, *, size: int = _UNITS_A_PAGE) -> Iterator[list[str]]:
        """The ids of units that are new or changed since they were read, in order, in pages of at most `size`."""
        return unread(self.graph, self.corpus, self.system, None if self.scratch else self.before, size=size)

    def clear(self) -> None:
        """Deletes the nodes of the system and their vector indexes, for an index that is built from scratch.

        Raises:
            DatabaseError: what was deleted before stays so.
        """
        clear(self.writer, self.system)

    def commit(self, work: Callable[[Transaction], None], *, done: Sequence[str] = ()) -> None:
        """Runs `work` in one transaction that also marks units as read, so that a killed run resumes after them.

        Raises:
            LeaseLost, DatabaseError: nothing was committed.
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
        """The state of the index with this run's settings and figures.

        Args:
            built: whether it can be asked.
            complete: whether every unit was read.
            placed: see `IndexState`.
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
        """Makes a state the corpus' own: readers use the index as it says from here on.

        Raises:
            LeaseLost, DatabaseError: readers keep the old state.
        """
        kept = {SYSTEM + self.system.name: state.as_json()}
        if state.generation:
            (structure,) = self.system.owns.generations
            generations.publish(self.writer, structure, state.generation, self.system.owns.vector_indexes, **kept)
        else:
            self.writer.set(**kept)
        self.published = state

    def publish_in(self, tx: Transaction, state: IndexState[S]) -> None:
        """As `publish`, as a part of a transaction that also changes the index in place."""
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
    """The ids of units that are new or changed since an index read them, in order, in pages of at most `size`.

    Args:
        state: of the index; without one the marks of an unfinished first run count.
        again: all units, whatever was read.
    """
    # All ids at once, some 90 MB a million: they are asked for by the index over `touched`, which has another order.
    rows = graph.stream(
        "systems/touched",
        corpus.label,
        unit=unit_label(corpus, system.unit_of(state)),
        read_to=-1 if again or state is None else state.read_to,
        mark=None if again else mark_of(system),
    )
    yield from batches(sorted(row["id"] for row in rows), size)


def clear(writer: Writer, system: System[Any, Any]) -> None:
    """Deletes the nodes of a system and their vector indexes, but neither its state nor what it wrote to units."""
    label = writer.corpus.label
    for kind in system.owns.vector_indexes:
        schema.drop_derived_index(writer.graph, label, kind)
    for kind in system.owns.labels:
        writer.graph.run_in_batches("systems/remove_nodes", derived_label(label, kind))


@dataclass(frozen=True, slots=True)
class SystemView(Generic[S]):
    """A corpus as `System.estimate` sees it; nothing is written."""

    graph: GraphClient
    corpus: Corpus
    settings: S
    before: IndexState[S] | None
    context: BuildContext
    model: str

    @property
    def is_as_built(self) -> bool:
        """Whether there is an index with these settings, this model and this embedder."""
        before = self.before
        wanted = (True, self.settings, self.model, self.context.embedder.fingerprint)
        return before is not None and (before.built, before.settings, before.model, before.embedder) == wanted


class System(ABC, Generic[S, R]):
    """A published system: an index over a corpus, and a retriever that asks it.

    Attributes:
        name: in `overstory index --system NAME` and `--retriever NAME`.
        title: as its authors write it.
        good_for: the questions or needs for which somebody takes it, for `overstory systems`.
        settings, retriever_settings: the dataclasses of its options.
        unit: what its index is built from; see `unit_of`.
        owns: what it writes.
        trees: those that its index has or can have, the first is shown where none is named; see `systems.tree`.
        reads_with_model: whether a language model can read for its index.
        answers_on_all: whether its retriever answers questions on all documents, which no passage answers.
        rebuilds_after_deletions: whether the index is out of date when units were deleted; False where all that stands
            on a unit goes with it.
        memory_remedy: settings with which a first build takes less memory (see `bytes_a_passage`), as a sentence.
        statements: the folder of its Cypher statements, for a system outside this package; its statements are called
            `systems/NAME/…`. Ours are under `cypher/systems/NAME/`.
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
        """Brings the index up to date, and publishes its state.

        Raises:
            LlmError, BudgetExhausted, ModelError, GdsMissing, LeaseLost, DatabaseError: what was committed before
                stays, and the same call goes on from there.
        """

    @abstractmethod
    def retriever(self, context: RetrievalContext, settings: R) -> Retriever:
        """A retriever over the index. Each question checks that the index exists."""

    def require(self, settings: S, graph: GraphClient) -> None:
        """Checks that `build` has what it needs, before anything is done.

        Raises:
            GdsMissing: the server lacks Graph Data Science.
            ExtraMissing: a package is not installed.
        """

    def bytes_a_passage(self, settings: S, graph: GraphClient, corpus: Corpus) -> int:  # noqa: ARG002 # for those that hold the whole
        """About how much memory of the client a passage takes while the index is built from scratch, as it was measured
        (docs/scale.md); 0 where memory does not grow with the corpus."""
        return 0

    def fingerprint(self, settings: S, context: BuildContext, chat: Chat | None) -> str:  # noqa: ARG002 # for those that read texts
        """Changes when the same unit may be read differently for a reason other than settings, model or embedder."""
        return ""

    def readings(self, settings: S, model: str) -> Sequence[Reading[Any]]:  # noqa: ARG002 # for those that parse texts
        """What `build` reads in parsed chunks; the extract stage of the same run keeps it in `BuildContext.parsed`.

        Args:
            model: the language model that reads, "" for rules.
        """
        return ()

    def estimate(self, view: SystemView[S]) -> Estimate:  # noqa: ARG002 # for those that ask a language model
        """An upper bound on what `build` would ask of a language model. Nothing is sent or written."""
        return Estimate.nothing()

    def index_options(self, settings: R) -> str:  # noqa: ARG002 # for those whose ablations need an index of their own
        """The options of the index that a retriever with these settings needs, as `settings.parse` reads them."""
        return ""

    def when_asking(self, settings: R) -> R:
        """The settings of a retriever when questions are answered from what it finds, not only searched."""
        return settings

    def unit_of(self, state: IndexState[S] | None) -> Unit:  # noqa: ARG002 # for those that read one kind or another
        """What an index is built from: the units that it is behind by, that carry its marks, and whose deletions count.

        Args:
            state: None for a corpus without an index.
        """
        return self.unit

    def units_of(self, state: IndexState[S] | None) -> tuple[Unit, ...]:
        """All kinds of units whose changes put an index behind, that of `unit_of` first."""
        return (self.unit_of(state),)

    def has_tree(self, tree: TreeKind, state: IndexState[S]) -> bool:  # noqa: ARG002 # for those with trees on demand
        """Whether an index that can be asked has one of `trees`."""
        return True

    def describe(self, state: IndexState[S]) -> str:
        """How the index was built, in a few words."""
        return f"read by {state.model or 'rules'}"

    def figures(self, graph: GraphClient, corpus: Corpus, state: IndexState[S]) -> Mapping[str, float]:  # noqa: ARG002
        """Current counts of the index, in addition to the figures of the last build."""
        return {}


@dataclass(frozen=True, slots=True)
class LearningRun:
    """The inputs of a system that learns from answers."""

    graph: GraphClient
    corpus: Corpus
    embedder: Embedder
    chat: Chat | None


@runtime_checkable
class Learner(Protocol):
    """A system that learns from answers. Called only if the caller wants the answer remembered."""

    def learn(self, answer: Answer, evidence: Evidence, run: LearningRun) -> Iterable[str]:
        """Called after an answer is complete; returns notes on what was stored, or why nothing was.

        Raises:
            DatabaseError: nothing was stored; the answer stands.
        """
        ...


class Memory(Protocol):
    """The answers that a system remembers of one corpus. Changes need no lease, and leave the corpus' version.

    Raises:
        DatabaseError: they cannot be read, or a change was not committed; what was committed before stays.
    """

    def size(self) -> MemorySize: ...

    def answers(self, *, like: str, limit: int) -> list[StoredAnswer]:
        """The newest answers, newest first.

        Args:
            like: only those with this text in a question, upper and lower case being one; "" for all.
        """
        ...

    def with_ids(self, beginnings: Sequence[str]) -> list[StoredAnswer]:
        """The answers whose ids begin in one of these ways, in order of id."""
        ...

    def forget(self, ids: Sequence[str] | None) -> int:
        """Deletes answers, and what only they had; how many there were.

        Args:
            ids: whole ones; None for all answers.
        """
        ...

    def records(self) -> Iterator[Mapping[str, object]]:
        """The answers as JSON objects that name facts and passages by their texts and sources, in order of id."""
        ...

    def restore(self, records: Sequence[Mapping[str, Any]], embedder: Embedder) -> MemoryRestored:
        """Remembers answers of `records` again, of this corpus or another, whose passages still state their facts.

        Raises:
            ValueError, TypeError, KeyError: one is no such object; nothing was written.
            EmbedderMismatch: nothing was written.
        """
        ...


@runtime_checkable
class Remembers(Learner, Protocol):
    """A system that learns answers which people can look at, delete and take along."""

    def memory(self, graph: GraphClient, corpus: Corpus) -> Memory:
        """What it remembers of a corpus; empty where it has no index."""
        ...

    def settle(self, graph: GraphClient) -> Iterable[str]:
        """Writes what `learn` could not write yet; returns notes on what is lost."""
        ...
