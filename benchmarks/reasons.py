"""Collect the reasons that searches show, to be judged by reading, and print what the judgements say.

    python -m benchmarks.reasons collect FILE [--judged FILE]
    python -m benchmarks.reasons table FILE…

`collect` asks twenty questions each of the demo corpus and of `benchmarks/own_folder`, and writes the reasons of the
first five hits as JSON lines: at most 100 of each corpus, those of all first hits first. Both corpora are ingested and
indexed if necessary, and kept. With `--judged`, the judgements of equal reasons in that file are taken over.

Fill in `judged`: "true", "false" (passage, question or entity are not what the reason says) or "empty" (it is true and
tells the reader nothing: what both passages share says nothing about the question, or the reason repeats the title).
`benchmarks/own_folder/reasons` has judged reasons, without the passages.

Reasons that name only words of the question, or the distance in meaning, are collected but not counted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.own_folder.run import QUESTIONS, UNANSWERABLE, indexed, read_questions

from overstory import Knowledge, OverstoryError
from overstory.bench.dataset import load_dataset
from overstory.bench.layout import Layout, documents, source_name
from overstory.examples import demo_corpus

ASKED = 20  # questions of each corpus
HITS = 5
KEPT = 100  # reasons of each corpus
OF_WORDS = ("contains ", "is in a section that contains ", "is among the closest ", "is only loosely ")
"""Beginnings of reasons that mention no entity."""
JUDGEMENTS = ("true", "false", "empty")
SAME = ("corpus", "question", "title", "passage", "reason")
"""Fields that are equal if a judgement holds for another row, too."""

Row = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    collect = actions.add_parser("collect")
    collect.add_argument("file", type=Path, metavar="FILE")
    collect.add_argument("--judged", type=Path, metavar="FILE", help="take over judgements of equal reasons")
    actions.add_parser("table").add_argument("files", nargs="+", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    try:
        if arguments.action == "table":
            print(*table(arguments.files), sep="\n")
        else:
            rows = [*of_demo(), *of_own_folder()]
            known = {key(row): row["judged"] for row in read(arguments.judged)} if arguments.judged else {}
            for row in rows:
                row["judged"] = known.get(key(row))
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            arguments.file.write_text("".join(lines), encoding="utf-8")
            print(f"{len(rows)} reasons, {sum(row['judged'] is None for row in rows)} to be judged")
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    return 0


def of_demo() -> list[Row]:
    dataset = load_dataset(demo_corpus())
    with Knowledge("reasons-demo") as knowledge:
        knowledge.ingest_documents(documents(dataset.read_passages(), Layout(), source=source_name(dataset)))
        knowledge.index(systems=[])
        return reasons(knowledge, "demo", [question.text for question in dataset.questions[:ASKED]])


def of_own_folder() -> list[Row]:
    answerable = [question.text for question in read_questions(QUESTIONS) if question.kind != UNANSWERABLE]
    with indexed() as knowledge:
        return reasons(knowledge, "own folder", answerable[:: len(answerable) // ASKED])


def reasons(knowledge: Knowledge, corpus: str, questions: Iterable[str]) -> list[Row]:
    rows: list[Row] = []
    for question in questions:
        for rank, hit in enumerate(knowledge.search(question, HITS).hits, start=1):
            clauses = hit.in_words.removeprefix("It ").removesuffix(".").split("; ")
            rows += (
                {"corpus": corpus, "question": question, "rank": rank, "title": hit.shown_title}
                | {"passage": digest(hit.text), "reason": clause, "judged": None, "text": hit.text}
                for clause in clauses
                if clause
            )
    return sorted(rows, key=lambda row: row["rank"])[:KEPT]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def key(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in SAME)


def read(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def table(files: Iterable[Path]) -> Iterator[str]:
    yield f"| | reasons by entities | {' | '.join(JUDGEMENTS)} | not judged | other reasons |"
    yield "|---" * (len(JUDGEMENTS) + 4) + "|"
    for file in files:
        rows = read(file)
        for corpus in dict.fromkeys(row["corpus"] for row in rows):
            of_corpus = [row for row in rows if row["corpus"] == corpus]
            counted = Counter(row["judged"] for row in of_corpus if not row["reason"].startswith(OF_WORDS))
            total = counted.total()
            cells = [f"{counted[each]} ({counted[each] / total:.1%})" for each in JUDGEMENTS] if total else []
            others = len(of_corpus) - total
            yield f"| {file.stem}, {corpus} | {total} | {' | '.join(cells)} | {counted[None]} | {others} |"


if __name__ == "__main__":
    sys.exit(main())
