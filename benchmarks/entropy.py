"""Compare the entropy engine with other methods on the same graphs, and measure its scaling and compilation.

    make bench-entropy ENTROPY_DATA="FILE.npz…"    compare on these graphs and on planted ones, then all of the below
    python benchmarks/entropy.py FILE.npz…         only the comparison
    python benchmarks/entropy.py --growth 6        planted graphs of 10^3 … 10^6 vertices, over 10 edges per vertex
    python benchmarks/entropy.py --compile         seconds until every kernel is compiled, from an empty cache

A file contains `edges` (m, 2), `weights` (m,) and `n`. Every tree is scored by `structural_entropy`, from the edges and
the parents alone. Each method runs in its own process, its seeds one after the other. Memory is the peak of that
process; in brackets is its memory before the method started: Python, libraries, the graph. Seconds are the median CPU
seconds per seed. numba compiles before the measurement.

"plain greedy" merges the two communities that save most until no merge saves anything. leidenalg maximises modularity,
and Infomap minimises its map equation; both are widely used for this purpose. Both are under the GPL and not part of
the package, and they are skipped if they are not installed.
"""

from __future__ import annotations

import argparse
import heapq
import importlib
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import log2
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from overstory_entropy import (
    EncodingTree,
    Graph,
    community_vectors,
    encode,
    structural_entropy,
    structural_weights,
)
from overstory_entropy.semantic import encode_semantic

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Job:
    """A method on a graph. The graph is a file or "planted:VERTICES"; None for `levels` sets no limit."""

    graph: str
    method: str
    levels: int | None
    seeds: int = 1


