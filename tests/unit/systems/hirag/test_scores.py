"""Scores of passages by what they state, on figures that can be checked by hand."""

from __future__ import annotations

import pytest

from overstory_systems.hirag.scores import (
    _NEAR_ENTITY_WEIGHT,
    _PASSAGES_OF_AN_ENTITY,
    _RELATED_ENTITY_WEIGHT,
    RANKING_ENTITIES,
    EvidenceStatement,
    HierarchyScore,
    NearEntity,
    relevance,
    scores,
)


def near(*cosines: float) -> list[NearEntity]:
    return [NearEntity(f"e{at}", f"E{at}", "", 0, cosine, "") for at, cosine in enumerate(cosines)]


def test_the_nearest_entity_counts_with_its_cosine_and_others_less_down_to_those_that_do_not() -> None:
    found = relevance(near(0.6, 0.5, *[0.3] * (RANKING_ENTITIES - 2), 0.2, 0.1))
    assert len(found) == RANKING_ENTITIES
    assert found["e0"] == pytest.approx(0.6)
    assert found["e1"] == pytest.approx(0.6 * (0.5 - 0.2) / (0.6 - 0.2))
    assert found["e2"] == pytest.approx(0.6 * (0.3 - 0.2) / (0.6 - 0.2))


def test_where_all_are_equally_near_they_count_alike_and_far_ones_not_at_all() -> None:
    assert relevance(near(*[0.4] * (RANKING_ENTITIES + 1))) == dict.fromkeys(
        [f"e{at}" for at in range(RANKING_ENTITIES)], 0.4
    )
    assert relevance(near(0.4)) == {"e0": pytest.approx(0.4)}
    assert relevance(near(-0.1, -0.2)) == {"e0": 0.0, "e1": 0.0}
    assert relevance([]) == {}


def test_a_passage_gets_its_cosine_and_the_most_relevant_of_each_kind_that_it_states() -> None:
    statements = [
        EvidenceStatement("entity", "Ulm", "", 0.3, ["c1"]),
        EvidenceStatement("entity", "Einstein", "", 0.6, ["c1", "c2"]),
        EvidenceStatement("relation", "Danube", "Ulm", 0.5, ["c2"]),
    ]
    found = scores({"c1": 0.4, "c2": 0.1, "c3": 0.2}, statements)
    assert [each.what for each in found["c1"].entities] == ["Einstein", "Ulm"]
    assert found["c1"].total == pytest.approx(0.4 + _NEAR_ENTITY_WEIGHT * 0.6)
    assert found["c2"].total == pytest.approx(0.1 + _NEAR_ENTITY_WEIGHT * 0.6 + _RELATED_ENTITY_WEIGHT * 0.5)
    assert found["c3"] == HierarchyScore(0.2)
    assert found["c3"].total == 0.2


def test_only_the_first_passages_of_an_entity_count_and_nothing_that_is_irrelevant() -> None:
    chunks = [f"c{at}" for at in range(_PASSAGES_OF_AN_ENTITY + 1)]
    found = scores(dict.fromkeys(chunks, 0.0), [EvidenceStatement("relation", "Ulm", "Einstein", 0.5, chunks)])
    assert [found[chunk].by_relations > 0.0 for chunk in chunks] == [True] * _PASSAGES_OF_AN_ENTITY + [False]
    assert scores({"c0": 0.1}, [EvidenceStatement("entity", "Ulm", "", 0.0, ["c0"])])["c0"] == HierarchyScore(0.1)


def test_a_passage_without_a_vector_is_not_ranked() -> None:
    assert scores({}, [EvidenceStatement("entity", "Ulm", "", 0.5, ["c1"])]) == {}
