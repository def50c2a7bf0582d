"""What is added to a question before it is searched for: a passage by a language model, or the best sentences that the
question itself finds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from overstory.graph.client import Row
from overstory.llm import Chat, prompt
from overstory.protocols import Embedder
from overstory.text.sentences import sentence_texts

PROMPT = "serag_self_query"
MOST_TOKENS = 300
FIRST_HITS = 3
MOST_SENTENCES = 24
"""Of the first hits, whose vectors are made while somebody waits."""


def passage_of(chat: Chat, question: str) -> str:
    """A passage that could answer the question, by the model's own knowledge (Section 3.3, Appendix A.1).

    Raises:
        LlmError: there is no answer that can be used.
    """
    booked = chat.booked("serag", question)
    limit = min(MOST_TOKENS, chat.model.max_tokens)
    return " ".join(booked.ask(prompt(PROMPT).messages(question=question), max_tokens=limit).text.split())


def best_sentences(question: str, chunks: Sequence[Row], embedder: Embedder) -> str:
    """The sentence nearest to the question of each chunk (`retrieve/chunks_by_id`): the stand-in without a model."""
    sentences = [
        (place, sentence.strip())
        for place, row in enumerate(chunks[:FIRST_HITS])
        for sentence in sentence_texts(row["text"], row["sentences"])
        if sentence.strip()
    ][:MOST_SENTENCES]
    if not sentences:
        return ""
    vectors = embedder.embed([question, *(text for _, text in sentences)])
    best: dict[int, tuple[float, str]] = {}
    for (place, text), cosine in zip(sentences, np.asarray(vectors[1:] @ vectors[0]).tolist(), strict=True):
        if place not in best or cosine > best[place][0]:
            best[place] = (cosine, text)
    return " ".join(dict.fromkeys(text for _, text in best.values()))
