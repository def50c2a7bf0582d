"""What a language model makes of a question: simpler questions, or a passage that would answer it."""

from __future__ import annotations

from pydantic import BaseModel, Field

from overstory.llm import Chat, prompt

_MOST_TOKENS_OF_WAYS = 300  # tokens of a model's answer


class SimplerQuestions(BaseModel):
    """What a question is made of."""

    questions: list[str] = Field(min_length=1, max_length=4)


class AnsweringPassage(BaseModel):
    """What might answer a question."""

    passage: str = Field(min_length=1, max_length=800)


def simpler_questions(chat: Chat, question: str) -> list[str]:
    """One to four questions, from the cache if the model was asked before."""
    booked, limit = chat.booked("decompose", question), min(_MOST_TOKENS_OF_WAYS, chat.model.max_tokens)
    messages = prompt("decompose").messages(question=question)
    return booked.ask_for(SimplerQuestions, messages, max_tokens=limit, once=True).value.questions


def hypothetical_passage(chat: Chat, question: str) -> str:
    """A few sentences, from the cache if the model was asked before."""
    booked, limit = chat.booked("hypothetical", question), min(_MOST_TOKENS_OF_WAYS, chat.model.max_tokens)
    messages = prompt("hypothetical").messages(question=question)
    return booked.ask_for(AnsweringPassage, messages, max_tokens=limit, once=True).value.passage
