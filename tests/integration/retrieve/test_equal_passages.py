"""Many equal passages: one vector, one hit, and nothing hidden; and vector indexes that return too little."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder
from tests.passages import OpenCorpus, passage

from overstory.doctor import check_vector_indexes
from overstory.errors import StatementFailed
from overstory.graph import read_corpus, schema, writing
from overstory.index.stages.embed import embed, re_embed, sync_vectors
from overstory.knowledge import Knowledge
from overstory.protocols import Silence
from overstory.server import Check

QUESTION = "How do I ignore a given exception in a with statement?"
ANSWER = passage("answer", "", f"{QUESTION} Use suppress.")
ORDINARY = [passage(f"o{i}", "", f"How do I use thing {i} in a function {i} or a loop {i}?") for i in range(59)]
EQUAL = [passage(f"e{i}", "", "How do I do a given thing in a statement?") for i in range(700)]
CORE = ("dense", "hybrid", "lexical", "canopy")


def embed_alone(knowledge: Knowledge) -> None:
    """The embed stage without those that read names, which these tests do without."""
    with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "test") as writer:
        embed(writer, knowledge.embedder, progress=Silence())
        sync_vectors(writer, dimension=knowledge.embedder.dimension)


def keys(knowledge: Knowledge, k: int, retriever: str = "dense") -> list[str]:
    found = knowledge.search(QUESTION, k, retriever=retriever)
    assert not [note for note in found.notes if "returned" in note]
    return [hit.source_key for hit in found.hits]


@pytest.mark.slow
@pytest.mark.changes_schema
def test_seven_hundred_equal_passages_hide_nothing_while_they_are_there_nor_after(
    open_corpus: OpenCorpus, vector_index_from: Callable[[int], None]
) -> None:
    vector_index_from(2)
    embedder = HashingEmbedder(64)
    knowledge = open_corpus(embedder=embedder)
    knowledge.ingest_documents([*EQUAL, ANSWER, *ORDINARY])
    embed_alone(knowledge)
    assert len(embedder.embedded) == 61
    status = knowledge.status()
    assert status.corpus.vector_index
    (stage,) = [stage for stage in status.stages if stage.name == "embed"]
    assert stage.counts == {"chunks": 760, "vectors": 61}
    for retriever in CORE:
        found = knowledge.search(QUESTION, 10, retriever=retriever)
        different = (
            2 if retriever == "lexical" else 10
        )  # the ordinary ones have none of the words that tell this question
        assert len({hit.text for hit in found.hits}) == len(found.hits) == different, retriever
        assert found.hits[0].source_key == "answer", retriever
        (repeated,) = [hit for hit in found.hits if hit.repeated]
        assert (repeated.repeated, len(repeated.repeats), repeated.text) == (699, 20, EQUAL[0].text)
        assert repeated.also.startswith("also 699 more times, in ")
        assert repeated.chunk_id not in {each.chunk_id for each in repeated.repeats}
    lowest = min(knowledge.retriever("lexical").retrieve(EQUAL[0].text, 700).hits, key=lambda hit: hit.chunk_id)
    assert lowest.chunk_id == knowledge.search(EQUAL[0].text, 1, retriever="dense").hits[0].chunk_id
    expanded = knowledge.retriever("dense", repeats=True).retrieve(QUESTION, 10).hits
    assert {hit.source_key for hit in expanded} >= {document.source_key for document in EQUAL}
    assert [hit.score for hit in expanded] == sorted((hit.score for hit in expanded), reverse=True)
    before = keys(knowledge, 30)
    knowledge.delete_documents(document.id for document in knowledge.documents() if document.source_key[0] == "e")
    assert knowledge.status().corpus.vector_index == status.corpus.vector_index
    assert keys(knowledge, 30)[:29] == [key for key in before if key[0] != "e"]
    assert keys(knowledge, 1) == ["answer"]
    assert len(keys(knowledge, 60)) == knowledge.status().counts["vectors"] == 60
    assert keys(knowledge, 10, "hybrid")[0] == "answer"


def found_wrong(knowledge: Knowledge) -> list[Check]:
    """Return the doctor's findings about the vector indexes of this corpus."""
    return [each for each in check_vector_indexes(knowledge.graph) if knowledge.corpus_name in each.detail]


