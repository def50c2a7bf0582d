"""The self-query: a model's passage that is added to a question."""

from __future__ import annotations

import pytest
from tests.fakes import ScriptedChat

from overstory.errors import LlmUnreachable
from overstory.llm import Chat
from overstory_systems.serag.retriever import passage_of

QUESTION = "Where was Albert Einstein born?"


def test_a_models_passage_is_one_line_and_booked_for_its_question() -> None:
    model = ScriptedChat("Albert Einstein was born\nin Ulm.  ")
    chat = Chat(model)
    assert passage_of(chat, QUESTION) == "Albert Einstein was born in Ulm."
    (messages,) = model.asked
    assert QUESTION in messages[-1].text
    assert model.limits == [model.max_tokens]
    assert QUESTION in chat.usage.by_question


def test_a_model_that_is_gone_is_heard_of() -> None:
    with pytest.raises(LlmUnreachable):
        passage_of(Chat(ScriptedChat(LlmUnreachable("gone"))), QUESTION)
