"""HiRAG measured: what its index takes, whether its layers shorten ways, what its parts bring.

    python -m benchmarks.hirag index DIR…      seconds by part beside the embed stage, layers, communities
    python -m benchmarks.hirag ways DIR…       lengths of ways before and after the summary layers, and with random ones
    python -m benchmarks.hirag quality DIR…    R@5, all@5 and milliseconds of its ablations, with intervals
    python -m benchmarks.hirag readers DIR     rules against OpenIE triples (DIR/openie.jsonl)

DIR is a BEIR folder. Corpora are those of `overstory bench`. Needs the extra `hirag`. Prints Markdown.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse
from benchmarks.measuring import report_of
from benchmarks.retrievers import bounds, share, show, signed
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from overstory.bench.bootstrap import difference_interval, mean_interval
from overstory.bench.comparison import compare
from overstory.bench.dataset import BenchDataset, load_dataset
from overstory.bench.packing import Layout, corpus_name
from overstory.bench.runner import BenchResult
from overstory.embed import make_embedder
from overstory.graph import Transaction, read_corpus
from overstory.knowledge import Knowledge
from overstory.protocols import Vectors
from overstory.retrieve.vector_search import derived_vectors
from overstory.settings import Settings
from overstory.systems import find_system, require_state
from overstory.text.names.keys import entity_key
from overstory_systems.hirag.knowledge_graph import LayeredGraph, description_id, entity_id, read_graph

RETRIEVERS = ("dense", "canopy", "hirag", "hirag:no-bridge")
DIFFERENCES = (("hirag", "hirag:no-bridge"), ("hirag", "hirag:flat"), ("hirag", "dense"), ("hirag", "canopy"))
SAMPLE = 1_000
FAR = 20.0
"""The length of a way that there is not."""

Edges = NDArray[np.int64]


def opened(folder: Path) -> tuple[BenchDataset, Knowledge]:
    """The corpus of a folder, loaded and embedded."""
    dataset, embedder = load_dataset(folder), make_embedder(Settings.from_environment().embedding)
    knowledge = Knowledge(corpus_name(dataset, Layout(), embedder=embedder.fingerprint))
    compare(knowledge, dataset, Layout(), ["dense"])
    return dataset, knowledge


def index(folders: Sequence[Path]) -> None:
    """Builds the index anew; seconds by part, and what it holds."""
    found: dict[str, Mapping[str, float]] = {}
    for folder in folders:
        _, knowledge = opened(folder)
        with knowledge:
            knowledge.remove_system("hirag")
            began = time.perf_counter()
            knowledge.index(systems=["hirag"])
            took = time.perf_counter() - began
            report = report_of(knowledge, "hirag")
            stages = {stage.name: stage.seconds or 0.0 for stage in knowledge.status().stages}
            others = took - report.figures.get("embed_seconds", 0.0)
            first = {"embed stage, s": stages["embed"], "hirag, s": took, "hirag without embedding, s": others}
            found[folder.resolve().name] = first | dict(report.figures)
    names = list(dict.fromkeys(name for figures in found.values() for name in figures))
    show(
        "Index", [["", *found], *([name, *(f"{each.get(name, 0):,.6g}" for each in found.values())] for name in names)]
    )


def ways(folders: Sequence[Path]) -> None:
    """Whether the summary layers shorten ways more than random ones of the same sizes do."""
    rows = [["", "layer 0", "with summary layers", "with random clusters"]]
    for folder in folders:
        dataset, knowledge = opened(folder)
        with knowledge:
            layered = layered_of(knowledge)
        name, graph = folder.resolve().name, layered.graph
        for what, pairs in (
            ("most similar pairs without a relation", layered.similar_pairs()),
            ("names of the question to titles of its gold passages", _question_pairs(graph, dataset)),
        ):
            lengths = layered.lengths(pairs)
            joined = lengths[0] < FAR  # the same pairs in all columns
            for told, values in (
                ("mean length where layer 0 has a way", [f"{found[joined].mean():.2f}" for found in lengths]),
                ("no way", [share(float((found == FAR).mean())) for found in lengths]),
                ("at most 2", [share(float((found <= 2).mean())) for found in lengths]),
            ):
                rows.append([f"{name}: {len(pairs):,} {what}: {told}", *values])
        coefficients = [f"{found.mean():.4f}" for found in layered.clustering()]
        rows.append([f"{name}: clustering coefficient of layer 0's entities", *coefficients])
    show("Ways", rows)


@dataclass(frozen=True)
class Layered:
    """The graph of an index, and its edges in three variants: of layer 0, with the summary layers, and with layers of
    random clusters of the same sizes."""

    graph: LayeredGraph
    vectors: Vectors
    variants: Sequence[Edges]

    def similar_pairs(self) -> Edges:
        return _similar_pairs(self.graph, self.vectors, self.variants[0])

    def lengths(self, pairs: Edges) -> list[NDArray[np.float64]]:
        return [_lengths(len(self.graph.entities), edges, pairs) for edges in self.variants]

    def clustering(self) -> list[NDArray[np.float64]]:
        entities = sum(entity.layer == 0 for entity in self.graph.entities)
        return [_clustering(len(self.graph.entities), edges, entities) for edges in self.variants]


def layered_of(knowledge: Knowledge) -> Layered:
    """Builds the index with its layers, and reads it."""
    knowledge.index(systems=["hirag:no-flat"])
    graph, vectors = _stored(knowledge)
    base = np.asarray([[graph.number[r.source], graph.number[r.target]] for r in graph.relations])
    links = np.asarray([[graph.number[link.member], graph.number[link.summary]] for link in graph.links])
    return Layered(graph, vectors, [base, *(np.concatenate([base, each]) for each in (links, _shuffled(graph, links)))])


def _stored(knowledge: Knowledge) -> tuple[LayeredGraph, Vectors]:
    """The graph of the index, and float32[n, d], the vectors of its entities."""
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    generation = require_state(find_system("hirag"), corpus).generation
    graph = read_graph(knowledge.graph, corpus, generation)
    ids = [description_id(entity_id(corpus.label, generation, ref)) for ref in graph.refs]

    def read(tx: Transaction) -> dict[str, Vectors]:
        return derived_vectors(tx, corpus, ids)

    vectors = knowledge.graph.reading("bench", read)
    none = np.zeros(corpus.dimension, dtype=np.float32)
    return graph, np.stack([vectors.get(id_, none) for id_ in ids])


def _shuffled(graph: LayeredGraph, links: Edges) -> Edges:
    """The links with their members exchanged at random within each layer: clusters of the same sizes, without sense."""
    random, layers = np.random.default_rng(0), np.asarray([entity.layer for entity in graph.entities])
    shuffled = links.copy()
    for layer in np.unique(layers[links[:, 0]]):
        of_layer = layers[links[:, 0]] == layer
        members = np.unique(links[of_layer, 0])
        exchanged = dict(zip(members.tolist(), random.permutation(members).tolist(), strict=True))
        shuffled[of_layer, 0] = [exchanged[member] for member in links[of_layer, 0].tolist()]
    return shuffled


def _similar_pairs(graph: LayeredGraph, vectors: Vectors, base: Edges) -> Edges:
    """For a sample of layer 0's entities, each with the most similar one that it has no relation with."""
    there = np.flatnonzero([entity.layer == 0 for entity in graph.entities])
    sample = np.random.default_rng(0).permutation(there)[:SAMPLE]
    related = {tuple(sorted(pair)) for pair in base.tolist()}
    pairs: list[tuple[int, int]] = []
    for entity, cosines in zip(sample.tolist(), vectors[sample] @ vectors[there].T, strict=True):
        for other in there[np.argsort(-cosines)[:100]].tolist():
            if other != entity and tuple(sorted((entity, other))) not in related:
                pairs.append((entity, other))
                break
    return np.asarray(pairs)


