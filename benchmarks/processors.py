"""What another processor changes: vectors, scores and places of fifty texts, and digests of names, facts and trees.

    python benchmarks/processors.py write native.npz
    for cpu in Haswell Nehalem; do
        NUMBA_DISABLE_JIT=1 qemu-x86_64 -cpu $cpu .venv/bin/python benchmarks/processors.py write $cpu.npz
    done
    python benchmarks/processors.py compare native.npz Haswell.npz Nehalem.npz

qemu-x86_64 is in Debian's package qemu-user. Each text is also the question, so a file has 50 rankings of 49 passages.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

TEXTS = 50
DIGESTS = ("names", "facts", "tree")
CORPUS = Path(__file__).parents[1] / "examples" / "hotpotqa" / "corpus.jsonl"


def write(file: str) -> None:
    """Vectors of the texts, and digests of what rules find in them and of the tree over texts that share names."""
    from overstory.embed import make_embedder
    from overstory.model import ChunkText
    from overstory.settings import EmbeddingSettings, ExtractionSettings
    from overstory.text import entity_key, make_extractor
    from overstory_entropy import Graph, encode

    rows = map(json.loads, CORPUS.read_text(encoding="utf-8").splitlines()[:TEXTS])
    chunks = [ChunkText(row["_id"], row["title"], "", row["text"]) for row in rows]
    vectors = make_embedder(EmbeddingSettings()).embed([chunk.text for chunk in chunks])
    found = list(make_extractor(ExtractionSettings(processes=1)).extract(chunks))
    names = [sorted({entity_key(mention.surface) for mention in each.mentions}) for each in found]
    pairs = itertools.combinations(range(TEXTS), 2)
    shared = {pair: float(n) for pair in pairs if (n := len({*names[pair[0]]} & {*names[pair[1]]}))}
    tree = encode(Graph.from_edges(TEXTS, list(shared), list(shared.values())), levels=2)
    results = (names, [each.facts for each in found], tree.parents.tolist())
    digests = {key: hashlib.sha256(repr(each).encode()).hexdigest() for key, each in zip(DIGESTS, results, strict=True)}
    np.savez(file, allow_pickle=False, vectors=vectors, **{key: np.array(digest) for key, digest in digests.items()})


def compare(first: str, *others: str) -> None:
    """Prints the largest differences from the first file, and between which scores hits change places."""
    one = np.load(first)
    before = _scores(one["vectors"])
    apart = before[:, :, None] - before[:, None, :]
    for file in others:
        other = np.load(file)
        after = _scores(other["vectors"])
        changed = apart * (after[:, :, None] - after[:, None, :]) < 0
        print(
            f"{file}: a value of a vector differs by up to {np.abs(one['vectors'] - other['vectors']).max():.1e}, "
            f"a score by up to {np.abs(before - after).max():.1e};\n  the two vectors of a text have a cosine of "
            f"{(one['vectors'] * other['vectors']).sum(axis=1).min():.6f} or more;\n  "
            f"{changed.any(axis=(1, 2)).sum()} of {TEXTS} rankings change, between scores up to "
            f"{(np.abs(apart) * changed).max():.1e} apart;"
        )
        print(" ", ", ".join(f"{key} {'equal' if one[key] == other[key] else 'differ'}" for key in DIGESTS))


def _scores(vectors: Any) -> Any:
    """Shape (n, n): cosines in double precision, so that only the vectors differ; that with itself is -1."""
    exact = vectors.astype(np.float64)
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    scores = np.einsum("ik,jk->ij", exact, exact)
    np.fill_diagonal(scores, -1.0)
    return scores


if __name__ == "__main__":
    (write if sys.argv[1] == "write" else compare)(*sys.argv[2:])