@pytest.mark.slow
@pytest.mark.changes_schema
def test_an_index_that_returns_too_little_is_noticed_by_searches_and_doctor_and_made_again(
    open_corpus: OpenCorpus, vector_index_from: Callable[[int], None]
) -> None:
    vector_index_from(2)
    knowledge = open_corpus(embedder=HashingEmbedder(64))
    knowledge.ingest_documents([ANSWER, *ORDINARY[:29]])
    knowledge.index(systems=["slimrag"])
    sound = {name: knowledge.search(QUESTION, 5, retriever=name).hits for name in (*CORE, "slimrag")}
    assert found_wrong(knowledge) == []
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    empty = schema.sync_vector_index(
        knowledge.graph, corpus.label, schema.PROPERTIES[1], vectors=2, dimension=corpus.dimension
    )
    with writing(knowledge.graph, corpus, "test") as writer:
        writer.set(vector_index=empty)
    for name in ("dense", "hybrid", "canopy"):
        evidence = knowledge.search(QUESTION, 5, retriever=name)
        (note,) = [note for note in evidence.notes if "returned" in note]
        assert note.startswith(
            "the vector index returned only 0 of 30 vectors, so all vectors were scanned: overstory index --corpus "
        )
        assert note.endswith(" --rebuild-indexes rebuilds the index")
        assert [hit.chunk_id for hit in evidence.hits] == [hit.chunk_id for hit in sound[name]]
    (check,) = found_wrong(knowledge)
    assert not check.ok
    assert "recall@10 is 0.00 on 20 of 30" in check.detail
    assert "--rebuild-indexes" in check.remedy
    schema.drop_index(knowledge.graph, empty)
    (check,) = found_wrong(knowledge)
    assert "is missing" in check.detail
    schema.drop_derived_index(knowledge.graph, corpus.label, "SlimEntity")
    assert len(found_wrong(knowledge)) == 2
    schema.drop_set_index(knowledge.graph, "words", corpus.index_set)
    with pytest.raises(StatementFailed, match="missing or being rebuilt") as refused:
        knowledge.search(QUESTION, 5, retriever="lexical")
    assert "--rebuild-indexes" in refused.value.remedy
    report = knowledge.index(rebuild_indexes=True)
    assert report.done == ("indexes",)
    assert found_wrong(knowledge) == []
    assert knowledge.status().corpus.vector_index == corpus.vector_index
    assert {name: knowledge.search(QUESTION, 5, retriever=name).hits for name in sound} == sound


def test_a_vector_comes_and_goes_with_its_text(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    embedder = HashingEmbedder(16)
    knowledge = open_corpus(embedder=embedder)

    def vectors_after(*texts: str) -> tuple[int, int, int]:
        """Vectors, chunks to embed, and texts embedded so far."""
        knowledge.ingest_documents([passage(str(i), "", text) for i, text in enumerate(texts)])
        pending = knowledge.status().pending["embed"]
        embed_alone(knowledge)
        return knowledge.status().counts["vectors"], pending, len(embedder.embedded)

    assert vectors_after("Prev Next", "Prev Next", "Home") == (2, 3, 2)
    assert vectors_after("Prev Next", "Up", "Home") == (3, 1, 3)
    assert vectors_after("Prev Next", "Prev Next", "Home") == (2, 0, 3)
    assert vectors_after("Up", "Up", "Home") == (2, 2, 4)
    lines: list[str] = []
    knowledge.export(lines.append)
    file = tmp_path / "export.jsonl"
    file.write_text("".join(lines))
    restored = open_corpus("restored", embedder=embedder)
    restored.ingest(file)
    assert restored.digest() == knowledge.digest()
    assert restored.status().pending["embed"] == 0
    assert restored.status().counts["vectors"] == 2
    knowledge.ingest_documents([passage("new", "", "Index")])  # which waits for the embed stage
    other = HashingEmbedder(32)
    with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "test") as writer:
        re_embed(writer, other, progress=Silence())
    assert sorted(other.embedded) == ["Home", "Index", "Up"]
    assert (knowledge.status().counts["vectors"], knowledge.status().pending["embed"]) == (3, 0)
    knowledge.use(embedder=other)
    found = {hit.text: hit.repeated for hit in knowledge.search("Index", 5, retriever="dense").hits}
    assert next(iter(found)) == "Index"
    assert found == {"Index": 0, "Home": 0, "Up": 1}


def test_a_chunk_whose_embedded_text_is_empty_has_no_vector_and_lacks_none(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(16))
    knowledge.ingest_documents([passage("1", "", "Prev Next"), passage("2", "", "Home")])
    label = knowledge.status().corpus.label

    def mark(*spans: int) -> None:
        query = "MATCH (c:Chunk {corpus: $label, text: 'Prev Next'}) SET c.boilerplate = $spans"
        knowledge.graph.native_driver().execute_query(query, label=label, spans=spans, database_="neo4j")

    mark(0, len("Prev Next"))
    embed_alone(knowledge)
    assert knowledge.status().pending["embed"] == 0
    assert [hit.source_key for hit in knowledge.search("Prev Next", 5, retriever="dense").hits] == ["2"]
    (navigation,) = knowledge.search("Prev Next", 5, retriever="lexical").hits
    assert navigation.source_key == "1"
    mark()
    with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "test") as writer:
        writer.commit("test", lambda tx: tx.run("ingest/forget_vectors", label, ids=[navigation.chunk_id]))
    assert knowledge.status().pending["embed"] == 1
    embed_alone(knowledge)
    assert {hit.source_key for hit in knowledge.search("Prev Next", 5, retriever="dense").hits} == {"1", "2"}
