"""Measure when an answer without a language model should be "the documents do not answer this": see docs/answers.md.

    PYTHONPATH=. python -m benchmarks.answerable DIR… [--apart DIR]… [--found FOLDER] [--tune]

Each DIR is a BEIR folder. A question is answerable if it is asked of its own passages, and unanswerable in these cases:

- "without gold": it is asked of the same passages, without the retrieved passages that answer it;
- "exchanged": it asks about a thing in the corpus, but for a fact that no passage states (`benchmarks/exchanged.py`);
- "elsewhere": it is from an `--apart` folder and is asked of another folder, or the other way round. Use `--apart` for
  folders on another subject, such as manual pages in addition to Wikipedia.

The passages are those that `ask` would read: the first five of the default retriever, within its token limit. Both
labels have errors. The passages retrieved for an answerable question may lack the gold passages, and the passages that
remain without them may still answer it.

The questions of each folder are split into two halves by the hash of their ids. `--tune` fits the weights of
`answer/confidence.py` on the first half with a logistic regression without negative weights, in which each folder and
kind counts the same. It also fits the offset at which the package's threshold answers 95 % of the answerable questions.
The tables show the second half with the weights of the package. Intervals are percentile bootstraps over questions.

`--found FOLDER` stores the retrieved passages in files, so that another run needs neither server nor index.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from benchmarks.exchanged import exchanged

from overstory.answer import CONTEXT_TOKENS, STRICT, USUAL, AnswerReader, Confidence, extract, read_within
from overstory.answer.confidence import Fit
from overstory.bench.dataset import BenchDataset, BenchQuestion, load_dataset
from overstory.bench.layout import Layout, corpus_name, documents, source_name
from overstory.bench.metrics import BOOTSTRAP_RESAMPLES, mean_interval
from overstory.embed import make_embedder
from overstory.errors import OverstoryError
from overstory.knowledge import Knowledge
from overstory.model import Evidence, Hit
from overstory.protocols import Embedder, Vectors
from overstory.settings import Settings
from overstory.text import make_extractor
from overstory_cli.progress import progress_for

READ = 5  # passages that `ask` retrieves by default
DEEP = 40  # passages retrieved for a question of the same folder, so that enough are left without gold
MOST_ASKED = 150  # questions per folder asked of its own passages, and of another folder's; drawn at random
ANSWERED = 0.95
KINDS = ("answerable", "without gold", "exchanged", "elsewhere")
FIELDS = ("chunk_id", "document_id", "source", "source_key", "title", "heading", "text", "score")
COUNTED = {"answerable": 3.0, "without gold": 1.5, "exchanged": 0.2, "elsewhere": 1.5}
"""Weight of each kind in the fit. The weight of "exchanged" is low because a separate rule refuses these questions."""
SMALL = 1e-3


Flags = npt.NDArray[np.bool_]
Weights = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A question with the passages read for it, and how well they answer it."""

    folder: str
    kind: str
    first_half: bool
    confidence: Confidence


class Remembering:
    """An embedder with a cache, because the same sentences are retrieved again and again."""

    def __init__(self, embedder: Embedder) -> None:
        self.fingerprint, self.token_limit = embedder.fingerprint, embedder.token_limit
        self._embedder = embedder
        self._known: dict[str, Vectors] = {}

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument(
        "--apart", action="append", default=[], type=Path, metavar="DIR", help="folder on another subject"
    )
    parser.add_argument("--found", type=Path, metavar="FOLDER", help="store retrieved passages in this folder")
    parser.add_argument("--tune", action="store_true", help="fit weights on the first half")
    arguments = parser.parse_args()
    try:
        settings = Settings.from_environment()
        embedder = Remembering(make_embedder(settings.embedding))
        datasets = {each.resolve().name: load_dataset(each) for each in [*arguments.folders, *arguments.apart]}
        apart = {each.resolve().name for each in arguments.apart}
        reader = AnswerReader(embedder, settings.extraction.pipeline)
        cases: list[Case] = []
        for name in datasets:
            for row in found_in(name, datasets, apart, settings, embedder, arguments.found):
                cases += judged(name, row, reader)
            print(f"{name}: {sum(case.folder == name for case in cases)} cases", file=sys.stderr)
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    if arguments.tune:
        tune([case for case in cases if case.first_half])
    for least in (USUAL, STRICT):
        report([case for case in cases if not case.first_half], least)
    return 0


