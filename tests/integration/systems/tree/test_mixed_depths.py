"""A tree whose communities have both communities and leaves right below them: shown and drawn whole."""

from __future__ import annotations

from collections.abc import Iterator

import neo4j
import numpy as np
import pytest
from tests.fakes import ScriptedExtractor
from tests.passages import OpenCorpus, passage

from overstory.browser.queries import all_queries, saved_queries
from overstory.graph import read_corpus, writing
from overstory.knowledge import Knowledge
from overstory.protocols import Silence
from overstory.settings import Settings
from overstory.systems import find_system
from overstory.systems.state import read_state
from overstory.systems.tree.build import TreeNodes
from overstory.systems.tree.changes import new_tree, write_tree
from overstory.systems.tree.kinds import TreeKind, tree_leaf_id, tree_node_id
from overstory.vectors.packed import packed
from overstory_cli.browser import contributions
from overstory_cli.main import run
from overstory_entropy import EncodingTree, Graph

TYPES: dict[str, str] = dict.fromkeys(("Ada", "Bob", "Cid", "Dan", "Eva"), "PERSON")
DOCUMENTS = [passage(name, f"About {name}", f"{name} wrote of {name}. {name} lives.") for name in TYPES]
KINDS = [
    TreeKind(f"grove-mixed-{unit}", "Grove", unit, "GroveNode", structure="grove")
    for unit in ("document", "chunk", "entity")
]
LABELS = {"document": "Document", "chunk": "Chunk", "entity": "Entity"}
CHAIN = Graph.from_edges(5, np.array([[0, 1], [1, 2], [2, 3], [3, 4]]))
INNER, OUTER, ROOT = 5, 6, 7
TREE = EncodingTree.from_parents(CHAIN, [INNER, INNER, OUTER, OUTER, ROOT, OUTER, ROOT, -1])
"""Two leaves in a community that is in another, which has two leaves of its own; the last leaf is in none."""
ALONE = EncodingTree.from_parents(CHAIN, [5, 5, 5, 5, 5, -1])


@pytest.fixture(scope="module")
def grove(open_module_corpus: OpenCorpus, installed: None) -> Iterator[Knowledge]:
    """Yield a corpus with a tree of each unit, all of one shape, in addition to those that the system builds."""
    knowledge = open_module_corpus(extractor=ScriptedExtractor(TYPES))
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=["grove:documents"])
    for kind in KINDS:
        store(knowledge, kind, TREE)
    with pytest.MonkeyPatch.context() as patch:
        system = type(find_system("grove"))
        patch.setattr(system, "trees", (*system.trees, *KINDS))
        yield knowledge


def store(knowledge: Knowledge, kind: TreeKind, tree: EncodingTree) -> None:
    """Stores a tree over the units of a corpus, in order of id, in the generation in use."""
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    state = read_state(find_system("grove"), corpus)
    assert state is not None
    name, label, generation = kind.name, corpus.label, state.generation
    units = units_of(knowledge, kind)
    ids = [tree_leaf_id(label, name, generation, unit) for unit in units]
    depths = tree.depths.tolist()
    ids += [tree_node_id(label, name, generation, depths[node], units[0]) for node in range(len(units), len(tree))]
    nodes = TreeNodes(
        kind=kind,
        corpus=label,
        generation=generation,
        ids=ids,
        parents=[*(ids[parent] for parent in tree.parents[:-1].tolist()), ""],
        levels=depths,
        sizes=tree.sizes.tolist(),
        volumes=tree.volume,
        cuts=tree.cut,
        units=units,
        vectors=packed(knowledge.embedder.embed(["Ada", "Cid", "Eva"][: len(tree) - len(units)])),
    )
    with writing(knowledge.graph, corpus, "index") as writer:
        write_tree(writer, new_tree(nodes), Silence())


def units_of(knowledge: Knowledge, kind: TreeKind) -> list[str]:
    label = knowledge.status().corpus.label
    records = knowledge.graph.native_driver().execute_query(
        "MATCH (n:Overstory {corpus: $label}) WHERE $kind IN labels(n) AND coalesce(n.name, 'Ada') IN $names "
        "RETURN n.id AS id ORDER BY id",
        {"label": label, "kind": LABELS[kind.unit], "names": list(TYPES)},
        database_="neo4j",
    )
    return [record["id"] for record in records.records]


