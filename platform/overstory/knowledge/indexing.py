"""Building the index of the corpus: its stages and its systems."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from overstory.cancellation import WorkCancelled, cancellable
from overstory.errors import OverstoryError
from overstory.graph import Writer, writing
from overstory.index import IndexReport
from overstory.index.pipeline import build_index, rebuild_indexes
from overstory.knowledge.connection import WholePart
from overstory.llm import Estimate
from overstory.systems import (
    BuildContext,
    CorpusMemory,
    SystemReport,
    all_build_requests,
    build_requests,
    find_system,
    lifecycle,
    missing_systems,
    systems_of,
    vector_indexes,
)
from overstory.systems.settings import SettingsClass
from overstory.text.extraction.extractors import ReadsLanguages
from overstory.text.parsing.parsed_texts import ParsedTexts

_NOTHING_TO_IMPROVE = "no system needed clustering: every change is already part of a clustering"


class Indexing(WholePart):
    """Builds the index of the corpus: its stages and its systems."""

    def index(
        self,
        *,
        re_embed: bool = False,
        embedder: str | None = None,
        rebuild_indexes: bool = False,
        systems: str | SettingsClass | Sequence[str | SettingsClass] = (),
        model: str | None = None,
        improve: bool = False,
    ) -> IndexReport:
        """Bring the index up to date: vectors, mentions, facts and relations. Only steps with changed input run.

        Args:
            re_embed: if the corpus's vectors come from another embedder, replace them with vectors of the configured
                embedder.
            embedder: name of an embedder, such as "multilingual", to which the corpus is switched permanently,
                regardless of the settings. Searches use the old vectors until all new vectors exist. After an
                interruption, the same call continues.
            rebuild_indexes: first drop and rebuild the database's vector and full-text indexes, including those of
                systems. Until they are rebuilt, searches by meaning compare all vectors, and other searches may fail
                with a message.
            systems: systems to build in this and every later run. Each is a name, with options after a colon
                ("NAME:option=value"), or a system's settings object. If one is invalid, an error is raised before any
                work starts.
            model: language model for these systems, as for `use_model`; "none" for no model. By default, each system
                keeps the model that it was last built with. A new system has no model, so indexing costs nothing
                unless you specify one.
            improve: cluster again those systems that have so far only added new content to existing communities (see
                `SystemReport.notes`). This takes as long as their first build, apart from the embedding.

        Raises:
            SettingsError: a system or one of its options does not exist.
            CorpusNotFound: no document was loaded yet.
            GdsMissing, ExtraMissing: a system in `systems` needs a plugin or package that is missing. If another system
                of the corpus needs it, a note reports that instead.
            LlmError, BudgetExhausted: a system's language model failed, or the next request could exceed its token
                budget.
            EmbedderMismatch, ModelError: a model cannot be used. Committed work is kept. Call `index` again to
                continue.
        """
        requested = build_requests(systems, model)
        if embedder is not None or (re_embed and not self.connection.embedder_is_given):
            self.connection.set_embedder(self.settings.embedding.embedder if embedder is None else embedder)
        self.connection.check_models(extracts=True)
        with self.connection.changing(self.read(), "index") as writer:
            if embedder is None and not re_embed:
                self.connection.use_embedder_of(writer.corpus)
            wanted = all_build_requests(writer.corpus, requested, model)
            for request in requested.values():
                request.require(self.graph, writer.corpus)
            if rebuild_indexes:
                self._rebuild_indexes(writer)
            readings = [each for request in wanted.values() for each in request.readings(writer.corpus)]
            try:
                with ParsedTexts(self.settings.places.cache, readings) as parsed:
                    report = build_index(
                        writer,
                        self.connection.embedder,
                        self.connection.extractor,
                        replace_vectors=re_embed or embedder is not None,
                        embedder_name=embedder or "",
                        megabytes=self.settings.memory_megabytes,
                        progress=self.progress,
                        parsed=parsed,
                    )
                    context = replace(self._build_context(), parsed=parsed)
                    built = {
                        name: lifecycle.build(writer, request, context, asked=name in requested, improve=improve)
                        for name, request in wanted.items()
                    }
            except (KeyboardInterrupt, WorkCancelled):
                with suppress(OverstoryError), cancellable(None):  # an error here must not hide the interruption
                    lifecycle.record_requests(writer, wanted.values())
                raise
            gone = [
                f"the index of the system {name!r} was not updated because its package is not installed"
                for name in missing_systems(writer.corpus)
            ]
        idle = [_NOTHING_TO_IMPROVE] if improve and not any(system.improvable for system in built.values()) else []
        read = self.connection.extractor
        of_languages = read.language_notes(writer.corpus.languages) if isinstance(read, ReadsLanguages) else ()
        notes = (*map(str, of_languages), *(note for system in built.values() for note in system.notes), *gone, *idle)
        did = [*(["indexes"] if rebuild_indexes else []), *report.done]
        did += [name for name, outcome in built.items() if outcome.changed]
        return replace(report, done=tuple(did), notes=notes)

    def estimate_index(
        self, systems: str | SettingsClass | Sequence[str | SettingsClass] = (), *, model: str | None = None
    ) -> Estimate:
        """Return an upper bound on the language model requests that `index` would send for these systems.

        By default, the estimate is for the systems that the corpus already has. No request is sent.

        Raises:
            SettingsError, LlmError, ModelError: as for `index`.
        """
        requested = build_requests(systems, model)
        corpus, context = self.read(), self._build_context()
        wanted = requested or all_build_requests(corpus, {}, model)
        estimates = [lifecycle.estimate(self.graph, corpus, request, context) for request in wanted.values()]
        return sum(estimates, start=Estimate.nothing())

    def remove_system(self, name: str, *, forget: bool = False) -> None:
        """Delete a system's index from the corpus, if there is one.

        Args:
            forget: also delete the answers that the system remembers (`memory`). They cannot be rebuilt.

        Raises:
            SettingsError: the system does not exist.
            MemoryKept: the system remembers answers, and `forget` is False. Nothing was deleted.
        """
        system = find_system(name)
        with writing(self.graph, self.read(), "index") as writer:
            lifecycle.remove(writer, system, forget=forget)

    def system_reports(self) -> list[SystemReport]:
        """Report the contents, build cost and pending work of each system's index."""
        corpus = self.read()
        reports = [lifecycle.report(self.graph, corpus, system) for system in systems_of(corpus)]
        return reports + [SystemReport(name, 0, "its package is not installed") for name in missing_systems(corpus)]

    def _rebuild_indexes(self, writer: Writer) -> None:
        found = vector_indexes.indexes_of(writer.corpus, systems_of(writer.corpus))
        others = {each.name: functools.partial(vector_indexes.rebuild, writer, each) for each in found}
        rebuild_indexes(writer, others, progress=self.progress)

    def _build_context(self) -> BuildContext:
        return BuildContext(
            self.connection.embedder, self.settings.extraction, self.connection.model.chat_with, self.progress
        )

    @property
    def memory(self) -> CorpusMemory:
        return CorpusMemory(lambda: self.graph, self.corpus_name, self.connection.own_embedder)
