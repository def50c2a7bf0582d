"""Base classes that write texts about groups, by rules or with a language model."""

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
    """Writes texts about groups.

    Attributes:
        fingerprint: Identifies the way of writing. It changes whenever the text for the same group can change.
    """

    fingerprint: str

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    @abstractmethod
    def write(self, groups: Iterable[G]) -> Iterator[T]:
        """Yield the text about each group, lazily and in order. Further groups may already be read by then."""


class RuleWriter(TextWriter[G, T]):
    """Writes texts by rules."""

    @abstractmethod
    def text(self, group: G) -> T:
        """Return the text about one group."""

    def write(self, groups: Iterable[G]) -> Iterator[T]:
        return map(self.text, groups)


@dataclass(frozen=True, slots=True)
class WritingOutcome(Generic[T]):
    """The outcome of asking a language model for the text about one group.

    Attributes:
        text: Text in the response; None if the response was unusable or no request was sent.
        things: Number of content items in the group.
        left_out: Number of content items that did not fit into the request.
        sent: False if no request was sent, because the group has no content.
    """

    text: T | None
    things: int = 0
    left_out: int = 0
    sent: bool = True


class ModelWriter(TextWriter[G, T]):
    """Asks a language model for texts, about several groups at the same time.

    If a response is unusable, rules write the text instead.
    """

    def __init__(self, chat: Chat, model: str, prompt: Prompt, rules: RuleWriter[G, T]) -> None:
        """
        Args:
            chat: A chat that attributes its usage to the system.
        """
        self.chat, self.model, self.prompt, self.rules = chat, model, prompt, rules
        self.fingerprint = f"{chat.model.fingerprint} {prompt.fingerprint} {rules.fingerprint}".strip()
        self.groups = self.by_rules = self.things = self.left_out = 0

    @abstractmethod
    def asked(self, group: G) -> WritingOutcome[T]:
        """Ask the model for the text about one group. This method is called from several threads at the same time."""

    @abstractmethod
    def fallen_back(self) -> str:
        """Return the beginning of the note that some texts were written by rules."""

    def not_shown(self) -> str:
        """Return a note about content that did not fit into requests."""
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
        """Send a request and return the parsed response, or None if the response is unusable.

        Args:
            quoted: Ids of all passages on which the request is based.
        """
        try:
            return self.chat.quoting(quoted).ask_for(kind, messages, once=True).value
        except NoUsableAnswer:
            return None

    def times(self, request: Request, number: int, *, more_tokens: int = 0) -> Estimate:
        """Estimate the usage of `number` requests like the given one.

        Args:
            more_tokens: Number of prompt tokens that each of them contains in addition.
        """
        one = self.chat.estimate([request]).usage
        usage = Usage((one.prompt_tokens + more_tokens) * number, one.completion_tokens * number, estimated=True)
        return Estimate(number, 0, usage, self.chat.usage.prices.of(usage))
