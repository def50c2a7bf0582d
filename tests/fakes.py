"""Small parts that fulfil a protocol of ours, and record what they were asked."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from overstory.errors import LlmError
from overstory.model import Completion, JsonSchema, Message, Usage
from overstory.protocols import Vectors


class HashingEmbedder:
    """Vectors of any dimension from the words of a text: texts that share words are near each other."""

    token_limit = 64

    def __init__(self, dimension: int, *, fail_after: int | None = None) -> None:
        self.dimension = dimension
        self.fingerprint = f"hashing:{dimension}"
        self.embedded: list[str] = []
        self._fail_after = fail_after

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self._fail_after is not None and len(self.embedded) + len(texts) > self._fail_after:
            raise KeyboardInterrupt
        self.embedded += texts
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, int.from_bytes(hashlib.sha256(word.encode()).digest()[:4]) % self.dimension] += 1.0
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vectors = (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
        return unit

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


class ScriptedChat:
    """A chat model that says what it is told to, one answer a request; the last one over and over."""

    fingerprint = "scripted:1"

    def __init__(self, *answers: str | Completion | LlmError, max_tokens: int = 100) -> None:
        self.max_tokens = max_tokens
        self.asked: list[list[Message]] = []
        self.schemas: list[JsonSchema | None] = []
        self.limits: list[int | None] = []
        self.cancelled = 0
        self.closed = False
        self._answers = list(answers)

    def complete(
        self, messages: Sequence[Message], schema: JsonSchema | None = None, *, max_tokens: int | None = None
    ) -> Completion:
        self.asked.append(list(messages))
        self.schemas.append(schema)
        self.limits.append(max_tokens)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, LlmError):
            raise answer
        return answer if isinstance(answer, Completion) else Completion(answer, "scripted", Usage(10, 5))

    def cancel(self) -> None:
        self.cancelled += 1

    def close(self) -> None:
        self.closed = True
