"""SeRAG's tree as users see it: communities, their figures and topics, and errors with remedies."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.integration.systems.serag.oracle import checked_tree, chunk_graph
from tests.passages import CURIE, DANUBE, EINSTEIN, ULM, OpenCorpus, passage

from overstory.errors import EmbedderMismatch, IndexMissing, QuestionError, SettingsError
from overstory.graph import read_corpus
from overstory.graph.client import Row
from overstory.knowledge import Knowledge
from overstory.model.communities import Community, CommunityTree
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings
from overstory.systems.tree.view import _MOST_NODES_SHOWN

NEAR = 1e-9
RIVERS = ("Danube", "Rhine", "Elbe", "Oder", "Loire", "Po", "Tagus", "Volga")
PLANETS = ("Mercury", "Venus", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune", "Pluto")
PAINTERS = ("Vermeer", "Rubens", "Rembrandt", "Titian", "Goya", "Monet", "Manet", "Klee")
DOCUMENTS = (
    *(
        passage(f"r{n}", f"The {name}", f"The {name} is a river. Barges go up the {name}.")
        for n, name in enumerate(RIVERS)
    ),
    *(passage(f"p{n}", name, f"{name} orbits the Sun. A telescope shows {name}.") for n, name in enumerate(PLANETS)),
    *(passage(f"k{n}", name, f"{name} was a painter. A museum has oils by {name}.") for n, name in enumerate(PAINTERS)),
)


@pytest.fixture(scope="module")
def topics(open_module_corpus: OpenCorpus) -> Knowledge:
    """Three topics, with both trees."""
    knowledge = open_module_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=["serag:semantic"])
    return knowledge


def everything(community: Community) -> Iterator[Community]:
    yield community
    for below in community.communities:
        yield from everything(below)


def titles(community: Community) -> set[str]:
    return {passage.title for each in everything(community) for passage in each.passages}


def entropy_by_cypher(knowledge: Knowledge) -> Row:
    label = read_corpus(knowledge.graph, knowledge.corpus_name).label
    (row,) = knowledge.graph.run("saved_queries/tree_entropy", label, read=True, tree="serag")
    return row


def test_the_entropy_that_cypher_finds_is_that_of_the_definitions(topics: Knowledge, shared_corpus: Knowledge) -> None:
    for knowledge in (topics, shared_corpus):
        tree, found = checked_tree(knowledge, chunk_graph(knowledge)), entropy_by_cypher(knowledge)
        assert found["entropy"] == pytest.approx(tree.entropy, abs=NEAR)
        assert found["of_leaves"] == pytest.approx(tree.of_leaves, abs=NEAR)
        below_the_root = [level for level, _ in tree.communities if level]
        assert (found["communities"], found["leaves"]) == (len(below_the_root), knowledge.status().counts["chunks"])
        assert knowledge.tree(tree="serag").entropy == pytest.approx(tree.entropy, abs=NEAR)


def bits(figure: float | None) -> float:
    """A figure that an encoding tree has."""
    assert figure is not None
    return figure


def test_terms_of_the_entropy_add_up(topics: Knowledge) -> None:
    whole = topics.tree(depth=2, limit=100)
    assert whole.community.entropy == 0
    assert whole.community.entropy_below == pytest.approx(whole.entropy, abs=NEAR)
    for community in (whole.community, *whole.community.communities):
        below = sum(bits(each.entropy) + bits(each.entropy_below) for each in community.communities)
        assert community.entropy_below == pytest.approx(below, abs=NEAR)


def test_communities_are_shown_largest_first_with_what_they_are_about(topics: Knowledge) -> None:
    whole = topics.tree(depth=3, limit=100)
    sizes = [community.size for community in whole.community.communities]
    assert sizes == sorted(sizes, reverse=True)
    assert (whole.size, sum(sizes)) == (len(DOCUMENTS), len(DOCUMENTS))
    assert whole.levels == (len(sizes), sum(len(each.communities) for each in whole.community.communities))
    planets = next(each for each in whole.community.communities if "Saturn" in titles(each))
    assert "Neptune" in titles(planets)
    assert "The Loire" not in titles(planets)
    assert 1 <= len(planets.names) <= 5
    assert {each.name for each in planets.names} <= {*PLANETS, "Sun"}
    assert any("orbits the Sun" in sentence or "telescope" in sentence for sentence in planets.sentences)
    assert all(len(each.sentences) in (1, 2) and 0 <= bits(each.inside) <= 1 for each in everything(planets))


def test_one_goes_down_by_the_beginning_of_an_id(topics: Knowledge) -> None:
    upper = topics.tree().community.communities[0]
    assert upper.below > 0
    assert not upper.communities
    assert not upper.passages
    lower = topics.tree(upper.short_id).community.communities[0]
    shown = topics.tree(f" {lower.short_id.upper()} ")
    assert (shown.community.id, shown.above) == (lower.id, (upper.id,))
    assert (len(shown.community.passages), shown.community.below) == (lower.size, lower.size)
    likeness = [passage.similarity for passage in shown.community.passages]
    assert likeness == sorted(likeness, reverse=True)


def test_the_rest_is_counted(topics: Knowledge) -> None:
    whole = topics.tree(limit=1)
    assert len(whole.community.communities) == 1
    more = sum(topics.tree().levels[:1]) - 1
    assert whole.community.hidden == f"{more} more communities"
    assert f"… {more} more communities" in repr(whole)
    bottom = max(topics.tree(depth=2).community.communities[0].communities, key=lambda each: each.size)
    assert topics.tree(bottom.id, limit=1).community.hidden.startswith(f"{bottom.size - 1} more passage")


def test_no_more_is_shown_than_can_be_read(topics: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overstory.systems.tree.view._MOST_NODES_SHOWN", 4)
    whole = topics.tree(depth=3)
    assert len([*everything(whole.community)]) == 1 + 4 < _MOST_NODES_SHOWN
    assert len(titles(whole.community)) <= 4
    assert "only 4 communities are shown" in whole.notes[0]


def test_the_tree_over_meaning_alone_is_another_one(topics: Knowledge) -> None:
    semantic = topics.tree(tree="serag-semantic")
    assert "tree serag-semantic:" in semantic.headline
    assert topics.tree().tree == topics.tree(tree="serag").tree == "serag"
    assert not {each.id for each in semantic.community.communities} & {
        each.id for each in topics.tree().community.communities
    }
    with pytest.raises(QuestionError, match="starts with"):
        topics.tree(semantic.community.id)


@pytest.mark.parametrize(
    ("node", "options", "says"),
    [
        ("0000000000", {}, "No community"),
        ("not hex", {}, "No community"),
        ("", {}, "No community"),
        (None, {"depth": 0}, "depth must be between 1 and 10, got 0"),
        (None, {"limit": 101}, "limit must be between 1 and 100, got 101"),
    ],
)
def test_what_cannot_be_asked_is_said(topics: Knowledge, node: str | None, options: dict[str, int], says: str) -> None:
    with pytest.raises(QuestionError, match=says) as raised:
        topics.tree(node, **options)  # type: ignore[arg-type] # the names of the options stand above
    assert raised.value.remedy


def test_several_communities_are_named_where_one_was_meant(topics: Knowledge) -> None:
    whole = topics.tree(depth=2, limit=100).community
    first = [each.id[0] for each in everything(whole)]
    twice = next(digit for digit in first if first.count(digit) > 1)
    with pytest.raises(QuestionError, match=f"starts with '{twice}'") as raised:
        topics.tree(twice)
    assert all(each.short_id in str(raised.value) for each in everything(whole) if each.id.startswith(twice))
    assert (
        f"overstory tree --corpus '{topics.corpus_name}' --tree serag " in raised.value.remedy
    )  # quoted, for the space


def test_a_missing_tree_is_said_with_what_makes_it(shared_corpus: Knowledge, open_corpus: OpenCorpus) -> None:
    with pytest.raises(IndexMissing, match="over meaning alone") as raised:
        shared_corpus.tree(tree="serag-semantic")
    assert "overstory index --system serag:semantic --corpus shared" in raised.value.remedy
    with pytest.raises(SettingsError, match="no tree 'slimrag'") as unknown:
        shared_corpus.tree(tree="slimrag")
    there, *missing = unknown.value.remedy.split("\n  To build ")
    assert there.startswith("Corpus 'shared' has: ")
    assert " serag (SeRAG tree, of passages)" in there
    build = "serag-semantic (SeRAG tree over meaning alone, of passages): overstory index --system"
    assert [each.startswith(build) for each in missing].count(True) == 1
    bare = open_corpus()
    bare.ingest_documents([ULM])
    bare.index()
    with pytest.raises(IndexMissing, match="has no SeRAG index"):
        bare.tree(tree="serag")
    with pytest.raises(IndexMissing, match="has no tree") as raised:
        bare.tree()
    assert "overstory index --system serag " in raised.value.remedy


def test_a_tree_that_is_older_than_the_corpus_says_so(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([EINSTEIN, ULM, DANUBE])
    knowledge.index(systems=["serag"])
    assert knowledge.tree().notes == ()
    knowledge.ingest_documents([CURIE])
    (note,) = knowledge.tree().notes
    assert note.startswith(
        "1 of 4 passages are new or changed since the SeRAG index was last brought up to date: run overstory index"
    )
    for document in (CURIE, DANUBE):
        knowledge.delete_documents(knowledge.document_id(document.source, document.source_key))
    (note,) = knowledge.tree().notes
    assert note.startswith("passages were deleted since the SeRAG index was built")
    knowledge.index()
    assert (knowledge.tree().size, knowledge.tree().notes) == (2, ())


def test_a_community_goes_with_the_last_of_its_passages(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=["serag"])
    bottom = [each for each in everything(knowledge.tree(depth=3, limit=100).community) if each.passages]
    emptied = min(bottom, key=lambda each: (each.size, each.id))
    gone = {each.title for each in emptied.passages}
    for document in DOCUMENTS:
        if document.title in gone:
            knowledge.delete_documents(knowledge.document_id(document.source, document.source_key))
    knowledge.index()
    whole = knowledge.tree(depth=3, limit=100)
    assert emptied.id not in {each.id for each in everything(whole.community)}
    assert titles(whole.community) == {document.title for document in DOCUMENTS} - gone
    assert checked_tree(knowledge, chunk_graph(knowledge), near=True).of_leaves > 0


def test_a_tree_that_goes_while_it_is_read_is_said(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([ULM])
    knowledge.index(systems=["serag"])
    knowledge.graph.native_driver().execute_query(
        "MATCH (t:TreeNode {corpus: $label}) DETACH DELETE t",
        label=knowledge.status().corpus.label,
        database_="neo4j",
    )
    with pytest.raises(IndexMissing, match="replaced while it was being read") as raised:
        knowledge.tree()
    assert raised.value.remedy.startswith("Try again.")


def test_another_embedder_is_refused(topics: Knowledge, settings: Settings, models: tuple[Embedder, Extractor]) -> None:
    class Another:
        fingerprint = "another:1"
        token_limit = 512
        dimension = 3
        embed = models[0].embed
        count_tokens = models[0].count_tokens

    with Knowledge(topics.corpus_name, settings=settings) as knowledge:
        knowledge.use(embedder=Another())
        with pytest.raises(EmbedderMismatch):
            knowledge.tree()


def test_a_tree_reads_well(topics: Knowledge) -> None:
    whole = topics.tree(depth=3, limit=100)
    assert isinstance(whole, CommunityTree)
    lines = repr(whole).splitlines()
    levels = " + ".join(map(str, whole.levels))
    of = f"corpus {topics.corpus_name!r}, tree serag: 24 passages in {levels} communities, {whole.entropy:.4f} bits"
    assert lines[0] == f"<CommunityTree of {of}>"
    first = whole.community.communities[0]
    assert lines[1].startswith(f"{first.short_id}  {first.size} passages, ")
    assert any(line.strip().startswith("Saturn [tests/passages#p4]: Saturn orbits the Sun.") for line in lines)
