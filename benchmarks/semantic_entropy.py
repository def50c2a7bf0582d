"""Measure the semantic–structural engine: recovery of planted groups, time, and the cost of dividing nodes in blocks.

    python -m benchmarks.semantic_entropy [--graphs FOLDER]

Prints adjusted Rand indices on planted graphs, for edges and texts together and for each alone; seconds for PARTITION
and for whole trees of 1,500 and 5,000 vertices; the entropy lost where nodes are divided in blocks; and, for a folder
of .npz graphs, the entropy without texts (λ = 0) compared with that of the structural engine.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from tests.unit.entropy.semantic.planted import SPREAD, adjusted_rand, planted

from overstory.entropy import EncodingTree, Graph
from overstory.entropy.encode import encode
from overstory.entropy.semantic import Density, encode_semantic, partition

SEEDS = range(10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=Path, help="a folder of .npz graphs: edges, weights, n")
    arguments = parser.parse_args()
    recovery()
    speed()
    loss_of_blocks()
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


def speed() -> None:
    """Seconds, warm: likeliest bandwidth, one PARTITION of all vertices, a whole tree of height 4."""
    print("seconds (density, PARTITION, tree of height 4)")
    for circles, size in ((20, 15), (50, 20)):
        case = planted(0, circles=circles, topics=5, size=size)
        started = time.perf_counter()
        density = Density.from_vectors(case.vectors)
        ready = time.perf_counter()
        root = case.graph.vertices
        partition(case.graph, EncodingTree.from_labels(case.graph), density, root)
        divided = time.perf_counter()
        tree = encode_semantic(case.graph, density)
        done = time.perf_counter()
        print(
            f"  {root:5} vertices {ready - started:6.2f} {divided - ready:6.2f} {done - divided:6.2f}   {tree.capped}"
        )


def loss_of_blocks() -> None:
    """The entropy of trees whose large nodes are divided in blocks, compared with exact division."""
    print("entropy lost by blocks, 1,500 vertices")
    case = planted(0, circles=20, topics=5)
    for bandwidth in (SPREAD, None):
        density = Density.from_vectors(case.vectors, bandwidth=bandwidth)
        exact = encode_semantic(case.graph, density).total
        for blocks in (750, 300, 100):
            total = encode_semantic(case.graph, density, kernel_entries=1500 * blocks).total
            print(f"  h = {density.bandwidth:.3f}, {blocks:4} blocks {total:8.4f} bits, exact {exact:8.4f}", end="")
            print(f", {100.0 * (total / exact - 1.0):+.2f} %")


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
