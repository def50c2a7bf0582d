"""Results of the saved queries in a very small graph."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

import neo4j
import pytest
from tests.fakes import ScriptedExtractor
from tests.passages import SOURCE, OpenCorpus, passage

from overstory import server
from overstory.browser.queries import SavedQuery, all_queries, example_parameters, saved_queries
from overstory.graph import Corpus, read_corpus
from overstory.graph.client import Row
from overstory.knowledge import Knowledge
from overstory.model import Link
from overstory.systems import system_names
from overstory_cli.browser import contributions

NAMES = {"Ada": "PERSON", "ada": "PERSON", "Bob": "PERSON", "Cid": "PERSON", "Acme": "ORG", "Rome": "GPE"}
DOCUMENTS = (
    replace(
        passage("team", "The team", "Ada met Bob. Bob met Cid. Ada joined Acme. 😀 Ada joined Acme."),
        metadata={"year": 1999, "tags": ["work"]},
    ),
    replace(passage("trip", "A trip", "Cid visited Rome. It was warm. ada wrote Cid."), metadata={"year": 2001}),
    passage("long", "A long tale", " ".join(f"Part {n} of the tale goes on and on and on." for n in range(80))),
)

LINKS = (
    Link(SOURCE, "team", "trip", type="LED_TO", text="a year later"),
    Link(SOURCE, "long", "team", type="QUOTES"),
    Link(SOURCE, "trip", "gone", type="QUOTES"),
)


@pytest.fixture(scope="module")
def knowledge(open_module_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_module_corpus(extractor=ScriptedExtractor(NAMES))
    knowledge.ingest_documents([*DOCUMENTS, *LINKS])
    knowledge.index()
    return knowledge


@pytest.fixture(scope="module")
def corpus(knowledge: Knowledge) -> Corpus:
    return read_corpus(knowledge.graph, knowledge.corpus_name)


def saved(corpus: Corpus, name: str) -> SavedQuery:
    (query,) = [each for each in all_queries(saved_queries(corpus.label, contributions())) if each.name == name]
    return query


def ask(knowledge: Knowledge, corpus: Corpus, query: str, **parameters: str) -> list[Row]:
    return knowledge.graph.run(saved(corpus, query).statement, corpus.label, read=True, **parameters)


class Drawn:
    """A picture in Browser: captions of nodes, and (start, type or predicate, end) of relationships."""

    def __init__(self, records: Iterable[neo4j.Record]) -> None:
        nodes: dict[str, neo4j.graph.Node] = {}
        self.lines: set[tuple[str, str, str]] = set()
        paths = [value for record in records for value in record.values() if isinstance(value, neo4j.graph.Path)]
        for path in paths:
            nodes |= {node.element_id: node for node in path.nodes}
            for line in path.relationships:
                start, end = line.nodes
                assert start is not None
                assert end is not None
                self.lines.add((caption(start), line.get("predicate") or line.type, caption(end)))
        self.captions = sorted(caption(node) for node in nodes.values())


def caption(node: neo4j.graph.Node) -> str:
    if "TreeNode" in node.labels:
        return str(node["id"][:8]) if "vector" in node else "a leaf"
    if "Chunk" in node.labels:
        return f"{node['seq']} · {node['title']}"
    if "MetadataValue" in node.labels:
        return f"{node['key']} = {node[node['type']]}"
    if "MetadataKey" in node.labels:
        return str(node["key"])
    if "MissingDocument" in node.labels:
        return str(node["target_key"])
    return str(node["name"] if "Entity" in node.labels else node["text"] if "Fact" in node.labels else node["title"])


@pytest.fixture(scope="module")
def driver(connection: server.Connection) -> Iterator[neo4j.Driver]:
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as opened:
        yield opened


def run(driver: neo4j.Driver, text: str, **parameters: str) -> list[neo4j.Record]:
    query = neo4j.Query(text)  # pyright: ignore[reportArgumentType] # literal text, but for the label
    return driver.execute_query(query, parameters, database_="neo4j").records


def draw(driver: neo4j.Driver, corpus: Corpus, query: str, **parameters: str) -> Drawn:
    """Runs the text that the guide puts into Browser's editor."""
    return Drawn(run(driver, saved(corpus, query).text, **parameters))


