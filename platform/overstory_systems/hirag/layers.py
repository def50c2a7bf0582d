"""The layers above layer 0: clusters of a layer become the entities of the next, until clusters get no better.

Source: HiRAG, Algorithm 1 and Section 5.4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from overstory.llm.digests import digest_of
from overstory.protocols import Progress, Vectors
from overstory.vectors.k_means import require_clustering
from overstory_entropy.compile import Ints
from overstory_systems.hirag.clusters import MIXTURE_PIECE_ENTITIES, clusters, sparsity
from overstory_systems.hirag.index_settings import HiragIndexSettings
from overstory_systems.hirag.knowledge_graph import Cluster, LayerEntity, SummaryLayers, SummaryLink, ref_of
from overstory_systems.hirag.names import NAME
from overstory_systems.hirag.summaries import Group, Summariser, Summary, common_words

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
    """
    if settings.flat:
        return SummaryLayers((), (), (), (), ())
    require_clustering()
    grown = _Grown()
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
            grown.clusters += _clusters(members, groups)
            break
        members = _summarised(members, vectors, groups, summariser, grown, progress)
        layer += 1
    return SummaryLayers(
        entities=sorted(grown.entities, key=lambda each: (each.layer, each.key)),
        links=sorted(grown.links, key=lambda link: (link.member, link.summary)),
        same=sorted(grown.same),
        clusters=grown.clusters,
        sparsity=grown.sparsity,
        notes=(*summariser.notes, *grown.notes),
    )


def cluster_key(members: Iterable[LayerEntity]) -> str:
    """What the summaries of a cluster are made from, as a digest: its members, what is said of them, and where."""
    return digest_of(*((each.ref, each.name, each.type, each.description, *each.chunks) for each in members))[:32]


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


def cluster_of(members: Sequence[LayerEntity]) -> Cluster:
    """A cluster of these, which has no summaries yet."""
    return Cluster(members[0].layer, tuple(each.ref for each in members), (), cluster_key(members))


def _clusters(members: Sequence[LayerEntity], groups: Iterable[Ints]) -> list[Cluster]:
    return [cluster_of([members[place] for place in group.tolist()]) for group in groups]


def _summarised(
    members: Sequence[LayerEntity],
    vectors: Vectors,
    groups: Sequence[Ints],
    summariser: Summariser,
    grown: _Grown,
    progress: Progress,
) -> list[LayerEntity]:
    """The entities of the layer above, in order of ref; they, their links and the clusters go into `grown`, too."""
    layer = members[0].layer
    found = _clusters(members, groups)
    wanted = [at for at, each in enumerate(found) if len(each.members) > 1]
    progress.start(f"{NAME} layer {layer + 1}", len(wanted), "clusters")
    above = LayerAbove(layer + 1)
    common = common_words(members)
    asked: Iterator[Group] = (
        Group([members[place] for place in groups[at].tolist()], vectors[groups[at]], common) for at in wanted
    )
    summaries = dict[str, tuple[str, ...]]()
    for at, said in zip(wanted, summariser.write(asked), strict=True):
        summaries[found[at].key] = above.add(found[at], said)
        progress.advance(1)
    entities = above.entities()
    progress.finish(f"{len(entities):,} from {len(groups):,} clusters of {len(members):,} entities")
    grown.clusters += [replace(each, summaries=summaries.get(each.key, ())) for each in found]
    grown.links += above.links()
    grown.entities += entities
    below = {each.key for each in members}
    grown.same += [(each.ref, ref_of(layer, each.key)) for each in entities if each.key in below]
    return entities


class LayerAbove:
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
