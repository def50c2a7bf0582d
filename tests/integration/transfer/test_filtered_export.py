"""An export of the documents that a filter lets through: it can be loaded, and has nothing of others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import Run
from tests.passages import OpenCorpus

from overstory.errors import MetadataNotFound
from overstory.knowledge import Knowledge
from overstory.model import Document, Link

DOCUMENTS = [
    Document("notes", "one", "Ada Stone works for HARBOUR PRESS. Bob Fern knows Ada Stone.", "Ada Stone", {"n": 1}),
    Document("notes", "two", "Harbour Press hired Cid Marsh. Cid Marsh lives in Leith.", "Cid Marsh", {"n": 2}),
    Document("notes", "three", "Harbour Press fired Dan Holt.", "Dan Holt", {"n": 3}),
]
LINKS = [
    Link("notes", "one", "two", type="KNOWS"),
    Link("notes", "one", "three", type="MET"),
    Link("notes", "two", "four", type="KNOWS"),
]


def exported(knowledge: Knowledge, where: str) -> list[str]:
    lines: list[str] = []
    knowledge.export(lines.append, where=where)
    return lines


@pytest.fixture
def people(open_corpus: OpenCorpus, tmp_path: Path) -> Knowledge:
    knowledge = open_corpus()
    knowledge.ingest_documents([*DOCUMENTS, *LINKS])
    knowledge.index()
    vocabulary = tmp_path / "people.csv"
    vocabulary.write_text("name,type,aliases\nDan Holt,PERSON,Dannyboy\n", encoding="utf-8")
    knowledge.load_vocabulary(vocabulary)
    knowledge.merge_entities("Dan Holt", "Cid Marsh")
    knowledge.index()
    return knowledge


def test_a_part_has_nothing_of_other_documents_and_can_be_loaded(
    people: Knowledge, open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    file = tmp_path / "part.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        report = people.export(lines.write, where="n < 3")
    assert (report.documents, report.digest) == (2, "")
    assert "links to them" in report.notes[0]
    text = file.read_text(encoding="utf-8")
    assert not [secret for secret in ("Dan Holt", "dan holt", "Dannyboy", "three", "four", "fired") if secret in text]
    restored, alone = open_corpus("restored"), open_corpus("alone")
    restored.ingest([str(file)])
    restored.index()
    alone.ingest_documents([*DOCUMENTS[:2], LINKS[0]])
    alone.index()
    assert restored.digest() == alone.digest()


def test_names_in_facts_are_written_as_in_the_document(people: Knowledge) -> None:
    (_, only, _) = exported(people, "n = 1")
    facts = [fact for chunk in json.loads(only)["chunks"] for fact in chunk["facts"]]
    assert any("HARBOUR PRESS" in (fact["subject"], fact["object"]) for fact in facts)
    assert "Harbour Press" not in only
    assert '"links"' not in only


def test_the_command_says_what_is_left_out(people: Knowledge, overstory: Run, tmp_path: Path) -> None:
    done = overstory("export", tmp_path / "part.jsonl", "--where", "n = 1", "--corpus", people.corpus_name)
    assert done.out == "Exported 1 document\n"
    assert "left out" in done.err
    assert exported(people, "n > 9")[1:-1] == []
    with pytest.raises(MetadataNotFound):
        exported(people, "m = 9")
