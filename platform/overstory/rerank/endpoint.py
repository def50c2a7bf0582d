"""Reranker that calls an endpoint with the rerank API of Cohere and Jina. llama.cpp, vLLM and Infinity offer it, too.

The request is `POST …/rerank` with the fields `model`, `query`, `documents` and `top_n`. The response contains
`results` in any order. Each result has the `index` of a document and a `relevance_score`.
"""

from __future__ import annotations

import datetime
import math
import random
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx

from overstory.cancellation import check
from overstory.endpoints import (
    CONNECT_SECONDS,
    REQUEST_RETRIES,
    REQUEST_SECONDS,
    Backoff,
    cleaned,
    redirect_elsewhere,
    retry_after,
    without_secrets,
)
from overstory.errors import ModelError
from overstory.settings import RerankSettings
from overstory.structured_text import parse_json
from overstory.surrogates import is_key, well_formed

_LONGEST_RERANKED_BYTES = 8_000
"""Maximum number of bytes sent of a passage or a question. Most models truncate texts at 512 tokens anyway."""
_RERANKED_PASSAGES_A_REQUEST = 100
"""Maximum number of passages per request. Cohere accepts 1,000."""
_MOST_RESPONSE_BYTES = 16_000_000
"""Maximum number of bytes in a response. The limit is generous, because some endpoints also return the passages."""
PASSING = frozenset({408, 409, 425, 429})
"""HTTP status codes below 500 after which a request is retried."""


