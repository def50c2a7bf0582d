"""Measure `ask` without a language model on sixty questions: see README.md in this folder.

    python benchmarks/own_questions/run.py [--json FILE]

The folders `documents/` and `graph/` are ingested into two corpora, which are kept, so a second run only asks the
questions.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from overstory import Answer, Knowledge, OverstoryError

HERE = Path(__file__).resolve().parent
FOLDERS = {"questions.csv": HERE / "documents", "graph_questions.csv": HERE / "graph"}
CORPORA = {"questions.csv": "own-questions", "graph_questions.csv": "own-questions-graph"}
KINDS = ("documents, English", "documents, German or French", "graph", "unanswerable")
OUTCOMES = ("right at once", "right sentence among others", "wrong", "refused rightly", "refused wrongly")
LANGUAGES = {"de", "fr"}
"""Document folders in languages other than English."""
SEPARATOR = " | "
WORD = re.compile(r"\w+(?:[-.,:]\w+)*")
"""A word, or a number, time or version with its punctuation. So "900" is not found in "6,900"."""


@dataclass(frozen=True, slots=True)
class Question:
    """A row of a question file.

    Attributes:
        accepted: Accepted answers; empty if the documents do not answer the question, or if it has `items`.
        sources: Files that answer the question, in the order of a chain.
        items: All of these must be in the answer, each in one of its forms; empty unless several things are asked for.
        excluded: Things that do not belong to the answer and would make it wrong.
    """

    text: str
    kind: str
    accepted: tuple[str, ...]
    sources: tuple[str, ...]
    items: tuple[tuple[str, ...], ...] = ()
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """The outcome of a question. `first` is what a reader sees first: the guess, or else the first sentence."""

    kind: str
    question: str
    accepted: tuple[str, ...]
    sources: tuple[str, ...]
    state: str
    guess: str
    short: str
    first: str
    text: str
    notes: tuple[str, ...]
    outcome: str


def main() -> int:
    return run(__doc__, (row for name in FOLDERS for row in answered(name)), table)


def run(description: str | None, answers: Iterable[Row], summary: Callable[[list[Row]], str]) -> int:
    """Run a benchmark as a command: print the rows and a summary, write the rows to `--json`, return the exit code."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all rows to this file")
    arguments = parser.parse_args()
    try:
        rows = list(answers)
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    for row in rows:
        print(f"{row.outcome:28}{row.question}\n{'':28}{row.state}, guess {row.guess!r}: {row.text.splitlines()[0]}")
    print(f"\n{summary(rows)}")
    if arguments.json:
        content = json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False)
        arguments.json.write_text(f"{content}\n", encoding="utf-8")
    return 0


def answered(name: str) -> Iterator[Row]:
    """Ingest and index the folder of a question file, and ask its questions."""
    questions = read_questions(HERE / name, FOLDERS[name])
    with Knowledge(CORPORA[name]) as knowledge:
        knowledge.use_model("none")
        report = knowledge.ingest(FOLDERS[name], sync=True, strict=True)
        print(f"{name}: {report}", file=sys.stderr)
        knowledge.index()
        for question in questions:
            yield judged(question, knowledge.ask(question.text))


def read_questions(file: Path, folder: Path) -> list[Question]:
    """Return the questions of a file.

    Raises:
        SystemExit: A source is not in the folder.
    """
    languages = {path.name: path.parent.name for path in [folder, *folder.rglob("*")]}
    questions: list[Question] = []
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            accepted, sources = parts(row["answer"]), parts(row["source"])
            if unknown := set(sources) - set(languages):
                raise SystemExit(f"{file}: {row['question']!r} names {sorted(unknown)}, but {folder} has no such file.")
            if not accepted:
                kind = "unanswerable"
            elif folder.name == "graph":
                kind = "graph"
            elif LANGUAGES & {languages[source] for source in sources}:
                kind = "documents, German or French"
            else:
                kind = "documents, English"
            questions.append(Question(row["question"], kind, accepted, sources))
    return questions


def parts(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(SEPARATOR)) if cell else ()


def judged(question: Question, answer: Answer) -> Row:
    sentences = answer.text.splitlines()
    first = (answer.guess or sentences[0]) if answer.answered else ""
    if not question.accepted and not question.items:
        outcome = "wrong" if answer.answered else "refused rightly"
    elif not answer.answered:
        outcome = "refused wrongly"
    elif question.items:
        outcome = listed(question, answer.text)
    elif says(first, question.accepted):
        outcome = "right at once"
    elif any(says(sentence, question.accepted) for sentence in sentences):
        outcome = "right sentence among others"
    else:
        outcome = "wrong"
    return Row(
        question.kind,
        question.text,
        question.accepted,
        question.sources,
        answer.state,
        answer.guess,
        answer.short,
        first,
        answer.text,
        answer.notes,
        outcome,
    )


def listed(question: Question, text: str) -> str:
    """Return the outcome of an answer that has to list items: half of them is better than a wrong one."""
    found = sum(says(text, item) for item in question.items)
    if any(says(text, (wrong,)) for wrong in question.excluded) or 2 * found < len(question.items):
        return "wrong"
    return "right at once" if found == len(question.items) else "right sentence among others"


def says(text: str, accepted: tuple[str, ...]) -> bool:
    """Return True if the text contains one of the answers, ignoring case and spaces."""
    return any(f" {normalised(each)} " in f" {normalised(text)} " for each in accepted)


def normalised(text: str) -> str:
    return " ".join(WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def table(rows: list[Row], kinds: Sequence[str] = KINDS) -> str:
    counts = Counter((row.kind, row.outcome) for row in rows)
    lines = [f"| | questions | {' | '.join(OUTCOMES)} |", "|---" * (len(OUTCOMES) + 2) + "|"]
    for kind in kinds:
        cells = [counts[kind, outcome] for outcome in OUTCOMES]
        lines.append(f"| {kind} | {sum(cells)} | {' | '.join(map(str, cells))} |")
    sums = [sum(counts[kind, outcome] for kind in kinds) for outcome in OUTCOMES]
    return "\n".join([*lines, f"| all | {sum(sums)} | {' | '.join(map(str, sums))} |"])


if __name__ == "__main__":
    sys.exit(main())
