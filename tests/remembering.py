"""The default embedder, which embeds a text once for a run of the tests: they index the same passages over and over."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np

from overstory.protocols import Embedder, Vectors


class RememberingEmbedder:
    """Another embedder, and the vectors that it gave: a vector is a function of its text alone."""

    def __init__(self, embedder: Embedder) -> None:
        self.fingerprint = embedder.fingerprint
        self.token_limit = embedder.token_limit
        self.dimension = embedder.dimension
        self.count_tokens = embedder.count_tokens
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32 of shape (n, dimension)."""
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        vectors = self._embedder.embed(new) if new else ()
        with self._lock:
            self._vectors.update(zip(new, vectors, strict=True))
            rows = [self._vectors[text] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimension)
