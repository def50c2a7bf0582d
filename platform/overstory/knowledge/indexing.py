"""The index of the corpus: its stages, and systems."""

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
    all_wishes,
    find_system,
    lifecycle,
    missing_systems,
    systems_of,
    vector_indexes,
    wishes,
)
from overstory.systems.settings import SettingsClass
from overstory.text.extraction.sharing import ReadsLanguages
from overstory.text.parsing.parsed_texts import ParsedTexts

_NOTHING_TO_IMPROVE = (
    "nothing to cluster again: no system of this corpus has changes that were added without clustering"
)


class Indexing(WholePart):
    """The index of the corpus: its stages, and systems."""

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
        """Brings the index up to date: vectors, mentions, facts, relationships. Runs only steps whose input changed.

        Args:
            re_embed: change to the embedder of the settings where the corpus has another one's vectors.
            embedder: change the corpus to this embedder ("multilingual"), and keep it whatever the settings say:
                whoever opens the corpus later uses it. Searches use the old vectors until the new ones are there;
                interrupted, the same call goes on.
            rebuild_indexes: first drop the database's indexes over vectors and words, those of systems included,
                and make them again. Searches by meaning scan all vectors meanwhile, others may fail and say why.
            systems: also build what these systems need, and so does every later run: their names, with options
                after a colon ("NAME:option=value"), or the settings object of one. They are
                checked before anything is done.
            model: the language model that these systems read with, as `use_model` names it; "none" for none. Without
                it they keep to what they were built with, which at first is none: an index costs nothing unasked.
            improve: systems that added changes to communities they had, without clustering again, now cluster the whole
                again (`SystemReport.notes` says which did); takes as long as their first build, without the embedding.

        Raises:
            SettingsError: there is no such system, or it has no such option.
            CorpusNotFound: nothing was loaded yet.
            GdsMissing, ExtraMissing: one of `systems` needs what the server or this environment lacks; of others that
                the corpus has, a note says so.
            LlmError, BudgetExhausted: of a system's language model.
            EmbedderMismatch, ModelError: what was committed before stays; call again to go on.
        """
        wished = wishes(systems, model)
        if embedder is not None or (re_embed and not self.connection.embedder_is_given):
            self.connection.set_embedder(self.settings.embedding.embedder if embedder is None else embedder)
        self.connection.check_models(extracts=True)
        with self.connection.changing(self.read(), "index") as writer:
            if embedder is None and not re_embed:
                self.connection.use_embedder_of(writer.corpus)
            wanted = all_wishes(writer.corpus, wished, model)
            for wish in wished.values():
                wish.require(self.graph, writer.corpus)
            if rebuild_indexes:
                self._rebuild_indexes(writer)
            readings = [each for wish in wanted.values() for each in wish.readings(writer.corpus)]
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
                        name: lifecycle.build(writer, wish, context, asked=name in wished, improve=improve)
                        for name, wish in wanted.items()
                    }
            except (KeyboardInterrupt, WorkCancelled):
                with suppress(OverstoryError), cancellable(None):  # the interruption matters more
                    lifecycle.remember(writer, wanted.values())
                raise
            gone = [
                f"the index of the system {name!r} was not brought up to date: its package is not installed"
                for name in missing_systems(writer.corpus)
            ]
        idle = [_NOTHING_TO_IMPROVE] if improve and not any(system.improvable for system in built.values()) else []
        read = self.connection.extractor
        of_languages = read.language_notes(writer.corpus.languages) if isinstance(read, ReadsLanguages) else ()
        notes = (*map(str, of_languages), *(note for system in built.values() for note in system.notes), *gone, *idle)
        did = [*(["indexes"] if rebuild_indexes else []), *report.done]
        did += [name for name, outcome in built.items() if outcome.something]
        return replace(report, done=tuple(did), notes=notes)

    def estimate_index(
        self, systems: str | SettingsClass | Sequence[str | SettingsClass] = (), *, model: str | None = None
    ) -> Estimate:
        """An upper bound on what `index` would ask of a language model for these systems, by default those of the
        corpus. Nothing is sent or written.

        Raises:
            SettingsError, LlmError, ModelError: as `index`.
        """
        wished = wishes(systems, model)
        corpus, context = self.read(), self._build_context()
        wanted = wished or all_wishes(corpus, {}, model)
        estimates = [lifecycle.estimate(self.graph, corpus, wish, context) for wish in wanted.values()]
        return sum(estimates, start=Estimate.nothing())

    def remove_system(self, name: str, *, forget: bool = False) -> None:
        """Removes the index of a system, if it has one here; nothing else changes.

        Args:
            forget: also the answers that it remembers (`memory`), which no run brings back.

        Raises:
            SettingsError: there is no such system.
            MemoryKept: it remembers answers, and is not to forget them; nothing was removed.
        """
        system = find_system(name)
        with writing(self.graph, self.read(), "index") as writer:
            lifecycle.remove(writer, system, forget=forget)

    def system_reports(self) -> list[SystemReport]:
        """Reports what the systems' indexes of this corpus hold, took, and lack."""
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
