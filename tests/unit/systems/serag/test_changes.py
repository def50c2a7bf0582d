"""Edges and trees as differences to what is stored."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from overstory.entropy import EncodingTree, Graph
from overstory.systems.serag.changes import SAME_WEIGHT, Links, TreeChanges, link_changes, stored_after, tree_changes
from overstory.systems.serag.graph_reads import LinkWeights, StoredNode, Tree
from overstory.systems.serag.trees import TreeNodes, stored_form

PAIRS = [(one, other) for one in "abcd" for other in "abcd" if one < other]

link_weights = st.dictionaries(st.sampled_from(PAIRS), st.sampled_from([0.25, 0.5, 0.75]))


def links(weights: LinkWeights) -> Links:
    values = list(weights.values())
    return Links(list(weights), values, values, [0.0] * len(values), [0.0] * len(values))


@given(link_weights, link_weights)
def test_after_the_changes_exactly_the_wanted_edges_are_stored(wanted: LinkWeights, stored: LinkWeights) -> None:
    changes = link_changes(links(wanted), stored)
    assert changes.applied_to(stored) == wanted
    assert changes.pairs() == {pair for pair in PAIRS if wanted.get(pair) != stored.get(pair)}
    gone = [(row["one"], row["other"]) for row in changes.gone]
    assert len(gone) == len(set(gone))
    written = {(row["one"], row["other"]) for row in changes.new}
    assert written & stored.keys() <= set(gone)  # or an edge would be there twice
    again = link_changes(links(wanted), changes.applied_to(stored))
    assert (again.new, again.gone) == ([], [])


def test_what_differs_by_rounding_is_the_same_edge() -> None:
    stored = {("a", "b"): 0.5, ("a", "c"): 0.5}
    changes = link_changes(links({("a", "b"): 0.5 + SAME_WEIGHT / 2, ("a", "c"): 0.5 + 2 * SAME_WEIGHT}), stored)
    assert changes.pairs() == {("a", "c")}
    assert changes.applied_to(stored)["a", "b"] == 0.5


def nodes_over(chunks: list[str], seed: int) -> TreeNodes:
    """A tree of two levels over some chunks, drawn by a seed."""
    drawn = random.Random(seed)  # noqa: S311 # no secret
    n = len(chunks)
    edges = [(one, other) for one in range(n) for other in range(one) if drawn.random() < 0.5]
    weights = [drawn.choice([0.5, 1.0, 1.5]) for _ in edges]
    graph = Graph.from_edges(n, np.array(edges, dtype=np.int64).reshape(-1, 2), weights)
    fine = np.array([drawn.randrange(4) for _ in chunks], dtype=np.int64)
    tree = EncodingTree.from_labels(graph, fine // 2, fine)
    vectors = np.array([[1.0, ord(chunk) - 100.0] for chunk in chunks], dtype=np.float32)
    return stored_form(tree, chunks, vectors, label="Corpus_0", name="serag", generation=1)


def as_stored(nodes: TreeNodes) -> Tree:
    leaves = len(nodes.chunks)
    return {
        id_: StoredNode(
            parent=nodes.parents[place],
            level=nodes.levels[place],
            size=nodes.sizes[place],
            volume=float(nodes.volumes[place]),
            cut=float(nodes.cuts[place]),
            chunk=nodes.chunks[place] if place < leaves else "",
            vector=b"" if place < leaves else nodes.vectors[place - leaves],
        )
        for place, id_ in enumerate(nodes.ids)
    }


def changes_of(nodes: TreeNodes, stored: Tree) -> TreeChanges:
    return tree_changes(nodes, stored, corpus="Corpus_0", tree="serag", generation=1)


some_chunks = st.sets(st.sampled_from("abcdefgh"), min_size=1).map(sorted)


@given(some_chunks, some_chunks, st.integers(0, 99), st.integers(0, 99))
def test_after_the_changes_the_stored_tree_is_the_new_one(
    before: list[str], now: list[str], seed: int, other_seed: int
) -> None:
    stored, wanted = as_stored(nodes_over(before, seed)), nodes_over(now, other_seed)
    changes = changes_of(wanted, stored)
    assert stored_after(changes, stored) == as_stored(wanted)
    assert len(changes_of(wanted, as_stored(wanted))) == 0
    deleted = {
        id_: node for id_, node in stored.items() if node.chunk != before[0]
    }  # as its chunk takes its leaf along
    assert stored_after(changes_of(wanted, deleted), deleted) == as_stored(wanted)


@given(some_chunks, some_chunks, st.integers(0, 99))
def test_what_is_written_finds_its_parents_and_what_is_new_has_all_properties(
    before: list[str], now: list[str], seed: int
) -> None:
    stored, wanted = as_stored(nodes_over(before, seed)), nodes_over(now, seed + 1)
    changes = changes_of(wanted, stored)
    there = stored.keys() | {row["id"] for row in changes.nodes}
    assert {row["parent"] for row in changes.places} <= there - set(changes.gone)
    assert {row["chunk"] for row in changes.covers} == set(now) - set(before)
    for row in changes.nodes:
        if row["id"] not in stored:
            assert row["properties"].items() >= {"corpus": "Corpus_0", "tree": "serag", "generation": 1}.items()
            assert {"level", "size", "volume", "cut"} <= row["properties"].keys()


def test_sums_in_another_order_are_the_same_volume() -> None:
    nodes = nodes_over(list("abcdefgh"), 7)
    stored = as_stored(nodes)
    nodes.volumes.flags.writeable = True
    nodes.volumes[0] *= 1.0 + 1e-14
    assert len(changes_of(nodes, stored)) == 0
    nodes.volumes[0] *= 1.0 + 1e-6
    assert [row["id"] for row in changes_of(nodes, stored).nodes] == [nodes.ids[0]]
