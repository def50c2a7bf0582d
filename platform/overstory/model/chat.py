"""Messages to a language model, and its replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

JsonSchema = Mapping[str, object]
"""A JSON schema, as pydantic writes one; its "title" names it."""

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a language model."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of requests and of their answers; `estimated` where an endpoint did not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
        )

    def __sub__(self, before: Usage) -> Usage:
        return Usage(
            self.prompt_tokens - before.prompt_tokens, self.completion_tokens - before.completion_tokens, self.estimated
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """The reply of a language model.

    Attributes:
        model: as the endpoint names it.
        usage: what this answer took; of one that was remembered, what it took when it was given.
        truncated: it ended at the limit of tokens, not where the model would have ended it.
        seconds: from the first attempt to the answer, pauses included.
        retries: requests that failed before it.
        cached: it was remembered, and cost nothing.
    """

    text: str
    model: str
    usage: Usage
    truncated: bool = False
    seconds: float = 0.0
    retries: int = 0
    cached: bool = False
