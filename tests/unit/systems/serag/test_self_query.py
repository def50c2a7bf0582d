"""What is added to a question: a model's passage, or the best sentences of the first hits."""

from __future__ import annotations

import pytest
from tests.fakes import HashingEmbedder, ScriptedChat

from overstory.embed.minilm import MiniLmEmbedder
from overstory.errors import LlmUnreachable
from overstory.graph.client import Row
from overstory.llm import Chat
from overstory.systems.serag.self_query import FIRST_HITS, MOST_SENTENCES, best_sentences, passage_of

QUESTION = "Where was Albert Einstein born?"


def chunk(*sentences: str) -> Row:
    starts = [sum(len(each) + 1 for each in sentences[:n]) for n in range(len(sentences))]
    return {"text": " ".join(sentences), "sentences": starts}


def test_the_sentence_nearest_to_the_question_of_each_of_the_first_hits() -> None:
    chunks = [
        chunk("Ulm is a city.", "Albert Einstein was born in Ulm.", "It lies on the Danube."),
        chunk("He worked in Bern.", "Einstein was a child of Ulm."),
    ]
    found = best_sentences(QUESTION, chunks, MiniLmEmbedder())
    assert found == "Albert Einstein was born in Ulm. Einstein was a child of Ulm."


def test_only_so_many_sentences_of_so_many_hits_are_read() -> None:
    embedder = HashingEmbedder(64)
    best_sentences(QUESTION, [chunk(*(f"Sentence {n} {m}." for m in range(9))) for n in range(9)], embedder)
    assert len(embedder.embedded) == 1 + MOST_SENTENCES
    assert not [text for text in embedder.embedded if text.startswith(f"Sentence {FIRST_HITS}")]


@pytest.mark.parametrize("chunks", [[], [chunk(" ", "")]])
def test_without_sentences_nothing_is_added(chunks: list[Row]) -> None:
    embedder = HashingEmbedder(8)
    assert best_sentences(QUESTION, chunks, embedder) == ""
    assert embedder.embedded == []


def test_a_models_passage_is_one_line_and_booked_for_its_question() -> None:
    model = ScriptedChat("Albert Einstein was born\nin Ulm.  ")
    chat = Chat(model)
    assert passage_of(chat, QUESTION) == "Albert Einstein was born in Ulm."
    (messages,) = model.asked
    assert QUESTION in messages[-1].text
    assert model.limits == [model.max_tokens]
    assert QUESTION in chat.accounts.by_question


def test_a_model_that_is_gone_is_heard_of() -> None:
    with pytest.raises(LlmUnreachable):
        passage_of(Chat(ScriptedChat(LlmUnreachable("gone"))), QUESTION)
