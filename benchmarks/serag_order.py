"""Two questions about SeRAG's tree: does it gain from the order of the corpus file, and does it join gold passages?

    python -m benchmarks.serag_order DIR…

The paper's distance layer joins chunks by their place in the corpus (Eq. 5, "sequential chunk indices"), and its
corpora were gathered question by question: gold passages of one question stand together in the file. Overstory joins
chunks by their place in a document. For each BEIR folder this script builds SeRAG's index both ways, and prints

1. how many gold pairs lie within the window of ten places in the file, and how many would by chance;
2. R@5 of `serag:paper` and `serag:paper,flat`, and their difference, with 95 % bootstrap intervals;
3. the share of gold pairs whose passages are in one community, for each level and each tree, and that of random groups
   of the same sizes.

It uses the corpora of `overstory bench`, and leaves them without SeRAG's index. Prints Markdown.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from benchmarks.retrievers import bounds, share, show, signed
from benchmarks.serag import labels_before
from benchmarks.trees import read_tree

from overstory.bench.bootstrap import difference_interval, mean_interval
from overstory.bench.comparison import compare
from overstory.bench.dataset import BenchDataset, load_dataset
from overstory.bench.packing import Layout, corpus_name, source_name
from overstory.embed import make_embedder
from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory.protocols import Silence
from overstory.settings import Settings
from overstory.systems import find_system
from overstory.systems.state import read_state
from overstory_entropy.compile import Ints
from overstory_systems.serag import build
from overstory_systems.serag.build import ReadChunks, read_chunks
from overstory_systems.serag.settings import TREES

WINDOW = 10
"""Places after which the distance layer ends (the paper's Table 5)."""
RETRIEVERS = ("serag:paper", "serag:paper,flat")

Pairs = list[tuple[str, str]]
"""Ids of two documents that one question needs."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Pairs of documents in the communities of one level.

    Attributes:
        joined: 1.0 for each pair in one community.
        chance: the share of all pairs that groups of these sizes hold.
    """

    tree: str
    level: int
    communities: int
    joined: Sequence[float]
    chance: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    for folder in parser.parse_args().folders:
        compare_orders(folder)


def compare_orders(folder: Path) -> None:
    """Builds the index with the distance layer inside documents, then over the file, and shows both."""
    dataset, embedder = load_dataset(folder), make_embedder(Settings.from_environment().embedding)
    recalls = [["distance layer", *(f"`{name}`, R@5 [95 %]" for name in RETRIEVERS), "difference [95 %]"]]
    together = [["tree", "level", "communities", "gold pairs in one", "random groups of these sizes"]]
    with Knowledge(corpus_name(dataset, Layout(), embedder=embedder.fingerprint)) as knowledge:
        compare(knowledge, dataset, Layout(), ["dense"])
        place = {
            knowledge.document_id(source_name(dataset), id_): number for number, id_ in enumerate(dataset.passage_ids)
        }
        pairs = gold_pairs(knowledge, dataset)
        print(f"\n## {folder.resolve().name}: {len(place):,} passages, {len(pairs):,} pairs of gold passages")
        _show_order(pairs, place)
        for name, order in (("inside documents", None), ("over the file", place)):
            knowledge.remove_system("serag")
            with _in_order(order):
                knowledge.index(systems=["serag:semantic" if order is None else "serag:no-semantic"])
            paper, flat = (
                [scores.recall_5 for scores in result.scores.values()]
                for result in compare(knowledge, dataset, Layout(), RETRIEVERS)
            )
            less = difference_interval(paper, flat)
            means = [mean_interval(each) for each in (paper, flat)]
            shown = [f"{share(each.mean)} {bounds(each)}" for each in means]
            recalls.append([name, *shown, f"{signed(less.mean)} {bounds(less, signed)}"])
            together += _together(knowledge, pairs, name)
        knowledge.remove_system("serag")
    show("Does the tree gain from the file's order?", recalls)
    show("Are gold pairs in one community?", together)


def gold_pairs(knowledge: Knowledge, dataset: BenchDataset) -> Pairs:
    """Every two documents that one question needs."""
    source = source_name(dataset)
    gold = (
        [knowledge.document_id(source, key) for key, relevance in judged.items() if relevance > 0]
        for judged in dataset.qrels.values()
    )
    return [pair for each in gold for pair in itertools.combinations(sorted(each), 2)]


def _show_order(pairs: Pairs, place: dict[str, int]) -> None:
    n = len(place)
    apart = [abs(place[one] - place[other]) for one, other in pairs]
    within = sum(each <= WINDOW for each in apart) / len(apart)
    chance = (2 * n * WINDOW - WINDOW * (WINDOW + 1)) / (n * (n - 1))
    print(f"Gold pairs within {WINDOW} places in the file: {within:.1%}; by chance {chance:.1%}.")


@contextmanager
def _in_order(place: dict[str, int] | None) -> Generator[None]:
    """Within, builds take the whole corpus for one document, whose order is that of the file."""
    if place is None:
        yield
        return

    def read(*arguments: object) -> ReadChunks:
        chunks: ReadChunks = read_chunks(*arguments)  # type: ignore[arg-type]
        keys = [(place[document], seq) for document, seq in zip(chunks.documents, chunks.places.tolist(), strict=True)]
        places = np.empty(len(keys), dtype=np.int64)
        places[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        return replace(chunks, documents=["the file"] * len(keys), places=places)

    setattr(build, "read_chunks", read)  # noqa: B010 - a switch of this script alone: no user wants it
    try:
        yield
    finally:
        setattr(build, "read_chunks", read_chunks)  # noqa: B010


def _together(knowledge: Knowledge, pairs: Pairs, name: str) -> list[list[str]]:
    """A row for each tree and each level of communities."""
    return [
        [
            f"{each.tree}, {name}",
            str(each.level),
            f"{each.communities:,}",
            f"{np.mean(each.joined):.1%}",
            f"{each.chance:.1%}",
        ]
        for each in joined_pairs(knowledge, pairs)
    ]


def joined_pairs(knowledge: Knowledge, pairs: Pairs) -> Iterator[Joined]:
    """Which pairs of documents have their first chunks in one community, for each tree of the index and each level."""
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    state = read_state(find_system("serag"), corpus)
    assert state is not None
    chunks = read_chunks(knowledge.graph, corpus, Silence())
    first: dict[str, int] = {}
    for number in np.lexsort((chunks.places, chunks.document_numbers())).tolist():
        first.setdefault(chunks.documents[number], number)
    for tree in TREES if state.settings.semantic else list(TREES)[:1]:
        stored = read_tree(knowledge.graph, corpus, TREES[tree].name, state.generation)
        labels = labels_before(stored, chunks.ids, state.settings.levels)
        for level, communities in enumerate(labels, start=1):
            joined = [float(communities[first[one]] == communities[first[other]]) for one, other in pairs]
            sizes = np.array(list(Counter(communities.tolist()).values()))
            yield Joined(tree, level, len(sizes), joined, _by_chance(sizes))


def _by_chance(sizes: Ints) -> float:
    """The share of all pairs that groups of these sizes hold."""
    n = int(sizes.sum())
    return float((sizes * (sizes - 1)).sum() / (n * (n - 1)))


if __name__ == "__main__":
    main()
