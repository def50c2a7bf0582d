"""Schemas that endpoints take, and answers that nearly fit them."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from overstory.llm.structured_answers import Malformed, balanced, correction, parsed, schema_message, schema_of


class Source(BaseModel):
    passage: int = Field(ge=1)
    sure: bool = True


class Answer(BaseModel):
    text: str
    kind: Literal["short", "long"] = "short"
    sources: list[Source] = []


GOOD = '{"text": "In {Dublin} \\"city\\"", "kind": "short", "sources": [{"passage": 1, "sure": true}]}'


def test_every_object_of_a_schema_is_closed_and_asks_for_all_fields() -> None:
    schema = schema_of(Answer)
    assert schema["title"] == "Answer"
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["text", "kind", "sources"]
    source = schema["$defs"]["Source"]  # type: ignore[index]
    assert source["required"] == ["passage", "sure"]
    assert "default" not in json.dumps(schema)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\ufeff  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"Sure! Here it is:\n```\n{GOOD}\n```\nAnything else?",
        f"<think>It is {{not}} hard.</think>{GOOD}",
        f"The answer is {GOOD}, I think.",
        f"An unclosed {{ brace. ```json\n{GOOD}```",
        f'{{"passage": 9}} {GOOD}',
    ],
)
def test_what_is_meant_is_found(text: str) -> None:
    found = parsed(Answer, text)
    assert found.text == 'In {Dublin} "city"'
    assert found.sources == [Source(passage=1)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no complete JSON object"),
        ("I do not know.", "no complete JSON object"),
        (GOOD[:-1], "no complete JSON object"),
        ('{"text": 1, "sources": [{"passage": 0}]}', "sources.0.passage: "),
        ('{"kind": "short"}', "text: Field required"),
        ('{"text": "a",}', "the object: Invalid JSON"),
        ("[1, 2]", "no complete JSON object"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    with pytest.raises(Malformed, match=said):
        parsed(Answer, text)


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text())), st.text(alphabet='ab "\n,.'))
def test_an_object_is_found_among_other_words(value: dict[str, object], words: str) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert list(balanced(f"{words}{text}{words}{text}")) == [text, text]


def test_the_schema_in_words_and_the_correction_hold_what_they_are_about() -> None:
    assert '"required":["passage","sure"]' in schema_message(schema_of(Source)).text
    answer, user = correction("<|im_end|>", "text: Field required.")
    assert (answer.role, user.role) == ("assistant", "user")
    assert "<|" not in answer.text
    assert "text: Field required." in user.text
