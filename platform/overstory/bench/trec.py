"""TREC run files of rankings: `question Q0 document rank score tag`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from overstory.bench.ranking import RankedDocument
from overstory.errors import BenchError

_NOT_IN_A_NAME = re.compile(r"[^\w.-]")


def write_run(path: Path, rankings: Mapping[str, Sequence[RankedDocument]], *, tag: str) -> None:
    """Write the rankings of one retriever, question by question.

    Evaluation tools sort by score in single precision, and break ties by id. So scores are lowered by the smallest step
    where they would not be strictly decreasing.
    """
    lines = [line for question, ranking in rankings.items() for line in _lines(question, ranking, tag)]
    try:
        path.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise BenchError(
            f"{path}: the run cannot be written: {error.strerror or error}", remedy="Name another file with --run."
        ) from error


def run_files(path: Path, retrievers: Sequence[str]) -> dict[str, Path]:
    """The run file of each retriever: `path` itself for a single one, otherwise with the name before its suffix."""
    if len(set(retrievers)) == 1:
        return {retrievers[0]: path}
    return {name: path.with_name(f"{path.stem}.{_NOT_IN_A_NAME.sub('-', name)}{path.suffix}") for name in retrievers}


def check_run(files: Mapping[str, Path], ids: Iterable[str]) -> None:
    """Check in advance that the run files can be written, before hours of work."""
    check_ids([*files, *ids])
    for file in files.values():
        if not file.parent.is_dir():
            raise BenchError(f"{file}: there is no such folder", remedy="Make it, or name another file with --run.")


def check_ids(ids: Iterable[str]) -> None:
    """Check that ids can be written to a run file."""
    for each in ids:
        if not each or any(character.isspace() for character in each):
            raise BenchError(
                f"the id {each!r} is not possible in a TREC run: its columns are separated by white space",
                remedy="Leave --run out, or give the benchmark ids without white space.",
            )


def falling_scores(scores: Iterable[float]) -> Iterator[np.float32]:
    """The scores in single precision, strictly decreasing."""
    ceiling = np.float32(np.inf)
    for score in scores:
        if not np.isfinite(score):
            raise BenchError("a retriever gave a score that is not a finite number", remedy="Report it to its authors.")
        ceiling = np.minimum(np.float32(score), np.nextafter(ceiling, np.float32(-np.inf)))
        yield ceiling


def _lines(question: str, ranking: Sequence[RankedDocument], tag: str) -> Iterator[str]:
    check_ids([question, tag, *(document.key for document in ranking)])
    scores = falling_scores(document.score for document in ranking)
    for rank, (document, score) in enumerate(zip(ranking, scores, strict=True), start=1):
        yield f"{question} Q0 {document.key} {rank} {score!s} {tag}\n"
