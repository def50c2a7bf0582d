"""Measure how retrievers and index stages scale: the same questions on corpora of several sizes.

    overstory ingest SMALL --corpus small && overstory index --corpus small       # and so on
    python -m benchmarks.growth small large --questions QUERIES.jsonl [--json FILE]

Each retriever is asked one question after the other, then by ten threads at once. Before that, all questions are asked
once as a warm-up, unless --cold is given. The script prints one Markdown row per corpus and retriever, and one per
corpus with the seconds that its stages took per 1,000 chunks. On a busy machine, times are upper bounds; compare only
rows of one run. --json adds the figures to a file that benchmarks/curves.py draws.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from benchmarks.curves import Point, add_points
from benchmarks.measurements import client_megabytes, server_megabytes

from overstory import Knowledge
from overstory.errors import OverstoryError
from overstory.settings import Settings
from overstory.systems import check_retriever

STAGES = ("embed", "extract", "entities", "mentions")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="CORPUS", help="loaded and indexed")
    parser.add_argument("--questions", type=Path, required=True, metavar="FILE", help='JSON lines with "text"')
    parser.add_argument("--retriever", action="append", metavar="NAME", help="dense, lexical, hybrid and canopy")
    parser.add_argument("--most", type=int, default=200, metavar="N", help="number of questions (200)")
    parser.add_argument("--threads", type=int, default=10, metavar="N", help="threads that ask at the same time (10)")
    parser.add_argument("--cold", action="store_true", help="skip the warm-up")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the figures to this file, for benchmarks.curves")
    options = parser.parse_args()
    try:
        questions = read_questions(options.questions)[: options.most]
    except (OSError, ValueError, LookupError, TypeError) as error:
        parser.error(f'--questions {options.questions} is not a file of JSON lines with "text": {error}')
    if not questions:
        parser.error(f"--questions {options.questions} gives no questions with --most {options.most}")
    if options.threads < 1:
        parser.error("--threads must be at least 1")
    try:
        measure(options, questions)
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    return 0


def read_questions(file: Path) -> list[str]:
    """Read the questions from a file.

    Raises:
        OSError, ValueError, LookupError, TypeError: The file does not exist, or a line is not a question.
    """
    lines = file.read_text(encoding="utf-8").splitlines()
    return [str(json.loads(line)["text"]) for line in lines if line.strip()]


def measure(options: argparse.Namespace, questions: Sequence[str]) -> None:
    """Print the tables of all corpora.

    Raises:
        OverstoryError: A corpus or a retriever does not exist.
    """
    names = options.retriever or ["dense", "lexical", "hybrid", "canopy"]
    for name in names:
        check_retriever(name)
    for corpus in options.corpora:
        with Knowledge(corpus) as knowledge:
            knowledge.status()  # a missing corpus is reported before the long measurement
    points: list[Point] = []
    print(f"{len(questions)} questions, {options.threads} threads\n")
    print("| corpus | chunks | retriever | p50 ms | p95 ms | at once: questions a second | p95 ms | client MB |")
    print("|---|---|---|---|---|---|---|---|")
    for corpus in options.corpora:
        with Knowledge(corpus) as knowledge:
            chunks = knowledge.status().counts["chunks"]
            for name in names:
                asked = _asked(knowledge, name, questions, threads=options.threads, cold=options.cold)
                print(f"| {corpus} | {chunks:,} | `{name}` | {asked.row()} |", flush=True)
                points += asked.points(name, chunks)
    print(f"\n| corpus | {' | '.join(f'{stage}, s per 1,000' for stage in STAGES)} | names | mentions |")
    print("|---" * (len(STAGES) + 3) + "|")
    for corpus in options.corpora:
        with Knowledge(corpus) as knowledge:
            print(_stages(knowledge))
    print(f"\nServer: {server_megabytes(Settings.from_environment()):,.0f} MB")
    if options.json is not None:
        add_points(options.json, points)


@dataclass(frozen=True)
class Asked:
    """Milliseconds of questions asked one after the other and at the same time, and questions per second."""

    p50: float
    p95: float
    a_second: float
    together_p95: float

    def row(self) -> str:
        times = f"{self.p50:.1f} | {self.p95:.1f} | {self.a_second:.0f} | {self.together_p95:.0f}"
        return f"{times} | {client_megabytes():,.0f}"

    def points(self, name: str, chunks: int) -> list[Point]:
        charts = {"question: ms, median": self.p50, "question: ms, slowest of twenty": self.p95}
        charts["ten at once: questions a second"] = self.a_second
        return [Point(chart, name, chunks, value) for chart, value in charts.items()]


def _asked(knowledge: Knowledge, name: str, questions: Sequence[str], *, threads: int, cold: bool) -> Asked:
    retriever = knowledge.retriever(name)

    def ask(question: str) -> float:
        began = time.perf_counter()
        retriever.retrieve(question, 5)
        return (time.perf_counter() - began) * 1000.0

    for question in questions[:1] if cold else questions:
        ask(question)
    alone = [ask(question) for question in questions]
    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        together = list(pool.map(ask, itertools.chain(questions, questions)))
    a_second = len(together) / (time.perf_counter() - began)
    p50, p95 = (float(each) for each in np.percentile(alone, [50, 95]))
    return Asked(p50, p95, a_second, float(np.percentile(together, 95)))


def _stages(knowledge: Knowledge) -> str:
    status = knowledge.status()
    seconds = {stage.name: stage.seconds for stage in status.stages}
    thousands = status.counts["chunks"] / 1000
    found = {stage.name: stage.counts for stage in status.stages}.get("mentions", {})
    times = " | ".join(f"{seconds.get(stage, 0.0) / thousands:.1f}" for stage in STAGES)
    return f"| {status.corpus.name} | {times} | {found.get('entities', 0):,} | {found.get('mentions', 0):,} |"


if __name__ == "__main__":
    sys.exit(main())
