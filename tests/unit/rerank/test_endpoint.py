from __future__ import annotations

import gc
import logging
import socket
import threading
import weakref
from collections.abc import Iterator
from contextlib import suppress

import pytest
from tests.embeddings_endpoint import Answer, Endpoint, running_endpoint, saying

from overstory.endpoints import Backoff
from overstory.errors import ModelError
from overstory.rerank import endpoint as rerank_endpoint
from overstory.rerank.endpoint import EndpointReranker
from overstory.settings import RerankSettings

KEY = "sk-very-secret"
AT_ONCE = Backoff(retries=2, first=0.0)
QUESTION = "Who wrote Dracula?"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with running_endpoint() as endpoint:
        yield endpoint


def made(endpoint: Endpoint, *, key: str | None = KEY, path: str = "") -> EndpointReranker:
    settings = RerankSettings("endpoint", model="m", base_url=endpoint.url + path, api_key=key)
    return EndpointReranker(settings, backoff=AT_ONCE)


def results(*rows: tuple[object, object]) -> Answer:
    return saying(200, {"results": [{"index": i, "relevance_score": score} for i, score in rows]})


def test_scores_come_in_the_order_of_the_passages(endpoint: Endpoint) -> None:
    scores = made(endpoint).rerank(QUESTION, ["Bread is cheap.", "Stoker wrote Dracula.", "Dracula is a novel."])
    assert scores == pytest.approx([0.0, 2 / 3, 1 / 3])
    [request] = endpoint.requests
    assert (request["model"], request["query"], request["top_n"]) == ("m", QUESTION, 3)
    assert endpoint.keys == [f"Bearer {KEY}"]


def test_an_address_that_ends_in_rerank_is_taken_as_it_is(endpoint: Endpoint) -> None:
    assert made(endpoint, path="/rerank").rerank(QUESTION, ["Dracula"]) == pytest.approx([1 / 3])


def test_without_passages_nothing_is_sent(endpoint: Endpoint) -> None:
    assert made(endpoint).rerank(QUESTION, []) == []
    assert endpoint.requests == []


def test_many_passages_go_in_batches(endpoint: Endpoint) -> None:
    scores = made(endpoint).rerank(QUESTION, ["Dracula" if i == 205 else "Bread" for i in range(230)])
    assert [i for i, score in enumerate(scores) if score > 0.0] == [205]
    assert [len(request["documents"]) for request in endpoint.requests] == [100, 100, 30]


def test_a_long_text_is_cut_and_an_empty_one_is_not_sent_empty(endpoint: Endpoint) -> None:
    made(endpoint).rerank("ü" * 100_000, ["ü" * 100_000, "", " \n", "\ud800"])
    [request] = endpoint.requests
    assert len(request["query"]) == 4_000
    assert [len(text) for text in request["documents"]] == [4_000, 1, 1, 1]


def test_without_key_and_model_neither_is_sent(endpoint: Endpoint) -> None:
    EndpointReranker(RerankSettings("endpoint", base_url=endpoint.url)).rerank(QUESTION, ["a"])
    assert endpoint.keys == [""]
    assert "model" not in endpoint.requests[0]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_tried_again(endpoint: Endpoint, status: int) -> None:
    endpoint.answers = [saying(status, {"message": "busy"})]
    assert made(endpoint).rerank(QUESTION, ["Dracula"]) == pytest.approx([1 / 3])
    assert len(endpoint.requests) == 2


def test_a_failure_that_stays_is_told_after_the_retries(endpoint: Endpoint) -> None:
    endpoint.answers = [saying(503, {"message": "busy"})] * 3
    with pytest.raises(ModelError, match=r"did not rerank: 503 .*busy") as caught:
        made(endpoint).rerank(QUESTION, ["a"])
    assert len(endpoint.requests) == 3
    assert "Or turn off reranking" in caught.value.remedy


