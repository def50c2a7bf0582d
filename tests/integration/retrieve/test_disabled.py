"""Documents that are disabled for a time: nothing of them is found by anything, and all of it once they are enabled."""

from __future__ import annotations

import io
import random
import re
from dataclasses import asdict
from pathlib import Path
from typing import cast

import pytest
from tests.commands import Run
from tests.integration.retrieve.test_restricted import CORE, DOCUMENTS, SIZE, all_told, secrets, told, word
from tests.passages import OpenCorpus

from overstory.errors import DocumentNotFound, DocumentsDisabled, EntityNotFound, MetadataNotFound
from overstory.filters import field
from overstory.knowledge import Knowledge
from overstory.knowledge.restricted_knowledge import RestrictedKnowledge
from overstory.model import Document, Evidence
from overstory.retrieve.matching_documents import NONE_LEFT

QUESTION = "Who works for Harbour Press in Leith?"


@pytest.fixture(scope="module")
def people(open_module_corpus: OpenCorpus, systems: list[str]) -> Knowledge:
    knowledge = open_module_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=systems)
    return knowledge


@pytest.fixture(autouse=True)
def enabled(request: pytest.FixtureRequest) -> object:
    """Every test finds all documents of the module enabled, and leaves them so."""
    yield
    if "people" in request.fixturenames:
        request.getfixturevalue("people").enable_documents(where="number exists")


def disable_all_but(people: Knowledge, allowed: set[int]) -> None:
    people.enable_documents(where="number exists")
    people.disable_documents(where=field("number").none_of(*allowed))


def found_of(evidence: Evidence) -> list[object]:
    return [(hit.chunk_id, round(hit.score, 5), hit.reasons) for hit in evidence.hits]


def test_nothing_of_disabled_documents_is_told(people: Knowledge, systems: list[str]) -> None:
    draw = random.Random(3)  # noqa: S311 # the same every time
    for _ in range(3):
        allowed = set(draw.sample(range(SIZE), draw.randint(2, SIZE - 2)))
        hidden = draw.choice(sorted(set(range(SIZE)) - allowed))
        disable_all_but(people, allowed)
        for question in (f"Where was {word(hidden)} Smith born, and who knows {word(min(allowed))} Smith?", QUESTION):
            for name in (*CORE, *systems):
                evidence = people.search(question, 4, retriever=name)
                own = people.retriever(name, repeats=True).retrieve(question, 4)
                for each in (evidence, own):
                    leaked = {token for token in secrets(allowed, question) if token in told(each)}
                    assert not leaked, (name, sorted(allowed), question)
                    assert each.hits, name
                    assert all(hit.metadata["number"] in allowed for hit in each.hits)
                assert len(evidence.hits) == min(4, len(allowed)), name
                (note,) = [note for note in evidence.notes if "disabled" in note]
                assert note.startswith(f"{SIZE - len(allowed)} documents are disabled, so results exclude them")
        answer = people.ask(f"Where was {word(hidden)} Smith born?")
        assert word(100 + hidden) not in answer.text + str(answer.notes) + str(answer.citations)
        everything = people.ask("What are these documents about?")
        assert not {token for token in secrets(allowed, "") if token in str(asdict(everything))}


@pytest.mark.slow
def test_all_is_found_as_before_once_it_is_enabled_and_nothing_is_computed(
    people: Knowledge, systems: list[str]
) -> None:
    before = {name: people.search(QUESTION, 6, retriever=name) for name in (*CORE, *systems)}
    digest = people.digest()
    assert people.disable_documents(where="number in (0, 1, 2)") == 3
    assert people.disable_documents(where="number in (0, 1, 2)") == 0
    assert people.count_disabled() == people.status().counts["disabled_documents"] == 3
    assert not any(people.status().pending.values())
    assert people.digest() != digest
    assert people.enable_documents(where="number <= 9") == 3
    assert people.count_disabled() == 0
    assert "disabled_documents" not in people.status().counts
    assert people.digest() == digest
    assert not any(people.status().pending.values())
    for name, found in before.items():
        now = people.search(QUESTION, 6, retriever=name)
        assert found_of(now) == found_of(found), name
        assert now.notes == found.notes
        assert now.parts == found.parts


