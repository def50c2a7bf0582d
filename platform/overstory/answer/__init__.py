"""Answers to questions, either written by a language model or extracted from the passages."""

from overstory.answer.answers import Quoted, answer
from overstory.answer.citations import without_citations
from overstory.answer.confidence import ALWAYS, STRICT, USUAL, Confidence
from overstory.answer.context import CONTEXT_TOKENS, Context, Item, read_within
from overstory.answer.extractive import Extract, extract
from overstory.answer.generative import AnswerStyle, OnText
from overstory.answer.reader import AnswerReader, Sentence
from overstory.answer.result import Answer, AnswerKind, AnswerState, Citation, CitedPassage

__all__ = [
    "ALWAYS",
    "CONTEXT_TOKENS",
    "STRICT",
    "USUAL",
    "Answer",
    "AnswerKind",
    "AnswerReader",
    "AnswerState",
    "AnswerStyle",
    "Citation",
    "CitedPassage",
    "Confidence",
    "Context",
    "Extract",
    "Item",
    "OnText",
    "Quoted",
    "Sentence",
    "answer",
    "extract",
    "read_within",
    "without_citations",
]
