"""Other ways to a subgraph for a question, on a graph that `python -m benchmarks.tretriever export` wrote.

    PYTHONPATH=platform .venv-subgraphs/bin/python benchmarks/subgraphs.py FILE… [--tokens 1000]

Prize-collecting Steiner trees, as in G-Retriever (He et al. 2024, Section 5.3): the k vertices and k edges nearest to
the question have the prizes k, k − 1, … 1, each edge has a cost, and the tree with the highest prizes less costs is
read. Leiden communities, as ArchRAG has them (without its language model): the nearest by the mean of their vectors.
Both are read in order of nearness, vertices first, each with its edges to those read before, until the tokens end;
gold is the share of a question's gold vertices that are read. Beside `python -m benchmarks.tretriever contexts`.

pcst_fast and leidenalg are under the GPL, and have an environment of their own: `make .venv-subgraphs/installed`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from overstory.bench.bootstrap import mean_interval

PRIZED = (3, 6, 10, 20)
COSTS = (0.1, 0.5, 1.0)
COMMUNITIES = (1, 3, 6)


@dataclass(frozen=True)
class Exported:
    """A graph and its questions, n vertices, m edges, q questions."""

    vectors: np.ndarray[Any, Any]
    ends: np.ndarray[Any, Any]
    weights: np.ndarray[Any, Any]
    edge_vectors: np.ndarray[Any, Any]
    question_vectors: np.ndarray[Any, Any]
    gold: np.ndarray[Any, Any]
    vertex_tokens: np.ndarray[Any, Any]
    edge_tokens: np.ndarray[Any, Any]

    @classmethod
    def read(cls, file: Path) -> Exported:
        with np.load(file) as arrays:
            return cls(**{name: arrays[name] for name in arrays.files})

    def neighbours(self) -> list[list[tuple[int, int]]]:
        """Of each vertex the other ends, and the edges."""
        found: list[list[tuple[int, int]]] = [[] for _ in self.vectors]
        for edge, (one, other) in enumerate(self.ends.tolist()):
            found[one].append((other, edge))
            found[other].append((one, edge))
        return found


def prizes(nearness: np.ndarray[Any, Any], most: int) -> np.ndarray[Any, Any]:
    """`most` for the nearest, down to 1; 0 for the rest."""
    found = np.zeros(len(nearness))
    first = np.argsort(-nearness, kind="stable")[:most]
    found[first] = np.arange(most, most - len(first), -1)
    return found


def steiner_tree(graph: Exported, question: np.ndarray[Any, Any], most: int, cost: float) -> Iterable[int]:
    """The vertices of the tree. An edge whose prize is above its cost is one vertex more, with what remains of it."""
    of_vertices = prizes(graph.vectors @ question, most)
    of_edges = prizes(graph.edge_vectors @ question, most)
    edges: list[tuple[int, int]] = []
    costs: list[float] = []
    extra: list[float] = []
    for (one, other), prize in zip(graph.ends.tolist(), of_edges.tolist(), strict=True):
        if prize <= cost:
            edges.append((one, other))
            costs.append(cost - prize)
        else:
            between = len(of_vertices) + len(extra)
            extra.append(prize - cost)
            edges += [(one, between), (between, other)]
            costs += [0.0, 0.0]
    every = np.concatenate([of_vertices, extra])
    vertices, _ = import_module("pcst_fast").pcst_fast(np.array(edges), every, np.array(costs), -1, 1, "gw", 0)
    return [vertex for vertex in vertices.tolist() if vertex < len(of_vertices)]


def communities(graph: Exported) -> list[list[int]]:
    igraph, leidenalg = import_module("igraph"), import_module("leidenalg")
    whole = igraph.Graph(n=len(graph.vectors), edges=graph.ends.tolist())
    found = leidenalg.find_partition(
        whole, leidenalg.ModularityVertexPartition, weights=graph.weights.tolist(), seed=42
    )
    return [list(each) for each in found]


def read_within(
    graph: Exported, neighbours: list[list[tuple[int, int]]], vertices: Iterable[int], tokens: int
) -> tuple[set[int], int]:
    """What is read of these vertices, in order, and the tokens of it."""
    there: set[int] = set()
    spent = 0
    for vertex in vertices:
        lines = [edge for other, edge in neighbours[vertex] if other in there]
        more = int(graph.vertex_tokens[vertex]) + sum(int(graph.edge_tokens[edge]) for edge in lines)
        if spent + more <= tokens:
            there.add(vertex)
            spent += more
    return there, spent


def interval(values: list[float]) -> str:
    found = mean_interval(values)
    return f"{found.mean:.3f} [{found.low:.3f}, {found.high:.3f}]"


def ways(graph: Exported) -> Iterator[tuple[str, list[list[int]]]]:
    """Each way, with the vertices that it finds for each question, the nearest first."""

    def in_order(vertices: Iterable[int], question: np.ndarray[Any, Any]) -> list[int]:
        nearness = graph.vectors @ question
        return sorted(vertices, key=lambda vertex: -nearness[vertex])

    for most in PRIZED:
        for cost in COSTS:
            found = [in_order(steiner_tree(graph, each, most, cost), each) for each in graph.question_vectors]
            yield f"Steiner tree, {most} prizes, cost {cost:g}", found
    parts = communities(graph)
    means = np.stack([graph.vectors[part].mean(axis=0) for part in parts])
    for most in COMMUNITIES:
        nearest = [np.argsort(-(means @ each))[:most] for each in graph.question_vectors]
        found = [
            [vertex for part in chosen for vertex in in_order(parts[part], each)]
            for chosen, each in zip(nearest, graph.question_vectors, strict=True)
        ]
        yield f"Leiden, {most} of {len(parts)} communities", found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--tokens", type=int, default=1_000)
    given = parser.parse_args()
    for file in given.files:
        graph = Exported.read(file)
        neighbours = graph.neighbours()
        gold = [set(graph.gold[graph.gold[:, 0] == at, 1].tolist()) for at in range(len(graph.question_vectors))]
        print(f"\n**{file.stem}**: {len(gold)} questions, {given.tokens:,} tokens\n")
        print("| | gold [95 %] | tokens | vertices |\n|---|---|---|---|")
        for name, found in ways(graph):
            read = [read_within(graph, neighbours, vertices, given.tokens) for vertices in found]
            shares = [
                len(wanted & there) / len(wanted) for wanted, (there, _) in zip(gold, read, strict=True) if wanted
            ]
            tokens, vertices = np.mean([spent for _, spent in read]), np.mean([len(there) for there, _ in read])
            print(f"| {name} | {interval(shares)} | {tokens:,.0f} | {vertices:.1f} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
