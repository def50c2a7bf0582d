"""Builds AutoPrunedRetriever's index: triples, symbols with vectors, edges, and runs (sequences of edges).

Each page of chunks is stored in one transaction together with its progress marks. Therefore, a killed build resumes
with the next page. While one page is stored, the next page is read and embedded. For a changed chunk, only its own runs
and new symbols are computed.

A transaction that removes the last use of an edge or symbol marks the node, and marked nodes are deleted at the end.
Then remembered answers are connected to the rewritten facts. Answers whose facts are no longer stated are deleted.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from overstory.display import counted
from overstory.graph import GraphClient, Transaction, Writer, batches, schema
from overstory.graph.client import Row
from overstory.graph.ids import derived_label
from overstory.index.prefetch import prefetch
from overstory.index.stages.embed import check_vectors
from overstory.protocols import Embedder, Vectors
from overstory.systems.base import SystemRun, unread
from overstory.systems.figures import PartSeconds, TimedEmbedder
from overstory.systems.statements import Statements, run_statements, shared_labels
from overstory.systems.vector_indexes import SCANNED
from overstory.vectors.packed import packed, unpacked
from overstory_systems.apr.codebook import (
    BUILT,
    ENTITIES,
    CodedTriple,
    Symbol,
    coded,
    edge_vectors,
    memory_id,
    run_id,
    segment,
    symbol_vectors,
)
from overstory_systems.apr.consolidation import consolidate
from overstory_systems.apr.recall import read_citations
from overstory_systems.apr.settings import AprIndexSettings
from overstory_systems.apr.triple_readers import StatedChunk, TripleReader, read_stated

_SYMBOLS_A_STATEMENT = 1_000
_MOST_KEPT_SYMBOL_VECTORS = 100_000
"""Maximum number of symbol vectors that a build keeps in memory (150 MB)."""


class SymbolVectors:
    """Provides the vectors of symbols, which are cached from earlier pages, read from the graph, or newly embedded.

    Vectors of relations are rounded to their stored precision at once. Therefore, the vector of an edge does not depend
    on when it is written.
    """

    def __init__(self, graph: GraphClient, label: str, embedder: Embedder) -> None:
        self._graph = graph
        self._label = label
        self._embedder = embedder
        self._kept: OrderedDict[str, Vectors] = OrderedDict()

    def of(self, symbols: Iterable[Symbol]) -> tuple[dict[str, Vectors], list[Symbol]]:
        """Return vectors (float32[d]) by symbol id, and the symbols that are neither stored nor cached."""
        wanted = {symbol.id: symbol for symbol in reversed(list(symbols))}  # Of equal symbols, the first is used.
        found = {id_: self._kept[id_] for id_ in wanted if id_ in self._kept}
        found |= self._stored([id_ for id_ in wanted if id_ not in found])
        new = [symbol for id_, symbol in wanted.items() if id_ not in found]
        found |= self._embed(new)
        for id_, vector in found.items():
            self._kept[id_] = vector
            self._kept.move_to_end(id_)
        while len(self._kept) > _MOST_KEPT_SYMBOL_VECTORS:
            self._kept.popitem(last=False)
        return found, new

    def _stored(self, ids: Sequence[str]) -> dict[str, Vectors]:
        found: dict[str, Vectors] = {}
        for some in batches(ids, _SYMBOLS_A_STATEMENT):
            (row,) = self._graph.run("systems/apr/known_symbols", self._label, read=True, ids=some)
            found |= symbol_vectors(row)
        return found

    def _embed(self, new: Sequence[Symbol]) -> dict[str, Vectors]:
        if not new:
            return {}
        texts = list(dict.fromkeys(symbol.text for symbol in new))
        vectors = self._embedder.embed(texts)
        check_vectors(vectors, len(texts), self._embedder)
        of_text = dict(zip(texts, vectors, strict=True))
        found = {symbol.id: of_text[symbol.text] for symbol in new}
        relations = [symbol.id for symbol in new if symbol.kind == "relation"]
        if relations:
            stored = packed(np.stack([found[id_] for id_ in relations]))
            found |= {id_: unpacked(vector) for id_, vector in zip(relations, stored, strict=True)}
        return found


@dataclass(frozen=True, slots=True)
class CodedChunk:
    """A chunk that is ready to be stored.

    Attributes:
        edges: Distinct edges in the order of the text.
        vectors: float32[len(edges), d], one unit vector per edge.
        runs: For each run, the range of its positions in `edges`.
    """

    id: str
    edges: tuple[CodedTriple, ...]
    vectors: Vectors
    runs: tuple[range, ...]


@dataclass(frozen=True, slots=True)
class CodebookPage:
    """A page of chunks, its new symbols, and the vectors of these symbols."""

    chunks: tuple[CodedChunk, ...]
    new: tuple[Symbol, ...]
    vectors: Mapping[str, Vectors]


def write_page(tx: Transaction, label: str, page: CodebookPage) -> None:
    """Store the edges and runs of a page, replacing earlier runs of its chunks."""
    tx.run("systems/apr/clear_runs", label, ids=[chunk.id for chunk in page.chunks])
    entities, relations = (shared_labels(label, "AprSymbol", kind) for kind in (ENTITIES, "AprRelation"))
    entities.append(derived_label(label, "AprUnmerged"))  # New entities have not been compared with others yet.
    statements: Statements = [
        ("systems/store/insert", _entity_rows(page), {"labels": entities}),
        ("systems/store/insert", _relation_rows(page), {"labels": relations}),
        ("systems/apr/write_edges", _edge_rows(page), {}),
        ("systems/apr/write_runs", _run_rows(page), {}),
    ]
    run_statements(tx, label, statements)


def remove_loose(writer: Writer) -> None:
    """Delete edges and symbols that are no longer used. The call is idempotent."""
    for statement in ("remove_loose_edges", "remove_loose_symbols"):
        writer.graph.run_in_batches(f"systems/apr/{statement}", writer.corpus.label)


def _entity_rows(page: CodebookPage) -> list[Row]:
    new = [symbol for symbol in page.new if symbol.kind == "entity"]
    return [_symbol_row(symbol) | {"vector": page.vectors[symbol.id].tolist()} for symbol in new]


def _relation_rows(page: CodebookPage) -> list[Row]:
    new = [symbol for symbol in page.new if symbol.kind == "relation"]
    vectors = packed(np.stack([page.vectors[symbol.id] for symbol in new])) if new else []
    return [_symbol_row(symbol, vector=vector) for symbol, vector in zip(new, vectors, strict=True)]


def _symbol_row(symbol: Symbol, **properties: bytes) -> Row:
    return {
        "id": symbol.id,
        "properties": {"kind": symbol.kind, "key": symbol.key, "text": symbol.text, **properties},
    }


def _edge_rows(page: CodebookPage) -> list[Row]:
    rows: dict[str, Row] = {}
    for chunk in page.chunks:
        for edge, vector in zip(chunk.edges, packed(chunk.vectors), strict=True):
            if edge.id not in rows:
                rows[edge.id] = {
                    "id": edge.id,
                    "head": edge.head.text,
                    "relation": edge.relation.text,
                    "tail": edge.tail.text,
                    "vector": vector,
                    "symbols": [symbol.id for symbol in edge.symbols],
                }
    return list(rows.values())


def _run_rows(page: CodebookPage) -> list[Row]:
    return [
        {
            "id": run_id(chunk.id, seq),
            "chunk": chunk.id,
            "seq": seq,
            "size": len(run),
            "edges": [[chunk.edges[place].id, chunk.edges[place].sentence] for place in run],
        }
        for chunk in page.chunks
        for seq, run in enumerate(chunk.runs)
    ]


_APR_CHUNKS_A_PAGE = 256
"""Number of chunks whose facts are read at once."""


class CodebookBuild:
    def __init__(self, run: SystemRun[AprIndexSettings], reader: TripleReader) -> None:
        self._run = run
        self._reader = reader
        self._label = run.corpus.label
        self._timed, self._timed_ahead = PartSeconds(run.figures), PartSeconds(run.figures)  # one timer per thread
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
            # After a large change, the vector index is rebuilt: growing it in many small transactions makes it slower.
            schema.drop_derived_index(run.graph, self._label, ENTITIES)
            built = False
        details = run.before.details if run.before is not None and built else {}
        run.publish(run.state(built=built, complete=False, details=details))
        run.progress.start(run.system.name, run.backlog.pending if self._rereads or not run.scratch else None, "chunks")
        self._count(CodebookPage((), (), {}))  # Reset the counts of the previous build.
        for page in prefetch(self._pages()) if self._reader.reads_ahead else self._pages():
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
        """True if all chunks must be read again. Changes to the merge settings do not require this."""
        run, before = self._run, self._run.before
        if not run.scratch or before is None or not before.built or before.read_to < 0:
            return run.scratch
        settings = replace(
            before.settings, merge=run.settings.merge, same=run.settings.same, budget=run.settings.budget
        )
        wanted = (run.settings, run.model, run.fingerprint, run.context.embedder.fingerprint)
        return (settings, before.model, before.fingerprint, before.embedder) != wanted

    def _pages(self) -> Iterator[CodebookPage]:
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
        run = self._run
        before = None if self._rereads else run.before
        for ids in unread(run.graph, run.corpus, run.system, before, size=_APR_CHUNKS_A_PAGE):
            with self._timed_ahead("read"):
                chunks = read_stated(run.graph, self._label, ids)
            yield from chunks

    def _note(self) -> None:
        run, counts = self._run, self._run.ledger.counts
        if counts.get("read_by_rules"):
            run.notes.append(
                f"{counts['read_by_rules']:,} of {counted(counts['windows'], 'window')} of sentences were read by "
                f"rules because the answers of {run.model} could not be used, or stated nothing"
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
    """Delete all symbols, edges and runs because the embedder changed. Remembered answers are kept."""
    schema.drop_derived_index(run.graph, run.corpus.label, ENTITIES)
    for kind in BUILT:
        run.graph.run_in_batches("systems/remove_nodes", derived_label(run.corpus.label, kind))


_DOUBTFUL_ANSWERS_A_PAGE = 200
_QUESTIONS_A_PAGE = 500


def after_build(run: SystemRun[Any]) -> None:
    """Connect remembered answers to the new index, and delete those whose facts are no longer stated.

    Only answers that lost a fact or cite a chunk that was read again are checked. The call is idempotent.
    """
    label = run.corpus.label
    rows = run.graph.run("systems/apr/memory/state", label, read=True, memory=memory_id(label))
    if not rows:
        return
    if run.before is not None and run.before.built and run.before.settings.triples != run.settings.triples:
        run.notes.append(
            "remembered answers whose facts are not in the index, because triples now come from another source, are "
            "kept but not used until the index has their facts again (overstory memory list)"
        )
        return
    forgotten = 0
    for page in run.graph.pages(
        "systems/apr/memory/doubtful", label, size=_DOUBTFUL_ANSWERS_A_PAGE, read_to=run.read_to
    ):
        forgotten += _check(run, page)
    if rows[0]["embedder"] != run.context.embedder.fingerprint:
        _encode_again(run)
    run.graph.run_in_batches("systems/apr/memory/link_questions", label)
    if forgotten:
        remove_loose(run.writer)
        run.ledger.count("forgotten_answers", forgotten)
        run.notes.append(
            f"{counted(forgotten, 'remembered answer')} deleted: the passages no longer state the cited facts"
        )


def _check(run: SystemRun[Any], page: Sequence[Row]) -> int:
    label = run.corpus.label
    cited = {row["id"]: read_citations(row["citations"]) for row in page}

    def work(tx: Transaction) -> int:
        facts = sorted({(fact.edge, fact.chunk) for each in cited.values() for fact in each})
        (found,) = tx.run("systems/apr/memory/still_stated", label, facts=[list(fact) for fact in facts])
        stated = {(edge, chunk) for edge, chunk in found["stated"]}
        lost = [id_ for id_, each in cited.items() if any((fact.edge, fact.chunk) not in stated for fact in each)]
        kept = [
            {"id": row["id"], "edges": [[fact.edge, at, run] for at, (fact, run) in pairs]}
            for row in page
            if row["id"] not in lost
            for pairs in [list(enumerate(zip(cited[row["id"]], row["runs"], strict=True)))]
        ]
        tx.run("systems/apr/memory/relink", label, rows=kept)
        (row,) = tx.run("systems/apr/memory/forget", label, memory=memory_id(label), ids=lost)
        return int(row["forgotten"])

    return run.writer.commit(run.system.name, work)


def _encode_again(run: SystemRun[Any]) -> None:
    label, embedder = run.corpus.label, run.context.embedder
    for page in run.graph.pages("systems/apr/memory/question_pages", label, size=_QUESTIONS_A_PAGE):
        vectors = packed(embedder.embed([row["text"] for row in page]))
        rows = [{"id": row["id"], "vector": vector} for row, vector in zip(page, vectors, strict=True)]

        def write(tx: Transaction, rows: list[Row] = rows) -> None:
            tx.run("systems/apr/memory/write_question_vectors", label, rows=rows)

        run.commit(write)

    def publish(tx: Transaction) -> None:
        tx.run("systems/apr/memory/set_embedder", label, memory=memory_id(label), embedder=embedder.fingerprint)

    run.commit(publish)
