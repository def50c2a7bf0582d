"""Trees as rows to be stored."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from overstory.systems.tree.build import TreeNodes, stored_form
from overstory.systems.tree.changes import new_tree
from overstory.systems.tree.kinds import TreeKind
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


@given(st.sets(st.sampled_from("abcdefgh"), min_size=1).map(sorted), st.integers(0, 99))
def test_a_new_tree_is_written_with_all_properties_parents_and_units(units: list[str], seed: int) -> None:
    nodes = nodes_over(units, seed)
    rows = new_tree(nodes)
    assert len(rows) == 2 * len(nodes.ids) - 1 + len(units)
    written = {row["id"]: row["properties"] for row in rows.nodes}
    assert written.keys() == set(nodes.ids)
    always = {"corpus": "Corpus_0", "tree": "toy", "derived": "toys", "generation": 1}
    for place, id_ in enumerate(nodes.ids):
        assert written[id_].items() >= always.items()
        assert (written[id_]["size"], written[id_]["volume"]) == (nodes.sizes[place], nodes.volumes[place])
        assert {"vector", "title", "rating"}.isdisjoint(written[id_]) == (place < len(units))
    assert {row["id"]: row["parent"] for row in rows.places} == dict(zip(nodes.ids[:-1], nodes.parents, strict=False))
    assert {row["id"]: row["unit"] for row in rows.covers} == dict(zip(nodes.ids, units, strict=False))
