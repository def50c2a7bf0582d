"""Conversations and `overstory ask --continue` on a real graph, without a model and with one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.chat_endpoint import running_chat_endpoint, saying
from tests.commands import Run
from tests.passages import CURIE, EINSTEIN, OpenCorpus

from overstory.conversation import KeptConversation
from overstory.graph.ids import corpus_label
from overstory.knowledge import Knowledge
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings


@pytest.fixture(autouse=True)
def _without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OVERSTORY_LLM", "OVERSTORY_LLM_BASE_URL", "OVERSTORY_LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)


def test_a_conversation_goes_on_from_names_of_questions_and_answers(shared_corpus: Knowledge) -> None:
    conversation = shared_corpus.conversation()
    first = conversation.ask("Where was Albert Einstein born?")
    assert (first.short, first.follow_up) == ("Ulm", "")
    second = conversation.ask("Whom did he marry?")
    assert (second.question, second.follow_up) == ("Whom did Albert Einstein marry?", "Whom did he marry?")
    assert "Mileva" in second.text
    third = conversation.ask("What about Marie Curie? Where was she born?")
    assert "Marie Curie" in third.question
    assert [turn.question for turn in conversation.turns][:2] == [first.question, second.question]


@pytest.mark.slow
def test_the_command_goes_on_from_the_last_questions(overstory: Run, shared_corpus: Knowledge) -> None:
    name = shared_corpus.corpus_name
    shared_corpus.kept_conversation.forget()
    nothing = overstory("ask", "--continue", "And when?", "--corpus", name)
    assert (nothing.code, nothing.out) == (10, "")
    assert "There is no conversation to continue" in nothing.err
    assert overstory("ask", "Where was Albert Einstein born?", "--corpus", name).code == 0
    shown = overstory("ask", "--continue", "Whom did he marry?", "--corpus", name)
    assert shown.out.startswith("Asked as: Whom did Albert Einstein marry?\n\n")
    said = json.loads(overstory("ask", "--continue", "Where did he work?", "--corpus", name, "--json").out)
    assert (said["question"], said["follow_up"]) == ("Where did Albert Einstein work?", "Where did he work?")
    assert len(shared_corpus.kept_conversation.read()) == 3
    assert overstory("ask", "Where was Marie Curie born?", "--corpus", name).code == 0
    assert len(shared_corpus.kept_conversation.read()) == 1


def test_a_model_completes_the_question_and_answers_it(
    shared_corpus: Knowledge, settings: Settings, models: tuple[Embedder, Extractor], tmp_path: Path
) -> None:
    with running_chat_endpoint() as endpoint:
        llm = replace(settings.llm, llm="openai", model="m", base_url=endpoint.url, retries=0, form="prompt")
        places = replace(settings.places, cache=tmp_path)
        with Knowledge(shared_corpus.corpus_name, settings=replace(settings, llm=llm, places=places)) as knowledge:
            knowledge.use(embedder=models[0], extractor=models[1])
            conversation = knowledge.conversation()
            endpoint.then = saying("Ulm [1].")
            conversation.ask("Where was Albert Einstein born?")
            endpoint.then = saying('{"question": "Wen heiratete Albert Einstein?"}')
            answer = conversation.ask("Wen heiratete er?")
    assert (answer.question, answer.follow_up) == ("Wen heiratete Albert Einstein?", "Wen heiratete er?")
    assert answer.usage.requests == 2


@pytest.mark.changes_schema
def test_what_was_kept_is_forgotten_with_its_passages_and_its_corpus(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([EINSTEIN, CURIE])
    knowledge.index()
    kept = KeptConversation(knowledge.settings, corpus_label(knowledge.corpus_name))
    conversation = knowledge.conversation()
    answer = conversation.ask("Where was Albert Einstein born?", 1)
    kept.write(conversation.turns)
    knowledge.delete_documents([each.document_id for each in answer.evidence.hits[:1]])
    assert kept.read() == []
    kept.write(conversation.turns)
    knowledge.delete_corpus()
    assert kept.read() == []