def ids_of(members: object) -> set[str]:
    assert isinstance(members, tuple)
    return {getattr(each, "chunk_id", "") or getattr(each, "entity_id", "") or each.document_id for each in members}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.unit)
def test_below_a_community_are_its_communities_and_the_leaves_that_are_in_none_of_them(
    grove: Knowledge, kind: TreeKind
) -> None:
    units = units_of(grove, kind)
    found = grove.tree(tree=kind.name, depth=3)
    assert (found.size, found.levels) == (5, (1, 1))
    assert found.entropy == pytest.approx(TREE.entropy, abs=1e-9)
    assert any(note.startswith("1 ") and note.endswith(" is in no community") for note in found.notes)
    root = found.community
    assert (root.below, root.leaves, root.members, root.hidden) == (2, 1, (), "")
    (outer,) = root.communities
    assert (outer.level, outer.size, outer.below, outer.leaves) == (1, 4, 3, 2)
    assert ids_of(outer.members) == set(units[2:4])
    (inner,) = outer.communities
    assert (inner.level, inner.size, inner.below, inner.leaves) == (2, 2, 2, 2)
    assert ids_of(inner.members) == set(units[:2])
    assert repr(found).index(str(inner.members[0])) < repr(found).index(str(outer.members[0]))

    few = grove.tree(outer.id, tree=kind.name, limit=1).community
    assert (len(few.communities), len(few.members)) == (1, 1)
    assert few.hidden.startswith("1 more ")
    closed = grove.tree(tree=kind.name, depth=1).community.communities[0]
    assert (closed.communities, closed.members, closed.hidden) == ((), (), "")


def test_the_command_shows_both(
    grove: Knowledge, settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OVERSTORY_HOME", str(settings.places.data))
    kind = KINDS[0]
    outer = grove.tree(tree=kind.name).community.communities[0]
    assert run(["tree", "--corpus", grove.corpus_name, "--tree", kind.name, "--limit", "1", outer.short_id]) == 0
    shown = capsys.readouterr()
    lines = [line for line in shown.out.splitlines() if line.startswith("    ") and not line.startswith("     ")]
    assert "2 documents, " in lines[-3]
    assert "About " in lines[-2]
    assert lines[-1] == "    … 1 more document"
    assert "1 document is in no community" in shown.err


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.unit)
def test_saved_queries_reach_leaves_at_every_depth(grove: Knowledge, kind: TreeKind) -> None:
    label = grove.status().corpus.label
    driver = grove.graph.native_driver()
    texts = {each.name: each.text for each in all_queries(saved_queries(label, contributions()))}
    outer = grove.tree(tree=kind.name).community.communities[0]

    def drawn(query: str, **parameters: str) -> list[neo4j.graph.Path]:
        asked = neo4j.Query(texts[query])  # pyright: ignore[reportArgumentType] # literal text, but for the label
        records = driver.execute_query(asked, {"tree": kind.name, **parameters}, database_="neo4j").records
        return [value for record in records for value in record.values() if isinstance(value, neo4j.graph.Path)]

    assert len(drawn("tree")) == 2
    paths = drawn("community", community=outer.short_id)
    covered = {node["id"] for path in paths for node in path.nodes if LABELS[kind.unit] in node.labels}
    assert covered >= set(units_of(grove, kind)[:4])
    (row,) = grove.graph.run("saved_queries/tree_entropy", label, read=True, tree=kind.name)
    assert row["entropy"] == pytest.approx(TREE.entropy, abs=1e-9)
    assert (row["communities"], row["leaves"]) == (2, 5)


def test_a_tree_without_communities_says_why_there_is_no_report(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(extractor=ScriptedExtractor(TYPES))
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=["grove"])
    kind = next(each for each in find_system("grove").trees if each.name == "grove-names")
    label = knowledge.status().corpus.label
    knowledge.graph.native_driver().execute_query(
        "MATCH (t:GroveNode {corpus: $label}) DETACH DELETE t", {"label": label}, database_="neo4j"
    )
    store(knowledge, kind, ALONE)
    reports = knowledge.reports()
    assert reports.headline == f"Corpus {knowledge.corpus_name!r}, tree grove-names: no reports"
    assert reports.notes[-1].startswith(
        "the Grove tree has no communities to report on because no edges connect its 5 entities: ingest more documents"
    )
    assert "overstory index" in reports.notes[-1]
    assert "5 entities are in no community" in knowledge.tree().notes
