"""HiRAG's retriever on the real Neo4j: three levels of evidence, and answers to questions on all documents."""

from __future__ import annotations

import itertools

import pytest
from tests.passages import OpenCorpus, hotpotqa

from overstory.errors import IndexMissing
from overstory.graph import Corpus, read_corpus
from overstory.graph.client import Transaction
from overstory.knowledge import Knowledge
from overstory.model import Evidence, OverviewLine, RatedReport
from overstory.retrieve import RetrievalContext
from overstory.retrieve.context import query_current_corpus
from overstory.systems import find_system
from overstory.systems.state import require_state
from overstory_systems.hirag import retriever
from overstory_systems.hirag.parts import EntityPart, Paths, RelationPart
from overstory_systems.hirag.retriever import NO_REPORT, NOTHING_MATCHED, SHARES, HierarchySearch

QUESTION = "Who designed the dice game Demon Dice?"
THEMES = "What are the main themes of these documents?"


@pytest.fixture(scope="module")
def readers(open_module_corpus: OpenCorpus) -> Knowledge:
    """Fifty passages, indexed with summary layers; no test may change it."""
    knowledge = open_module_corpus()
    knowledge.ingest_documents(hotpotqa(0, 50))
    knowledge.index(systems=["hirag"])
    return knowledge


def kinds(evidence: Evidence) -> set[str]:
    return {part.kind for part in evidence.parts}


def test_the_evidence_has_entities_reports_and_relations(readers: Knowledge) -> None:
    evidence = readers.search(QUESTION, 5, retriever="hirag")
    assert evidence.hits[0].title == "Demon Dice"
    assert len(evidence.hits) == 5
    assert (kinds(evidence), evidence.shares, evidence.notes) == ({"entity", "relation", "report"}, SHARES, ())
    for hit in evidence.hits:
        assert hit.score == pytest.approx(sum(reason.score for reason in hit.reasons), abs=1e-6)
    entities = [part for part in evidence.parts if isinstance(part, EntityPart)]
    assert [part.score for part in entities] == sorted((part.score for part in entities), reverse=True)
    assert entities[0].name == "Demon Dice"
    paths = [part for part in evidence.parts if isinstance(part, RelationPart)]
    for part in paths:
        assert part.text.split("\n")[0] == " → ".join(part.names)
        assert part.triples
    reports = [part for part in evidence.parts if isinstance(part, RatedReport)]
    assert [part.score for part in reports] == sorted((part.score for part in reports), reverse=True)
    assert all(part.text.startswith(part.heading) and part.findings for part in reports)


def test_without_bridges_relations_are_those_of_the_nearest_entities(readers: Knowledge) -> None:
    evidence = readers.search(QUESTION, 5, retriever="hirag:no-bridge")
    assert kinds(evidence) == {"entity", "relation", "report"}
    near = {part.name for part in evidence.parts if isinstance(part, EntityPart)}
    for part in evidence.parts:
        if isinstance(part, RelationPart):
            assert len(part.names) == 2
            assert near & set(part.names)


def test_few_entities_and_communities_are_taken_where_few_are_asked_for(readers: Knowledge) -> None:
    evidence = readers.search(QUESTION, 2, retriever="hirag:entities=3,communities=1,pairs=2")
    assert [len([part for part in evidence.parts if part.kind == kind]) for kind in ("entity", "report")] == [3, 1]


def test_the_flat_retriever_refuses_an_index_with_summary_layers(readers: Knowledge) -> None:
    with pytest.raises(IndexMissing, match="summary layers") as refused:
        readers.search(QUESTION, retriever="hirag:flat")
    assert "--system hirag:flat" in refused.value.remedy


def test_a_stored_bridge_is_taken_for_a_pair_that_it_joins(readers: Knowledge) -> None:
    """Between its ends the bridge is the way of the strongest relations, which need not be the shortest."""
    corpus = read_corpus(readers.graph, readers.corpus_name)
    state = require_state(find_system("hirag"), corpus)
    vector = readers.embedder.embed([QUESTION])[0]

    def ask(tx: Transaction) -> tuple[object, object]:
        asking = HierarchySearch(tx, corpus, state, vector)
        near, _ = asking.nearest(4)
        known = tuple(entity.id for entity in near)
        return known[::-1], asking.paths([(near[-1], near[0])], [known]).paths

    wanted, found = readers.graph.reading("retrieve/test", ask)
    assert found == [wanted]


