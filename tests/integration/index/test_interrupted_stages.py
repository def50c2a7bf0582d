"""A stage is running only while its writer runs."""

from __future__ import annotations

from tests.kills import open_killable
from tests.passages import OpenCorpus

from overstory.graph import read_corpus, writing
from overstory.index.ledger import recorded
from overstory.model import Document


def test_a_stage_whose_process_was_killed_is_not_running(open_corpus: OpenCorpus) -> None:
    knowledge = open_killable(open_corpus)

    def status() -> str:
        (found,) = [each.status for each in knowledge.status().stages if each.name == "embed"]
        return found

    knowledge.ingest_documents([Document("ulm.md", "", "Ulm is on the Danube.")])
    with knowledge.graph.killed_at(last="corpus/write_stage embed done"):
        knowledge.index()
    assert status() == "interrupted"
    assert "interrupted" in repr(knowledge.status())
    with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "ingest") as writer:
        assert status() == "interrupted"  # somebody writes, but does not embed
        with recorded(writer, "embed", "embed-1"):
            assert status() == "running"
        assert status() == "done"
