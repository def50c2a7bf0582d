"""The default embedder: all-MiniLM-L6-v2 in int8."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from overstory.embed.files import fingerprint_of
from overstory.embed.onnx_models import DIMENSION, MINILM, TOKEN_LIMIT, TOKENIZER_SHA256, OnnxEncoder, WordPieces
from overstory.model.passage_text import TEMPLATE
from overstory.protocols import Vectors
from overstory.settings import EmbeddingSettings

_MINILM_VERSION = 2


class MiniLmEmbedder:
    """Embeds texts as unit vectors of 384 numbers. Safe to use from several threads."""

    def __init__(self, settings: EmbeddingSettings | None = None) -> None:
        self.dimension = DIMENSION
        self.token_limit = TOKEN_LIMIT
        self.fingerprint = fingerprint_of(
            "minilm-int8", MINILM.sha256, TOKENIZER_SHA256, MINILM.pooling, TOKEN_LIMIT, TEMPLATE, _MINILM_VERSION
        )
        self._loading = threading.Lock()
        self._pieces: WordPieces | None = None
        self._encoder = OnnxEncoder(MINILM, settings)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 vectors of shape (n, 384). Texts are truncated to 256 tokens."""
        return self._encoder.vectors(self._tokenizer().ids(texts, TOKEN_LIMIT))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, including [CLS] and [SEP]."""
        return self._tokenizer().count(texts)

    def _tokenizer(self) -> WordPieces:
        # Loading documents needs only the tokenizer; the network takes ten times as long to load.
        with self._loading:
            if self._pieces is None:
                self._pieces = WordPieces()
            return self._pieces
