"""Clusters of vectors: how many, how large, and the same ones every time."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from tests.unit.systems.hirag.blobs import blobs

from overstory.errors import install_command
from overstory.protocols import Vectors
from overstory_systems.hirag.layers import _K_MEANS_PIECE_ENTITIES, clusters, sparsity
from overstory_systems.hirag.settings import Clusters

BY: tuple[Clusters, ...] = ("mixture", "k-means")


def sizes(vectors: Vectors, by: Clusters = "mixture", most: int = 30) -> list[int]:
    labels = clusters(vectors, by=by, most=most).labels
    assert labels.shape == (len(vectors),)
    return np.bincount(labels).tolist() if len(labels) else []


@pytest.mark.parametrize(
    ("counts", "expected"),
    [((), 1.0), ((1,), 1.0), ((1, 1, 1), 1.0), ((4,), 0.0), ((2, 2), 1 - 4 / 12), ((3, 1), 1 - 6 / 12)],
)
def test_sparsity_is_one_less_the_share_of_pairs_in_a_cluster(counts: tuple[int, ...], expected: float) -> None:
    assert sparsity(counts) == pytest.approx(expected)


def test_a_mixture_finds_groups_that_lie_apart() -> None:
    vectors, truth = blobs(groups=8, each=12)
    labels = clusters(vectors).labels
    pairs = set(zip(labels.tolist(), truth.tolist(), strict=True))
    assert len(pairs) == 8


def test_clusters_are_numbered_by_their_first_members() -> None:
    vectors, _ = blobs(groups=8, each=12)
    labels = clusters(vectors).labels
    _, first = np.unique(labels, return_index=True)
    assert labels[0] == 0
    assert (np.diff(first) > 0).all()


@pytest.mark.parametrize("by", BY)
def test_one_large_group_is_split_until_none_is_above_the_limit(by: Clusters) -> None:
    vectors = np.random.default_rng(1).normal(size=(200, 16)).astype(np.float32)
    found = sizes(vectors, by, most=12)
    assert sum(found) == 200
    assert max(found) <= 12


def test_a_component_above_the_limit_counts_as_one_and_is_divided() -> None:
    vectors, truth = blobs(groups=3, each=50)
    found = clusters(vectors, most=30)
    assert sorted(found.components) == [50, 50, 50]
    assert np.bincount(found.labels).max() <= 30
    for label in np.unique(found.labels):
        assert len(set(truth[found.labels == label].tolist())) == 1


def test_groups_of_k_means_have_the_wanted_size_on_the_average() -> None:
    vectors, _ = blobs(groups=3, each=50)
    assert len(clusters(vectors, by="k-means", wanted=5).components) == 30


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("value", [0.0, 0.5])
def test_equal_vectors_are_cut_apart_in_their_order(value: float, by: Clusters) -> None:
    labels = clusters(np.full((70, 8), value, dtype=np.float32), by=by).labels
    assert labels.tolist() == [place // 30 for place in range(70)]


def test_entities_without_any_groups_are_not_parted_one_by_one() -> None:
    vectors = np.random.default_rng(3).normal(size=(12, 32)).astype(np.float32)
    assert sizes(vectors) == [12]


def test_few_entities_are_in_one_cluster() -> None:
    vectors, _ = blobs(groups=1, each=3)
    for count in range(4):
        assert clusters(vectors[:count]).labels.tolist() == [0] * count


def test_a_zero_vector_and_fewer_dimensions_than_components_do_no_harm() -> None:
    vectors, _ = blobs(groups=4, each=10, dimension=2)
    vectors[7] = 0.0
    assert sum(sizes(vectors)) == 40


def test_above_a_piece_k_means_cuts_into_groups_of_the_wanted_size() -> None:
    vectors, _ = blobs(groups=500, each=10, dimension=24)
    assert len(vectors) > _K_MEANS_PIECE_ENTITIES
    found = sizes(vectors, "k-means")
    assert sum(found) == len(vectors)
    assert max(found) <= 30
    assert np.mean(found) == pytest.approx(10, rel=0.3)


def test_equal_vectors_above_a_piece_end_too() -> None:
    found = sizes(np.ones((_K_MEANS_PIECE_ENTITIES + 5, 4), dtype=np.float32), "k-means")
    assert max(found) == 30
    assert sum(found) == _K_MEANS_PIECE_ENTITIES + 5


@pytest.mark.parametrize("by", BY)
def test_the_same_vectors_give_the_same_clusters(by: Clusters) -> None:
    vectors, _ = blobs(groups=60, each=10, dimension=24)
    assert (clusters(vectors, by=by).labels == clusters(vectors, by=by).labels).all()


def test_scikit_learn_is_loaded_when_it_is_used_and_its_absence_has_a_remedy() -> None:
    """In a process of its own, in which it is hidden."""
    program = """
import sys
import overstory_systems.hirag.layers, overstory_systems.hirag.layers, overstory.vectors.k_means as k_means
from overstory.errors import ExtraMissing
assert "sklearn" not in sys.modules
sys.modules["sklearn"] = None
try:
    k_means.require_clustering()
except ExtraMissing as error:
    print(error.remedy)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"Install it: {install_command('hirag')}"
