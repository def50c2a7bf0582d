"""The layer loop: how many layers there are, and what each has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.unit.systems.hirag.blobs import blobs

from overstory.protocols import Silence, Vectors
from overstory.systems.texts.reports import RULES
from overstory.systems.texts.writers import TextWriter
from overstory_systems.hirag.knowledge_graph import Cluster, LayeredGraph, LayerEntity, SummaryLayers
from overstory_systems.hirag.layers import _LEAST_SPARSITY_CHANGE, grow
from overstory_systems.hirag.settings import HiragIndexSettings
from overstory_systems.hirag.summaries import Group, JoinedMember, RuleClusterSummariser, Summariser, Summary

KINDS = ("baker", "sailor", "weaver", "tanner", "glazier", "cooper", "mason", "dyer")


class Embedded:
    """Vectors by text: those given, and for a summary the sum over the texts that its description contains."""

    def __init__(self, entities: Sequence[LayerEntity], vectors: Vectors) -> None:
        self._known: dict[str, Vectors] = {
            each.embedded: vector for each, vector in zip(entities, vectors, strict=True)
        }
        self._names: dict[str, Vectors] = {each.name: vector for each, vector in zip(entities, vectors, strict=True)}

    def __call__(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._of(text) for text in texts])

    def _of(self, text: str) -> Vectors:
        if text in self._known:
            return self._known[text]
        total: Vectors = sum((vector for name, vector in self._names.items() if name in text), np.full(16, 1e-6))
        unit: Vectors = (total / np.linalg.norm(total)).astype(np.float32)
        return unit


class Called(TextWriter[Group, Sequence[Summary]]):
    """Names every cluster by a prepared list, whose last name is repeated; a summary consists of its members' texts."""

    fingerprint = "called:1"

    def __init__(self, *names: str) -> None:
        self._names = list(names)
        self.asked: list[Group] = []

    def write(self, groups: Iterable[Group]) -> Iterator[Sequence[Summary]]:
        for group in groups:
            self.asked.append(group)
            name = self._names.pop(0) if len(self._names) > 1 else self._names[0]
            said = " ".join(each.name for each in group.members)
            chunks = tuple(chunk for each in group.members for chunk in each.chunks)
            members = tuple(JoinedMember(place, 0.5) for place in range(len(group.members)))
            yield [Summary(name, "other", said, chunks, "test", members)]


def people(groups: int = 8, each: int = 12, *, spread: float = 0.02) -> tuple[list[LayerEntity], Embedded]:
    vectors, kinds = blobs(groups=groups, each=each, spread=spread)
    entities = [
        LayerEntity(0, f"n{place:04}", f"N{place:04}.", "PERSON", f"A {KINDS[kind % 8]} of Ulm.", (f"c{place}",))
        for place, kind in enumerate(kinds.tolist())
    ]
    return entities, Embedded(entities, vectors)


def grown(
    base: Sequence[LayerEntity],
    vectors_of: Embedded,
    *,
    summariser: Summariser | None = None,
    layers: int = 0,
    flat: bool = False,
    in_use: LayeredGraph | None = None,
) -> SummaryLayers:
    return grow(
        base,
        settings=HiragIndexSettings(layers=layers, flat=flat),
        summariser=summariser or RuleClusterSummariser(),
        vectors_of=vectors_of,
        in_use=in_use,
        progress=Silence(),
    )


def of_layer(found: SummaryLayers, layer: int) -> list[Cluster]:
    return [each for each in found.clusters if each.layer == layer]


def test_each_cluster_of_two_or_more_has_a_summary_and_every_member_is_linked_with_it() -> None:
    base, vectors_of = people()
    found = grown(base, vectors_of)
    first = of_layer(found, 0)
    assert sorted(ref for cluster in first for ref in cluster.members) == [each.ref for each in base]
    links = {(link.member, link.summary) for link in found.links if link.member.startswith("0:")}
    assert links == {(ref, cluster.summaries[0]) for cluster in first for ref in cluster.members}
    assert {each.ref for each in found.entities if each.layer == 1} == {each.summaries[0] for each in first}
    assert all(0.0 < link.weight <= 1.0 for link in found.links)


