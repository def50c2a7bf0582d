"""Records the token usage of language models by stage and question, and enforces a token budget."""

from __future__ import annotations

import operator
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from typing import Any

from overstory.display import counted
from overstory.errors import BudgetExhausted
from overstory.model import Completion, JsonSchema, Message, Usage
from overstory.model.passage_text import count_at_most

_TOKENS_A_MESSAGE = 8  # tokens added for the role and the delimiters of a message


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices per million tokens of prompts and of answers, in any currency."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, usage: Usage) -> float:
        return (usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) / 1e6


@dataclass(frozen=True, slots=True)
class Spent:
    """The usage of language models.

    Attributes:
        requests: number of answered requests, including requests with unusable answers.
        remembered: number of answers from the cache, which cost nothing.
        wasted: tokens used by requests with unusable answers. They are included in `usage`.
        saved: tokens that the cached answers originally cost.
        seconds: time spent waiting for answers, summed over all threads.
        cost: cost of `usage` according to `Prices`.
    """

    requests: int = 0
    remembered: int = 0
    usage: Usage = field(default_factory=Usage)
    wasted: int = 0
    saved: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(*map(operator.add, self._values(), other._values()))

    def __sub__(self, before: Spent) -> Spent:
        return Spent(*map(operator.sub, self._values(), before._values()))

    def _values(self) -> list[Any]:  # the values are numbers and a Usage
        return [getattr(self, each.name) for each in fields(self)]

    def __str__(self) -> str:
        about = "about " if self.usage.estimated else ""
        parts = [f"{counted(self.requests, 'request')}, {about}{counted(self.usage.tokens, 'token')}"]
        if self.wasted:
            parts.append(f"{self.wasted:,} of them wasted")
        if self.remembered:
            parts.append(f"{counted(self.remembered, 'cached answer')} ({self.saved:,} tokens saved)")
        if self.cost:
            parts.append(f"cost {self.cost:,.4f}")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Estimate:
    """An upper bound on the usage of planned requests, computed without sending them.

    Attributes:
        remembered: number of requests whose answers are already cached.
        usage: upper bound on the tokens in the prompts, and the sum of the token limits of the answers.
        cost: cost of `usage` according to `Prices`.
        kept: maximum number of existing texts that can be kept because their input has not changed. Each of them saves
            a request.
    """

    requests: int
    remembered: int
    usage: Usage
    cost: float
    kept: int = 0

    @classmethod
    def nothing(cls) -> Estimate:
        """Return the estimate for work that needs no language model."""
        return cls(0, 0, Usage(estimated=True), 0.0)

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.requests + other.requests,
            self.remembered + other.remembered,
            self.usage + other.usage,
            self.cost + other.cost,
            self.kept + other.kept,
        )

    def __str__(self) -> str:
        text = (
            f"{self.requests:,} requests, at most {self.usage.prompt_tokens:,} tokens of prompts"
            f" and {self.usage.completion_tokens:,} of answers; {self.remembered:,} answers are cached"
        )
        if self.kept:
            text += f"; up to {self.kept:,} texts of the index are kept if their input has not changed"
        return f"{text}; cost at most {self.cost:,.4f}" if self.cost else text


def prompt_tokens_at_most(messages: Sequence[Message], schema: JsonSchema | None = None) -> int:
    """Return an upper bound on the number of tokens in the messages.

    The schema counts as well, because some endpoints add it to the prompt.
    """
    stated = count_at_most(str(dict(schema))) if schema else 0
    return stated + sum(_TOKENS_A_MESSAGE + count_at_most(message.text) for message in messages)


class RecordedUsage:
    """The usage recorded in a `record_usage` block. It is safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spent = Spent()

    @property
    def spent(self) -> Spent:
        with self._lock:
            return self._spent

    def add(self, entry: Spent) -> None:
        """Add the usage caused by one answer."""
        with self._lock:
            self._spent += entry


_recording: ContextVar[tuple[RecordedUsage, ...]] = ContextVar("recording", default=())


@contextmanager
def record_usage() -> Generator[RecordedUsage]:
    """Record the usage of language models while a `with` block runs.

    Only requests from the current thread are recorded, including those that it sends through `Chat.each`. Blocks can be
    nested.
    """
    recorded = RecordedUsage()
    token = _recording.set((*_recording.get(), recorded))
    try:
        yield recorded
    finally:
        _recording.reset(token)


@dataclass(slots=True)
class _Totals:
    spent: Spent = Spent()
    by_stage: dict[str, Spent] = field(default_factory=dict[str, Spent])
    by_question: dict[str, Spent] = field(default_factory=dict[str, Spent])


class UsageMeter:
    """Adds up the usage of language models, and refuses requests that might exceed a budget.

    A meter is safe to share between threads.
    """

    def __init__(self, *, budget_tokens: int | None = None, prices: Prices | None = None) -> None:
        self.budget_tokens = budget_tokens
        self.prices = prices or Prices()
        self._totals = _Totals()
        self._reserved = 0
        self._changed = threading.Condition()

    @property
    def spent(self) -> Spent:
        with self._changed:
            return self._totals.spent

    @property
    def by_stage(self) -> dict[str, Spent]:
        with self._changed:
            return dict(self._totals.by_stage)

    @property
    def by_question(self) -> dict[str, Spent]:
        """A map from questions to their usage. Requests that belong to no question are not included."""
        with self._changed:
            return dict(self._totals.by_question)

    @contextmanager
    def reserved(self, tokens: int) -> Generator[None]:
        """Reserve tokens of the budget for one request while a `with` block runs.

        Other running requests may use fewer tokens than they have reserved. If the tokens do not fit into the budget
        now, the method waits for such requests to finish.

        Raises:
            BudgetExhausted: The tokens do not fit into the budget.
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
        """Add the usage of an answer to the totals, and to the active `record_usage` blocks of the current thread.

        Args:
            wasted: True if the answer cannot be used.
        """
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
            totals = self._totals
            totals.spent += entry
            totals.by_stage[stage] = totals.by_stage.get(stage, Spent()) + entry
            if question is not None:
                totals.by_question[question] = totals.by_question.get(question, Spent()) + entry
            self._changed.notify_all()
        for recorded in _recording.get():
            recorded.add(entry)

    def _over(self, more: int) -> bool:
        return self.budget_tokens is not None and self._totals.spent.usage.tokens + more > self.budget_tokens

    def _exhausted(self, tokens: int) -> BudgetExhausted:
        return BudgetExhausted(
            f"The budget of {self.budget_tokens:,} tokens is too small for the next request, which was not sent:"
            f" {self._totals.spent.usage.tokens:,} tokens were spent, and the request may take {tokens:,}.",
            remedy="Finished work is kept. Run the same command with a higher --budget-tokens to continue.",
        )
