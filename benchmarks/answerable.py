"""Measure when an answer without a language model should say that the documents do not answer: see docs/answers.md.

    python benchmarks/answerable.py DIR… [--apart DIR]… [--found FOLDER] [--tune]

The folders are BEIR folders. Questions count as answerable when they are asked of their own passages, and as
unanswerable when

- "without gold": they are asked of the same passages, and those that answer them are taken out of what is found;
- "elsewhere": questions of an `--apart` folder are asked of the others, and theirs of it. Name folders there whose
  subject is another one, such as manual pages beside Wikipedia.

Passages are those that `ask` would read: the first five of the default retriever, within its limit of tokens. Both
labels have errors: what was retrieved for an answerable question may lack its gold passages, and what is left without
them may still answer it.

The questions of each folder are split into two halves by the hash of their ids. `--tune` prints, for the first half,
weights with the thresholds that answer 95 % of the answerable questions, each folder counting the same; the tables show
the second half with the weights and the threshold of the package. Intervals are percentile bootstraps over questions.

`--found FOLDER` keeps what was found in files there, so that another run needs neither server nor index.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from overstory.answer import CONTEXT_TOKENS, extract, read_within
from overstory.answer.answerable import LEAST, WEIGHT_OF_NAMES, WEIGHT_OF_WORDS, Fit
from overstory.bench.bootstrap import RESAMPLES, mean_interval
from overstory.bench.dataset import BenchDataset, Question, load_dataset
from overstory.bench.packing import Layout, corpus_name, documents, source_name
from overstory.cli.progress import progress_for
from overstory.embed import make_embedder
from overstory.errors import OverstoryError
from overstory.knowledge import Knowledge
from overstory.model import ChunkText, Evidence, Extraction, Hit
from overstory.protocols import Embedder, Vectors
from overstory.settings import Settings
from overstory.text import make_extractor

READ = 5
"""Passages, as many as `ask` finds by default."""
DEEP = 40
"""Passages found for a question of the same folder, so that enough are left without gold."""
MOST_ASKED = 150
"""Questions of a folder that are asked of its own passages and of another's, drawn at random."""
ANSWERED = 0.95
KINDS = ("answerable", "without gold", "elsewhere")
FIELDS = ("chunk_id", "document_id", "source", "source_key", "title", "heading", "text", "score")
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5)


@dataclass(frozen=True)
class Case:
    """A question with what was read for it: whether it is refused, and why."""

    folder: str
    kind: str
    first_half: bool
    fit: Fit
    refused: bool


class NoNames:
    """Finds no names: whether there is an answer does not depend on them."""

    fingerprint = "none"
    by = "none"

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        return (Extraction(chunk.id, (0,), (), ()) for chunk in chunks)


class Remembering:
    """The embedder with a memory, since the same sentences are found again and again."""

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
    parser.add_argument("--apart", action="append", default=[], type=Path, metavar="DIR", help="of another subject")
    parser.add_argument("--found", type=Path, metavar="FOLDER", help="keep what was found there")
    parser.add_argument("--tune", action="store_true", help="search weights and threshold on the first half")
    arguments = parser.parse_args()
    try:
        settings = Settings.from_environment()
        embedder = Remembering(make_embedder(settings.embedding))
        datasets = {each.resolve().name: load_dataset(each) for each in [*arguments.folders, *arguments.apart]}
        apart = {each.resolve().name for each in arguments.apart}
        cases: list[Case] = []
        for name in datasets:
            for row in found_in(name, datasets, apart, settings, embedder, arguments.found):
                cases += judged(name, row, embedder)
            print(f"{name}: {sum(case.folder == name for case in cases)} cases", file=sys.stderr)
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    if arguments.tune:
        tune([case for case in cases if case.first_half])
    report([case for case in cases if not case.first_half])
    return 0


def found_in(
    name: str,
    datasets: dict[str, BenchDataset],
    apart: set[str],
    settings: Settings,
    embedder: Embedder,
    kept: Path | None,
) -> list[dict[str, Any]]:
    """What the default retriever finds in a folder for its own questions, and for some of others."""
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
        rows = [found_for(knowledge, name, of, question, dataset) for of, question in asked]
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(rows), encoding="utf-8")
    return rows


def some_of(dataset: BenchDataset) -> Sequence[Question]:
    questions = dataset.questions
    return questions if len(questions) <= MOST_ASKED else random.Random(0).sample(questions, MOST_ASKED)  # noqa: S311 # no secret


def found_for(knowledge: Knowledge, name: str, of: str, question: Question, dataset: BenchDataset) -> dict[str, Any]:
    own = of == name
    gold = [passage for passage, score in dataset.qrels[question.id].items() if score > 0] if own else []
    hits = knowledge.search(question.text, DEEP if own else READ).hits
    fields = [{field: getattr(hit, field) for field in FIELDS} for hit in hits]
    return {"corpus": name, "of": of, "id": question.id, "question": question.text, "gold": gold, "hits": fields}


