"""Measure the client memory of the index stages, on corpora of several sizes.

    python -m benchmarks.memory make corpora/200k --of corpora/60000/corpus.jsonl --passages 200000
    python -m benchmarks.memory measure corpora/20000 corpora/60000 corpora/200k [--system serag] [--json FILE]
    python -m benchmarks.memory names --passages 1000000 [--megabytes 500]

`make` writes the given documents, and then further ones made from them. A made document has as many sentences as its
original, each taken from any document. Names in it (two or more capitalised words, or one that does not start the
sentence) are replaced by numbered names. With n names written so far, the next one is new with probability 1.5 / n^.2,
and otherwise any of those written. So few names are frequent and new ones keep coming, as in real text. The same seed
gives the same documents.

`measure` loads and indexes each folder in a separate process, with hashed words instead of an embedder, and prints the
peak memory of the process in each task (resident, sampled). An existing corpus is not loaded again. `--again` extracts
the names of all its passages again. `--quick` takes capitalised words as names instead of running the extractor.

`names` needs no server. It fills the tables of the mentions stage with names drawn as in `make`, three subjects and
four parsed names per passage, and reads the tables as the stage does.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import random
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measurements import client_megabytes, client_peak_megabytes, server_megabytes
from benchmarks.standins import NAME, CapitalisedNames, HashedWords

from overstory import Knowledge
from overstory.graph import read_corpus, writing
from overstory.index.spooled_names import PassageNames
from overstory.settings import INDEX_MEGABYTES, Settings
from overstory.text.names.dictionary import PossibleNames
from overstory.text.names.edits import NO_EDITS
from overstory.text.names.subjects import Subject
from overstory.text.sentences import sentence_starts, sentence_texts

NEW_NAME_CHANCE, NEW_NAME_DECLINE = 1.5, 0.2
LAST_NAMES = 20_011
SAMPLE_SECONDS = 0.02
PASSAGE_CHARACTERS = 400  # approximate length by which `make` counts passages

SYLLABLES = [a + b for a in "bcdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "in", "or", "ul")]


@dataclass(slots=True)
class Names:
    """Numbered names, few of them frequent."""

    chance: random.Random
    written: array[int] = field(default_factory=lambda: array("I"))
    distinct: int = 0

    def next(self) -> str:
        n = len(self.written)
        if not n or self.chance.random() < NEW_NAME_CHANCE / n**NEW_NAME_DECLINE:
            number = self.distinct
            self.distinct += 1
        else:
            number = self.written[self.chance.randrange(n)]
        self.written.append(number)
        last = number * 7919 % LAST_NAMES
        return f"{_word(number // LAST_NAMES * 977 + number % 977)} {_word(last + 1)}"


@dataclass(slots=True)
class Peaks:
    """A `Progress` that records the peak memory and the duration of each task."""

    megabytes: dict[str, float] = field(default_factory=dict[str, float])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    task: str = "start"
    _began: float = field(default_factory=time.perf_counter)

    def start(self, task: str, total: int | None, unit: str) -> None:  # noqa: ARG002 # required by the protocol
        self._end()
        self.task = task

    def advance(self, amount: int) -> None:
        pass

    def finish(self, detail: str) -> None:  # noqa: ARG002 # required by the protocol
        self._end()

    def _end(self) -> None:
        now = time.perf_counter()
        self.seconds[self.task] = self.seconds.get(self.task, 0.0) + now - self._began
        self.task, self._began = f"after {self.task.removeprefix('after ')}", now

    def sample(self, ended: threading.Event) -> None:
        while not ended.wait(SAMPLE_SECONDS):
            task = self.task
            self.megabytes[task] = max(self.megabytes.get(task, 0.0), client_megabytes())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make")
    make.add_argument("out", type=Path)
    make.add_argument("--of", type=Path, action="append", required=True, metavar="FILE", help="a corpus.jsonl")
    make.add_argument("--passages", type=int, required=True)
    measure = commands.add_parser("measure")
    measure.add_argument("folders", type=Path, nargs="+")
    measure.add_argument("--system", action="append", default=[])
    measure.add_argument("--again", action="store_true")
    measure.add_argument("--quick", action="store_true")
    measure.add_argument("--json", type=Path)
    names = commands.add_parser("names")
    names.add_argument("--passages", type=int, required=True)
    names.add_argument("--megabytes", type=float, default=INDEX_MEGABYTES)
    one = commands.add_parser("one")
    one.add_argument("folder", type=Path)
    one.add_argument("--system", action="append", default=[])
    one.add_argument("--again", action="store_true")
    one.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    if given.command == "make":
        write_made(given.out, given.of, given.passages)
    elif given.command == "one":
        print(json.dumps(measured(given.folder, given.system, again=given.again, quick=given.quick)))
    elif given.command == "names":
        measure_names(given.passages, given.megabytes)
    else:
        for folder in given.folders:
            systems = itertools.chain.from_iterable(("--system", name) for name in given.system)
            flags = [f"--{name}" for name in ("again", "quick") if getattr(given, name)]
            command = [sys.executable, "-m", "benchmarks.memory", "one", str(folder), *systems, *flags]
            found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
            print(*table(found), sep="\n", flush=True)
            if given.json:
                with given.json.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(found) + "\n")
    return 0


def table(found: dict[str, object]) -> list[str]:
    megabytes, seconds = found["megabytes"], found["seconds"]
    assert isinstance(megabytes, dict)
    assert isinstance(seconds, dict)
    counts = ", ".join(f"{name} {found[name]:,}" for name in ("chunks", "entities", "server_megabytes"))
    lines = [f"\n{found['corpus']}: {counts}\n", "| task | MB | s |", "|---|---|---|"]
    return [*lines, *(f"| {task} | {most:,.0f} | {seconds.get(task, 0.0):,.1f} |" for task, most in megabytes.items())]


def measured(folder: Path, systems: Sequence[str], *, again: bool, quick: bool) -> dict[str, object]:
    peaks, ended = Peaks(), threading.Event()
    sampler = threading.Thread(target=peaks.sample, args=(ended,), daemon=True)
    sampler.start()
    with Knowledge(f"memory{folder.name}", progress=peaks) as knowledge:
        knowledge.use(embedder=HashedWords(), extractor=CapitalisedNames() if quick else None)
        if again:
            with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "memory") as writer:
                writer.set(named_by="")
        elif not any(size.corpus.name == knowledge.corpus_name for size in knowledge.corpora()):
            knowledge.ingest(str(folder))
        knowledge.index(systems=systems)
        status = knowledge.status()
        ended.set()
        sampler.join()
        return {
            "corpus": folder.name,
            "chunks": status.counts["chunks"],
            "entities": status.counts["entities"],
            "server_megabytes": round(server_megabytes(Settings.from_environment())),
            "megabytes": peaks.megabytes,
            "seconds": peaks.seconds,
            "digest": str(knowledge.digest()),
        }


def measure_names(passages: int, megabytes: float) -> None:
    """Print the memory of the mentions stage's tables and the duration of each step."""
    names = Names(random.Random(7))  # noqa: S311
    began, before = time.perf_counter(), client_megabytes()

    def say(step: str) -> None:
        held = f"{client_megabytes():,.0f} MB, at most {client_peak_megabytes():,.0f}"
        print(f"{step}: {time.perf_counter() - began:,.0f} s, {held}", flush=True)

    print(f"{before:,.0f} MB before")
    with PassageNames(megabytes / 2) as tables:
        for number in range(passages):
            chunk = hashlib.blake2b(str(number).encode(), digest_size=16).hexdigest()
            lead, title, part = (names.next().lower() for _ in range(3))
            about = {
                f"{lead} the {title}": Subject(0.8, "lead", full=True),
                title: Subject(1.0, "title", full=True, surface=title.title()),
                part: Subject(0.7, "definition", surface=part.title(), common=True),
            }
            tables.add_found(chunk, about, NO_EDITS)
            tables.add_parsed(names.next().lower() for _ in range(4))
        say(f"{passages:,} passages, {names.distinct:,} names written")
        tables.find_others()
        say("other names")
        tables.find_wanted([])
        say(f"{tables.wanted_number():,} names to look for")
        changes = sum(1 for _ in tables.newly_about())
        say(f"{changes:,} changes")
        dictionaries = 0
        for _ in range(20):
            keys = {names.next().lower() for _ in range(40_000)}
            dictionaries += len(tables.wanted_among(PossibleNames(keys, set())).all)
        say(f"{dictionaries:,} names of 20 pages")


