"""Measure answers on BEIR folders, with 95 % bootstrap intervals: see docs/answers.md.

    python -m benchmarks.answers DIR… [--retriever NAME] [-k N] [--model NAME] [--most N] [--json FILE]

The measures are those of `overstory bench --answers questions.csv` (docs/bench.md). The questions of each folder are
asked of its own passages, by default with five passages of the default retriever and no language model. The passages in
a folder's qrels are the expected sources. All these questions count as answerable, so "answered" is 1 minus the wrong
refusals. "refused" is the share of correct refusals among the questions in `unanswerable.jsonl`, if the folder has this
file. For other folders, `benchmarks/answerable.py` measures correct refusals.

"guessed" is the share of questions with a guess ("Perhaps: X"), and "guesses right" the share of guesses that agree
with a gold answer: after SQuAD normalisation, one contains the words of the other, contiguous and in order, with a
token F1 of at least .5 (`overstory.bench.metrics.agrees`). "first lines right" is the share of answers whose first line
is right: the guess agrees, or without a guess the first sentence contains the words of a gold answer. Folders without
gold answers have no EM, F1 and substring.

The corpora are those of `overstory bench DIR`, and are reused. Answers are timed one after the other.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from overstory.answer import Answer, without_citations
from overstory.bench.dataset import BenchDataset, BenchQuestion, load_dataset, read_questions
from overstory.bench.layout import Layout, corpus_name, source_name
from overstory.bench.metrics import agrees, mean_interval, stands_in, words
from overstory.bench.outcomes import Asked, Measured, Outcome, as_objects, ask_each, measures, milliseconds
from overstory.bench.runner import load_and_index
from overstory.embed import make_embedder
from overstory.errors import OverstoryError
from overstory.knowledge import Knowledge
from overstory.settings import DEFAULT_RETRIEVER, Settings
from overstory_cli.progress import progress_for

READ = 5  # passages that `ask` retrieves by default
LEFT_OUT = ("refusals right", "as expected")
"""Measures that depend on the number of unanswerable questions, or that repeat other measures."""
UNANSWERABLE = "unanswerable.jsonl"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--retriever", default=DEFAULT_RETRIEVER, metavar="NAME")
    parser.add_argument("-k", type=int, default=READ, metavar="N", help="passages retrieved per question")
    parser.add_argument("--model", default="none", metavar="NAME", help="language model (default: none)")
    parser.add_argument("--most", type=int, metavar="N", help="questions per folder, drawn at random (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write measures and all answers to this file")
    arguments = parser.parse_args()
    outcomes: dict[str, list[Outcome]] = {}
    try:
        for folder in arguments.folders:
            dataset = load_dataset(folder)
            asked = some_of(dataset.questions, arguments.most)
            outcomes[folder.resolve().name] = answered(dataset, asked, arguments, unanswerable(folder))
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    if arguments.json:
        objects = [row | {"folder": row.pop("retriever")} for row in as_objects(outcomes)]
        arguments.json.write_text(json.dumps(objects, ensure_ascii=False, indent=1), encoding="utf-8")
    print(*table(outcomes), sep="\n")
    return 0


def some_of(questions: Sequence[BenchQuestion], most: int | None) -> Sequence[BenchQuestion]:
    if most is None or len(questions) <= most:
        return questions
    return random.Random(0).sample(questions, most)  # noqa: S311 # no secret


def unanswerable(folder: Path) -> list[Asked]:
    file = folder / UNANSWERABLE
    questions = read_questions(file) if file.exists() else ()
    return [Asked(id=each.id, text=each.text, answerable=False) for each in questions]


def answered(
    dataset: BenchDataset, questions: Sequence[BenchQuestion], arguments: argparse.Namespace, others: Sequence[Asked]
) -> list[Outcome]:
    """Return the outcomes of questions asked of the folder's corpus, which is created if necessary."""
    settings = Settings.from_environment()
    embedder = make_embedder(settings.embedding)
    corpus = corpus_name(dataset, Layout(), embedder=embedder.fingerprint)
    progress = progress_for(quiet=False)
    with Knowledge(corpus, settings=settings, progress=progress) as knowledge:
        knowledge.use(embedder=embedder)
        knowledge.use_model(arguments.model)
        load_and_index(knowledge, dataset, Layout(), [arguments.retriever])

        def ask(question: str) -> Answer:
            return knowledge.ask(question, arguments.k, retriever=arguments.retriever, strict=True)

        if knowledge.chat() is None:
            ask(questions[0].text)  # warm-up: loads models and caches
        name = f"{arguments.retriever}, {corpus}"
        asked = [*(asked_of(each, dataset, knowledge) for each in questions), *others]
        return ask_each(ask, asked, name=name, progress=progress)


def asked_of(question: BenchQuestion, dataset: BenchDataset, knowledge: Knowledge) -> Asked:
    gold = [passage for passage, score in dataset.qrels[question.id].items() if score > 0]
    source = source_name(dataset)
    return Asked(
        id=question.id,
        text=question.text,
        answers=question.answers,
        sources=tuple(frozenset({knowledge.document_id(source, passage)}) for passage in gold),
        named=tuple(gold),
    )


def table(outcomes: dict[str, list[Outcome]]) -> Iterator[str]:
    rows = {
        name: [*(measured for measured in measures(each) if measured.name not in LEFT_OUT), first_lines(each)]
        for name, each in outcomes.items()
    }
    names = [measured.name for measured in next(iter(rows.values()))]
    yield f"| | questions | {' | '.join(names)} | ms p50 | ms p95 |"
    yield f"|{'---|' * (len(names) + 4)}"
    for name, row in rows.items():
        p50, p95 = milliseconds(outcomes[name])
        cells = " | ".join(map(shown, row))
        yield f"| `{name}` | {len(outcomes[name])} | {cells} | {p50:.0f} | {p95:.0f} |"


def first_lines(outcomes: Sequence[Outcome]) -> Measured:
    right = [
        float(first_line_is_right(outcome)) for outcome in outcomes if outcome.answer.answered and outcome.asked.answers
    ]
    return Measured("first lines right", len(right), mean_interval(right) if right else None)


def first_line_is_right(outcome: Outcome) -> bool:
    answer, gold = outcome.answer, outcome.asked.answers
    if answer.guess:
        return any(agrees(answer.guess, each) for each in gold)
    first = words(without_citations(answer.text.splitlines()[0]))
    return any(stands_in(words(each), first) for each in gold)


def shown(measured: Measured) -> str:
    if measured.interval is None:
        return "–"
    values = measured.interval.mean, measured.interval.low, measured.interval.high
    mean, low, high = (f"{value:.3f}".removeprefix("0") for value in values)
    return f"{mean} [{low}, {high}] of {measured.of}"


if __name__ == "__main__":
    sys.exit(main())
