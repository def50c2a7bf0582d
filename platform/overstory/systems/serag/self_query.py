"""The self-query: a passage by a language model that is added to a question before the search."""

from __future__ import annotations

from overstory.llm import Chat, prompt

PROMPT = "self_query"
MOST_TOKENS = 300


def passage_of(chat: Chat, question: str) -> str:
    """A passage that could answer the question, by the model's own knowledge (Section 3.3, Appendix A.1).

    Raises:
        LlmError: the model gave no usable answer.
    """
    booked = chat.booked("serag", question)
    limit = min(MOST_TOKENS, chat.model.max_tokens)
    return " ".join(booked.ask(prompt(PROMPT, __package__).messages(question=question), max_tokens=limit).text.split())