def test_an_endpoint_that_is_not_there_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    reranker = EndpointReranker(RerankSettings("endpoint", base_url=f"http://127.0.0.1:{port}/v1"), backoff=AT_ONCE)
    with pytest.raises(ModelError, match="did not rerank: ConnectError") as caught:
        reranker.rerank(QUESTION, ["a"])
    assert "Check that the endpoint is running" in caught.value.remedy


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"], ids=["hung", "dribbling"])
def test_a_response_that_does_not_end_is_given_up(sent: bytes) -> None:
    over = threading.Event()

    def serve(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):  # the client hangs up
            connection.sendall(sent)
            while not over.wait(0.02):
                connection.sendall(b" " if sent else b"")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=[listening])
        thread.start()
        settings = RerankSettings("endpoint", base_url=f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
        try:
            with pytest.raises(ModelError, match=r"did not rerank within 0\.3 seconds") as caught:
                EndpointReranker(settings, seconds=0.3).rerank(QUESTION, ["a"])
        finally:
            over.set()
            thread.join()
    assert "OVERSTORY_RERANK_PASSAGES" in caught.value.remedy


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (results((0, 0.5)), "has scores for 1 of 2 passages"),
        (results((0, 0.5), (1, 0.5), (2, 0.5)), "score for index 2, but"),
        (results((0, 0.5), (-1, 0.5)), "score for index -1, but"),
        (results((0, 0.5), (0, 0.5)), "two scores for passage 0"),
        (results((0, 0.5), ("1", 0.5)), "score for index 1, but"),
        (results((0, 0.5), (True, 0.5)), "score for index True, but"),
        (results((0, 0.5), (1, float("nan"))), "passage 1 is not a finite number"),
        (results((0, 0.5), (1, float("inf"))), "passage 1 is not a finite number"),
        (results((0, 0.5), (1, None)), "passage 1 is not a finite number"),
        (results((0, 0.5), (1, "high")), "passage 1 is not a finite number"),
        (saying(200, {"results": [{"index": 0}, {"index": 1}]}), "no results with index"),
        (saying(200, {"results": None}), "no results with index"),
        (saying(200, [{"index": 0, "score": 0.5}]), "no results with index"),
        (saying(200, {"hello": "world"}), "no results with index"),
        (saying(200, "<html>Welcome</html>"), "it is not JSON"),
        (saying(200, b"[" * 200_000), "it is not JSON"),
        (saying(200, b" " * (rerank_endpoint._MOST_RESPONSE_BYTES + 1)), "longer than 16 MB"),
    ],
)
def test_an_answer_that_is_none_is_refused(endpoint: Endpoint, answer: Answer, said: str) -> None:
    endpoint.answers = [answer]
    with pytest.raises(ModelError, match=said):
        made(endpoint).rerank(QUESTION, ["a", "b"])
    assert len(endpoint.requests) == 1  # it would be the same again


def test_logits_and_numbers_larger_than_any_float_keep_their_order(endpoint: Endpoint) -> None:
    endpoint.answers = [results((0, -7.5), (1, 10**400), (2, 3))]
    low, high, middle = made(endpoint).rerank(QUESTION, ["a", "b", "c"])
    assert low < middle < high < float("inf")


def test_a_refused_key_is_not_shown(endpoint: Endpoint, caplog: pytest.LogCaptureFixture) -> None:
    endpoint.answers = [saying(401, {"message": f"invalid api token: {KEY}"})]
    reranker = made(endpoint)
    with caplog.at_level(logging.DEBUG), pytest.raises(ModelError, match=r"invalid api token: \*\*\*") as caught:
        reranker.rerank(QUESTION, ["a"])
    assert "OVERSTORY_RERANK_API_KEY" in caught.value.remedy
    assert KEY not in repr(reranker)
    assert KEY not in caplog.text
    assert len(endpoint.requests) == 1


def test_an_error_of_an_endpoint_comes_without_terminal_escapes(endpoint: Endpoint) -> None:
    endpoint.answers = [saying(400, b"\x1b]0;owned\x07such")]
    with pytest.raises(ModelError, match=r"400 \]0;ownedsuch") as caught:
        made(endpoint).rerank(QUESTION, ["a"])
    assert "\x1b" not in str(caught.value)
    assert "OVERSTORY_RERANK_MODEL" in caught.value.remedy


def test_texts_are_not_sent_to_the_address_of_a_redirect(endpoint: Endpoint) -> None:
    with running_endpoint() as elsewhere:
        endpoint.answers, endpoint.elsewhere = [saying(307, {})], f"{elsewhere.url}/rerank"
        with pytest.raises(ModelError, match=r"redirects to another address") as caught:
            made(endpoint).rerank(QUESTION, ["a"])
        assert elsewhere.requests == []
    assert elsewhere.url in str(caught.value)
    assert "OVERSTORY_RERANK_BASE_URL" in caught.value.remedy


def test_a_redirect_within_the_address_is_followed(endpoint: Endpoint) -> None:
    endpoint.answers, endpoint.elsewhere = [saying(307, {})], f"{endpoint.url}/rerank"
    assert made(endpoint).rerank(QUESTION, ["Dracula"]) == pytest.approx([1 / 3])


@pytest.mark.parametrize(
    ("base_url", "key", "said"),
    [
        (None, None, "address of the rerank endpoint is missing"),
        ("localhost:8080", None, "not an HTTP address"),
        ("file:///tmp", None, "not an HTTP address"),
        ("http://host:port/v1", None, "not an HTTP address"),
        ("http://host/v1", "two\nlines", "contains a line break"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_once(base_url: str | None, key: str | None, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        EndpointReranker(RerankSettings("endpoint", base_url=base_url, api_key=key))


def test_user_and_password_of_an_address_are_not_shown() -> None:
    reranker = EndpointReranker(RerankSettings("endpoint", base_url="http://user:word@host/v1?token=t"))
    assert (reranker.name, repr(reranker)) == (
        "http://host/v1",
        "EndpointReranker(model=None, base_url='http://host/v1')",
    )


def test_one_that_nobody_uses_is_forgotten_with_its_connections(endpoint: Endpoint) -> None:
    reranker = made(endpoint)
    reranker.rerank(QUESTION, ["a"])
    forgotten = weakref.ref(reranker)
    del reranker
    gc.collect()
    assert forgotten() is None
