"""Whose tokenizer counts the tokens of a prompt."""

from __future__ import annotations

from collections.abc import Sequence

from tests.fakes import HashingEmbedder, ScriptedChat

from overstory.errors import LlmError
from overstory.llm import Chat
from overstory_systems.apr.encodings import TokenCounter

TEXTS = ["one two", "three"]


class CountingChat(ScriptedChat):
    """Each character is a token."""

    fingerprint = "local:small:0123"

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


class BrokenChat(CountingChat):
    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        raise LlmError(f"{len(texts)} texts, no memory.")


def test_the_models_own_tokenizer_counts() -> None:
    counter = TokenCounter(HashingEmbedder(4), Chat(CountingChat("x")))
    assert counter.count(TEXTS) == ([7, 5], "local:small")


def test_the_embedders_counts_where_there_is_no_model_or_none_that_can() -> None:
    for chat in (None, Chat(ScriptedChat("x")), Chat(BrokenChat("x"))):
        assert TokenCounter(HashingEmbedder(4), chat).count(TEXTS) == ([2, 1], "hashing, the embedder's")
