"""SeRAG on the real Neo4j: what its index holds, however the corpus grew, and what questions get from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.fakes import HashingEmbedder, ScriptedChat
from tests.integration.systems.serag.oracle import (
    assert_links,
    checked_tree,
    chunk_graph,
    generations_of,
    kept_of,
    read,
    right_links,
    stored_links,
)
from tests.kills import open_killable
from tests.passages import ULM, OpenCorpus, hotpotqa, passage

from overstory.errors import IndexMissing, LlmUnreachable
from overstory.knowledge import Knowledge
from overstory.llm import Chat
from overstory.model import CommunityReport, Document
from overstory.progress import Step as ProgressStep
from overstory.progress import progress_to
from overstory.protocols import Retriever
from overstory.retrieve import RetrievalContext
from overstory.systems import make_retriever
from overstory_systems.serag import update

QUESTION = "Who designed the dice game Demon Dice?"


def joined(key: str, documents: list[Document]) -> Document:
    """A document of many chunks."""
    return passage(key, f"Reader {key}", "\n\n".join(f"{each.title}\n\n{each.text}" for each in documents))


SHORT = hotpotqa(0, 30)
DOCUMENTS = [*SHORT[:20], joined("one", hotpotqa(30, 42)), joined("other", hotpotqa(50, 54))]
NEAREST, LINKED = 5, 12
"""Neighbours and stored edges per chunk in these tests; some chunks have more edges than are stored."""


@pytest.fixture(scope="module")
def readers(open_module_corpus: OpenCorpus) -> Knowledge:
    """Short and long documents, indexed with both trees; no test may change it."""
    knowledge = open_module_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=[f"serag:semantic,nearest={NEAREST},linked={LINKED}"])
    return knowledge


def context_of(knowledge: Knowledge, chat: Chat | None = None) -> RetrievalContext:
    return RetrievalContext(knowledge.graph, knowledge.corpus_name, knowledge.embedder, lambda: chat)


def retriever(options: str, knowledge: Knowledge, chat: Chat | None = None) -> Retriever:
    return make_retriever(f"serag:{options}", context_of(knowledge, chat))


def last_run(knowledge: Knowledge) -> dict[str, int]:
    """The counts of the last build."""
    (stage,) = (stage for stage in knowledge.status().stages if stage.name == "serag")
    assert stage.status == "done"
    return stage.counts


def test_the_stored_graph_and_both_trees_are_what_the_definitions_ask_for(readers: Knowledge) -> None:
    edges = chunk_graph(readers)
    degrees = [sum(chunk in pair for pair in edges) for chunk in {end for pair in edges for end in pair}]
    assert max(degrees) > LINKED > min(degrees)  # or the limit would not be seen
    assert any(edge.near for edge in edges.values())
    assert any(edge.shared for edge in edges.values())
    assert_links(readers, edges)
    fused, alone = (checked_tree(readers, edges, tree, within=1e-9) for tree in ("serag", "serag-semantic"))
    assert fused != alone
    assert all({level for level, _ in tree.communities} == {0, 1, 2} for tree in (fused, alone))
    (report,) = readers.system_reports()
    assert report.pending == 0
    options = f"nearest={NEAREST},linked={LINKED}"
    assert report.how == f"2 community levels, a second tree (serag-semantic), {options}; similar chunks found exactly"
    assert report.figures["entropy"] == pytest.approx(fused.entropy, abs=1e-6)
    assert report.figures["stored_edges"] == len(stored_links(readers))
    assert last_run(readers)["edges"] == len(edges)
    assert last_run(readers)["trees_rebuilt"] == 1


@pytest.mark.parametrize("option", ["", "flat", "paper", "paper,flat", "semantic", "paper,semantic", "no-self-query"])
def test_every_way_to_answer_finds_the_passage_and_says_why(readers: Knowledge, option: str) -> None:
    evidence = readers.search(QUESTION, 5, retriever=f"serag:{option}" if option else "serag")
    assert evidence.hits[0].title == "Demon Dice"
    assert len(evidence.hits) == 5
    kinds = {reason.kind for hit in evidence.hits for reason in hit.reasons}
    assert {"dense", "entities"} <= kinds
    assert ("community" in kinds) == (option in ("paper", "paper,semantic"))
    assert "filled" not in kinds
    if option in ("flat", "paper", "paper,flat", "paper,semantic"):
        assert "beside" not in kinds
    for hit in evidence.hits:
        assert hit.score == pytest.approx(sum(reason.score for reason in hit.reasons), abs=1e-5)


def test_the_selected_communities_that_hold_hits_are_reports(readers: Knowledge) -> None:
    evidence = readers.search(QUESTION, 5, retriever="serag:paper")
    hits = [hit.chunk_id for hit in evidence.hits]
    reports = [part for part in evidence.parts if isinstance(part, CommunityReport)]
    assert len(reports) == len(evidence.parts) > 1
    assert {level for report in reports for level in [report.level]} == {1, 2}
    assert [report.score for report in reports] == sorted((report.score for report in reports), reverse=True)
    assert {chunk for report in reports for chunk in report.chunks} == set(hits)
    for report in reports:
        community = readers.tree(report.community).community
        assert (community.level, community.size) == (report.level, report.size)
        assert list(report.chunks) == [chunk for chunk in hits if chunk in report.chunks]  # the best first
        assert report.title.startswith(f"Community of {report.size} passage")
    best = max(report.score for report in reports if hits[0] in report.chunks)
    (part,) = (reason for reason in evidence.hits[0].reasons if reason.kind == "community")
    assert part.score == pytest.approx(0.4 * best)
    assert not readers.search(QUESTION, 5, retriever="serag").parts
    assert not evidence.shares  # a model reads the passages, as the paper's does


def test_more_than_the_selected_communities_have_is_filled_up_by_cosine(readers: Knowledge) -> None:
    few = retriever("paper,communities=1", readers)
    hits = few.retrieve(QUESTION, 30).hits
    assert len(hits) == 30
    filled = ["filled" in {reason.kind for reason in hit.reasons} for hit in hits]
    assert filled == sorted(filled)
    assert any(filled)
    assert not all(filled)


def test_a_passage_by_the_language_model_is_asked_along_and_told(readers: Knowledge) -> None:
    model = ScriptedChat("Demon Dice is a dice game by Lester Smith and Tim Brown.")
    evidence = retriever("", readers, Chat(model)).retrieve("Who made that game about demons?", 3)
    assert evidence.hits[0].title == "Demon Dice"
    assert "entities" in {reason.kind for reason in evidence.hits[0].reasons}  # the question itself names nobody
    assert evidence.notes == (
        "self-query by the language model: Demon Dice is a dice game by Lester Smith and Tim Brown.",
    )
    assert len(model.asked) == 1
    retriever("no-self-query", readers, Chat(model)).retrieve(QUESTION, 3)
    assert len(model.asked) == 1


def test_where_the_language_model_fails_the_question_is_asked_as_it_is(readers: Knowledge) -> None:
    chat = Chat(ScriptedChat(LlmUnreachable("The model is gone.")))
    evidence = retriever("", readers, chat).retrieve(QUESTION, 3)
    assert evidence.hits == retriever("", readers).retrieve(QUESTION, 3).hits
    assert evidence.notes == ("asked without a self-query: The model is gone.",)


Step = Callable[[Knowledge], object]

NEW = hotpotqa(60, 67)
STEPS: tuple[Step, ...] = (
    lambda knowledge: knowledge.ingest_documents(NEW[:1]),
    lambda knowledge: knowledge.ingest_documents(NEW[1:5]),
    lambda knowledge: knowledge.ingest_documents([joined("other", [*NEW[5:6], *hotpotqa(50, 53)])]),  # chunks move
    lambda knowledge: knowledge.delete_documents(
        [knowledge.document_id(each.source, each.source_key) for each in (NEW[0], *DOCUMENTS[3:6])]
    ),
    lambda knowledge: (  # as many come as go
        knowledge.ingest_documents(NEW[5:]),
        knowledge.delete_documents([knowledge.document_id(each.source, each.source_key) for each in NEW[1:3]]),
    ),
    lambda knowledge: (  # the same come back, one with another title, and have their ids again
        knowledge.delete_documents([knowledge.document_id(each.source, each.source_key) for each in DOCUMENTS[8:10]]),
        knowledge.ingest_documents([*DOCUMENTS[8:10], replace(DOCUMENTS[10], title="Renamed")]),
    ),
)


@pytest.mark.slow
def test_passages_that_are_added_have_all_their_edges_and_places_where_nothing_is_left_out(
    open_corpus: OpenCorpus,
) -> None:
    """With as many neighbours and stored edges as there are chunks, an addition displaces nothing, and all is exact."""
    knowledge = open_corpus("exact")
    knowledge.ingest_documents(SHORT)
    knowledge.index(systems=["serag:nearest=1000,linked=1000,semantic"])
    for more in (NEW[:1], [*NEW[1:3], joined("other", hotpotqa(50, 53))]):
        knowledge.ingest_documents(more)
        knowledge.index()
        assert last_run(knowledge)["trees_rebuilt"] == 0
        edges = chunk_graph(knowledge)
        assert_links(knowledge, edges)
        for tree in ("serag", "serag-semantic"):
            assert checked_tree(knowledge, edges, tree, placed=True).entropy > 0


@pytest.mark.slow
def test_a_corpus_that_changes_is_near_and_improved_it_is_as_one_that_is_built_anew(open_corpus: OpenCorpus) -> None:
    """By two processes in turn: neither remembers anything."""
    here, there = open_corpus("changing"), open_corpus("changing")
    here.ingest_documents([*DOCUMENTS, *hotpotqa(70, 110)])
    here.index(systems=["serag"])
    for steps in (STEPS[:3], STEPS[3:]):
        (generation,) = generations_of(here)
        changed = 0
        for step, knowledge in zip(steps, (here, there, here), strict=True):
            step(knowledge)
            assert knowledge.status().pending["serag"] > 0
            assert knowledge.index().done[-1] == "serag"
            run = last_run(knowledge)
            changed += run["new_or_changed"] + run["gone"]
            assert run["trees_rebuilt"] == 0
            assert knowledge.status().pending["serag"] == 0
            assert kept_of(knowledge).placed == changed
            assert right_links(knowledge, chunk_graph(knowledge)) > 0.85
        edges = chunk_graph(here)
        placed = checked_tree(here, edges, near=True)
        assert generations_of(here) == {generation}  # it never left its place
        (report,) = here.system_reports()
        assert f"{changed} changes were added" in report.notes[0]
        assert here.index(improve=True).done == ("serag",)
        assert kept_of(here).placed == 0
        assert_links(here, edges)
        improved, links = checked_tree(here, edges), stored_links(here)
        assert placed.entropy == pytest.approx(improved.entropy, rel=0.03)

    here.remove_system("serag")
    here.index(systems=["serag"])
    assert checked_tree(here, edges) == improved
    fresh = stored_links(here)
    assert links.keys() == fresh.keys()
    for pair, parts in links.items():
        assert parts == pytest.approx(fresh[pair], abs=2e-5)


@pytest.mark.slow
def test_beyond_a_fifth_the_whole_is_clustered_again(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus("fifth")
    knowledge.ingest_documents(DOCUMENTS[:10])
    knowledge.index(systems=["serag"])
    rebuilt: list[int] = []
    for one in NEW[:4]:
        knowledge.ingest_documents([one])
        knowledge.index()
        rebuilt.append(last_run(knowledge)["trees_rebuilt"])
    assert rebuilt == [0, 0, 0, 1]
    assert kept_of(knowledge).placed == 0
    assert knowledge.search(QUESTION, 1, retriever="serag").hits[0].title == "Demon Dice"


@pytest.mark.slow
def test_a_build_says_what_it_does_and_how_far_it_is(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus("told")
    knowledge.ingest_documents(DOCUMENTS[:10])
    knowledge.index()
    steps: list[ProgressStep] = []
    knowledge.progress = progress_to(steps.append)
    knowledge.index(systems=["serag"])
    ended = {step.task: step for step in steps if step.detail is not None and step.task.startswith("serag")}
    assert list(ended) == ["serag reading", "serag neighbours", "serag", "serag graph"]
    chunks = len(ids(knowledge))
    assert ended["serag reading"].done == ended["serag neighbours"].done == ended["serag neighbours"].total == chunks


@pytest.mark.slow
def test_many_changes_are_placed_in_several_transactions(
    open_corpus: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between two of them, the next run places the rest, and no edge is there twice."""
    monkeypatch.setattr(update, "_SERAG_CHUNKS_A_TRANSACTION", 2)
    knowledge = open_killable(open_corpus, "several")
    knowledge.ingest_documents(SHORT)
    knowledge.index(systems=["serag"])
    knowledge.ingest_documents(NEW[:6])
    with knowledge.graph.killed_at(3, of="serag"):  # after a line in the ledger and one of them
        knowledge.index()
    assert knowledge.index().done[-1] == "serag"
    assert kept_of(knowledge).placed == 6
    edges = chunk_graph(knowledge)
    assert right_links(knowledge, edges) > 0.85
    checked_tree(knowledge, edges, near=True)


