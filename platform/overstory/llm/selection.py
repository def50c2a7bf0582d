"""The selected language model, opened on first use."""

from __future__ import annotations

import threading

from overstory.llm.chat import Chat
from overstory.llm.registry import open_chat
from overstory.settings import Settings

NO_MODEL = "none"
"""The name that stands for no language model."""


class ChosenModel:
    """The selected model; initially that of the settings, if any. Safe to share between threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._name: str | None = None
        self._budget_tokens: int | None = None
        self._chat: Chat | None = None
        self._opening = threading.RLock()

    def choose(self, name: str | None, *, budget_tokens: int | None = None) -> None:
        """Select a model, which is opened on first use, and close the previous one.

        Args:
            name: as for `open_chat`; "none" for no model, None for that of the settings.
            budget_tokens: for all its requests together.
        """
        with self._opening:
            self.close()
            self._name, self._budget_tokens = name, budget_tokens

    def chat(self) -> Chat | None:
        """A chat with the model, or None if no model is selected."""
        with self._opening:
            named = self._settings.llm.llm if self._name is None else self._name
            if self._chat is None and named is not None and named != NO_MODEL:
                self._chat = open_chat(self._settings, self._name, budget_tokens=self._budget_tokens)
            return self._chat

    def opened(self) -> Chat | None:
        """The chat if it has been used already; nothing is opened."""
        with self._opening:
            return self._chat

    def chat_with(self, name: str) -> Chat:
        """A chat with this model, within the selected budget."""
        with self._opening:
            if self._chat is None or self._name != name:
                self.choose(name, budget_tokens=self._budget_tokens)
                self._chat = open_chat(self._settings, name, budget_tokens=self._budget_tokens)
            return self._chat

    def close(self) -> None:
        """Close the model; the next use opens it again."""
        with self._opening:
            if self._chat is not None:
                self._chat.close()
            self._chat = None
