"""Names that say the same are one symbol of AutoPrunedRetriever's codebook, on the real Neo4j."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from tests.passages import OpenCorpus, passage

from overstory.knowledge import Knowledge
from overstory.model import Annotation, Document
from overstory_systems.apr import AprIndexSettings
from overstory_systems.apr.consolidation import _COMPARISONS_A_SEARCH, _NAMES_A_PIECE

Triples = tuple[tuple[str, str, str], ...]

SHOW: Triples = (("Lena Ott", "hosts", "TV show"), ("TV show", "began on", "July 18, 2012"))
SHOWS: Triples = (("Lena Ott", "hosts", "television show"), ("Emil Brandt", "visited", "parish of Warton"))
DATES: Triples = (("television show", "began on", "18 July 2012"), ("television show", "ended on", "19 July 2012"))
WARTON: Triples = (("Warton parish", "is in", "England"), ("his brother", "left", "Warton parish"))
BROTHERS: Triples = (("his brothers", "left", "Warton parish"), ("Lena Ott", "left", "England"))
MERGED = {
    ("television show", "TV show"),
    ("July 18, 2012", "18 July 2012"),
    ("parish of Warton", "Warton parish"),
}


def documents(some: Mapping[str, Triples]) -> Iterable[Document | Annotation]:
    for key, triples in some.items():
        yield passage(key, key.title(), f"A text about {key}.")
        yield Annotation("", key, (), triples)


ALL = {"show": SHOW, "shows": SHOWS, "dates": DATES, "warton": WARTON, "brothers": BROTHERS}


def aliases(knowledge: Knowledge) -> set[tuple[str, str]]:
    """Return the pairs of alias and representative."""
    rows, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (s:AprSymbol {corpus: $label})-[a:ALIAS_OF]->(r:AprEntity) WHERE a.cosine >= 0.93 "
        "RETURN s.text AS alias, r.text AS representative",
        label=knowledge.status().corpus.label,
        database_="neo4j",
    )
    return {(row["alias"], row["representative"]) for row in rows}


def edges(knowledge: Knowledge) -> dict[str, tuple[str, str]]:
    """The edges by their words as they were read: their ids, and what they are after merging."""
    rows, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (e:AprEdge {corpus: $label}) "
        "RETURN e.head + ' ' + e.relation + ' ' + e.tail AS words, e.id AS id, e.canonical AS canonical",
        label=knowledge.status().corpus.label,
        database_="neo4j",
    )
    return {row["words"]: (row["id"], row["canonical"] or row["id"]) for row in rows}


def marks(knowledge: Knowledge) -> int:
    """Symbols that are marked as compared with no other."""
    rows, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (s:AprSymbol {corpus: $label}) WHERE $label + '_AprUnmerged' IN labels(s) RETURN count(s) AS marked",
        label=knowledge.status().corpus.label,
        database_="neo4j",
    )
    return int(rows[0]["marked"])


def merged(knowledge: Knowledge) -> float:
    (report,) = (report for report in knowledge.system_reports() if report.name == "apr")
    return report.figures["merged"]


@pytest.fixture
def corpus(open_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_corpus()
    knowledge.ingest_documents(documents(ALL))
    knowledge.index(systems=[AprIndexSettings(triples="loaded")])
    return knowledge


def test_names_that_say_the_same_are_one_and_others_are_not(corpus: Knowledge) -> None:
    assert aliases(corpus) == MERGED
    assert merged(corpus) == len(MERGED)
    assert marks(corpus) == 0


def test_edges_that_say_the_same_are_one_in_the_words_of_the_representatives(corpus: Knowledge) -> None:
    found = edges(corpus)
    id_, canonical = found["Lena Ott hosts television show"]
    assert (id_, canonical) != (canonical, canonical)
    assert found["Lena Ott hosts TV show"] == (canonical, canonical)
    began = {
        found[f"{show} began on {day}"][1]
        for show, day in (("TV show", "July 18, 2012"), ("television show", "18 July 2012"))
    }
    assert len(began) == 1
    assert found["television show ended on 19 July 2012"][1] not in began
    untouched = found["Lena Ott left England"]
    assert untouched[0] == untouched[1]


def test_a_corpus_that_grew_is_merged_as_one_that_was_loaded_at_once(
    open_corpus: OpenCorpus, corpus: Knowledge
) -> None:
    grown = open_corpus("second")
    for key, triples in ALL.items():
        grown.ingest_documents(documents({key: triples}))
        grown.index(systems=[AprIndexSettings(triples="loaded")])
    assert aliases(grown) == aliases(corpus)
    one, other = edges(grown), edges(corpus)
    assert {words: id_ == canonical for words, (id_, canonical) in one.items()} == {
        words: id_ == canonical for words, (id_, canonical) in other.items()
    }


@pytest.mark.slow
@pytest.mark.changes_schema
def test_names_that_come_one_by_one_are_found_by_the_index(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    many = 3 * _COMPARISONS_A_SEARCH + 1  # so that three new names are few
    triples = tuple((f"the {n}th person", "met", "the host") for n in range(many))
    knowledge.ingest_documents(
        documents({f"people{n}": triples[n : n + 100] for n in range(0, many, 100)} | {"show": SHOW})
    )
    knowledge.index(systems=[AprIndexSettings(triples="loaded")])
    assert aliases(knowledge) == set()
    knowledge.ingest_documents(documents({"shows": SHOWS}))
    knowledge.index()
    assert aliases(knowledge) == {("television show", "TV show")}
    assert marks(knowledge) == 0


def test_merging_is_undone_and_done_again(corpus: Knowledge) -> None:
    before = edges(corpus)
    corpus.index(systems=[AprIndexSettings(triples="loaded", merge=False)])
    assert aliases(corpus) == set()
    assert all(id_ == canonical for id_, canonical in edges(corpus).values())
    corpus.index(systems=[AprIndexSettings(triples="loaded")])
    assert aliases(corpus) == MERGED
    assert edges(corpus) == before


def test_a_higher_cosine_merges_less(corpus: Knowledge) -> None:
    corpus.index(systems=[AprIndexSettings(triples="loaded", same=1.0)])
    assert aliases(corpus) == set()
    corpus.index(systems=[AprIndexSettings(triples="loaded", same=0.93)])
    assert aliases(corpus) == MERGED


def test_a_representative_that_no_passage_names_any_more_stands_for_nothing(corpus: Knowledge) -> None:
    corpus.delete_documents(corpus.document_id("tests/passages", "show"))
    corpus.ingest_documents(documents({"more": (("a", "b", "c"),)}))
    corpus.index()
    assert aliases(corpus) == {("parish of Warton", "Warton parish")}
    assert "TV show" not in " ".join(edges(corpus))
    assert all(id_ == canonical for words, (id_, canonical) in edges(corpus).items() if "television" in words)


@pytest.mark.slow
@pytest.mark.changes_schema
def test_a_codebook_above_its_budget_loses_describing_words(open_corpus: OpenCorpus) -> None:
    pytest.importorskip("sklearn")
    knowledge = open_corpus()
    many = 5 * _NAMES_A_PIECE
    people = {
        f"p{n}": tuple((f"person {m}", "met", f"host {m}") for m in range(n, n + 100)) for n in range(0, many, 100)
    }
    films: Triples = (
        ("Lena Ott", "saw", "American animated sitcom"),
        ("Emil Brandt", "saw", "American adult animated sitcom"),
    )
    knowledge.ingest_documents(documents(people | {"films": films}))
    knowledge.index(systems=[AprIndexSettings(triples="loaded")])
    assert aliases(knowledge) == set()
    knowledge.index(systems=[AprIndexSettings(triples="loaded", budget=1_000)])
    assert aliases(knowledge) == {("American adult animated sitcom", "American animated sitcom")}
    assert not [words for words in map(" ".join, aliases(knowledge)) if "person" in words]