def ids(knowledge: Knowledge) -> set[str]:
    return {row["id"] for row in read(knowledge, "MATCH (c:Chunk {corpus: $label}) RETURN c.id AS id")}


def similar(knowledge: Knowledge) -> dict[str, list[str]]:
    """The stored neighbours of each chunk, the nearest first."""
    rows = read(
        knowledge,
        "MATCH (c:Chunk {corpus: $label})-[s:SIMILAR]->(o) WITH c, o, s ORDER BY s.score DESC, o.id "
        "RETURN c.id AS id, collect(o.id) AS others",
    )
    return {row["id"]: row["others"] for row in rows}


def assert_nearly_exact(found: dict[str, list[str]], knowledge: Knowledge) -> None:
    """Every chunk has its five neighbours, and GDS finds nearly all that are right."""
    assert found.keys() == ids(knowledge)
    assert {len(each) for each in found.values()} == {5}


@pytest.mark.gds
def test_gds_finds_nearly_the_neighbours_that_all_products_find(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS[:20])
    knowledge.index(systems=["serag:search=exact,nearest=5"])
    exact = stored_links(knowledge)
    assert_links(knowledge, chunk_graph(knowledge))
    assert not similar(knowledge)
    assert knowledge.index(systems=["serag:search=gds"]).done == ("serag",)
    assert_nearly_exact(similar(knowledge), knowledge)
    nearly = stored_links(knowledge)
    assert len(nearly.keys() & exact.keys()) >= 0.95 * len(nearly.keys() | exact.keys())
    both = [(nearly[pair]["similar"], exact[pair]["similar"]) for pair in nearly.keys() & exact.keys()]
    assert all(one == pytest.approx(other, abs=1e-5) for one, other in both if one and other)


