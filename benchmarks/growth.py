"""Scaling of retrievers and stages: the same questions on corpora of several sizes.

    overstory ingest SMALL --corpus small && overstory index --corpus small       # and so on
    python benchmarks/growth.py small large --questions QUERIES.jsonl

Each retriever is asked one question after the other, then by ten threads at once; before that all questions are asked
once, uncounted, unless --cold. Prints one markdown row a corpus and retriever, and one a corpus with what its stages
took for 1,000 chunks. Times on a machine that does other things are upper bounds; compare rows of one run.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psutil

from overstory import Knowledge, server
from overstory.settings import Settings

MEGABYTE = 1_000_000
STAGES = ("embed", "extract", "entities", "mentions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="CORPUS", help="loaded and indexed")
    parser.add_argument("--questions", type=Path, required=True, metavar="FILE", help='JSON lines with "text"')
    parser.add_argument("--retriever", action="append", metavar="NAME", help="dense, lexical, hybrid and canopy")
    parser.add_argument("--most", type=int, default=200, metavar="N", help="of the questions (200)")
    parser.add_argument("--threads", type=int, default=10, metavar="N", help="that ask at once (10)")
    parser.add_argument("--cold", action="store_true", help="ask no question before it is counted")
    options = parser.parse_args()
    lines = options.questions.read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["text"] for line in lines if line.strip()][: options.most]
    names = options.retriever or ["dense", "lexical", "hybrid", "canopy"]
    print(f"{len(questions)} questions, {options.threads} threads\n")
    print("| corpus | chunks | retriever | p50 ms | p95 ms | at once: questions a second | p95 ms | client MB |")
    print("|---|---|---|---|---|---|---|---|")
    for corpus in options.corpora:
        with Knowledge(corpus) as knowledge:
            for name in names:
                row = _asked(knowledge, name, questions, threads=options.threads, cold=options.cold)
                print(f"| {corpus} | {knowledge.status().counts['chunks']:,} | `{name}` | {row} |", flush=True)
    print(f"\n| corpus | {' | '.join(f'{stage}, s per 1,000' for stage in STAGES)} | names | mentions |")
    print("|---" * (len(STAGES) + 3) + "|")
    for corpus in options.corpora:
        with Knowledge(corpus) as knowledge:
            print(_stages(knowledge))
    print(f"\nServer: {_server_megabytes():,.0f} MB")


def _asked(knowledge: Knowledge, name: str, questions: Sequence[str], *, threads: int, cold: bool) -> str:
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
    p50, p95 = np.percentile(alone, [50, 95])
    megabytes = psutil.Process().memory_info().rss / MEGABYTE
    return f"{p50:.1f} | {p95:.1f} | {a_second:.0f} | {np.percentile(together, 95):.0f} | {megabytes:,.0f}"


def _stages(knowledge: Knowledge) -> str:
    status = knowledge.status()
    seconds = {stage.name: stage.seconds for stage in status.stages}
    thousands = status.counts["chunks"] / 1000
    found = {stage.name: stage.counts for stage in status.stages}.get("mentions", {})
    times = " | ".join(f"{seconds.get(stage, 0.0) / thousands:.1f}" for stage in STAGES)
    return f"| {status.corpus.name} | {times} | {found.get('entities', 0):,} | {found.get('mentions', 0):,} |"


def _server_megabytes() -> float:
    """Of the embedded server; 0 where another is used."""
    settings = Settings.from_environment()
    memory = None if settings.database.uri else server.status(settings).memory
    return (memory or 0) / MEGABYTE


if __name__ == "__main__":
    main()
