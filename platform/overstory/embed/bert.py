"""Parts shared by the embedders that run a BERT model of 384 dimensions on onnxruntime."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from overstory.embed.files import REINSTALL, checked
from overstory.machine import processors
from overstory.protocols import Vectors
from overstory.settings import EmbeddingSettings
from overstory.surrogates import well_formed

BERT_DIMENSION = 384
BERT_TOKEN_LIMIT = 256


class TokenizingEmbedder:
    """Base class of embedders that split texts with the tokenizer of all-MiniLM-L6-v2."""

    def __init__(self) -> None:
        self.token_limit = BERT_TOKEN_LIMIT
        self._loading = threading.Lock()
        self._pieces: WordPieces | None = None

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._tokenizer().count(texts)

    def _tokenizer(self) -> WordPieces:
        # Splitting documents into passages needs only the tokenizer. Loading the network takes ten times as long.
        with self._loading:
            if self._pieces is None:
                self._pieces = WordPieces()
            return self._pieces


class Network:
    """A model that is loaded on first use. It is safe to use from several threads."""

    def __init__(self, weights: Callable[[], Path]) -> None:
        """
        Args:
            weights: returns the path of the model file. It is called once.
        """
        self._weights = weights
        self._loading = threading.Lock()
        self._session: ort.InferenceSession | None = None

    def session(self) -> ort.InferenceSession:
        with self._loading:
            if self._session is None:
                self._session = _session(self._weights())
            return self._session


def _session(weights: Path) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


class EmbeddingThreads:
    """A pool of one thread per processor. The threads start on first use."""

    def __init__(self, settings: EmbeddingSettings | None) -> None:
        """
        Args:
            settings: specifies the number of threads. Other settings are ignored.
        """
        threads = (settings.threads if settings else 0) or processors()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="embed")

    def run(self, work: Callable[[Sequence[int]], None], tasks: Sequence[Sequence[int]]) -> None:
        """Call `work` with each task and wait for the results. A single task runs in the calling thread."""
        if len(tasks) == 1:
            work(tasks[0])
        else:
            list(self._pool.map(work, tasks))


def last_states(session: ort.InferenceSession, ids: Sequence[Sequence[int]]) -> Vectors:
    """Return the states of the model's last layer for n texts of k token ids each, shape (n, k, 384)."""
    tokens = np.array(ids, dtype=np.int64)
    inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
    states: Vectors = np.asarray(session.run(None, inputs)[0], dtype=np.float32)
    return states


def unit_vector(vector: Vectors) -> Vectors:
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
