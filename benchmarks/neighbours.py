"""The nearest neighbours of more chunks than a corpus has: all products against Graph Data Science.

    python -m benchmarks.neighbours CORPUS --chunks 200000 [--exact] [--gds]

The vectors are those of CORPUS, then copies of them with noise, each .95 near the one it was copied from, until there
are so many: clusters of near copies, which real text has too, but not of this size. Nothing else is written there.

All products of 2,000 of the chunks with all, by numpy in blocks, say which neighbours are the right ones, and what all
would take.

    --exact      all products of all chunks, as `overstory index --system serag:search=exact` takes them
    --gds        by Graph Data Science, in a corpus of its own that is removed: vectors are written, searched, and the
                 result is read, each timed; of a search that fails it says what the server said

Without any of them, both are measured. Prints Markdown.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from benchmarks.measuring import client_peak_megabytes, server_megabytes
from benchmarks.which import markdown

from overstory import Knowledge
from overstory.errors import OverstoryError
from overstory.graph import read_corpus, writing
from overstory.graph.client import batches
from overstory.graph.statements import add_statements
from overstory.model import Document
from overstory.protocols import Silence, Vectors
from overstory.settings import Settings
from overstory.vectors.nearest import nearest
from overstory_entropy.compile import Ids, Ints
from overstory_systems.serag.build import find_by_gds, read_chunks, stored_neighbours
from overstory_systems.serag.settings import SeragIndexSettings

SCRATCH = "bench-neighbours"
PROPERTY = "benchmarked"
SEED = 20261122
COPIED = 0.95
"""Cosine of a copy to what it was copied from."""
SAMPLE = 2_000
ROWS_A_BLOCK = 100
ROWS_A_TRANSACTION = 1_000

add_statements(Path(__file__).parent / "cypher")


@dataclass(slots=True)
class Seconds:
    """What took how long, in order."""

    took: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def of(self, what: str) -> Generator[None]:
        """Times what happens inside."""
        print(what, file=sys.stderr, flush=True)
        began = time.perf_counter()
        yield
        self.took[what] = time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", metavar="CORPUS", help="embedded")
    parser.add_argument("--chunks", type=int, default=200_000, metavar="N", help="vectors in all (200,000)")
    for name in ("exact", "gds"):
        parser.add_argument(f"--{name}", action="store_true")
    given = parser.parse_args()
    everything = not (given.exact or given.gds)
    settings, k = Settings.from_environment(), SeragIndexSettings().nearest
    try:
        with Knowledge(given.corpus, settings=settings) as knowledge:
            corpus = read_corpus(knowledge.graph, given.corpus)
            stored = read_chunks(knowledge.graph, corpus, Silence()).vectors
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    vectors = enlarged(stored, given.chunks)
    print(f"{len(vectors):,} vectors, {min(len(stored), len(vectors)):,} of them stored, the rest copies with noise.\n")
    seconds, found = Seconds(), dict[str, Ids]()
    sample = np.random.default_rng(SEED).choice(len(vectors), min(SAMPLE, len(vectors)), replace=False)
    with seconds.of(f"all products of {len(sample):,}, by numpy"):
        right = products(vectors, sample, k)
    seconds.took["the same of all, calculated"] = next(iter(seconds.took.values())) * len(vectors) / len(sample)
    if everything or given.exact:
        nearest(vectors[:100], k)  # compiles
        with seconds.of("all products, as SeRAG takes them"):
            found["All products"] = nearest(vectors, k).ids[sample]
    failure = ""
    if everything or given.gds:
        try:
            found["Graph Data Science"] = by_gds(vectors, k, settings, seconds)[sample]
        except OverstoryError as error:  # what it breaks on is what the run is for
            failure = f"Graph Data Science failed: {error}"
    print(*markdown([["", "seconds"], *([what, f"{took:,.1f}"] for what, took in seconds.took.items())]), sep="\n")
    for name, ids in found.items():
        print(f"\n{name}: {shared(right, ids):.3f} of the right neighbours of {len(sample):,} chunks.")
    print(*([f"\n{failure}"] if failure else []), sep="\n", end="")
    print(f"\nClient {client_peak_megabytes():,.0f} MB at most, server {server_megabytes(settings):,.0f} MB.")
    return 0


def enlarged(vectors: Vectors, size: int) -> Vectors:
    """So many vectors: the first ones as they are, then copies in the same order, each `COPIED` near its own."""
    chance = np.random.default_rng(SEED)
    whole = np.empty((size, vectors.shape[1]), dtype=np.float32)
    for start in range(0, size, len(vectors)):
        part = vectors[: size - start]
        if start:
            noise = chance.standard_normal(part.shape, dtype=np.float32)
            noise -= np.sum(noise * part, axis=1, keepdims=True) * part
            noise /= np.linalg.norm(noise, axis=1, keepdims=True)
            part = COPIED * part + np.float32(np.sqrt(1.0 - COPIED**2)) * noise
        whole[start : start + len(part)] = part
    return whole


def products(vectors: Vectors, sample: Ids | Ints, k: int) -> Ids:
    """The k nearest of some vectors, in any order, by all products; a vector is not its own neighbour.

    Returns:
        shape (len(sample), k).
    """
    found = np.empty((len(sample), k), dtype=np.int32)
    for start in range(0, len(sample), ROWS_A_BLOCK):
        block = sample[start : start + ROWS_A_BLOCK]
        cosines = vectors[block] @ vectors.T
        cosines[np.arange(len(block)), block] = -np.inf
        found[start : start + len(block)] = np.argpartition(cosines, -k, axis=1)[:, -k:]
    return found


def shared(right: Ids, found: Ids) -> float:
    """The share of the right neighbours that were found."""
    return float((right[:, :, None] == found[:, None, :]).any(axis=2).mean())


def by_gds(vectors: Vectors, k: int, settings: Settings, seconds: Seconds) -> Ids:
    """Neighbours as SeRAG asks Graph Data Science for them, in a corpus that is deleted."""
    ids = [f"{number:09}" for number in range(len(vectors))]
    with Knowledge(SCRATCH, settings=settings) as knowledge:
        try:
            knowledge.ingest_documents(Document(SCRATCH, "first", "So that there is a corpus."))
            corpus = replace(read_corpus(knowledge.graph, SCRATCH), embedding_property=PROPERTY)
            with seconds.of("vectors written, for Graph Data Science"):
                for some in batches(range(len(vectors)), ROWS_A_TRANSACTION):
                    rows = [{"id": ids[number], "vector": vectors[number].tolist()} for number in some]
                    knowledge.graph.run("benchmarks/write_vectors", corpus.label, rows=rows, property=PROPERTY)
            with writing(knowledge.graph, corpus, "bench") as writer, seconds.of("Graph Data Science, searched"):
                find_by_gds(writer, corpus, k)
            with seconds.of("Graph Data Science, read"):
                names = [f"{corpus.label}/{id_}" for id_ in ids]
                return stored_neighbours(knowledge.graph, corpus, names, k).ids
        finally:
            knowledge.delete_corpus()


if __name__ == "__main__":
    sys.exit(main())
