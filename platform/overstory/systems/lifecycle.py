"""Builds, updates, estimates, describes and removes the index of any system."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from overstory.display import counted
from overstory.errors import BudgetExhausted, ExtraMissing, GdsMissing, LlmError, MemoryKept, OverstoryError
from overstory.graph import Corpus, GraphClient, Writer, generations, read_corpus
from overstory.graph.corpora import SYSTEM
from overstory.index.derived_vectors import remove_unused
from overstory.index.ledger import corpus_counts, read_ledger, recorded
from overstory.index.ledger import forget as forget_stage
from overstory.llm import NO_MODEL, Chat, Estimate, Spent
from overstory.machine import memory_bytes
from overstory.systems.base import BuildContext, Remembers, System, SystemRun, SystemView, clear
from overstory.systems.settings import SettingsClass, check, described, parse
from overstory.systems.state import Backlog, IndexState, mark_of, placed_note, read_backlog, read_state, unit_label
from overstory.text.parsing.readings import Reading

S = TypeVar("S", bound=SettingsClass)


@dataclass(frozen=True, slots=True)
class BuildRequest(Generic[S]):
    """A request to build a system's index. It is checked before any work starts.

    Attributes:
        options: Options in the form in which the command line takes them. They change individual settings of an
            existing index.
        settings: A complete settings object, which replaces the settings of an existing index.
        model: Name of the language model that reads the texts; "none" for rules; None to keep the current choice.
    """

    system: System[S, Any]
    options: str = ""
    settings: S | None = None
    model: str | None = None

    def check(self) -> None:
        self.settings_after(None)

    def settings_after(self, before: IndexState[S] | None) -> S:
        """Return the settings that the index will have."""
        of = f"The {self.system.title} index"
        if self.settings is not None:
            return check(self.settings, of=of)
        return parse(self.system.settings, self.options, of=of, base=before.settings if before else None)

    def require(self, graph: GraphClient, corpus: Corpus) -> None:
        self.system.require(self.settings_after(read_state(self.system, corpus)), graph)

    def readings(self, corpus: Corpus) -> Sequence[Reading[Any]]:
        """Return the functions with which the build will extract values from parsed chunks."""
        before = read_state(self.system, corpus)
        return self.system.readings(self.settings_after(before), self.model_after(before))

    def model_after(self, before: IndexState[S] | None) -> str:
        """Return the name of the language model that will read the texts; "" for rules."""
        if not self.system.reads_with_model or self.model == NO_MODEL:
            return ""
        return self.model if self.model is not None else before.model if before else ""


@dataclass(frozen=True, slots=True)
class Built:
    """The outcome of a build.

    Attributes:
        changed: True if the index was changed; False if there was nothing to do or the build was skipped.
        improvable: True if `improve` was set and the index contained changes that had been added without clustering.
    """

    changed: bool
    notes: tuple[str, ...] = ()
    improvable: bool = False


@dataclass(frozen=True, slots=True)
class SystemReport:
    """A description of a system's index in a corpus.

    Attributes:
        pending: Number of units that were added, changed or deleted since the index read them.
        how: Describes in a few words how the index was built.
        figures: Sizes and costs of the index, by name.
    """

    name: str
    pending: int
    how: str
    figures: Mapping[str, float] = field(default_factory=dict[str, float])
    notes: tuple[str, ...] = ()


def build(
    writer: Writer, request: BuildRequest[S], context: BuildContext, *, asked: bool = True, improve: bool = False
) -> Built:
    """Bring the index of a system up to date.

    Args:
        asked: True if the user named the system. If False and a requirement is missing, the build is skipped with a
            note, so that other indexes can still be built.
        improve: True to cluster everything again if changes have been added to existing communities since the last
            clustering.
    """
    system, graph = request.system, writer.graph
    corpus = writer.corpus
    before = read_state(system, corpus)
    settings, model = request.settings_after(before), request.model_after(before)
    notes = _unused_model(request)
    same = before is not None and (before.settings, before.model) == (settings, model)
    backlog = read_backlog(graph, corpus, system, before)
    current = before is not None and same and _is_current(system, before, backlog, context)
    improve = improve and before is not None and before.placed > 0
    current = current and not improve
    if before is not None and current and not _was_interrupted(system, before, graph, corpus):
        return Built(False, (*notes, *_placed_notes(system, corpus, before)))
    try:
        system.require(settings, graph)
    except (GdsMissing, ExtraMissing) as error:
        if asked:
            raise
        lacking = f"the {system.title} index was not brought up to date: {error} {error.remedy}"
        return Built(False, (*notes, " ".join(lacking.split())), improvable=improve)
    chat = _open(model, system, corpus, context)
    fingerprint = system.fingerprint(settings, context, chat)
    embedder = context.embedder.fingerprint
    scratch = before is None or not same or (before.fingerprint, before.embedder) != (fingerprint, embedder)
    if scratch:
        chunks = corpus_counts(graph, corpus.label).chunks
        needed = chunks * system.bytes_a_passage(settings, graph, corpus)
        check_memory(system, chunks, needed, memory=memory_bytes())
        _unmark(writer, system, before)
        backlog = Backlog(backlog.units, pending=backlog.units, deleted=0)
    spent = chat.usage.spent if chat else Spent()
    how = _how(settings, model, fingerprint, embedder)
    with recorded(writer, system.name, how) as ledger:
        run = SystemRun(
            system=system,
            writer=writer,
            corpus=corpus,
            settings=settings,
            before=before,
            scratch=scratch,
            backlog=backlog,
            context=context,
            chat=chat,
            model=model,
            fingerprint=fingerprint,
            ledger=ledger,
            improve=improve,
        )
        try:
            system.build(run)
        except BudgetExhausted:
            raise
        except LlmError as error:
            raise _with_way_out(error, system, corpus) from error.__cause__
        finally:  # the ledger records paid tokens even if the run failed
            took = chat.usage.spent - spent if chat else Spent()
            ledger.tokens += took.usage.tokens
    usage = (f"{model} took {took}",) if chat else ()
    return Built(True, (*notes, *usage, *run.notes, *_placed_notes(system, corpus, run.published)), improvable=improve)


def check_memory(system: System[Any, Any], chunks: int, needed: int, *, memory: int) -> None:
    """Check that the machine has enough memory for a build.

    Args:
        chunks: Number of passages in the corpus, for the message.
        needed: Number of bytes that the build needs.
        memory: Number of bytes that the machine has.

    Raises:
        OverstoryError: The machine does not have enough memory.
    """
    if needed > memory:
        raise OverstoryError(
            f"The {system.title} index needs about {needed / 1e9:,.0f} GB of memory for {chunks:,} passages, but this "
            f"machine has only {memory / 1e9:,.0f} GB.",
            remedy=f"{system.memory_remedy} Use a machine with more memory, or index fewer documents.".lstrip(),
        )


def record_requests(writer: Writer, requests: Iterable[BuildRequest[Any]]) -> None:
    """Record which systems an interrupted run should have built, so that the next run builds them.

    A system that already has an index state is left unchanged.
    """
    corpus = read_corpus(writer.graph, writer.corpus.name)  # read again, because `writer.corpus` may be out of date
    for request in requests:
        if read_state(request.system, corpus) is None:
            state = IndexState(settings=request.settings_after(None), model=request.model_after(None))
            writer.set(**{SYSTEM + request.system.name: state.as_json()})


def estimate(graph: GraphClient, corpus: Corpus, request: BuildRequest[S], context: BuildContext) -> Estimate:
    """Return an upper bound on the language model usage of `build`. Nothing is sent or written."""
    before = read_state(request.system, corpus)
    model = request.model_after(before)
    settings = request.settings_after(before)
    if not model:
        return Estimate.nothing()
    view = SystemView(graph, corpus, settings, before, context, model)
    backlog = read_backlog(graph, corpus, request.system, before)
    if view.is_as_built and not backlog.pending + backlog.deleted:
        return Estimate.nothing()
    return request.system.estimate(view)


def report(graph: GraphClient, corpus: Corpus, system: System[Any, Any]) -> SystemReport:
    """Describe the index of a system: what it contains, what it cost, and how many units it lacks."""
    state = read_state(system, corpus)
    behind = _behind(system, state, read_backlog(graph, corpus, system, state))
    if state is None:
        return SystemReport(system.name, behind, "not built")
    figures = {**state.figures, **system.figures(graph, corpus, state)}
    notes = tuple(_placed_notes(system, corpus, state))
    return SystemReport(system.name, behind, system.describe(state), figures, notes)


def pending(graph: GraphClient, corpus: Corpus, system: System[Any, Any]) -> int:
    """Return the number of units that were added, changed or deleted since the index of a system read them.

    If an index was requested but its first build has not finished, the number is at least 1.
    """
    state = read_state(system, corpus)
    return _behind(system, state, read_backlog(graph, corpus, system, state))


def remove(writer: Writer, system: System[Any, Any], *, forget: bool = False) -> None:
    """Remove the index of a system.

    The index state is deleted first, so that no reader uses a partial index.

    Args:
        forget: True to delete the answers that the system remembers, too. They cannot be restored.

    Raises:
        MemoryKept: The system remembers answers, and `forget` is False.
    """
    graph, owns = writer.graph, system.owns
    corpus = writer.corpus
    if not forget:
        _refuse_to_forget(graph, corpus, system)
    state = read_state(system, corpus)
    writer.set(**{SYSTEM + system.name: None})
    for structure in owns.generations:
        generations.publish(writer, structure, 0, owns.vector_indexes)
    clear(writer, system)
    remove_unused(writer, stage=system.name)
    if owns.relationship_types:
        unit = unit_label(writer.corpus, system.unit_of(state))
        graph.run_in_batches("systems/unrelate", unit, types=list(owns.relationship_types))
    _unmark(writer, system, state)
    forget_stage(writer, system.name)


def _refuse_to_forget(graph: GraphClient, corpus: Corpus, system: System[Any, Any]) -> None:
    answers = system.memory(graph, corpus).size().answers if isinstance(system, Remembers) else 0
    if answers:
        raise MemoryKept(
            f"The {system.title} index of corpus {corpus.name!r} remembers {counted(answers, 'answer')}, "
            "which a later run cannot restore.",
            remedy=f"Export them to a file (overstory memory export FILE --corpus {shlex.quote(corpus.name)}), then "
            "remove the index with --forget (forget=True in Python).",
        )


def _placed_notes(system: System[S, Any], corpus: Corpus, state: IndexState[S] | None) -> Iterator[str]:
    if state is not None and state.placed:
        yield placed_note(system, corpus, state.placed)


def _behind(system: System[Any, Any], state: IndexState[Any] | None, backlog: Backlog) -> int:
    behind = backlog.pending + (backlog.deleted if system.rebuilds_after_deletions else 0)
    return max(behind, int(state is not None and not state.built))


def _is_current(system: System[S, Any], before: IndexState[S], backlog: Backlog, context: BuildContext) -> bool:
    """Return True if there is nothing to do.

    The language model is not opened, because it may no longer exist.
    """
    if before.embedder != context.embedder.fingerprint or _behind(system, before, backlog):
        return False
    return bool(before.model) or before.fingerprint == system.fingerprint(before.settings, context, None)


def _was_interrupted(system: System[S, Any], before: IndexState[S], graph: GraphClient, corpus: Corpus) -> bool:
    """Return True if the run that published this index was killed before it had deleted the previous index."""
    how = _how(before.settings, before.model, before.fingerprint, before.embedder)
    stages = read_ledger(graph, corpus)
    return any((stage.name, stage.fingerprint) == (system.name, how) and stage.status != "done" for stage in stages)


def _how(settings: SettingsClass, model: str, fingerprint: str, embedder: str) -> str:
    return " ".join(filter(None, (described(settings), model, fingerprint, embedder)))


def _unmark(writer: Writer, system: System[S, Any], state: IndexState[S] | None) -> None:
    mark = mark_of(system)
    properties = [mark, *system.owns.unit_properties]
    unit = unit_label(writer.corpus, system.unit_of(state))
    writer.graph.run_in_batches("systems/unmark", unit, mark=mark, properties=properties)


def _open(model: str, system: System[Any, Any], corpus: Corpus, context: BuildContext) -> Chat | None:
    if not model:
        return None
    try:
        return context.chat(model)
    except LlmError as error:
        raise _with_way_out(error, system, corpus) from error.__cause__


def _with_way_out(error: LlmError, system: System[Any, Any], corpus: Corpus) -> LlmError:
    command = f"overstory index --system {system.name} --model {NO_MODEL} --corpus {shlex.quote(corpus.name)}"
    way_out = f"The {system.title} index of this corpus uses a language model; to use rules instead, run: {command}"
    error.remedy = f"{error.remedy} {way_out}".strip()
    return error


def _unused_model(request: BuildRequest[Any]) -> tuple[str, ...]:
    if request.system.reads_with_model or request.model in (None, NO_MODEL):
        return ()
    return (f"the {request.system.title} index uses no language model; only its retriever does, if one is set",)
