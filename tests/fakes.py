"""Small parts that fulfil a protocol of ours, and record what they were asked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from overstory.errors import LlmError
from overstory.model import (
    ChunkText,
    Completion,
    Extraction,
    FactStatement,
    JsonSchema,
    Mention,
    Message,
    Usage,
)
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
    """A chat model with prepared answers, one per request; the last one is repeated."""

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


class ScriptedExtractor:
    """Reads sentences of three words: who, does, whom. It knows these names, by their types."""

    fingerprint = "scripted:1"
    by = "ner"

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        for chunk in chunks:
            starts = tuple(match.start() for match in re.finditer(r"(?:^|(?<=\. ))\S", chunk.text))
            found = [(m.start(), m.group()) for m in re.finditer(r"\w+", chunk.text) if m.group() in self._names]
            mentions = tuple(
                Mention(name, self._names[name], sum(s <= at for s in starts) - 1, at, at + len(name))
                for at, name in found
            )
            by_start = {mention.start: i for i, mention in enumerate(mentions)}
            facts = tuple(
                FactStatement(
                    subject=match[1],
                    predicate=match[2],
                    object=match[3],
                    sentence=sum(s <= match.start() for s in starts) - 1,
                    position=position,
                    subject_mention=by_start.get(match.start(1)),
                    object_mention=by_start.get(match.start(3)),
                )
                for position, match in enumerate(re.finditer(r"(\w+) (\w+) (\w+)\.", chunk.text))
                if match[1] in self._names
            )
            yield Extraction(chunk.id, starts, mentions, facts)
