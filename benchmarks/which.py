"""Compare all installed retrievers in one table: quality, speed and cost of the index. For docs/which.md.

    python -m benchmarks.which DIR… [--questions 200] [--index] [--json FILE] [--write]
    python -m benchmarks.which DIR… --equal-tokens 300,500,1000 [--write]

DIR is a BEIR folder, or DIR=CORPUS for a corpus that already contains its passages. Without `--index` nothing is
written to the database: a retriever whose index is missing has no figures, and a note names the command that builds the
index.

The retrievers are asked in turn, question by question, in rotating order, so that other work on the machine slows all
of them alike. Seconds of indexing are from the ledger of the corpus: those of the last run in which a stage had work to
do. Tokens are the embedder's. With `--equal-tokens`, the context of each retriever is cut to that many tokens, and the
contexts are compared.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from benchmarks.read_text import Count, Read, answer_f1, extractive, read_at, read_of
from benchmarks.retrievers import all_5, bounds, in_order, recall_5, share, signed

from overstory.answer.context import CONTEXT_TOKENS, read_within
from overstory.answer.extractive import extract
from overstory.answer.reader import AnswerReader
from overstory.bench.dataset import BenchDataset, BenchQuestion, load_dataset
from overstory.bench.layout import Layout, corpus_name, shuffled
from overstory.bench.metrics import Interval, Scores, difference_interval
from overstory.bench.runner import LOAD_STAGE, BenchResult, load_and_index, run_interleaved
from overstory.display import counted
from overstory.embed import make_embedder
from overstory.errors import IndexMissing, OverstoryError, SettingsError
from overstory.graph import GraphClient, read_corpus
from overstory.graph.ids import derived_label
from overstory.graph.statements import add_statements
from overstory.knowledge import Knowledge
from overstory.machine import processors
from overstory.protocols import Embedder
from overstory.retrieve import retriever_names
from overstory.settings import Settings
from overstory.systems import Owned, find_system, installed_systems, require_state, system_names
from overstory_cli.bench import difference_of
from overstory_cli.progress import progress_for

PAGE = Path(__file__).parents[1] / "docs" / "which.md"
TITLES = {"2wikimultihopqa": "2WikiMultiHopQA", "hotpotqa": "HotpotQA", "musique": "MuSiQue", "man": "manual pages"}
BASELINE = "dense"
QUESTIONS = 200
READ_QUESTIONS = 100
ASKED = 5  # passages that `overstory ask` requests
ASKED_AT_EQUAL_TOKENS = 10
AT_EQUAL_TOKENS = (BASELINE, "canopy", "slimrag", "apr", "hirag", "tretriever")

add_statements(Path(__file__).parent / "cypher")


@dataclass(frozen=True)
class Size:
    """Size of an index in the database."""

    nodes: int
    relationships: int
    vectors: int = 0


@dataclass(frozen=True)
class Costs:
    """The cost of a system's index, in addition to what all retrievers share.

    Attributes:
        seconds: Seconds of its stage.
    """

    seconds: float
    size: Size


@dataclass(frozen=True)
class Measured:
    """Results of one retriever on one benchmark.

    Attributes:
        reads: Texts read for a sample of the questions, with the defaults of `overstory ask`.
        costs: Cost of the index; None for retrievers without an index of their own.
    """

    result: BenchResult
    reads: Sequence[Read]
    costs: Costs | None


@dataclass(frozen=True)
class Run:
    """Results of all retrievers on one benchmark.

    Attributes:
        stages: Seconds of the indexing stages that all retrievers share.
        shared: Size of the shared stages in the database.
        retrievers: Results by name, without retrievers that lack an index.
        stale: Retrievers whose indexes are behind the corpus.
    """

    name: str
    corpus: str
    questions: int
    passages: int
    stages: Mapping[str, float]
    shared: Size
    retrievers: Mapping[str, Measured]
    stale: Sequence[str] = ()


@dataclass(frozen=True)
class EqualRead:
    """Results of one retriever within a number of tokens, with one element per question."""

    reads: list[Read] = field(default_factory=list[Read])
    f1: list[float] = field(default_factory=list[float])


EqualReads = Mapping[int, Mapping[str, EqualRead]]
"""Results by number of tokens and retriever."""


@dataclass(frozen=True)
class Target:
    name: str
    corpus: str
    dataset: BenchDataset

    def sample(self, size: int) -> list[BenchQuestion]:
        """Return at most `size` questions, the same ones for the same seed, whatever the order of the file."""
        chosen = set(shuffled((question.id for question in self.dataset.questions), seed=0)[:size])
        return [question for question in self.dataset.questions if question.id in chosen]

    def gold(self, question: BenchQuestion) -> set[str]:
        return {key for key, score in self.dataset.qrels[question.id].items() if score > 0}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="DIR", help="a BEIR folder, or DIR=CORPUS")
    parser.add_argument("--retriever", action="append", metavar="NAME", help="may be repeated (default: all)")
    parser.add_argument("--questions", type=int, default=QUESTIONS, metavar="N", help="questions per folder (200)")
    parser.add_argument("--index", action="store_true", help="first load and index what is missing")
    parser.add_argument(
        "--equal-tokens", type=numbers, metavar="N,N…", help="compare contexts of these lengths in tokens"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    parser.add_argument("--write", action="store_true", help=f"write the table into docs/{PAGE.name}")
    given = parser.parse_args()
    if given.questions < 1:
        parser.error("--questions must be at least 1")
    try:
        settings = Settings.from_environment()
        embedder = make_embedder(settings.embedding)
        targets = [target(each, embedder) for each in given.folders]
        everything = in_order({*retriever_names(), *system_names()})
        if given.equal_tokens:
            names = given.retriever or [name for name in AT_EQUAL_TOKENS if name in everything]
            objects, table = at_equal_tokens(targets, names, given.equal_tokens, given.questions, settings, embedder)
        else:
            names = given.retriever or everything
            objects, table = compared(targets, names, given.questions, settings, embedder, index=given.index)
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    print(table)
    if given.json is not None:
        given.json.write_text(json.dumps(objects, indent=2) + "\n", encoding="utf-8")
    if given.write:
        mark = "equal-tokens" if given.equal_tokens else "table"
        PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), mark, table), encoding="utf-8")
    return 0


def numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


def target(text: str, embedder: Embedder) -> Target:
    """Return a folder with its corpus, by default the corpus of `overstory bench`."""
    folder, _, corpus = text.partition("=")
    dataset = load_dataset(Path(folder))
    name = TITLES.get(Path(folder).resolve().name, Path(folder).resolve().name)
    if corpus:
        return Target(f"{name} ({corpus})", corpus, dataset)
    return Target(name, corpus_name(dataset, Layout(), embedder=embedder.fingerprint), dataset)


def compared(
    targets: Sequence[Target],
    names: Sequence[str],
    questions: int,
    settings: Settings,
    embedder: Embedder,
    *,
    index: bool,
) -> tuple[object, str]:
    runs: list[Run] = []
    for each in targets:
        print(f"{each.name}: {each.corpus}", file=sys.stderr)
        with Knowledge(each.corpus, settings=settings, progress=progress_for(quiet=False)) as knowledge:
            knowledge.use(embedder=embedder)
            if index:
                load_and_index(knowledge, each.dataset, Layout(), names)
            runs.append(measured(knowledge, each, names, questions))
    return [as_object(run) for run in runs], "\n".join(page_lines(runs, names))


def measured(knowledge: Knowledge, of: Target, names: Sequence[str], questions: int) -> Run:
    """Ask the retrievers that have an index. Nothing is written."""
    there = indexed(knowledge, names)
    status = knowledge.status()
    seconds = {stage.name: stage.seconds for stage in status.stages}
    asked = of.sample(questions)
    qrels = {question.id: of.dataset.qrels[question.id] for question in asked}
    results = run_interleaved(
        {name: knowledge.retriever(name, repeats=True) for name in there},
        asked,
        qrels,
        index_seconds={name: seconds.get(system_of(name), 0.0) for name in there},
        progress=knowledge.progress,
    )
    count = counting(knowledge.embedder)
    built = [system for system in installed_systems() if system.name in status.corpus.systems]
    sizes = {each.name: system_size(knowledge.graph, status.corpus.label, each.owns) for each in built}
    found: dict[str, Measured] = {}
    for result in results:
        name = result.row.retriever
        size = sizes.get(system_of(name))
        reads = [reading(knowledge, of, question, name, count) for question in asked[:READ_QUESTIONS]]
        found[name] = Measured(result, reads, None if size is None else Costs(result.row.index_s, size))
    return Run(
        name=of.name,
        corpus=of.corpus,
        questions=len(asked),
        passages=len(of.dataset.passage_ids),
        stages={name: took for name, took in seconds.items() if name not in (LOAD_STAGE, *system_names())},
        shared=shared_size(knowledge, sizes),
        retrievers=found,
        stale=[name for name in there if status.pending.get(system_of(name))],
    )


def indexed(knowledge: Knowledge, names: Sequence[str]) -> list[str]:
    """Return the retrievers that can be asked. For the others, print the reason to standard error."""
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    there: list[str] = []
    for name in names:
        try:
            if system := system_of(name):
                require_state(find_system(system), corpus)
            there.append(name)
        except (IndexMissing, SettingsError) as error:  # the index is missing, or a package cannot be loaded
            print(f"{name} was skipped. {error} {error.remedy}", file=sys.stderr)
    return there


def system_of(retriever: str) -> str:
    """Return the name of the system that a retriever belongs to; "" if there is none."""
    name = retriever.partition(":")[0]
    return name if name in system_names() else ""


def system_size(graph: GraphClient, label: str, owns: Owned) -> Size:
    kinds = [derived_label(label, kind) for kind in owns.labels]
    return stored(graph, "benchmarks/system_size", label, kinds=kinds, types=list(owns.relationship_types))


def shared_size(knowledge: Knowledge, systems: Mapping[str, Size]) -> Size:
    """Return the size of a corpus without its systems. Vectors that systems share count as theirs."""
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    whole = stored(knowledge.graph, "benchmarks/corpus_size", corpus.label)
    (row,) = knowledge.graph.run("vectors/counts", corpus.label, read=True, embedder=corpus.embedder)
    return Size(
        whole.nodes - sum(size.nodes for size in systems.values()) - row["vectors"],
        whole.relationships - sum(size.relationships for size in systems.values()),
    )


def stored(graph: GraphClient, statement: str, label: str, **parameters: object) -> Size:
    (row,) = graph.run(statement, label, read=True, **parameters)
    return Size(**row)


def counting(embedder: Embedder) -> Count:
    def count(text: str) -> int:
        return embedder.count_tokens([text])[0]

    return count


def reading(knowledge: Knowledge, of: Target, question: BenchQuestion, name: str, count: Count) -> Read:
    """Return what `overstory ask` would give a language model to read."""
    context = read_within(CONTEXT_TOKENS, knowledge.search(question.text, ASKED, retriever=name))
    return read_of(context, of.gold(question), question.answers, count)


def at_equal_tokens(
    targets: Sequence[Target],
    names: Sequence[str],
    budgets: Sequence[int],
    questions: int,
    settings: Settings,
    embedder: Embedder,
) -> tuple[object, str]:
    """Return the figures of contexts of equal length, and their table."""
    count = counting(embedder)
    extracting = functools.partial(extract, reader=AnswerReader(embedder, settings.extraction.pipeline))
    found: dict[str, EqualReads] = {}
    for each in targets:
        print(f"{each.name}: {each.corpus}", file=sys.stderr)
        asked = [question for question in each.sample(questions) if question.answers]
        reads: dict[int, dict[str, EqualRead]] = {}
        with Knowledge(each.corpus, settings=settings, progress=progress_for(quiet=False)) as knowledge:
            knowledge.use(embedder=embedder)
            for name in indexed(knowledge, names):
                for question in asked:
                    evidence = knowledge.search(question.text, ASKED_AT_EQUAL_TOKENS, retriever=name)
                    for tokens in budgets:
                        of = reads.setdefault(tokens, {}).setdefault(name, EqualRead())
                        context = read_at(tokens, evidence, count)
                        of.reads.append(read_of(context, each.gold(question), question.answers, count))
                        of.f1.append(answer_f1(extractive(tokens, evidence, extracting, count), question.answers))
        found[each.name] = reads
    objects = {
        name: {tokens: {retriever: asdict(of) for retriever, of in row.items()} for tokens, row in reads.items()}
        for name, reads in found.items()
    }
    return objects, "\n".join(markdown(equal_rows(found)))


def page_lines(runs: Sequence[Run], names: Sequence[str]) -> list[str]:
    costly = max(runs, key=lambda run: run.passages)
    stages = ", ".join(f"{name} {took:.0f}" for name, took in costly.stages.items())
    shared = costly.shared
    sets = ", ".join(f"{run.name} ({counted(run.questions, 'question')}, {run.passages:,} passages)" for run in runs)
    measured_on = (
        f"{sets}; {processors()} processors. Costs are those of {costly.name}. All retrievers share its base index: "
        f"{sum(costly.stages.values()):.0f} s ({stages}), {per(shared.nodes, costly)} nodes and "
        f"{per(shared.relationships, costly)} relationships a passage."
    )
    lines = [*markdown(table_rows(runs, names, costly)), "", measured_on]
    for run in runs:
        missing = [name for name in names if name not in run.retrievers]
        for what, these in (
            ("not asked, for lack of an index", missing),
            ("asked with an index out of date", run.stale),
        ):
            listed = ", ".join(f"`{name}`" for name in these)
            lines += ["", f"{run.name}, {what}: {listed}."] if these else []
    return lines


def table_rows(runs: Sequence[Run], names: Sequence[str], costly: Run) -> list[list[str]]:
    """Return one row per retriever: a column per benchmark, then the costs on one of them."""
    head = [
        f"R@5 / all@5 / nDCG@10<br>R@5 − `{BASELINE}` [95 %]",
        *(run.name for run in runs),
        f"ms p50 / p95<br>(× `{BASELINE}`)",
        "index s<br>(× embedding)",
        "nodes + vectors, relationships<br>a passage",
        "tokens read<br>gold / answer in them",
    ]
    rows = [head]
    for name in names:
        here = costly.retrievers.get(name)
        base = costly.retrievers.get(BASELINE)
        cells = [quality_cell(run, name) for run in runs]
        rows.append(
            [f"`{name}`", *cells]
            + (["–"] * 4 if here is None else [time_cell(here, base), *cost_cells(here, costly), read_cell(here.reads)])
        )
    return rows


def quality_cell(run: Run, name: str) -> str:
    found, base = run.retrievers.get(name), run.retrievers.get(BASELINE)
    if found is None:
        return "–"
    scores = found.result.row.scores
    best = max(each.result.row.scores.recall_5 for each in run.retrievers.values())
    recall = share(scores.recall_5)
    cell = f"**{recall}**" if scores.recall_5 == best else recall
    cell += f" / {share(scores.all_5)} / {share(scores.ndcg_10)}"
    if base is None or name == BASELINE:
        return cell
    return f"{cell}<br>{difference_cell(difference_of(found.result, base.result, recall_5))}"


def difference_cell(interval: Interval) -> str:
    return f"{signed(interval.mean)} {bounds(interval, signed)}"


def time_cell(found: Measured, base: Measured | None) -> str:
    row = found.result.row
    cell = f"{row.p50_ms:.0f} / {row.p95_ms:.0f}"
    return cell if base is None else f"{cell}<br>({row.p50_ms / base.result.row.p50_ms:.1f} ×)"


def cost_cells(found: Measured, run: Run) -> list[str]:
    """Return the index cost in addition to what all retrievers share: seconds and database size."""
    costs = found.costs
    if costs is None:
        return ["–", "–"]
    size, embedding = costs.size, run.stages.get("embed", 0.0)
    seconds = f"{costs.seconds:.0f}" + (f"<br>({costs.seconds / embedding:.1f} ×)" if embedding else "")
    return [seconds, f"{per(size.nodes, run)} + {per(size.vectors, run)}, {per(size.relationships, run)}"]


def read_cell(reads: Sequence[Read]) -> str:
    gold = share(mean([each.gold for each in reads]))
    answered = answer_shares(reads)
    answers = share(mean(answered)) if answered else "–"
    return f"{mean([float(each.tokens) for each in reads]):,.0f}<br>{gold} / {answers}"


def per(number: int, run: Run) -> str:
    return f"{number / run.passages:.1f}"


def mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def equal_rows(found: Mapping[str, EqualReads]) -> list[list[str]]:
    """Return one row per benchmark, budget and retriever. Differences to the baseline are paired by question."""
    measures: dict[str, Callable[[EqualRead], list[float]]] = {
        "gold passages": lambda of: [each.gold for each in of.reads],
        "gold answer in it": lambda of: answer_shares(of.reads),
        "F1 without a model": lambda of: of.f1,
    }
    rows = [["", "at most", "retriever", "tokens", *measures]]
    for name, budgets in found.items():
        for tokens, retrievers in budgets.items():
            base = retrievers.get(BASELINE)
            for retriever, of in retrievers.items():
                other = None if of is base else base
                cells = [
                    with_difference(measure(of), None if other is None else measure(other))
                    for measure in measures.values()
                ]
                read = f"{mean([float(each.tokens) for each in of.reads]):,.0f}"
                rows.append([name, f"{tokens:,}", f"`{retriever}`", read, *cells])
    return rows


def answer_shares(reads: Sequence[Read]) -> list[float]:
    """Return 1.0 for each question whose gold answer was read, else 0.0. Undecidable questions are skipped."""
    return [each.answered for each in reads if each.answered is not None]


def with_difference(values: Sequence[float], others: Sequence[float] | None) -> str:
    """Return a mean and its difference to the mean of the others, paired by question."""
    if not values:
        return "–"
    cell = share(mean(values))
    return cell if others is None else f"{cell}<br>{difference_cell(difference_interval(values, others))}"


def markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]


def replaced(page: str, mark: str, text: str) -> str:
    """Return a page with a text between the two comments `<!-- MARK -->` and `<!-- /MARK -->`.

    Raises:
        ValueError: The page lacks one of the comments.
    """
    begin, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"the page lacks {begin} … {end}")
    return f"{before}{begin}\n{text}\n{end}{after}"


def as_object(run: Run) -> dict[str, object]:
    base = run.retrievers.get(BASELINE)
    measures: dict[str, Callable[[Scores], float]] = {"R@5": recall_5, "all@5": all_5, "nDCG@10": ndcg_10}
    retrievers: dict[str, object] = {}
    for name, found in run.retrievers.items():
        row = found.result.row
        differences = (
            {}
            if base is None
            else {each: asdict(difference_of(found.result, base.result, of)) for each, of in measures.items()}
        )
        retrievers[name] = {
            **{each: round(of(row.scores), 6) for each, of in measures.items()},
            "p50_ms": round(row.p50_ms, 3),
            "p95_ms": round(row.p95_ms, 3),
            "difference": differences,
            "costs": None if found.costs is None else asdict(found.costs),
            "tokens": round(mean([float(each.tokens) for each in found.reads]), 1),
            "gold_read": round(mean([each.gold for each in found.reads]), 6),
            "answer_read": mean(answered) if (answered := answer_shares(found.reads)) else None,
        }
    return {
        "benchmark": run.name,
        "corpus": run.corpus,
        "questions": run.questions,
        "passages": run.passages,
        "stages": dict(run.stages),
        "shared": asdict(run.shared),
        "retrievers": retrievers,
        "stale": list(run.stale),
    }


def ndcg_10(scores: Scores) -> float:
    return scores.ndcg_10


if __name__ == "__main__":
    sys.exit(main())
