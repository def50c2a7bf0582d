"""Usage by stage, by question and by block, and a budget that is never exceeded."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from overstory.errors import BudgetExhausted
from overstory.llm.budget import Prices, Spent, UsageMeter, prompt_tokens_at_most, record_usage
from overstory.model import Completion, Message, Usage


def answer(prompt: int = 10, completion: int = 5, *, cached: bool = False) -> Completion:
    return Completion("text", "m", Usage(prompt, completion), seconds=1.0, cached=cached)


def test_answers_are_booked_by_stage_and_by_question() -> None:
    meter = UsageMeter(prices=Prices(prompt=1.0, completion=10.0))
    meter.add(answer(), stage="summaries")
    meter.add(answer(), stage="answer", question="Who?")
    meter.add(answer(cached=True), stage="answer", question="Who?")
    meter.add(answer(), stage="answer", question="Where?", wasted=True)
    assert meter.spent.requests == 3
    assert meter.spent.usage == Usage(30, 15)
    assert meter.spent.cost == pytest.approx(180e-6)
    assert meter.by_stage["answer"].wasted == 15
    assert meter.by_question["Who?"] == Spent(1, 1, Usage(10, 5), 0, 15, 1.0, 60e-6)
    assert str(meter.by_stage["answer"]) == (
        "2 requests, 30 tokens, 15 of them wasted, 1 cached answer (15 tokens saved), cost 0.0001"
    )


def test_a_request_that_might_go_over_the_budget_is_refused() -> None:
    meter = UsageMeter(budget_tokens=40)
    with meter.reserved(40):
        meter.add(answer(), stage="s")
    with meter.reserved(25):
        pass
    with (
        pytest.raises(BudgetExhausted, match="15 tokens were spent, and the request may take 26") as caught,
        meter.reserved(26),
    ):
        pass
    assert "--budget-tokens" in caught.value.remedy


def test_without_a_budget_nothing_is_refused() -> None:
    with UsageMeter().reserved(10**12):
        pass


def test_a_request_waits_for_those_under_way_where_it_may_still_fit() -> None:
    meter = UsageMeter(budget_tokens=100)
    order: list[str] = []
    inside = threading.Event()

    def first() -> None:
        with meter.reserved(80):
            inside.set()
            meter.add(answer(20, 10), stage="s")
            order.append("first")

    def second() -> None:
        inside.wait()
        with meter.reserved(60):
            order.append("second")

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(first), threads.submit(second)]:
            done.result()
    assert order == ["first", "second"]


def test_many_threads_never_exceed_the_budget() -> None:
    meter = UsageMeter(budget_tokens=1_000)

    def ask(_: int) -> bool:
        try:
            with meter.reserved(100):
                meter.add(answer(40, 20), stage="s")
        except BudgetExhausted:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        done = sum(threads.map(ask, range(100)))
    assert done == 16  # 15 · 60 = 900, and a sixteenth that may take 100 still fits
    assert meter.spent.usage.tokens == 960


def test_usage_is_recorded_for_the_own_thread_alone_and_for_every_block_around_it() -> None:
    meter = UsageMeter()
    with record_usage() as outer, ThreadPoolExecutor(1) as other:
        meter.add(answer(), stage="s")
        with record_usage() as inner:
            other.submit(meter.add, answer(), stage="s").result()
            meter.add(answer(20, 10), stage="s")
    meter.add(answer(), stage="s")
    assert inner.spent.usage == Usage(20, 10)
    assert outer.spent.usage == Usage(30, 15)
    assert meter.spent.usage == Usage(50, 25)


def test_the_form_of_an_answer_counts_as_part_of_the_prompt() -> None:
    messages = [Message("user", "Who?")]
    assert prompt_tokens_at_most(messages, {"type": "object"}) > prompt_tokens_at_most(messages) > 8
