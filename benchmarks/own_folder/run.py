"""Measure `ask` without a language model on sixty questions about a music school: see README.md in this folder.

    python -m benchmarks.own_folder.run [--json FILE]

The folder `documents/` is ingested into the corpus `own-folder`, which is kept: a second run only asks the questions.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.own_questions.run import SEPARATOR, Question, Row, judged, run, table

from overstory import Knowledge

HERE = Path(__file__).resolve().parent
DOCUMENTS = HERE / "documents"
QUESTIONS = HERE / "questions.jsonl"
CORPUS = "own-folder"
UNANSWERABLE = "unanswerable"


def main() -> int:
    return run(__doc__, answered(read_questions(QUESTIONS)), summary)


def summary(rows: list[Row]) -> str:
    """Return the table of outcomes by kind, and the three shares."""
    return f"{table(rows, tuple(dict.fromkeys(row.kind for row in rows)))}\n\n{shares(rows)}"


def indexed() -> Knowledge:
    """Return the corpus of the folder, indexed. The caller closes it."""
    knowledge = Knowledge(CORPUS)
    knowledge.use_model("none")
    report = knowledge.ingest(DOCUMENTS, sync=True, strict=True)
    print(f"{DOCUMENTS.name}: {report}", file=sys.stderr)
    knowledge.index()
    return knowledge


def answered(questions: list[Question]) -> Iterator[Row]:
    with indexed() as knowledge:
        for question in questions:
            yield judged(question, knowledge.ask(question.text))


def read_questions(file: Path) -> list[Question]:
    with file.open(encoding="utf-8") as lines:
        return [question_of(json.loads(line)) for line in lines]


def question_of(row: dict[str, object]) -> Question:
    return Question(
        text=str(row["text"]),
        kind=UNANSWERABLE if row["answers"] is None else str(row["kind"]),
        accepted=strings(row["answers"]),
        sources=strings(row.get("files")),
        items=tuple(tuple(item.split(SEPARATOR)) for item in strings(row.get("all"))),
        excluded=strings(row.get("never")),
    )


def strings(values: object) -> tuple[str, ...]:
    return tuple(map(str, values)) if isinstance(values, list) else ()


def shares(rows: list[Row]) -> str:
    """Return the three shares that matter: right at once, wrong, and refused of the unanswerable."""
    answerable = [row.outcome for row in rows if row.kind != UNANSWERABLE]
    others = [row.outcome for row in rows if row.kind == UNANSWERABLE]
    return (
        f"right at once {answerable.count('right at once') / len(answerable):.3f} of {len(answerable)}, "
        f"wrong {answerable.count('wrong') / len(answerable):.3f}; "
        f"refused rightly {others.count('refused rightly') / len(others):.3f} of {len(others)}"
    )


if __name__ == "__main__":
    sys.exit(main())
