"""The words of sections: written with the chunks, and added to corpora that an earlier version loaded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.kills import KillableKnowledge, open_killable
from tests.passages import PASSAGES, OpenCorpus
from tests.sources import write

from overstory.errors import IndexMissing
from overstory.index.stages import sections as sections_stage
from overstory.knowledge import Knowledge
from overstory.model import Document

BY_WORDS = ("lexical", "hybrid", "canopy")
EMBEDDER = HashingEmbedder(8)
NAMES: dict[str, str] = {"Anna": "PERSON", "Rome": "PLACE"}
CARRIED = ("section_chunks", "section_words", "title_words")

Stored = dict[tuple[str, int], tuple[int, list[int] | None, str | None, str | None]]
"""The section of each chunk, by source and position: position of the section's first chunk, and its properties."""


def cypher(knowledge: Knowledge, statement: str, **parameters: object) -> list[dict[str, Any]]:
    driver, database = knowledge.graph.native_driver(), knowledge.graph.database
    text = statement.replace("LABEL", knowledge.status().corpus.label)
    found = driver.execute_query(text, parameters, database_=database)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return [record.data() for record in found.records]


def stored(knowledge: Knowledge) -> Stored:
    rows = cypher(
        knowledge,
        "MATCH (d)<-[:PART_OF]-(c:LABEL_Chunk) RETURN d.source + d.source_key AS source, c.seq AS seq, c AS chunk",
    )
    seqs = {row["chunk"]["id"]: row["seq"] for row in rows}
    found: Stored = {}
    for row in rows:
        chunk = row["chunk"]
        ids = chunk.get("section_chunks")
        members = None if ids is None else [seqs[id_] for id_ in ids]  # of which none is gone
        found[row["source"], row["seq"]] = (
            seqs[chunk["section"]],
            members,
            chunk.get("section_words"),
            chunk.get("title_words"),
        )
    return found


def as_an_earlier_version_left_it(knowledge: Knowledge) -> None:
    removed = ", ".join(f"c.{name}" for name in ("section", *CARRIED))
    cypher(knowledge, f"MATCH (c:LABEL_Chunk) REMOVE {removed}")
    cypher(knowledge, "MATCH (c:Corpus:LABEL) REMOVE c.sectioned_by")


def texts(*, owls: str, finches: str, rest: str = "") -> str:
    return f"# Owls\n\n{owls}\n\n# Finches\n\n{finches}\n{rest}"


def prose(subject: str, sentences: int) -> str:
    """Paragraphs that an embedder of 64 words takes one by one."""
    return "\n\n".join(f"{subject} number {n} " + "sat in a tree and sang. " * 9 for n in range(sentences))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "birds.md", texts(owls=prose("An owl", 4), finches=prose("A finch", 2)))
    write(tmp_path / "rome.txt", "Anna went to Rome.")
    return tmp_path


def loaded(open_corpus: OpenCorpus, folder: Path, name: str = "corpus") -> KillableKnowledge:
    knowledge = open_killable(open_corpus, name, embedder=EMBEDDER, extractor=ScriptedExtractor(NAMES))
    knowledge.ingest(folder)
    knowledge.index()
    return knowledge


def found(knowledge: Knowledge, k: int = 100) -> list[list[str]]:
    """Return the results of some questions without scores, because BM25 counts recently deleted passages."""
    return [
        [hit.text for hit in knowledge.search(question, k, retriever=name).hits]
        for name in BY_WORDS
        for question in ("Which finch sang?", "Where did Anna go?")
    ]


def same_passages(one: Knowledge, other: Knowledge) -> bool:
    """Return True if two corpora give the same passages, in any order of equal ones."""
    return [set(each) for each in found(one)] == [set(each) for each in found(other)]


def test_loading_writes_the_sections_of_a_document(open_corpus: OpenCorpus, folder: Path) -> None:
    knowledge = loaded(open_corpus, folder)
    sections = stored(knowledge)
    (birds,) = {source for source, _ in sections if "birds" in source}
    of_birds = [sections[birds, seq] for seq in range(6)]
    assert [first for first, *_ in of_birds] == [0, 0, 0, 0, 4, 4]
    assert [members for _, members, *_ in of_birds] == [[0, 1, 2, 3], None, None, None, [4, 5], None]
    words = of_birds[4][2]
    assert words is not None
    assert (words.split().count("finch"), words.split().count("owl")) == (4, 1)  # both headings; the title
    assert knowledge.status().pending["sections"] == 0
    assert not knowledge.index().done


def test_a_corpus_of_an_earlier_version_is_refused_until_it_is_indexed_once(
    open_corpus: OpenCorpus, folder: Path
) -> None:
    knowledge = loaded(open_corpus, folder)
    before, results = stored(knowledge), found(knowledge)
    as_an_earlier_version_left_it(knowledge)
    assert knowledge.status().pending["sections"] == 2
    for name in BY_WORDS:
        with pytest.raises(IndexMissing, match=re.escape(repr(knowledge.corpus_name))) as refused:
            knowledge.search("Which finch sang?", retriever=name)
        assert f"overstory index --corpus '{knowledge.corpus_name}'" in refused.value.remedy
    assert knowledge.search("Which finch sang?", retriever="dense").hits  # which needs no words

    embedded = len(EMBEDDER.embedded)
    assert knowledge.index().done == ("sections",)
    assert len(EMBEDDER.embedded) == embedded
    assert stored(knowledge) == before
    assert found(knowledge) == results
    (stage,) = [stage for stage in knowledge.status().stages if stage.name == "sections"]
    assert (stage.status, stage.counts) == ("done", {"chunks": 7})
    assert not knowledge.index().done


