"""Language models: requests, structured answers, answer cache, usage and budget. Independent of Neo4j."""

from overstory.llm.budget import Estimate, Prices, RecordedUsage, Spent, UsageMeter, record_usage
from overstory.llm.cache import AnswerCache, CacheSize
from overstory.llm.chat import Chat, Reply, Request
from overstory.llm.checking import ModelCheck, check_model
from overstory.llm.prompts import Prompt, as_data, prompt, read_prompt
from overstory.llm.registry import answer_cache, llm_names, make_chat_model, open_chat
from overstory.llm.selection import NO_MODEL, ChosenModel

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