def test_overview_counts_every_kind(knowledge: Knowledge, corpus: Corpus) -> None:
    rows = ask(knowledge, corpus, "overview")
    counts = {row["kind"]: row["number"] for row in rows if row["what"] == "node"}
    chunks = counts.pop("Chunk")
    assert chunks > 3
    assert counts == {
        "Corpus": 1,
        "Document": 3,
        "MissingDocument": 1,
        "Entity": 9,
        "Fact": 5,
        "Stage": 5,
        "PassageVector": chunks,
        "MetadataValue": 4,
        "MetadataKey": 3,
    }
    relationships = {row["kind"]: row["number"] for row in rows if row["what"] == "relationship"}
    assert relationships["PART_OF"] == chunks
    assert relationships["NEXT"] == chunks - 3
    assert relationships["RELATED"] == 5


def test_the_keys_of_metadata_are_listed_and_documents_drawn_with_their_values(
    knowledge: Knowledge, corpus: Corpus, driver: neo4j.Driver
) -> None:
    rows = [tuple(row.values()) for row in ask(knowledge, corpus, "metadata")]
    assert rows == [("language", "text", 1, 1), ("tags", "text", 1, 1), ("year", "number", 2, 2)]
    drawn = draw(driver, corpus, "documents_with", key="year")
    assert drawn.lines == {("The team", "HAS_VALUE", "year = 1999"), ("A trip", "HAS_VALUE", "year = 2001")}


def test_stages_are_told_in_the_order_in_which_they_ran(knowledge: Knowledge, corpus: Corpus) -> None:
    rows = ask(knowledge, corpus, "stages")
    assert [row["stage"] for row in rows] == ["load", "embed", "extract", "entities", "mentions"]
    assert {row["status"] for row in rows} == {"done"}
    assert "3 added" in rows[0]["counts"]


def test_the_longest_document_comes_first(knowledge: Knowledge, corpus: Corpus) -> None:
    rows = ask(knowledge, corpus, "documents")
    assert [row["title"] for row in rows] == ["A long tale", "A trip", "The team"]
    assert [row["source_key"] for row in rows] == ["long", "trip", "team"]


@pytest.mark.parametrize("by", ["title", "id"])
def test_a_document_is_drawn_with_its_passages_in_order(
    knowledge: Knowledge, corpus: Corpus, driver: neo4j.Driver, by: str
) -> None:
    (row,) = [row for row in ask(knowledge, corpus, "documents") if row["title"] == "A long tale"]
    drawn = draw(driver, corpus, "document_passages", document=row[by])
    passages = [f"{n} · A long tale" for n in range(row["passages"])]
    assert drawn.captions == sorted(["A long tale", *passages])
    following = {line for line in drawn.lines if line[1] == "NEXT"}
    assert following == {(a, "NEXT", b) for a, b in itertools.pairwise(passages)}


def test_a_document_of_one_passage_is_drawn_too(corpus: Corpus, driver: neo4j.Driver) -> None:
    assert draw(driver, corpus, "document_passages", document="A trip").captions == ["0 · A trip", "A trip"]


def test_what_a_passage_says_is_drawn_with_the_names(corpus: Corpus, driver: neo4j.Driver) -> None:
    drawn = draw(driver, corpus, "passage_graph", document="A trip")
    assert drawn.captions == ["0 · A trip", "Ada", "Ada wrote Cid", "Cid", "Cid visited Rome", "Rome"]
    assert ("Cid visited Rome", "SUBJECT", "Cid") in drawn.lines
    assert ("Cid visited Rome", "STATED_IN", "0 · A trip") in drawn.lines


