"""Guard against regressions: speed of questions, indexing and updates, next to the figures of the last release.

    make bench-speed
    python -m benchmarks.speed [--retriever canopy] [--rounds 4] [--write]

The benchmark uses the passages and questions of examples/hotpotqa, in a separate instance that it removes at the end.
It prints one Markdown table with the figures of benchmarks/speed.json next to those of this run. --write stores this
run's figures there, with the version, the date and the machine. Nothing is asserted: the exit code is 0 whatever the
figures are.

Most figures are ratios, because machines differ, and one machine differs from hour to hour. Compared things are
measured in turns, so that other work slows all of them alike. A figure is the median of the rounds, with the lowest and
the highest.

    question          p50 and p95 of each retriever, relative to `dense`; of `dense`, relative to embedding the question
    ten callers       questions per second with ten threads, relative to `dense` just before and after
    index             seconds of a stage or system, relative to embedding all passages without a database (64 of them
                      are embedded before and after each); measured once, so the spread is that of the embedding
    one document      seconds of adding, changing or deleting a document and indexing, as the number of passages
                      embedded in that time: in an open `Knowledge`, by stage, and from the command line
    command           processor seconds of a process, relative to `python -c pass`
    memory            MB of this process and of the server

It takes about five minutes with all systems on two idle processors, and three with --retriever canopy. Progress goes to
standard error.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import math
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
import psutil
from benchmarks.measurements import Spread, client_peak_megabytes, cost_of, server_megabytes
from benchmarks.retrievers import in_order
from benchmarks.updates import OPERATIONS, Corpus, by_commands, corpus_of, in_knowledge
from benchmarks.which import markdown

from overstory import Knowledge, server
from overstory.bench.dataset import BenchDataset, load_dataset
from overstory.bench.layout import Layout, documents, source_name
from overstory.errors import CorpusNotFound, OverstoryError
from overstory.examples import demo_corpus
from overstory.machine import processors
from overstory.retrieve import retriever_names
from overstory.settings import Settings
from overstory.systems import check_retriever, system_names

RELEASED = Path(__file__).with_suffix(".json")
CORPUS = "bench-speed"
INTERRUPTED = 130
BASELINE = "dense"
QUESTIONS = 25
PASSAGES = 5  # hits requested per question
CALLERS = 10
CALLED = 30  # questions asked by the ten callers
YARDSTICK = 64  # passages embedded to measure the current speed of the machine

Figures = dict[str, Spread]
"""Figures by group and name, such as "question: canopy p50"."""


@dataclass(frozen=True, slots=True)
class Release:
    """The figures of a run, with the version, date and machine."""

    version: str
    date: str
    machine: str
    figures: Figures


class Yardstick:
    """Measures how fast the machine currently embeds passages."""

    def __init__(self, embed: Callable[[Sequence[str]], object], texts: Sequence[str]) -> None:
        self._embed = embed
        self._texts = texts
        self._measured: list[float] = []

    def measure(self) -> None:
        began = time.perf_counter()
        self._embed(self._texts)
        self._measured.append((time.perf_counter() - began) / len(self._texts))

    def around(self, action: Callable[[], object]) -> Spread:
        """Return the seconds per passage, measured before and after an action."""
        start = max(0, len(self._measured) - 1)
        if not self._measured:
            self.measure()
        action()
        self.measure()
        return Spread.of(self._measured[start:])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--retriever", action="append", metavar="NAME", help="in addition to dense; may be repeated (all)"
    )
    parser.add_argument(
        "--rounds", type=int, default=2, metavar="N", help="rounds of all but indexing; questions get twice as many (2)"
    )
    parser.add_argument("--write", action="store_true", help=f"store the figures in benchmarks/{RELEASED.name}")
    parser.add_argument("--machine", default=machine(), metavar="WORDS", help="description of this machine for --write")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error("--rounds must be at least 1")
    names = in_order({BASELINE, *(given.retriever or [*retriever_names(), *system_names()])})
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that SIGTERM removes the instance, as Ctrl-C does
    try:
        for name in names:
            check_retriever(name)
        with instance() as settings, Knowledge(CORPUS, settings=settings) as knowledge:
            figures = measured(knowledge, load_dataset(demo_corpus()), names, given.rounds, settings)
    except KeyboardInterrupt:
        print("Interrupted; the measured corpus was removed.", file=sys.stderr)
        return INTERRUPTED
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    now = Release(version("overstory"), f"{datetime.now(UTC):%Y-%m-%d}", given.machine, figures)
    print(*report(now, read_release(RELEASED)), sep="\n")
    if given.write:
        write_release(now, RELEASED)
    return 0


@contextmanager
def instance() -> Generator[Settings]:
    """Yield the settings of a temporary instance, or of the configured server, and clean up at the end."""
    if Settings.from_environment().database.uri:
        settings = Settings.from_environment()
        try:
            yield settings
        finally:
            with held_off(), suppress(CorpusNotFound), Knowledge(CORPUS, settings=settings) as knowledge:
                knowledge.delete_corpus()
        return
    with tempfile.TemporaryDirectory(prefix="overstory-speed-", ignore_cleanup_errors=True) as home:
        os.environ["OVERSTORY_CACHE"] = str(Settings.from_environment().places.cache)
        os.environ["OVERSTORY_HOME"] = home
        settings = Settings.from_environment()
        try:
            yield settings
        finally:
            with held_off():
                server.remove(settings)


@contextmanager
def held_off() -> Generator[None]:
    """Ignore a second Ctrl-C while the cleanup runs."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def measured(
    knowledge: Knowledge, dataset: BenchDataset, names: Sequence[str], rounds: int, settings: Settings
) -> Figures:
    passages = [passage.text for passage in dataset.read_passages()]
    yardstick = Yardstick(knowledge.embedder.embed, passages[:: max(1, len(passages) // YARDSTICK)][:YARDSTICK])
    knowledge.embedder.embed(passages[:YARDSTICK])  # warm-up: loads the model
    systems = [name for name in in_order(system_names()) if name in {each.partition(":")[0] for each in names}]
    found = indexing(knowledge, dataset, systems, yardstick)
    found["memory: client after indexing, MB"] = once(client_peak_megabytes())
    questions = [question.text for question in dataset.questions]
    found |= questioning(knowledge, names, questions[:QUESTIONS], 2 * rounds)
    found |= calling(knowledge, names, questions[:CALLED], rounds)
    found |= updating(knowledge, rounds, settings, yardstick)
    found |= commands(rounds, settings, questions[0])
    found["memory: client at most, MB"] = once(client_peak_megabytes())
    found["memory: server, MB"] = once(server_megabytes(settings))
    return found


def indexing(knowledge: Knowledge, dataset: BenchDataset, systems: Sequence[str], yardstick: Yardstick) -> Figures:
    """Measure the stages and systems, relative to embedding all passages."""
    tell(f"index: {len(dataset.passage_ids)} passages")
    knowledge.ingest_documents(documents(dataset.read_passages(), Layout(), source=source_name(dataset)))
    found: Figures = {}

    def build(*wanted: str) -> None:
        began = {stage.name: stage.started for stage in knowledge.status().stages}
        passage = yardstick.around(lambda: knowledge.index(systems=wanted))
        for stage in knowledge.status().stages:
            if began.get(stage.name) != stage.started:
                chunks = knowledge.status().counts["chunks"]
                found[f"index: {stage.name}"] = relative(stage.seconds, passage, chunks)
                if seconds := embedding(stage.name):
                    found[f"index: {stage.name}, its embedding"] = relative(seconds, passage, chunks)

    def embedding(system: str) -> float:
        """Return the seconds that a system spent on embedding, if it reports them."""
        reports = (report for report in knowledge.system_reports() if report.name == system)
        return next((report.figures.get("embed_seconds", 0.0) for report in reports), 0.0)

    build()
    for system in systems:
        tell(f"index: {system}")
        build(system)
    return found


def relative(seconds: float, passage: Spread, chunks: int = 1) -> Spread:
    """Return the seconds relative to embedding that many passages."""
    shares = [seconds / (each * chunks) for each in (passage.median, passage.high, passage.low)]
    return Spread(*shares)


def questioning(knowledge: Knowledge, names: Sequence[str], questions: Sequence[str], rounds: int) -> Figures:
    """Ask each question to all retrievers in turn, in rotating order. The first round is not counted."""
    asks: dict[str, Callable[[str], object]] = {"embedding": lambda question: knowledge.embedder.embed([question])}
    for name in names:
        asks[name] = asking(knowledge, name)
    order = list(asks)
    p50: dict[str, list[float]] = defaultdict(list)
    p95: dict[str, list[float]] = defaultdict(list)
    for number in range(1 + rounds):
        tell(f"question: round {number} of {rounds}")
        seconds: dict[str, list[float]] = {name: [] for name in order}
        for place, question in enumerate(questions):
            first = place % len(order)
            for name in order[first:] + order[:first]:
                seconds[name].append(timed(asks[name], question))
        if number:
            for name in order:
                of = np.percentile(seconds[name], [50, 95])
                p50[name].append(float(of[0]))
                p95[name].append(float(of[1]))
    found = {f"question: {BASELINE} p50, in the embedding": ratios(p50[BASELINE], p50["embedding"])}
    extra = [(whole - embedding) * 1000 for whole, embedding in zip(p50[BASELINE], p50["embedding"], strict=True)]
    found[f"question: {BASELINE} p50 less the embedding, ms"] = Spread.of(extra)
    for name in names:
        if name != BASELINE:
            found[f"question: {name} p50"] = ratios(p50[name], p50[BASELINE])
            found[f"question: {name} p95"] = ratios(p95[name], p95[BASELINE])
    return found


def asking(knowledge: Knowledge, name: str) -> Callable[[str], object]:
    retriever = knowledge.retriever(name)
    return lambda question: retriever.retrieve(question, PASSAGES)


def calling(knowledge: Knowledge, names: Sequence[str], questions: Sequence[str], rounds: int) -> Figures:
    """Measure questions per second of ten callers, with `dense` before and after every other retriever."""

    def a_second(name: str) -> float:
        ask = asking(knowledge, name)
        began = time.perf_counter()
        with ThreadPoolExecutor(CALLERS) as pool:
            list(pool.map(ask, questions))
        return len(questions) / (time.perf_counter() - began)

    found: Figures = {}
    a_second(BASELINE)
    for name in names:
        if name == BASELINE:
            continue
        tell(f"ten callers: {name}")
        a_second(name)
        base, mine = [a_second(BASELINE)], list[float]()
        for _ in range(rounds):
            mine.append(a_second(name))
            base.append(a_second(BASELINE))
        around = [(before + after) / 2 for before, after in itertools.pairwise(base)]
        found[f"ten callers: {name}"] = ratios(mine, around)
    return found


def updating(knowledge: Knowledge, rounds: int, settings: Settings, yardstick: Yardstick) -> Figures:
    """Measure updates of one document, as the number of passages embedded in that time."""
    corpus: Corpus = corpus_of(knowledge)
    whole: dict[str, list[float]] = defaultdict(list)
    stages: dict[str, list[float]] = defaultdict(list)
    for number in range(1 + rounds):
        tell(f"one document: round {number} of {rounds}")
        done = dict[str, Mapping[str, float]]()

        def change(number: int = number, done: dict[str, Mapping[str, float]] = done) -> None:
            for operation, update in in_knowledge(corpus, number, settings).items():
                done[operation] = {"": update.together.seconds, **update.stages}

        passage = yardstick.around(change)
        if number:
            for operation, seconds in done.items():
                for stage, of in seconds.items():
                    kind = stages if stage else whole
                    kind[f"{operation}, {stage}" if stage else operation].append(of / passage.median)
    found = {f"one document: {name}": Spread.of(of) for name, of in whole.items()}
    most = sorted(stages.items(), key=lambda item: (OPERATIONS.index(item[0].partition(",")[0]), -np.median(item[1])))
    found |= {f"one document: {name}": Spread.of(of) for name, of in most if np.median(of) >= 1}
    tell("one document: command line")
    by_process = dict[str, float]()

    def run() -> None:
        by_process.update(
            {name: update.together.seconds for name, update in by_commands(CORPUS, corpus, settings).items()}
        )

    passage = yardstick.around(run)
    found |= {f"one document, command line: {name}": relative(of, passage) for name, of in by_process.items()}
    return found


def commands(rounds: int, settings: Settings, question: str) -> Figures:
    """Measure processor seconds of short commands, relative to starting Python, in turns."""
    lines = {
        "": ["-c", "pass"],
        "import overstory": ["-c", "import overstory"],
        "overstory --help": ["-m", "overstory", "--help"],
        "overstory status": ["-m", "overstory", "status", "--corpus", CORPUS],
        "overstory search": ["-m", "overstory", "search", question, "--corpus", CORPUS],
    }
    seconds: dict[str, list[float]] = defaultdict(list)
    for number in range(1 + rounds):
        tell(f"command: round {number} of {rounds}")
        for name, words in lines.items():
            run = functools.partial(subprocess.run, [sys.executable, *words], check=True, capture_output=True)
            cost = cost_of(run, settings)
            if number:
                seconds[name].append(cost.cpu)
    return {f"command: {name}": ratios(of, seconds[""]) for name, of in seconds.items() if name}


def timed(ask: Callable[[str], object], question: str) -> float:
    began = time.perf_counter()
    ask(question)
    return time.perf_counter() - began


def ratios(values: Sequence[float], others: Sequence[float]) -> Spread:
    return Spread.of([value / other for value, other in zip(values, others, strict=True)])


def once(value: float) -> Spread:
    return Spread(value, value, value)


def report(now: Release, last: Release | None) -> list[str]:
    lines = [f"Overstory {now.version}, {now.date}, {now.machine}."]
    if last is not None:
        lines.append(f"Beside it {last.version}, {last.date}, {last.machine}.")
    head = ["figure", "now (lowest–highest)", *([] if last is None else [last.version, "now / then"])]
    rows = [head]
    differ = last is not None and indexed(now) != indexed(last)
    for name, figure in now.figures.items():
        before = None if last is None or (differ and is_of_all(name)) else last.figures.get(name)
        cells = [name, written(figure)]
        if last is not None:
            cells += ["–", "–"] if before is None else [written(before), comparison(figure, before)]
        rows.append(cells)
    gone = [] if last is None else [name for name in last.figures if name not in now.figures]
    rest = [f"Not measured now: {', '.join(gone)}."] if gone else []
    rest += ["Memory and one document with all stages are not compared: the systems are others."] if differ else []
    return [*lines, "", *markdown(rows), *(["", *rest] if rest else [])]


def is_of_all(name: str) -> bool:
    """Return True if a figure depends on the set of installed systems."""
    group, _, of = name.partition(": ")
    return group in {"memory", "one document, command line"} or (group == "one document" and of in OPERATIONS)


def indexed(release: Release) -> set[str]:
    return {name for name in release.figures if name.startswith("index: ") and "," not in name}


def written(figure: Spread) -> str:
    digits = 0 if figure.median >= 100 else 2
    if figure.low == figure.high:
        return f"{figure.median:,.{digits}f}"
    return figure.written(digits)


def comparison(now: Spread, before: Spread) -> str:
    """Return the ratio of a figure to the earlier one, bold if the two spreads do not overlap."""
    if not before.median or not math.isfinite(now.median / before.median):
        return "–"
    times = f"{now.median / before.median:.2f}"
    apart = now.low > before.high or now.high < before.low
    return f"**{times}**" if apart and now.low < now.high else times


def machine() -> str:
    memory = psutil.virtual_memory().total / 2**30
    python = platform.python_version()
    return f"{processors()} processors ({platform.machine()}), {memory:.0f} GB, {platform.system()}, Python {python}"


def read_release(file: Path) -> Release | None:
    if not file.is_file():
        return None
    kept = json.loads(file.read_text(encoding="utf-8"))
    figures = {name: Spread(*of) for name, of in kept["figures"].items()}
    return Release(kept["version"], kept["date"], kept["machine"], figures)


def write_release(release: Release, file: Path) -> None:
    figures = {name: [round(each, 3) for each in asdict(of).values()] for name, of in release.figures.items()}
    head = {"version": release.version, "date": release.date, "machine": release.machine}
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(of)}" for name, of in figures.items())
    start = json.dumps(head, indent=2).removesuffix("\n}")
    file.write_text(f'{start},\n  "figures": {{\n{lines}\n  }}\n}}\n', encoding="utf-8")


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
