from __future__ import annotations

import logging
from collections.abc import Iterator

import numpy as np
import pytest
from tests.embeddings_endpoint import DIMENSION, Answer, Endpoint, good, running_endpoint, saying, vector_of

from overstory.embed import make_embedder
from overstory.errors import ModelError
from overstory.protocols import Embedder
from overstory.settings import EmbeddingSettings

KEY = "sk-very-secret"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with running_endpoint() as endpoint:
        yield endpoint


def made(endpoint: Endpoint, *, key: str | None = KEY) -> Embedder:
    return make_embedder(EmbeddingSettings("openai", model="m", base_url=endpoint.url, api_key=key))


def test_vectors_come_in_the_order_of_the_texts_and_are_made_unit(endpoint: Endpoint) -> None:
    [vector, _] = made(endpoint).embed(["a", "b"])
    expected = np.array(vector_of("a")) / np.linalg.norm(vector_of("a"))
    assert vector == pytest.approx(expected, abs=1e-6)


def test_the_dimension_is_learned_when_it_is_first_needed(endpoint: Endpoint) -> None:
    embedder = made(endpoint)
    assert endpoint.requests == []
    assert embedder.dimension == DIMENSION
    assert len(endpoint.requests) == 1


def test_many_texts_go_in_batches(endpoint: Endpoint) -> None:
    vectors = made(endpoint).embed([str(i) for i in range(150)])
    assert vectors.shape == (150, DIMENSION)
    assert sorted(len(request["input"]) for request in endpoint.requests) == [22, 64, 64]
    assert {request["model"] for request in endpoint.requests} == {"m"}


def test_a_long_text_is_cut_and_an_empty_one_is_not_sent_empty(endpoint: Endpoint) -> None:
    made(endpoint).embed(["ü" * 100_000, "", " \n"])
    [request] = endpoint.requests
    assert [len(text) for text in request["input"]] == [4_000, 1, 1]


def test_an_endpoint_without_keys_needs_none(endpoint: Endpoint) -> None:
    assert made(endpoint, key=None).embed(["a"]).shape == (1, DIMENSION)
    assert KEY not in endpoint.keys[0]


def test_a_passing_failure_is_tried_again(endpoint: Endpoint) -> None:
    endpoint.answers = [saying(503, {"error": {"message": "busy"}})]
    assert made(endpoint).embed(["a"]).shape == (1, DIMENSION)
    assert len(endpoint.requests) == 2


def _with_vectors(*vectors: object) -> Answer:
    data = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)]
    return saying(200, {"object": "list", "model": "m", "data": data})


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (_with_vectors([1.0] * 8), "does not contain 2 vectors"),
        (_with_vectors([1.0] * 8, [1.0] * 8, [1.0] * 8), "does not contain 2 vectors"),
        (_with_vectors([1.0] * 8, [1.0] * 7), "does not contain 2 vectors of equal length"),
        (_with_vectors([1.0] * 8, None), "does not contain 2 vectors"),
        (_with_vectors([1.0] * 8, ["x"] * 8), "does not contain 2 vectors"),
        (_with_vectors([], []), "does not contain 2 vectors"),
        (_with_vectors([1.0] * 8, [0.0] * 8), "zero or contains infinite or NaN"),
        (_with_vectors([1.0] * 8, [float("nan")] * 8), "zero or contains infinite or NaN"),
        (saying(200, {"object": "list", "data": []}), "cannot be used"),
        (saying(200, {"hello": "world"}), "cannot be used"),
        (saying(200, "<html>Welcome</html>"), "cannot be used"),
        (saying(200, b"[" * 200_000), "cannot be used"),
    ],
)
def test_an_answer_that_is_none_is_refused(endpoint: Endpoint, answer: Answer, said: str) -> None:
    endpoint.answers = [answer]
    with pytest.raises(ModelError, match=said):
        made(endpoint).embed(["a", "b"])


def test_vectors_of_another_length_than_before_are_refused(endpoint: Endpoint) -> None:
    endpoint.answers = [good, _with_vectors([1.0] * 5)]
    embedder = made(endpoint)
    embedder.embed(["a"])
    with pytest.raises(ModelError, match="have 5 numbers; earlier responses had 8"):
        embedder.embed(["b"])


def test_a_refused_key_is_not_shown(endpoint: Endpoint, caplog: pytest.LogCaptureFixture) -> None:
    endpoint.answers = [saying(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}})]
    embedder = made(endpoint)
    with (
        caplog.at_level(logging.DEBUG),
        pytest.raises(ModelError, match=r"Incorrect API key provided: \*\*\*") as caught,
    ):
        embedder.embed(["a"])
    assert "OVERSTORY_EMBEDDING_API_KEY" in caught.value.remedy
    assert KEY not in repr(embedder)
    assert f"Bearer {KEY}" not in caplog.text


def test_an_error_of_an_endpoint_comes_without_terminal_escapes(endpoint: Endpoint) -> None:
    endpoint.answers = [saying(400, {"error": {"message": "\x1b]0;owned\x07such"}})]
    with pytest.raises(ModelError, match=r"embeddings to .* failed: .*\]0;ownedsuch") as caught:
        made(endpoint).embed(["a"])
    assert "\x1b" not in str(caught.value)


def test_texts_are_not_sent_to_the_address_of_a_redirect(endpoint: Endpoint) -> None:
    with running_endpoint() as elsewhere:
        endpoint.answers, endpoint.elsewhere = [saying(307, {})], f"{elsewhere.url}/embeddings"
        with pytest.raises(ModelError, match=r"redirects to .*, another address") as caught:
            made(endpoint).embed(["a"])
        assert elsewhere.requests == []
    assert endpoint.url in str(caught.value)
    assert elsewhere.url in str(caught.value)
    assert "OVERSTORY_EMBEDDING_BASE_URL" in caught.value.remedy


def test_an_unknown_model_points_at_the_settings(endpoint: Endpoint) -> None:
    endpoint.answers = [saying(404, {"error": {"message": "no such model"}})]
    with pytest.raises(ModelError, match="no such model") as caught:
        made(endpoint).embed(["a"])
    assert "OVERSTORY_EMBEDDING_MODEL" in caught.value.remedy


@pytest.mark.parametrize(
    ("base_url", "key", "said"),
    [
        (None, None, "has no API key"),
        ("localhost:11434", None, "not an HTTP address"),
        ("file:///tmp", None, "not an HTTP address"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_once(base_url: str | None, key: str | None, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        make_embedder(EmbeddingSettings("openai", base_url=base_url, api_key=key))


def test_the_fingerprint_depends_on_model_and_address_but_not_on_the_key() -> None:
    def fingerprint(model: str = "m", url: str = "http://user:word@host/v1", key: str = "k") -> str:
        return make_embedder(EmbeddingSettings("openai", model, url, key)).fingerprint

    assert fingerprint() == fingerprint(key="other") == fingerprint(url="http://host/v1")
    assert len({fingerprint(), fingerprint(model="n"), fingerprint(url="http://other/v1")}) == 3