def test_facts_come_with_their_sentences_in_reading_order(knowledge: Knowledge, corpus: Corpus) -> None:
    rows = ask(knowledge, corpus, "document_facts", document="The team")
    assert [(row["subject"], row["predicate"], row["object"], row["sentence"]) for row in rows] == [
        ("Ada", "met", "Bob", "Ada met Bob."),
        ("Bob", "met", "Cid", "Bob met Cid."),
        ("Ada", "joined", "Acme", "Ada joined Acme."),
        ("Ada", "joined", "Acme", "😀 Ada joined Acme."),
    ]


def test_links_of_a_document_are_drawn_in_both_directions(corpus: Corpus, driver: neo4j.Driver) -> None:
    assert draw(driver, corpus, "document_links", document="The team").lines == {
        ("The team", "LINKS", "A trip"),
        ("A long tale", "LINKS", "The team"),
    }
    assert ("A trip", "LINKS", "gone") in draw(driver, corpus, "document_links", document="A trip").lines


def test_names_are_ranked_by_passages_and_chosen_by_type(knowledge: Knowledge, corpus: Corpus) -> None:
    rows = ask(knowledge, corpus, "names", type="")
    assert [(row["name"], row["passages"]) for row in rows][:3] == [("Ada", 2), ("Cid", 2), ("Acme", 1)]
    assert rows[0]["specificity"] < rows[2]["specificity"]
    assert [row["name"] for row in ask(knowledge, corpus, "names", type="ORG")] == ["Acme"]


def test_names_that_tie_documents_together(knowledge: Knowledge, corpus: Corpus) -> None:
    rows = ask(knowledge, corpus, "specific_names", type="PERSON")
    assert [(row["name"], sorted(row["titles"])) for row in rows] == [
        ("Ada", ["A trip", "The team"]),
        ("Cid", ["A trip", "The team"]),
    ]


def test_aliases_are_listed(knowledge: Knowledge, corpus: Corpus) -> None:
    (row,) = ask(knowledge, corpus, "aliases")
    assert (row["name"], row["ways"], row["aliases"]) == ("Ada", 2, ["ada"])


@pytest.mark.parametrize("name", ["Ada", "ADA"])
def test_the_passages_that_mention_a_name_are_drawn(corpus: Corpus, driver: neo4j.Driver, name: str) -> None:
    drawn = draw(driver, corpus, "mentions", name=name)
    assert drawn.captions == ["0 · A trip", "0 · The team", "Ada"]
    assert {kind for _, kind, _ in drawn.lines} == {"MENTIONS"}


def test_a_passage_mentions_a_name_by_one_relationship(corpus: Corpus, driver: neo4j.Driver) -> None:
    """Even where both the extractor and OpenIE triples found it there: the one with the higher count is drawn."""
    match = f"MATCH (c:{corpus.label}_Chunk {{title: 'A trip'}}), (e:Entity:{corpus.label} {{name: 'Rome'}})"
    run(driver, f"{match} CREATE (c)-[:MENTIONS {{by: 'openie', count: 9, sentences: [0]}}]->(e)")
    try:
        for query, parameters in (("mentions", {"name": "Rome"}), ("together", {"name": "Rome", "other": "Cid"})):
            (record,) = run(driver, saved(corpus, query).text, **parameters)
            (path,) = record.values()
            assert 9 in [line["count"] for line in path.relationships], query
    finally:
        run(driver, f"{match} MATCH (c)-[m:MENTIONS {{count: 9}}]->(e) DELETE m")


def test_a_name_without_facts_gives_a_hint(knowledge: Knowledge, corpus: Corpus) -> None:
    (part,) = ask(knowledge, corpus, "related", name="The team")
    assert (part["fact"], "the passages that mention it" in part["hint"]) == (None, True)
    (nobody,) = ask(knowledge, corpus, "related", name="Nobody")
    assert (nobody["fact"], "passages by their words" in nobody["hint"]) == (None, True)
    assert {row["hint"] for row in ask(knowledge, corpus, "related", name="Ada")} == {None}


