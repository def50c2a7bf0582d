"""A benchmark in BEIR's layout: passages, questions, and relevance judgements.

FOLDER/corpus.jsonl       _id, title, text
FOLDER/queries.jsonl      _id, text, metadata.answers, metadata.type
FOLDER/qrels/*.tsv        query-id, corpus-id, score
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from overstory.bench.qrels import Judgement, Qrels, choose_qrels, read_judgements
from overstory.bench.records import Record, broken, identifier, metadata, read_records, string
from overstory.errors import BenchError
from overstory.model.metadata import Metadata, MetadataValue


@dataclass(frozen=True, slots=True)
class Passage:
    """One line of `corpus.jsonl`. A missing title is ""; either text may be empty."""

    id: str
    title: str
    text: str
    metadata: Metadata = field(default_factory=dict[str, MetadataValue], hash=False)


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """One line of `queries.jsonl`, with answers and type from its metadata."""

    id: str
    text: str
    answers: tuple[str, ...] = ()
    type: str = ""


@dataclass(frozen=True, slots=True)
class BenchDataset:
    """The questions and passages of a benchmark.

    Attributes:
        corpus: the file of passages; `read_passages` streams it.
        digest: SHA-256 over ids, titles and texts in order, the same for the same passages in any folder.
        passage_ids: in the order of the file.
        questions: those with at least one gold passage, in the order of their file.
        qrels: the judgements of these questions.
        skipped: number of questions without a gold passage, which are left out.
        strays: number of judgements for questions that are not in the file of questions.
    """

    corpus: Path
    digest: str
    passage_ids: tuple[str, ...]
    questions: tuple[BenchQuestion, ...]
    qrels: Qrels
    skipped: int = 0
    strays: int = 0

    def read_passages(self) -> Iterator[Passage]:
        """The passages, one at a time, in the order of the file."""
        return read_passages(self.corpus)

    def ids(self) -> Iterator[str]:
        """The ids of all questions and passages."""
        yield from (question.id for question in self.questions)
        yield from self.passage_ids

    def notes(self) -> tuple[str, ...]:
        """Notes on the question files for readers of the results."""
        notes: list[str] = []
        if self.skipped:
            notes.append(f"{self.skipped} questions have no gold passage and are left out.")
        if self.strays:
            notes.append(f"{self.strays} judgements belong to other questions and are ignored.")
        return tuple(notes)


def load_dataset(folder: Path, *, queries: Path | None = None, qrels: Path | None = None) -> BenchDataset:
    """Load a BEIR folder, or its passages with questions and judgements from other files."""
    if not folder.is_dir():
        raise BenchError(f"{folder}: there is no such folder", remedy="Name a folder in BEIR's layout.")
    corpus, queries = folder / "corpus.jsonl", queries or folder / "queries.jsonl"
    qrels = qrels or choose_qrels(folder)
    asked = {question.id: question for question in read_questions(queries)}
    judgements = list(read_judgements(qrels))
    used = [judgement for judgement in judgements if judgement.question in asked]
    table = _by_question(used, qrels)
    questions = tuple(question for question in asked.values() if _has_gold(table.get(question.id, {})))
    if not questions:
        raise BenchError(
            f"{qrels}: no question of {queries} has a gold passage in it",
            remedy="Name question and relevance files that belong together with --queries and --qrels.",
        )
    digest, ids = _survey(corpus)
    _check_gold(used, frozenset(ids), qrels, corpus)
    return BenchDataset(
        corpus=corpus,
        digest=digest,
        passage_ids=ids,
        questions=questions,
        qrels={question.id: table[question.id] for question in questions},
        skipped=len(asked) - len(questions),
        strays=len(judgements) - len(used),
    )


def read_passages(corpus: Path) -> Iterator[Passage]:
    """The passages of a `corpus.jsonl`, lazily."""
    return (passage for _, passage in _numbered_passages(corpus))


def read_questions(path: Path) -> Iterator[BenchQuestion]:
    """The questions of a `queries.jsonl`, lazily."""
    seen: set[str] = set()
    for line, record in read_records(path):
        question = _question(record, path, line)
        if question.id in seen:
            raise broken(path, line, f"duplicate question id {question.id!r}")
        seen.add(question.id)
        yield question
    if not seen:
        raise BenchError(f"{path}: it contains no questions", remedy="Name another file with --queries.")


def _numbered_passages(corpus: Path) -> Iterator[tuple[int, Passage]]:
    for line, record in read_records(corpus):
        title = string(record, "title", corpus, line, default="")
        yield (
            line,
            Passage(
                id=identifier(record, corpus, line),
                title=" ".join(title.split()),
                text=string(record, "text", corpus, line),
                metadata=metadata(record),
            ),
        )


def _question(record: Record, path: Path, line: int) -> BenchQuestion:
    text = string(record, "text", path, line)
    if not text:
        raise broken(path, line, "the question is empty")
    raw = record.get("metadata")
    metadata = cast("Record", raw) if isinstance(raw, dict) else {}
    answers, kind = metadata.get("answers"), metadata.get("type")
    return BenchQuestion(
        id=identifier(record, path, line),
        text=text,
        answers=tuple(str(answer) for answer in cast("list[object]", answers)) if isinstance(answers, list) else (),
        type=kind if isinstance(kind, str) else "",
    )


def _by_question(judgements: Iterable[Judgement], path: Path) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for judgement in judgements:
        of_question = table.setdefault(judgement.question, {})
        if of_question.get(judgement.passage, judgement.score) != judgement.score:
            raise broken(
                path,
                judgement.line,
                f"passage {judgement.passage!r} had another score for question {judgement.question!r} before",
            )
        of_question[judgement.passage] = judgement.score
    return table


def _has_gold(scores: dict[str, int]) -> bool:
    return any(score > 0 for score in scores.values())


def _survey(corpus: Path) -> tuple[str, tuple[str, ...]]:
    """The digest of the passages and their ids, in one pass."""
    digest = hashlib.sha256()
    lines: dict[str, int] = {}
    for line, passage in _numbered_passages(corpus):
        if passage.id in lines:
            raise broken(corpus, line, f"duplicate passage id {passage.id!r}, first in line {lines[passage.id]}")
        lines[passage.id] = line
        digest.update(json.dumps([passage.id, passage.title, passage.text]).encode("ascii") + b"\n")
    if not lines:
        raise BenchError(f"{corpus}: it contains no passages", remedy="Name a folder with passages.")
    return digest.hexdigest(), tuple(lines)


def _check_gold(judgements: Iterable[Judgement], ids: frozenset[str], qrels: Path, corpus: Path) -> None:
    """Check that all gold passages are in the corpus; otherwise the two files do not belong together."""
    missing = [each for each in judgements if each.score > 0 and each.passage not in ids]
    if missing:
        first = missing[0]
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise broken(
            qrels,
            first.line,
            f"the gold passage {first.passage!r} of question {first.question!r} is not in {corpus}{more}",
            remedy="Use the relevance file that belongs to these passages, or remove the lines.",
        )
