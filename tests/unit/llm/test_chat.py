"""Caching, correction, accounting and refusal, with prepared answers."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import BaseModel
from tests.fakes import ScriptedChat

from overstory.errors import AnswerTruncated, AnswerUnusable, BudgetExhausted, LlmCancelled, LlmError, LlmUnreachable
from overstory.llm import AnswerCache, Chat, Request, UsageMeter, record_usage
from overstory.llm.cache import request_key
from overstory.model import Completion, JsonSchema, Message, Usage

ASKED = [Message("user", "Where was he born?")]


class City(BaseModel):
    city: str


GOOD = '{"city": "Dublin"}'


@pytest.fixture
def cache(tmp_path: Path) -> AnswerCache:
    return AnswerCache(tmp_path / "answers.sqlite3", most_bytes=1_000_000)


def test_an_answer_is_paid_for_once(cache: AnswerCache) -> None:
    model = ScriptedChat("Dublin")
    first, second = Chat(model, cache=cache), Chat(model, cache=cache)
    assert first.ask(ASKED).text == second.ask(ASKED).text == "Dublin"
    assert len(model.asked) == 1
    assert second.usage.spent.remembered == 1
    assert second.usage.spent.saved == 15
    assert second.usage.spent.usage.tokens == 0


def test_a_value_is_paid_for_once_and_is_the_same(cache: AnswerCache) -> None:
    model = ScriptedChat(f"Here: {GOOD}")
    chat = Chat(model, cache=cache)
    assert chat.ask_for(City, ASKED).value == chat.ask_for(City, ASKED).value == City(city="Dublin")
    assert len(model.asked) == 1
    assert model.schemas[0] is not None


def test_an_unusable_answer_is_corrected_once_and_only_the_good_one_remembered(cache: AnswerCache) -> None:
    model = ScriptedChat("Dublin, of course", GOOD)
    chat = Chat(model, cache=cache).booked("answer", "Where?")
    assert chat.ask_for(City, ASKED).value.city == "Dublin"
    _, answer, correction = model.asked[1]
    assert answer == Message("assistant", "Dublin, of course")
    assert "no complete JSON object" in correction.text
    assert chat.usage.by_question["Where?"].wasted == 15
    assert chat.usage.spent.requests == 2
    assert cache.size().answers == 1
    assert Chat(ScriptedChat("x"), cache=cache).ask_for(City, ASKED).value.city == "Dublin"


def test_what_stays_unusable_is_an_error_and_not_remembered(cache: AnswerCache) -> None:
    chat = Chat(ScriptedChat('{"city": 1}'), cache=cache)
    with pytest.raises(AnswerUnusable, match=r"not the requested JSON \(city\), even .*: city: Input"):
        chat.ask_for(City, ASKED)
    assert chat.usage.spent.wasted == 30
    assert cache.size().answers == 0


@pytest.mark.parametrize("answer", ["", " \n"])
def test_an_empty_answer_is_none(cache: AnswerCache, answer: str) -> None:
    chat = Chat(ScriptedChat(answer), cache=cache)
    with pytest.raises(AnswerUnusable, match="empty"):
        chat.ask(ASKED)
    with pytest.raises(AnswerUnusable):
        chat.ask_for(City, ASKED)
    assert cache.size().answers == 0


def test_a_truncated_answer_is_an_error_and_booked_as_wasted(cache: AnswerCache) -> None:
    chat = Chat(ScriptedChat(Completion(GOOD, "m", Usage(10, 100), truncated=True)), cache=cache)
    with pytest.raises(AnswerTruncated, match="cut off at 100 tokens"):
        chat.ask(ASKED)
    with pytest.raises(AnswerTruncated, match="cut off at 7 tokens") as caught:
        chat.ask_for(City, ASKED, max_tokens=7)
    assert "OVERSTORY_LLM_MAX_TOKENS" in caught.value.remedy
    assert chat.usage.spent.wasted == 220
    assert cache.size().answers == 0


def test_recorded_usage_includes_the_threads_of_each() -> None:
    chat = Chat(ScriptedChat("Dublin"), at_once=2)
    with record_usage() as recorded:
        list(chat.each(lambda _: chat.ask(ASKED), range(4)))
    assert recorded.spent.requests == 4


@pytest.mark.parametrize(
    ("answer", "error", "asked"),
    [("Dublin", AnswerUnusable, 2), (Completion("{", "m", Usage(10, 5), truncated=True), AnswerTruncated, 1)],
)
def test_that_there_is_no_usable_answer_is_paid_for_once_if_the_caller_says_so(
    cache: AnswerCache, answer: str | Completion, error: type[LlmError], asked: int
) -> None:
    model = ScriptedChat(answer)
    chat = Chat(model, cache=cache).quoting(["p1"])
    for _ in range(2):
        with pytest.raises(error):
            chat.ask_for(City, ASKED, once=True)
    assert len(model.asked) == asked
    assert chat.estimate([Request(ASKED, City)]).requests == 0
    with pytest.raises(error):
        chat.ask_for(City, ASKED)
    assert len(model.asked) == 2 * asked
    assert cache.forget(["p1"]) == 1


def test_threads_that_ask_the_same_pay_once(cache: AnswerCache) -> None:
    class Slow(ScriptedChat):
        def complete(
            self, messages: Sequence[Message], schema: JsonSchema | None = None, *, max_tokens: int | None = None
        ) -> Completion:
            time.sleep(0.05)
            return super().complete(messages, schema, max_tokens=max_tokens)

    model = Slow("Dublin")
    chat = Chat(model, cache=cache, at_once=4)
    assert list(chat.each(lambda _: chat.booked("s").ask(ASKED).text, range(8))) == ["Dublin"] * 8
    assert len(model.asked) == 1


def test_answers_of_every_kind_are_forgotten_with_a_passage_that_their_prompts_quote(cache: AnswerCache) -> None:
    model = ScriptedChat(GOOD)
    chat = Chat(model, cache=cache).quoting(["p1", "p2"]).booked("stage")
    chat.ask(ASKED)
    list(chat.stream([*ASKED, *ASKED]))
    chat.ask_for(City, ASKED)
    chat.quoting(["p3"]).ask([*ASKED, *ASKED, *ASKED])
    assert cache.forget(["p2"]) == 3
    assert cache.size().answers == 1


def test_an_answer_from_the_cache_is_forgotten_with_the_passages_of_whoever_got_it(cache: AnswerCache) -> None:
    chat = Chat(ScriptedChat("Ulm"), cache=cache)
    chat.quoting(["p1"]).ask(ASKED)
    assert chat.quoting(["p2"]).ask(ASKED).cached
    assert cache.forget(["p2"]) == 1


def test_what_cannot_be_remembered_is_not_asked(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    model = ScriptedChat("Dublin")
    chat = Chat(model, cache=AnswerCache(tmp_path / "file" / "answers.sqlite3", most_bytes=1_000))
    with pytest.raises(LlmError, match="answer cache"):
        chat.ask(ASKED)
    assert model.asked == []


def test_an_answer_that_can_no_longer_be_remembered_is_not_lost(
    cache: AnswerCache, caplog: pytest.LogCaptureFixture
) -> None:
    class Spoiling(ScriptedChat):
        def complete(
            self, messages: Sequence[Message], schema: JsonSchema | None = None, *, max_tokens: int | None = None
        ) -> Completion:
            shutil.rmtree(cache.path.parent)
            cache.path.parent.write_text("no folder")
            return super().complete(messages, schema, max_tokens=max_tokens)

    cache.path = cache.path.parent / "llm" / cache.path.name
    assert Chat(Spoiling("Dublin"), cache=cache).ask(ASKED).text == "Dublin"
    assert "could not be cached" in caplog.text


def test_a_remembered_answer_that_a_stricter_class_refuses_is_asked_for_again(cache: AnswerCache) -> None:
    model = ScriptedChat(GOOD)
    chat = Chat(model, cache=cache)
    chat.ask_for(City, ASKED)
    key = request_key(model.fingerprint, ASKED, model.schemas[0], 100)
    cache.put(key, Completion("spoilt", "m", Usage()))
    assert chat.ask_for(City, ASKED).value.city == "Dublin"
    assert len(model.asked) == 2


def test_the_budget_counts_the_longest_answer_before_it_asks() -> None:
    model = ScriptedChat("Dublin")
    chat = Chat(model, usage=UsageMeter(budget_tokens=125))
    chat.ask(ASKED)
    with pytest.raises(BudgetExhausted):
        chat.ask(ASKED)
    chat.ask(ASKED, max_tokens=50)
    assert len(model.asked) == 2
    assert chat.usage.spent.usage.tokens <= 125


def test_remembered_answers_need_no_budget(cache: AnswerCache) -> None:
    Chat(ScriptedChat("Dublin"), cache=cache).ask(ASKED)
    assert Chat(ScriptedChat("x"), cache=cache, usage=UsageMeter(budget_tokens=0)).ask(ASKED).text == "Dublin"


def test_an_estimate_sends_nothing_and_knows_what_is_remembered(cache: AnswerCache) -> None:
    model = ScriptedChat(GOOD)
    chat = Chat(model, cache=cache)
    chat.ask_for(City, ASKED)
    other = [Message("user", "Who?")]
    estimate = chat.estimate([Request(ASKED, City), Request(other, City, 50), Request(other)])
    assert (estimate.requests, estimate.remembered) == (2, 1)
    assert estimate.usage.completion_tokens == 150
    assert len(model.asked) == 1
    assert str(estimate).startswith("2 requests, at most ")


def test_an_estimate_is_not_exceeded() -> None:
    chat = Chat(ScriptedChat("Dublin"))
    assert chat.estimate([Request(ASKED)]).usage.tokens >= chat.ask(ASKED).usage.tokens


def test_several_are_asked_at_a_time_and_come_in_order() -> None:
    chat = Chat(ScriptedChat("Dublin"), at_once=3)
    assert list(chat.each(lambda number: (number, chat.ask(ASKED).text), range(20))) == [
        (number, "Dublin") for number in range(20)
    ]


def test_after_a_failure_no_more_is_asked_and_what_was_under_way_is_remembered(cache: AnswerCache) -> None:
    model = ScriptedChat("a", LlmUnreachable("gone"), "b")
    chat = Chat(model, cache=cache, at_once=1)
    with pytest.raises(LlmUnreachable, match="gone"):
        list(chat.each(lambda number: chat.ask([Message("user", str(number))]), range(50)))
    assert cache.size().answers + 1 == len(model.asked) <= 3


def test_an_interruption_ends_what_is_under_way() -> None:
    class Hanging(ScriptedChat):
        ended = threading.Event()

        def complete(
            self, messages: Sequence[Message], schema: JsonSchema | None = None, *, max_tokens: int | None = None
        ) -> Completion:
            super().complete(messages, schema, max_tokens=max_tokens)
            self.ended.wait()
            raise LlmCancelled("ended")

        def cancel(self) -> None:
            super().cancel()
            self.ended.set()

    def work(number: int) -> str:
        if number == 0:
            raise KeyboardInterrupt
        return chat.ask(ASKED).text

    chat = Chat(Hanging("x"), at_once=2)
    with pytest.raises(KeyboardInterrupt):
        list(chat.each(work, range(10)))


def test_a_failure_is_passed_on_and_nothing_booked() -> None:
    chat = Chat(ScriptedChat(LlmError("no")))
    with pytest.raises(LlmError, match="no"):
        chat.ask(ASKED)
    assert chat.usage.spent.requests == 0


def test_a_with_block_closes_the_model() -> None:
    model = ScriptedChat("x")
    with Chat(model):
        pass
    assert model.closed
