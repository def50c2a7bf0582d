"""How many tokens a prompt has, by the tokenizer of the model that reads it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from overstory.errors import LlmError
from overstory.llm import Chat
from overstory.protocols import Embedder

_log = logging.getLogger(__name__)


class TokenCounts(NamedTuple):
    """
    Attributes:
        tokens: of each text, with those that the tokenizer adds to any text.
        tokenizer: whose they are, for people.
    """

    tokens: list[int]
    tokenizer: str


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts by the language model's own tokenizer, where it offers one, else by the embedder's.

    Attributes:
        chat: None where no language model reads the prompt.
    """

    embedder: Embedder
    chat: Chat | None = None

    def count(self, texts: Sequence[str]) -> TokenCounts:
        """The first call may load the language model. One that cannot be run does not count, either: then the
        embedder's tokenizer does."""
        model = None if self.chat is None else self.chat.model
        count: Callable[[Sequence[str]], list[int]] | None = getattr(model, "count_tokens", None)
        if model is not None and count is not None:
            try:
                return TokenCounts(count(texts), _name(model.fingerprint))
            except LlmError as error:
                _log.warning("The language model cannot count tokens. %s", error)
        return TokenCounts(self.embedder.count_tokens(texts), f"{_name(self.embedder.fingerprint)}, the embedder's")


def _name(fingerprint: str) -> str:
    """What stands before its digits."""
    return fingerprint.rpartition(":")[0] or fingerprint
