"""Relevance judgements: files in the formats of BEIR and TREC."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from overstory.bench.records import broken, read_lines
from overstory.errors import BenchError

Qrels = Mapping[str, Mapping[str, int]]
"""Question id → passage or document id → relevance; above zero is gold."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One line of a relevance file."""

    line: int
    question: str
    passage: str
    score: int


def choose_qrels(folder: Path) -> Path:
    """The relevance file of a BEIR folder: the only one in `qrels/`, otherwise `test.tsv`, otherwise `dev.tsv`."""
    files = sorted(file for file in (folder / "qrels").glob("*.tsv") if file.is_file())
    if len(files) == 1:
        return files[0]
    by_name = {file.name: file for file in files}
    for name in ("test.tsv", "dev.tsv"):
        if name in by_name:
            return by_name[name]
    found = ", ".join(by_name) or "none"
    raise BenchError(
        f"{folder / 'qrels'}: expected a relevance file, test.tsv or dev.tsv or any single one; found: {found}",
        remedy="Name the file with --qrels.",
    )


def read_judgements(path: Path) -> Iterator[Judgement]:
    """The lines of a relevance file: three columns separated by tabs (BEIR), or four by white space (TREC).

    A first line whose score is not a number is BEIR's header.
    """
    first = True
    for number, line in read_lines(path):
        columns = _columns(line)
        if columns is None:
            raise broken(path, number, "three columns with tabs between (question, passage, score) are wanted")
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
