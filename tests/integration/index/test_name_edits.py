"""Names edited by hand: whatever the order of edits, documents and index runs, the same edits give the same corpus."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Run
from tests.passages import PASSAGES, OpenCorpus, passage

from overstory.errors import NameNotFound, QuestionError
from overstory.graph import Transaction, read_corpus
from overstory.knowledge import Knowledge
from overstory.retrieve.question import read_question
from overstory.retrieve.question_entities import question_entities

IBM = passage("ibm", "IBM", "IBM was founded by Charles Flint in Endicott. Thomas Watson led IBM for decades.")
BLUE = passage("blue", "Big Blue", "Big Blue built Deep Blue. Charles Flint never saw Deep Blue, Watson neither.")
NEWS = passage(
    "news", "", "In Endicott, Big Blue and IBM were words for one employer. Charles Flint knew Endicott well."
)
HOME = passage("home", "Endicott", "Endicott lies on the Susquehanna. Many people moved to Endicott for work.")
DOCUMENTS = (IBM, BLUE, NEWS, HOME)


def edit(knowledge: Knowledge) -> None:
    knowledge.merge_names("Big Blue", "IBM", future=True)
    knowledge.hide_names("Endicott", future=True)
    knowledge.rename_name("Charles Flint", "Charles Ranlett Flint", future=True)


def mentioned(knowledge: Knowledge) -> dict[str, set[str]]:
    """The sources of the passages that mention each name, whoever found it, by key."""
    corpus = knowledge.status().corpus
    found: dict[str, set[str]] = {}
    for statement in ("dictionary_mentions", "about"):
        for row in knowledge.graph.run(f"export/{statement}", corpus.label, read=True):
            found.setdefault(row["key"], set()).add(row["document"].split()[-1])
    return found


def asked_for(knowledge: Knowledge, question: str) -> list[str]:
    """The names of the corpus that a question has."""

    def read(tx: Transaction) -> list[str]:
        found = question_entities(tx, read_corpus(tx, knowledge.corpus_name), read_question(question))
        return [entity.name for entity in found.entities]

    return knowledge.graph.reading("retrieve/question_entities", read)


def test_edits_after_an_index_run_equal_edits_before_any_document(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    edited, fresh, restored = open_corpus("edited"), open_corpus("fresh"), open_corpus("restored")
    edited.ingest_documents(DOCUMENTS)
    edited.index(systems=["serag"])
    plain = edited.digest()
    assert mentioned(edited)["endicott"] == {"ibm", "news", "home"}
    edit(edited)
    assert edited.status().pending["entities"]
    assert edited.status().pending["mentions"]
    assert set(edited.index().done) == {"entities", "mentions", "serag"}
    names = mentioned(edited)
    assert names["ibm"] == {"ibm", "blue", "news"}
    assert names["charles ranlett flint"] == {"ibm", "blue", "news"}
    assert not names.keys() & {"endicott", "big blue", "charles flint"}
    listed = {name.name: name.aliases for name in edited.names()}
    assert "Big Blue" in listed["IBM"]
    assert "Charles Flint" in listed["Charles Ranlett Flint"]
    assert "Endicott" not in listed
    assert not edited.index().done

    lines: list[str] = []
    digest = edited.export(lines.append).digest
    (tmp_path / "edited.jsonl").write_text("".join(lines))
    restored.ingest(tmp_path / "edited.jsonl")
    assert restored.digest() == digest == edited.digest()
    assert [each.edit for each in restored.name_edits()] == [each.edit for each in edited.name_edits()]
    assert restored.ingest(tmp_path / "edited.jsonl").unchanged == 4
    assert restored.digest() == digest

    fresh.ingest_documents(DOCUMENTS[:1])
    edit(fresh)
    fresh.ingest_documents(DOCUMENTS[1:])
    fresh.index()
    assert fresh.digest() == digest

    for corpus in (edited, restored):
        for _ in range(3):
            corpus.undo_name_edit()
        corpus.index()
        assert corpus.digest() == plain
        assert not corpus.name_edits()


def test_a_question_and_a_path_may_use_either_name(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=["serag"])
    knowledge.merge_names("Big Blue", "IBM")
    knowledge.hide_names("Susquehanna")
    knowledge.index(systems=["serag"])
    assert asked_for(knowledge, "Did Charles Flint found Big Blue on the Susquehanna?") == ["Charles Flint", "IBM"]
    for retriever in ("canopy", "serag"):
        assert knowledge.search("Who founded Big Blue?", 4, retriever=retriever).hits
    paths = knowledge.paths("Big Blue", "Thomas Watson")
    assert paths.start == "IBM"
    with pytest.raises(NameNotFound, match="hidden by hand"):
        knowledge.paths("Susquehanna", "IBM")


def test_few_passages_are_read_again_and_an_edit_undone_before_the_index_leaves_nothing(
    open_corpus: OpenCorpus,
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*DOCUMENTS, *PASSAGES])
    knowledge.index()
    plain = knowledge.digest()
    knowledge.hide_names("Deep Blue")
    knowledge.index()
    counts = {stage.name: stage.counts for stage in knowledge.status().stages}
    assert counts["entities"]["chunks_renamed"] == 1
    assert counts["mentions"]["chunks"] == 1
    knowledge.undo_name_edit(1)
    knowledge.merge_names(["Ulm", "Bern"], "Vienna")
    assert [made.number for made in knowledge.name_edits()] == [2, 3]
    knowledge.undo_name_edit()
    knowledge.undo_name_edit(2)
    knowledge.index()
    assert knowledge.digest() == plain


def test_an_edit_that_cannot_be_made_names_the_nearest_and_changes_nothing(
    overstory: Run, open_corpus: OpenCorpus
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index()
    with pytest.raises(NameNotFound) as error:
        knowledge.hide_names(["IBM", "Endicot"])
    assert "Endicott" in error.value.suggestions
    assert "--future" in error.value.remedy
    with pytest.raises(QuestionError, match="no name"):
        knowledge.merge_names("…", "IBM")
    with pytest.raises(QuestionError, match="already"):
        knowledge.rename_name("Big Blue", "IBM")
    with pytest.raises(QuestionError, match="no edit 7"):
        knowledge.undo_name_edit(7)
    assert not knowledge.name_edits()

    def names(*arguments: str) -> str:
        ran = overstory("names", *arguments, "--corpus", knowledge.corpus_name)
        assert ran.code == 0, ran.err
        return ran.out

    assert "IBM" in names("--like", "ib")
    assert "merge 'Big Blue' into 'IBM'" in names("--merge", "Big Blue", "--into", "IBM")
    with pytest.raises(QuestionError, match="one name already"):
        knowledge.merge_names("IBM", "Big Blue")
    assert "hide 'Not \\x1b yet'" in names("--hide", "Not \x1b yet", "Endicott", "--future")
    assert names("--hide", "Endicott") == "Hidden already.\n"
    assert names("--show").count("\n") == 3
    assert "hide 'Endicott'" in names("--undo")
    assert "merge" in names("--undo", "1")
    assert overstory("names", "--merge", "IBM", "--corpus", knowledge.corpus_name).code == 2
    assert overstory("names", "--hide", "Nobody", "--corpus", knowledge.corpus_name).code == NameNotFound.exit_code
