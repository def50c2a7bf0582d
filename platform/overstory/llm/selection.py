"""The language model that somebody chose, opened when it is first needed."""

from __future__ import annotations

import threading

from overstory.llm.chat import Chat
from overstory.llm.registry import open_chat
from overstory.settings import Settings

NO_MODEL = "none"
"""The name that chooses no language model."""


class ChosenModel:
    """At first the model of the settings, if they name one. Safe to share between threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._name: str | None = None
        self._budget_tokens: int | None = None
        self._chat: Chat | None = None
        self._opening = threading.RLock()

    def choose(self, name: str | None, *, budget_tokens: int | None = None) -> None:
        """Closes what is open; the choice is opened when it is asked for.

        Args:
            name: as `open_chat` takes it; "none" for no model, None for that of the settings.
            budget_tokens: for all that it will be asked together.
        """
        with self._opening:
            self.close()
            self._name, self._budget_tokens = name, budget_tokens

    def chat(self) -> Chat | None:
        """A chat with the model, None where there is none.

        Raises:
            LlmError, ExtraMissing, ModelError: it cannot be opened.
        """
        with self._opening:
            named = self._settings.llm.llm if self._name is None else self._name
            if self._chat is None and named is not None and named != NO_MODEL:
                self._chat = open_chat(self._settings, self._name, budget_tokens=self._budget_tokens)
            return self._chat

    def chat_with(self, name: str) -> Chat:
        """A chat with this model, within the budget that was chosen.

        Raises:
            LlmError, ExtraMissing, ModelError: as `chat`.
        """
        with self._opening:
            if self._chat is None or self._name != name:
                self.choose(name, budget_tokens=self._budget_tokens)
                self._chat = open_chat(self._settings, name, budget_tokens=self._budget_tokens)
            return self._chat

    def close(self) -> None:
        """Lets go of the model; a later call opens it again."""
        with self._opening:
            if self._chat is not None:
                self._chat.close()
            self._chat = None
