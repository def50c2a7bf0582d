"""Embedder that calls an OpenAI-compatible endpoint, such as OpenAI, vLLM, Ollama or llama.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from overstory.embed.files import fingerprint_of
from overstory.endpoints import (
    REQUEST_RETRIES,
    REQUEST_SECONDS,
    cause_without_key,
    cleaned,
    redirect_elsewhere,
    without_secrets,
)
from overstory.errors import ModelError, install_command
from overstory.model.passage_text import TEMPLATE
from overstory.protocols import Vectors
from overstory.settings import EmbeddingSettings
from overstory.surrogates import is_key, well_formed

if TYPE_CHECKING:
    from openai import OpenAI

OPENAI = "https://api.openai.com/v1"
MODEL = "text-embedding-3-small"

_EMBEDDING_ENDPOINT_TOKEN_LIMIT = 512
"""Maximum number of tokens in a passage, as counted by `count_tokens`. Retrieval is worse if passages are longer."""
_BYTES_A_TOKEN = 3
"""Assumed number of bytes per token, because the endpoint's tokenizer is unknown. English has four to five bytes per
token, Chinese has three."""
_LONGEST_EMBEDDED_BYTES = 8_000
"""Maximum number of bytes of a text in a request. Common models accept at most 8,191 tokens."""

_EMBEDDED_TEXTS_A_REQUEST = 64
_EMBEDDING_REQUESTS_AT_ONCE = 4
_EMBEDDING_ENDPOINT_VERSION = 1


class OpenAiEmbedder:
    """Converts texts to unit vectors with a model at `settings.base_url`, by default at OpenAI.

    The embedder is safe to use from several threads. Nothing is sent before the first text is embedded or `dimension`
    is read. The fingerprint depends on the endpoint's address and the model's name. If the endpoint changes the model
    behind that name, this is noticed only if the length of the vectors changes. The vector of a text may vary slightly
    from batch to batch, depending on the endpoint.
    """

    def __init__(self, settings: EmbeddingSettings) -> None:
        self.token_limit = _EMBEDDING_ENDPOINT_TOKEN_LIMIT
        self._model = settings.model or MODEL
        self._key = settings.api_key or ""
        self._client, self._address = _client(settings)
        self.fingerprint = fingerprint_of(
            f"openai:{self._model}",
            self._address,
            self._model,
            _LONGEST_EMBEDDED_BYTES,
            _EMBEDDING_ENDPOINT_TOKEN_LIMIT,
            TEMPLATE,
            _EMBEDDING_ENDPOINT_VERSION,
        )
        self._dimension = 0
        self._pool = ThreadPoolExecutor(_EMBEDDING_REQUESTS_AT_ONCE, thread_name_prefix="embeddings")

    def __repr__(self) -> str:
        return f"OpenAiEmbedder(model={self._model!r}, base_url={self._address!r})"

    @property
    def dimension(self) -> int:
        """Number of components in a vector. If it is still unknown, a request is sent to find out."""
        if not self._dimension:
            self.embed(["dimension"])
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of n texts as a float32 array of shape (n, dimension).

        Texts are truncated to 8,000 bytes.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        batches = [
            [_sent(text) for text in texts[i : i + _EMBEDDED_TEXTS_A_REQUEST]]
            for i in range(0, len(texts), _EMBEDDED_TEXTS_A_REQUEST)
        ]
        return np.concatenate(list(self._pool.map(self._ask, batches)))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return a high estimate of the number of tokens in each text: one token per three bytes."""
        return [-(-len(well_formed(text).encode()) // _BYTES_A_TOKEN) for text in texts]

    def _ask(self, batch: list[str]) -> Vectors:
        import openai

        try:
            answer = self._client.embeddings.create(model=self._model, input=batch, encoding_format="float")
        except openai.OpenAIError as error:
            raise self._explained(error) from cause_without_key(error, self._key)
        # The client raises ValueError if the response has no data or is not JSON, and RecursionError if the JSON is
        # nested too deeply.
        except (ValueError, RecursionError) as error:
            raise self._unusable(cleaned(str(error), self._key)) from cause_without_key(error, self._key)
        return self._checked(answer, len(batch))

    def _checked(self, answer: object, wanted: int) -> Vectors:
        """Return the vectors in a response, after validating it, because the client does not validate types.

        Args:
            wanted: number of texts in the request.
        """
        try:
            rows = {int(row.index): row.embedding for row in answer.data}  # type: ignore[attr-defined]
            vectors = np.array([rows[i] for i in range(wanted)], dtype=np.float64)
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise self._unusable(f"it does not contain {wanted} vectors of equal length") from error
        if vectors.ndim != 2 or len(rows) != wanted or vectors.shape[1] == 0:
            raise self._unusable(f"it does not contain {wanted} vectors of equal length")
        self._dimension = self._dimension or vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise self._unusable(
                f"its vectors have {vectors.shape[1]} numbers; earlier responses had {self._dimension}"
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and lengths.all()):
            raise self._unusable("a vector is zero or contains infinite or NaN values")
        unit: Vectors = (vectors / lengths).astype(np.float32)
        return unit

    def _explained(self, error: Exception) -> ModelError:
        """Convert an error of the openai client to a `ModelError`.

        The API key is masked, because some endpoints repeat it in their error messages.
        """
        import openai

        if isinstance(error.__cause__, ModelError):  # raised by `refuse_redirect` and wrapped by older clients
            return error.__cause__
        message = cleaned(str(error), self._key)
        if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
            remedy = "Set OVERSTORY_EMBEDDING_API_KEY to a key that may use this model."
        elif isinstance(error, openai.NotFoundError | openai.BadRequestError):
            remedy = "Check OVERSTORY_EMBEDDING_MODEL and OVERSTORY_EMBEDDING_BASE_URL (which often ends in /v1)."
        elif isinstance(error, openai.RateLimitError):
            remedy = "Wait, or raise the quota. Vectors so far are kept: run the same command to continue."
        else:
            remedy = (
                "Check that the endpoint is running and OVERSTORY_EMBEDDING_BASE_URL is its address; then try again."
            )
        return ModelError(f"The request for embeddings to {self._address} failed: {message}", remedy=remedy)

    def _unusable(self, why: str) -> ModelError:
        return ModelError(
            f"The response of {self._address} cannot be used: {why}.",
            remedy="Check that OVERSTORY_EMBEDDING_MODEL names an embedding model of this endpoint.",
        )


def _client(settings: EmbeddingSettings) -> tuple[OpenAI, str]:
    """Return a client for the endpoint, and the endpoint's address without secrets, for messages."""
    try:
        from openai import DefaultHttpxClient, OpenAI
    except ImportError as error:
        raise ModelError("The embedder 'openai' needs the openai package.", remedy=install_command("openai")) from error
    base_url = settings.base_url or OPENAI
    parts = urlsplit(base_url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ModelError(
            "The address of the embedding endpoint is not an HTTP address.",
            remedy="Set OVERSTORY_EMBEDDING_BASE_URL to something like http://localhost:11434/v1.",
        )
    if not settings.api_key and not settings.base_url:
        raise ModelError(
            "The embedder 'openai' has no API key.",
            remedy="Set OVERSTORY_EMBEDDING_API_KEY, or OVERSTORY_EMBEDDING_BASE_URL for an endpoint without keys.",
        )
    if settings.api_key and not is_key(settings.api_key):
        raise ModelError(
            "The API key of the embedding endpoint contains a line break or another invalid character.",
            remedy="Check OVERSTORY_EMBEDDING_API_KEY, or the first line of the file in"
            " OVERSTORY_EMBEDDING_API_KEY_FILE.",
        )
    address = without_secrets(parts)

    def refuse_redirect(response: Any) -> None:  # newer clients pass a response that is not from httpx
        if elsewhere := redirect_elsewhere(response):
            raise ModelError(
                f"{address} redirects to {cleaned(elsewhere, settings.api_key)}, another address."
                " No text was sent there.",
                remedy="If you trust that address, set OVERSTORY_EMBEDDING_BASE_URL to it.",
            )

    client = OpenAI(
        api_key=settings.api_key or "none",
        base_url=base_url,
        timeout=REQUEST_SECONDS,
        max_retries=REQUEST_RETRIES,
        http_client=DefaultHttpxClient(event_hooks={"response": [refuse_redirect]}),
    )
    return client, address


def _sent(text: str) -> str:
    """Return a text truncated to `_LONGEST_EMBEDDED_BYTES`. Blank texts become ".", because endpoints reject them."""
    cut = well_formed(text).encode()[:_LONGEST_EMBEDDED_BYTES].decode(errors="ignore")
    return cut if cut.strip() else "."
