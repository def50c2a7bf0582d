"""Names edited by hand: whatever the order of edits, documents and index runs, the same edits give the same corpus."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from tests.commands import Run
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.kills import open_killable
from tests.lending import empty
from tests.passages import PASSAGES, OpenCorpus, passage
from tests.sources import write

from overstory.errors import EntityNotFound, QuestionError
from overstory.graph import Transaction, read_corpus, writing
from overstory.index.name_edits import add_edits
from overstory.knowledge import Knowledge
from overstory.retrieve.question import read_question
from overstory.retrieve.question_entities import question_entities
from overstory.text.names.edits import NameEdit

IBM = passage("ibm", "IBM", "IBM was founded by Charles Flint in Endicott. Thomas Watson led IBM for decades.")
BLUE = passage("blue", "Big Blue", "Big Blue built Deep Blue. Charles Flint never saw Deep Blue, Watson neither.")
NEWS = passage(
    "news", "", "In Endicott, Big Blue and IBM were words for one employer. Charles Flint knew Endicott well."
)
HOME = passage("home", "Endicott", "Endicott lies on the Susquehanna. Many people moved to Endicott for work.")
DOCUMENTS = (IBM, BLUE, NEWS, HOME)


def edit(knowledge: Knowledge) -> None:
    knowledge.merge_entities("Big Blue", "IBM", future=True)
    knowledge.hide_entities("Endicott", future=True)
    knowledge.rename_entity("Charles Flint", "Charles Ranlett Flint", future=True)


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
    listed = {name.name: name.aliases for name in edited.entities()}
    assert "Big Blue" in listed["IBM"]
    assert "Charles Flint" in listed["Charles Ranlett Flint"]
    assert "Endicott" not in listed
    assert not edited.index().done

    lines: list[str] = []
    digest = edited.export(lines.append).digest
    (tmp_path / "edited.jsonl").write_text("".join(lines))
    restored.ingest(tmp_path / "edited.jsonl")
    assert restored.digest() == digest == edited.digest()
    assert [each.edit for each in restored.entity_edits()] == [each.edit for each in edited.entity_edits()]
    assert restored.ingest(tmp_path / "edited.jsonl").unchanged == 4
    assert restored.digest() == digest

    fresh.ingest_documents(DOCUMENTS[:1])
    edit(fresh)
    fresh.ingest_documents(DOCUMENTS[1:])
    fresh.index()
    assert fresh.digest() == digest

    for corpus in (edited, restored):
        for _ in range(3):
            corpus.undo_entity_edit()
        corpus.index()
        assert corpus.digest() == plain
        assert not corpus.entity_edits()


def test_a_question_and_a_path_may_use_either_name(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=["serag"])
    knowledge.merge_entities("Big Blue", "IBM")
    knowledge.hide_entities("Susquehanna")
    knowledge.index(systems=["serag"])
    assert [name.name for name in knowledge.entities(like="big b")] == ["IBM"]
    assert asked_for(knowledge, "Did Charles Flint found Big Blue on the Susquehanna?") == ["Charles Flint", "IBM"]
    for retriever in ("canopy", "serag"):
        assert knowledge.search("Who founded Big Blue?", 4, retriever=retriever).hits
    paths = knowledge.paths("Big Blue", "Thomas Watson")
    assert paths.start == "IBM"
    with pytest.raises(EntityNotFound, match="hidden by hand"):
        knowledge.paths("Susquehanna", "IBM")
    knowledge.hide_entities("Charles Flint")
    with pytest.raises(EntityNotFound, match="hidden by hand"):  # though the edits before are in memory
        knowledge.paths("Charles Flint", "IBM")


@pytest.mark.slow
def test_few_passages_are_read_again_and_an_edit_undone_before_the_index_leaves_nothing(
    open_corpus: OpenCorpus,
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*DOCUMENTS, *PASSAGES])
    knowledge.index()
    plain = knowledge.digest()
    knowledge.hide_entities("Deep Blue")
    knowledge.index()
    counts = {stage.name: stage.counts for stage in knowledge.status().stages}
    assert counts["entities"]["chunks_renamed"] == 1
    assert counts["mentions"]["chunks"] == 1
    knowledge.undo_entity_edit(1)
    knowledge.merge_entities(["Ulm", "Bern"], "Vienna")
    assert [made.number for made in knowledge.entity_edits()] == [2, 3]
    knowledge.undo_entity_edit()
    knowledge.undo_entity_edit(2)
    knowledge.index()
    assert knowledge.digest() == plain


def test_an_edit_that_cannot_be_made_names_the_nearest_and_changes_nothing(
    overstory: Run, open_corpus: OpenCorpus
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index()
    with pytest.raises(EntityNotFound) as error:
        knowledge.hide_entities(["IBM", "Endicot"])
    assert "Endicott" in error.value.suggestions
    assert "--future" in error.value.remedy
    with pytest.raises(QuestionError, match="is not a name"):
        knowledge.merge_entities("…", "IBM")
    with pytest.raises(QuestionError, match="already"):
        knowledge.rename_entity("Big Blue", "IBM")
    with pytest.raises(QuestionError, match="no edit 7"):
        knowledge.undo_entity_edit(7)
    assert not knowledge.entity_edits()

    def names(*arguments: str) -> str:
        ran = overstory("entities", *arguments, "--corpus", knowledge.corpus_name)
        assert ran.code == 0, ran.err
        return ran.out

    assert "IBM" in names("list", "--like", "ib")
    assert "merge 'Big Blue' into 'IBM'" in names("merge", "Big Blue", "--into", "IBM")
    with pytest.raises(QuestionError, match="are already the same entity"):
        knowledge.merge_entities("IBM", "Big Blue")
    assert "hide 'Not \\x1b yet'" in names("hide", "Not \x1b yet", "Endicott", "--future")
    assert names("hide", "Endicott") == "All of these names are hidden already.\n"
    assert names("list", "--like", "…") == names("list", "--like", "zzz")
    assert names("edits").count("\n") == 3
    assert "hide 'Endicott'" in names("undo")
    assert "merge" in names("undo", "1")
    assert overstory("entities", "merge", "IBM", "--corpus", knowledge.corpus_name).code == 2
    assert overstory("entities", "hide", "Nobody", "--corpus", knowledge.corpus_name).code == EntityNotFound.exit_code


NAMES: dict[str, str] = dict.fromkeys(("Anna", "Bert", "Carl", "Dora", "Emil", "Rome"), "PERSON")


def random_edits(knowledge: Knowledge, chance: random.Random) -> None:
    first, second = chance.sample(list(NAMES), 2)
    kind = chance.choice(["hide", "merge", "rename", "undo"])
    with suppress(QuestionError):  # nothing to undo, or the two are one already
        if kind == "hide":
            knowledge.hide_entities(first, future=True)
        elif kind == "merge":
            knowledge.merge_entities(first, second, future=True)
        elif kind == "rename":
            knowledge.rename_entity(first, chance.choice([first.upper(), f"{first} Roe"]), future=True)
        else:
            made = knowledge.entity_edits()
            knowledge.undo_entity_edit(chance.choice(made).number if made else None)


def said(chance: random.Random) -> str:
    who, whom = chance.sample(list(NAMES), 2)
    return f"{who} {chance.choice(['knows', 'sees'])} {whom}."


def test_random_edits_among_random_changes_of_documents_give_what_the_same_edits_give_at_once(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    chance = random.Random(3)  # noqa: S311
    extractor = ScriptedExtractor(NAMES)
    grown = open_corpus(embedder=HashingEmbedder(8), extractor=extractor)
    fresh = open_corpus("fresh", embedder=HashingEmbedder(8), extractor=extractor)
    folder = tmp_path / "docs"
    triples = write(
        tmp_path / "t.jsonl", '{"_id": "r", "entities": ["Rome", "Anna"], "triples": [["Rome", "is", "Anna"]]}\n'
    )
    for number in range(5):
        write(folder / f"{number}.md", f"# {chance.choice(list(NAMES))}\n\n{said(chance)}\n")
    records = write(folder / "records.jsonl", '{"id": "r", "text": "Anna sees Rome. Bert knows Anna."}\n')
    grown.ingest([folder, triples])
    grown.index()
    for step in range(8):
        for _ in range(chance.randrange(1, 3)):
            random_edits(grown, chance)
        match step % 4:
            case 0:
                old = chance.choice(sorted(folder.glob("*.md")))
                old.rename(folder / f"moved{step}.md")
            case 1:
                write(folder / f"new{step}.md", f"# {chance.choice(list(NAMES))}\n\n{said(chance)} {said(chance)}\n")
            case 2:
                (folder / f"new{step - 1}.md").unlink()
            case _:
                records = records.rename(folder / f"records{step}.jsonl")
        grown.ingest(folder, sync=True)
        if chance.random() < 0.7:
            grown.index()
        if step % 2:
            grown.index()
            edits = [each.edit for each in grown.entity_edits()]
            fresh.ingest([folder, triples])
            add(fresh, edits)
            fresh.index()
            assert grown.digest() == fresh.digest(), (step, edits)
            empty(fresh.graph, [fresh.corpus_name])
    undo_all(grown)
    grown.index()
    fresh.ingest([folder, triples])
    fresh.index()
    assert grown.digest() == fresh.digest()


@pytest.mark.slow
def test_an_index_run_that_is_interrupted_again_and_again_ends_as_one_that_was_not(open_corpus: OpenCorpus) -> None:
    texts = ["Anna knows Bert.", "Bert sees Carl.", "Dora knows Anna. Carl sees Dora.", "Emil sees Bert."]
    documents = [passage(str(n), name, text) for n, (name, text) in enumerate(zip(NAMES, texts, strict=False))]
    extractor = ScriptedExtractor(NAMES)
    broken = open_killable(open_corpus, embedder=HashingEmbedder(8), extractor=extractor)
    whole = open_corpus("whole", embedder=HashingEmbedder(8), extractor=extractor)
    for knowledge in (broken, whole):
        knowledge.ingest_documents(documents)
        knowledge.index()
    plain = whole.digest()
    edits = [NameEdit("merge", "Anna", "Bert"), NameEdit("hide", "Carl"), NameEdit("rename", "Dora", "Dora Roe")]
    for expected in ("", plain):
        if expected:
            undo_all(broken)
        else:
            add(broken, edits)
        for stage in ("entities", "mentions"):
            for number in (1, 2, 3):
                with broken.graph.killed_at(number, of=stage, last=f"corpus/write_stage {stage} done"):
                    broken.index()
        broken.index()
        if not expected:
            add(whole, edits)
            whole.index()
        assert broken.digest() == (expected or whole.digest())


def undo_all(knowledge: Knowledge) -> None:
    for _ in knowledge.entity_edits():
        knowledge.undo_entity_edit()


def add(knowledge: Knowledge, edits: Sequence[NameEdit]) -> None:
    """Makes edits as a log has them, whatever of it was undone between them."""
    with writing(knowledge.graph, knowledge.status().corpus, "names") as writer:
        add_edits(writer, edits)
