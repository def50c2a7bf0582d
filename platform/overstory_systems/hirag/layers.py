"""The layers above layer 0: clusters of a layer become the entities of the next, until clusters get no better.

Source: HiRAG, Algorithm 1 and Section 5.4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from overstory.llm.digests import digest_of
from overstory.protocols import Progress, Vectors
from overstory.systems.texts.reports import RULES
from overstory.vectors.k_means import require_clustering
from overstory_entropy.compile import Ints
from overstory_systems.hirag.clusters import MIXTURE_PIECE_ENTITIES, clusters, sparsity
from overstory_systems.hirag.index_settings import HiragIndexSettings
from overstory_systems.hirag.knowledge_graph import (
    Cluster,
    LayeredGraph,
    LayerEntity,
    SummaryLayers,
    SummaryLink,
    ref_of,
)
from overstory_systems.hirag.names import NAME
from overstory_systems.hirag.summaries import Group, JoinedMember, Summariser, Summary, common_words

_LEAST_SPARSITY_CHANGE = 0.05
"""ε of Section 5.4: another layer is built where cluster sparsity changes by more than this part of it."""
_LEAST_LAYER_ENTITIES = 3
"""Of a layer, for there to be one above it."""

VectorsOf = Callable[[Sequence[str]], Vectors]


def grow(
    base: Sequence[LayerEntity],
    *,
    settings: HiragIndexSettings,
    summariser: Summariser,
    vectors_of: VectorsOf,
    in_use: LayeredGraph | None = None,
    progress: Progress,
) -> SummaryLayers:
    """All layers above layer 0. The order of `base` does not matter.

    Layer 1 is built where layer 0 has three entities and a cluster of two. Above it there is another layer as long as a
    layer has three entities and its cluster sparsity differs from that of the layer below by more than 5 %;
    `settings.layers` gives their number instead. Sparsity is that of the clusters as they were found, before large ones
    were divided. The clusters of the last layer are in the result, too, without
    summaries: they show why there is no other.

    Args:
        vectors_of: of `LayerEntity.embedded`, shape (texts, d); asked once a layer.
        in_use: an earlier build: a cluster with the same content keeps the summaries that a language model wrote.
    """
    if settings.flat:
        return SummaryLayers((), (), (), (), ())
    require_clustering()
    grown = _Grown()
    written = WrittenSummaries(in_use or LayeredGraph([], []))
    members = sorted(base, key=lambda each: each.ref)
    layer = 0
    while members:
        vectors = vectors_of([each.embedded for each in members])
        found = clusters(vectors, by=settings.clusters, wanted=settings.cluster_size)
        groups = _places(found.labels)
        if len(members) > MIXTURE_PIECE_ENTITIES and settings.clusters == "mixture":
            grown.notes.append(
                f"layer {layer} has {len(members):,} entities: "
                f"mixtures were fitted to pieces of {MIXTURE_PIECE_ENTITIES:,} at most"
            )
        grown.sparsity.append(sparsity(found.components))
        if not _goes_on(groups, grown.sparsity, settings.layers):
            grown.clusters += _clusters(members, groups, summariser.fingerprint)
            break
        members = _summarised(members, vectors, groups, summariser, written, grown, progress)
        layer += 1
    return SummaryLayers(
        entities=sorted(grown.entities, key=lambda each: (each.layer, each.key)),
        links=sorted(grown.links, key=lambda link: (link.member, link.summary)),
        same=sorted(grown.same),
        clusters=grown.clusters,
        sparsity=grown.sparsity,
        notes=(*summariser.notes, *grown.notes),
    )


class WrittenSummaries:
    """Summaries that a language model wrote in an earlier build, by cluster."""

    def __init__(self, graph: LayeredGraph) -> None:
        self._entities = {each.ref: each for each in graph.entities if each.layer and each.by != RULES}
        self._below, self._above = defaultdict[str, list[SummaryLink]](list), defaultdict[str, list[SummaryLink]](list)
        for link in graph.links:
            self._below[link.summary].append(link)
            self._above[link.member].append(link)

    def of(self, cluster: Cluster) -> list[Summary] | None:
        """The summaries of a cluster with the same content; None if there are none, or one was joined with a summary of
        another cluster, or its text was deleted with a passage."""
        place = {ref: number for number, ref in enumerate(cluster.members)}
        refs = sorted({link.summary for ref in place for link in self._above[ref]})
        entities = [self._entities.get(ref) for ref in refs]
        if not entities or not all(each and each.source == cluster.key and each.description for each in entities):
            return None
        if not all(link.member in place for ref in refs for link in self._below[ref]):
            return None
        return [self._summary(each, place) for each in entities if each]

    def _summary(self, entity: LayerEntity, place: Mapping[str, int]) -> Summary:
        links = self._below[entity.ref]
        members = tuple(JoinedMember(place[link.member], link.weight, link.description) for link in links)
        return Summary(entity.name, entity.type, entity.description, entity.chunks, entity.by, members)


@dataclass
class _Grown:
    entities: list[LayerEntity] = field(default_factory=list[LayerEntity])
    links: list[SummaryLink] = field(default_factory=list[SummaryLink])
    same: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    clusters: list[Cluster] = field(default_factory=list[Cluster])
    sparsity: list[float] = field(default_factory=list[float])
    notes: list[str] = field(default_factory=list[str])


def _goes_on(groups: Sequence[Ints], found: Sequence[float], layers: int) -> bool:
    """Whether there is a layer above these clusters, the last of those whose sparsity was found.

    Args:
        layers: how many there should be, 0 where sparsity says.
    """
    if sum(map(len, groups)) < _LEAST_LAYER_ENTITIES or max(map(len, groups)) < 2:
        return False
    if layers:
        return len(found) <= layers
    return len(found) == 1 or abs(found[-1] - found[-2]) > _LEAST_SPARSITY_CHANGE * found[-2]


def _places(labels: Ints) -> list[Ints]:
    """The places of each label, ascending."""
    order = np.argsort(labels, kind="stable")
    return [part for part in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(part)]


def _clusters(members: Sequence[LayerEntity], groups: Iterable[Ints], fingerprint: str) -> list[Cluster]:
    """Clusters without summaries.

    Args:
        fingerprint: of the summariser.
    """
    found: list[Cluster] = []
    for group in groups:
        some = [members[place] for place in group.tolist()]
        content = ((each.ref, each.name, each.type, each.description, *each.chunks) for each in some)
        key = digest_of(fingerprint, *content)[:32]
        found.append(Cluster(some[0].layer, tuple(each.ref for each in some), (), key))
    return found


def _summarised(
    members: Sequence[LayerEntity],
    vectors: Vectors,
    groups: Sequence[Ints],
    summariser: Summariser,
    written: WrittenSummaries,
    grown: _Grown,
    progress: Progress,
) -> list[LayerEntity]:
    """The entities of the layer above, in order of ref; they, their links and the clusters go into `grown`, too."""
    layer = members[0].layer
    found = _clusters(members, groups, summariser.fingerprint)
    wanted = [at for at, each in enumerate(found) if len(each.members) > 1]
    progress.start(f"{NAME} layer {layer + 1}", len(wanted), "clusters")
    summaries = {at: kept for at in wanted if (kept := written.of(found[at])) is not None}
    progress.advance(len(summaries))
    new = [at for at in wanted if at not in summaries]
    common = common_words(members)
    asked: Iterator[Group] = (
        Group([members[place] for place in groups[at].tolist()], vectors[groups[at]], common) for at in new
    )
    for at, said in zip(new, summariser.write(asked), strict=True):
        summaries[at] = list(said)
        progress.advance(1)
    above = _LayerAbove(layer + 1)
    refs = {found[at].key: above.add(found[at], summaries[at]) for at in wanted}
    entities = above.entities()
    progress.finish(f"{len(entities):,} from {len(groups):,} clusters of {len(members):,} entities")
    grown.clusters += [replace(each, summaries=refs.get(each.key, ())) for each in found]
    grown.links += above.links()
    grown.entities += entities
    below = {each.key for each in members}
    grown.same += [(each.ref, ref_of(layer, each.key)) for each in entities if each.key in below]
    return entities


class _LayerAbove:
    """The entities of a layer while they are put together. Summaries with one key become one entity."""

    def __init__(self, layer: int) -> None:
        self._layer = layer
        self._parts = defaultdict[str, dict[str, LayerEntity]](dict)
        self._links = dict[tuple[str, str], SummaryLink]()

    def add(self, cluster: Cluster, summaries: Sequence[Summary]) -> tuple[str, ...]:
        """The refs of the summaries, ascending."""
        refs = set[str]()
        for summary in summaries:
            entity = summary.entity(self._layer, cluster.key)
            self._parts[entity.key].setdefault(entity.description, entity)
            refs.add(entity.ref)
            for joined in summary.members:
                self._join(SummaryLink(cluster.members[joined.member], entity.ref, joined.weight, joined.description))
        return tuple(sorted(refs))

    def entities(self) -> list[LayerEntity]:
        return [_merged(list(self._parts[key].values())) for key in sorted(self._parts)]

    def links(self) -> list[SummaryLink]:
        return list(self._links.values())

    def _join(self, link: SummaryLink) -> None:
        """Of two links between the same entities the stronger counts."""
        there = self._links.get((link.member, link.summary))
        if there is None or there.weight < link.weight:
            self._links[link.member, link.summary] = link


def _merged(parts: Sequence[LayerEntity]) -> LayerEntity:
    """One entity for summaries with one key: name and type of the first, all descriptions and passages."""
    if len(parts) == 1:
        return parts[0]
    ordered = sorted(parts, key=lambda each: (each.name, each.type, each.description))
    chunks = dict.fromkeys(chunk for each in ordered for chunk in each.chunks)
    return replace(
        ordered[0],
        description=" ".join(each.description for each in ordered),
        chunks=tuple(chunks),
        source=digest_of(*sorted(each.source for each in ordered))[:32],
    )