def test_names_carry_the_label_of_their_kind(corpus: Corpus, driver: neo4j.Driver) -> None:
    text = f"MATCH (e:Entity:{corpus.label}) RETURN e.name AS name, [l IN labels(e) WHERE l ENDS WITH 'Name'] AS kinds"
    kinds = {record["name"]: record["kinds"] for record in run(driver, text)}
    assert kinds["Ada"] == ["PersonName"]
    assert kinds["Acme"] == ["OrganisationName"]
    assert kinds["Rome"] == ["PlaceName"]
    assert kinds["The team"] == []


def test_the_sentences_that_mention_a_name_are_cut_where_they_begin_and_end(
    knowledge: Knowledge, corpus: Corpus
) -> None:
    rows = ask(knowledge, corpus, "mention_sentences", name="ada")
    assert [(row["title"], row["sentence"]) for row in rows] == [
        ("A trip", "ada wrote Cid."),
        ("The team", "Ada met Bob."),
        ("The team", "Ada joined Acme."),
        ("The team", "😀 Ada joined Acme."),
    ]


def test_what_a_name_is_related_to_is_drawn_with_predicates(corpus: Corpus, driver: neo4j.Driver) -> None:
    drawn = draw(driver, corpus, "related", name="Ada")
    assert drawn.lines == {("Ada", "met", "Bob"), ("Ada", "joined", "Acme"), ("Ada", "wrote", "Cid")}


def test_the_shortest_ways_come_with_a_sentence_a_step(
    knowledge: Knowledge, corpus: Corpus, driver: neo4j.Driver
) -> None:
    parameters = {"name": "Acme", "other": "Rome"}
    drawn = draw(driver, corpus, "paths", **parameters)
    assert drawn.captions == ["Acme", "Ada", "Cid", "Rome"]
    (row,) = ask(knowledge, corpus, "paths", **parameters)
    assert row["sentences"] == ["Ada joined Acme.", "ada wrote Cid.", "Cid visited Rome."]


def test_no_way_leads_from_a_name_to_itself_or_to_a_stranger(knowledge: Knowledge, corpus: Corpus) -> None:
    assert ask(knowledge, corpus, "paths", name="Ada", other="ada") == []
    assert ask(knowledge, corpus, "paths", name="Ada", other="Nobody") == []


def test_passages_that_mention_both_names_are_drawn(corpus: Corpus, driver: neo4j.Driver) -> None:
    assert draw(driver, corpus, "together", name="Ada", other="Cid").captions == [
        "0 · A trip",
        "0 · The team",
        "Ada",
        "Cid",
    ]
    assert draw(driver, corpus, "together", name="Bob", other="Rome").captions == []


def test_words_find_passages(knowledge: Knowledge, corpus: Corpus) -> None:
    rows = ask(knowledge, corpus, "find_text", words='"visited Rome" -Acme')
    assert [row["title"] for row in rows] == ["A trip"]


def test_passages_near_in_meaning_come_nearest_first(knowledge: Knowledge, corpus: Corpus) -> None:
    rows = ask(knowledge, corpus, "similar_passages", document="A long tale")
    assert rows[0]["title"] == "A long tale"
    similarities = [row["similarity"] for row in rows]
    assert similarities == sorted(similarities, reverse=True)
    assert -1 <= similarities[-1] <= similarities[0] <= 1


@pytest.fixture(scope="module")
def shared(shared_corpus: Knowledge) -> Corpus:
    return read_corpus(shared_corpus.graph, shared_corpus.corpus_name)


def communities_of(knowledge: Knowledge, title: str) -> list[str]:
    """The communities that a passage is in, the largest first, as they are shown."""
    for upper in knowledge.tree(depth=3, tree="serag").community.communities:
        for lower in upper.communities:
            if title in [passage.title for passage in lower.passages]:
                return [upper.short_id, lower.short_id]
    raise AssertionError(title)


