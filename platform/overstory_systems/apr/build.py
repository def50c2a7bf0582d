"""One build of AutoPrunedRetriever's index: triples, symbols with vectors, edges and runs, chunk by chunk.

A page of chunks is stored in one transaction with its marks, so that a killed run resumes with the next; meanwhile the
page after it is read and embedded. A chunk that changed costs its own runs, and the symbols that are new with it. What
lost its last user is marked in the transaction that took it away, and deleted at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from overstory.display import counted
from overstory.graph import batches, schema
from overstory.graph.ids import derived_label
from overstory.index.one_ahead import one_ahead
from overstory.protocols import Vectors
from overstory.systems.base import SystemRun, unread
from overstory.systems.figures import PartSeconds, TimedEmbedder
from overstory.systems.vector_indexes import SCANNED
from overstory_systems.apr.codebook import CodedTriple, coded, edge_vectors
from overstory_systems.apr.consolidation import consolidate
from overstory_systems.apr.index_settings import AprIndexSettings
from overstory_systems.apr.memory.upkeep import after_build
from overstory_systems.apr.reading import StatedChunk, TripleReader, read_stated
from overstory_systems.apr.segmentation import segment
from overstory_systems.apr.store import (
    BUILT,
    ENTITIES,
    CodebookPage,
    CodedChunk,
    SymbolVectors,
    remove_loose,
    write_page,
)

_APR_CHUNKS_A_PAGE = 256
"""Chunks whose facts are asked for at once."""


class CodebookBuild:
    """A build in progress."""

    def __init__(self, run: SystemRun[AprIndexSettings], reader: TripleReader) -> None:
        self._run = run
        self._reader = reader
        self._label = run.corpus.label
        self._timed, self._timed_ahead = PartSeconds(run.figures), PartSeconds(run.figures)  # one for each thread
        self._symbols = SymbolVectors(
            run.graph, self._label, TimedEmbedder(run.context.embedder, self._timed_ahead, run.figures)
        )

    def run(self) -> None:
        run = self._run
        built = run.before is not None and run.before.built
        if run.before is not None and run.before.embedder != run.context.embedder.fingerprint:
            clear(run)
            built = False
        if built and not run.scratch and run.backlog.pending > run.backlog.units - run.backlog.pending:
            # Made again after a large fill: one that grew by many small transactions answers more slowly.
            schema.drop_derived_index(run.graph, self._label, ENTITIES)
            built = False
        details = run.before.details if run.before is not None and built else {}
        run.publish(run.state(built=built, complete=False, details=details))
        run.progress.start(run.system.name, run.backlog.pending if self._rereads or not run.scratch else None, "chunks")
        self._count(CodebookPage((), (), {}))  # else the ledger keeps the counts of the run before
        for page in one_ahead(self._pages()) if self._reader.reads_ahead else self._pages():
            with self._timed("write"):
                run.commit(partial(write_page, label=self._label, page=page), done=[chunk.id for chunk in page.chunks])
            self._count(page)
        self._note()
        with self._timed("write"):
            remove_loose(run.writer)
            dimension = run.context.embedder.dimension
            index = schema.sync_derived_index(run.graph, self._label, ENTITIES, dimension=dimension)
        with self._timed("merge"):
            merged = consolidate(run)
        with self._timed("memory"):
            after_build(run)
        run.publish(run.state(built=True, complete=True, details={SCANNED: [] if index else [ENTITIES], **merged}))
        counts = run.ledger.counts
        run.progress.finish(f"{counts.get('facts', 0):,} facts in {counts.get('runs', 0):,} runs")

    @property
    def _rereads(self) -> bool:
        """Whether all chunks are read again. Settings of merging alone change nothing of what was read."""
        run, before = self._run, self._run.before
        if not run.scratch or before is None or not before.built or before.read_to < 0:
            return run.scratch
        settings = replace(
            before.settings, merge=run.settings.merge, same=run.settings.same, budget=run.settings.budget
        )
        wanted = (run.settings, run.model, run.fingerprint, run.context.embedder.fingerprint)
        return (settings, before.model, before.fingerprint, before.embedder) != wanted

    def _pages(self) -> Iterator[CodebookPage]:
        """The chunks that are to be read, as they are to be stored."""
        run = self._run
        for chunks in batches(self._reader.read(self._stated()), self._reader.at_once):
            with self._timed_ahead("read"):
                edges = [coded(self._label, chunk.triples) for chunk in chunks]
            with self._timed_ahead("vectors"):
                vectors, new = self._symbols.of(symbol for some in edges for edge in some for symbol in edge.symbols)
            with self._timed_ahead("segment"):
                found = [self._coded(chunk.id, some, vectors) for chunk, some in zip(chunks, edges, strict=True)]
            run.ledger.count("windows", sum(chunk.windows for chunk in chunks))
            run.ledger.count("read_by_rules", sum(chunk.read_by_rules for chunk in chunks))
            yield CodebookPage(tuple(found), tuple(new), {symbol.id: vectors[symbol.id] for symbol in new})

    def _stated(self) -> Iterator[StatedChunk]:
        """The chunks that are to be read, lazily."""
        run = self._run
        before = None if self._rereads else run.before
        for ids in unread(run.graph, run.corpus, run.system, before, size=_APR_CHUNKS_A_PAGE):
            with self._timed_ahead("read"):
                chunks = read_stated(run.graph, self._label, ids)
            yield from chunks

    def _note(self) -> None:
        """Says where a model's answers were not used."""
        run, counts = self._run, self._run.ledger.counts
        if counts.get("read_by_rules"):
            run.notes.append(
                f"of {counts['read_by_rules']:,} of {counted(counts['windows'], 'window')} of sentences the facts by "
                f"rules were taken: the answers of {run.model} could not be used, or stated nothing"
            )

    def _coded(self, chunk: str, edges: Sequence[CodedTriple], symbols: Mapping[str, Vectors]) -> CodedChunk:
        vectors = edge_vectors(edges, symbols, self._run.context.embedder.dimension)
        ends = [(edge.head.id, edge.tail.id) for edge in edges]
        return CodedChunk(chunk, tuple(edges), vectors, tuple(segment(vectors, ends, self._run.settings.cohesion)))

    def _count(self, page: CodebookPage) -> None:
        ledger = self._run.ledger
        ledger.count("chunks", len(page.chunks))
        ledger.count("facts", sum(len(chunk.edges) for chunk in page.chunks))
        ledger.count("chunks_without_facts", sum(not chunk.edges for chunk in page.chunks))
        ledger.count("runs", sum(len(chunk.runs) for chunk in page.chunks))
        ledger.count("new_symbols", len(page.new))
        self._run.progress.advance(len(page.chunks))


def clear(run: SystemRun[AprIndexSettings]) -> None:
    """Deletes symbols, edges and runs, whose vectors are another embedder's; what is remembered stays."""
    schema.drop_derived_index(run.graph, run.corpus.label, ENTITIES)
    for kind in BUILT:
        run.graph.run_in_batches("systems/remove_nodes", derived_label(run.corpus.label, kind))
