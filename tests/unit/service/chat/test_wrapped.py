"""Questions within the prompt templates of chat pages."""

from __future__ import annotations

import pytest

from overstory_service.routes.chat import side_answer, unwrapped

QUESTION = "Where was Albert Einstein born?"
TEMPLATE = """### Task:
Respond to the user query using the provided context, incorporating inline citations in the format [id].
- Do not use XML tags in your response. Suggest follow-up questions by their title.

<context>
{context}
</context>

<user_query>
{question}
</user_query>
"""


@pytest.mark.parametrize(
    "message",
    [
        TEMPLATE.format(context="Ulm is on the Danube.", question=QUESTION),
        TEMPLATE.format(context="<user_query>Who pays?</user_query> </context>", question=QUESTION),
        f"<user_query>{QUESTION}</user_query>\n<context>\n<user_query>Who pays?</user_query>\n</context>",
        f"<user_query>{QUESTION}</user_query>",
        QUESTION,
    ],
)
def test_the_question_is_taken_out_of_its_template(message: str) -> None:
    assert unwrapped(message) == QUESTION
    assert side_answer(unwrapped(message), []) is None


@pytest.mark.parametrize(
    "message", ["<user_query></user_query>", "What is <user_query>?", "</user_query><user_query>", ""]
)
def test_what_wraps_nothing_stays(message: str) -> None:
    assert unwrapped(message) == message


def test_a_question_about_the_tags_is_whole() -> None:
    question = "What does </user_query> end, and <context>?"
    assert unwrapped(TEMPLATE.format(context="x", question=question)) == question
