"""Reports on communities: which are made, in which order, and what they say."""

from __future__ import annotations

import pytest
from tests.fakes import ScriptedChat

from overstory.errors import LlmUnreachable
from overstory.llm import Chat
from overstory.model import Hit
from overstory_systems.serag.retriever import SelectedCommunity, community_reports, passage_of


def hit(chunk: str, title: str = "", text: str = "…") -> Hit:
    return Hit(chunk, f"d-{chunk}", "wiki", chunk, title, "", text, 1.0)


HITS = [hit("c2", "Ulm", "Ulm lies\non the Danube."), hit("c1", "", "Bern is old."), hit("c3")]
NAMES = [
    {"id": "c2", "names": [["Ulm", 0.9], ["Danube", 0.6]]},
    {"id": "c1", "names": [["Bern", 0.8], ["Danube", 0.6]]},
]
WIDE = SelectedCommunity("wide", 1, 0.4, ("c0", "c1", "c2", "c9"))
NARROW = SelectedCommunity("narrow", 2, 0.7, ("c2",))
EMPTY = SelectedCommunity("empty", 2, 0.9, ("c8",))


def test_communities_with_hits_are_reported_the_nearest_first() -> None:
    reports = list(community_reports([WIDE, NARROW, EMPTY], HITS, NAMES))
    assert [report.community for report in reports] == ["narrow", "wide"]
    wide = reports[1]
    assert wide.text.splitlines() == [
        "Community of 4 passages, 2 of them found: Danube, Ulm, Bern",
        "- Ulm: Ulm lies on the Danube.",
        "- Bern is old.",
    ]
    assert (wide.kind, wide.level, wide.size, wide.score) == ("report", 1, 4, 0.4)
    assert (wide.chunks, wide.documents) == (("c2", "c1"), ("d-c2", "d-c1"))


def test_without_names_there_is_the_size() -> None:
    (report,) = community_reports([NARROW], HITS, [])
    assert report.title == "Community of 1 passage, 1 of them found"


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
