"""Communities and bridges of a stored graph, by the Graph Data Science of a real server."""

from __future__ import annotations

import heapq
import sys
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.hirag_graph import BAND, CELL, ISLE, entity, relation, small_graph, store_graph
from tests.passages import OpenCorpus

from overstory.errors import GdsMissing, GraphError, StatementFailed, install_command
from overstory.graph import Writer, writing
from overstory.graph.gds import gds_client, projections, require_client, require_memory
from overstory_entropy import EncodingTree
from overstory_systems.hirag.communities import (
    _BRIDGE_PARTNERS,
    _MOST_BRIDGE_HOPS,
    find_bridges,
    layered_projection,
    require_gds,
)
from overstory_systems.hirag.knowledge_graph import LayeredGraph


def large_graph() -> LayeredGraph:
    """Rings within rings: 40 groups of 10, in 8 larger ones; and an entity that nothing is related to."""
    random = np.random.default_rng(11)
    names = [f"e{place:03}" for place in range(400)]
    ends = {
        (10 * group + one, 10 * group + other) for group in range(40) for other in range(10) for one in range(other)
    }
    for place in range(8):
        ends |= set(map(tuple, (50 * place + random.integers(50, size=(30, 2))).tolist()))
    ends |= set(map(tuple, random.integers(400, size=(30, 2)).tolist()))
    pairs = sorted({(min(pair), max(pair)) for pair in ends if pair[0] != pair[1]})
    relations = [relation(names[one], names[other], round(0.5 + float(random.random()), 3)) for one, other in pairs]
    entities = [entity(name) for name in (*names, "alone")]
    return LayeredGraph(sorted(entities, key=lambda each: each.ref), relations)


def labels_of(writer: Writer, graph: LayeredGraph, generation: int) -> list[list[int]]:
    with layered_projection(writer, generation) as projected:
        return [labels.tolist() for labels in projected.communities(graph.refs)]


@pytest.mark.slow
def test_communities_and_bridges_of_the_same_graph_are_the_same_however_it_was_stored(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([])
    graph = large_graph()
    count = len(graph.entities)
    with writing(knowledge.graph, knowledge.status().corpus, "test") as writer:
        store_graph(writer, graph, 1, range(count))
        store_graph(writer, graph, 2, np.random.default_rng(2).permutation(count).tolist())
        found = labels_of(writer, graph, 1)
        assert found == labels_of(writer, graph, 2)
        assert len(found) > 1
        for coarse, fine in pairwise(found):
            assert len(set(zip(coarse, fine, strict=True))) == len(set(fine)) > len(set(coarse))
        alone = graph.number["0:alone"]
        assert all(labels.count(labels[alone]) == 1 for labels in found)  # and it is there
        tree = EncodingTree.from_labels(graph.as_graph(), *found)
        with layered_projection(writer, 2) as projected:
            with pytest.raises(GraphError, match="400"):
                projected.communities(graph.refs[:-1])
            bridges = find_bridges(projected, tree, graph, vectors(count))
            few = find_bridges(projected, tree, graph, vectors(count), most=3)
    assert projections(knowledge.graph) == []
    assert 0 < len(bridges) <= _BRIDGE_PARTNERS * bridges.communities
    assert len({(each.source, each.target) for each in bridges}) == len(bridges)
    for bridge in bridges:
        assert bridge.source < bridge.target
        assert tree.depths[bridge.source] == tree.depths[bridge.target]
        for ref, node in ((bridge.refs[0], bridge.source), (bridge.refs[-1], bridge.target)):
            assert graph.number[ref] in tree.members(node)
        assert [graph.entities[graph.number[ref]].name for ref in bridge.refs] == list(bridge.names)
        assert 1 <= bridge.hops <= _MOST_BRIDGE_HOPS
        assert bridge.cost == pytest.approx(cheapest(graph, bridge.refs[0], bridge.refs[-1]))
    assert few.communities == 3
    assert few.left_out == bridges.communities + bridges.left_out - 3
    assert len(few) < len(bridges)


def vectors(count: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(count, 8)).astype(np.float32)


def cheapest(graph: LayeredGraph, source: str, target: str) -> float:
    """Dijkstra by the book."""
    near: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for each in graph.relations:
        near[each.source].append((each.target, 1.0 / each.weight))
        near[each.target].append((each.source, 1.0 / each.weight))
    waiting, done = [(0.0, source)], set[str]()
    while waiting:
        cost, at = heapq.heappop(waiting)
        if at == target:
            return cost
        if at not in done:
            done.add(at)
            for other, more in near[at]:
                heapq.heappush(waiting, (cost + more, other))
    return float("inf")


def test_layers_are_in_one_projection_and_generations_in_one_each(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([])
    graph = small_graph()
    without = replace(graph, relations=[], links=[], same=[])
    with writing(knowledge.graph, knowledge.status().corpus, "test") as writer:
        store_graph(writer, graph, 1, range(len(graph.entities)))
        store_graph(writer, without, 2, range(len(graph.entities)))
        coarsest = labels_of(writer, graph, 1)[0]
        assert labels_of(writer, without, 2) == [list(range(len(graph.entities)))]
        assert labels_of(writer, LayeredGraph([], []), 3) == []
    groups: dict[int, set[str]] = defaultdict(set)
    for each, label in zip(graph.entities, coarsest, strict=True):
        groups[label].add(each.name)
    assert sorted(map(sorted, groups.values())) == sorted([sorted(BAND), sorted(ISLE), sorted(CELL)])


def test_what_is_lacking_is_said_before_anything_is_done(
    open_corpus: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = open_corpus().graph
    require_gds(graph)
    client = gds_client(graph, "test")
    require_memory(graph, client, 1_000, 10_000, properties=("weight",))
    with pytest.raises(StatementFailed, match=r"Clustering 1,000,000,000 nodes .* needs up to [0-9,]+ MB") as error:
        require_memory(graph, client, 1_000_000_000, 5_000_000_000, properties=("weight",))
    assert "OVERSTORY_SERVER_HEAP" in error.value.remedy
    monkeypatch.setitem(sys.modules, "graphdatascience", None)
    with pytest.raises(GdsMissing, match="HiRAG needs the Graph Data Science client") as missing:
        require_gds(graph)
    assert missing.value.remedy == install_command("hirag")
    with pytest.raises(GdsMissing, match="test needs") as missing:
        require_client(graph, "test")
    assert missing.value.remedy == install_command("gds")
