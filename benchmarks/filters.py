"""Measure filters: recall and time per question, by the share of documents that a filter allows.

    python -m benchmarks.filters DIR… [--questions 50] [--retriever NAME]… [--corpus NAME]

DIR is a BEIR folder. Its documents are loaded into a separate corpus with random metadata (`draw`, 0 to 999, the same
in each run), the first letter of their title (`letter`) and their key (`key`). Filters allow .1, 1, 10, 50 and 90 % at
random; one letter; and everything except the documents that answer the question. Recall is that of dense, compared with
a scan of all vectors. Hits are the number of hits out of 10 requested. Milliseconds are medians, measured in turn with
the unfiltered question. Prints Markdown.
"""

from __future__ import annotations

import argparse
import functools
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.which import markdown

from overstory.bench.dataset import BenchQuestion, load_dataset
from overstory.filters import Expression
from overstory.filters import field as key
from overstory.graph import Transaction, read_corpus
from overstory.knowledge import Knowledge
from overstory.model import Document, Metadata
from overstory.retrieve.among import Among
from overstory.retrieve.matching_documents import MatchingDocuments
from overstory_cli.progress import progress_for

K = 10
DRAWN = 1_000
SHARES = (1, 10, 100, 500, 900)
RETRIEVERS = ("dense", "lexical", "hybrid", "canopy")


@dataclass(slots=True)
class FilteredRun:
    """Results of one retriever with one filter, per question."""

    plain: list[float] = field(default_factory=list[float])
    filtered: list[float] = field(default_factory=list[float])
    hits: list[int] = field(default_factory=list[int])
    recall: list[float] = field(default_factory=list[float])


def filters(gold: Sequence[str]) -> Iterator[tuple[str, Expression]]:
    """Yield the filters by name, for a question with these gold documents."""
    for share in SHARES:
        yield f"{100 * share / DRAWN:g} % at random", key("draw") < share
    yield "by letter (S)", key("letter") == "S"
    yield "all but the answer", key("key").none_of(*gold)


def documents(folders: Sequence[Path]) -> Iterator[Document]:
    draw = random.Random(0)  # noqa: S311 # the same in each run
    for folder in folders:
        for each in load_dataset(folder).read_passages():
            letter = (each.title or each.text)[:1].upper()
            metadata: Metadata = {"draw": draw.randrange(DRAWN), "letter": letter, "key": each.id}
            yield Document(str(folder), each.id, each.text or each.title, each.title, metadata)


def milliseconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return 1_000 * (time.perf_counter() - began)


def scanned_keys(knowledge: Knowledge, question: str, where: Expression, known: MatchingDocuments) -> set[str]:
    """Return the chunks that dense finds when all vectors are compared."""
    (vector,) = knowledge.embedder.embed([question])

    def scan(tx: Transaction) -> set[str]:
        corpus = read_corpus(tx, knowledge.corpus_name)
        return set(Among(tx, corpus, known.of(tx, corpus, where)).scanned(vector, K).cosines)

    return knowledge.graph.reading("retrieve/filters", scan)


def measured(
    knowledge: Knowledge, questions: Sequence[tuple[BenchQuestion, Sequence[str]]], retrievers: Sequence[str]
) -> dict[tuple[str, str], FilteredRun]:
    runs: dict[tuple[str, str], FilteredRun] = {}
    known = MatchingDocuments()
    for asked, gold in questions:
        for name, where in filters(gold):
            scanned = scanned_keys(knowledge, asked.text, where, known)
            for retriever in retrievers:
                run = runs.setdefault((name, retriever), FilteredRun())
                ask = functools.partial(knowledge.search, asked.text, K, retriever=retriever)
                found = ask(where=where)  # warm-up: caches the documents that match the filter
                run.hits.append(len(found.hits))
                run.recall.append(len(scanned & {hit.chunk_id for hit in found.hits}) / max(1, len(scanned)))
                run.plain.append(milliseconds(ask))
                run.filtered.append(milliseconds(functools.partial(ask, where=where)))
    return runs


def rows_of(runs: Mapping[tuple[str, str], FilteredRun], retrievers: Sequence[str]) -> Iterator[list[str]]:
    yield ["", "recall of `dense`", *(f"`{retriever}`: ms, × unfiltered, hits" for retriever in retrievers)]
    for name in dict.fromkeys(name for name, _ in runs):
        of = [runs[name, retriever] for retriever in retrievers]
        recall = [run.recall for retriever, run in zip(retrievers, of, strict=True) if retriever == "dense"]
        cells = [
            f"{statistics.median(run.filtered):.0f}, "
            f"{statistics.median(run.filtered) / statistics.median(run.plain):.1f} ×, {statistics.mean(run.hits):.1f}"
            for run in of
        ]
        yield [name, f"{statistics.mean(recall[0]):.3f}" if recall else "–", *cells]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    parser.add_argument("--questions", type=int, default=50, metavar="N", help="default: 50")
    parser.add_argument("--retriever", action="append", metavar="NAME", help=f"default: {', '.join(RETRIEVERS)}")
    parser.add_argument("--corpus", default="benchmark-filters", metavar="NAME", help="default: benchmark-filters")
    given = parser.parse_args()
    questions: list[tuple[BenchQuestion, Sequence[str]]] = []
    for folder in given.folders:
        data = load_dataset(folder)
        questions += [(each, sorted(data.qrels[each.id])) for each in data.questions]
    step = max(1, len(questions) // given.questions)
    with Knowledge(given.corpus, progress=progress_for(quiet=False)) as knowledge:
        knowledge.ingest_documents(documents(given.folders))
        knowledge.index()
        for retriever in RETRIEVERS:  # vectors are cached
            knowledge.search(questions[0][0].text, K, retriever=retriever)
        retrievers = given.retriever or list(RETRIEVERS)
        runs = measured(knowledge, questions[::step][: given.questions], retrievers)
        print("\n".join(markdown(list(rows_of(runs, retrievers)))))
        passages = knowledge.status().counts["chunks"]
        print(f"\n{passages:,} passages, {len(questions[::step][: given.questions])} questions.")


if __name__ == "__main__":
    main()