def test_other_connections_see_it_with_the_next_question(people: Knowledge) -> None:
    with Knowledge(people.corpus_name, settings=people.settings) as other:
        other.use(embedder=people.embedder, extractor=people.extractor)
        retriever = other.retriever("canopy")
        assert len(retriever.retrieve(QUESTION, 50).hits) == SIZE
        people.disable_documents(DOCUMENTS[0].source)
        assert not retriever.retrieve(QUESTION, 50).hits
        people.enable_documents(people.document_id("files", DOCUMENTS[4].source_key))
        assert [hit.metadata["number"] for hit in retriever.retrieve(QUESTION, 50).hits] == [4]


def test_filters_go_on_within_what_is_enabled(people: Knowledge) -> None:
    people.disable_documents(where="number < 5")
    found = people.search(QUESTION, 9, where="number <= 6")
    assert sorted(hit.metadata["number"] for hit in found.hits) == [5, 6]
    part = people.restricted_to("number <= 6")
    found = part.search(QUESTION, 9)
    assert sorted(hit.metadata["number"] for hit in found.hits) == [5, 6]
    assert not any("disabled" in note for note in found.notes)
    assert part.count_documents() == 2
    assert [each.metadata["number"] for each in part.documents()] == [5, 6]
    people.disable_documents(where="`only 5` exists")
    with pytest.raises(MetadataNotFound, match="only 5"):
        people.search(QUESTION, where="`only 5` exists")
    assert people.count_documents(where="`only 5` exists") == 3  # to be enabled by it


@pytest.mark.slow
def test_names_paths_trees_and_reports_leave_them_out(people: Knowledge) -> None:
    whole = cast("RestrictedKnowledge", people)  # which has the same methods
    for allowed in ({0, 1, 2, 5}, {3, 7, 8, 9, 10, 11, 12, 17}):
        disable_all_but(people, allowed)
        hidden = min(set(range(SIZE)) - allowed - {min(allowed) + 1})
        said = all_told(people, whole, min(allowed), hidden)
        leaked = secrets(allowed, "") & set(re.findall(r"\w+", said))
        assert not leaked - {word(hidden), word((min(allowed) + 1) % SIZE)}, sorted(allowed)
        assert word(min(allowed)) in said
        with pytest.raises(DocumentsDisabled, match="documents are disabled, and suggestions cannot skip them"):
            people.suggested_merges()


def test_names_are_looked_up_before_anything_changes(people: Knowledge) -> None:
    with pytest.raises(DocumentNotFound, match="'file'") as caught:
        people.disable_documents(["files", "file"])
    assert caught.value.nearest == ("files",)
    with pytest.raises(DocumentNotFound):
        people.disable_documents("0" * 32)
    assert people.count_disabled() == 0


def test_all_documents_disabled_is_not_taken_for_a_filter(people: Knowledge, overstory: Run) -> None:
    corpus = ("--corpus", people.corpus_name)
    people.disable_documents(where="number exists")
    said = f"{SIZE} documents are disabled, so results exclude them"
    assert people.search(QUESTION).notes == (said, NONE_LEFT)
    listed = overstory("entities", "list", *corpus)
    assert (listed.out, listed.err) == ("There are no entities.\n", f"Note: {said}\n")
    with pytest.raises(EntityNotFound, match="mentions the name") as unknown:
        people.entity("Harbour Press")
    assert said in str(unknown.value.remedy)
    assert "filter" not in str(unknown.value) + str(unknown.value.remedy)
    people.enable_documents(where="number < 2")
    assert (
        f"{SIZE - 2} documents are disabled, so results exclude them"
        in people.paths(f"{word(0)} Smith", "Harbour Press").notes
    )


