"""Reads a benchmark in BEIR's format: passages, questions, and relevance judgements.

These are the files and their fields:

FOLDER/corpus.jsonl       _id, title, text
FOLDER/queries.jsonl      _id, text, metadata.answers, metadata.type
FOLDER/qrels/*.tsv        query-id, corpus-id, score
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from overstory.errors import BenchError
from overstory.model.metadata import Metadata, MetadataValue, date_of
from overstory.structured_text import parse_json
from overstory.surrogates import is_well_formed

Qrels = Mapping[str, Mapping[str, int]]
"""For each question id, a map from passage or document ids to relevance. Items with a relevance above 0 are gold."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One line of a relevance file: the score of a passage for a question.

    Attributes:
        question: id of the question.
        passage: id of the passage.
    """

    line: int
    question: str
    passage: str
    score: int


def choose_qrels(folder: Path) -> Path:
    """Return the relevance file of a BEIR folder.

    If `qrels/` contains several .tsv files, `test.tsv` is preferred, then `dev.tsv`.
    """
    files = sorted(file for file in (folder / "qrels").glob("*.tsv") if file.is_file())
    if len(files) == 1:
        return files[0]
    by_name = {file.name: file for file in files}
    for name in ("test.tsv", "dev.tsv"):
        if name in by_name:
            return by_name[name]
    found = ", ".join(by_name) or "none"
    raise BenchError(
        f"{folder / 'qrels'}: expected test.tsv, dev.tsv, or exactly one .tsv file; found: {found}",
        remedy="Name the file with --qrels.",
    )


def read_judgements(path: Path) -> Iterator[Judgement]:
    """Yield the judgements in a relevance file.

    The file has three columns separated by tabs (BEIR) or four columns separated by white space (TREC). The first line
    is skipped as a header if its score is not a number.
    """
    first = True
    for number, line in read_lines(path):
        columns = _columns(line)
        if columns is None:
            raise broken(path, number, "expected three columns separated by tabs: question, passage, score")
        question, passage, score = columns
        if not (first and not _is_number(score)):
            yield Judgement(number, question, passage, _score(score, path, number))
        first = False


def _columns(line: str) -> tuple[str, str, str] | None:
    tabbed = [column.strip() for column in line.split("\t")]
    if len(tabbed) == 3 and all(tabbed):
        return tabbed[0], tabbed[1], tabbed[2]
    words = line.split()
    if len(words) == 4:
        return words[0], words[2], words[3]
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _score(text: str, path: Path, line: int) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise broken(path, line, f"the score {text!r} is not a whole number") from error


Record = dict[str, object]


def broken(path: Path, line: int, message: str, *, remedy: str = "") -> BenchError:
    """Return an error about one line of a file."""
    return BenchError(f"{path}, line {line}: {message}", remedy=remedy or "Correct the line, or remove it.")


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number of each non-blank line of a UTF-8 file, starting from 1, and its text without the line break."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                text = _decoded(path, number, line).rstrip("\r\n")
                if text.strip():
                    yield number, text
    except OSError as error:
        raise BenchError(
            f"{path} cannot be read: {error.strerror or error}",
            remedy="A BEIR folder contains corpus.jsonl, queries.jsonl and qrels/; check the path and its permissions.",
        ) from error


def read_records(path: Path) -> Iterator[tuple[int, Record]]:
    """Yield the line number and the object of each line of a JSON Lines file."""
    for number, line in read_lines(path):
        try:
            record = parse_json(line)
        except ValueError as error:
            raise broken(path, number, f"this is not JSON: {error}") from error
        if not isinstance(record, dict):
            raise broken(path, number, "expected a JSON object {...}")
        yield number, cast("Record", record)


def identifier(record: Record, path: Path, line: int) -> str:
    """Return the `_id` of a record as a string. Messages refer to the given path and line."""
    value = record.get("_id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise broken(path, line, '"_id" is missing or empty')
    return _storable(value, "_id", path, line)


def string(record: Record, key: str, path: Path, line: int, *, default: str | None = None) -> str:
    """Return the string stored under a key of a record, without surrounding white space.

    Args:
        default: returned if the key is missing or its value is null.
    """
    value = record.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise broken(path, line, f'"{key}" is missing or not a string')
    return _storable(value, key, path, line).strip()


def metadata(record: Record) -> Metadata:
    """Return the metadata of a record.

    Values must be strings, numbers, booleans, or lists whose items all have one of these types. Other values are
    skipped. Strings that are ISO dates become dates.
    """
    metadata = record.get("metadata")
    if not isinstance(metadata, dict):
        return {}
    return {
        key: _dated(value)
        for key, value in cast("Record", metadata).items()
        if _is_value(value) and is_well_formed(key)
    }


def _dated(value: object) -> MetadataValue:
    # Convert an ISO date, or a list that contains only ISO dates.
    every = cast("list[object]", value) if isinstance(value, list) else [value]
    dates = [date_of(each) if isinstance(each, str) else None for each in every]
    known = [each for each in dates if each is not None]
    if len(known) < len(every):
        return cast("MetadataValue", value)
    return known if isinstance(value, list) else known[0]


def _is_value(value: object) -> bool:
    every = cast("list[object]", value) if isinstance(value, list) else [value]
    if len({type(each) for each in every}) != 1:  # items of different types, or an empty list
        return False
    return all(
        is_well_formed(each)
        if isinstance(each, str)
        else isinstance(each, bool | float) or (isinstance(each, int) and abs(each) < 2**63)
        for each in every
    )


def _storable(value: str, key: str, path: Path, line: int) -> str:
    # JSON strings may contain lone surrogates, which UTF-8 cannot encode.
    if not is_well_formed(value):
        raise broken(path, line, f'"{key}" contains a lone surrogate')
    return value


def _decoded(path: Path, number: int, line: bytes) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise broken(path, number, "this is not UTF-8", remedy="Convert the file to UTF-8.") from error


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage: one line of `corpus.jsonl`. Its title or its text may be empty."""

    id: str
    title: str
    text: str
    metadata: Metadata = field(default_factory=dict[str, MetadataValue], hash=False)


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question: one line of `queries.jsonl`. The gold answers and the type are read from its metadata."""

    id: str
    text: str
    answers: tuple[str, ...] = ()
    type: str = ""


@dataclass(frozen=True, slots=True)
class BenchDataset:
    """The questions and passages of a benchmark.

    Attributes:
        corpus: path of the file that contains the passages.
        digest: SHA-256 of the ids, titles and texts of all passages. It does not depend on the folder.
        passage_ids: ids of the passages, in file order.
        questions: questions with at least one gold passage, in file order.
        skipped: number of questions that were left out because they have no gold passage.
        strays: number of judgements for questions that the question file does not contain.
    """

    corpus: Path
    digest: str
    passage_ids: tuple[str, ...]
    questions: tuple[BenchQuestion, ...]
    qrels: Qrels
    skipped: int = 0
    strays: int = 0

    def read_passages(self) -> Iterator[Passage]:
        return read_passages(self.corpus)

    def ids(self) -> Iterator[str]:
        yield from (question.id for question in self.questions)
        yield from self.passage_ids

    def notes(self) -> tuple[str, ...]:
        """Return notes for the user about questions that were left out and judgements that were ignored."""
        notes: list[str] = []
        if self.skipped:
            notes.append(f"{self.skipped} questions have no gold passage and are left out.")
        if self.strays:
            notes.append(f"{self.strays} judgements belong to other questions and are ignored.")
        return tuple(notes)


def load_dataset(folder: Path, *, queries: Path | None = None, qrels: Path | None = None) -> BenchDataset:
    """Load a benchmark from a BEIR folder.

    Args:
        queries: file of questions; by default `queries.jsonl` in the folder.
        qrels: relevance file; by default the file that `choose_qrels` returns.
    """
    if not folder.is_dir():
        raise BenchError(f"{folder}: no such folder", remedy="Name a folder in BEIR's layout.")
    corpus, queries = folder / "corpus.jsonl", queries or folder / "queries.jsonl"
    qrels = qrels or choose_qrels(folder)
    asked = {question.id: question for question in read_questions(queries)}
    judgements = list(read_judgements(qrels))
    used = [judgement for judgement in judgements if judgement.question in asked]
    table = _by_question(used, qrels)
    questions = tuple(question for question in asked.values() if _has_gold(table.get(question.id, {})))
    if not questions:
        raise BenchError(
            f"{qrels} has no gold passage for any question of {queries}",
            remedy="Name a question file and a relevance file that belong together, with --queries and --qrels.",
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
    return (passage for _, passage in _numbered_passages(corpus))


def read_questions(path: Path) -> Iterator[BenchQuestion]:
    seen: set[str] = set()
    for line, record in read_records(path):
        question = _question(record, path, line)
        if question.id in seen:
            raise broken(path, line, f"duplicate question id {question.id!r}")
        seen.add(question.id)
        yield question
    if not seen:
        raise BenchError(f"{path} contains no questions", remedy="Name another file with --queries.")


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
                f"passage {judgement.passage!r} has two different scores for question {judgement.question!r}",
            )
        of_question[judgement.passage] = judgement.score
    return table


def _has_gold(scores: dict[str, int]) -> bool:
    return any(score > 0 for score in scores.values())


def _survey(corpus: Path) -> tuple[str, tuple[str, ...]]:
    digest = hashlib.sha256()
    lines: dict[str, int] = {}
    for line, passage in _numbered_passages(corpus):
        if passage.id in lines:
            raise broken(corpus, line, f"duplicate passage id {passage.id!r}, first in line {lines[passage.id]}")
        lines[passage.id] = line
        digest.update(json.dumps([passage.id, passage.title, passage.text]).encode("ascii") + b"\n")
    if not lines:
        raise BenchError(f"{corpus} contains no passages", remedy="Name a folder with passages.")
    return digest.hexdigest(), tuple(lines)


def _check_gold(judgements: Iterable[Judgement], ids: frozenset[str], qrels: Path, corpus: Path) -> None:
    # A gold passage that the corpus lacks shows that the two files do not belong together.
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
