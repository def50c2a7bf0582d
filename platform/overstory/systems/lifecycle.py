"""The life of a system's index: build, update, estimate, report and removal, the same for every system."""

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
    """A request for a system's index, checked before any work starts.

    Attributes:
        options: as the command line names them; they change what the corpus has.
        settings: whole settings of a program, in place of what the corpus has.
        model: the language model to read with, "none" for none; None keeps what the corpus has.
    """

    system: System[S, Any]
    options: str = ""
    settings: S | None = None
    model: str | None = None

    def check(self) -> None:
        self.settings_after(None)

    def settings_after(self, before: IndexState[S] | None) -> S:
        """The settings that the index is to have."""
        of = f"The {self.system.title} index"
        if self.settings is not None:
            return check(self.settings, of=of)
        return parse(self.system.settings, self.options, of=of, base=before.settings if before else None)

    def require(self, graph: GraphClient, corpus: Corpus) -> None:
        self.system.require(self.settings_after(read_state(self.system, corpus)), graph)

    def readings(self, corpus: Corpus) -> Sequence[Reading[Any]]:
        """The readings that the build will take from parsed chunks."""
        before = read_state(self.system, corpus)
        return self.system.readings(self.settings_after(before), self.model_after(before))

    def model_after(self, before: IndexState[S] | None) -> str:
        """The name of the language model that will read, "" for rules."""
        if not self.system.reads_with_model or self.model == NO_MODEL:
            return ""
        return self.model if self.model is not None else before.model if before else ""


@dataclass(frozen=True, slots=True)
class Built:
    """The outcome of a build: whether there was anything to do, notes for the user, and whether `improve` found changes
    that had been added without clustering."""

    something: bool
    notes: tuple[str, ...] = ()
    improvable: bool = False


@dataclass(frozen=True, slots=True)
class SystemReport:
    """The contents of a system's index in a corpus.

    Attributes:
        pending: documents, passages or names that are not in it as they are now, or were deleted since.
        how: how it was built, in a few words.
        figures: what it holds and took, by names that say what they are.
        notes: what the user should know of it.
    """

    name: str
    pending: int
    how: str
    figures: Mapping[str, float] = field(default_factory=dict[str, float])
    notes: tuple[str, ...] = ()


def build(
    writer: Writer, request: BuildRequest[S], context: BuildContext, *, asked: bool = True, improve: bool = False
) -> Built:
    """Brings the index of a system up to date.

    Args:
        asked: False for an index that the corpus has, and that nobody named now: if something is missing that it needs,
            a note says so, and other indexes can be built.
        improve: clusters the whole again if changes went into communities that were there since that was last done.
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
        finally:  # what was paid for is in the ledger, however the run ended
            took = chat.usage.spent - spent if chat else Spent()
            ledger.tokens += took.usage.tokens
    told = (f"{model} took {took}",) if chat else ()
    return Built(True, (*notes, *told, *run.notes, *_placed_notes(system, corpus, run.published)), improvable=improve)


def check_memory(system: System[Any, Any], chunks: int, needed: int, *, memory: int) -> None:
    """Refuses a build that would hold more than there is, before it begins.

    Args:
        chunks: of the corpus.
        needed: bytes that the build takes for them.
        memory: bytes that the machine has.

    Raises:
        OverstoryError: it would.
    """
    if needed > memory:
        raise OverstoryError(
            f"The {system.title} index needs about {needed / 1e9:,.0f} GB of memory for {chunks:,} passages, more than "
            f"this machine has ({memory / 1e9:,.0f} GB).",
            remedy=f"{system.memory_remedy} Build it on a machine with more memory, or of fewer documents.".lstrip(),
        )


def record_requests(writer: Writer, requests: Iterable[BuildRequest[Any]]) -> None:
    """Notes the systems that a corpus was to get when it was interrupted, so that the next run builds them unasked."""
    corpus = read_corpus(writer.graph, writer.corpus.name)  # the last change may have been interrupted when it was made
    for request in requests:
        if read_state(request.system, corpus) is None:
            state = IndexState(settings=request.settings_after(None), model=request.model_after(None))
            writer.set(**{SYSTEM + request.system.name: state.as_json()})


def estimate(graph: GraphClient, corpus: Corpus, request: BuildRequest[S], context: BuildContext) -> Estimate:
    """An upper bound on what `build` would ask of a language model. Nothing is sent or written."""
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
    """Reports what the index of a system holds, took and lacks."""
    state = read_state(system, corpus)
    behind = _behind(system, state, read_backlog(graph, corpus, system, state))
    if state is None:
        return SystemReport(system.name, behind, "not built")
    figures = {**state.figures, **system.figures(graph, corpus, state)}
    notes = tuple(_placed_notes(system, corpus, state))
    return SystemReport(system.name, behind, system.describe(state), figures, notes)


def pending(graph: GraphClient, corpus: Corpus, system: System[Any, Any]) -> int:
    """How many units are missing from the index or out of date; at least 1 if the index must be built, or some of its
    units were deleted."""
    state = read_state(system, corpus)
    return _behind(system, state, read_backlog(graph, corpus, system, state))


def remove(writer: Writer, system: System[Any, Any], *, forget: bool = False) -> None:
    """Removes the index of a system: its state first, so that no reader finds a part of it, then all that it owns.

    Args:
        forget: also what it remembers, which no run brings back.
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
            "which no run brings back.",
            remedy=f"Keep them in a file (overstory memory export FILE --corpus {shlex.quote(corpus.name)}), then "
            "remove the index with --forget, in Python forget=True.",
        )


def _placed_notes(system: System[S, Any], corpus: Corpus, state: IndexState[S] | None) -> Iterator[str]:
    if state is not None and state.placed:
        yield placed_note(system, corpus, state.placed)


def _behind(system: System[Any, Any], state: IndexState[Any] | None, backlog: Backlog) -> int:
    behind = backlog.pending + (backlog.deleted if system.rebuilds_after_deletions else 0)
    return max(behind, int(state is not None and not state.built))


def _is_current(system: System[S, Any], before: IndexState[S], backlog: Backlog, context: BuildContext) -> bool:
    """Whether there is nothing to do. Does not open the language model, which may be gone by now."""
    if before.embedder != context.embedder.fingerprint or _behind(system, before, backlog):
        return False
    return bool(before.model) or before.fingerprint == system.fingerprint(before.settings, context, None)


def _was_interrupted(system: System[S, Any], before: IndexState[S], graph: GraphClient, corpus: Corpus) -> bool:
    """Whether the run that published this index was killed before it had deleted what the index replaced."""
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
    way_out = (
        f"The {system.title} index of this corpus reads with a language model; to have rules read instead: {command}"
    )
    error.remedy = f"{error.remedy} {way_out}".strip()
    return error


def _unused_model(request: BuildRequest[Any]) -> tuple[str, ...]:
    if request.system.reads_with_model or request.model in (None, NO_MODEL):
        return ()
    return (f"the {request.system.title} index asks no language model; its retriever does, where one is set",)
