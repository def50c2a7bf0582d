"""SeRAG measured on BEIR folders.

    python -m benchmarks.serag quality DIR…       what each term and each ablation brings, with intervals
    python -m benchmarks.serag growth DIR         seconds by part and memory, at several sizes
    python -m benchmarks.serag updates DIR        passages placed one by one, and together, compared with a fresh build
    python -m benchmarks.serag neighbours CORPUS… the nearest neighbours by all products and by GDS

`quality` uses the corpora of `overstory bench`; `growth` and `updates` make corpora of their own, and remove them.
Prints Markdown.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from benchmarks.measuring import client_megabytes, server_megabytes
from benchmarks.retrievers import bounds, share, show, signed
from benchmarks.trees import StoredTree, read_tree

from overstory.bench.bootstrap import difference_interval, mean_interval
from overstory.bench.comparison import compare
from overstory.bench.dataset import BenchDataset, load_dataset
from overstory.bench.metrics import Ranking, all_found, recall
from overstory.bench.packing import Layout, corpus_name, document_qrels, documents, source_name
from overstory.bench.qrels import Qrels
from overstory.bench.runner import BenchResult
from overstory.embed import make_embedder
from overstory.graph import read_corpus, writing
from overstory.index.stages.embed import embed, sync_vectors
from overstory.index.stages.extract import extract
from overstory.knowledge import Knowledge
from overstory.llm import Chat
from overstory.model import Document
from overstory.protocols import Embedder, Silence
from overstory.settings import Settings
from overstory.systems import BuildContext, Wish, find_system, lifecycle
from overstory.systems.state import read_state
from overstory.vectors.nearest import alike, nearest
from overstory_entropy import EncodingTree
from overstory_entropy.compile import Ints
from overstory_systems.serag import SeRag
from overstory_systems.serag.build import find_by_gds, read_chunks, stored_neighbours
from overstory_systems.serag.chunk_graph import (
    Layer,
    fused,
    most_chunks_of_an_entity,
    near_in_documents,
    shared_entities,
)
from overstory_systems.serag.settings import SeragIndexSettings

LAYOUTS = {
    "titles in their field": Layout(),
    "titles in their field, packed by 5": Layout(pack=5),
    "no titles, packed by 5": Layout(titles="none", pack=5),
}
TWO_LEVELS = (
    "dense",
    "hybrid",
    "serag",
    "serag:flat",
    "serag:semantic",
    "serag:paper",
    "serag:paper,flat",
    "serag:paper,semantic",
)
ONE_LEVEL = ("serag", "serag:paper")
DIFFERENCES = (
    ("serag", "dense"),
    ("serag", "serag:flat"),
    ("serag", "serag:semantic"),
    ("serag, one level", "serag:flat"),
    ("serag:paper", "serag:paper,flat"),
    ("serag:paper, one level", "serag:paper,flat"),
)
MEASURES: dict[str, Callable[[Ranking, dict[str, int]], float]] = {
    "R@3": lambda ranking, judged: recall(ranking, judged, 3),
    "R@5": lambda ranking, judged: recall(ranking, judged, 5),
    "R@10": lambda ranking, judged: recall(ranking, judged, 10),
    "all@5": lambda ranking, judged: all_found(ranking, judged, 5),
}
PARTS = ("read", "similar", "shared", "graph", "tree", "vectors", "write")
SIZES = (1_000, 2_000, 4_000, 6_000)
MORE, ONE_BY_ONE = 600, 50

Measured = dict[str, dict[str, list[float]]]
"""Retrievers -> measures -> a value a question."""


def quality(folders: Sequence[Path]) -> None:
    """What each term and each ablation brings."""
    for caption, layout in LAYOUTS.items():
        found = {folder.resolve().name: quality_of(folder, layout) for folder in folders}
        first = next(iter(found.values()))
        rows = [[" / ".join(MEASURES), *found]]
        for retriever in first:
            cells = [_means(measured[retriever]) for measured in found.values()]
            rows.append([f"`{retriever}`", *cells])
        show(caption, rows)
        rows = [["difference of R@5 [95 %]; R@10 [95 %]", *found]]
        for one, other in DIFFERENCES:
            cells = [_difference(measured[one], measured[other]) for measured in found.values()]
            rows.append([f"`{one}` − `{other}`", *cells])
        show(f"Differences, {caption}", rows)


def quality_of(folder: Path, layout: Layout) -> Measured:
    """What each retriever finds of each question of a folder."""
    dataset, embedder = load_dataset(folder), make_embedder(Settings.from_environment().embedding)
    qrels = document_qrels(dataset.qrels, dataset.passage_ids, layout)
    with Knowledge(corpus_name(dataset, layout, embedder=embedder.fingerprint)) as knowledge:
        results = compare(knowledge, dataset, layout, TWO_LEVELS)
        measured = {result.row.retriever: _values(result, qrels) for result in results}
        for result in results:
            print(
                f"{folder.name} {result.row.retriever}: {result.row.p50_ms:.0f} / {result.row.p95_ms:.0f} ms",
                file=sys.stderr,
            )
        knowledge.index(systems=["serag:levels=1"])
        for result in compare(knowledge, dataset, layout, ONE_LEVEL):
            measured[f"{result.row.retriever}, one level"] = _values(result, qrels)
        knowledge.index(systems=["serag:levels=2"])
    return measured


def _values(result: BenchResult, qrels: Qrels) -> dict[str, list[float]]:
    return {
        name: [measure([each.key for each in result.rankings[id_]], dict(qrels[id_])) for id_ in result.scores]
        for name, measure in MEASURES.items()
    }


def _means(values: dict[str, list[float]]) -> str:
    shown: list[str] = []
    for name, each in values.items():
        interval = mean_interval(each)
        shown.append(f"{share(interval.mean)} {bounds(interval)}" if name == "R@5" else share(interval.mean))
    return " / ".join(shown)


def _difference(one: dict[str, list[float]], other: dict[str, list[float]]) -> str:
    shown: list[str] = []
    for name in ("R@5", "R@10"):
        interval = difference_interval(one[name], other[name])
        shown.append(f"{signed(interval.mean)} {bounds(interval, signed)}")
    return "; ".join(shown)


def growth(folder: Path) -> None:
    """Seconds by part, memory and latency at several sizes."""
    dataset, settings = load_dataset(folder), Settings.from_environment()
    rows = [
        ["passages", "chunks", "edges", "communities", *PARTS, "client MB", "server MB", "serag p50 ms", "dense p50 ms"]
    ]
    with Knowledge("bench-serag-growth", settings=settings) as knowledge:
        made = documents(dataset.read_passages(), Layout(), source=source_name(dataset))
        there = 0
        for size in (size for size in SIZES if size <= len(dataset.passage_ids)):
            knowledge.ingest_documents(itertools.islice(made, size - there))
            there = size
            knowledge.index()
            knowledge.index(systems=["serag"])
            (report,) = knowledge.system_reports()
            figures = report.figures
            edges, tree = (knowledge.status().counts["chunks"], figures["communities"])
            seconds = [f"{figures.get(f'{part}_seconds', 0.0):.2f}" for part in PARTS]
            memory = [f"{client_megabytes():.0f}", f"{server_megabytes(settings):.0f}"]
            waits = [f"{_p50(knowledge, dataset, name):.0f}" for name in ("serag", "dense")]
            stage = next(stage for stage in knowledge.status().stages if stage.name == "serag")
            rows.append(
                [f"{size:,}", f"{edges:,}", f"{stage.counts['edges']:,}", f"{tree:,.0f}", *seconds, *memory, *waits]
            )
            knowledge.remove_system("serag")
        knowledge.delete_corpus()
    show("Growth", rows)


def _p50(knowledge: Knowledge, dataset: BenchDataset, retriever: str) -> float:
    seconds: list[float] = []
    for question in dataset.questions[:60]:
        began = time.perf_counter()
        knowledge.search(question.text, 10, retriever=retriever)
        seconds.append(time.perf_counter() - began)
    return float(np.median(seconds)) * 1_000.0


def updates(folder: Path) -> None:
    """The same passages, built at once, and with some of them placed later; improved, the index is the first again."""
    dataset, embedder = load_dataset(folder), make_embedder(Settings.from_environment().embedding)
    made = list(documents(dataset.read_passages(), Layout(), source=source_name(dataset)))
    rows = [["passages that came later", "seconds of SeRAG's stage", "a passage", "entropy", "R@5 [95 %]", "R@5 less"]]
    with Knowledge(corpus_name(dataset, Layout(), embedder=embedder.fingerprint)) as knowledge:
        knowledge.use(embedder=embedder)
        compare(knowledge, dataset, Layout(), ["dense"])
        knowledge.remove_system("serag")
        began = time.perf_counter()
        knowledge.index(systems=["serag"])
        built = _recall_5(knowledge, dataset)
        rows.append(_updated("none", time.perf_counter() - began, 0, knowledge, built, built))
        for how, number, step in (("one batch", MORE, MORE), ("one by one", ONE_BY_ONE, 1)):
            last = made[-number:]
            _delete(knowledge, last)
            seconds = sum(_added(knowledge, embedder, last[start : start + step]) for start in range(0, number, step))
            knowledge.index()
            found = _recall_5(knowledge, dataset)
            rows.append(_updated(f"{number}, {how}", seconds, number, knowledge, found, built))
            knowledge.index(improve=True)
            found = _recall_5(knowledge, dataset)
            rows.append(_updated("… improved", 0.0, 0, knowledge, found, built))
    show("Updates", rows)


def _delete(knowledge: Knowledge, passages: Sequence[Document]) -> None:
    knowledge.delete_documents([knowledge.document_id(each.source, each.source_key) for each in passages])
    began = time.perf_counter()
    knowledge.index()
    print(f"{len(passages)} deleted: index {time.perf_counter() - began:.1f} s", file=sys.stderr)
    knowledge.index(improve=True)


def _entropy(knowledge: Knowledge) -> float:
    """Of the stored tree over the whole graph as it is now: what is stored with a tree is near where changes are."""
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    state = read_state(SeRag(), corpus)
    assert state is not None
    chunks, settings = read_chunks(knowledge.graph, corpus, Silence()), state.settings
    shared = shared_entities(
        chunks.mentioned(),
        most_chunks=most_chunks_of_an_entity(len(chunks.ids), settings.common),
        most_pairs=settings.sharing,
    )
    similar = Layer(*alike(nearest(chunks.vectors, settings.nearest)))
    near = near_in_documents(chunks.document_numbers(), chunks.places)
    graph = fused(len(chunks.ids), similar, shared.layer, near).as_graph()
    stored = read_tree(knowledge.graph, corpus, "serag", state.generation)
    return EncodingTree.from_labels(graph, *labels_before(stored, chunks.ids, settings.levels)).entropy


def labels_before(stored: StoredTree, units: Sequence[str], levels: int) -> Ints:
    """Shape (levels, n): the stored communities of each unit, from the top; −1 for a unit without a leaf, and below the
    last community of a leaf that hangs higher than others."""
    number = {unit: place for place, unit in enumerate(units)}
    communities: dict[str, int] = {}
    labels = np.full((levels, len(units)), -1, dtype=np.int64)
    for node in stored.values():
        vertex = number.get(node.unit, -1)
        above = node.parent
        while vertex >= 0 and above in stored and stored[above].level > 0:
            labels[stored[above].level - 1, vertex] = communities.setdefault(above, len(communities))
            above = stored[above].parent
    return labels


def _added(knowledge: Knowledge, embedder: Embedder, passages: Sequence[Document]) -> float:
    """Loads passages with their vectors and mentions; the seconds that SeRAG's index then takes."""
    knowledge.ingest_documents(passages)
    context = BuildContext(embedder, knowledge.settings.extraction, _no_model, Silence())
    with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "bench") as writer:
        embed(writer, embedder, progress=Silence())
        sync_vectors(writer, dimension=embedder.dimension)
        extract(writer, knowledge.extractor, progress=Silence())
        began = time.perf_counter()
        lifecycle.build(writer, Wish(find_system("serag")), context)
        return time.perf_counter() - began


