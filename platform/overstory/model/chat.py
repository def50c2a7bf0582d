"""Messages to a language model, and its responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

JsonSchema = Mapping[str, object]
"""A JSON schema as pydantic generates it; its "title" is the name of the schema."""

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a language model."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of requests and responses; `estimated` if the endpoint reported no counts."""

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
    """A response of a language model.

    Attributes:
        model: model name as the endpoint reports it.
        usage: tokens of this response; for a cached response, the tokens of the original request.
        truncated: True if the response ended at the token limit.
        seconds: time from the first attempt to the response, pauses included.
        retries: number of failed requests before this response.
        cached: True if the response came from the cache and cost nothing.
    """

    text: str
    model: str
    usage: Usage
    truncated: bool = False
    seconds: float = 0.0
    retries: int = 0
    cached: bool = False
