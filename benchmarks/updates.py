"""Measure the cost of adding, changing and deleting one document, on corpora of several sizes, by stage.

    python -m benchmarks.updates small large [--rounds 5] [--no-command-line] [--json FILE]

The corpora must be loaded and indexed, with or without systems. Every round adds a document, changes it and deletes it,
and updates the index after each step, including the systems of the corpus. A document consists of the sentences of a
passage in another order, so that it mentions existing names. All documents are deleted at the end, even if the run is
interrupted, and a line reports whether the corpus has the same size as before.

Corpora take turns, round by round, so that other work on the machine slows all of them alike. The first round of an
open `Knowledge` loads models and caches and has a row of its own. Prints Markdown with median, lowest and highest
value. Processor seconds are those of client and embedded server together, and are more reliable on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.curves import Point, add_points
from benchmarks.measurements import Cost, Spread, cost_of
from benchmarks.which import markdown

from overstory import Knowledge
from overstory.errors import OverstoryError
from overstory.index import StageRecord
from overstory.model import Document, Hit
from overstory.settings import Settings
from overstory.text.sentences import sentence_starts, sentence_texts

SOURCE = "benchmarks/updates"
OPEN, FIRST, COMMANDS = "open Knowledge", "open Knowledge, first", "command line"
OPERATIONS = ("add", "change", "delete")
ASKED = ("Who directed the film?", "Where was the author born?", "How is the option set?")
"""Questions that find the passages whose sentences are used."""


@dataclass(frozen=True, slots=True)
class Update:
    """The cost of one operation.

    Attributes:
        writing: Cost of loading or deleting the document.
        indexing: Cost of updating the index.
        stages: Seconds of the stages that ran in either step.
    """

    writing: Cost
    indexing: Cost
    stages: Mapping[str, float]

    @property
    def together(self) -> Cost:
        return self.writing + self.indexing


@dataclass(frozen=True, slots=True)
class Corpus:
    knowledge: Knowledge
    chunks: int
    passages: Sequence[Hit]

    def text(self, number: int, *, changed: bool) -> str:
        """Return the sentences of a passage in reverse order; if changed, followed by those of the next passage."""
        hits = [self.passages[(number + each) % len(self.passages)] for each in range(1 + changed)]
        return "\n\n".join(backwards(hit.text) for hit in hits)


Updates = dict[tuple[str, str, str], list[Update]]
"""Rounds by corpus, interface and operation."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="CORPUS", help="loaded and indexed")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="rounds in an open Knowledge (5)")
    parser.add_argument("--command-rounds", type=int, default=2, metavar="N", help="rounds from the command line (2)")
    parser.add_argument("--no-command-line", action="store_true", help="measure only an open Knowledge")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the figures to this file, for benchmarks.curves")
    given = parser.parse_args()
    settings = Settings.from_environment()
    found: Updates = defaultdict(list)
    try:
        with ExitStack() as stack:
            opened = {name: stack.enter_context(Knowledge(name, settings=settings)) for name in given.corpora}
            corpora = {name: corpus_of(knowledge) for name, knowledge in opened.items()}
            before = {name: knowledge.status().counts for name, knowledge in opened.items()}
            try:
                measure(corpora, given.rounds, settings, found)
            finally:
                for knowledge in opened.values():
                    clean(knowledge)
            if not given.no_command_line:
                for _ in range(given.command_rounds):
                    for name, corpus in corpora.items():
                        tell(f"{name}: command line")
                        for operation, update in by_commands(name, corpus, settings).items():
                            found[name, COMMANDS, operation].append(update)
            chunks = {name: corpus.chunks for name, corpus in corpora.items()}
            print(*markdown(rows(found, chunks)), sep="\n")
            for name, knowledge in opened.items():
                after = knowledge.status().counts
                same = "as much there as before" if after == before[name] else f"before {before[name]}, after {after}"
                print(f"\n{name}: {same}.")
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    if given.json is not None:
        add_points(given.json, points(found, chunks))
    return 0


def corpus_of(knowledge: Knowledge) -> Corpus:
    """Return a corpus after updating its index, so that earlier changes are not measured."""
    clean(knowledge)
    hits = [hit for question in ASKED for hit in knowledge.search(question, 10, retriever="lexical").hits]
    several = [hit for hit in hits if len(sentences(hit.text)) > 1]
    return Corpus(knowledge, knowledge.status().counts["chunks"], several or hits)


def clean(knowledge: Knowledge) -> None:
    """Delete what an earlier measurement left, and update the index."""
    left = [document.id for document in knowledge.documents() if document.source.startswith(SOURCE)]
    if left:
        knowledge.delete_documents(left)
    knowledge.index()