@pytest.mark.parametrize("groups", [8, 40])
def test_the_last_layer_is_the_one_where_sparsity_no_longer_changes(groups: int) -> None:
    base, vectors_of = people(groups=groups, each=10)
    found = grown(base, vectors_of)
    top = max(each.layer for each in found.entities)
    assert len(found.sparsity) == top + 1
    assert all(not each.summaries for each in of_layer(found, top))
    changes = [abs(above - below) > _LEAST_SPARSITY_CHANGE * below for below, above in pairwise(found.sparsity)]
    assert all(changes[:-1])
    assert not changes[-1] or sum(each.layer == top for each in found.entities) <= 2


def test_the_number_of_layers_can_be_set() -> None:
    base, vectors_of = people(groups=60, each=10)
    assert {each.layer for each in grown(base, vectors_of, layers=1).entities} == {1}
    assert {each.layer for each in grown(base, vectors_of, layers=2).entities} == {1, 2}


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_entities_have_no_layer_above(count: int) -> None:
    base, vectors_of = people()
    found = grown(base[:count], vectors_of, layers=3)
    assert not found.entities
    assert not found.links
    assert sum(len(each.members) for each in found.clusters) == count


def test_three_entities_have_a_layer() -> None:
    base, vectors_of = people(groups=1, each=3)
    found = grown(base, vectors_of)
    assert [each.layer for each in found.entities] == [1]
    assert found.sparsity[0] == 0.0


def test_flat_has_no_layers() -> None:
    base, vectors_of = people()
    assert grown(base, vectors_of, flat=True) == SummaryLayers((), (), (), (), ())


def test_entities_in_another_order_have_the_same_layers() -> None:
    base, vectors_of = people(groups=40, each=10)
    assert grown(base[::-1], vectors_of) == grown(base, vectors_of)


def test_summaries_of_one_name_are_one_entity() -> None:
    base, vectors_of = people(groups=3, each=10)
    found = grown(base, vectors_of, summariser=Called("Trade", "The trade", "Sea"), layers=1)
    trade = next(each for each in found.entities if each.key == "trade")
    shared = [each for each in of_layer(found, 0) if each.summaries == (trade.ref,)]
    assert len(shared) == 2
    assert set(trade.chunks) == {
        chunk for each in base for c in shared if each.ref in c.members for chunk in each.chunks
    }


def test_a_summary_called_as_an_entity_below_is_linked_with_it() -> None:
    base, vectors_of = people(groups=3, each=10)
    found = grown(base, vectors_of, summariser=Called("N0004", "Other"), layers=1)
    assert found.same == [("1:n0004", "0:n0004")]


def again(base: Sequence[LayerEntity], vectors_of: Embedded, before: SummaryLayers) -> tuple[SummaryLayers, int]:
    """Another build, and how many clusters it had summarised."""
    graph = LayeredGraph([*base, *before.entities], [], before.links, before.same)
    summariser = Called("Trade", "Sea", "Land")
    found = grown(base, vectors_of, summariser=summariser, layers=1, in_use=graph)
    return found, len(summariser.asked)


def test_clusters_with_the_same_content_keep_what_a_model_wrote() -> None:
    base, vectors_of = people(groups=3, each=10)
    first = grown(base, vectors_of, summariser=Called("Trade", "Sea", "Land"), layers=1)
    assert again(base, vectors_of, first) == (first, 0)
    other = [replace(base[0], chunks=("another",)), *base[1:]]
    assert again(other, vectors_of, first)[1] == 1
    by_rules = replace(first, entities=[replace(each, by=RULES) for each in first.entities])
    assert again(base, vectors_of, by_rules) == (first, 3)


def test_summaries_that_two_clusters_share_are_written_again() -> None:
    base, vectors_of = people(groups=3, each=10)
    first = grown(base, vectors_of, summariser=Called("Trade", "The trade", "Sea"), layers=1)
    assert again(base, vectors_of, first)[1] == 2