def _question_pairs(graph: LayeredGraph, dataset: BenchDataset) -> Edges:
    """Names that a question says, with the titles of its gold passages that it does not say."""
    titles = {passage.id: entity_key(passage.title) for passage in dataset.read_passages()}
    number = {entity.key: place for place, entity in enumerate(graph.entities) if entity.layer == 0}
    longest = max(len(key.split()) for key in number)
    pairs: set[tuple[int, int]] = set()
    for question in dataset.questions:
        words = entity_key(question.text).split()
        said = _named(words, number, longest)
        gold = {titles[key] for key, score in dataset.qrels[question.id].items() if score > 0 and key in titles}
        wanted = {number[key] for key in gold if key in number}
        pairs |= {(one, other) for one in said for other in wanted - said}
    return np.asarray(sorted(pairs))


def _named(words: Sequence[str], number: Mapping[str, int], longest: int) -> set[int]:
    """The entities that words name, the longest names first; one word alone is too little."""
    found: set[int] = set()
    at = 0
    while at < len(words):
        for size in range(min(longest, len(words) - at), 1, -1):
            key = " ".join(words[at : at + size])
            if key in number:
                found.add(number[key])
                at += size - 1
                break
        at += 1
    return found


def _lengths(nodes: int, edges: Edges, pairs: Edges) -> NDArray[np.float64]:
    """The number of steps between the ends of each pair, `FAR` where there is no way."""
    matrix = scipy.sparse.csr_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(nodes, nodes))
    lengths = np.full(len(pairs), FAR)
    for source in np.unique(pairs[:, 0]):
        of_source = pairs[:, 0] == source
        steps = dijkstra(matrix, directed=False, unweighted=True, indices=source, limit=FAR - 1)
        lengths[of_source] = np.minimum(steps[pairs[of_source, 1]], FAR)
    return lengths


