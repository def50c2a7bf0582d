"""A question taken apart by a language model."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from overstory.llm import Chat, prompt

PROMPT = "question"
_SLIMRAG_NAMES_TOKENS = 400  # of a model's answer


class SubQuestion(BaseModel):
    """A simpler question, and what it names."""

    question: str = Field(min_length=1, max_length=500)
    entities: list[str] = Field(max_length=8)


class SubQuestions(BaseModel):
    """What a question is made of."""

    sub_questions: list[SubQuestion] = Field(min_length=1, max_length=4)


def sub_questions(chat: Chat, question: str) -> dict[str, Sequence[str]]:
    """The sub-questions with the entities of each."""
    booked = chat.booked("slimrag", question)
    limit = min(_SLIMRAG_NAMES_TOKENS, chat.model.max_tokens)
    reply = booked.ask_for(SubQuestions, prompt(PROMPT, __package__).messages(question=question), max_tokens=limit)
    return {part.question: [name for name in part.entities if name.strip()] for part in reply.value.sub_questions}
