"""overstory bench"""

from __future__ import annotations

import functools
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click
import numpy as np
from click.core import ParameterSource
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from overstory.answer import Answer
from overstory.bench.dataset import BenchDataset, load_dataset
from overstory.bench.layout import Layout, TitleMode, corpus_name
from overstory.bench.metrics import AnswerScores, Interval, Scores, difference_interval, mean_interval
from overstory.bench.outcomes import Outcome, as_failure_table, as_measure_table, ask_each
from overstory.bench.outcomes import as_objects as outcomes_as_objects
from overstory.bench.own_questions import among, expected, notes_on, read_own_questions
from overstory.bench.runner import Ask, BenchResult, RankedDocument, Refined, check_answers, compare, left_out
from overstory.display import counted
from overstory.embed import make_embedder
from overstory.errors import BenchError
from overstory.filters import read_filter
from overstory.knowledge import Knowledge
from overstory.protocols import Progress
from overstory.retrieve import retriever_names
from overstory.settings import DEFAULT_CORPUS, DEFAULT_RETRIEVER, Settings
from overstory_cli.options import Result, budget_option, json_option, model_option, refining_options, verbosity_options
from overstory_cli.output import show_notes

Measure = Callable[[Scores], float]

_MEASURES: tuple[tuple[str, Measure], ...] = (
    ("R@2", lambda scores: scores.recall_2),
    ("R@5", lambda scores: scores.recall_5),
    ("R@10", lambda scores: scores.recall_10),
    ("all@5", lambda scores: scores.all_5),
    ("nDCG@10", lambda scores: scores.ndcg_10),
)
_ANSWER_MEASURES: tuple[tuple[str, Callable[[AnswerScores], float]], ...] = (
    ("EM", lambda scores: scores.exact),
    ("F1", lambda scores: scores.f1),
    ("ROUGE-L", lambda scores: scores.rouge_l),
    ("substring", lambda scores: scores.substring),
    ("answered", lambda scores: scores.answered),
    ("uncited", lambda scores: scores.uncited),
)
_SHARES = ("answered", "uncited")
"""Answer metrics whose best value is not marked in tables."""
_SPANNED = ("R@5", "all@5")
"""Metrics that are shown with confidence intervals."""


def as_objects(results: Sequence[BenchResult], *, intervals: bool = False) -> list[dict[str, str | float | int]]:
    """Return a dictionary for each retriever, in the documented form of `overstory bench --json`.

    If the retriever's result includes answers, the dictionary also contains the answer metrics and the `kind` of the
    answers.

    Args:
        intervals: if True, add the keys `R@5_low`, `R@5_high`, `all@5_low` and `all@5_high`.
    """
    return [_object(result) | (_bounds(result) if intervals else {}) | _answers(result) for result in results]


def as_table(results: Sequence[BenchResult], *, intervals: bool = False) -> Table:
    """Return a table with a row for each retriever. If there are several, the best value of each metric is bold.

    Args:
        intervals: if True, add a row below each retriever with the 95 % bootstrap intervals of R@5 and all@5.
    """
    table = _table([*(name for name, _ in _MEASURES), "ms p50", "ms p95", "index s"])
    best = [max((measure(each.row.scores) for each in results), default=0.0) for _, measure in _MEASURES]
    for result in results:
        row = result.row
        metrics = [
            _metric(measure(row.scores), best=top if len(results) > 1 else None)
            for (_, measure), top in zip(_MEASURES, best, strict=True)
        ]
        table.add_row(escape(row.retriever), *metrics, f"{row.p50_ms:.1f}", f"{row.p95_ms:.1f}", f"{row.index_s:.1f}")
        if intervals:
            spans = (_span(interval_of(result, measure)) if name in _SPANNED else "" for name, measure in _MEASURES)
            table.add_row("  95 %", *spans)
    return table


