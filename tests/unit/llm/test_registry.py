from __future__ import annotations

import pytest

from overstory.errors import ModelError
from overstory.llm import llm_names, make_chat_model
from overstory.llm.registry import settings_for
from overstory.settings import LlmSettings

ENDPOINT = LlmSettings("openai", model="m", base_url="http://localhost:1/v1")


def test_ours_are_registered() -> None:
    assert {"local", "openai"} <= set(llm_names())


def test_a_name_is_a_kind_or_else_a_model_of_the_endpoint_in_use() -> None:
    assert settings_for(ENDPOINT, None) == ENDPOINT
    assert settings_for(ENDPOINT, "openai") == ENDPOINT
    assert (settings_for(ENDPOINT, "local").llm, settings_for(ENDPOINT, "local").model) == ("local", None)
    assert (settings_for(ENDPOINT, "n").llm, settings_for(ENDPOINT, "n").model) == ("openai", "n")
    assert settings_for(LlmSettings(), "n").llm == "openai"
    assert settings_for(LlmSettings("local", model="file.gguf"), "local").model == "file.gguf"


def test_a_file_is_the_local_model_also_where_only_its_kind_is_named() -> None:
    assert settings_for(LlmSettings(model="big.gguf"), "local").model == "big.gguf"
    assert settings_for(LlmSettings("openai", model="gpt"), "local").model is None


def test_an_unknown_kind_is_refused_with_those_there_are() -> None:
    with pytest.raises(ModelError, match=r"There is no llm 'nonsense'\.") as raised:
        make_chat_model(LlmSettings("nonsense"))
    assert raised.value.remedy.startswith("Set OVERSTORY_LLM to one of: local, openai.")