@pytest.mark.slow
@pytest.mark.gds
def test_neighbours_by_gds_are_kept_up_while_documents_come_and_go(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    documents, more = DOCUMENTS[:20], NEW[:2]
    knowledge.ingest_documents(documents)
    knowledge.index(systems=["serag:search=gds,nearest=5"])
    for one in more:
        knowledge.ingest_documents([one])
        assert knowledge.index().done[-1] == "serag"
        assert last_run(knowledge)["trees_rebuilt"] == 0
    assert_nearly_exact(similar(knowledge), knowledge)
    knowledge.delete_documents([knowledge.document_id(each.source, each.source_key) for each in more[:1]])
    assert "serag" in knowledge.index().done
    assert last_run(knowledge)["trees_rebuilt"] == 0
    assert similar(knowledge).keys() == ids(knowledge)
    assert not knowledge.index().done
    updated = stored_links(knowledge)

    assert knowledge.index(systems=["serag:search=exact"]).done == ("serag",)
    assert not similar(knowledge)
    assert_links(knowledge, chunk_graph(knowledge))
    exact = stored_links(knowledge)
    assert len(updated.keys() & exact.keys()) >= 0.85 * len(updated.keys() | exact.keys())


def test_a_retriever_over_meaning_alone_asks_for_its_tree(shared_corpus: Knowledge) -> None:
    with pytest.raises(IndexMissing, match="over meaning alone") as missing:
        shared_corpus.search(QUESTION, retriever="serag:semantic")
    assert "--system serag:semantic " in missing.value.remedy


@pytest.mark.slow
def test_other_levels_and_another_embedder_build_the_trees_again(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS[:20])
    knowledge.index(systems=["serag:nearest=5"])
    knowledge.index(systems=["serag:levels=1,semantic"])
    edges = chunk_graph(knowledge)
    assert {level for level, _ in checked_tree(knowledge, edges, "serag-semantic").communities} == {0, 1}
    assert knowledge.search(QUESTION, 1, retriever="serag:paper,semantic").hits[0].title == "Demon Dice"

    knowledge.use(embedder=HashingEmbedder(32))
    assert knowledge.index(re_embed=True).done[-1] == "serag"
    edges = chunk_graph(knowledge)
    assert_links(knowledge, edges)
    checked_tree(knowledge, edges)
    assert len(generations_of(knowledge)) == 1
    for option in ("serag", "serag:paper"):
        assert len(knowledge.search(QUESTION, 5, retriever=option).hits) == 5


EVERY_OPTION = ("serag", "serag:flat", "serag:paper", "serag:semantic")


@pytest.mark.slow
def test_the_smallest_corpora_are_indexed_and_asked(open_corpus: OpenCorpus) -> None:
    """One chunk, two, none that mentions anything, equal ones, and none at all."""
    knowledge = open_corpus("small")

    def hits(documents: list[Document]) -> set[int]:
        knowledge.ingest_documents(documents)
        knowledge.index(systems=["serag:semantic"])
        edges = chunk_graph(knowledge)
        assert_links(knowledge, edges)
        for tree in ("serag", "serag-semantic"):
            checked_tree(knowledge, edges, tree)
        return {len(knowledge.search(QUESTION, 5, retriever=option).hits) for option in EVERY_OPTION}

    assert hits([ULM]) == {1}
    assert hits([passage("plain", "", "nobody says anything about anything here")]) == {2}
    same = [passage(f"same{n}", ULM.title, ULM.text) for n in range(3)]
    assert hits(same) == {2}  # those with one text are one hit
    knowledge.delete_documents([document.id for document in knowledge.documents()])
    assert hits([]) == {0}
    assert hits([passage("plain", "", "nobody says anything about anything here")]) == {1}
