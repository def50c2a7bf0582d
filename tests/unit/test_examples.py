from __future__ import annotations

from tests.sources import load

from overstory.bench.dataset import load_dataset
from overstory.examples import demo_corpus, movie_graph
from overstory_loaders import GraphLoader


def test_the_demo_corpus_is_a_benchmark_that_can_be_measured() -> None:
    dataset = load_dataset(demo_corpus())
    assert len(dataset.passage_ids) == 994
    assert len(dataset.questions) == 50
    assert dataset.notes() == ()
    assert all(len(gold) == 2 for gold in dataset.qrels.values())


def test_the_graph_of_films_is_whole_and_connected() -> None:
    outcome = load(GraphLoader(), movie_graph())
    assert outcome.broken == []
    assert len([each for each in outcome.documents if each.metadata["labels"] == ["Film"]]) == 38
    reached, left = set[str](), [outcome.documents[0].source_key]
    while left:
        key = left.pop()
        if key not in reached:
            reached.add(key)
            left += [each.source_key for each in outcome.links if each.target_key == key]
            left += [each.target_key for each in outcome.links if each.source_key == key]
    assert reached == {document.source_key for document in outcome.documents}
