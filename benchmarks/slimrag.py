"""SlimRAG measured on BEIR folders: coreference × decomposition, without a language model, against dense retrieval.

    python benchmarks/slimrag.py DIR…

For each folder: R@5, R@10 and all@5 of documents; retrieval precision, recall and F1 of the documents that the context
comes from (the paper's names; its gold are sentences, which these folders do not have); tokens of the context; what the
index holds and took (RITU); milliseconds a question; and the seconds that one document more takes.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from overstory.bench.comparison import compare
from overstory.bench.dataset import BenchDataset, load_dataset
from overstory.bench.packing import Layout, corpus_name, document_qrels
from overstory.bench.runner import BenchResult, BenchRow
from overstory.embed import make_embedder
from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.settings import Settings
from overstory.systems.lifecycle import SystemReport

ONE_MORE = Document(
    source="benchmarks/slimrag",
    source_key="one more",
    title="Overstory",
    text="The overstory is the layer of treetops above a forest. It shades the understory, which lives in its light.",
)
VARIANTS = (
    ("slimrag:coreference", "slimrag", "coreference + decomposition"),
    ("slimrag:coreference", "slimrag:whole", "coreference"),
    ("slimrag:no-coreference", "slimrag", "decomposition"),
    ("slimrag:no-coreference", "slimrag:whole", "neither"),
)


@dataclass(frozen=True, slots=True)
class ContextScores:
    """Means over questions of the documents that the context comes from, and of its tokens."""

    precision: float
    recall: float
    f1: float
    tokens: float


def context_scores(knowledge: Knowledge, dataset: BenchDataset, retriever: str) -> ContextScores:
    """What the context of each question holds of its gold documents."""
    qrels = document_qrels(dataset.qrels, dataset.passage_ids, Layout())
    rows: list[tuple[float, float, float, float]] = []
    for question in dataset.questions:
        evidence = knowledge.search(question.text, 10, retriever=retriever)
        of_chunk = {hit.chunk_id: hit.source_key for hit in evidence.hits}
        found = {of_chunk[each.chunk_id] for each in evidence.excerpts if each.chunk_id in of_chunk}
        gold = {key for key, score in qrels[question.id].items() if score > 0}
        precision = len(found & gold) / max(len(found), 1)
        recall = len(found & gold) / len(gold)
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        texts = [each.text for each in evidence.excerpts]
        rows.append((precision, recall, f1, float(sum(knowledge.embedder.count_tokens(texts)) if texts else 0)))
    return ContextScores(*(float(mean) for mean in np.mean(rows, axis=0)))


def measured(folder: Path) -> Iterator[str]:
    """The lines of the report on a folder."""
    dataset = load_dataset(folder)
    settings = Settings.from_environment()
    embedder = make_embedder(settings.embedding)
    with Knowledge(corpus_name(dataset, Layout(), embedder=embedder.fingerprint), settings=settings) as knowledge:
        yield f"{folder.name}: {len(dataset.questions)} questions, {len(dataset.passage_ids):,} passages"
        yield f"{'':28}   R@5  R@10 all@5 |     P     R    F1 tokens |  p50  p95 ms"
        (dense,) = compare(knowledge, dataset, Layout(), ["dense"])
        yield _line("dense", dense.row, None)
        shown = None
        for what, retriever, report, seconds, result in variants(knowledge, dataset):
            if report != shown:
                figures = ", ".join(f"{value:,} {name}" for name, value in report.figures.items())
                yield f"  {report.how}, {seconds:.0f} s: {figures}"
                shown = report
            yield _line(what, result.row, context_scores(knowledge, dataset, retriever))
        knowledge.index(systems=["slimrag:coreference"])
        yield from _one_more(knowledge)


class Variant(NamedTuple):
    """One of the four, as measured; the report is of its index, which took these seconds."""

    what: str
    retriever: str
    report: SystemReport
    seconds: float
    result: BenchResult


def variants(knowledge: Knowledge, dataset: BenchDataset) -> Iterator[Variant]:
    """Builds each index, and asks its retrievers, one after the other."""
    for system, of_system in itertools.groupby(VARIANTS, key=lambda variant: variant[0]):
        began = time.perf_counter()
        knowledge.index(systems=[system])
        seconds = time.perf_counter() - began
        (report,) = (each for each in knowledge.system_reports() if each.name == "slimrag")
        for _, retriever, what in of_system:
            (result,) = compare(knowledge, dataset, Layout(), [retriever])
            yield Variant(what, retriever, report, seconds, result)


def _line(what: str, row: BenchRow, context: ContextScores | None) -> str:
    scores = row.scores
    text = f"{what:28} {scores.recall_5:5.3f} {scores.recall_10:5.3f} {scores.all_5:5.3f} |"
    if context is not None:
        text += f" {context.precision:5.3f} {context.recall:5.3f} {context.f1:5.3f} {context.tokens:6.0f} |"
    else:
        text += f"{'':26}|"
    return f"{text} {row.p50_ms:4.0f} {row.p95_ms:4.0f}"


def _one_more(knowledge: Knowledge) -> Iterator[str]:
    """What one document more takes of SlimRAG's stage, and what its deletion takes of everything."""
    knowledge.ingest_documents([ONE_MORE])
    knowledge.index()
    (stage,) = (stage for stage in knowledge.status().stages if stage.name == "slimrag")
    began = time.perf_counter()
    knowledge.delete_documents(knowledge.document_id(ONE_MORE.source, ONE_MORE.source_key))
    deleted = time.perf_counter() - began
    yield f"  one document more: {stage.seconds:.2f} s of SlimRAG's stage; deleted in {deleted:.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    for folder in parser.parse_args().folders:
        for line in measured(folder):
            print(line, flush=True)


if __name__ == "__main__":
    main()