def found_in(
    name: str,
    datasets: dict[str, BenchDataset],
    apart: set[str],
    settings: Settings,
    embedder: Embedder,
    kept: Path | None,
) -> list[dict[str, Any]]:
    """Return what the default retriever finds in a folder for its own questions and for some of other folders."""
    file = kept / f"{name}.json" if kept else None
    if file is not None and file.exists():
        rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        return rows
    dataset = datasets[name]
    asked = [(name, question) for question in some_of(dataset)]
    for other, elsewhere in datasets.items():
        if other != name and (other in apart or name in apart):
            asked += [(other, question) for question in some_of(elsewhere)]
    corpus = corpus_name(dataset, Layout(), embedder=embedder.fingerprint)
    with Knowledge(corpus, settings=settings, progress=progress_for(quiet=False)) as knowledge:
        knowledge.use(embedder=embedder, extractor=make_extractor(settings.extraction))
        passages = documents(dataset.read_passages(), Layout(), source=source_name(dataset))
        knowledge.ingest_documents(passages, strict=True)
        knowledge.index(systems=[])
        texts = [(each.title, each.text) for each in dataset.read_passages()]
        asked += [
            (name, BenchQuestion(f"exchanged {at}", text)) for at, text in enumerate(exchanged(texts, MOST_ASKED))
        ]
        rows = [found_for(knowledge, name, of, question, dataset) for of, question in asked]
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(rows), encoding="utf-8")
    return rows


def some_of(dataset: BenchDataset) -> Sequence[BenchQuestion]:
    questions = dataset.questions
    return questions if len(questions) <= MOST_ASKED else random.Random(0).sample(questions, MOST_ASKED)  # noqa: S311 # no secret


def found_for(
    knowledge: Knowledge, name: str, of: str, question: BenchQuestion, dataset: BenchDataset
) -> dict[str, Any]:
    own = of == name
    known = dataset.qrels.get(question.id, {}) if own else {}
    gold = [passage for passage, score in known.items() if score > 0]
    hits = knowledge.search(question.text, DEEP if own else READ).hits
    fields = [{field: getattr(hit, field) for field in FIELDS} for hit in hits]
    return {"corpus": name, "of": of, "id": question.id, "question": question.text, "gold": gold, "hits": fields}


def judged(name: str, row: dict[str, Any], reader: AnswerReader) -> Iterator[Case]:
    """Yield the cases of a question: asked of its own passages with and without gold, or of another folder's."""
    hits = [Hit(**{field: hit[field] for field in FIELDS}) for hit in row["hits"]]
    first_half = hashlib.sha256(row["id"].encode()).digest()[0] % 2 == 0
    gold = set(row["gold"])
    if row["of"] != name:
        read = {"elsewhere": hits}
    elif row["id"].startswith("exchanged "):
        read = {"exchanged": hits}
    else:
        read = {"answerable": hits, "without gold": [hit for hit in hits if hit.source_key not in gold]}
    for kind, found in read.items():
        context = read_within(CONTEXT_TOKENS, Evidence(row["question"], "", tuple(found[:READ])))
        extracted = extract(row["question"], context, reader)
        yield Case(name, kind, first_half, extracted.confidence or Confidence(0.0, Fit()))


