"""Binary trees over generated graphs, as the moves of leaves and subtrees take them."""

from __future__ import annotations

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList, binary_parents_over, edge_lists

from overstory_entropy.binary_tree import BinaryTree, children_of, in_order
from overstory_entropy.problem import PlacementProblem, vertices_as_nodes


@st.composite
def trees_of_graphs(draw: st.DrawFn, most: int) -> tuple[EdgeList, PlacementProblem, BinaryTree]:
    given_graph = draw(edge_lists(least=2, most=most))
    assume(given_graph.edges)
    parents = np.array(draw(binary_parents_over(given_graph.vertices)))
    return given_graph, vertices_as_nodes(given_graph.graph()), in_order(*children_of(parents), len(parents) - 1)


def measured(given_graph: EdgeList, tree: BinaryTree) -> float:
    return oracle.entropy(*given_graph, tree.parents.tolist())