class EndpointReranker:
    """Reranker that uses the model at `settings.base_url`. It is safe to use from several threads.

    Creating the reranker sends no request. The scale of the scores depends on the model: Cohere and Jina return numbers
    from 0 to 1, llama.cpp returns logits. The model receives at most `_RERANKED_PASSAGES_A_REQUEST` passages at a time,
    which matters if it compares passages with each other.

    The API is documented at docs.cohere.com/v2/reference/rerank and jina.ai/reranker.
    """

    def __init__(
        self, settings: RerankSettings, *, backoff: Backoff | None = None, seconds: float = REQUEST_SECONDS
    ) -> None:
        self._url, self._address = _url(settings)
        if settings.api_key and not is_key(settings.api_key):
            raise ModelError(
                "The key of the rerank endpoint contains a line break or another invalid character.",
                remedy="Check OVERSTORY_RERANK_API_KEY, or the first line of the file in"
                " OVERSTORY_RERANK_API_KEY_FILE.",
            )
        self.name = settings.model or self._address
        self._model = settings.model
        self._key = settings.api_key or ""
        self._seconds = seconds
        self._backoff = backoff or Backoff(retries=REQUEST_RETRIES)
        self._client = httpx.Client(
            # Compression is disabled: the size limit counts received bytes, which could expand to any size.
            headers={"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {}),
            timeout=httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
            follow_redirects=True,
            event_hooks={"response": [_refusing_redirects(self._address, self._key)]},
        )
        weakref.finalize(self, self._client.close)

    def __repr__(self) -> str:
        return f"EndpointReranker(model={self._model!r}, base_url={self._address!r})"

    def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return the relevance of each passage to the question, in the order of the passages.

        Texts are truncated to 8,000 bytes.
        """
        texts, scores = [_sent(passage) for passage in passages], list[float]()
        for first in range(0, len(texts), _RERANKED_PASSAGES_A_REQUEST):
            batch = texts[first : first + _RERANKED_PASSAGES_A_REQUEST]
            body: dict[str, object] = {"query": _sent(question), "documents": batch, "top_n": len(batch)}
            answer = self._ask(body | ({"model": self._model} if self._model else {}))
            scores += self._checked(answer, len(batch))
        return scores

    def _ask(self, body: dict[str, object]) -> Any:  # returns JSON, which `_checked` validates
        retry = 0
        while True:
            check()
            try:
                return self._answer(body)
            except _Passing as failure:
                retry += 1
                pause = self._backoff.pause(retry, asked=failure.asked, chance=random.random())  # noqa: S311 # no secret
                if pause is None:
                    raise self._failed(failure.reason, status=failure.status) from None
                time.sleep(pause)

    def _answer(self, body: dict[str, object]) -> Any:  # returns JSON
        try:
            with self._client.stream("POST", self._url, json=body) as response:
                content = self._read(response)
        except httpx.ReadTimeout:
            raise self._slow() from None
        except httpx.HTTPError as error:
            raise _Passing(f"{type(error).__name__}: {error}") from error
        text = content.decode(errors="replace")
        if response.status_code in PASSING or response.status_code >= 500:
            asked = retry_after(response.headers, datetime.datetime.now(datetime.UTC))
            raise _Passing(text, status=response.status_code, asked=asked)
        if not response.is_success:
            raise self._failed(text, status=response.status_code)
        try:
            return parse_json(text)
        except ValueError:
            raise self._unusable("it is not JSON") from None

    def _read(self, response: httpx.Response) -> bytes:
        content, until = bytearray(), time.monotonic() + self._seconds
        for part in response.iter_raw():
            content += part
            if len(content) > _MOST_RESPONSE_BYTES:
                raise self._unusable(f"it is longer than {_MOST_RESPONSE_BYTES // 1_000_000} MB")
            if time.monotonic() > until:
                raise self._slow()
        return bytes(content)

    def _checked(self, answer: Any, wanted: int) -> list[float]:  # `answer` can be any JSON
        """Return the scores in a response, in the order of the passages.

        Raises:
            ModelError: The response does not contain exactly one finite score for each passage.
        """
        try:
            rows = [(row["index"], row["relevance_score"]) for row in answer["results"]]
        except (KeyError, TypeError):
            raise self._unusable("it has no results with index and relevance_score") from None
        scores: dict[int, float] = {}
        for index, score in rows:
            if type(index) is not int or not 0 <= index < wanted:
                raise self._unusable(
                    f"it has a score for index {str(index)[:20]}, but the indexes are 0 to {wanted - 1}"
                )
            if index in scores:
                raise self._unusable(f"it has two scores for passage {index}")
            if type(score) not in (int, float) or not -math.inf < score < math.inf:
                raise self._unusable(f"the score of passage {index} is not a finite number")
            scores[index] = float(min(max(score, -1e300), 1e300))  # clamped, because an integer may exceed any float
        if len(scores) != wanted:
            raise self._unusable(f"it has scores for {len(scores)} of {wanted} passages")
        return [scores[index] for index in range(wanted)]

    def _failed(self, reason: str, *, status: int) -> ModelError:
        """Return the error for a failed request.

        The API key is masked, because some endpoints repeat it in their error messages.
        """
        if status in (401, 403):
            remedy = "Set OVERSTORY_RERANK_API_KEY to a key that may use this model."
        elif status == 429:
            remedy = "Wait, or raise the quota."
        elif 400 <= status < 500:
            remedy = "Check OVERSTORY_RERANK_MODEL and OVERSTORY_RERANK_BASE_URL (which often ends in /v1 or /v2)."
        else:
            remedy = "Check that the endpoint is running and OVERSTORY_RERANK_BASE_URL is its address; then try again."
        shown = f"{status} {reason}" if status else reason
        return ModelError(
            f"{self._address} did not rerank: {cleaned(shown, self._key)}", remedy=f"{remedy} Or turn off reranking."
        )

    def _slow(self) -> ModelError:
        """Return the error for a timeout. Such a request is not retried: the endpoint may still be working on it."""
        return ModelError(
            f"{self._address} did not rerank within {self._seconds:g} seconds.",
            remedy="Set OVERSTORY_RERANK_PASSAGES to fewer passages, or use a faster model. Or turn off reranking.",
        )

    def _unusable(self, why: str) -> ModelError:
        return ModelError(
            f"The response of {self._address} cannot be used: {cleaned(why, self._key)}.",
            remedy="Check that OVERSTORY_RERANK_MODEL names a rerank model of this endpoint. Or turn off reranking.",
        )


class _Passing(Exception):
    """A failure after which the request is retried.

    Attributes:
        status: HTTP status code; 0 if there was no response.
        asked: seconds to wait according to the response's Retry-After header; None if it has none.
    """

    def __init__(self, reason: str, *, status: int = 0, asked: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.status, self.asked = reason, status, asked


def _refusing_redirects(address: str, key: str) -> Callable[[httpx.Response], None]:
    def refuse(response: httpx.Response) -> None:
        if elsewhere := redirect_elsewhere(response):
            raise ModelError(
                f"{address} redirects to another address, {cleaned(elsewhere, key)}. No text was sent there.",
                remedy="If you trust that address, set OVERSTORY_RERANK_BASE_URL to it.",
            )

    return refuse


def _url(settings: RerankSettings) -> tuple[str, str]:
    """Return the URL to which requests are sent, and the address without secrets that messages show."""
    try:
        parts = urlsplit(settings.base_url or "")
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        url = parts._replace(path=f"{parts.path.rstrip('/').removesuffix('/rerank')}/rerank").geturl()
        httpx.URL(url)
    except (ValueError, httpx.InvalidURL):
        usable, url = False, ""
    if not usable:
        raise ModelError(
            "The address of the rerank endpoint is missing or not an HTTP address.",
            remedy="Set OVERSTORY_RERANK_BASE_URL to something like http://localhost:8080/v1,"
            " https://api.cohere.com/v2 or https://api.jina.ai/v1.",
        )
    return url, without_secrets(urlsplit(settings.base_url or ""))


def _sent(text: str) -> str:
    """Return a text truncated to `_LONGEST_RERANKED_BYTES`. Blank texts become ".", because endpoints reject them."""
    cut = well_formed(text).encode()[:_LONGEST_RERANKED_BYTES].decode(errors="ignore")
    return cut if cut.strip() else "."
