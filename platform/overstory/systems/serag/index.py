"""SeRAG's index as a system: built, brought up to date, described and removed. No language model takes part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from overstory.graph import Corpus, GraphClient, Writer, generations, read_corpus
from overstory.graph.corpora import SYSTEM
from overstory.index.ledger import forget, recorded
from overstory.llm import NO_MODEL, Estimate
from overstory.systems.base import BuildContext, Built, SystemReport
from overstory.systems.serag.build import Build
from overstory.systems.serag.build_cache import Memory
from overstory.systems.serag.index_settings import NAME, Kept, SeragSettings
from overstory.text.parsing.readings import Reading

NO_MODEL_NEEDED = "SeRAG's index asks no language model; its retriever does, where one is set"


class SeRag:
    """See `overstory.systems.System`. Source: the paper's Sections 3.1 and 3.2."""

    name = NAME

    def __init__(self) -> None:
        self._memory = Memory()

    def readings(
        self,
        corpus: Corpus,  # noqa: ARG002 # the protocol's
        *,
        option: str | None,
        model: str | None,  # noqa: ARG002
    ) -> Sequence[Reading[Any]]:
        """Nothing: the index is made of what the extract stage found.

        Raises:
            SettingsError: there is no such option.
        """
        SeragSettings().with_option(option)
        return ()

    def build(
        self,
        writer: Writer,
        context: BuildContext,
        *,
        option: str | None,
        model: str | None,
    ) -> Built:
        """
        Raises:
            SettingsError, GdsMissing, LeaseLost, DatabaseError: as `System.build`.
        """
        corpus = read_corpus(writer.graph, writer.corpus.name)
        before = Kept.of(corpus)
        settings = (before.settings if before else SeragSettings()).with_option(option)
        usable = before is not None and before.settings == settings and before.embedder == corpus.embedder
        (counts,) = writer.graph.run("systems/serag/counts", corpus.label, read=True)
        if before is not None and usable and before.fits(counts):
            return Built(False)
        kept = before if usable else None
        with recorded(writer, NAME, f"{settings} {corpus.embedder}") as run:
            Build(writer, corpus, settings, kept, counts, context.progress, self._memory).run(run)
        return Built(True, () if model in (None, NO_MODEL) else (NO_MODEL_NEEDED,))

    def option_for(self, retriever_option: str) -> str | None:
        """See `System.option_for`: the retriever's ablation of the graph asks a tree of its own."""
        return "semantic" if "semantic" in retriever_option.split(",") else None

    def estimate(
        self,
        graph: GraphClient,  # noqa: ARG002 # the protocol's
        corpus: Corpus,  # noqa: ARG002
        context: BuildContext,  # noqa: ARG002
        *,
        option: str | None,
        model: str | None,  # noqa: ARG002
    ) -> Estimate:
        """Nothing: the index asks no language model.

        Raises:
            SettingsError: there is no such option.
        """
        SeragSettings().with_option(option)
        return Estimate.nothing()

    def report(self, graph: GraphClient, corpus: Corpus) -> SystemReport:
        kept = Kept.of(corpus)
        if kept is None:
            return SystemReport(NAME, self.pending(graph, corpus), "not built", {})
        (row,) = graph.run("systems/serag/report", corpus.label, read=True, generation=kept.generation)
        figures = dict(kept.figures) | {"stored_edges": row["links"], "tree_nodes": row["nodes"]}
        by = "found by GDS" if kept.by_gds else "found exactly"
        how = f"{kept.settings.described()}; similar chunks {by}"
        return SystemReport(NAME, self.pending(graph, corpus), how, figures)

    def pending(self, graph: GraphClient, corpus: Corpus) -> int:
        kept = Kept.of(corpus)
        (row,) = graph.run("systems/serag/counts", corpus.label, read=True)
        if row["chunks"] != row["done"]:
            return int(graph.run("systems/serag/pending", corpus.label, read=True)[0]["documents"])
        return int(kept is not None and not kept.fits(row))  # a deleted one left its place in the tree

    def remove(self, writer: Writer) -> None:
        """
        Raises:
            LeaseLost, DatabaseError: call again to go on.
        """
        label = writer.corpus.label
        generations.publish(writer, NAME, 0, **{SYSTEM + NAME: None})  # first: no reader shall find a part of it
        for statement in ("serag_unlink_linked", "serag_unlink_similar", "serag_unmark"):
            writer.graph.run_in_batches(f"ingest/{statement}", label)
        forget(writer, NAME)