def write_made(out: Path, of: Sequence[Path], passages: int) -> None:
    out.mkdir(parents=True, exist_ok=True)
    number = 0
    with (out / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for document in _made(of):
            file.write(json.dumps(document, ensure_ascii=False) + "\n")
            number += max(1, round(len(document["text"]) / PASSAGE_CHARACTERS))
            if number >= passages:
                return


def _made(of: Sequence[Path]) -> Iterator[dict[str, str]]:
    documents = [json.loads(line) for file in of for line in file.read_text(encoding="utf-8").splitlines()]
    yield from ({name: document[name] for name in ("_id", "title", "text")} for document in documents)
    chance = random.Random(7)  # noqa: S311
    split = [sentence_texts(document["text"], sentence_starts(document["text"])) for document in documents]
    pool = [sentence for sentences in split for sentence in sentences]
    names = Names(chance)
    for number in itertools.count():
        sentences = [_renamed(chance.choice(pool), names) for _ in chance.choice(split)]
        yield {"_id": f"made-{number}", "title": names.next(), "text": _joined(sentences)}


def _renamed(sentence: str, names: Names) -> str:
    return NAME.sub(lambda _: names.next(), sentence)


def _joined(sentences: Iterable[str]) -> str:
    return "".join(sentence if sentence[-1:].isspace() else sentence + " " for sentence in sentences).strip()


def _word(number: int) -> str:
    word = ""
    while number or len(word) < 4:
        number, syllable = divmod(number, len(SYLLABLES))
        word += SYLLABLES[syllable]
    return word.capitalize()


if __name__ == "__main__":
    sys.exit(main())