@dataclass(frozen=True)
class Outcome:
    """Result of a job: entropies in bits and seconds by seed. Reading and building the graph is timed separately."""

    job: Job
    vertices: int
    edges: int
    entropies: list[float]
    cpu_seconds: list[float]
    wall_seconds: list[float]
    graph_seconds: float
    memory_before_mb: float
    memory_mb: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="*", metavar="FILE.npz")
    parser.add_argument("--planted", type=int, nargs="*", default=[1000, 10_000], help="vertices of the planted graphs")
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS), metavar="METHOD")
    parser.add_argument("--levels", nargs="*", default=["1", "2", "none"], choices=["1", "2", "none"])
    parser.add_argument("--seeds", type=int, default=10, help="runs of each method that takes a seed (default 10)")
    parser.add_argument(
        "--growth", type=int, metavar="POWER", help="instead: planted graphs of 10^3 … 10^POWER vertices"
    )
    parser.add_argument("--compile", action="store_true", help="instead: seconds to compile every kernel")
    parser.add_argument("--json", action="store_true", help="one JSON object per line instead of tables")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    parser.add_argument("--exercise", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.job:
        print(json.dumps(asdict(run(Job(**json.loads(arguments.job))))))
    elif arguments.exercise:
        print(json.dumps(exercise()))
    elif arguments.compile:
        compare_compilation(arguments.json)
    elif arguments.growth:
        measure_growth([10**power for power in range(3, arguments.growth + 1)], arguments.json)
    else:
        graphs = [*arguments.graphs, *(f"planted:{vertices}" for vertices in arguments.planted)]
        levels = [None if text == "none" else int(text) for text in arguments.levels]
        compare_methods(graphs, [METHODS[name] for name in arguments.methods], levels, arguments.seeds, arguments.json)


# Measurements and tables


def compare_methods(
    graphs: Sequence[str], methods: Sequence[Method], levels: Sequence[int | None], seeds: int, as_json: bool
) -> None:
    if not as_json:
        print(f"{'graph':<24} {'levels':>6}  {'method':<22} {'best':>8} {'worst':>8} {'seconds':>9} {'peak MB':>12}")
    installed = [method for method in methods if method.is_installed()]
    for graph in graphs:
        for level in levels:
            for method in installed:
                if level in method.levels and (graph.startswith("planted:") or not method.needs_planted):
                    outcome = in_a_process(Job(graph, method.name, level, seeds if method.seeded else 1))
                    print(json.dumps(asdict(outcome)) if as_json else line(outcome), flush=True)
    for method in {*methods} - {*installed}:
        print(f"{method.name} is not installed and was skipped; make bench-entropy installs it", file=sys.stderr)


def line(outcome: Outcome) -> str:
    return (
        f"{Path(outcome.job.graph).stem:<24} {outcome.job.levels or 'none':>6}  {outcome.job.method:<22} "
        f"{min(outcome.entropies):>8.4f} {max(outcome.entropies):>8.4f} "
        f"{statistics.median(outcome.cpu_seconds):>9.3f} {memory(outcome):>12}"
    )


def memory(outcome: Outcome) -> str:
    return f"{outcome.memory_mb:.0f} ({outcome.memory_before_mb:.0f})"


def measure_growth(sizes: Sequence[int], as_json: bool) -> None:
    """Measure one community level on planted graphs of these sizes."""
    if not as_json:
        print("  vertices      edges  graph s   tree s   wall s      peak MB   entropy   planted")
    for vertices in sizes:
        found = in_a_process(Job(f"planted:{vertices}", ENGINE.name, 1))
        planted = in_a_process(Job(f"planted:{vertices}", PLANTED.name, 1)).entropies[0]
        if as_json:
            print(json.dumps(asdict(found) | {"planted": planted}), flush=True)
        else:
            print(
                f"{vertices:>10} {found.edges:>10} {found.graph_seconds:>8.2f} {found.cpu_seconds[0]:>8.2f} "
                f"{found.wall_seconds[0]:>8.2f} {memory(found):>12} {found.entropies[0]:>9.4f} {planted:>9.4f}",
                flush=True,
            )


def compare_compilation(as_json: bool) -> None:
    """Time every operation on a small graph in a new process, with an empty and with a filled cache."""
    with tempfile.TemporaryDirectory() as cache:
        cold, kept = (json.loads(child("--exercise", NUMBA_CACHE_DIR=cache)) for _ in range(2))
    if as_json:
        print(json.dumps({"compile_seconds": cold, "load_seconds": kept}))
        return
    print(f"compiling every kernel: {sum(cold.values()):.1f} s CPU")
    print(f"loading them from the cache in a later process: {sum(kept.values()):.1f} s CPU")
    print(
        "\n".join(f"  {operation:<28} {seconds:>6.2f} {kept[operation]:>6.2f}" for operation, seconds in cold.items())
    )


def exercise() -> dict[str, float]:
    """Return the CPU seconds of each operation's first call on a small graph, where compilation dominates."""
    seconds: dict[str, float] = {}

    def first_call(operation: str, call: Callable[[], object]) -> None:
        started = time.process_time()
        call()
        seconds[operation] = time.process_time() - started

    started = time.process_time()
    graph, nested = planted_graph(200)
    tree = EncodingTree.from_labels(graph, *nested)
    seconds["graph and tree"] = time.process_time() - started
    first_call("structural weights", lambda: structural_weights(tree, tree.root))
    first_call("community vectors", lambda: community_vectors(tree, np.eye(graph.vertices)))
    first_call("members, labels", lambda: (tree.members(tree.root), tree.labels(1)))
    first_call("encode, one level", lambda: encode(graph, levels=1, restarts=2))
    first_call("encode, two levels", lambda: encode(graph, levels=2, restarts=2))
    first_call("encode, no limit", lambda: encode(graph, levels=None, restarts=2))
    vectors = np.random.default_rng(0).standard_normal((graph.vertices, 8))
    first_call("semantic–structural entropy", lambda: encode_semantic(graph, vectors))
    return seconds


# Processes


def in_a_process(job: Job) -> Outcome:
    given = json.loads(child("--job", json.dumps(asdict(job))))
    return Outcome(**given | {"job": job})


def child(*arguments: str, **environment: str) -> str:
    """Run this program with these arguments in a new process and return the last line that it prints."""
    command = [sys.executable, str(Path(__file__).resolve()), *arguments]
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | environment)
    return ran.stdout.splitlines()[-1]


def run(job: Job) -> Outcome:
    method = METHODS[job.method]
    method.tree(*planted_graph(100), job.levels, 0)
    started = time.process_time()
    graph, nested = load(job.graph)
    graph_seconds, before = time.process_time() - started, peak_mb()
    trees: list[EncodingTree] = []
    cpu, wall = [time.process_time()], [time.perf_counter()]
    for seed in range(job.seeds):
        trees.append(method.tree(graph, nested, job.levels, seed))
        cpu.append(time.process_time())
        wall.append(time.perf_counter())
    memory_mb = peak_mb()
    entropies = [structural_entropy(graph, tree) for tree in trees]
    return Outcome(
        job,
        graph.vertices,
        graph.edges,
        entropies,
        np.diff(cpu).tolist(),
        np.diff(wall).tolist(),
        graph_seconds,
        before,
        memory_mb,
    )


def peak_mb() -> float:
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


# Graphs


def load(name: str) -> tuple[Graph, list[Ints]]:
    """Return the graph of a file, or a planted graph with its coarse and fine partitions."""
    if name.startswith("planted:"):
        return planted_graph(int(name.removeprefix("planted:")))
    with np.load(name) as file:
        return Graph.from_edges(int(file["n"]), file["edges"], file["weights"]), []


