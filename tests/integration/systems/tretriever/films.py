"""A part of the graph of films: large enough for sets of several levels, and a third of the texts to embed."""

from __future__ import annotations

import csv
from pathlib import Path

from overstory.examples import movie_graph

DIRECTOR = "p100"
"""Rob Reiner, two of whose films are in the graph."""


def films_near(folder: Path) -> Path:
    """Write the films of Rob Reiner, other films of their people, and everybody who made one of these films."""
    nodes, edges = (_rows(name) for name in ("nodes.csv", "edges.csv"))
    chosen = {DIRECTOR}
    for _ in range(4):  # his films, their people, the films of these, their people
        chosen |= {end for edge in edges for end in edge[:2] if chosen & {*edge[:2]}}
    _write(folder / "nodes.csv", [nodes[0], *(node for node in nodes[1:] if node[0] in chosen)])
    _write(folder / "edges.csv", [edges[0], *(edge for edge in edges[1:] if chosen >= {*edge[:2]})])
    return folder


def _rows(name: str) -> list[list[str]]:
    with (movie_graph() / name).open(encoding="utf-8", newline="") as file:
        return [*csv.reader(file)]


def _write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
