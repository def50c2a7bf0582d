"""overstory bench"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from overstory.answer import Answer
from overstory.bench.answering import Ask, check_answers
from overstory.bench.comparison import Refined, compare
from overstory.bench.dataset import BenchDataset, load_dataset
from overstory.bench.packing import Layout, TitleMode, corpus_name
from overstory.bench.report import as_answer_table, as_objects, as_table
from overstory.bench.runner import BenchResult
from overstory.bench.trec import check_run, run_files, write_run
from overstory.cli.options import (
    budget_option,
    decompose_option,
    hypothetical_option,
    json_option,
    model_option,
    rerank_option,
    verbosity_options,
)
from overstory.cli.output import show_json
from overstory.display import counted
from overstory.embed import make_embedder
from overstory.knowledge import Knowledge
from overstory.protocols import Progress
from overstory.retrieve import retriever_names
from overstory.settings import Settings

PIPED_WIDTH = 100

path = click.Path(path_type=Path)


@click.command()
@click.argument("folder", type=path, metavar="DIR")
@click.option("--queries", type=path, metavar="FILE", help="Questions, instead of DIR/queries.jsonl.")
@click.option("--qrels", type=path, metavar="FILE", help="Gold passages, instead of those in DIR/qrels (BEIR or TREC).")
@click.option(
    "--retriever", "names", multiple=True, metavar="NAME", help="May be repeated; by default all that need no system."
)
@click.option("-k", "k", type=click.IntRange(1, 1000), default=10, show_default=True, help="Documents per question.")
@click.option(
    "--run", type=path, metavar="FILE", help="Write a TREC run; with several retrievers, one FILE.NAME.trec each."
)
@click.option(
    "--titles",
    type=click.Choice(["field", "text", "none"]),
    default="field",
    show_default=True,
    help="Titles in their field, in the text, or dropped.",
)
@click.option(
    "--pack", type=click.IntRange(1), metavar="N", help="Shuffle the passages and join every N into a document."
)
@click.option("--pack-seed", "seed", type=int, default=0, show_default=True, metavar="S", help="Seed of the shuffle.")
@click.option("--intervals", is_flag=True, help="Add the 95 % bootstrap intervals of R@5 and all@5.")
@click.option("--answers", is_flag=True, help="Also answer the questions, and compare with metadata.answers.")
@rerank_option
@decompose_option
@hypothetical_option
@model_option
@budget_option
@json_option
@verbosity_options
def bench(
    progress: Progress,
    folder: Path,
    queries: Path | None,
    qrels: Path | None,
    names: tuple[str, ...],
    k: int,
    run: Path | None,
    titles: TitleMode,
    pack: int | None,
    seed: int,
    intervals: bool,
    answers: bool,
    rerank: bool,
    decompose: bool,
    hypothetical: bool,
    model: str | None,
    budget_tokens: int | None,
    as_json: bool,
) -> None:
    """Measure retrievers on a BEIR folder: recall, nDCG, and milliseconds per question.

    The passages are loaded into a corpus of their own, which later runs reuse. all@5 is the share of questions whose
    gold passages are all among the first 5.

    \b
    Examples:
      overstory bench hotpotqa/
      overstory bench hotpotqa/ --retriever dense --run dense.trec
      overstory bench hotpotqa/ --pack 9 --titles text --json
      overstory bench hotpotqa/ --intervals
      overstory bench hotpotqa/ --retriever canopy --retriever SYSTEM:OPTION
      overstory bench hotpotqa/ --answers --retriever canopy --model none
      overstory bench hotpotqa/ --retriever canopy --rerank
    """
    dataset = load_dataset(folder, queries=queries, qrels=qrels)
    notes = dataset.notes()
    if answers:
        notes += check_answers(dataset.questions, queries or folder / "queries.jsonl")
    for note in notes:
        click.echo(f"Note: {note}", err=True)
    layout = Layout(titles=titles, pack=pack, seed=seed)
    names = tuple(dict.fromkeys(names)) or tuple(retriever_names())
    files = run_files(run, names) if run else {}
    if files:
        check_run(files, dataset.ids())
    settings = Settings.from_environment()
    corpus = corpus_name(dataset, layout, embedder=make_embedder(settings.embedding).fingerprint)
    with Knowledge(corpus, settings=settings, progress=progress) as knowledge:
        knowledge.use_model(model, budget_tokens=budget_tokens)
        refined = Refined(rerank=rerank, decompose=decompose, hypothetical=hypothetical)
        results = compare(
            knowledge,
            dataset,
            layout,
            names,
            k=k,
            refined=refined,
            asking=functools.partial(_asking, knowledge, refined) if answers else None,
            progress=progress,
        )
    for result in results if files else ():
        write_run(files[result.row.retriever], result.rankings, tag=result.row.retriever)
    if as_json:
        show_json(as_objects(results, intervals=intervals))
    else:
        options = "".join(f" --{name}" for name, chosen in refined.items() if chosen)
        title = f"{folder.name}: {_size(dataset)}; corpus {corpus}{f';{options}' if options else ''}"
        _show(results, title, intervals=intervals)


def _asking(knowledge: Knowledge, refined: Refined, retriever: str) -> Ask:
    """Errors end the run: an answer without the requested language model would distort the figures."""

    def ask(question: str) -> Answer:
        return knowledge.ask(question, retriever=retriever, strict=True, **refined)

    return ask


def _size(dataset: BenchDataset) -> str:
    questions, passages = len(dataset.questions), len(dataset.passage_ids)
    return f"{counted(questions, 'question')}, {counted(passages, 'passage')}"


def _show(results: Sequence[BenchResult], title: str, *, intervals: bool) -> None:
    click.echo(title)
    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    console.print(as_table(results, intervals=intervals))
    if any(result.answers for result in results):
        console.print(as_answer_table(results))