def test_a_path_leads_through_no_hub_and_no_summary_by_rules(readers: Knowledge) -> None:
    corpus = read_corpus(readers.graph, readers.corpus_name)
    state = require_state(find_system("hirag"), corpus)
    vector = readers.embedder.embed([QUESTION])[0]

    def ask(tx: Transaction, hubs: list[str]) -> Paths:
        asking = HierarchySearch(tx, corpus, state, vector)
        assert asking.hubs() == []  # fifty passages have no name that is everywhere
        near, _ = asking.nearest(30)
        of_texts = [entity for entity in near if entity.layer == 0]
        return asking.paths(list(itertools.pairwise(of_texts)), [], hubs)

    found = readers.graph.reading("retrieve/test", lambda tx: ask(tx, []))
    inner = [id_ for path in found.paths for id_ in path[1:-1]]
    assert inner
    assert all(found.entities[id_].layer == 0 for id_ in inner)
    assert max(map(len, found.paths)) <= 5
    without = readers.graph.reading("retrieve/test", lambda tx: ask(tx, inner))
    assert not set(inner) & {id_ for path in without.paths for id_ in path[1:-1]}


def test_evidence_has_no_path_through_a_hub(readers: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    def inner_names() -> set[str]:
        with Knowledge(readers.corpus_name, settings=readers.settings) as fresh:  # which knows of no hub yet
            fresh.use(embedder=readers.embedder, extractor=readers.extractor)
            found = fresh.search("Which actor played in a film by an American director?", 5, retriever="hirag")
        return {name for part in found.parts if isinstance(part, RelationPart) for name in part.names[1:-1]}

    assert "Prestige" in inner_names()
    monkeypatch.setattr(retriever, "_HUB_SHARE", 0.0)
    monkeypatch.setattr(retriever, "_LEAST_HUB_PASSAGES", 0)
    assert "Prestige" not in inner_names()


def test_a_question_on_all_documents_is_answered_by_reports_with_their_passages(readers: Knowledge) -> None:
    readers.use_model("none")
    answer = readers.ask(THEMES, 5, retriever="hirag")
    assert (answer.state, answer.kind) == ("answered", "extractive")
    reports = [part for part in answer.evidence.parts if isinstance(part, RatedReport)]
    assert len(reports) > 2
    assert len({part.heading for part in reports}) == len(reports)
    assert {part.level for part in reports} <= {1, 2}
    findings = 0
    before = sum(isinstance(part, OverviewLine) for part in answer.evidence.parts)  # the overview comes first
    assert before
    for number, (line, part, citation) in enumerate(
        zip(answer.text.splitlines()[before:], reports, answer.citations[before:], strict=True), start=before + 1
    ):
        said = line.removeprefix(f"{part.heading} — ").removesuffix(f" [{number}]")
        stated = [each.chunks for each in part.findings if " ".join(each.text.split()) == said]
        assert stated or said in " ".join(part.summary.split())  # where no finding is understood alone
        assert {each.chunk_id for each in citation.passages} == set(stated[0] if stated else part.chunks)
        findings += len(stated)
    assert findings >= len(reports) // 2
    assert {hit.chunk_id for hit in answer.evidence.hits} <= {chunk for part in reports for chunk in part.chunks}
    other = readers.ask("What is the main theme of the novel Dracula?", 5, retriever="hirag")
    assert other.state == "not_in_documents"


@pytest.mark.slow
def test_what_stood_on_a_deleted_document_is_not_shown_and_the_rest_is(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(hotpotqa(0, 20))
    knowledge.index(systems=["hirag"])
    before = knowledge.search(QUESTION, 3, retriever="hirag")
    best = before.hits[0]
    knowledge.delete_documents(best.document_id)
    after = knowledge.search(QUESTION, 3, retriever="hirag")
    assert after.hits
    assert kinds(after) <= kinds(before)
    assert best.chunk_id not in {chunk for part in after.parts for chunk in part.chunks}
    sentence = best.text.split(". ")[0]
    assert any(sentence in part.text for part in before.parts)
    assert not any(sentence in part.text for part in after.parts)


def test_an_index_without_an_entity_gives_passages_by_meaning_and_says_so(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents("rain falls on the hills and runs down to the sea")
    knowledge.index(systems=["hirag"])
    for question, note in ((QUESTION, NOTHING_MATCHED), (THEMES, NO_REPORT)):
        evidence = knowledge.search(question, 1, retriever="hirag")
        assert (len(evidence.hits), evidence.parts, evidence.notes) == (1, (), (note,))


def test_a_generation_that_is_published_meanwhile_is_asked_again(readers: Knowledge) -> None:
    """Whatever `query` reads of a generation may be deleted once another is published."""
    context = RetrievalContext(readers.graph, readers.corpus_name, readers.embedder)
    published = iter([1, 2, 2, 2])
    seen: list[str] = []

    def query(tx: Transaction, corpus: Corpus) -> str:
        seen.append(corpus.name)
        return f"answer {len(seen)}"

    found = query_current_corpus(context, "retrieve/test", query, generation=lambda _: next(published))
    assert (found, len(seen)) == ("answer 2", 2)
