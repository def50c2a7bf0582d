from __future__ import annotations

from overstory.bench.dataset import load_dataset
from overstory.examples import demo_corpus


def test_the_demo_corpus_is_a_benchmark_that_can_be_measured() -> None:
    dataset = load_dataset(demo_corpus())
    assert len(dataset.passage_ids) == 994
    assert len(dataset.questions) == 50
    assert dataset.notes() == ()
    assert all(len(gold) == 2 for gold in dataset.qrels.values())
