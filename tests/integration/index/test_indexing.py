"""The index stages: they do what is missing, resume where they were stopped, and give one result in any order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

import pytest
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.kills import open_killable
from tests.passages import CURIE, DANUBE, EINSTEIN, PASSAGES, ULM, OpenCorpus, passage

from overstory.graph import schema
from overstory.index.stages.embed import _EMBEDDED_CHUNKS_A_BATCH
from overstory.model import ChunkText, Extraction


def test_documents_one_by_one_in_any_order_give_what_a_single_load_gives(open_corpus: OpenCorpus) -> None:
    once = open_corpus("once")
    once.ingest_documents(PASSAGES)
    once.index()
    one_by_one = open_corpus("one-by-one")
    for document in (DANUBE, CURIE, ULM, EINSTEIN):
        one_by_one.ingest_documents([document])
        one_by_one.index()
    assert one_by_one.digest() == once.digest()


def test_deleting_gives_what_never_loading_gives(open_corpus: OpenCorpus) -> None:
    without, deleted = open_corpus("without"), open_corpus("deleted")
    without.ingest_documents([CURIE, DANUBE])
    without.index()
    deleted.ingest_documents(PASSAGES)
    deleted.index()
    ids = [document.id for document in deleted.documents() if document.source_key in ("einstein", "ulm")]
    assert deleted.delete_documents([*ids, "no such id"]) == 2
    assert deleted.digest() == without.digest()
    stages = ("sections", "metadata", "boilerplate", "embed", "extract", "entities", "mentions")
    assert deleted.status().pending == dict.fromkeys(stages, 0)


MANY = [passage(str(number), "", f"The number {number}.") for number in range(_EMBEDDED_CHUNKS_A_BATCH + 44)]
NAMES = ScriptedExtractor({"number": "THING"})


class StoppedExtractor(ScriptedExtractor):
    """One during whose work somebody stops the run."""

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        yield from itertools.islice(super().extract(chunks), 0)
        raise KeyboardInterrupt


def test_an_interrupted_run_resumes_and_gives_the_same_graph(open_corpus: OpenCorpus) -> None:
    whole = open_corpus("whole", embedder=HashingEmbedder(8), extractor=NAMES)
    broken = open_corpus("broken", embedder=HashingEmbedder(8, fail_after=_EMBEDDED_CHUNKS_A_BATCH), extractor=NAMES)
    for knowledge in (whole, broken):
        knowledge.ingest_documents(MANY)
    whole.index()
    with pytest.raises(KeyboardInterrupt):
        broken.index()
    (stage,) = [stage for stage in broken.status().stages if stage.name == "embed"]
    assert (stage.status, stage.at, stage.total) == ("stopped", _EMBEDDED_CHUNKS_A_BATCH, len(MANY))
    assert broken.status().pending["embed"] == 44
    second = HashingEmbedder(8)
    broken.use(embedder=second)
    broken.index()
    assert len(second.embedded) == 44
    assert broken.digest() == whole.digest()


def test_a_system_that_was_asked_for_is_not_forgotten_by_an_interruption_before_its_turn(
    open_corpus: OpenCorpus,
) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8, fail_after=2))
    knowledge.ingest_documents(PASSAGES)
    with pytest.raises(KeyboardInterrupt):
        knowledge.index(systems="serag:levels=3")
    knowledge.use(embedder=HashingEmbedder(8))
    assert "serag" in knowledge.index().done
    assert knowledge.tree().size == len(PASSAGES)


def test_documents_go_without_a_trace_after_an_interrupted_link(open_corpus: OpenCorpus) -> None:
    knowledge = open_killable(open_corpus, embedder=HashingEmbedder(8))
    knowledge.ingest_documents(PASSAGES[:2])
    knowledge.index()
    before = knowledge.digest()
    knowledge.ingest_documents(PASSAGES[2:])

    with knowledge.graph.killed_at(4, of="entities"):
        knowledge.index()
    added = [d.id for d in knowledge.documents() if d.source_key in {p.source_key for p in PASSAGES[2:]}]
    knowledge.delete_documents(added)
    knowledge.index()
    assert knowledge.digest() == before


@pytest.mark.changes_schema
def test_an_index_that_was_lost_is_made_again(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8))
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    for kind in schema.SET_INDEXES:
        schema.drop_set_index(knowledge.graph, kind, knowledge.status().corpus.index_set)
    knowledge.index()
    assert knowledge.search("Ulm", retriever="lexical").hits


def test_the_ledger_says_what_each_stage_did(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    stages = {stage.name: stage for stage in knowledge.status().stages}
    assert list(stages) == ["load", "embed", "extract", "entities", "mentions"]
    assert all(stage.status == "done" and stage.finished is not None for stage in stages.values())
    assert stages["embed"].counts == {"chunks": 4, "vectors": 4}
    assert stages["embed"].tokens > 50
    assert stages["extract"].counts["facts"] > 0
    assert stages["load"].counts["added"] == 4


def test_entities_are_merged_by_name_and_named_as_texts_mostly_do(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    texts = ("She lives in Zürich.", "He lives in Zürich.", "They live in Zurich.")
    knowledge.ingest_documents([passage(str(i), "", text) for i, text in enumerate(texts)])
    knowledge.index()
    rows = list(knowledge.graph.stream("export/entities", knowledge.status().corpus.label))
    (city,) = [row for row in rows if row["key"] == "zurich"]
    assert (city["name"], city["aliases"], city["df"], city["type"]) == ("Zürich", ["Zurich"], 3, "GPE")


def test_facts_tie_entities_with_the_sentence_that_states_them(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([EINSTEIN, ULM])
    knowledge.index()
    rows = knowledge.graph.stream("export/relations", knowledge.status().corpus.label)
    born = [row for row in rows if (row["subject"], row["object"]) == ("albert einstein", "ulm")]
    assert [row["weight"] for row in born] == [2]  # stated in two passages
    assert born[0]["description"] == "Albert Einstein was born in Ulm."
    assert "born" in born[0]["predicate"]


@pytest.mark.slow
@pytest.mark.changes_schema
def test_a_vector_index_comes_and_goes_with_the_size_and_finds_the_same(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(64), extractor=NAMES)
    numbers = [passage(str(number), "", f"Number {number}.") for number in range(schema.VECTOR_INDEX_FROM - 4)]
    knowledge.ingest_documents([*PASSAGES, *numbers[1:]])
    knowledge.index()
    exact = knowledge.search(EINSTEIN.text, 2, retriever="dense")
    assert knowledge.status().corpus.vector_index == ""
    knowledge.ingest_documents(numbers[:1])
    knowledge.index()
    assert knowledge.status().corpus.vector_index
    indexed = knowledge.search(EINSTEIN.text, 2, retriever="dense")
    assert [hit.chunk_id for hit in indexed.hits] == [hit.chunk_id for hit in exact.hits]
    assert [hit.score for hit in indexed.hits] == pytest.approx([hit.score for hit in exact.hits], abs=1e-5)
    knowledge.delete_documents([knowledge.document_id(each.source, each.source_key) for each in numbers[:201]])
    knowledge.index()
    assert knowledge.status().corpus.vector_index == ""


@pytest.mark.changes_schema
def test_a_vector_index_grows_while_texts_are_read_and_a_run_stopped_meanwhile_is_gone_on_with(
    open_corpus: OpenCorpus, vector_index_from: Callable[[int], None]
) -> None:
    vector_index_from(2)
    knowledge = open_corpus(embedder=HashingEmbedder(64), extractor=StoppedExtractor({}))
    knowledge.ingest_documents(PASSAGES)
    with pytest.raises(KeyboardInterrupt):
        knowledge.index()
    corpus = knowledge.status().corpus
    name = schema.vector_index_name(corpus.label, corpus.embedding_property)
    schema.await_index(knowledge.graph, name)
    assert corpus.vector_index == ""
    knowledge.use(extractor=NAMES)
    knowledge.index()
    assert knowledge.status().corpus.vector_index == name
    assert knowledge.search(EINSTEIN.text, 1, retriever="dense").hits[0].source_key == "einstein"


@pytest.mark.slow
def test_another_embedder_takes_over_without_a_gap(open_corpus: OpenCorpus) -> None:
    old = open_corpus(embedder=HashingEmbedder(8), extractor=NAMES)
    fresh = open_corpus("fresh", embedder=HashingEmbedder(16), extractor=NAMES)
    for knowledge in (old, fresh):
        knowledge.ingest_documents([*MANY, *PASSAGES])
        knowledge.index()
    new = open_corpus(embedder=HashingEmbedder(16, fail_after=_EMBEDDED_CHUNKS_A_BATCH), extractor=NAMES)
    with pytest.raises(KeyboardInterrupt):
        new.index(re_embed=True)
    assert old.search("Where was Einstein born?", retriever="dense").hits  # still on the old vectors
    second = HashingEmbedder(16)
    new.use(embedder=second)
    new.index(re_embed=True)
    assert len(second.embedded) == 44 + len(PASSAGES)  # went on where it was
    assert new.status().corpus.dimension == 16
    found, expected = (each.search("Where was Einstein born?", retriever="dense") for each in (new, fresh))
    assert [(hit.title, hit.score) for hit in found.hits] == [(hit.title, hit.score) for hit in expected.hits]
    assert not new.index(re_embed=True).done


@pytest.mark.slow
def test_a_given_up_change_of_embedders_leaves_nothing(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8), extractor=NAMES)
    knowledge.ingest_documents(MANY)
    knowledge.index()
    before = knowledge.digest()
    new = open_corpus(embedder=HashingEmbedder(16, fail_after=_EMBEDDED_CHUNKS_A_BATCH), extractor=NAMES)
    with pytest.raises(KeyboardInterrupt):
        new.index(re_embed=True)
    knowledge.index()
    label = knowledge.status().corpus.label
    (row,) = knowledge.graph.run("ingest/count_without_vector", label, property="embedding_alternate")
    assert row["vectors"] == len(MANY)
    assert knowledge.digest() == before


def test_changing_the_embedder_back_and_forth_gives_the_first_graph_again(open_corpus: OpenCorpus) -> None:
    embedders = (HashingEmbedder(8), HashingEmbedder(16))
    knowledge = open_corpus(embedder=embedders[0])
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    before = knowledge.digest()
    for embedder in itertools.islice(itertools.cycle(reversed(embedders)), 2):
        knowledge.use(embedder=embedder)
        knowledge.index(re_embed=True)
    assert knowledge.digest() == before
