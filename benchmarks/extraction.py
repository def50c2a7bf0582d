"""Compare extraction in one process and in several, alternately: texts per second, and results.

    python benchmarks/extraction.py FOLDER… [--texts 1500] [--processes 2] [--rounds 2]

The folders are BEIR folders. A run includes loading the pipeline and starting the processes, as a user waits for both.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

from overstory.machine import processors
from overstory.model import ChunkText, Extraction
from overstory.settings import ExtractionSettings
from overstory.text import make_extractor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--texts", type=int, default=1_500, help="texts of each folder (default 1500; 0: all)")
    parser.add_argument("--processes", type=int, default=processors())
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    for folder in arguments.folders:
        rows = [json.loads(line) for line in (folder / "corpus.jsonl").open(encoding="utf-8")]
        chunks = [ChunkText(row["_id"], row.get("title", ""), "", row["text"]) for row in rows]
        compare(folder.name, chunks[: arguments.texts or None], arguments.processes, arguments.rounds)


def compare(name: str, chunks: list[ChunkText], processes: int, rounds: int) -> None:
    one, several = [], []
    found: list[Extraction] = []
    for _ in range(rounds):
        seconds, found = timed(chunks, 1)
        one.append(len(chunks) / seconds)
        seconds, again = timed(chunks, processes)
        several.append(len(chunks) / seconds)
        assert again == found
    a, b = statistics.median(one), statistics.median(several)
    facts = [fact for extraction in found for fact in extraction.facts]
    linked = sum(fact.subject_mention is not None and fact.object_mention is not None for fact in facts)
    print(f"{name}: {len(chunks)} texts, {sum(len(e.sentences) for e in found)} sentences")
    print(
        f"  {sum(len(e.mentions) for e in found)} mentions, {len(facts)} facts, {linked} of them between two mentions"
    )
    print(f"  1 process: {a:.1f} texts/s; {processes} processes: {b:.1f} texts/s; ratio {b / a:.2f}")


def timed(chunks: list[ChunkText], processes: int) -> tuple[float, list[Extraction]]:
    started = time.perf_counter()
    found = list(make_extractor(ExtractionSettings(processes=processes)).extract(chunks))
    return time.perf_counter() - started, found


if __name__ == "__main__":
    main()
