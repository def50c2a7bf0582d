"""Embedder for any sentence-transformers model, by name or from a folder. It is optional, because it needs PyTorch."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from overstory.embed.files import fingerprint_of
from overstory.errors import ModelError, install_command
from overstory.model.passage_text import TEMPLATE
from overstory.protocols import Vectors
from overstory.settings import EmbeddingSettings
from overstory.surrogates import well_formed

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_TRANSFORMER_TOKEN_LIMIT = 512  # used for models that do not state their token limit
_TRANSFORMER_VERSION = 1


class _Model(Protocol):
    """The members of `sentence_transformers.SentenceTransformer` that are used here. The library is optional."""

    tokenizer: Callable[..., Mapping[str, Sequence[int]]]
    max_seq_length: int | None

    def encode(self, texts: Sequence[str], /, *, batch_size: int, **options: bool) -> Any:  # returns a NumPy array
        ...

    def state_dict(self) -> Mapping[str, Any]: ...  # the values are PyTorch tensors


class SentenceTransformersEmbedder:
    """Converts texts to unit vectors with the model `settings.model`.

    It is safe to use from several threads. Only one thread at a time uses the model.
    """

    def __init__(self, settings: EmbeddingSettings) -> None:
        name = settings.model or MODEL
        self._model = _loaded(name)
        self._turn = threading.Lock()
        self.token_limit = int(self._model.max_seq_length or _TRANSFORMER_TOKEN_LIMIT)
        self.dimension = int(self._encoded(["dimension"]).shape[1])
        self.fingerprint = fingerprint_of(
            "sentence-transformers",
            _digest(self._model),
            str(self._model),
            self.token_limit,
            TEMPLATE,
            _TRANSFORMER_VERSION,
        )

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of n texts as a float32 array of shape (n, dimension).

        Texts are not batched, because padding would change their vectors slightly.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return self._encoded([well_formed(text) for text in texts])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        with self._turn:
            return [len(self._model.tokenizer(well_formed(text), verbose=False)["input_ids"]) for text in texts]

    def _encoded(self, texts: Sequence[str]) -> Vectors:
        with self._turn:
            vectors = self._model.encode(texts, batch_size=1, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)


def _loaded(name: str) -> _Model:
    try:
        library = import_module("sentence_transformers")
    except ImportError as error:
        raise ModelError(
            "The embedder 'sentence-transformers' needs the library of that name.",
            remedy=install_command("sentence-transformers"),
        ) from error
    try:
        model: _Model = library.SentenceTransformer(name)
    except Exception as error:  # loading a model runs its code and uses the network, which can raise any error
        raise ModelError(
            f"sentence-transformers cannot load {name!r}: {error}",
            remedy="Set OVERSTORY_EMBEDDING_MODEL to the name of a model, or to its folder.",
        ) from error
    return model


def _digest(model: _Model) -> str:
    byte = import_module("torch").uint8
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().reshape(-1).view(byte).numpy().tobytes())
    return digest.hexdigest()
