"""Answers in pieces: against a server on this machine that fails in the ways of the fault table of docs/llm.md."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.chat_endpoint import (
    Endpoint,
    failing,
    failing_within,
    hanging_up,
    hung,
    running_chat_endpoint,
    saying,
    sending,
    streaming,
)
from tests.fakes import ScriptedChat

from overstory.endpoints import Backoff
from overstory.errors import (
    AnswerTruncated,
    AnswerUnusable,
    BudgetExhausted,
    LlmBusy,
    LlmCancelled,
    LlmRefused,
    LlmUnreachable,
)
from overstory.llm import AnswerCache, Chat, UsageMeter
from overstory.llm.openai_client import OpenAiChat
from overstory.model import Completion, Message, Usage
from overstory.settings import LlmSettings

KEY = "sk-very-secret"
ASKED = [Message("user", "Where was he born?")]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with running_chat_endpoint() as endpoint:
        endpoint.then = streaming("In ", "Dub", "lin.")
        yield endpoint


@pytest.fixture
def chat(endpoint: Endpoint, tmp_path: Path) -> Iterator[Chat]:
    with opened(endpoint, tmp_path) as chat:
        yield chat


def opened(endpoint: Endpoint, folder: Path, *, budget_tokens: int | None = None, **more: Any) -> Chat:
    values: dict[str, Any] = {"base_url": endpoint.url, "api_key": KEY, "model": "m", "seconds": 20.0} | more
    model = OpenAiChat(LlmSettings("openai", **values), backoff=Backoff(retries=2, first=0.01, longest=0.05))
    cache = AnswerCache(folder / "answers.sqlite3", most_bytes=1_000_000)
    return Chat(model, cache=cache, usage=UsageMeter(budget_tokens=budget_tokens))


def read(answer: Generator[str, None, Completion], into: list[str] | None = None) -> Completion:
    """The whole; its pieces go into a list."""
    while True:
        try:
            piece = next(answer)
        except StopIteration as end:
            whole: Completion = end.value
            return whole
        if into is not None:
            into.append(piece)


def test_pieces_come_one_by_one_and_the_whole_is_booked(endpoint: Endpoint, chat: Chat) -> None:
    pieces: list[str] = []
    whole = read(chat.booked("ask", "q1").stream(ASKED), pieces)
    assert pieces == ["In ", "Dub", "lin."]
    assert (whole.text, whole.model, whole.usage) == ("In Dublin.", "m-2026", Usage(10, 2))
    assert chat.usage.by_question["q1"].usage == Usage(10, 2)
    assert endpoint.requests[0]["stream"] is True
    assert endpoint.requests[0]["stream_options"] == {"include_usage": True}


def test_a_remembered_answer_is_one_piece_whoever_asked_for_it(endpoint: Endpoint, chat: Chat) -> None:
    read(chat.stream(ASKED))
    assert list(chat.stream(ASKED)) == ["In Dublin."]
    assert chat.ask(ASKED).text == "In Dublin."
    assert len(endpoint.requests) == 1
    assert chat.usage.spent.remembered == 2


def test_a_model_that_gives_answers_only_whole_gives_one_piece() -> None:
    pieces: list[str] = []
    assert read(Chat(ScriptedChat("Dublin")).stream(ASKED), pieces).usage == Usage(10, 5)
    assert pieces == ["Dublin"]


def test_an_endpoint_that_does_not_count_in_streams_is_estimated_and_that_is_remembered(
    endpoint: Endpoint, chat: Chat
) -> None:
    endpoint.acts = [failing(400, "Unknown parameter: stream_options")]
    assert read(chat.stream(ASKED)).usage.estimated
    read(chat.stream([Message("user", "When?")]))
    assert ["stream_options" in request for request in endpoint.requests] == [True, False, False]


@pytest.mark.parametrize("act", [failing(400, "stream is not supported"), sending(200, {"id": "c"})])
def test_an_endpoint_that_does_not_stream_gives_the_whole(endpoint: Endpoint, chat: Chat, act: Any) -> None:
    endpoint.acts, endpoint.then = [act], saying()
    assert list(chat.stream(ASKED)) == ["Dublin"]
    assert list(chat.stream([Message("user", "When?")])) == ["Dublin"]
    assert ["stream" in request for request in endpoint.requests] == [True, False, False]


PASSING = {"429": failing(429), "500": failing(500), "no answer": hanging_up, "no text": streaming(then=hanging_up)}


@pytest.mark.parametrize("act", PASSING.values(), ids=PASSING)
def test_what_fails_before_the_first_piece_is_tried_again(endpoint: Endpoint, chat: Chat, act: Any) -> None:
    endpoint.acts = [act]
    assert read(chat.stream(ASKED)).text == "In Dublin."
    assert len(endpoint.requests) == 2


def test_what_does_not_pass_is_an_error_as_without_a_stream(endpoint: Endpoint, chat: Chat) -> None:
    endpoint.then = failing(500, "oops")
    with pytest.raises(LlmBusy, match="oops"):
        read(chat.stream(ASKED))
    assert len(endpoint.requests) == 3


BROKEN = {
    "hangs up": streaming("In ", then=hanging_up),
    "no end": streaming("In ", finish=None),
    "an error": streaming("In ", then=failing_within),
    "no text": streaming("In ", ["Dublin"]),
    f"an error with the key {KEY}": streaming("In ", {"error": KEY}),
}


@pytest.mark.parametrize("act", BROKEN.values(), ids=BROKEN)
def test_a_stream_that_breaks_says_so_and_is_not_tried_again(endpoint: Endpoint, chat: Chat, act: Any) -> None:
    endpoint.acts = [act]
    pieces: list[str] = []
    with pytest.raises(LlmUnreachable, match="broke off after 3 characters") as caught:
        read(chat.stream(ASKED), pieces)
    assert pieces == ["In "]
    assert KEY not in str(caught.value)
    assert len(endpoint.requests) == 1
    spent = chat.usage.spent
    assert spent.wasted == spent.usage.tokens > 0
    assert spent.usage.estimated
    assert read(chat.stream(ASKED)).text == "In Dublin."  # nothing was remembered


def test_time_is_up_for_a_stream_that_hangs(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.acts = [streaming("In ", then=hung)]
    with opened(endpoint, tmp_path, seconds=1) as chat:
        with pytest.raises(LlmUnreachable, match="broke off after 3 characters: it timed out"):
            read(chat.stream(ASKED))
        assert endpoint.left.wait(60)


def test_a_stream_that_is_cut_is_an_error_after_its_last_piece(endpoint: Endpoint, chat: Chat) -> None:
    endpoint.acts = [streaming("In ", "Dub", finish="length")]
    pieces: list[str] = []
    with pytest.raises(AnswerTruncated):
        read(chat.stream(ASKED), pieces)
    assert pieces == ["In ", "Dub"]
    assert chat.usage.spent.wasted == 12


def test_an_empty_stream_is_no_answer(endpoint: Endpoint, chat: Chat) -> None:
    endpoint.acts = [streaming(" ")]
    with pytest.raises(AnswerUnusable, match="empty"):
        read(chat.stream(ASKED))


def test_a_stream_that_might_go_over_the_budget_is_not_begun(endpoint: Endpoint, tmp_path: Path) -> None:
    with opened(endpoint, tmp_path, budget_tokens=100) as chat, pytest.raises(BudgetExhausted):
        read(chat.stream(ASKED))
    assert endpoint.requests == []


def test_a_stream_that_nobody_reads_on_is_ended_and_booked_as_wasted(endpoint: Endpoint, chat: Chat) -> None:
    endpoint.acts = [streaming("In ", then=hung)]
    answer = chat.stream(ASKED)
    assert next(answer) == "In "
    answer.close()
    assert endpoint.left.wait(60)
    assert chat.usage.spent.wasted > 0


def test_a_stream_is_ended_from_another_thread(endpoint: Endpoint, chat: Chat) -> None:
    endpoint.acts = [streaming("In ", then=hung)]
    answer = chat.stream(ASKED)
    next(answer)
    chat.model.cancel()
    with pytest.raises(LlmCancelled):
        next(answer)
    assert endpoint.left.wait(60)


def test_half_characters_do_not_come_through(endpoint: Endpoint, chat: Chat) -> None:
    endpoint.acts = [streaming("a\ud800b")]
    assert read(chat.stream(ASKED)).text == "a\ufffdb"


def test_a_key_that_straddles_pieces_is_masked_in_all_that_is_passed_on_and_remembered(
    endpoint: Endpoint, chat: Chat, tmp_path: Path
) -> None:
    endpoint.acts = [streaming("Your key is sk-", "very", "-secret. And sk-", "very", model=f"m {KEY}")]
    pieces: list[str] = []
    whole = read(chat.stream(ASKED), pieces)
    assert "".join(pieces) == whole.text == "Your key is ***. And sk-very"
    assert whole.model == "m ***"
    assert KEY.encode() not in (tmp_path / "answers.sqlite3").read_bytes()


def test_a_stream_without_end_is_ended_at_its_limit(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.acts = [streaming("x" * 100, "y" * 100, "z", then=hung)]
    with opened(endpoint, tmp_path, max_tokens=10) as chat:
        pieces: list[str] = []
        with pytest.raises(AnswerTruncated, match="10 tokens"):
            read(chat.stream(ASKED), pieces)
        assert "".join(pieces) == "x" * 100 + "y" * 60
        assert endpoint.left.wait(60)


def test_an_answer_that_is_just_as_long_as_it_may_be_is_whole(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.acts = [streaming("x" * 100, "y" * 60)]
    with opened(endpoint, tmp_path, max_tokens=10) as chat:
        assert read(chat.stream(ASKED)).text == "x" * 100 + "y" * 60


def test_one_gigantic_piece_is_not_read(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.acts = [streaming("x" * 6_000_000)]
    with opened(endpoint, tmp_path, max_tokens=10) as chat, pytest.raises(AnswerUnusable, match="longer than 4 MB"):
        read(chat.stream(ASKED))


def test_a_redirect_of_a_stream_is_not_followed(endpoint: Endpoint, chat: Chat) -> None:
    with running_chat_endpoint() as elsewhere:
        endpoint.acts = [sending(307, {}, {"Location": f"{elsewhere.url}/chat/completions"})]
        with pytest.raises(LlmRefused, match="another address"):
            read(chat.stream(ASKED))
        assert elsewhere.requests == []


def test_nested_json_in_a_stream_breaks_it_off(endpoint: Endpoint, chat: Chat) -> None:
    def nested(handler: Any, request: dict[str, Any]) -> None:
        piece = b"data: " + b"[" * 200_000 + b"\n\n"
        handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")

    endpoint.acts = [streaming("In ", then=nested)]
    with pytest.raises(LlmUnreachable, match="broke off"):
        read(chat.stream(ASKED))
