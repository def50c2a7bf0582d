"""Trees as differences to what is stored."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.systems.tree.applied import stored_after

from overstory.systems.tree.build import TreeNodes, stored_form
from overstory.systems.tree.changes import tree_changes
from overstory.systems.tree.kinds import TreeKind
from overstory.systems.tree.stored import StoredNode, StoredTree
from overstory_entropy import EncodingTree, Graph

KIND = TreeKind("toy", "toy tree", "entity", "ToyNode", structure="toys", properties=("title", "rating"))


def nodes_over(units: list[str], seed: int) -> TreeNodes:
    """A tree of two levels over some units, drawn by a seed; some of its communities have titles."""
    drawn = random.Random(seed)  # noqa: S311 # no secret
    n = len(units)
    edges = [(one, other) for one in range(n) for other in range(one) if drawn.random() < 0.5]
    weights = [drawn.choice([0.5, 1.0, 1.5]) for _ in edges]
    graph = Graph.from_edges(n, np.array(edges, dtype=np.int64).reshape(-1, 2), weights)
    fine = np.array([drawn.randrange(4) for _ in units], dtype=np.int64)
    tree = EncodingTree.from_labels(graph, fine // 2, fine)
    vectors = np.array([[1.0, ord(unit) - 100.0] for unit in units], dtype=np.float32)
    titles = {
        node: {"title": f"Community {drawn.randrange(3)}", "rating": drawn.randrange(2)}
        for node in range(n, len(tree))
        if drawn.random() < 0.8
    }
    return stored_form(tree, units, vectors, kind=KIND, corpus="Corpus_0", generation=1, properties=titles)


def as_stored(nodes: TreeNodes) -> StoredTree:
    leaves = len(nodes.units)
    return {
        id_: StoredNode(
            parent=nodes.parents[place],
            level=nodes.levels[place],
            size=nodes.sizes[place],
            volume=float(nodes.volumes[place]),
            cut=float(nodes.cuts[place]),
            unit=nodes.units[place] if place < leaves else "",
            vector=b"" if place < leaves else nodes.vectors[place - leaves],
            properties=() if place < leaves else tuple(nodes.properties[place - leaves].values()),
        )
        for place, id_ in enumerate(nodes.ids)
    }


some_units = st.sets(st.sampled_from("abcdefgh"), min_size=1).map(sorted)


@given(some_units, some_units, st.integers(0, 99), st.integers(0, 99))
def test_after_the_changes_the_stored_tree_is_the_new_one(
    before: list[str], now: list[str], seed: int, other_seed: int
) -> None:
    stored, wanted = as_stored(nodes_over(before, seed)), nodes_over(now, other_seed)
    changes = tree_changes(wanted, stored)
    assert stored_after(changes, stored) == as_stored(wanted)
    assert len(tree_changes(wanted, as_stored(wanted))) == 0
    deleted = {id_: node for id_, node in stored.items() if node.unit != before[0]}  # as its unit takes its leaf along
    assert stored_after(tree_changes(wanted, deleted), deleted) == as_stored(wanted)
    left = {id_: replace(node, unit="") if node.unit == before[0] else node for id_, node in stored.items()}
    assert stored_after(tree_changes(wanted, left), left) == as_stored(wanted)  # its leaf stayed, and finds it again


@given(some_units, some_units, st.integers(0, 99))
def test_what_is_written_finds_its_parents_and_what_is_new_has_all_properties(
    before: list[str], now: list[str], seed: int
) -> None:
    stored, wanted = as_stored(nodes_over(before, seed)), nodes_over(now, seed + 1)
    changes = tree_changes(wanted, stored)
    there = stored.keys() | {row["id"] for row in changes.nodes}
    assert {row["parent"] for row in changes.places} <= there - set(changes.gone)
    assert {row["unit"] for row in changes.covers} == set(now) - set(before)
    always = {"corpus": "Corpus_0", "tree": "toy", "derived": "toys", "generation": 1}
    for row in changes.nodes:
        if row["id"] not in stored:
            assert row["properties"].items() >= always.items()
            assert {"level", "size", "volume", "cut"} <= row["properties"].keys()


def test_sums_in_another_order_are_the_same_volume() -> None:
    nodes = nodes_over(list("abcdefgh"), 7)
    stored = as_stored(nodes)
    nodes.volumes.flags.writeable = True
    nodes.volumes[0] *= 1.0 + 1e-14
    assert len(tree_changes(nodes, stored)) == 0
    nodes.volumes[0] *= 1.0 + 1e-6
    assert [row["id"] for row in tree_changes(nodes, stored).nodes] == [nodes.ids[0]]
