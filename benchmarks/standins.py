"""Stand-ins for models, for measurements of size.

    export PYTHONPATH=.:benchmarks/plugins OVERSTORY_EMBEDDER=hashed OVERSTORY_EXTRACTOR=capitalised

With these settings, every command and benchmark uses an embedder and an extractor that read a thousand passages per
second. The results are no measure of quality. But texts with the same words are near each other, and names are shared
as in real text, so searches do the same work as with models.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from zlib import crc32

import numpy as np

from overstory.model import ChunkText, Extraction, Mention
from overstory.protocols import Vectors
from overstory.settings import EmbeddingSettings, ExtractionSettings

DIMENSION, BUCKETS = 384, 1 << 15
WORD = re.compile(r"\w+")
NAME = re.compile(r"[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*)+|(?<=[a-z,] )[A-Z][\w'’.-]+")
"""A name: two or more capitalised words, or one that does not start the sentence."""


class HashedWords:
    """An embedder that projects the hashed words of a text randomly. Long words weigh more, as rare words would."""

    token_limit = 128
    dimension = DIMENSION
    fingerprint = f"hashed:{DIMENSION}:{BUCKETS}"

    def __init__(self, settings: EmbeddingSettings | None = None) -> None:
        del settings

    @cached_property
    def _directions(self) -> Vectors:
        return np.random.default_rng(7).standard_normal((BUCKETS, DIMENSION), dtype=np.float32)

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            words = WORD.findall(text.lower()) or [text]
            weights = np.array([min(len(word), 12) ** 2 for word in words], dtype=np.float32)
            row[:] = weights @ self._directions[[crc32(word.encode()) % BUCKETS for word in words]]
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return vectors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) // 4 for text in texts]


class CapitalisedNames:
    """An extractor that takes capitalised words as names of persons and finds no facts."""

    fingerprint = "capitalised:1"
    by = "ner"

    def __init__(self, settings: ExtractionSettings | None = None) -> None:
        del settings

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        for chunk in chunks:
            found = (Mention(match[0], "PERSON", 0, match.start(), match.end()) for match in NAME.finditer(chunk.text))
            yield Extraction(chunk.id, (0,), tuple(found), ())