def test_documents_of_a_table_are_named_as_they_are_listed(
    open_corpus: OpenCorpus, overstory: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge = open_corpus()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t#1.csv").write_text("id,text\n7,Keys are rotated.\n8#9,Locks are changed.\n")
    knowledge.ingest(tmp_path)
    corpus = ("--corpus", knowledge.corpus_name)
    for listed in ("t#1.csv#7", str(tmp_path / "t#1.csv#8#9")):
        assert overstory("documents", "--disable", listed, *corpus).out.startswith("Disabled 1 document.")
    assert sorted(each.source_key for each in knowledge.disabled_documents()) == ["7", "8#9"]
    with pytest.raises(DocumentNotFound):
        knowledge.disable_documents("t#1.csv#70")


SHORT = [
    Document("a.txt", "", "Keys are rotated every month by Ada Marsh.", "Keys"),
    Document("b.txt", "", "Locks are changed every year by Bob Field.", "Locks"),
]


def test_a_document_that_is_loaded_again_stays_disabled_until_it_is_deleted(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(SHORT)
    assert knowledge.disable_documents(["a.txt"]) == 1
    knowledge.ingest_documents([Document("a.txt", "", "Keys are rotated every week.", "Keys"), SHORT[1]])
    knowledge.index()
    assert [each.source for each in knowledge.disabled_documents()] == ["a.txt"]
    assert [each.disabled for each in knowledge.documents()] == [True, False]
    assert [hit.source for hit in knowledge.search("How often are keys rotated?").hits] == ["b.txt"]
    assert knowledge.delete_documents(source="a.txt") == 1
    assert knowledge.count_disabled() == 0
    knowledge.ingest_documents(SHORT[:1])
    knowledge.index()
    assert [hit.source for hit in knowledge.search("How often are keys rotated?").hits] == ["a.txt", "b.txt"]


def test_a_moved_document_stays_disabled(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(f"This is the text of file {name}.")
    knowledge.ingest(tmp_path)
    knowledge.disable_documents(str(tmp_path / "one.txt"))
    (tmp_path / "one.txt").rename(tmp_path / "three.txt")
    assert knowledge.ingest(tmp_path, sync=True).moved == 1
    assert [Path(each.source).name for each in knowledge.disabled_documents()] == ["three.txt"]
    assert knowledge.count_disabled() == 1


def test_an_export_is_restored_with_what_is_disabled(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge, other = open_corpus(), open_corpus("second")
    knowledge.ingest_documents(SHORT)
    lines = io.StringIO()
    knowledge.export(lines.write)
    assert "disabled" not in lines.getvalue()
    enabled = tmp_path / "enabled.jsonl"
    enabled.write_text(lines.getvalue())
    knowledge.disable_documents("b.txt")
    disabled = tmp_path / "disabled.jsonl"
    with disabled.open("w") as file:
        report = knowledge.export(file.write)
    other.ingest(enabled)
    assert other.count_disabled() == 0
    other.ingest(disabled)
    assert [each.source for each in other.disabled_documents()] == ["b.txt"]
    assert other.digest() == report.digest
    other.ingest(enabled)  # as does a document that is loaded again
    assert [each.source for each in other.disabled_documents()] == ["b.txt"]
    other.delete_documents(source=["a.txt", "b.txt"])
    other.ingest(disabled)
    assert other.digest() == report.digest
    disabled.write_text(disabled.read_text().replace('"disabled":true', '"disabled":"yes"'))
    assert "checksum" in str(other.ingest(disabled).broken[0])


def test_the_last_answers_are_forgotten_that_cite_it(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(SHORT)
    knowledge.index()
    conversation = knowledge.conversation()
    conversation.ask("Who rotates the keys?")
    knowledge.kept_conversation.write(conversation.turns)
    assert any(turn.chunks for turn in conversation.turns)
    knowledge.disable_documents(["a.txt", "b.txt"])
    assert not knowledge.kept_conversation.read()
