"""A follow-up question as a language model completes it."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from overstory.answer.support import content_words
from overstory.answer.unsupported import unsupported
from overstory.display import on_one_line
from overstory.errors import AnswerUnusable, QuestionError
from overstory.llm import Chat, prompt
from overstory.retrieve.question import check_question
from overstory.text.questions.antecedents import Turn

_MOST_REWRITING_TOKENS = 300


class StandaloneQuestion(BaseModel):
    """A question that can be understood by itself."""

    question: str = Field(min_length=1, max_length=1_000)


def rewritten(chat: Chat, question: str, turns: Sequence[Turn]) -> str:
    """The question, complete by itself; from the cache if the model was asked before."""
    booked, limit = chat.booked("follow-up", question), min(_MOST_REWRITING_TOKENS, chat.model.max_tokens)
    spoken = [f"Question: {turn.question}\nAnswer: {turn.answer or '(none)'}" for turn in turns]
    messages = prompt("follow_up").messages(turn=spoken, question=question)
    quoting = booked.quoting(chunk for turn in turns for chunk in turn.chunks)
    found = on_one_line(quoting.ask_for(StandaloneQuestion, messages, max_tokens=limit, once=True).value.question)
    try:
        check_question(found)
    except QuestionError as error:
        raise AnswerUnusable(f"The model's question is empty: {error}", remedy="Ask again.") from error
    invented = unsupported(found, [question, *spoken])
    if invented:
        raise AnswerUnusable(
            f"The model's question names what nobody spoke of: {', '.join(invented)}.", remedy="Use another model."
        )
    asked, words = content_words(question), content_words(found)
    repeated = any(words == content_words(turn.question) for turn in turns) and words != asked
    if (repeated and asked) or (asked and not asked & words):
        raise AnswerUnusable(f"The model asked something else: {found}", remedy="Use another model.")
    return found
