"""Summaries by rules: what they are called, what they say, and what they stand on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from overstory.protocols import Vectors
from overstory.systems.texts.reports import RULES
from overstory.text.names.keys import entity_key
from overstory_systems.hirag.knowledge_graph import LayerEntity
from overstory_systems.hirag.summaries import (
    _NAMED_CLUSTER_MEMBERS,
    Group,
    RuleClusterSummariser,
    Summary,
    common_words,
    meta_type,
)


def entity(name: str, description: str, *chunks: str, kind: str = "PERSON", layer: int = 0) -> LayerEntity:
    return LayerEntity(layer, entity_key(name), name, kind, description, chunks or (f"c-{name}",))


def group_of(members: list[LayerEntity], vectors: Vectors) -> Group:
    return Group(members, vectors, common_words(members))


BOHR = entity("Niels Bohr", "He was a Danish physicist who explained the quantum atom.")
PAULI = entity("Wolfgang Pauli", "He was an Austrian physicist who found a quantum rule.")
HEISENBERG = entity("Werner Heisenberg", "He was a German physicist. His quantum mechanics came from Helgoland.")
COPENHAGEN = entity("Copenhagen", "A town by the sea.", kind="GPE")
REST = [entity(f"Town {place}", f"It is a town of {place} houses on a river.", kind="GPE") for place in range(40)]
PHYSICISTS = group_of(
    [BOHR, COPENHAGEN, HEISENBERG, PAULI],
    np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1], [0.8, 0.3]], dtype=np.float32),
)


def summary_of(group: Group, layer: list[LayerEntity]) -> Summary:
    (found,) = RuleClusterSummariser().write([replace(group, common=common_words(layer))])
    (summary,) = found
    return summary


def test_a_summary_is_named_after_the_nearest_member_of_its_type_and_what_members_share() -> None:
    summary = summary_of(PHYSICISTS, [*PHYSICISTS.members, *REST])
    assert summary.name == "Wolfgang Pauli and others – physicist"
    assert (summary.type, summary.by) == ("person", RULES)
    assert summary.description.startswith(
        "Summary of 4 entities: Wolfgang Pauli; Werner Heisenberg; Niels Bohr; Copenhagen. In common: physicist"
    )
    assert "He was an Austrian physicist who found a quantum rule." in summary.description


def test_every_member_is_joined_by_its_cosine_to_the_mean_and_never_by_nothing() -> None:
    group = group_of([BOHR, HEISENBERG, PAULI], np.array([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]], dtype=np.float32))
    joined = summary_of(group, list(group.members)).members
    assert [each.member for each in joined] == [0, 1, 2]
    assert [each.weight for each in joined] == pytest.approx([1.0, 1.0, 0.01])
    assert {each.description for each in joined} == {""}


def test_a_summary_stands_on_all_passages_of_those_it_names() -> None:
    members = [entity(f"Name {place:02}", f"A thing of kind {place}.", f"a{place}", f"b{place}") for place in range(20)]
    summary = summary_of(group_of(members, np.ones((20, 3), dtype=np.float32)), members)
    assert summary.chunks == tuple(f"{letter}{place}" for place in range(_NAMED_CLUSTER_MEMBERS) for letter in "ab")
    assert "Name 07 and 12 more" in summary.description
    assert "Name 08" not in summary.description


def test_summaries_of_summaries_are_called_after_several_heads() -> None:
    members = [
        entity("Niels Bohr and others – physicist, quantum", "…", kind="person", layer=1),
        entity("Marie Curie and others – chemist", "…", kind="person", layer=1),
        entity("Otto Hahn and Lise Meitner – fission", "…", kind="person", layer=1),
    ]
    summary = summary_of(group_of(members, np.ones((3, 2), dtype=np.float32)), members)
    assert summary.name.partition(" – ")[0] == "Niels Bohr; Marie Curie and others"
    assert summary.type == "person"


def test_two_members_are_both_in_the_name() -> None:
    group = group_of([BOHR, PAULI], np.ones((2, 2), dtype=np.float32))
    assert summary_of(group, [*group.members, *REST]).name == "Niels Bohr and Wolfgang Pauli – physicist"


def test_members_without_descriptions_and_vectors_have_a_summary_too() -> None:
    members = [entity("Ada", "", "c1", kind=""), entity("Ben", "", "c2", kind="")]
    summary = summary_of(group_of(members, np.zeros((2, 4), dtype=np.float32)), members)
    assert (summary.name, summary.type, summary.chunks) == ("Ada and Ben", "other", ("c1", "c2"))
    assert summary.description == "Summary of 2 entities: Ada; Ben."


def test_the_meta_type_is_that_of_most_members() -> None:
    assert (
        meta_type([entity("a", "", kind="GPE"), entity("b", "", kind="LOC"), entity("c", "", kind="ORG")]) == "location"
    )
    assert (
        meta_type([entity("a", "", kind="technology", layer=1), entity("b", "", kind="other", layer=1)]) == "technology"
    )
    assert meta_type([entity("a", "", kind="PERSON"), entity("b", "", kind="ORG")]) == "organization"
    assert meta_type([entity("a", "", kind="CARDINAL")]) == "other"
