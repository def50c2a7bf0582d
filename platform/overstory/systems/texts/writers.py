"""Writers of texts on groups: rules, or a language model with rules as fallback for unusable responses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from overstory.errors import NoUsableAnswer
from overstory.llm import Chat, Estimate, Request
from overstory.llm.prompts import Prompt
from overstory.model import Message, Usage

if TYPE_CHECKING:
    from pydantic import BaseModel

G = TypeVar("G")
T = TypeVar("T")
A = TypeVar("A", bound="BaseModel")


class TextWriter(ABC, Generic[G, T]):
    """Writes texts on groups.

    Attributes:
        fingerprint: Changes whenever the same group may get another text.
    """

    fingerprint: str

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user on the texts written so far."""
        return ()

    @abstractmethod
    def write(self, groups: Iterable[G]) -> Iterator[T]:
        """Yield the text on each group, in order and lazily. Groups are read ahead of their texts."""


class RuleWriter(TextWriter[G, T]):
    """Writes texts by rules."""

    @abstractmethod
    def text(self, group: G) -> T:
        """Return the text on one group."""

    def write(self, groups: Iterable[G]) -> Iterator[T]:
        return map(self.text, groups)


@dataclass(frozen=True, slots=True)
class WritingOutcome(Generic[T]):
    """The outcome of one request.

    Attributes:
        text: Text of the response; None if the response was unusable or no request was sent.
        things: Number of content items of the group.
        left_out: Number of items that did not fit into the request.
        sent: False if the group has no content, so no request was sent.
    """

    text: T | None
    things: int = 0
    left_out: int = 0
    sent: bool = True


class ModelWriter(TextWriter[G, T]):
    """Asks a language model for texts, several groups at a time. Rules write a text if the response is unusable."""

    def __init__(self, chat: Chat, model: str, prompt: Prompt, rules: RuleWriter[G, T]) -> None:
        """Create a writer. `chat` records usage under the system's name; texts carry the name `model` in `by`."""
        self.chat, self.model, self.prompt, self.rules = chat, model, prompt, rules
        self.fingerprint = f"{chat.model.fingerprint} {prompt.fingerprint} {rules.fingerprint}".strip()
        self.groups = self.by_rules = self.things = self.left_out = 0

    @abstractmethod
    def asked(self, group: G) -> WritingOutcome[T]:
        """Request the text on one group. Called from several threads."""

    @abstractmethod
    def fallen_back(self) -> str:
        """Return the beginning of the note on texts written by rules."""

    def not_shown(self) -> str:
        """Return the note on content that did not fit into requests."""
        return ""

    @property
    def notes(self) -> tuple[str, ...]:
        unusable = f"{self.fallen_back()}: the answers of {self.model} could not be used" if self.by_rules else ""
        return tuple(filter(None, (unusable, self.not_shown() if self.left_out else "")))

    def write(self, groups: Iterable[G]) -> Iterator[T]:
        def one(group: G) -> tuple[G, WritingOutcome[T]]:
            return group, self.asked(group)

        for group, asked in self.chat.each(one, groups):
            self.groups += 1
            self.things += asked.things
            if asked.text is None:
                self.by_rules += asked.sent
                yield self.rules.text(group)
            else:
                self.left_out += asked.left_out
                yield asked.text

    def answer(self, kind: type[A], messages: Sequence[Message], quoted: Iterable[str]) -> A | None:
        """Return the parsed response to a request; None if it is unusable.

        Args:
            quoted: Ids of all passages from which the request was made.
        """
        try:
            return self.chat.quoting(quoted).ask_for(kind, messages, once=True).value
        except NoUsableAnswer:
            return None

    def times(self, request: Request, number: int, *, more_tokens: int = 0) -> Estimate:
        """Return the cost of `number` requests like this one, each with `more_tokens` additional prompt tokens."""
        one = self.chat.estimate([request]).usage
        usage = Usage((one.prompt_tokens + more_tokens) * number, one.completion_tokens * number, estimated=True)
        return Estimate(number, 0, usage, self.chat.usage.prices.of(usage))
