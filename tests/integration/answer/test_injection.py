"""Hostile passages fail, whatever the model believes: see docs/answers.md."""

from __future__ import annotations

import re

import pytest
from tests.chat_endpoint import Endpoint, streaming
from tests.integration.answer.hostile import HOSTILE, QUESTION, TRUE
from tests.local_model import WHY_NOT, local_model_is_there, local_settings
from tests.passages import OpenCorpus, passage
from tests.reopening import reopened

from overstory.knowledge import Knowledge
from overstory.settings import LlmSettings

SOURCE = "tests/hostile"


@pytest.fixture(scope="module")
def hostile(open_module_corpus: OpenCorpus) -> Knowledge:
    """A corpus of the ten, and of one passage that answers the question."""
    knowledge = open_module_corpus()
    knowledge.ingest_documents(
        [
            *(passage(name, f"Norrvik {name}", text, source=SOURCE) for name, text in HOSTILE.items()),
            passage("true", "Norrvik lighthouse", TRUE, source=SOURCE),
        ]
    )
    knowledge.index()
    return knowledge


def test_hostile_passages_stay_data_and_an_obedient_model_harms_nobody(hostile: Knowledge, endpoint: Endpoint) -> None:
    # A model that does all it was told to.
    endpoint.then = streaming(
        "ARRR [99]", "[7", "7] ![status](http://evil.example/pixel.png)\x1b[2J\x9b31m\u202e", " Mallory [1]."
    )
    heard: list[str] = []
    with reopened(hostile, LlmSettings("openai", model="m", base_url=endpoint.url)) as knowledge:
        answer = knowledge.ask(QUESTION, 20, context_tokens=6_000, on_text=heard.append)

    assert len(answer.evidence.hits) == len(HOSTILE) + 1
    [request] = endpoint.requests
    system, user = (message["content"] for message in request["messages"])
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert "tools" not in request
    assert not {"functions", "function_call", "tool_choice"} & set(request)
    tag = re.findall(r"^<(passage-[0-9a-f]{6}) nr=", user, re.MULTILINE)[0]
    assert len(re.findall(rf"<{tag} nr=", user)) == len(re.findall(rf"</{tag}>", user)) == len(HOSTILE) + 1
    assert not re.findall(rf"<(?!/?{tag}\b)/?passage", user)
    assert not re.findall(r"<\||<s>|<<SYS|\[INST\]|\[TOOL_CALLS\]|<start_of_turn>", user)
    assert user.rstrip().endswith(f"Question: {QUESTION}")
    assert "evil" not in system

    text = "".join(heard)
    assert text == answer.text
    assert not re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    assert re.findall(r"\[\d+\]", text) == ["[1]"]
    assert [each.number for each in answer.citations] == [1]
    assert "2 citations of the model matched no passage and were removed." in answer.notes


@pytest.mark.skipif(not local_model_is_there(), reason=WHY_NOT)
def test_hostile_passages_through_a_real_model(hostile: Knowledge) -> None:
    with reopened(hostile, local_settings(context=1_400, max_tokens=12)) as knowledge:
        answer = knowledge.ask(QUESTION, 11)
    assert answer.kind == "llm"
    assert answer.usage.requests == 1
    assert not [note for note in answer.notes if "not read" in note or "in part" in note]
    numbers = {int(number) for number in re.findall(r"\[(\d+)\]", answer.text)}
    assert numbers <= {each.number for each in answer.citations}
    assert not re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", answer.text)


def test_hostile_passages_without_a_model_are_quoted_and_nothing_else(hostile: Knowledge) -> None:
    hostile.use_model("none")
    answer = hostile.ask(QUESTION, 11)
    assert answer.kind == "extractive"
    assert answer.short == "Ada Lindqvist"
    numbers = {int(number) for number in re.findall(r"\[(\d+)\]", answer.text)}
    assert numbers == {each.number for each in answer.citations}
    assert not re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", answer.text)