def test_the_upper_communities_are_drawn(shared: Corpus, shared_corpus: Knowledge, driver: neo4j.Driver) -> None:
    root = shared_corpus.tree(depth=2, tree="serag").community
    edges = {(below.short_id, "CHILD_OF", root.short_id) for below in root.communities}
    edges |= {(low.short_id, "CHILD_OF", up.short_id) for up in root.communities for low in up.communities}
    assert draw(driver, shared, "tree", tree="serag").lines == edges


def test_a_community_is_drawn_with_its_passages_and_what_leads_out_of_it(
    shared: Corpus, shared_corpus: Knowledge, driver: neo4j.Driver
) -> None:
    _, lower = communities_of(shared_corpus, "Ulm")
    drawn = draw(driver, shared, "community", tree="serag", community=lower.upper())
    assert {lower, "0 · Ulm", "0 · Danube"} <= set(drawn.captions)
    linked = {frozenset((one, other)) for one, kind, other in drawn.lines if kind == "LINKED"}
    assert {"0 · Ulm", "0 · Albert Einstein"} in linked
    assert {"0 · Ulm", "0 · Danube"} not in linked
    assert communities_of(shared_corpus, "Albert Einstein")[1] in drawn.captions


def test_a_community_that_nobody_names_is_not_drawn(shared: Corpus, driver: neo4j.Driver) -> None:
    assert draw(driver, shared, "community", tree="serag", community="").captions == []
    assert draw(driver, shared, "community", tree="serag", community="nothing").captions == []


def test_it_is_said_why_two_passages_are_linked(shared: Corpus, shared_corpus: Knowledge) -> None:
    (apart,) = ask(shared_corpus, shared, "serag_linked_passages", document="Ulm", other_document="Albert Einstein")
    assert apart["passage"].startswith("0 · Ulm is a city")
    assert apart["other_passage"].startswith("0 · Albert Einstein was born")
    assert apart["names"] == ["Albert Einstein (1 and 2)", "Ulm (2 and 1)"]
    here, other = (communities_of(shared_corpus, title) for title in ("Ulm", "Albert Einstein"))
    assert here[1] != other[1]
    assert apart["together"] == [one for one in here if one in other]
    parts = 0.45 * apart["similar"] + 0.45 * apart["shared"] + 0.1 * apart["near"]
    assert apart["weight"] == pytest.approx(parts, abs=2e-4)  # they are rounded
    (there,) = ask(shared_corpus, shared, "serag_linked_passages", document="Danube", other_document="Ulm")
    assert there["together"] == communities_of(shared_corpus, "Ulm")
    assert ask(shared_corpus, shared, "serag_linked_passages", document="Ulm", other_document="Nowhere") == []


@pytest.fixture
def all_systems(knowledge: Knowledge) -> Iterator[None]:
    """The corpus has the indexes of all systems, and remembers an answer, while a test runs."""
    knowledge.index(systems=system_names())
    knowledge.ask("Who joined Acme?", 3, retriever="apr", remember=True)
    yield
    for name in system_names():
        knowledge.remove_system(name, forget=True)


@pytest.mark.gds
@pytest.mark.usefixtures("all_systems")
def test_the_examples_find_something_in_every_query(knowledge: Knowledge, corpus: Corpus) -> None:
    examples = example_parameters(knowledge.graph, corpus.label, contributions())
    assert (examples["name"], examples["document"]) == ("Ada", "A trip")
    for query in all_queries(saved_queries(corpus.label, contributions())):
        given = {name: examples[name] for name in query.parameters}
        assert ask(knowledge, corpus, query.name, **given), query.name


def test_a_corpus_without_names_has_examples_too(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([passage("one", "", "A passage.")])
    label = read_corpus(knowledge.graph, knowledge.corpus_name).label
    assert set(example_parameters(knowledge.graph, label, contributions()).values()) == {""}
