"""The contract of every chat model. Add a new one to `models`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.chat_endpoint import obedient, running_chat_endpoint
from tests.fakes import ScriptedChat
from tests.local_model import local_model_is_there, local_settings

from overstory.llm import make_chat_model
from overstory.model import Completion, Message
from overstory.protocols import ChatModel, StreamingChatModel
from overstory.settings import LlmSettings

ASKED = [Message("system", "You answer in English."), Message("user", "In which city was Bram Stoker born?")]
SCHEMA = {
    "title": "City",
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}},
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module", params=["openai", *(["local"] if local_model_is_there() else [])])
def settings(request: pytest.FixtureRequest) -> Iterator[LlmSettings]:
    if request.param == "openai":
        with running_chat_endpoint() as endpoint:
            endpoint.then = obedient
            yield LlmSettings("openai", model="m", base_url=endpoint.url, api_key="secret")
    else:
        yield local_settings()


@pytest.fixture(scope="module")
def model(settings: LlmSettings) -> Iterator[ChatModel]:
    model = make_chat_model(settings)
    yield model
    model.close()


def test_it_is_a_chat_model(model: ChatModel) -> None:
    assert isinstance(model, ChatModel)
    assert isinstance(ScriptedChat("x"), ChatModel)


def test_an_answer_says_what_it_took(model: ChatModel) -> None:
    answer = model.complete(ASKED)
    assert answer.text.strip()
    assert answer.model
    assert answer.usage.prompt_tokens > 0
    assert 0 < answer.usage.completion_tokens <= model.max_tokens
    assert answer.seconds > 0
    assert not answer.cached


def test_an_answer_that_is_cut_says_so(model: ChatModel) -> None:
    answer = model.complete(ASKED, max_tokens=2)
    assert answer.truncated
    assert answer.usage.completion_tokens <= 2


def test_an_answer_fits_its_schema(model: ChatModel) -> None:
    answer = model.complete(ASKED, SCHEMA)
    assert not answer.truncated
    assert set(json.loads(answer.text)) == {"city"}


def test_half_characters_and_zeros_are_no_trouble(model: ChatModel) -> None:
    assert model.complete([Message("user", "\ud800 \0 北京 🌳")], max_tokens=3).usage.prompt_tokens > 0


def test_several_threads_are_answered(model: ChatModel) -> None:
    with ThreadPoolExecutor(3) as threads:
        answers = [threads.submit(model.complete, ASKED, max_tokens=3) for _ in range(3)]
        assert all(answer.result().text for answer in answers)


def test_cancelling_when_nothing_is_asked_does_nothing(model: ChatModel) -> None:
    model.cancel()
    assert model.complete(ASKED, max_tokens=2).text


def test_closing_twice_is_no_trouble_and_what_is_closed_starts_again(settings: LlmSettings) -> None:
    model = make_chat_model(settings)
    model.close()
    model.complete(ASKED, max_tokens=2)
    model.close()
    model.close()
    assert model.complete(ASKED, max_tokens=2).text
    model.close()


def test_the_fingerprint_is_the_same_in_another_process(settings: LlmSettings, model: ChatModel) -> None:
    script = (
        "from overstory.llm import make_chat_model; from overstory.settings import LlmSettings; "
        f"print(make_chat_model(LlmSettings({settings.llm!r}, {settings.model!r}, {settings.base_url!r}, 'k',"
        f" context={settings.context})).fingerprint)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == model.fingerprint


def streamed(model: ChatModel, **more: int) -> tuple[list[str], Completion]:
    """The pieces of an answer, and the whole that the stream returns."""
    assert isinstance(model, StreamingChatModel)
    pieces: list[str] = []
    answer = model.stream(ASKED, **more)
    while True:
        try:
            pieces.append(next(answer))
        except StopIteration as end:
            return pieces, end.value


def test_an_answer_comes_in_pieces_and_says_what_it_took(model: ChatModel) -> None:
    pieces, answer = streamed(model)
    assert len(pieces) > 1
    assert "".join(pieces) == answer.text
    assert answer.text.strip() == model.complete(ASKED).text.strip()
    assert answer.usage.completion_tokens > 0
    assert not answer.usage.estimated
    assert not answer.truncated


def test_a_stream_that_is_cut_says_so(model: ChatModel) -> None:
    assert streamed(model, max_tokens=2)[1].truncated


def test_a_stream_that_nobody_reads_on_ends_and_the_model_answers_others(model: ChatModel) -> None:
    assert isinstance(model, StreamingChatModel)
    answer = model.stream(ASKED)
    assert next(answer)
    answer.close()
    assert model.complete(ASKED, max_tokens=2).text
