"""Language models: requests, structured answers, the answer cache, usage and budgets. Nothing here uses Neo4j."""

from overstory.llm.budget import Estimate, Prices, RecordedUsage, Spent, UsageMeter, record_usage
from overstory.llm.cache import AnswerCache, CacheSize
from overstory.llm.chat import Chat, Reply, Request
from overstory.llm.prompts import Prompt, as_data, prompt, read_prompt
from overstory.llm.registry import (
    NO_MODEL,
    ChosenModel,
    ModelCheck,
    answer_cache,
    check_model,
    llm_names,
    make_chat_model,
    open_chat,
)

__all__ = [
    "NO_MODEL",
    "AnswerCache",
    "CacheSize",
    "Chat",
    "ChosenModel",
    "Estimate",
    "ModelCheck",
    "Prices",
    "Prompt",
    "RecordedUsage",
    "Reply",
    "Request",
    "Spent",
    "UsageMeter",
    "answer_cache",
    "as_data",
    "check_model",
    "llm_names",
    "make_chat_model",
    "open_chat",
    "prompt",
    "read_prompt",
    "record_usage",
]
