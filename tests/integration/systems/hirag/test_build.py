"""The build of HiRAG's index on the real Neo4j: asked meanwhile, grown, shrunk, and fed with odd corpora."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from tests.commands import Run
from tests.fakes import HashingEmbedder
from tests.integration.systems.hirag.oracle import checked, layer_0, read, state_of, told_of
from tests.passages import CURIE, DANUBE, EINSTEIN, PASSAGES, ULM, OpenCorpus, hotpotqa, passage

from overstory.errors import ExtraMissing, GdsMissing, QuestionError, install_command
from overstory.knowledge import Knowledge
from overstory.model import Document, RatedReport
from overstory.systems.vector_indexes import SCANNED
from overstory_systems.hirag.knowledge_graph import ENTITY

QUESTION = "Who designed the dice game Demon Dice?"
THEMES = "What are the main themes of these documents?"


DOCUMENTS = hotpotqa(0, 9)
SMALL = passage("malta", "Malta", "Demon Dice was presented in Malta by Tim Brown. Malta is an island.")


def id_of(knowledge: Knowledge, document: Document) -> str:
    return knowledge.document_id(document.source, document.source_key)


def communities_by_generation(knowledge: Knowledge) -> dict[str, int]:
    rows = read(knowledge, "MATCH (t:HiragCommunity {corpus: $label}) RETURN t.id AS id, t.generation AS generation")
    return {row["id"]: row["generation"] for row in rows}


@pytest.mark.slow
def test_a_question_during_builds_is_answered_from_one_generation(open_corpus: OpenCorpus) -> None:
    knowledge, reader = open_corpus(), open_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=["hirag"])
    asked: list[set[str]] = []
    failed: list[BaseException] = []
    ended = threading.Event()

    def ask() -> None:
        while not ended.is_set():
            try:
                evidence = reader.search(QUESTION, 5, retriever="hirag")
                assert len(evidence.hits) >= 4  # one may be deleted while the question is under way
                asked.append({part.community for part in evidence.parts if isinstance(part, RatedReport)})
                for report in reader.reports(limit=1).reports:
                    reader.report(report.id)
            except QuestionError:  # the report went with its generation, as the message says
                continue
            except BaseException as error:  # noqa: BLE001 # reported by the test
                failed.append(error)

    thread = threading.Thread(target=ask)
    generation_of = communities_by_generation(knowledge)
    thread.start()
    try:
        for change in (
            lambda: knowledge.ingest_documents(SMALL),
            lambda: knowledge.index(systems=["hirag:layers=1"]),
            lambda: knowledge.delete_documents(id_of(knowledge, SMALL)),
            lambda: knowledge.index(systems=["hirag:layers=2"]),
        ):
            change()
            knowledge.index()
            generation_of |= communities_by_generation(knowledge)
    finally:
        ended.set()
        thread.join()
    assert not failed
    assert len(set(generation_of.values())) == 5
    assert all(len({generation_of[community] for community in communities}) == 1 for communities in asked)
    assert len(asked) > 1


FESTIVAL = passage(
    "festival",
    "Demon Dice",
    "Demon Dice was shown at the quixotrope by Tim Brown. The quixotrope is a festival of Zorgwald Fnarr in Mumbai. "
    "Tim Brown and Lester Smith met Zorgwald Fnarr at the quixotrope. Zorgwald Fnarr likes Lester Smith.",
)


def shown_of(knowledge: Knowledge) -> str:
    """All that readers show, as one text."""
    found: list[object] = []
    for option in ("hirag", "hirag:no-bridge"):
        for about in ("What did Tim Brown and Lester Smith do?", "Whose festival is it in Mumbai?"):
            found += knowledge.search(about, 10, retriever=option).parts
    found.append(knowledge.ask(THEMES, retriever="hirag"))
    found += [knowledge.report(each.id) for each in knowledge.reports(limit=100).reports]
    found += [knowledge.tree(tree=tree, depth=5, limit=100) for tree in ("hirag", "hirag-layers")]
    return "\n".join(f"{each!r}{each}" for each in found).casefold()


@pytest.mark.slow
def test_nothing_of_a_deleted_passage_is_shown_and_the_next_index_erases_it(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.use_model("none")
    knowledge.ingest_documents([*DOCUMENTS, FESTIVAL])
    knowledge.index(systems=["hirag"])
    words = ("quixotrope", "zorgwald")
    before = shown_of(knowledge)
    assert all(word in before for word in words)
    kinds = {kind for word in words for kind, _ in told_of(knowledge, word)}
    assert {"HiragEntity", "HiragDescription", "CommunityReport", "HIRAG_RELATED"} <= kinds
    assert any(row["name"] for row in summaries_of(knowledge) if "Zorgwald" in row["name"])

    knowledge.delete_documents(id_of(knowledge, FESTIVAL))
    after = shown_of(knowledge)
    assert not any(word in after for word in words)
    left = {kind for word in words for kind, _ in told_of(knowledge, word)}
    assert left <= {"HIRAG_RELATED", "BRIDGE"}  # which readers compare with the passages that are there

    knowledge.index()
    assert not any(told_of(knowledge, word) for word in words)
    assert checked(knowledge)["entities"]


def summaries_of(knowledge: Knowledge) -> list[dict[str, Any]]:
    return read(knowledge, "MATCH (e:HiragEntity {corpus: $label}) WHERE e.layer > 0 RETURN e.name AS name")


@pytest.mark.slow
@pytest.mark.changes_schema
def test_an_index_that_grows_and_shrinks_by_single_documents_stays_whole(
    open_corpus: OpenCorpus, vector_index_from: Callable[[int], None]
) -> None:
    """With a vector index from fewer entities on than usual."""
    knowledge = open_corpus()
    knowledge.ingest_documents(hotpotqa(0, 40))
    knowledge.index(systems=["hirag"])
    before = checked(knowledge)
    assert state_of(knowledge).details[SCANNED] == [ENTITY]
    vector_index_from(len(before["entities"]) + 1)
    more = [SMALL, passage("two", "Gozo", "Gozo is an island near Malta. Lester Smith went to Gozo with Tim Brown.")]
    for document in more:
        knowledge.ingest_documents(document)
        knowledge.index()
        checked(knowledge)
    assert state_of(knowledge).details[SCANNED] == []
    assert knowledge.search("Which islands are near Malta?", 3, retriever="hirag").parts
    for document in reversed(more):
        knowledge.delete_documents(id_of(knowledge, document))
        knowledge.index()
        checked(knowledge)
    assert state_of(knowledge).details[SCANNED] == [ENTITY]
    knowledge.delete_documents(id_of(knowledge, DOCUMENTS[8]))  # names that stand nowhere else go at once
    knowledge.ingest_documents(DOCUMENTS[8])  # and come back
    knowledge.index()
    assert checked(knowledge) == before


@pytest.mark.slow
def test_loaded_in_another_order_the_index_is_the_same(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=["hirag"])
    first = checked(knowledge)
    knowledge.remove_system("hirag")
    knowledge.delete_documents([document.id for document in knowledge.documents()])
    for document in reversed(DOCUMENTS):
        knowledge.ingest_documents(document)
    knowledge.index(systems=["hirag"])
    assert checked(knowledge) == first


@pytest.mark.slow
def test_other_settings_another_embedder_and_edited_names_reach_the_index(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*DOCUMENTS[:8], *PASSAGES])
    knowledge.index(systems=["hirag:flat"])
    flat = checked(knowledge)
    assert {ref[0] for ref in flat["entities"]} == {"0"}
    assert knowledge.index(systems=["hirag:no-flat,layers=2,clusters=k-means,cluster-size=4"]).done == ("hirag",)
    layered = checked(knowledge)
    assert {ref[0] for ref in layered["entities"]} == {"0", "1", "2"}
    assert layered["entities"].keys() > flat["entities"].keys()
    assert knowledge.index(systems=["hirag:layers=3"]).done == ("hirag",)
    assert {ref[0] for ref in checked(knowledge)["entities"]} >= {"0", "1", "2"}
    knowledge.index(systems=["hirag:flat,layers=0,clusters=mixture,cluster-size=10"])
    assert checked(knowledge) == flat

    knowledge.hide_entities("Ulm")
    knowledge.rename_entity("Albert Einstein", "Alberto Uno")
    knowledge.index()
    edited = {entity[0] for entity in checked(knowledge)["entities"].values()}
    assert "Alberto Uno" in edited
    assert not {"Albert Einstein", "Ulm"} & edited
    knowledge.undo_entity_edit()
    knowledge.undo_entity_edit()
    knowledge.index()
    assert layer_0(checked(knowledge)) == layer_0(flat)

    knowledge.use(embedder=HashingEmbedder(32))
    assert knowledge.index(re_embed=True).done[-1] == "hirag"
    embedded = checked(knowledge)
    assert embedded["entities"].keys() == flat["entities"].keys()
    assert {len(entity[3]) for entity in embedded["entities"].values()} == {32}
    assert knowledge.search("Where was Marie Curie born?", 3, retriever="hirag:flat").hits


SCRIPTS = [
    passage("1", "北京", "北京是中华人民共和国的首都。北京大学位于北京。"),
    passage("2", "Москва", "Москва — столица России. Владимир Путин живёт в Москве."),
    passage("3", "القاهرة", "القاهرة هي عاصمة مصر. مصر في أفريقيا."),
]
QUOTES = (
    '"Quoted" O\'Brien\'s `Name` met {{corpus}} $label Müller-Lüdenscheidt in "St. John\'s".\n\n“Alpha\tBeta” and\x0b '
    "Gamma\u200b Delta\u2028Epsilon met O'Brien. Albert" + " von" * 200 + " Ulm visited O'Brien in Paris."
)
LISTED = [
    f"{first}{last} {name}son"
    for first in ("Al", "Be", "Ca")
    for last in ("bert", "ris")
    for name in ("John", "Eric", "Jack")
]
EQUAL = "Albert Einstein was born in Ulm. Ulm is on the Danube. Marie Curie was in Paris."
ODD: dict[str, list[Document]] = {
    "no names": [passage(str(n), "", f"nobody says anything about anything here, number {n}") for n in range(3)],
    "one document": [EINSTEIN],
    "equal documents": [passage(str(n), "Ulm", EQUAL) for n in range(20)],
    "marks": [passage(str(n), 'The "Quoted" `Name` <b>X</b>', QUOTES) for n in range(3)],
    "scripts": SCRIPTS,
    "no text": [passage("1", "Ulm", " ")],
    "nothing": [],
    "lists": [passage(key, "Members", f"Members: {', '.join(LISTED)}.") for key in ("1", "2")],
}

NAMELESS = ("nothing", "no text", "no names", "scripts")
"""Those in which an English pipeline finds no entity, or none that stands in two passages or a fact."""


@pytest.mark.slow
def test_odd_corpora_are_indexed_asked_shown_and_grow(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.use_model("none")
    for name, documents in ODD.items():
        knowledge.ingest_documents(documents)
        knowledge.index(systems=["hirag"])
        here = checked(knowledge)
        assert here["entities"] or name in NAMELESS
        hits = knowledge.search(QUESTION, 50, retriever="hirag").hits
        assert bool(hits) == any(each.text.strip() for each in documents)
        assert knowledge.ask(THEMES, retriever="hirag").text
        for tree in ("hirag", "hirag-layers"):
            assert knowledge.tree(tree=tree).community.level == 0
        for report in knowledge.reports(limit=5).reports:
            assert knowledge.report(report.id).community.title
        knowledge.ingest_documents(DANUBE)
        knowledge.index()
        assert checked(knowledge)["entities"]
        knowledge.delete_documents([document.id for document in knowledge.documents()])
    knowledge.index()
    assert not checked(knowledge)["entities"]


@pytest.mark.slow
def test_what_a_build_lacks_is_told_before_anything_is_done(
    open_corpus: OpenCorpus, overstory: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([ULM, CURIE])
    version = knowledge.status().corpus.version

    def index(*options: str) -> tuple[int, str]:
        ran = overstory("index", "--corpus", knowledge.corpus_name, *options)
        return ran.code, ran.err

    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "graphdatascience", None)
        code, said = index("--system", "hirag")
        assert code != 0
        assert install_command("hirag") in said
    with monkeypatch.context() as patched:
        patched.setattr(knowledge.graph.capabilities, "gds", "")
        with pytest.raises(GdsMissing, match="HiRAG needs the Graph Data Science plugin"):
            knowledge.index(systems=["hirag"])
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "sklearn", None)
        code, said = index("--system", "hirag")
        assert code != 0
        assert install_command("hirag") in said
        assert knowledge.status().corpus.version == version
        assert index("--system", "hirag:flat")[0] == 0  # needs no clusters
    assert knowledge.index(systems=["hirag:no-flat", "slimrag"]).done == ("hirag", "slimrag")

    # An index that nobody named is left as it is, with a note, and others are built.
    knowledge.ingest_documents(DANUBE)
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "sklearn", None)
        report = knowledge.index()
        assert "slimrag" in report.done
        assert "hirag" not in report.done
        (note,) = (each for each in report.notes if "HiRAG" in each)
        assert note.startswith("the HiRAG index was not brought up to date: scikit-learn is not installed.")
        assert install_command("hirag") in note
        with pytest.raises(ExtraMissing):
            knowledge.index(systems=["hirag"])
    assert knowledge.status().pending["hirag"] == 1
    assert knowledge.index().done == ("hirag",)