@pytest.mark.slow
def test_loading_into_a_corpus_of_an_earlier_version_adds_its_sections_first(
    open_corpus: OpenCorpus, folder: Path
) -> None:
    knowledge = loaded(open_corpus, folder)
    as_an_earlier_version_left_it(knowledge)
    write(folder / "more.txt", "Another text on Rome.")
    knowledge.ingest(folder)
    knowledge.index()
    fresh = loaded(open_corpus, folder, "fresh")
    assert stored(knowledge) == stored(fresh)
    assert knowledge.digest() == fresh.digest()
    assert same_passages(knowledge, fresh)


def test_an_interrupted_stage_is_done_again(open_corpus: OpenCorpus, folder: Path) -> None:
    knowledge = loaded(open_corpus, folder)
    before = stored(knowledge)
    as_an_earlier_version_left_it(knowledge)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sections_stage, "_SECTION_DOCUMENTS_A_PAGE", 1)
        patched.setattr(sections_stage, "_SECTION_CHUNKS_A_TRANSACTION", 2)
        with knowledge.graph.killed_at(4, of="sections"):  # after a line in the ledger and two transactions
            knowledge.index()
    (stage,) = [stage for stage in knowledge.status().stages if stage.name == "sections"]
    assert stage.status == "interrupted"
    assert knowledge.status().pending["sections"] == 2
    with pytest.raises(IndexMissing):
        knowledge.search("Which finch sang?")
    assert knowledge.index().done == ("sections",)
    assert stored(knowledge) == before
    assert knowledge.status().pending["sections"] == 0


CHANGES = {
    "a paragraph more at the end": texts(owls=prose("An owl", 4), finches=prose("A finch", 3)),
    "a paragraph less at the end": texts(owls=prose("An owl", 4), finches=prose("A finch", 1)),
    "another first paragraph": texts(
        owls=prose("A hawk", 1) + "\n\n" + prose("An owl", 4), finches=prose("A finch", 2)
    ),
    "no first section": f"# Finches\n\n{prose('A finch', 2)}\n",
    "no headings": f"{prose('An owl', 4)}\n\n{prose('A finch', 2)}\n",
    "so much that it is parted": texts(owls=prose("An owl", 60), finches=prose("A finch", 2)),
    "another text": "# Hawks\n\nHawks are no owls.\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("chunks", [1_000, 2], ids=["in one transaction", "in several"])
def test_a_changed_document_has_the_sections_of_a_new_one(
    open_corpus: OpenCorpus, folder: Path, removed_at_a_time: Callable[[int], None], text: str, chunks: int
) -> None:
    removed_at_a_time(chunks)
    knowledge = loaded(open_corpus, folder)
    write(folder / "birds.md", text)
    assert knowledge.ingest(folder).changed == 1
    knowledge.index()
    fresh = loaded(open_corpus, folder, "fresh")
    assert stored(knowledge) == stored(fresh)
    assert same_passages(knowledge, fresh)


@pytest.mark.slow
def test_while_a_large_document_is_replaced_what_is_left_of_it_is_found(
    open_corpus: OpenCorpus, folder: Path, removed_at_a_time: Callable[[int], None]
) -> None:
    removed_at_a_time(1)
    knowledge = loaded(open_corpus, folder)
    with knowledge.graph.killed_at(4, of="delete"):
        knowledge.delete_documents([each.id for each in knowledge.documents() if "birds" in each.source])
    assert knowledge.status().counts["chunks"] == 4
    found = {
        name: {hit.chunk_id for hit in knowledge.search("Which owl or finch sang in a tree?", 10, retriever=name).hits}
        for name in (*BY_WORDS, "dense")
    }
    assert len(found["dense"]) == 4
    for name in BY_WORDS:  # by words not what has lost the first passage of its section, which is any of them
        assert found[name] <= found["dense"], name
    knowledge.ingest(folder)
    knowledge.index()
    assert stored(knowledge) == stored(loaded(open_corpus, folder, "fresh"))


@pytest.mark.slow
def test_documents_one_by_one_and_restored_ones_have_the_sections_of_a_single_load(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    long = [
        Document(f"/birds/{name}.txt", "", prose(f"A {name}", number), name.capitalize())
        for name, number in (("owl", 3), ("finch", 1), ("hawk", 9))
    ]
    documents = [*PASSAGES, *long]
    once, one_by_one, restored = open_corpus("once"), open_corpus("one-by-one"), open_corpus("restored")
    for each in (once, one_by_one, restored):
        each.use(embedder=EMBEDDER, extractor=ScriptedExtractor(NAMES))
    once.ingest_documents(documents)
    once.index()
    for document in reversed(documents):
        one_by_one.ingest_documents([document])
        one_by_one.index()
    assert stored(one_by_one) == stored(once)

    file = tmp_path / "export.jsonl"
    with file.open("w", encoding="utf-8") as out:
        once.export(out.write)
    restored.ingest(file)
    assert restored.status().pending["sections"] == 0
    assert stored(restored) == stored(once)
    assert same_passages(restored, once)  # before any index
    as_an_earlier_version_left_it(restored)
    restored.ingest(file)  # which has nothing new
    assert stored(restored) == stored(once)


def test_passages_of_no_tokens_are_found(open_corpus: OpenCorpus) -> None:
    """An embedder of a program may count none."""

    class Counting(HashingEmbedder):
        def count_tokens(self, texts: Sequence[str]) -> list[int]:
            return [0] * len(texts)

    knowledge = open_corpus(embedder=Counting(64), extractor=ScriptedExtractor(NAMES))
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    for name in BY_WORDS:
        assert knowledge.search("Who discovered polonium?", 1, retriever=name).hits[0].title == "Marie Curie"
