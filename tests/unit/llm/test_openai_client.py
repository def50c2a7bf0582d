"""The client against a server on this machine that fails in every way that is in the fault table of docs/llm.md."""

from __future__ import annotations

import gc
import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.chat_endpoint import (
    Act,
    Endpoint,
    Handler,
    broken_json,
    completion,
    dribbling,
    failing,
    half,
    hanging_up,
    hung,
    nested_json,
    running_chat_endpoint,
    saying,
    sending,
)

from overstory.endpoints import Backoff
from overstory.errors import (
    AnswerUnusable,
    LlmBusy,
    LlmCancelled,
    LlmError,
    LlmRefused,
    LlmUnreachable,
    PromptTooLong,
)
from overstory.llm.openai_client import OpenAiChat
from overstory.model import Message, Usage
from overstory.settings import LlmSettings

KEY = "sk-very-secret"
ASKED = [Message("system", "Be short."), Message("user", "Where was he born?")]
SCHEMA = {"title": "City", "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}

Make = Callable[..., OpenAiChat]


@pytest.fixture
def made(endpoint: Endpoint) -> Iterator[Make]:
    """Makes a client of the endpoint that does not wait long."""
    chats: list[OpenAiChat] = []

    def make(**more: Any) -> OpenAiChat:
        values: dict[str, Any] = {"base_url": endpoint.url, "api_key": KEY, "model": "m", "seconds": 20.0} | more
        patience = values.pop("patience", 5.0)
        backoff = Backoff(retries=values.pop("retries", 3), first=0.01, longest=0.05, patience=patience)
        chats.append(OpenAiChat(LlmSettings("openai", **values), backoff=backoff))
        return chats[-1]

    yield make
    for chat in chats:
        chat.close()


def test_an_answer_comes_with_what_it_took(endpoint: Endpoint, made: Make) -> None:
    answer = made().complete(ASKED)
    assert (answer.text, answer.model, answer.usage) == ("Dublin", "m-2026", Usage(10, 2))
    assert not answer.truncated
    assert answer.retries == 0
    [request] = endpoint.requests
    assert request == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Where was he born?"},
        ],
        "max_tokens": 1_024,
        "temperature": 0.0,
    }
    assert endpoint.keys == [f"Bearer {KEY}"]


def test_a_schema_is_for_the_endpoint_to_enforce(endpoint: Endpoint, made: Make) -> None:
    made().complete(ASKED, SCHEMA, max_tokens=7)
    [request] = endpoint.requests
    assert request["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "City", "schema": SCHEMA, "strict": True},
    }
    assert request["max_tokens"] == 7


