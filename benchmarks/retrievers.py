"""Compare retrievers on several benchmarks in several layouts: the tables of docs/benchmarks.md.

    make bench BENCH_DATA="DIR DIR DIR"
    python benchmarks/retrievers.py DIR… [--retriever NAME]… [--layout field|text|none|pack5]… [--json FILE]

The folders are BEIR folders. The script prints, in Markdown, a table for each layout with R@5 and its 95 % bootstrap
interval, all@5, and milliseconds per question; then the lead of one retriever (`--compare`) over the best of the
others, paired by question; then the seconds of indexing. Progress goes to standard error.

Each folder has a separate corpus for each layout, shared with `overstory bench`. An existing index is not built again;
its seconds are those of the run that built it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from overstory.bench.dataset import BenchDataset, load_dataset
from overstory.bench.layout import Layout, corpus_name
from overstory.bench.metrics import BOOTSTRAP_RESAMPLES, Interval, Scores
from overstory.bench.runner import LOAD_STAGE, BenchResult, compare
from overstory.display import counted
from overstory.embed import make_embedder
from overstory.errors import OverstoryError
from overstory.knowledge import Knowledge
from overstory.machine import processors
from overstory.protocols import Embedder, Extractor
from overstory.retrieve import retriever_names
from overstory.settings import Settings
from overstory.text import make_extractor
from overstory_cli.bench import as_objects, difference_of, interval_of
from overstory_cli.progress import progress_for

LAYOUTS = {
    "field": Layout(titles="field"),
    "text": Layout(titles="text"),
    "none": Layout(titles="none"),
    "pack5": Layout(titles="none", pack=5),
}
CAPTIONS = {
    "field": "Titles in their field",
    "text": "Titles as text",
    "none": "No titles",
    "pack5": "No titles, passages packed by 5",
}
FIRST = ("dense", "lexical", "hybrid", "canopy")


@dataclass(frozen=True)
class Run:
    """Results of the retrievers on one benchmark in one layout.

    Attributes:
        documents, chunks: Numbers of documents and chunks made from the passages.
        stages: Seconds of each indexing stage, in order.
    """

    name: str
    layout: str
    corpus: str
    questions: int
    passages: int
    documents: int
    chunks: int
    stages: dict[str, float]
    results: list[BenchResult]


@dataclass(frozen=True)
class Difference:
    """The lead of a retriever over the best of the others, question by question."""

    retriever: str
    other: str
    recall_5: Interval
    all_5: Interval


@dataclass(frozen=True)
class Workshop:
    """Settings and loaded models shared by all runs."""

    settings: Settings
    embedder: Embedder
    extractor: Extractor


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--retriever", action="append", metavar="NAME", help="may be repeated (default: all)")
    parser.add_argument("--layout", action="append", choices=list(LAYOUTS), help="may be repeated (default: all)")
    parser.add_argument(
        "--compare", default="canopy", metavar="NAME", help="retriever to compare with the best other (canopy)"
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write the figures to this file, after every run"
    )
    arguments = parser.parse_args()
    names = list(dict.fromkeys(arguments.retriever or in_order(retriever_names())))
    layouts = list(dict.fromkeys(arguments.layout or LAYOUTS))
    if arguments.json is not None and not arguments.json.parent.is_dir():
        parser.error(f"the folder does not exist for {arguments.json}")
    try:
        measure_all(arguments.folders, layouts, names, compared=arguments.compare, figures=arguments.json)
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    return 0


def measure_all(
    folders: Sequence[Path], layouts: Sequence[str], names: Sequence[str], *, compared: str, figures: Path | None
) -> None:
    """Measure all benchmarks, and print a table as soon as a layout is complete."""
    datasets = {
        folder: load_dataset(folder) for folder in folders
    }  # load all first: a broken folder ends the run before any work
    settings = Settings.from_environment()
    shop = Workshop(settings, make_embedder(settings.embedding), make_extractor(settings.extraction))
    print(
        f"Overstory {version('overstory')}, {processors()} processors, embedder {settings.embedding.embedder}; "
        f"95 % intervals from {BOOTSTRAP_RESAMPLES:,} resamples of the questions."
    )
    runs: list[Run] = []
    for layout in layouts:
        for folder, dataset in datasets.items():
            runs.append(measure(shop, folder.resolve().name, dataset, layout, names))
            if figures is not None:
                objects = [as_object(run, compared) for run in runs]
                figures.write_text(json.dumps(objects, indent=2) + "\n", encoding="utf-8")
        here = [run for run in runs if run.layout == layout]
        show(CAPTIONS[layout], scores_table(here))
    differences = [(run, found) for run in runs if (found := difference(run.results, compared)) is not None]
    if differences:
        show(f"{compared} − the best other", differences_table(differences))
    show("Index, seconds", index_table(runs))


def measure(shop: Workshop, name: str, dataset: BenchDataset, layout: str, names: Sequence[str]) -> Run:
    print(f"{name}, {CAPTIONS[layout].lower()}", *dataset.notes(), sep="\n", file=sys.stderr)
    corpus = corpus_name(dataset, LAYOUTS[layout], embedder=shop.embedder.fingerprint)
    progress = progress_for(quiet=False)
    with Knowledge(corpus, settings=shop.settings, progress=progress) as knowledge:
        knowledge.use(embedder=shop.embedder, extractor=shop.extractor)
        results = compare(knowledge, dataset, LAYOUTS[layout], names, progress=progress)
        status = knowledge.status()
    return Run(
        name=name,
        layout=layout,
        corpus=corpus,
        questions=len(dataset.questions),
        passages=len(dataset.passage_ids),
        documents=status.counts["documents"],
        chunks=status.counts["chunks"],
        stages={stage.name: stage.seconds for stage in status.stages if stage.name != LOAD_STAGE},
        results=results,
    )


def in_order(names: Iterable[str]) -> list[str]:
    """Return our own retrievers from simple to complex, then those of other packages by name."""
    return sorted(names, key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name))


def difference(results: Sequence[BenchResult], compared: str) -> Difference | None:
    """Return the lead of `compared` over the best other by R@5, then all@5; None if either was not asked."""
    ours = [result for result in results if result.row.retriever == compared]
    others = [result for result in results if result.row.retriever != compared]
    if not ours or not others:
        return None
    best = max(others, key=lambda result: (result.row.scores.recall_5, result.row.scores.all_5))
    return Difference(
        retriever=compared,
        other=best.row.retriever,
        recall_5=difference_of(ours[0], best, recall_5),
        all_5=difference_of(ours[0], best, all_5),
    )


def recall_5(scores: Scores) -> float:
    return scores.recall_5


def all_5(scores: Scores) -> float:
    return scores.all_5


def scores_table(runs: Sequence[Run]) -> list[list[str]]:
    """Return one row per retriever with two columns per benchmark, for runs of one layout and the same retrievers."""
    head = ["R@5 [95 %] / all@5 · ms p50 / p95"]
    for run in runs:
        head += [f"{run.name}, {counted(run.questions, 'question')}", "ms"]
    rows = [head]
    for place, first in enumerate(runs[0].results):
        cells = [f"`{first.row.retriever}`"]
        for run in runs:
            row = run.results[place].row
            best = max(result.row.scores.recall_5 for result in run.results)
            mean = share(row.scores.recall_5)
            mean = f"**{mean}**" if row.scores.recall_5 == best and len(run.results) > 1 else mean
            span = bounds(interval_of(run.results[place], recall_5))
            cells += [f"{mean} {span} / {share(row.scores.all_5)}", f"{row.p50_ms:.0f} / {row.p95_ms:.0f}"]
        rows.append(cells)
    return rows


def differences_table(differences: Sequence[tuple[Run, Difference]]) -> list[list[str]]:
    rows = [["layout", "benchmark", "best other", "R@5 [95 %]", "all@5 [95 %]"]]
    for run, found in differences:
        spans = [f"{signed(each.mean)} {bounds(each, signed)}" for each in (found.recall_5, found.all_5)]
        rows.append([CAPTIONS[run.layout].lower(), run.name, f"`{found.other}`", *spans])
    return rows


def index_table(runs: Sequence[Run]) -> list[list[str]]:
    """Return the seconds of each stage in any run, and their sum."""
    stages = list(dict.fromkeys(stage for run in runs for stage in run.stages))
    rows = [["layout", "benchmark", "passages", "documents", "chunks", *stages, "together"]]
    for run in runs:
        sizes = [f"{size:,}" for size in (run.passages, run.documents, run.chunks)]
        seconds = [f"{run.stages[stage]:.1f}" if stage in run.stages else "–" for stage in stages]
        rows.append([CAPTIONS[run.layout].lower(), run.name, *sizes, *seconds, f"{run.results[0].row.index_s:.1f}"])
    return rows


def show(caption: str, rows: Sequence[Sequence[str]]) -> None:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    print(f"\n### {caption}\n", lines[0], "|" + "---|" * len(rows[0]), *lines[1:], sep="\n", flush=True)


def as_object(run: Run, compared: str) -> dict[str, object]:
    found = difference(run.results, compared)
    sizes = {"questions": run.questions, "passages": run.passages, "documents": run.documents, "chunks": run.chunks}
    return {
        "benchmark": run.name,
        "layout": run.layout,
        "corpus": run.corpus,
        **sizes,
        "stages": {stage: round(seconds, 3) for stage, seconds in run.stages.items()},
        "retrievers": as_objects(run.results, intervals=True),
        "difference": None if found is None else asdict(found),
    }


def share(value: float) -> str:
    """Return three digits without the leading zero: .627, 1.000."""
    return f"{value:.3f}".removeprefix("0")


def signed(value: float) -> str:
    """Return the number as `share` does, with a sign unless it is 0: +.130, −.020, .000."""
    digits = share(abs(value))
    return digits if digits == ".000" else ("+" if value > 0.0 else "−") + digits


def bounds(interval: Interval, written: Callable[[float], str] = share) -> str:
    return f"[{written(interval.low)}, {written(interval.high)}]"


if __name__ == "__main__":
    sys.exit(main())