def measure(corpora: Mapping[str, Corpus], rounds: int, settings: Settings, found: Updates) -> None:
    """Measure the operations in an open `Knowledge`, corpora in turn, with the first round separate."""
    for number in range(1 + rounds):
        for name, corpus in corpora.items():
            tell(f"{name}: round {number} of {rounds}")
            for operation, update in in_knowledge(corpus, number, settings).items():
                found[name, OPEN if number else FIRST, operation].append(update)


def in_knowledge(corpus: Corpus, number: int, settings: Settings) -> dict[str, Update]:
    knowledge, key = corpus.knowledge, f"document {number}"

    def load(*, changed: bool) -> None:
        knowledge.ingest_documents(Document(SOURCE, key, corpus.text(number, changed=changed), title=key))

    def delete() -> None:
        knowledge.delete_documents(knowledge.document_id(SOURCE, key))

    actions: dict[str, Callable[[], object]] = {
        "add": lambda: load(changed=False),
        "change": lambda: load(changed=True),
        "delete": delete,
    }
    return {name: update(knowledge, action, knowledge.index, settings) for name, action in actions.items()}


def by_commands(name: str, corpus: Corpus, settings: Settings) -> dict[str, Update]:
    """Measure one file with a process for each command."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "document.jsonl"

        def command(*words: str) -> Callable[[], object]:
            line = [sys.executable, "-m", "overstory", *words, "--corpus", name, "--quiet"]
            return lambda: subprocess.run(line, check=True, stdout=subprocess.DEVNULL)

        def load(*, changed: bool) -> None:
            text = {"id": "one", "title": "document", "text": corpus.text(0, changed=changed)}
            file.write_text(json.dumps(text) + "\n", encoding="utf-8")
            command("ingest", str(file))()

        actions: dict[str, Callable[[], object]] = {
            "add": lambda: load(changed=False),
            "change": lambda: load(changed=True),
            "delete": command("delete", "--source", str(file), "--yes"),
        }
        try:
            return {
                each: update(corpus.knowledge, action, command("index"), settings) for each, action in actions.items()
            }
        except BaseException:
            corpus.knowledge.delete_documents(source=str(file))
            raise


def update(
    knowledge: Knowledge, write: Callable[[], object], index: Callable[[], object], settings: Settings
) -> Update:
    """Write and index, and read from the ledger which stages ran."""
    before = knowledge.status().stages
    writing = cost_of(write, settings)
    between = knowledge.status().stages
    indexing = cost_of(index, settings)
    after = knowledge.status().stages
    seconds: dict[str, float] = {}
    for old, new in ((before, between), (between, after)):
        for stage in ran(old, new):
            seconds[stage.name] = seconds.get(stage.name, 0.0) + stage.seconds
    return Update(writing, indexing, seconds)


def ran(before: Iterable[StageRecord], after: Iterable[StageRecord]) -> list[StageRecord]:
    """Return the stages that started between two readings of the ledger."""
    started = {stage.name: stage.started for stage in before}
    return [stage for stage in after if started.get(stage.name) != stage.started]


def sentences(text: str) -> list[str]:
    return sentence_texts(text, sentence_starts(text))


def backwards(text: str) -> str:
    """Return the sentences of a text in reverse order: a new text with the same names."""
    return "\n".join(each.strip() for each in reversed(sentences(text)))


def rows(found: Updates, chunks: Mapping[str, int]) -> list[list[str]]:
    stages = list(dict.fromkeys(stage for updates in found.values() for each in updates for stage in each.stages))
    table = [["chunks", "how", "operation", "seconds", "processor s", "load or delete", "index", *stages]]
    for (name, how, operation), updates in found.items():
        together = [each.together for each in updates]
        parts = [[each.writing.seconds for each in updates], [each.indexing.seconds for each in updates]]
        parts += [[each.stages.get(stage, 0.0) for each in updates] for stage in stages]
        table.append(
            [
                f"{chunks[name]:,}",
                how,
                operation,
                Spread.of([each.seconds for each in together]).written(),
                Spread.of([each.cpu for each in together]).written(),
                *(f"{Spread.of(part).median:.2f}" for part in parts),
            ]
        )
    return table


def points(found: Updates, chunks: Mapping[str, int]) -> list[Point]:
    made: list[Point] = []
    for (name, how, operation), updates in found.items():
        size = chunks[name]
        made.append(
            Point(f"one document, {how}: s", operation, size, Spread.of([u.together.seconds for u in updates]).median)
        )
        if how == OPEN:
            for stage in {stage for each in updates for stage in each.stages}:
                seconds = Spread.of([each.stages.get(stage, 0.0) for each in updates]).median
                made.append(Point(f"one document, {operation}, stages: s", stage, size, seconds))
    return made


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
