"""The trained policy, its features, and the selection of paths (Lemma 8)."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.systems.apr.runs import direction, edge, recalled, related, run, vectors

from overstory.protocols import Vectors
from overstory.vectors.packed import of_unit_length
from overstory_systems.apr.codebook import CodebookEdge, Triple
from overstory_systems.apr.policy import (
    _SAME_PATH_COSINE,
    Path,
    Policy,
    consensus,
    edge_cosine,
    features_of,
    groups,
    select,
    trained,
)


def test_features_are_what_the_prompt_is_built_from() -> None:
    wrote, born = edge("Stoker|wrote|Dracula"), edge("Stoker|born in|Dublin")
    runs = [
        run("a", wrote, score=3.0, along=vectors(direction(0))),
        run("b", born, score=1.0, along=vectors(direction(1))),
        run("c", edge("Bram Stoker|was born in|Dublin"), score=0.5, along=vectors(direction(1, beside=2, by=0.1))),
    ]
    found = features_of([Triple("", "wrote", "Dracula")], runs, [recalled("x", born, similarity=0.7)], [related("y")])
    assert found.triples == found.answers == found.related == pytest.approx(np.log(2))
    assert found.words == pytest.approx(np.log(3))
    assert found.runs == pytest.approx(np.log(4))
    assert (found.best, found.margin, found.fall) == (3.0, 2.0, 2.5)
    assert 0.0 < found.entropy < 1.0
    assert found.repeated == pytest.approx(1 / 3)
    assert found.cited == pytest.approx(1 / 3)
    assert found.similarity == 0.7


def test_a_question_of_which_nothing_was_found_has_features() -> None:
    assert not features_of([], [], [], []).row.any()


def test_equal_scores_are_as_ambiguous_as_can_be() -> None:
    runs = [run(name, edge(f"{name}|b|c")) for name in "ab"]
    assert features_of([], runs, [], []).entropy == pytest.approx(1.0)


def test_the_policy_refuses_other_features_than_it_was_trained_with() -> None:
    with pytest.raises(ValueError, match="trained with"):
        Policy.from_json({"features": ["one"]})


def test_the_policy_that_comes_along_reads_facts_unless_the_question_was_answered_before() -> None:
    runs = [run(f"r{nr}", edge(f"a|b|{nr}"), edge(f"c|d|{nr}"), score=2.5 - 0.04 * nr) for nr in range(20)]
    asked = [Triple("", "wrote", "Dracula")]
    fresh = trained().choose(features_of(asked, runs, [], []))
    again = trained().choose(features_of(asked, runs, [recalled("x", *runs[0].run.edges, similarity=1.0)], []))
    assert fresh.facts != "none"
    assert again.facts == "none"
    assert again.answers != "none"


BORN, WROTE = edge("Stoker|born in|Dublin"), edge("Stoker|wrote|Dracula")
BORN_AT, WROTE_IT = edge("Bram Stoker|was born in|Dublin"), edge("Bram Stoker|is the author of|Dracula")
FAR = edge("Paris|is in|France")


def path(*edges: CodebookEdge, along: Vectors) -> Path:
    return Path(edges, along)


def test_what_an_action_takes() -> None:
    paths = [
        path(BORN, along=vectors(direction(0))),
        path(FAR, along=vectors(direction(3))),
        path(BORN_AT, along=vectors(direction(0, beside=1, by=0.1))),
    ]
    assert select("abc", paths, "all") == ["a", "b", "c"]
    assert select("abc", paths, "unique") == ["a", "b"]
    assert select("abc", paths, "none") == []
    assert select([], [], "unique") == []


def test_the_same_whole_with_other_edges_says_something_else() -> None:
    one = path(BORN, WROTE, along=vectors(direction(0), direction(1)))
    between = vectors([1.0, 1.0] + [0.0] * 14)
    other = path(FAR, along=between)
    assert float(of_unit_length(one.vectors.sum(axis=0, keepdims=True))[0] @ between[0]) == pytest.approx(1.0)
    assert edge_cosine(one.vectors, other.vectors) < _SAME_PATH_COSINE
    assert groups([one, other]) == [[0], [1]]


def test_a_part_of_a_path_says_less_than_the_path() -> None:
    one = path(BORN, WROTE, along=vectors(direction(0), direction(1)))
    assert groups([one, path(BORN_AT, along=vectors(direction(0)))]) == [[0], [1]]


def test_the_order_of_edges_does_not_matter() -> None:
    one = path(BORN, WROTE, along=vectors(direction(0), direction(1)))
    other = path(WROTE_IT, BORN_AT, along=vectors(direction(1, beside=2, by=0.1), direction(0)))
    assert groups([one, other]) == [[0, 1]]


def test_all_of_a_group_are_near_each_other() -> None:
    """A chain of paths, each near the next, is no group (Lemma 8)."""
    step = 0.3
    chain = [
        path(edge(f"a|b|{'c' * nr}"), along=vectors([np.cos(nr * step), np.sin(nr * step)] + [0.0] * 14))
        for nr in range(4)
    ]
    assert groups(chain) == [[0, 1], [2, 3]]


def test_the_consensus_is_nearest_to_all_of_its_group() -> None:
    angles = [0.0, 0.3, 0.15]
    paths = [
        path(edge(f"a|b|{name}"), along=vectors([np.cos(a), np.sin(a)] + [0.0] * 14))
        for name, a in zip("xyz", angles, strict=True)
    ]
    assert consensus(paths, [5, 6, 7]) == 7
    assert select("xyz", paths, "unique") == ["z"]
    assert consensus([paths[0], paths[0]], [3, 4]) == 3


def test_paths_of_the_same_facts_are_one_without_vectors() -> None:
    none = np.zeros((0, 0), np.float32)
    merged = edge("Stoker|born in|Baile Atha Cliath", canonical=BORN.id)
    assert groups([path(BORN, along=none), path(merged, along=none), path(FAR, along=none)]) == [[0, 1], [2]]
    assert groups([path(along=none), path(along=none)]) == [[0], [1]]


def test_what_differs_in_a_number_says_something_else() -> None:
    born = [path(edge(f"Stoker|born in|{year}"), along=vectors(direction(0))) for year in (1847, 1848, 1847)]
    assert groups(born) == [[0, 2], [1]]