def judged(name: str, row: dict[str, Any], embedder: Embedder) -> Iterator[Case]:
    """The cases of a question: of its own passages with and without gold, or of those of another folder."""
    hits = [Hit(**{field: hit[field] for field in FIELDS}) for hit in row["hits"]]
    first_half = hashlib.sha256(row["id"].encode()).digest()[0] % 2 == 0
    gold = set(row["gold"])
    read = {"elsewhere": hits} if row["of"] != name else {
        "answerable": hits,
        "without gold": [hit for hit in hits if hit.source_key not in gold],
    }  # fmt: skip
    for kind, found in read.items():
        context = read_within(CONTEXT_TOKENS, Evidence(row["question"], "", tuple(found[:READ])))
        extracted = extract(row["question"], context, embedder, NoNames())
        fit = extracted.fit or Fit(0.0, 0.0, 0.0)
        yield Case(name, kind, first_half, fit, refused=not extracted.sentences)


def tune(cases: Sequence[Case]) -> None:
    """Prints, for each pair of weights, the threshold that answers enough, and the shares that it refuses."""
    print(f"\nFirst half: {len(cases)} cases; each line answers {ANSWERED:.0%} of the answerable\n")
    print("words  names  least   answered per folder   refused without gold, elsewhere")
    lines: list[tuple[float, str]] = []
    folders = list(dict.fromkeys(case.folder for case in cases))
    for words, names in itertools.product(WEIGHTS, WEIGHTS):

        def score(case: Case, words: float = words, names: float = names) -> float:
            return case.fit.cosine + words * case.fit.words + names * case.fit.names

        least = threshold([case for case in cases if case.kind == "answerable"], score)
        answered = [mean(score(c) >= least for c in cases if c.kind == KINDS[0] and c.folder == f) for f in folders]
        refused = [
            [mean(score(c) < least for c in cases if c.kind == kind and c.folder == f) for f in folders]
            for kind in KINDS[1:]
        ]
        good = float(np.nanmean(refused))
        shown = "  ".join(" ".join(f"{each:.2f}" for each in part) for part in (answered, *refused))
        lines.append((good, f"{words:<6} {names:<6} {least:.3f}   {shown}   mean {good:.3f}"))
    print(*(line for _, line in sorted(lines, reverse=True)[:12]), sep="\n")


def threshold(cases: Sequence[Case], score: Callable[[Case], float]) -> float:
    """The score that the wanted share of answerable cases reaches, each folder with the same weight."""
    sizes = {folder: sum(case.folder == folder for case in cases) for folder in {case.folder for case in cases}}
    order = sorted(cases, key=score)
    left = (1.0 - ANSWERED) * len(sizes)
    for case in order:
        left -= 1.0 / sizes[case.folder]
        if left < 0.0:
            return score(case)
    return score(order[-1])


def mean(values: Iterable[bool]) -> float:
    listed = list(values)
    return float(np.mean(listed)) if listed else float("nan")


def report(cases: Sequence[Case]) -> None:
    """Prints the table of docs/answers.md: a line for each folder, and one for all."""
    print(f"\nSecond half, cosine + {WEIGHT_OF_WORDS} words + {WEIGHT_OF_NAMES} names ≥ {LEAST}\n")
    print("| | answered, of answerable | refused, without gold | refused, elsewhere | precision | recall |")
    print("|---|---|---|---|---|---|")
    for name in [*dict.fromkeys(case.folder for case in cases), ""]:
        here = [case for case in cases if case.folder == name or not name]
        cells = [f"`{name}`" if name else "all"]
        for kind in KINDS:
            of_kind = [float(case.refused != (kind == KINDS[0])) for case in here if case.kind == kind]
            if not of_kind:
                cells.append("–")
                continue
            interval = mean_interval(of_kind)
            cells.append(f"{interval.mean:.2f} [{interval.low:.2f}, {interval.high:.2f}] of {len(of_kind)}")
        cells += [shown(here, precision), shown(here, recall)]
        print("| " + " | ".join(cells) + " |")


Flags = npt.NDArray[np.bool_]


def shown(cases: Sequence[Case], measure: Callable[[Flags, Flags], float]) -> str:
    """A ratio over cases with its percentile bootstrap interval."""
    refused = np.array([case.refused for case in cases])
    unanswerable = np.array([case.kind != KINDS[0] for case in cases])
    drawn = np.random.default_rng(0).integers(len(cases), size=(RESAMPLES, len(cases)))
    values = [measure(refused[draw], unanswerable[draw]) for draw in drawn]
    low, high = np.nanquantile(values, [0.025, 0.975])
    return f"{measure(refused, unanswerable):.2f} [{low:.2f}, {high:.2f}]"


def precision(refused: Flags, unanswerable: Flags) -> float:
    """Of "not in these documents", the share that is right."""
    return float((refused & unanswerable).sum() / refused.sum()) if refused.any() else float("nan")


def recall(refused: Flags, unanswerable: Flags) -> float:
    """Of unanswerable questions, the share of "not in these documents"."""
    return float((refused & unanswerable).sum() / unanswerable.sum()) if unanswerable.any() else float("nan")


if __name__ == "__main__":
    sys.exit(main())
