"""The package by itself, and under the name of `overstory.entropy`."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import overstory_entropy
from overstory import errors

ALONE = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in allowed:
            raise ModuleNotFoundError(f"{name} is not installed", name=name)

allowed = {*sys.stdlib_module_names, "numpy", "numba", "llvmlite", "overstory_entropy"}
sys.meta_path.insert(0, Blocked())

from overstory_entropy import EncodingTree, Graph, GraphError, encode

edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]
graph = Graph.from_edges(6, edges)
tree = encode(graph, levels=1)
try:
    Graph.from_edges(1, edges)
except GraphError as error:
    print(type(error).__name__)
print(sorted(tree.members(node).tolist() for node in tree.children(tree.root)))
"""


def test_a_tree_is_found_where_only_numpy_and_numba_are_installed() -> None:
    result = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=False)
    assert result.stdout.splitlines() == ["GraphError", "[[0, 1, 2], [3, 4, 5]]"], result.stderr


def test_its_errors_are_there_without_numpy() -> None:
    script = "import sys, overstory_entropy.errors; print({'numpy', 'numba'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"


@pytest.mark.parametrize("name", overstory_entropy.__all__)
def test_a_public_name_is_there_when_it_is_used(name: str) -> None:
    assert getattr(overstory_entropy, name).__name__ == name


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = overstory_entropy.nonsense  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


@pytest.mark.parametrize("module", ["entropy", "entropy.semantic"])
def test_the_alias_has_the_public_names(module: str) -> None:
    ours, alias = importlib.import_module(f"overstory_{module}"), importlib.import_module(f"overstory.{module}")
    assert set(alias.__all__) == set(ours.__all__)
    assert all(getattr(alias, name) is getattr(ours, name) for name in alias.__all__)


def test_its_error_is_one_of_overstory() -> None:
    assert errors.GraphError is overstory_entropy.GraphError
    assert issubclass(overstory_entropy.GraphError, errors.OverstoryError)