def planted_graph(vertices: int, seed: int = 0) -> tuple[Graph, list[Ints]]:
    """Return a graph of 10.4 edges per vertex: 60 % in groups of 10 to 60, 30 % in groups of groups, 10 % anywhere."""
    random = np.random.default_rng(seed)
    fine = np.searchsorted(np.cumsum(random.integers(10, 60, 1 + vertices // 10)), np.arange(vertices), side="right")
    coarse = fine // 10
    edges = np.empty((12 * vertices, 2), dtype=np.int32)
    for start in range(0, len(edges), 2**20):  # in pieces, to use less memory than the measured method
        fill_with_edges(edges[start : start + 2**20], [fine, coarse], random)
    return Graph.from_edges(vertices, edges, random.uniform(0.5, 1.5, len(edges))), [coarse, fine]


def fill_with_edges(edges: NDArray[np.int32], partitions: list[Ints], random: np.random.Generator) -> None:
    vertices = len(partitions[0])
    one, other = random.integers(0, vertices, len(edges)), random.integers(0, vertices, len(edges))
    reach = np.searchsorted([0.6, 0.9], random.random(len(edges)))
    for partition, chosen in zip(partitions, (reach == 0, reach == 1), strict=True):
        first = np.searchsorted(partition, np.arange(partition[-1] + 2))
        group = partition[one[chosen]]
        other[chosen] = random.integers(first[group], first[group + 1])
    edges[:, 0], edges[:, 1] = one, other


# Methods


@dataclass(frozen=True)
class Method:
    """A method that builds a tree.

    Attributes:
        name: Name in the tables.
        tree: Function of the graph, the planted partitions, the number of levels and a seed.
        levels: Supported numbers of levels.
        seeded: True if another seed gives another tree.
        package: Required package.
        needs_planted: True if it works only on planted graphs.
    """

    name: str
    tree: Callable[[Graph, list[Ints], int | None, int], EncodingTree]
    levels: tuple[int | None, ...]
    seeded: bool = False
    package: str = "overstory"
    needs_planted: bool = False

    def is_installed(self) -> bool:
        return importlib.util.find_spec(self.package) is not None


def ours(graph: Graph, _: list[Ints], levels: int | None, seed: int) -> EncodingTree:
    return encode(graph, levels=levels, seed=seed)


def ours_best_of_20(graph: Graph, _: list[Ints], levels: int | None, seed: int) -> EncodingTree:
    return encode(graph, levels=levels, seed=seed, restarts=20)


def planted(graph: Graph, nested: list[Ints], levels: int | None, _: int) -> EncodingTree:
    return EncodingTree.from_labels(graph, *(nested if levels == 2 else nested[1:]))


def greedy(graph: Graph, _: list[Ints], levels: int | None, __: int) -> EncodingTree:
    """Merge greedily. Without a level limit, repeat on the communities until a level merges nothing."""
    partitions: list[Ints] = []
    toward, volumes = rows_of(graph), graph.degrees.tolist()
    while True:
        labels = np.array(merge_greedily([dict(row) for row in toward], list(volumes)), dtype=np.int64)
        groups = int(labels.max(initial=-1)) + 1
        if groups == len(volumes) or groups <= 1:
            break
        partitions.insert(0, labels[partitions[0]] if partitions else labels)
        if levels == 1:
            break
        toward, volumes = quotient(toward, volumes, labels.tolist(), groups)
    return EncodingTree.from_labels(graph, *partitions)


def merge_greedily(toward: list[dict[int, float]], volumes: list[float]) -> list[int]:
    """Return communities 0 … k−1, made by merging the pair that saves most until no merge saves anything."""
    whole = sum(volumes) or 1.0
    inner, community, version = [0.0] * len(volumes), list(range(len(volumes))), [0] * len(volumes)

    def candidate(one: int, other: int) -> tuple[float, int, int, int, int]:
        joint = volumes[one] + volumes[other]
        saved = 2.0 * toward[one][other] * log2(whole / joint)
        saved -= inner[one] * log2(joint / volumes[one]) + inner[other] * log2(joint / volumes[other])
        return -saved, one, other, version[one], version[other]

    heap = [candidate(one, other) for one, row in enumerate(toward) for other in row if one < other]
    heapq.heapify(heap)
    while heap and heap[0][0] < 0.0:
        _, one, other, *versions = heapq.heappop(heap)
        if versions != [version[one], version[other]]:
            continue
        if len(toward[one]) < len(toward[other]):
            one, other = other, one
        inner[one] += inner[other] + 2.0 * toward[one].pop(other)
        volumes[one] += volumes[other]
        version[one], version[other], community[other] = version[one] + 1, -1, one
        for neighbour, weight in toward[other].items():
            if neighbour != one:
                del toward[neighbour][other]
                toward[one][neighbour] = toward[neighbour][one] = toward[one].get(neighbour, 0.0) + weight
        for neighbour in toward[one]:
            heapq.heappush(heap, candidate(one, neighbour))
    return numbered([root_of(community, node) for node in range(len(volumes))])


def root_of(community: list[int], node: int) -> int:
    while community[node] != node:
        community[node] = community[community[node]]
        node = community[node]
    return node


def numbered(labels: list[int]) -> list[int]:
    numbers: dict[int, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]


def quotient(
    toward: list[dict[int, float]], volumes: list[float], labels: list[int], groups: int
) -> tuple[list[dict[int, float]], list[float]]:
    """Return the graph of the groups: edges inside groups are dropped, and group volumes are kept."""
    merged, sums = [dict[int, float]() for _ in range(groups)], [0.0] * groups
    for node, row in enumerate(toward):
        sums[labels[node]] += volumes[node]
        for other, weight in row.items():
            if labels[node] != labels[other]:
                merged[labels[node]][labels[other]] = merged[labels[node]].get(labels[other], 0.0) + weight
    return merged, sums


def rows_of(graph: Graph) -> list[dict[int, float]]:
    neighbours, weights, starts = graph.neighbours.tolist(), graph.weights.tolist(), graph.indptr.tolist()
    return [dict(zip(neighbours[start:end], weights[start:end], strict=True)) for start, end in pairwise(starts)]


def leiden(graph: Graph, _: list[Ints], __: int | None, seed: int) -> EncodingTree:
    igraph, leidenalg = importlib.import_module("igraph"), importlib.import_module("leidenalg")
    ends, weights = edge_list(graph)
    partition = leidenalg.find_partition(
        igraph.Graph(n=graph.vertices, edges=ends),
        leidenalg.ModularityVertexPartition,
        weights=weights.tolist(),
        n_iterations=-1,
        seed=seed,
    )
    return EncodingTree.from_labels(graph, partition.membership)


def infomap(graph: Graph, _: list[Ints], levels: int | None, seed: int) -> EncodingTree:
    search = importlib.import_module("infomap").Infomap(two_level=levels == 1, silent=True, num_trials=1, seed=seed + 1)
    search.add_nodes(range(graph.vertices))
    ends, weights = edge_list(graph)
    search.add_links(np.column_stack([ends, weights]))
    found = search.run()
    if levels == 1:
        modules: dict[int, int] = found.modules()
        return EncodingTree.from_labels(graph, [modules[vertex] for vertex in range(graph.vertices)])
    paths: dict[int, Sequence[int]] = found.multilevel_modules()
    return from_paths(graph, [tuple(paths[vertex]) for vertex in range(graph.vertices)])


def from_paths(graph: Graph, paths: list[tuple[int, ...]]) -> EncodingTree:
    """Return the tree with these paths of modules from the top to each vertex; paths may differ in length."""
    modules = sorted({path[:length] for path in paths for length in range(len(path) + 1)}, key=len, reverse=True)
    number = {module: graph.vertices + index for index, module in enumerate(modules)}
    return EncodingTree.from_parents(
        graph, [number[path] for path in paths] + [number[module[:-1]] if module else -1 for module in modules]
    )


def edge_list(graph: Graph) -> tuple[Ints, NDArray[np.float64]]:
    sources = np.repeat(np.arange(graph.vertices), np.diff(graph.indptr))
    once, loops = sources < graph.neighbours, np.flatnonzero(graph.loops)
    ends = np.column_stack([sources[once], graph.neighbours[once]])
    ends = np.vstack([ends, np.column_stack([loops, loops])]).astype(np.int64)
    return ends, np.append(graph.weights[once], graph.loops[loops])


ENGINE = Method("overstory", ours, (1, 2, None), seeded=True)
PLANTED = Method("the planted tree", planted, (1, 2), needs_planted=True)
METHODS = {
    method.name: method
    for method in (
        ENGINE,
        Method("overstory, best of 20", ours_best_of_20, (1, 2, None)),
        Method("plain greedy", greedy, (1, None)),
        Method("leidenalg", leiden, (1,), seeded=True, package="leidenalg"),
        Method("infomap", infomap, (1, None), seeded=True, package="infomap"),
        PLANTED,
    )
}

if __name__ == "__main__":
    main()