def tune(cases: Sequence[Case]) -> None:
    """Print weights and an offset with which enough of these cases are answered."""
    names = [each.name for each in fields(Fit)]
    figures = np.array([[getattr(case.confidence.fit, name) for name in names] for case in cases])
    answerable = np.array([case.kind == KINDS[0] for case in cases])
    sizes = Counter((case.folder, case.kind) for case in cases)
    counted = np.array([COUNTED[case.kind] / sizes[case.folder, case.kind] for case in cases])
    weights = fitted(figures, answerable, counted / counted.sum())
    scores = figures @ weights
    scores[[bool(case.confidence.missing) for case in cases]] = -np.inf
    here = [case.folder for case in cases]
    shares = {
        least: np.mean([np.mean(scores[[k == KINDS[0] and f == name for k, f in zip(kinds(cases), here, strict=True)]]
                                >= least) for name in dict.fromkeys(here)])
        for least in np.sort(scores[answerable & np.isfinite(scores)])
    }  # fmt: skip
    enough = [least for least, share in shares.items() if share >= ANSWERED]
    print(f"\nFirst half: {len(cases)} cases")
    print(*(f"    {name}={weight:.2f}," for name, weight in zip(names, weights, strict=True)), sep="\n")
    print(f"OFFSET = {-(max(enough) if enough else float(np.min(scores[np.isfinite(scores)]))):.2f}")


def kinds(cases: Sequence[Case]) -> list[str]:
    return [case.kind for case in cases]


def fitted(figures: npt.NDArray[np.float64], answerable: Flags, counted: npt.NDArray[np.float64]) -> Weights:
    """Return logistic regression weights by Newton's method; negative ones are set to 0 and the rest refitted."""
    used = np.ones(figures.shape[1], dtype=bool)
    while True:
        design = np.c_[figures[:, used], np.ones(len(figures))]
        found = np.zeros(design.shape[1])
        penalty = 3e-3 * np.diag([1.0] * (len(found) - 1) + [SMALL])
        for _ in range(60):
            chance = 1.0 / (1.0 + np.exp(-design @ found))
            gradient = design.T @ (counted * (chance - answerable)) + penalty @ found
            curvature = (design * (counted * chance * (1.0 - chance))[:, None]).T @ design + penalty
            found -= np.linalg.solve(curvature, gradient)
        weights = np.zeros(figures.shape[1])
        weights[used] = found[:-1]
        if (weights >= 0.0).all():
            return weights
        used &= weights > 0.0


def mean(values: Iterable[bool]) -> float:
    listed = list(values)
    return float(np.mean(listed)) if listed else float("nan")


def report(cases: Sequence[Case], least: float) -> None:
    print(f"\nSecond half, least confidence {least}\n")
    columns = ("answered, of answerable", "refused, without gold", "refused, exchanged", "refused, elsewhere")
    print("| | " + " | ".join((*columns, "precision", "recall")) + " |")
    print("|---|---|---|---|---|---|---|")
    for name in [*dict.fromkeys(case.folder for case in cases), ""]:
        here = [case for case in cases if case.folder == name or not name]
        cells = [f"`{name}`" if name else "all"]
        for kind in KINDS:
            of_kind = [
                float((case.confidence.value < least) != (kind == KINDS[0])) for case in here if case.kind == kind
            ]
            if not of_kind:
                cells.append("–")
                continue
            interval = mean_interval(of_kind)
            cells.append(f"{interval.mean:.2f} [{interval.low:.2f}, {interval.high:.2f}] of {len(of_kind)}")
        cells += [shown(here, least, precision), shown(here, least, recall)]
        print("| " + " | ".join(cells) + " |")


def shown(cases: Sequence[Case], least: float, measure: Callable[[Flags, Flags], float]) -> str:
    """Return a ratio over cases with its percentile bootstrap interval, as text."""
    refused = np.array([case.confidence.value < least for case in cases])
    unanswerable = np.array([case.kind != KINDS[0] for case in cases])
    drawn = np.random.default_rng(0).integers(len(cases), size=(BOOTSTRAP_RESAMPLES, len(cases)))
    values = [measure(refused[draw], unanswerable[draw]) for draw in drawn]
    low, high = np.nanquantile(values, [0.025, 0.975])
    return f"{measure(refused, unanswerable):.2f} [{low:.2f}, {high:.2f}]"


def precision(refused: Flags, unanswerable: Flags) -> float:
    return float((refused & unanswerable).sum() / refused.sum()) if refused.any() else float("nan")


def recall(refused: Flags, unanswerable: Flags) -> float:
    return float((refused & unanswerable).sum() / unanswerable.sum()) if unanswerable.any() else float("nan")


if __name__ == "__main__":
    sys.exit(main())