def _no_model(name: str) -> Chat:
    raise AssertionError(f"{name} is not needed")


def _updated(
    how: str, seconds: float, passages: int, knowledge: Knowledge, found: list[float], built: list[float]
) -> list[str]:
    interval, less = mean_interval(found), difference_interval(found, built)
    return [
        how,
        f"{seconds:.1f}" if seconds else "–",
        f"{seconds / passages:.3f}" if passages else "–",
        f"{_entropy(knowledge):.4f}",
        f"{share(interval.mean)} {bounds(interval)}",
        f"{signed(less.mean)} {bounds(less, signed)}",
    ]


def _recall_5(knowledge: Knowledge, dataset: BenchDataset) -> list[float]:
    (result,) = compare(knowledge, dataset, Layout(), ["serag"])
    return [scores.recall_5 for scores in result.scores.values()]


def neighbours(corpora: Sequence[str]) -> None:
    """All products and GDS, on corpora that are indexed."""
    rows = [["chunks", "exact s", "GDS s, written and read", "of the exact ones found"]]
    nearest_count = SeragIndexSettings().nearest
    for name in corpora:
        with Knowledge(name) as knowledge:
            corpus = read_corpus(knowledge.graph, name)
            chunks = read_chunks(knowledge.graph, corpus, Silence())
            nearest(chunks.vectors[:100], nearest_count)  # compiles
            began = time.perf_counter()
            exact = nearest(chunks.vectors, nearest_count)
            exactly = time.perf_counter() - began
            with writing(knowledge.graph, corpus, "bench") as writer:
                began = time.perf_counter()
                find_by_gds(writer, corpus, nearest_count)
                found = stored_neighbours(knowledge.graph, corpus, chunks.ids, nearest_count)
                by_gds = time.perf_counter() - began
                writer.graph.run_in_batches("systems/serag/unlink_similar", corpus.label)
            shared = (exact.ids[:, :, None] == found.ids[:, None, :]).any(axis=2).mean()
            rows.append([f"{len(chunks.ids):,}", f"{exactly:.1f}", f"{by_gds:.1f}", share(float(shared))])
    show("Nearest neighbours", rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, argument in (("quality", "DIR"), ("neighbours", "CORPUS")):
        commands.add_parser(name).add_argument("names", nargs="+", metavar=argument)
    for name in ("growth", "updates"):
        commands.add_parser(name).add_argument("names", nargs=1, metavar="DIR")
    given = parser.parse_args()
    if given.command == "neighbours":
        neighbours(given.names)
    elif given.command == "quality":
        quality([Path(name) for name in given.names])
    else:
        {"growth": growth, "updates": updates}[given.command](Path(given.names[0]))


if __name__ == "__main__":
    main()
