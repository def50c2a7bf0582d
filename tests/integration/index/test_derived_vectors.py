"""One vector for each text, whoever uses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, LiteralString

import numpy as np
import pytest
from tests.fakes import HashingEmbedder
from tests.passages import OpenCorpus
from tests.stored_vectors import VectorCounts, count_vectors

from overstory.errors import ModelError
from overstory.graph import GraphClient, Writer, create_corpus, read_corpus, writing
from overstory.index.derived_vectors import (
    _DERIVED_TEXTS_A_PAGE,
    DerivedVectors,
    remove_other_embedders,
    remove_unused,
    remove_unused_of,
    settle_awaited,
)
from overstory.protocols import Vectors
from overstory.retrieve.vector_search import VectorCache, derived_vectors


@pytest.fixture
def writer(open_corpus: OpenCorpus) -> Iterator[Writer]:
    """The writer of an empty corpus that has the vectors of `HashingEmbedder(8)`."""
    knowledge = open_corpus()
    corpus = create_corpus(knowledge.graph, knowledge.corpus_name)
    with writing(knowledge.graph, corpus, "test") as first:
        first.set(embedder=HashingEmbedder(8).fingerprint, dimension=8)
    with writing(knowledge.graph, corpus, "test") as writer:
        yield writer


def ask(graph: GraphClient, query: LiteralString, **parameters: object) -> list[dict[str, Any]]:
    rows, _, _ = graph.native_driver().execute_query(query, parameters, database_=graph.database)
    return [row.data() for row in rows]


def join(writer: Writer, system: str, texts: Sequence[str], vectors: Sequence[str]) -> list[str]:
    """Writes the nodes of a toy system, and joins each to a vector; the ids of the nodes."""
    rows = [
        {"id": f"{writer.corpus.label}-{system}-{text}", "vector": vector}
        for text, vector in zip(texts, vectors, strict=True)
    ]
    ask(
        writer.graph,
        "UNWIND $rows AS row MATCH (v:Overstory:DerivedVector {id: row.vector}) "
        "MERGE (n:Overstory {id: row.id}) SET n:Toy:$($label), n.corpus = $label MERGE (n)-[:HAS_VECTOR]->(v)",
        rows=rows,
        label=writer.corpus.label,
    )
    return [row["id"] for row in rows]


def delete(writer: Writer, ids: Sequence[str]) -> None:
    ask(writer.graph, "UNWIND $ids AS id MATCH (n:Overstory:Toy {id: id}) DETACH DELETE n", ids=ids)


def counts(writer: Writer) -> VectorCounts:
    return count_vectors(writer.graph, read_corpus(writer.graph, writer.corpus.name))


def test_two_systems_share_the_vector_of_a_text_which_goes_with_the_last_of_its_users(writer: Writer) -> None:
    embedder = HashingEmbedder(8)
    people, cities = ["Marie Curie", "Paul Erdős"], ["Marie Curie", "Ulm"]
    first = DerivedVectors(writer, embedder, stage="first")
    first.of(people)
    of_first = join(writer, "first", people, first.ids(people))
    remove_unused(writer, stage="first")
    second = DerivedVectors(writer, embedder, stage="second")
    second.of(cities)
    of_second = join(writer, "second", cities, second.ids(cities))
    remove_unused(writer, stage="second")
    assert embedder.embedded == ["Marie Curie", "Paul Erdős", "Ulm"]
    assert (first.embedded, second.embedded) == (2, 1)
    assert counts(writer) == VectorCounts(vectors=3, uses=4, unused=0, awaited=0, other_embedders=0)
    shared = ask(writer.graph, "MATCH (v:Shared {corpus: $label}) RETURN v.id AS id", label=writer.corpus.label)
    assert {row["id"] for row in shared} == set(first.ids([*people, *cities]))
    delete(writer, of_first)
    remove_unused(writer, stage="first")
    assert counts(writer) == VectorCounts(vectors=2, uses=2, unused=0, awaited=0, other_embedders=0)
    delete(writer, of_second)
    remove_unused(writer, stage="second")
    assert counts(writer).vectors == 0


def test_a_stage_can_delete_the_vectors_of_its_former_users_and_look_at_no_others(writer: Writer) -> None:
    of_first, of_second = (DerivedVectors(writer, HashingEmbedder(8), stage=stage) for stage in ("first", "second"))
    of_first.of(["kept", "dropped", "shared", "never joined"])
    nodes = join(writer, "first", ["kept", "dropped", "shared"], of_first.ids(["kept", "dropped", "shared"]))
    settle_awaited(writer, stage="first")
    assert counts(writer) == VectorCounts(vectors=3, uses=3, unused=0, awaited=0, other_embedders=0)
    of_second.of(["shared", "awaited"])
    join(writer, "second", ["shared"], of_second.ids(["shared"]))
    delete(writer, nodes[1:])
    lost = of_first.ids(["dropped", "shared", "awaited"])
    writer.commit("first", lambda tx: remove_unused_of(tx, writer.corpus.label, lost))
    assert counts(writer) == VectorCounts(vectors=3, uses=2, unused=1, awaited=1, other_embedders=0)
    settle_awaited(writer, stage="first")  # what the second stage awaits stays
    assert counts(writer).vectors == 3


def test_what_was_embedded_before_a_kill_is_not_embedded_again(writer: Writer) -> None:
    texts = [f"text {number}" for number in range(600)]
    killed = HashingEmbedder(8, fail_after=300)
    with pytest.raises(KeyboardInterrupt):
        DerivedVectors(writer, killed, stage="first").of(texts)
    assert 0 < len(killed.embedded) < 600
    resumed = HashingEmbedder(8)
    DerivedVectors(writer, resumed, stage="first").of(texts)
    assert [*killed.embedded, *resumed.embedded] == texts
    remove_unused(writer, stage="second")  # another stage ends before the first, killed again, has joined its nodes
    again = DerivedVectors(writer, HashingEmbedder(8), stage="first")
    again.of(texts)
    assert again.embedded == 0
    assert counts(writer) == VectorCounts(vectors=600, uses=0, unused=600, awaited=600, other_embedders=0)
    join(writer, "first", texts[:100], again.ids(texts[:100]))
    remove_unused(writer, stage="first")
    assert counts(writer) == VectorCounts(vectors=100, uses=100, unused=0, awaited=0, other_embedders=0)


def test_a_vector_is_the_same_whether_it_was_stored_or_not_and_whatever_stands_beside_it(writer: Writer) -> None:
    texts = [f"the text number {number}" for number in range(_DERIVED_TEXTS_A_PAGE + 10)]
    texts += texts[:5]  # equal ones on another page
    embedder = HashingEmbedder(8)
    store = DerivedVectors(writer, embedder, stage="first")
    new = store.of(texts)
    assert embedder.embedded == texts[:-5]
    assert new.dtype == np.float32
    assert np.allclose(new, HashingEmbedder(8).embed(texts), atol=1e-3)
    assert np.array_equal(store.of(texts), new)
    assert np.array_equal(store.of(texts[7:8]), new[7:8])
    pages = list(store.pages(iter(texts)))
    assert [text for page in pages for text in page.texts] == texts
    assert [id_ for page in pages for id_ in page.ids] == store.ids(texts)
    assert np.array_equal(np.concatenate([page.vectors for page in pages]), new)
    assert max(len(page.texts) for page in pages) == _DERIVED_TEXTS_A_PAGE
    assert store.of([]).shape == (0, 8)
    assert embedder.embedded == texts[:-5]


def test_the_vectors_of_another_embedder_go_after_the_change(writer: Writer) -> None:
    texts = ["Marie Curie", "Ulm"]
    before, after = HashingEmbedder(8), HashingEmbedder(16)
    old = DerivedVectors(writer, before, stage="first")
    old.of(texts)
    join(writer, "old", texts, old.ids(texts))
    remove_unused(writer, stage="first")
    new = DerivedVectors(writer, after, stage="first")
    assert new.of(texts).shape == (2, 16)
    join(writer, "new", texts, new.ids(texts))
    remove_unused(writer, stage="first")
    assert counts(writer) == VectorCounts(vectors=4, uses=4, unused=0, awaited=0, other_embedders=2)
    writer.set(embedder=after.fingerprint, dimension=16)
    remove_other_embedders(writer)
    assert counts(writer) == VectorCounts(vectors=2, uses=2, unused=0, awaited=0, other_embedders=0)
    assert new.of(texts).shape == (2, 16)
    assert after.embedded == texts


def test_a_question_reads_vectors_by_the_nodes_that_have_the_texts(writer: Writer) -> None:
    texts = ["Marie Curie", "Ulm"]
    store = DerivedVectors(writer, HashingEmbedder(8), stage="first")
    vectors = store.of(texts)
    curie, ulm = join(writer, "first", texts, store.ids(texts))
    corpus = read_corpus(writer.graph, writer.corpus.name)
    cache = VectorCache(derived_vectors)
    found = writer.graph.reading("retrieve/toy", lambda tx: cache.of(tx, corpus, [ulm, "nobody", curie]))
    assert np.array_equal(found, np.stack([vectors[1], np.zeros(8, np.float32), vectors[0]]))


class Broken(HashingEmbedder):
    """Gives a vector too few."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        return super().embed(texts)[:-1]


def test_what_is_no_vector_for_each_text_is_refused_and_not_stored(writer: Writer) -> None:
    with pytest.raises(ModelError, match=r"shape \(1, 8\) for 2 texts"):
        DerivedVectors(writer, Broken(8), stage="first").of(["Marie Curie", "Ulm"])
    assert counts(writer).vectors == 0


def test_corpora_share_no_vectors(writer: Writer, open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus("other")
    embedder = HashingEmbedder(8)
    DerivedVectors(writer, embedder, stage="first").of(["Ulm"])
    with writing(knowledge.graph, create_corpus(knowledge.graph, knowledge.corpus_name), "test") as other:
        DerivedVectors(other, embedder, stage="first").of(["Ulm"])
        remove_unused(other, stage="first")
        assert counts(other).vectors == 0
    assert counts(writer).vectors == 1
    assert embedder.embedded == ["Ulm", "Ulm"]
