"""Hand-made runs of facts, answers and questions, whose vectors say what is alike."""

from __future__ import annotations

import numpy as np

from overstory.protocols import Vectors
from overstory.vectors.packed import of_unit_length
from overstory_systems.apr.codebook import CodebookEdge, FactRun, RecalledAnswer, RelatedQuestion, ScoredRun, no_vectors

DIMENSION = 16


def edge(words: str, canonical: str = "") -> CodebookEdge:
    """An edge of "head|relation|tail", whose id are these words."""
    head, relation, tail = words.split("|")
    return CodebookEdge(words, canonical or words, head, relation, tail)


def direction(number: int, *, beside: int = -1, by: float = 0.0) -> list[float]:
    """A unit vector along an axis, turned a little to another one."""
    vector = np.zeros(DIMENSION)
    vector[number] = 1.0
    if beside >= 0:
        vector[beside] = by
    return list(vector / np.linalg.norm(vector))


def vectors(*rows: list[float]) -> Vectors:
    return of_unit_length(np.array(rows, dtype=np.float32))


def run(
    name: str, *edges: CodebookEdge, score: float = 1.0, along: Vectors | None = None, chunk: str = ""
) -> ScoredRun:
    """A run of a chunk of its own; its edges are at right angles to those of other runs unless `along` says more."""
    chunk = chunk or f"chunk of {name}"
    start = sum(name.encode()) % DIMENSION
    rows = vectors(*(direction((start + place) % DIMENSION) for place in range(len(edges))))
    found = FactRun(name, chunk, f"document of {chunk}", edges, tuple(range(len(edges))))
    return ScoredRun(found, score, rows if along is None else along)


def recalled(
    name: str, *edges: CodebookEdge, similarity: float = 0.8, along: Vectors | None = None, text: str = "It is so [1]."
) -> RecalledAnswer:
    chunks = tuple(f"chunk of {each.id}" for each in edges)
    return RecalledAnswer(
        id=name,
        question=f"What of {name}?",
        text=text,
        short="so",
        kind="llm",
        model="m",
        asked="2026-11-22T10:00:00+00:00",
        similarity=similarity,
        edges=edges,
        chunks=chunks,
        documents=tuple(f"document of {chunk}" for chunk in chunks),
        vectors=no_vectors() if along is None else along,
    )


def related(name: str, *edges: CodebookEdge, similarity: float = 0.5) -> RelatedQuestion:
    return RelatedQuestion(name, f"Who of {name}?", similarity, edges)
