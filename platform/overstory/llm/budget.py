"""What language models took, by stage and by question, and a budget that is not exceeded."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from overstory.display import counted
from overstory.errors import BudgetExhausted
from overstory.model import Completion, JsonSchema, Message, Usage
from overstory.model.token_bound import count_at_most

TOKENS_A_MESSAGE = 8
"""What a message takes beside its text: its role, where it begins and ends."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a million tokens, in whatever currency."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, usage: Usage) -> float:
        return (usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) / 1e6


@dataclass(frozen=True, slots=True)
class Spent:
    """What requests took.

    Attributes:
        requests: that were answered, those included whose answers could not be used.
        remembered: answers that were remembered, and cost nothing.
        usage: of the requests.
        wasted: tokens of answers that could not be used; a part of `usage`.
        saved: tokens that the remembered answers took when they were given.
        seconds: spent waiting, added up over threads.
    """

    requests: int = 0
    remembered: int = 0
    usage: Usage = field(default_factory=Usage)
    wasted: int = 0
    saved: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.requests + other.requests,
            self.remembered + other.remembered,
            self.usage + other.usage,
            self.wasted + other.wasted,
            self.saved + other.saved,
            self.seconds + other.seconds,
            self.cost + other.cost,
        )

    def __sub__(self, before: Spent) -> Spent:
        """What was spent since."""
        return Spent(
            self.requests - before.requests,
            self.remembered - before.remembered,
            Usage(
                self.usage.prompt_tokens - before.usage.prompt_tokens,
                self.usage.completion_tokens - before.usage.completion_tokens,
                self.usage.estimated,
            ),
            self.wasted - before.wasted,
            self.saved - before.saved,
            self.seconds - before.seconds,
            self.cost - before.cost,
        )

    def __str__(self) -> str:
        about = "about " if self.usage.estimated else ""
        parts = [f"{counted(self.requests, 'request')}, {about}{counted(self.usage.tokens, 'token')}"]
        if self.wasted:
            parts.append(f"{self.wasted:,} of them wasted")
        if self.remembered:
            parts.append(f"{counted(self.remembered, 'answer')} remembered ({self.saved:,} tokens saved)")
        if self.cost:
            parts.append(f"cost {self.cost:,.4f}")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What requests would take, at most: none of them was sent.

    Attributes:
        requests: to be sent; `remembered` ones are not.
        usage: an upper estimate of the prompts, and answers all as long as they may be.
    """

    requests: int
    remembered: int
    usage: Usage
    cost: float

    @classmethod
    def nothing(cls) -> Estimate:
        """For what asks no language model."""
        return cls(0, 0, Usage(estimated=True), 0.0)

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.requests + other.requests,
            self.remembered + other.remembered,
            self.usage + other.usage,
            self.cost + other.cost,
        )

    def __str__(self) -> str:
        text = (
            f"{self.requests:,} requests, at most {self.usage.prompt_tokens:,} tokens of prompts"
            f" and {self.usage.completion_tokens:,} of answers; {self.remembered:,} answers are remembered"
        )
        return f"{text}; cost at most {self.cost:,.4f}" if self.cost else text


def prompt_tokens_at_most(messages: Sequence[Message], schema: JsonSchema | None = None) -> int:
    """An upper estimate of what messages take, and the schema with them, which some endpoints put among them."""
    stated = count_at_most(str(dict(schema))) if schema else 0
    return stated + sum(TOKENS_A_MESSAGE + count_at_most(message.text) for message in messages)


@dataclass(slots=True)
class _Books:
    spent: Spent = Spent()
    by_stage: dict[str, Spent] = field(default_factory=dict[str, Spent])
    by_question: dict[str, Spent] = field(default_factory=dict[str, Spent])


class UsageMeter:
    """Counts what is spent, and says no before it is too much. Safe to share between threads."""

    def __init__(self, *, budget_tokens: int | None = None, prices: Prices | None = None) -> None:
        self.budget_tokens = budget_tokens
        self.prices = prices or Prices()
        self._books = _Books()
        self._reserved = 0
        self._changed = threading.Condition()

    @property
    def spent(self) -> Spent:
        with self._changed:
            return self._books.spent

    @property
    def by_stage(self) -> dict[str, Spent]:
        with self._changed:
            return dict(self._books.by_stage)

    @property
    def by_question(self) -> dict[str, Spent]:
        with self._changed:
            return dict(self._books.by_question)

    @contextmanager
    def reserved(self, tokens: int) -> Generator[None]:
        """Sets so many tokens aside while a request is under way.

        Where they fit only if requests under way take less than they may, this waits until that is known.

        Raises:
            BudgetExhausted: they do not fit.
        """
        with self._changed:
            while self._over(self._reserved + tokens):
                if not self._reserved or self._over(tokens):
                    raise self._exhausted(tokens)
                self._changed.wait()
            self._reserved += tokens
        try:
            yield
        finally:
            with self._changed:
                self._reserved -= tokens
                self._changed.notify_all()

    def add(self, completion: Completion, *, stage: str, question: str | None = None, wasted: bool = False) -> None:
        """Books an answer."""
        usage = completion.usage
        if completion.cached:
            entry = Spent(remembered=1, saved=usage.tokens)
        else:
            entry = Spent(
                requests=1,
                usage=usage,
                wasted=usage.tokens if wasted else 0,
                seconds=completion.seconds,
                cost=self.prices.of(usage),
            )
        with self._changed:
            books = self._books
            books.spent += entry
            books.by_stage[stage] = books.by_stage.get(stage, Spent()) + entry
            if question is not None:
                books.by_question[question] = books.by_question.get(question, Spent()) + entry
            self._changed.notify_all()

    def settled(self, question: str) -> Spent:
        """What a question took, taken out of `by_question`: where there are as many of them as documents."""
        with self._changed:
            return self._books.by_question.pop(question, Spent())

    def _over(self, more: int) -> bool:
        return self.budget_tokens is not None and self._books.spent.usage.tokens + more > self.budget_tokens

    def _exhausted(self, tokens: int) -> BudgetExhausted:
        return BudgetExhausted(
            f"The budget of {self.budget_tokens:,} tokens does not hold the next request, which was not sent:"
            f" {self._books.spent.usage.tokens:,} were spent, and it may take {tokens:,}.",
            remedy="What was done is kept. Run the same command with a higher --budget-tokens to go on.",
        )