def _clustering(nodes: int, edges: Edges, entities: int) -> NDArray[np.float64]:
    """The local clustering coefficients of the first `entities` nodes."""
    ends = np.concatenate([edges, edges[:, ::-1]])
    matrix = scipy.sparse.csr_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(nodes, nodes))
    matrix.data[:] = 1.0
    degree = np.asarray(matrix.sum(axis=1)).ravel()[:entities]
    triangles = np.asarray(matrix[:entities].multiply(matrix[:entities] @ matrix).sum(axis=1)).ravel()
    possible = degree * (degree - 1)
    coefficients: NDArray[np.float64] = np.divide(triangles, possible, out=np.zeros(entities), where=possible > 0)
    return coefficients


def quality(folders: Sequence[Path]) -> None:
    """What hierarchy and bridge bring."""
    measured = {folder.resolve().name: quality_of(folder) for folder in folders}
    _show_quality(measured, (*RETRIEVERS, "hirag:flat"), DIFFERENCES)


def quality_of(folder: Path) -> dict[str, BenchResult]:
    """The results of the retrievers, by their names."""
    dataset, knowledge = opened(folder)
    with knowledge:
        knowledge.index(systems=["hirag:flat"])
        flat = compare(knowledge, dataset, Layout(), ["hirag:flat"])
        knowledge.index(systems=["hirag:no-flat"])
        results = [*compare(knowledge, dataset, Layout(), list(RETRIEVERS)), *flat]
    return {result.row.retriever: result for result in results}


def _show_quality(
    measured: Mapping[str, Mapping[str, BenchResult]],
    retrievers: Iterable[str],
    differences: Iterable[tuple[str, str]],
) -> None:
    rows = [["R@5 [95 %] / all@5; p50 / p95 ms", *measured]]
    rows += [[f"`{name}`", *(_cell(results[name]) for results in measured.values())] for name in retrievers]
    show("Quality", rows)
    rows = [["difference of R@5 [95 %]; all@5 [95 %]", *measured]]
    for one, other in differences:
        cells = [_difference(results[one], results[other]) for results in measured.values()]
        rows.append([f"`{one}` − `{other}`", *cells])
    show("Differences", rows)


def _cell(result: BenchResult) -> str:
    recall = mean_interval([each.recall_5 for each in result.scores.values()])
    whole = mean_interval([each.all_5 for each in result.scores.values()])
    waits = f"{result.row.p50_ms:.0f} / {result.row.p95_ms:.0f}"
    return f"{share(recall.mean)} {bounds(recall)} / {share(whole.mean)}; {waits}"


def _difference(one: BenchResult, other: BenchResult) -> str:
    shown: list[str] = []
    for measure in ("recall_5", "all_5"):
        values = [[getattr(each, measure) for each in result.scores.values()] for result in (one, other)]
        interval = difference_interval(*values)
        shown.append(f"{signed(interval.mean)} {bounds(interval, signed)}")
    return "; ".join(shown)


def readers(folder: Path) -> None:
    """The same passages read by rules, and with OpenIE triples of a strong language model."""
    dataset, embedder = load_dataset(folder), make_embedder(Settings.from_environment().embedding)
    measured: dict[str, dict[str, BenchResult]] = {}
    for what, files in (("rules", []), ("triples", [folder / "openie.jsonl"])):
        name = f"{corpus_name(dataset, Layout(), embedder=embedder.fingerprint)}-{what}"
        with Knowledge(name) as knowledge:
            compare(knowledge, dataset, Layout(), ["dense"])
            if files:
                knowledge.ingest(files)
            knowledge.index(systems=["hirag"])
            report = report_of(knowledge, "hirag")
            print(what, {name: figure for name, figure in report.figures.items() if "seconds" not in name})
            results = compare(knowledge, dataset, Layout(), ["dense", "hirag", "hirag:no-bridge"])
            measured[what] = {result.row.retriever: result for result in results}
    _show_quality(measured, ("dense", "hirag", "hirag:no-bridge"), (("hirag", "dense"), ("hirag", "hirag:no-bridge")))
    print(f"\ntriples − rules: {_difference(measured['triples']['hirag'], measured['rules']['hirag'])}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    several = {"index": index, "ways": ways, "quality": quality}
    one = {"readers": readers}
    for name in (*several, *one):
        commands.add_parser(name).add_argument("names", nargs="+" if name in several else 1, type=Path, metavar="DIR")
    given = parser.parse_args()
    if given.command in several:
        several[given.command](given.names)
    else:
        one[given.command](given.names[0])


if __name__ == "__main__":
    main()
