"""UsageMeter by stage and question, and a budget that is not exceeded."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from overstory.errors import BudgetExhausted
from overstory.llm.budget import Prices, Spent, UsageMeter, prompt_tokens_at_most
from overstory.model import Completion, Message, Usage


def answer(prompt: int = 10, completion: int = 5, *, cached: bool = False) -> Completion:
    return Completion("text", "m", Usage(prompt, completion), seconds=1.0, cached=cached)


def test_answers_are_booked_by_stage_and_by_question() -> None:
    accounts = UsageMeter(prices=Prices(prompt=1.0, completion=10.0))
    accounts.add(answer(), stage="summaries")
    accounts.add(answer(), stage="answer", question="Who?")
    accounts.add(answer(cached=True), stage="answer", question="Who?")
    accounts.add(answer(), stage="answer", question="Where?", wasted=True)
    assert accounts.spent.requests == 3
    assert accounts.spent.usage == Usage(30, 15)
    assert accounts.spent.cost == pytest.approx(180e-6)
    assert accounts.by_stage["answer"].wasted == 15
    assert accounts.by_question["Who?"] == Spent(1, 1, Usage(10, 5), 0, 15, 1.0, 60e-6)
    assert str(accounts.by_stage["answer"]) == (
        "2 requests, 30 tokens, 15 of them wasted, 1 answer remembered (15 tokens saved), cost 0.0001"
    )


def test_a_request_that_might_go_over_the_budget_is_refused() -> None:
    accounts = UsageMeter(budget_tokens=40)
    with accounts.reserved(40):
        accounts.add(answer(), stage="s")
    with accounts.reserved(25):
        pass
    with (
        pytest.raises(BudgetExhausted, match="15 were spent, and it may take 26") as caught,
        accounts.reserved(26),
    ):
        pass
    assert "--budget-tokens" in caught.value.remedy


def test_without_a_budget_nothing_is_refused() -> None:
    with UsageMeter().reserved(10**12):
        pass


def test_a_request_waits_for_those_under_way_where_it_may_still_fit() -> None:
    accounts = UsageMeter(budget_tokens=100)
    order: list[str] = []
    inside = threading.Event()

    def first() -> None:
        with accounts.reserved(80):
            inside.set()
            accounts.add(answer(20, 10), stage="s")
            order.append("first")

    def second() -> None:
        inside.wait()
        with accounts.reserved(60):
            order.append("second")

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(first), threads.submit(second)]:
            done.result()
    assert order == ["first", "second"]


def test_many_threads_never_exceed_the_budget() -> None:
    accounts = UsageMeter(budget_tokens=1_000)

    def ask(_: int) -> bool:
        try:
            with accounts.reserved(100):
                accounts.add(answer(40, 20), stage="s")
        except BudgetExhausted:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        done = sum(threads.map(ask, range(100)))
    assert done == 16  # 15 · 60 = 900, and a sixteenth that may take 100 still fits
    assert accounts.spent.usage.tokens == 960


def test_the_form_of_an_answer_counts_as_part_of_the_prompt() -> None:
    messages = [Message("user", "Who?")]
    assert prompt_tokens_at_most(messages, {"type": "object"}) > prompt_tokens_at_most(messages) > 8