def test_an_endpoint_that_refuses_schemas_is_told_in_words_from_then_on(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [failing(400, "Unknown parameter: response_format")]
    chat = made()
    chat.complete(ASKED, SCHEMA)
    chat.complete([Message("user", "Where?")], SCHEMA)
    _, second, third = endpoint.requests
    assert "response_format" not in second
    assert '"title":"City"' in second["messages"][0]["content"]
    assert second["messages"][0]["content"].startswith("Be short.\n\n")
    assert [each["role"] for each in third["messages"]] == ["system", "user"]


def test_a_form_that_must_be_enforced_is_not_asked_for_in_words(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [failing(400, "Unknown parameter: response_format")]
    with pytest.raises(LlmRefused, match="response_format"):
        made(form="schema").complete(ASKED, SCHEMA)


def test_words_alone_are_used_where_they_are_wanted(endpoint: Endpoint, made: Make) -> None:
    made(form="prompt").complete(ASKED, SCHEMA)
    assert "response_format" not in endpoint.requests[0]


def test_a_model_of_another_dialect_is_spoken_to_in_it(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [
        failing(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", param="max_tokens"),
        failing(400, "Unsupported value: 'temperature' does not support 0.", param="temperature"),
    ]
    chat = made()
    chat.complete(ASKED)
    chat.complete(ASKED)
    assert [sorted(set(each) - {"messages", "model"}) for each in endpoint.requests] == [
        ["max_tokens", "temperature"],
        ["max_completion_tokens", "temperature"],
        ["max_completion_tokens"],
        ["max_completion_tokens"],
    ]


def test_requests_that_are_refused_together_all_learn(endpoint: Endpoint, made: Make) -> None:
    def old(handler: Handler, request: dict[str, Any]) -> None:
        time.sleep(0.05)
        (failing(400, "no response_format here") if "response_format" in request else saying())(handler, request)

    endpoint.then = old
    chat = made(at_once=4)
    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(chat.complete, ASKED, SCHEMA) for _ in range(8)]:
            assert done.result().retries == 0


def test_an_answer_cut_at_the_limit_says_so(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [saying("Dub", finish="length")]
    assert made().complete(ASKED).truncated


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None, "completion_tokens": 3}, "many"])
def test_what_an_endpoint_does_not_count_is_estimated(endpoint: Endpoint, made: Make, usage: object) -> None:
    endpoint.acts = [saying(usage=usage)]
    found = made().complete(ASKED).usage
    assert found.estimated
    assert found.prompt_tokens > 10
    assert found.completion_tokens == 3


def test_half_a_character_is_neither_sent_nor_taken(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [saying("a\ud800b")]
    assert made().complete([Message("user", "\udfff")]).text == "a\ufffdb"
    assert endpoint.requests[0]["messages"][0]["content"] == "\ufffd"


PASSING = {
    "429": failing(429, "slow down"),
    "500": failing(500),
    "503 of a proxy": sending(503, "<html>Service unavailable</html>"),
    "half an answer": half,
    "no answer": hanging_up,
}


@pytest.mark.parametrize("act", PASSING.values(), ids=PASSING)
def test_what_fails_in_passing_is_tried_again(endpoint: Endpoint, made: Make, act: Act) -> None:
    endpoint.acts = [act, act]
    answer = made().complete(ASKED)
    assert answer.text == "Dublin"
    assert answer.retries == 2
    assert len(endpoint.requests) == 3


LASTING = {
    "429": (failing(429, "slow down"), LlmBusy, r"failed \(429\): slow down"),
    "500": (failing(500, "oops"), LlmBusy, r"failed \(500\): oops"),
    "a page with 502": (sending(502, "<html>\nBad gateway</html>"), LlmBusy, r"\(502\): <html> Bad gateway</html>"),
    "half an answer": (half, LlmUnreachable, "connection to http://127.0.0.1:.* failed"),
    "no answer": (hanging_up, LlmUnreachable, "connection to .* failed"),
}


@pytest.mark.parametrize(("act", "kind", "said"), LASTING.values(), ids=LASTING)
def test_what_does_not_pass_is_an_error_after_the_last_retry(
    endpoint: Endpoint, made: Make, act: Act, kind: type[LlmError], said: str
) -> None:
    endpoint.acts = [act] * 3
    with pytest.raises(kind, match=said) as caught:
        made(retries=2).complete(ASKED)
    assert caught.value.remedy
    assert len(endpoint.requests) == 3


REFUSED = {
    "401": (failing(401, "who are you"), LlmRefused, "refused the key", "OVERSTORY_LLM_API_KEY"),
    "403": (failing(403), LlmRefused, "refused the key", "OVERSTORY_LLM_API_KEY"),
    "404": (failing(404, "no such model"), LlmRefused, "no such model", "OVERSTORY_LLM_MODEL"),
    "400": (failing(400, "bad"), LlmRefused, r"\(400\): bad", "OVERSTORY_LLM_BASE_URL"),
    "501": (failing(501), LlmRefused, "501", ""),
    "too long": (failing(400, "x", code="context_length_exceeded"), PromptTooLong, "context", "fewer or shorter"),
    "too long for llama.cpp": (
        failing(400, "request (9000 tokens) exceeds the available context size (4096 tokens)"),
        PromptTooLong,
        "9000 tokens",
        "",
    ),
    "no quota": (failing(429, "pay", code="insufficient_quota"), LlmBusy, "quota .* is used up", "Raise the quota"),
    "a web page": (sending(200, "<html>Welcome</html>"), AnswerUnusable, "not a chat completion", "/v1"),
    "other JSON": (sending(200, {"hello": "world"}), AnswerUnusable, "has no message", "/v1"),
    "an error that says 200": (sending(200, {"error": {"message": "oops"}}), AnswerUnusable, "oops", ""),
    "no choices": (sending(200, completion() | {"choices": []}), AnswerUnusable, "has no message", ""),
    "no text": (saying(["parts"]), AnswerUnusable, "text must be a string, got list", ""),
    "nested JSON": (nested_json, AnswerUnusable, "not a chat completion", "/v1"),
    "no JSON": (broken_json, AnswerUnusable, "not a chat completion", "/v1"),
    "content filter": (saying("", finish="content_filter"), LlmRefused, "content filter", "Rephrase"),
    "refusal": (
        sending(200, completion() | {"choices": [{"message": {"content": None, "refusal": "I won't."}}]}),
        LlmRefused,
        "I won't",
        "",
    ),
}


@pytest.mark.parametrize(("act", "kind", "said", "remedy"), REFUSED.values(), ids=REFUSED)
def test_what_would_fail_again_is_not_tried_again(
    endpoint: Endpoint, made: Make, act: Act, kind: type[LlmError], said: str, remedy: str
) -> None:
    endpoint.acts = [act]
    with pytest.raises(kind, match=said) as caught:
        made().complete(ASKED)
    assert remedy in caught.value.remedy
    assert len(endpoint.requests) == 1


def test_an_endpoint_that_asks_for_time_gets_it(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [failing(429, headers={"Retry-After": "1"})]
    began = time.monotonic()
    assert made().complete(ASKED).retries == 1
    assert time.monotonic() - began >= 1.0


def test_other_requests_wait_as_well_when_an_endpoint_asks_for_time(endpoint: Endpoint, made: Make) -> None:
    at: list[float] = []

    def noted(handler: Handler, request: dict[str, Any]) -> None:
        at.append(time.monotonic())
        saying()(handler, request)

    endpoint.acts = [failing(429, headers={"Retry-After": "2"}), noted, noted, noted]
    chat = made(at_once=2)
    began = time.monotonic()
    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(chat.complete, ASKED)
        while not endpoint.requests:
            time.sleep(0.005)
        time.sleep(1)  # until the client has heard it
        others = [threads.submit(chat.complete, ASKED) for _ in range(2)]
        assert all(done.result().text == "Dublin" for done in [first, *others])
    assert min(at) - began >= 2.0


def test_an_endpoint_that_asks_for_too_much_time_is_not_waited_for(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [failing(429, "tomorrow", {"Retry-After": "3600"})]
    with pytest.raises(LlmBusy, match="wait 3,600 seconds"):
        made().complete(ASKED)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("act", [hung, dribbling])
def test_time_is_up_for_a_hung_and_for_a_dribbling_endpoint_after_one_more_try(
    endpoint: Endpoint, made: Make, act: Act
) -> None:
    endpoint.acts = [act, act]
    with pytest.raises(LlmUnreachable, match=r"did not answer within 1 seconds") as caught:
        made(seconds=1).complete(ASKED)
    assert "OVERSTORY_LLM_SECONDS" in caught.value.remedy
    assert len(endpoint.requests) == 2


def test_nobody_there(endpoint: Endpoint, made: Make) -> None:
    chat = made(base_url="http://127.0.0.1:9/v1", retries=1)
    with pytest.raises(LlmUnreachable, match=r"The connection to http://127.0.0.1:9/v1 failed") as caught:
        chat.complete(ASKED)
    assert "OVERSTORY_LLM_BASE_URL" in caught.value.remedy


def test_a_request_is_ended_from_another_thread_and_the_endpoint_hears_of_it(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [hung]
    chat = made()
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(chat.complete, ASKED)
        assert endpoint.hanging.wait(60)
        chat.cancel()
        with pytest.raises(LlmCancelled):
            asked.result()
    assert endpoint.left.wait(60)
    assert chat.complete(ASKED).text == "Dublin"


def test_a_pause_is_ended_from_another_thread(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [failing(429, headers={"Retry-After": "4"})]
    chat = made()
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(chat.complete, ASKED)
        while not endpoint.requests:
            time.sleep(0.01)
        chat.cancel()
        with pytest.raises(LlmCancelled):
            asked.result()


def test_no_more_requests_are_under_way_than_allowed(endpoint: Endpoint, made: Make) -> None:
    three = threading.Barrier(3, timeout=60)

    def slow(handler: Handler, request: dict[str, Any]) -> None:
        three.wait()
        time.sleep(0.05)
        saying()(handler, request)

    endpoint.acts = [slow] * 12
    chat = made(at_once=3)
    with ThreadPoolExecutor(12) as threads:
        for done in [threads.submit(chat.complete, ASKED) for _ in range(12)]:
            done.result()
    assert endpoint.most_at_once == 3


def test_a_refused_key_is_not_shown_anywhere(endpoint: Endpoint, made: Make, caplog: pytest.LogCaptureFixture) -> None:
    endpoint.acts = [failing(401, f"Incorrect API key provided: {KEY}")]
    chat = made()
    with caplog.at_level(logging.DEBUG), pytest.raises(LlmRefused, match=r"provided: \*\*\*") as caught:
        chat.complete(ASKED)
    shown = "".join(traceback.format_exception(caught.value)) + caplog.text + repr(chat) + repr(chat.__dict__)
    assert f"Bearer {KEY}" not in shown
    assert KEY not in "".join(traceback.format_exception(caught.value)) + repr(chat)
    assert KEY not in repr(LlmSettings(api_key=KEY))


def test_a_key_in_an_answer_is_masked_before_anybody_sees_it(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [saying(f"Your key is Bearer {KEY}.", model=f"m-{KEY}\x1b[31m")]
    answer = made().complete(ASKED)
    assert (answer.text, answer.model) == ("Your key is Bearer ***.", "m-***[31m")


def test_an_error_of_an_endpoint_comes_without_terminal_escapes(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [failing(400, "\x1b[31m\x1b]0;owned\x07such")]
    with pytest.raises(LlmRefused, match=r"\[31m\]0;ownedsuch\n"):
        made().complete(ASKED)


def test_an_answer_longer_than_its_limit_allows_is_cut(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [saying("x" * 1_000)]
    answer = made(max_tokens=10).complete(ASKED)
    assert answer.text == "x" * 160
    assert answer.truncated


def test_a_response_that_does_not_end_is_not_read_to_its_end(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [saying("x" * 6_000_000)]
    with pytest.raises(AnswerUnusable, match="longer than 4 MB"):
        made(max_tokens=10).complete(ASKED)


def test_a_compressed_response_which_could_become_any_length_is_refused(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [sending(200, completion(), {"Content-Encoding": "gzip"})]
    with pytest.raises(AnswerUnusable, match="compressed"):
        made().complete(ASKED)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_to_another_address_is_not_followed(endpoint: Endpoint, made: Make, status: int) -> None:
    with running_chat_endpoint() as elsewhere:
        endpoint.acts = [sending(status, {}, {"Location": f"{elsewhere.url}/chat/completions?k=1"})]
        with pytest.raises(LlmRefused) as caught:
            made().complete(ASKED)
        assert elsewhere.requests == []
    assert endpoint.url in str(caught.value)
    assert f"redirects to {elsewhere.url}/chat/completions, another address" in str(caught.value)
    assert "OVERSTORY_LLM_BASE_URL" in caught.value.remedy


def test_a_redirect_within_the_address_is_followed(endpoint: Endpoint, made: Make) -> None:
    endpoint.acts = [sending(307, {}, {"Location": "/v1/chat/completions"})]
    assert made().complete(ASKED).text == "Dublin"


@pytest.mark.parametrize("count", [10**30, 10**7 + 1, -1, 1.5])
def test_a_count_that_cannot_be_right_is_estimated(endpoint: Endpoint, made: Make, count: float) -> None:
    endpoint.acts = [saying(usage={"prompt_tokens": count, "completion_tokens": 2})]
    found = made().complete(ASKED).usage
    assert found.estimated
    assert found.tokens < 100


def test_a_closed_client_can_be_used_again(endpoint: Endpoint, made: Make) -> None:
    chat = made()
    chat.complete(ASKED)
    chat.close()
    chat.close()
    assert chat.complete(ASKED).text == "Dublin"


def test_a_client_that_nobody_closed_leaves_no_thread_and_no_connection(endpoint: Endpoint) -> None:
    def threads() -> int:
        return sum(thread.name == "language model" for thread in threading.enumerate())

    before = threads()
    chat = OpenAiChat(LlmSettings("openai", base_url=endpoint.url, model="m"))
    chat.complete(ASKED)
    assert threads() == before + 1
    del chat
    gc.collect()
    assert threads() == before


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (LlmSettings("openai", api_key="k"), "name of the language model is not set"),
        (LlmSettings("openai", model="m"), "API key for the language model is not set"),
        (LlmSettings("openai", model="m", base_url="localhost:11434"), "not an HTTP address"),
        (LlmSettings("openai", model="m", base_url="file:///tmp"), "not an HTTP address"),
        (LlmSettings("openai", model="m", base_url="http://me:word@host/v1"), "a user or a password"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_once(settings: LlmSettings, said: str) -> None:
    with pytest.raises(LlmError, match=said) as caught:
        OpenAiChat(settings)
    assert "word" not in str(caught.value).replace("password", "")
    assert "OVERSTORY_LLM" in caught.value.remedy


@pytest.mark.parametrize("key", ["sk-very\nsecret", "sk-very-\u043a\u043b\u044e\u0447", "sk-very\x7f"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(LlmError, match="contains a line break") as caught:
        OpenAiChat(LlmSettings("openai", base_url="http://localhost:1/v1", api_key=key, model="m"))
    assert "sk-very" not in "".join(traceback.format_exception(caught.value)) + caught.value.remedy


def test_the_fingerprint_depends_on_model_address_and_temperature_but_not_on_the_key() -> None:
    def fingerprint(**more: Any) -> str:
        values: dict[str, Any] = {"model": "m", "base_url": "http://host/v1", "api_key": "k"} | more
        return OpenAiChat(LlmSettings("openai", **values)).fingerprint

    assert fingerprint() == fingerprint(api_key="other") == fingerprint(base_url="http://host/v1?key=secret")
    others = [fingerprint(model="n"), fingerprint(base_url="http://other/v1"), fingerprint(temperature=0.5)]
    assert len({fingerprint(), *others}) == 4


def test_an_endpoint_may_take_as_long_as_it_likes_where_that_is_wanted(endpoint: Endpoint, made: Make) -> None:
    assert made(seconds=0.0).complete(ASKED).text == "Dublin"
