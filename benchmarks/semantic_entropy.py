"""Measure the semantic–structural engine: recovery of planted groups, time, and the cost of dividing nodes in blocks.

    python -m benchmarks.semantic_entropy [--sizes N …] [--graphs FOLDER]

Prints adjusted Rand indices on planted graphs, for edges and texts together and for each alone; seconds and memory for
whole trees of graphs like those of entities (`--sizes`); the entropy lost where nodes are divided in blocks and
densities estimated; and, for a folder of .npz graphs, the entropy without texts (λ = 0) compared with that of the
structural engine.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from tests.unit.entropy.semantic.planted import SPREAD, Planted, adjusted_rand, planted

from overstory_entropy import Graph
from overstory_entropy.compile import Floats
from overstory_entropy.encoding import encode
from overstory_entropy.semantic import Density, encode_semantic, semantic_structural_entropy

SEEDS = range(10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=Path, help="a folder of .npz graphs: edges, weights, n")
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_500, 5_000, 25_000], help="100000 takes minutes")
    arguments = parser.parse_args()
    recovery()
    speed(arguments.sizes)
    loss()
    if arguments.graphs is not None:
        without_texts(arguments.graphs)


def recovery() -> None:
    """Adjusted Rand indices of the single level of groups, minimum and mean over the seeds."""
    print("planted groups, adjusted Rand index (least, mean of 10 seeds)")
    found: dict[str, list[float]] = {"edges and texts": [], "edges alone (λ = 0)": [], "texts alone": []}
    for seed in SEEDS:
        case = planted(seed)
        density = Density.from_vectors(case.vectors, bandwidth=SPREAD)
        trees = (
            encode_semantic(case.graph, density, height=2, seed=seed),
            encode_semantic(case.graph, density, height=2, weight=0.0, seed=seed),
            encode_semantic(case.graph, density, height=2, structure=False, seed=seed),
        )
        for indices, tree in zip(found.values(), trees, strict=True):
            indices.append(adjusted_rand(tree.labels(1), case.groups))
    for name, indices in found.items():
        print(f"  {name:22} {min(indices):6.3f} {float(np.mean(indices)):6.3f}")

    print("the same at height 4, the best level, by multiples of the likeliest bandwidth (mean of 10 seeds)")
    ways = {"edges and texts": (1.0, True), "edges alone": (0.0, True), "texts alone": (1.0, False)}
    for times in (1.0, 2.0, 3.0, 6.0):
        means = {
            name: np.mean([_best_level(seed, times, weight, structure=structure) for seed in SEEDS])
            for name, (weight, structure) in ways.items()
        }
        print(f"  {times:g} × " + "  ".join(f"{name} {mean:.3f}" for name, mean in means.items()))


def _best_level(seed: int, times: float, weight: float, *, structure: bool) -> float:
    case = planted(seed)
    density = Density.from_vectors(case.vectors)
    density = Density(density.points / times, density.bandwidth * times)
    tree = encode_semantic(case.graph, density, weight=weight, structure=structure, seed=seed)
    return max(adjusted_rand(tree.labels(level), case.groups) for level in range(1, tree.height))


def entities(vertices: int, *, seed: int = 0) -> Planted:
    """A graph like those of entities: a third without an edge, heavy-tailed degrees, a topic in edges and in texts."""
    random = np.random.default_rng(seed)
    topics = max(vertices // 100, 2)
    topic = random.integers(0, topics, vertices)
    pull = np.where(random.random(vertices) < 0.65, (1.0 - random.random(vertices)) ** (-1.0 / 1.5), 0.0)
    source, anywhere = random.choice(vertices, (2, 3 * vertices), p=pull / pull.sum())
    order = np.argsort(topic, kind="stable")
    reach = np.append(0.0, np.cumsum(pull[order]))
    starts = reach[np.searchsorted(topic[order], np.arange(topics + 1))]
    low, high = starts[topic[source]], starts[topic[source] + 1]
    near = order[np.searchsorted(reach[1:], low + random.random(len(source)) * (high - low), side="right")]
    target = np.where(random.random(len(source)) < 0.7, near, anywhere)
    subtopic = 10 * topic + random.integers(0, 10, vertices)
    texts = random.standard_normal((vertices, 32)) + 0.7 * random.standard_normal((topics, 32))[topic]
    texts += 0.7 * random.standard_normal((10 * topics, 32))[subtopic]
    copies = random.random(vertices) < 0.05
    texts[copies] = texts[random.integers(0, vertices, int(copies.sum()))]
    apart = source != target
    ends = np.stack([source[apart], target[apart]], axis=1)
    return Planted(Graph.from_edges(vertices, ends), texts / np.linalg.norm(texts, axis=1, keepdims=True), topic)


def densities(vectors: Floats, *multiples: float) -> list[Density]:
    """Densities with multiples of the likeliest bandwidth."""
    likeliest = Density.from_vectors(vectors).bandwidth
    return [Density.from_vectors(vectors, bandwidth=multiple * likeliest) for multiple in multiples]


def speed(sizes: list[int]) -> None:
    """Seconds of the processor, warm, for a density and for a whole tree of height 4; the memory is that so far."""
    print("3 × the likeliest bandwidth: seconds (density, tree of height 4), most memory so far")
    encode_semantic(entities(300).graph, entities(300).vectors)
    for size in sizes:
        case = entities(size)
        started = time.process_time()
        (density,) = densities(case.vectors, 3.0)
        ready = time.process_time()
        tree = encode_semantic(case.graph, density)
        done = time.process_time()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(
            f"  {size:6} vertices {ready - started:6.1f} {done - ready:6.1f} {memory:6} MiB   {tree.capped}, "
            f"{tree.estimated} densities estimated, {[len(set(tree.labels(level).tolist())) for level in (1, 2, 3)]}"
        )


def loss() -> None:
    """The entropy of trees whose large nodes are divided in blocks and have estimated densities, counted exactly."""
    print("entropy lost by blocks and estimates")
    for size in (1_500, 5_000):
        case = entities(size)
        for multiple, density in zip((1, 3), densities(case.vectors, 1.0, 3.0), strict=True):
            exact = replace(density, exact_members=size)
            best = encode_semantic(case.graph, exact, kernel_entries=size**2).total
            for limit in (4096, 1024, 512):
                tree = encode_semantic(case.graph, replace(density, exact_members=limit), kernel_entries=limit**2)
                total = semantic_structural_entropy(case.graph, tree.distinct(), exact)
                print(
                    f"  {size} vertices, {multiple} × h, above {limit:4}: {total:8.4f} bits, exact {best:8.4f}, "
                    f"{100.0 * (total / best - 1.0):+.2f} %; reported {tree.total - total:+.4f} bits"
                )
            everyone = np.arange(size)
            apart = replace(density, exact_members=0).surprise(everyone) - exact.surprise(everyone)
            mean, spread = apart.mean(), float(np.sqrt((apart**2).mean()))
            print(f"  estimated surprise in all {size}: {mean:+.3f} bits in the mean, {spread:.3f} root mean square")


def without_texts(folder: Path) -> None:
    """λ = 0 and the structural engine, both of height 4."""
    print("without texts, height 4 (bits, ours and the structural engine's)")
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as stored:
            graph = Graph.from_edges(int(stored["n"]), stored["edges"], stored["weights"])
        no_texts = Density(np.zeros((graph.vertices, 0)), 1.0)
        ours, engine = encode_semantic(graph, no_texts, weight=0.0).total, encode(graph, levels=3).entropy
        print(f"  {path.stem:24} {ours:8.4f} {engine:8.4f} {100.0 * (ours / engine - 1.0):+.2f} %")


if __name__ == "__main__":
    main()
