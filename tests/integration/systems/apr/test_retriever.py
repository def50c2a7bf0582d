"""AutoPrunedRetriever's retriever on the real Neo4j."""

from __future__ import annotations

from string import ascii_lowercase

import pytest
from tests.fakes import HashingEmbedder
from tests.passages import PASSAGES, OpenCorpus, passage

from overstory.knowledge import Knowledge
from overstory.model import Annotation, Evidence
from overstory_systems.apr import candidates
from overstory_systems.apr.encodings import KnowledgePart
from overstory_systems.apr.retriever import NO_FACTS

BOHR = passage("bohr", "Niels Bohr", "Niels Bohr lived in Copenhagen. He argued with Albert Einstein.")
COPENHAGEN = passage("copenhagen", "Copenhagen", "Copenhagen is the capital of Denmark. It lies on Zealand.")
NO_FACT = passage("signs", "Signs", "Left. Right. Left again.")
BERN = "Which city has the office where Albert Einstein worked?"


@pytest.fixture(scope="module")
def corpus(open_module_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_module_corpus()
    knowledge.ingest_documents([*PASSAGES, BOHR, COPENHAGEN, NO_FACT])
    knowledge.index(systems=["apr"])
    return knowledge


def keys(evidence: Evidence) -> list[str]:
    return [hit.source_key for hit in evidence.hits]


def kinds(evidence: Evidence, key: str) -> dict[str, float]:
    """Return the score that each kind of reason gave to a document."""
    (hit,) = (hit for hit in evidence.hits if hit.source_key == key)
    return {reason.kind: reason.score for reason in hit.reasons}


def test_the_passage_that_states_the_fact_is_first_and_says_so(corpus: Knowledge) -> None:
    evidence = corpus.search("Who discovered polonium?", 3, retriever="apr")
    assert keys(evidence)[0] == "curie"
    assert "discover polonium" in evidence.hits[0].in_words
    assert "She discovered polonium." in [each.text for each in evidence.excerpts]
    (knowledge,) = (part for part in evidence.parts if isinstance(part, KnowledgePart))
    assert "polonium" in {fact.tail for fact in knowledge.facts}
    assert not evidence.notes


def test_the_score_of_a_hit_is_what_its_reasons_brought(corpus: Knowledge) -> None:
    for hit in corpus.search(BERN, 7, retriever="apr").hits:
        if any(reason.kind == "facts" for reason in hit.reasons):
            assert hit.score == pytest.approx(sum(reason.score for reason in hit.reasons))


@pytest.mark.parametrize("question", ["Polonium?", "Why did Marie Curie's husband die?", "city on the Danube"])
def test_a_question_without_triples_finds_facts_by_its_names_or_as_a_whole(corpus: Knowledge, question: str) -> None:
    for options in ("apr", "apr:paper"):
        evidence = corpus.search(question, 2, retriever=options)
        assert {"curie", "danube", "ulm"} & set(keys(evidence))
        assert "facts" in {reason.kind for reason in evidence.hits[0].reasons}


def test_where_facts_give_fewer_passages_the_nearest_fill_up(corpus: Knowledge) -> None:
    evidence = corpus.search("Who discovered polonium?", 7, retriever="apr:paper")
    assert len(evidence.hits) == 7
    assert evidence.hits[0].source_key == "curie"
    assert kinds(evidence, "signs").keys() == {"dense"}
    assert NO_FACTS in evidence.notes


def test_a_passage_without_facts_is_ranked_where_passages_count(corpus: Knowledge) -> None:
    evidence = corpus.search("Left. Right. Left again.", 7, retriever="apr")
    assert keys(evidence)[0] == "signs"
    assert kinds(evidence, "signs").keys() == {"dense"}
    assert not evidence.notes


def test_a_name_leads_on_from_a_passage_that_was_found(corpus: Knowledge) -> None:
    question = "Who argued with Albert Einstein, and of which country is the town where he lived the capital?"
    evidence = corpus.search(question, 7, retriever="apr")
    assert kinds(evidence, "copenhagen")["path"] > 0.0
    (hit,) = (hit for hit in evidence.hits if hit.source_key == "copenhagen")
    assert 'mentions Copenhagen, as does "Niels Bohr"' in hit.in_words
    for options in ("apr:paper", "apr:path=0"):
        without = corpus.search(question, 7, retriever=options)
        assert not any(reason.kind == "path" for hit in without.hits for reason in hit.reasons)


def test_as_published_facts_alone_rank(corpus: Knowledge) -> None:
    evidence = corpus.search("Where was Albert Einstein born?", 2, retriever="apr:paper")
    assert all({reason.kind for reason in hit.reasons} == {"facts"} for hit in evidence.hits)


def test_equal_scores_are_in_the_order_of_ids(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    text = "Ada Stone founded Port Glass."
    knowledge.ingest_documents([passage(f"same{number}", "Ada Stone", text) for number in range(4)])
    knowledge.index(systems=["apr"])
    for options in ("apr", "apr:paper"):
        evidence = knowledge.retriever(options).retrieve("Who founded Port Glass?", 3)
        facts = [hit for hit in evidence.hits if any(reason.kind == "facts" for reason in hit.reasons)]
        assert len({hit.score for hit in facts}) == 1
        assert [hit.chunk_id for hit in facts] == sorted(hit.chunk_id for hit in facts)
        assert len(facts) == 3


def test_loaded_triples_are_found_and_quoted_by_the_sentence_that_says_them(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    triples = (("Mona Reed", "is mother of", "Karl Reed"), ("Karl Reed", "lives in", "Kiel"))
    text = "A family of sailors. Karl Reed, the son of Mona Reed, has a house in Kiel."
    knowledge.ingest_documents([passage("reed", "Reed", text), Annotation("", "reed", (), triples)])
    knowledge.index(systems=["apr"])
    evidence = knowledge.search("Where does the son of Mona Reed live?", 1, retriever="apr")
    assert [each.text for each in evidence.excerpts] == ["Karl Reed, the son of Mona Reed, has a house in Kiel."]


def test_a_name_in_too_many_facts_is_noted(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(64))
    # of few names, which are scanned: an index over many that are alike may miss one
    ways = [f"{one}{other}eets" for one in ascii_lowercase for other in ascii_lowercase]
    some = ways[: candidates._MOST_EDGES_OF_AN_ENTITY + 1]
    facts = tuple(("Mona Reed", way, ("Karl Reed", "Nils Moe")[number % 2]) for number, way in enumerate(some))
    knowledge.ingest_documents([passage("reed", "Reed", "Mona Reed is known."), Annotation("", "reed", (), facts)])
    knowledge.index(systems=["apr:no-merge"])
    (note,) = knowledge.search("Whom does Mona Reed know?", 1, retriever="apr").notes
    assert note == "'Mona Reed' is in 501 facts, only 500 of them were searched"


@pytest.mark.slow
def test_what_the_index_lacks_is_noted_and_what_was_deleted_is_gone(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index(systems=["apr"])
    knowledge.ingest_documents([BOHR])
    (note,) = knowledge.search("Who discovered polonium?", 2, retriever="apr").notes
    assert "1 of 5 passages" in note
    (curie,) = (each for each in PASSAGES if each.source_key == "curie")
    knowledge.delete_documents(knowledge.document_id(curie.source, curie.source_key))
    knowledge.index()
    evidence = knowledge.search("Who discovered polonium?", 4, retriever="apr")
    assert "curie" not in keys(evidence)
    assert not evidence.notes
