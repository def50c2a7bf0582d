"""Answers from evidence: the context read, answers by a language model, and extractive answers."""

from overstory.answer.answering import answer
from overstory.answer.citations import without_citations
from overstory.answer.context import CONTEXT_TOKENS, Context, Item, read_within
from overstory.answer.extractive import Extract, extract
from overstory.answer.generative import OnText
from overstory.answer.result import Answer, AnswerKind, AnswerState, Citation, CitedPassage

__all__ = [
    "CONTEXT_TOKENS",
    "Answer",
    "AnswerKind",
    "AnswerState",
    "Citation",
    "CitedPassage",
    "Context",
    "Extract",
    "Item",
    "OnText",
    "answer",
    "extract",
    "read_within",
    "without_citations",
]
