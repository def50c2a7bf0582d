"""The AutoPrunedRetriever system."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING

from overstory.graph import Corpus, GraphClient
from overstory.llm import Chat, Estimate
from overstory.protocols import Retriever
from overstory.retrieve import RetrievalContext
from overstory.systems.base import BuildContext, LearningRun, Memory, Owned, System, SystemRun, SystemView, unread
from overstory.systems.settings import described
from overstory.systems.state import IndexState
from overstory_systems.apr.codebook import BUILT, ENTITIES
from overstory_systems.apr.settings import AprIndexSettings, AprRetrieverSettings
from overstory_systems.apr.triple_readers import FactReader, TripleReader, read_stated

if TYPE_CHECKING:
    from overstory.answer import Answer
    from overstory.model import Evidence
    from overstory_systems.apr.answer_writer import AnswerWriter

_APR_BYTES_A_PASSAGE = 10_000
"""Memory that a build needs per passage for symbols and edges, in bytes, as measured (docs/scale.md)."""


class Apr(System[AprIndexSettings, AprRetrieverSettings]):
    """The AutoPrunedRetriever system, which indexes and retrieves facts.

    Source: AutoPrunedRetriever paper, Sections 2.2, 2.3 and 2.7.
    """

    name = "apr"
    title = "AutoPrunedRetriever"
    good_for = "similar questions again and again: facts and earlier answers are read instead of passages"
    settings = AprIndexSettings
    retriever_settings = AprRetrieverSettings
    unit = "chunk"
    owns = Owned(
        labels=(*BUILT, ENTITIES, "AprRelation", "AprAnswer", "AprQuestion", "AprMemory"),
        marks=("AprLoose", "AprUnmerged", "AprAlias", "AprRepresentative"),
        vector_indexes=(ENTITIES,),
        saved_queries=tuple(
            f"systems/apr/saved_queries/{name}" for name in ("runs", "aliases", "remembered", "memory")
        ),
        style=files("overstory_systems.apr").joinpath("style.grass"),
    )
    reads_with_model = True
    rebuilds_after_deletions = False

    def __init__(self) -> None:
        self._making = threading.Lock()
        self._writer: AnswerWriter | None = None

    def fingerprint(self, settings: AprIndexSettings, context: BuildContext, chat: Chat | None) -> str:  # noqa: ARG002
        """Return the fingerprint of the language model and its prompt, or of the rules that make triples."""
        if chat is None:
            return FactReader.fingerprint
        from overstory_systems.apr.model_triples import reader_fingerprint  # pydantic is needed only with a model

        return reader_fingerprint(chat)

    def bytes_a_passage(self, settings: AprIndexSettings, graph: GraphClient, corpus: Corpus) -> int:  # noqa: ARG002 # they do not matter
        """Return a constant, because memory use hardly depends on the settings."""
        return _APR_BYTES_A_PASSAGE

    def build(self, run: SystemRun[AprIndexSettings]) -> None:
        from overstory_systems.apr.build import CodebookBuild

        CodebookBuild(run, _reader(run)).run()

    def estimate(self, view: SystemView[AprIndexSettings]) -> Estimate:
        from overstory_systems.apr.model_triples import ModelTripleReader, stored_sentences

        chat, before, label = view.context.chat(view.model), view.before, view.corpus.label
        reader = ModelTripleReader(chat, view.settings.triples, stored_sentences(view.graph, label))
        wanted = (view.settings.triples, view.model, reader.fingerprint)
        same = before is not None and (before.settings.triples, before.model, before.fingerprint) == wanted
        pages = unread(view.graph, view.corpus, self, before if same else None, again=not same)
        return reader.estimate(chunk for ids in pages for chunk in read_stated(view.graph, label, ids))

    def describe(self, state: IndexState[AprIndexSettings]) -> str:
        """Describe the source of the triples, and list the settings that differ from the defaults."""
        return ", ".join(filter(None, (f"triples by {state.model or 'rules'}", described(state.settings))))

    def figures(
        self,
        graph: GraphClient,
        corpus: Corpus,
        state: IndexState[AprIndexSettings],  # noqa: ARG002 # the graph is counted
    ) -> Mapping[str, float]:
        """Count symbols, edges, runs and facts. `merged` counts the symbols that have a representative."""
        (row,) = graph.run("systems/apr/report", corpus.label, read=True)
        return dict(row)

    def when_asking(self, settings: AprRetrieverSettings) -> AprRetrieverSettings:
        """Enable remembered answers for `ask` unless `settings.recall` is "never"."""
        return replace(settings, recall="always") if settings.recall == "asking" else settings

    def learn(self, answer: Answer, evidence: Evidence, run: LearningRun) -> Iterator[str]:  # noqa: ARG002 # the answer contains it
        return self._answer_writer().learn(answer, run)

    def memory(self, graph: GraphClient, corpus: Corpus) -> Memory:
        from overstory_systems.apr.memory import StoredMemory

        return StoredMemory(graph, corpus, self.name, self._answer_writer().waiting.count)

    def settle(self, graph: GraphClient) -> Iterator[str]:
        return self._answer_writer().settle(graph)

    def _answer_writer(self) -> AnswerWriter:
        with self._making:
            if self._writer is None:
                from overstory_systems.apr.answer_writer import AnswerWriter

                self._writer = AnswerWriter(self)
            return self._writer

    def retriever(self, context: RetrievalContext, settings: AprRetrieverSettings) -> Retriever:
        from overstory_systems.apr.retriever import AprRetriever

        return AprRetriever(self, context, settings)


def _reader(run: SystemRun[AprIndexSettings]) -> TripleReader:
    source = run.settings.triples
    if run.chat is None or source == "loaded":
        return FactReader(source)
    from overstory_systems.apr.model_triples import ModelTripleReader, stored_sentences  # pydantic is only for models

    return ModelTripleReader(run.chat, source, stored_sentences(run.graph, run.corpus.label))