def as_answer_table(results: Sequence[BenchResult]) -> Table:
    """Return a table of answer metrics, with a row for each retriever whose result includes answers."""
    table = _table([name for name, _ in _ANSWER_MEASURES])
    table.add_column("kind")
    answers = [result.answers for result in results if result.answers]
    best = [max((measure(row.scores) for row in answers), default=0.0) for _, measure in _ANSWER_MEASURES]
    for result in results:
        if row := result.answers:
            metrics = (
                _metric(measure(row.scores), best=top if len(answers) > 1 and name not in _SHARES else None)
                for (name, measure), top in zip(_ANSWER_MEASURES, best, strict=True)
            )
            table.add_row(escape(result.row.retriever), *metrics, row.kind)
    return table


def _table(figures: Iterable[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    table.add_column("retriever", overflow="fold")
    for name in figures:
        table.add_column(name, justify="right")
    return table


def interval_of(result: BenchResult, measure: Measure) -> Interval:
    """Return the 95 % bootstrap interval of a metric over the questions of a result."""
    return mean_interval([measure(scores) for scores in result.scores.values()])


def difference_of(result: BenchResult, other: BenchResult, measure: Measure) -> Interval:
    """Return the mean difference in a metric between two retrievers, with its 95 % interval.

    Raises:
        ValueError: the two retrievers were not asked the same questions.
    """
    if result.scores.keys() != other.scores.keys():
        raise ValueError(f"{result.row.retriever} and {other.row.retriever} were not asked the same questions.")
    return difference_interval(
        [measure(scores) for scores in result.scores.values()],
        [measure(other.scores[question]) for question in result.scores],
    )


def _object(result: BenchResult) -> dict[str, str | float | int]:
    row = result.row
    return (
        {"retriever": row.retriever}
        | {name: round(measure(row.scores), 6) for name, measure in _MEASURES}
        | {"p50_ms": round(row.p50_ms, 3), "p95_ms": round(row.p95_ms, 3), "index_s": round(row.index_s, 3)}
        | {"queries": row.queries}
    )


def _answers(result: BenchResult) -> dict[str, str | float | int]:
    row = result.answers
    if row is None:
        return {}
    return {name: round(measure(row.scores), 6) for name, measure in _ANSWER_MEASURES} | {"kind": row.kind}


def _bounds(result: BenchResult) -> dict[str, str | float | int]:
    bounds: dict[str, str | float | int] = {}
    for name, measure in _MEASURES:
        if name in _SPANNED:
            interval = interval_of(result, measure)
            bounds |= {f"{name}_low": round(interval.low, 6), f"{name}_high": round(interval.high, 6)}
    return bounds


def _metric(value: float, *, best: float | None) -> str:
    return f"[bold]{value:.3f}[/bold]" if value == best else f"{value:.3f}"


def _span(interval: Interval) -> str:
    # Each bound is shown with two digits, as in ".59–.66" or ".97–1.0", so that the row fits into 80 columns.
    low, high = (f"{bound:.2f}".removeprefix("0")[:3] for bound in (interval.low, interval.high))
    return f"{low}–{high}"


_NOT_IN_A_NAME = re.compile(r"[^\w.-]")


def write_run(path: Path, rankings: Mapping[str, Sequence[RankedDocument]], *, tag: str) -> None:
    """Write the rankings of a retriever to a file in the TREC run format.

    Evaluation tools sort documents by their scores in single precision. Documents with equal scores are sorted by id.
    To preserve the order of the ranking, scores are therefore lowered where necessary, until they strictly decrease.

    Args:
        rankings: map from question ids to ranked documents.
        tag: the name of the run, in the last column.

    Raises:
        BenchError: the file cannot be written, an id contains white space, or a score is not finite.
    """
    lines = [line for question, ranking in rankings.items() for line in _lines(question, ranking, tag)]
    try:
        path.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise BenchError(
            f"{path}: the run cannot be written: {error.strerror or error}.", remedy="Give another file with --run."
        ) from error


def run_files(path: Path, retrievers: Sequence[str]) -> dict[str, Path]:
    """Return a map from each retriever to the path of its TREC run.

    For a single retriever, this is `path`. If there are several, the name of the retriever is inserted into the file
    name.
    """
    if len(set(retrievers)) == 1:
        return {retrievers[0]: path}
    return {name: path.with_name(f"{path.stem}.{_NOT_IN_A_NAME.sub('-', name)}{path.suffix}") for name in retrievers}


def check_run(files: Mapping[str, Path], ids: Iterable[str]) -> None:
    """Check that TREC runs can be written, before the benchmark spends hours on its work.

    Raises:
        BenchError: a folder does not exist, or an id is empty or contains white space.
    """
    check_ids([*files, *ids])
    for file in files.values():
        if not file.parent.is_dir():
            raise BenchError(
                f"{file}: the folder does not exist.", remedy="Create it, or give another file with --run."
            )


def check_ids(ids: Iterable[str]) -> None:
    """Check that ids can be written to a TREC run.

    Raises:
        BenchError: an id is empty or contains white space.
    """
    for each in ids:
        if not each or any(character.isspace() for character in each):
            raise BenchError(
                f"The id {each!r} is empty or has white space, so it cannot be written to a TREC run.",
                remedy="Leave out --run, or use ids without white space in the benchmark.",
            )


def falling_scores(scores: Iterable[float]) -> Iterator[np.float32]:
    """Yield the scores in single precision. A score is lowered if it is not smaller than the score before it.

    Raises:
        BenchError: a score is not finite.
    """
    ceiling = np.float32(np.inf)
    for score in scores:
        if not np.isfinite(score):
            raise BenchError(f"A retriever returned the score {score}, which is not finite.", remedy="Report this bug.")
        ceiling = np.minimum(np.float32(score), np.nextafter(ceiling, np.float32(-np.inf)))
        yield ceiling


def _lines(question: str, ranking: Sequence[RankedDocument], tag: str) -> Iterator[str]:
    check_ids([question, tag, *(document.key for document in ranking)])
    scores = falling_scores(document.score for document in ranking)
    for rank, (document, score) in enumerate(zip(ranking, scores, strict=True), start=1):
        yield f"{question} Q0 {document.key} {rank} {score!s} {tag}\n"


_PIPED_WIDTH = 100
IN_FOLDER = "DIR/queries.jsonl"
"""The value of `--answers` if no file is given: the questions in the folder are answered."""
_BENCH_PASSAGES = 5
_BENCH_DOCUMENTS = 10
OF_FOLDERS = ("queries", "qrels", "run", "titles", "pack", "seed", "intervals")
"""Options that cannot be combined with a file of questions."""

path = click.Path(path_type=Path)


@click.command()
@click.argument("folder", type=path, metavar="[DIR]", required=False)
@click.option("--queries", type=path, metavar="FILE", help="File with questions, instead of DIR/queries.jsonl.")
@click.option(
    "--qrels", type=path, metavar="FILE", help="File with gold passages (BEIR or TREC), instead of those in DIR/qrels."
)
@click.option(
    "--retriever",
    "names",
    multiple=True,
    metavar="NAME",
    help="Retriever to measure; may be repeated. Default: all retrievers that need no system; for a file of questions,"
    f" {DEFAULT_RETRIEVER}.",
)
@click.option(
    "-k",
    "k",
    type=click.IntRange(1, 1000),
    show_default=f"{_BENCH_DOCUMENTS}; {_BENCH_PASSAGES} with a file of questions",
    help="Number of documents per question, or of passages per answer.",
)
@click.option("--run", type=path, metavar="FILE", help="Write a TREC run; with several retrievers, one file for each.")
@click.option(
    "--titles",
    type=click.Choice(["field", "text", "none"]),
    default="field",
    show_default=True,
    help="Keep titles in their field, put them into the text, or drop them.",
)
@click.option(
    "--pack", type=click.IntRange(1), metavar="N", help="Shuffle the passages and join every N of them into a document."
)
@click.option("--pack-seed", "seed", type=int, default=0, show_default=True, metavar="S", help="Seed of the shuffle.")
@click.option("--intervals", is_flag=True, help="Add 95 % bootstrap intervals of R@5 and all@5.")
@click.option(
    "--answers",
    is_flag=False,
    flag_value=IN_FOLDER,
    metavar="[FILE]",
    help="Also answer the questions, and compare the answers with metadata.answers. With a CSV file"
    " (question,answer,source) and without DIR: answer its questions from --corpus.",
)
@click.option("--corpus", metavar="NAME", help=f"Corpus for a file of questions.  [default: {DEFAULT_CORPUS}]")
@refining_options
@model_option
@budget_option
@verbosity_options
@json_option
def bench(
    progress: Progress,
    folder: Path | None,
    queries: Path | None,
    qrels: Path | None,
    names: tuple[str, ...],
    k: int | None,
    run: Path | None,
    titles: TitleMode,
    pack: int | None,
    seed: int,
    intervals: bool,
    answers: str | None,
    corpus: str | None,
    refined: Refined,
    model: str | None,
    budget_tokens: int | None,
) -> Result:
    """Measure retrievers on a BEIR folder, or answers to your own questions.

    Retrievers are measured by recall, nDCG and milliseconds per question, answers also by F1, refusals and citations.
    all@5 is the share of questions whose gold passages are all among the first 5.

    The passages of DIR are loaded into a separate corpus, which later runs reuse. To ask an existing corpus, give
    --answers a CSV file with the columns question, answer and source; answer is empty if the documents do not answer
    the question.

    With --where, only matching documents are searched and count as relevant. Questions without a relevant document are
    skipped, and a note gives their number.

    \b
    Examples:
      overstory bench hotpotqa/
      overstory bench hotpotqa/ --retriever dense --run dense.trec
      overstory bench hotpotqa/ --pack 9 --titles text --json
      overstory bench hotpotqa/ --intervals
      overstory bench hotpotqa/ --retriever canopy --retriever SYSTEM:OPTION
      overstory bench hotpotqa/ --answers --retriever canopy --model none
      overstory bench hotpotqa/ --retriever canopy --rerank
      overstory bench hotpotqa/ --where 'year < 1900'
      overstory bench --answers questions.csv --corpus handbook
      overstory bench --answers questions.csv --retriever canopy --retriever hirag --model none --json
    """
    if "where" in refined:
        read_filter(refined["where"])  # raises if the filter is invalid, before any documents are loaded
    if answers is not None and answers != IN_FOLDER:
        if folder is None and Path(answers).is_dir():
            folder = Path(answers)  # for "--answers DIR", click treats DIR as the value of --answers
        else:
            return _bench_questions(progress, Path(answers), folder, corpus, names, k, refined, model, budget_tokens)
    if folder is None:
        raise click.UsageError("Give a BEIR folder (DIR), or a file of questions (--answers questions.csv).")
    if corpus is not None:
        raise click.UsageError("--corpus needs a file of questions; a folder is loaded into a separate corpus.")
    dataset = load_dataset(folder, queries=queries, qrels=qrels)
    notes = dataset.notes()
    if answers:
        notes += check_answers(dataset.questions, queries or folder / "queries.jsonl")
    show_notes(notes)
    layout = Layout(titles=titles, pack=pack, seed=seed)
    where = refined.get("where")
    names = tuple(dict.fromkeys(names)) or tuple(retriever_names())
    files = run_files(run, names) if run else {}
    if files:
        check_run(files, dataset.ids())
    settings = Settings.from_environment()
    packed = corpus_name(dataset, layout, embedder=make_embedder(settings.embedding).fingerprint)
    with Knowledge(packed, settings=settings, progress=progress) as knowledge:
        knowledge.use_model(model, budget_tokens=budget_tokens)
        results = compare(
            knowledge,
            dataset,
            layout,
            names,
            k=k or _BENCH_DOCUMENTS,
            refined=refined,
            asking=functools.partial(_asking, knowledge, refined) if answers else None,
            matching=None if where is None else lambda: {d.source_key for d in knowledge.documents(where=where)},
            say=lambda note: show_notes([note]),
            progress=progress,
        )
    for result in results if files else ():
        write_run(files[result.row.retriever], result.rankings, tag=result.row.retriever)
    title = f"{folder.name}: {_size(dataset)}; corpus {packed}{_options(refined)}"
    return Result(as_objects(results, intervals=intervals), lambda: _show(results, title, intervals=intervals))


def _bench_questions(
    progress: Progress,
    file: Path,
    folder: Path | None,
    corpus: str | None,
    names: tuple[str, ...],
    k: int | None,
    refined: Refined,
    model: str | None,
    budget_tokens: int | None,
) -> Result:
    if folder is not None:
        raise click.UsageError(f"Give either the folder {folder} or the file of questions {file}, not both.")
    context = click.get_current_context()
    for option in OF_FOLDERS:
        if context.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            flag = "--pack-seed" if option == "seed" else f"--{option}"
            raise click.UsageError(f"{flag} needs a folder; it does not apply to a file of questions.")
    questions = read_own_questions(file)
    names = tuple(dict.fromkeys(names)) or (DEFAULT_RETRIEVER,)
    outcomes: dict[str, list[Outcome]] = {}
    with Knowledge(corpus or DEFAULT_CORPUS, progress=progress) as knowledge:
        knowledge.use_model(model, budget_tokens=budget_tokens)
        for name in names:
            knowledge.retriever(name, **refined)  # raises if the name is unknown, before the first question is asked
        asked = expected(questions, knowledge.documents(), file)
        where = refined.get("where")
        if where is not None:
            every = len(asked)
            asked = among(asked, {document.id for document in knowledge.documents(where=where)})
            show_notes([left_out(every, len(asked), where)])
        show_notes(notes_on(asked))
        for name in names:
            if knowledge.chat() is None:
                # Ask the first question once in advance, so that its time does not include loading models and plans.
                knowledge.ask(asked[0].text, k or _BENCH_PASSAGES, retriever=name, **refined)
            ask = _asking(knowledge, refined, name, k or _BENCH_PASSAGES)
            outcomes[name] = ask_each(ask, asked, name=name, progress=progress)
    none = sum(not each.answerable for each in asked)
    size = f"{counted(len(asked), 'question')}, {none:,} of them without an answer in the documents"
    title = f"{file.name}: {size}; corpus {corpus or DEFAULT_CORPUS}{_options(refined)}"
    return Result(outcomes_as_objects(outcomes), lambda: _show_outcomes(outcomes, title))


def _show_outcomes(outcomes: Mapping[str, list[Outcome]], title: str) -> None:
    click.echo(title)
    console = Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH)
    console.print(as_measure_table(outcomes))
    for name, of_retriever in outcomes.items():
        if any(outcome.failures for outcome in of_retriever):
            click.echo(f"Unexpected answers with {name}:")
            console.print(as_failure_table(of_retriever))


def _asking(knowledge: Knowledge, refined: Refined, retriever: str, k: int = _BENCH_PASSAGES) -> Ask:
    # With `strict`, errors end the benchmark: answers without the requested language model would distort the results.

    def ask(question: str) -> Answer:
        return knowledge.ask(question, k, retriever=retriever, strict=True, **refined)

    return ask


def _options(refined: Refined) -> str:
    where = refined.get("where")
    options = "".join(f" --{name}" for name, chosen in refined.items() if chosen is True)
    options += f" --where {shlex.quote(where)}" if where is not None else ""
    return f";{options}" if options else ""


def _size(dataset: BenchDataset) -> str:
    questions, passages = len(dataset.questions), len(dataset.passage_ids)
    return f"{counted(questions, 'question')}, {counted(passages, 'passage')}"


def _show(results: Sequence[BenchResult], title: str, *, intervals: bool) -> None:
    click.echo(title)
    console = Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH)
    console.print(as_table(results, intervals=intervals))
    if any(result.answers for result in results):
        console.print(as_answer_table(results))
