"""A small BEIR folder, and a retriever that answers from a table and records what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from overstory.model import Evidence, Hit


def _lines(records: Sequence[object]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


PASSAGES = [
    {"_id": "p1", "title": "Teutberga", "text": "Teutberga was a queen of Lotharingia."},
    {"_id": "p2", "title": "Lothair II", "text": "Lothair II was king of Lotharingia."},
    {"_id": "p3", "title": "", "text": "Ermengarde of Tours was his mother."},
]
QUESTIONS = [
    {"_id": "q1", "text": "Who was queen?", "metadata": {"answers": ["Teutberga"], "type": "bridge"}},
    {"_id": "q2", "text": "Who was the mother of Lothair II?"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\tp1\t1\nq2\tp2\t1\nq2\tp3\t2\n"


@dataclass
class Folder:
    """Writes a BEIR folder; each part can be replaced."""

    path: Path

    def write(
        self,
        *,
        passages: Sequence[object] = PASSAGES,
        questions: Sequence[object] = QUESTIONS,
        qrels: Mapping[str, str] | None = None,
    ) -> Path:
        (self.path / "qrels").mkdir(parents=True, exist_ok=True)
        (self.path / "corpus.jsonl").write_text(_lines(passages), encoding="utf-8")
        (self.path / "queries.jsonl").write_text(_lines(questions), encoding="utf-8")
        for name, text in ({"dev.tsv": QRELS} if qrels is None else qrels).items():
            (self.path / "qrels" / name).write_text(text, encoding="utf-8")
        return self.path


@dataclass
class FakeRetriever:
    """Ranks the chunks that a table gives for a question; "d3#1" is chunk 1 of document d3."""

    ranking: Callable[[str], Sequence[str]]
    name: str = "fake"
    asked: list[tuple[str, int]] = field(default_factory=list)

    def retrieve(self, question: str, k: int) -> Evidence:
        self.asked.append((question, k))
        hits = [_hit(chunk, rank) for rank, chunk in enumerate(self.ranking(question)[:k])]
        return Evidence(question=question, retriever=self.name, hits=tuple(hits))


def _hit(chunk: str, rank: int) -> Hit:
    key = chunk.partition("#")[0]
    return Hit(
        chunk_id=chunk,
        document_id=f"document {key}",
        source="test",
        source_key=key,
        title="",
        heading="",
        text=chunk,
        score=1.0 / (rank + 1),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "beir")


@pytest.fixture
def fake_retriever() -> type[FakeRetriever]:
    return FakeRetriever
