"""The embedder for the best retrieval of English texts: all-MiniLM-L6-v2 and bge-small-en-v1.5 together.

A vector is the vectors of both models, one after the other, each divided by √2. So a dot product is the mean of the two
cosines.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from overstory.embed.files import fingerprint_of
from overstory.embed.minilm import MiniLmEmbedder
from overstory.embed.onnx_models import BGE, DIMENSION, TOKEN_LIMIT, OnnxEncoder
from overstory.protocols import Vectors
from overstory.settings import EmbeddingSettings

_BEST_COSINE_SPREAD = 0.6


class BestEmbedder(MiniLmEmbedder):
    """Embeds texts as unit vectors of 768 numbers. Safe to use from several threads."""

    def __init__(self, settings: EmbeddingSettings | None = None) -> None:
        super().__init__(settings)
        self.dimension = 2 * DIMENSION
        self.cosine_spread = _BEST_COSINE_SPREAD
        self.fingerprint = fingerprint_of("minilm-and-bge-int8", self.fingerprint, BGE.sha256, BGE.pooling)
        self._second = OnnxEncoder(BGE, settings)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 vectors of shape (n, 768). Texts are truncated to 256 tokens."""
        ids = self._tokenizer().ids(texts, TOKEN_LIMIT)
        both = np.concatenate([self._encoder.vectors(ids), self._second.vectors(ids)], axis=1)
        return np.asarray(both / np.sqrt(2), dtype=np.float32)
