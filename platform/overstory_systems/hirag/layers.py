"""Builds summary layers: the clusters of one layer become the entities of the next, until the clusters are stable.

Source: HiRAG paper, Algorithm 1 and Section 5.4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from overstory.llm.digests import digest_of
from overstory.protocols import Progress, Vectors
from overstory.systems.texts.reports import RULES
from overstory.vectors.k_means import (
    K_MEANS_SEED,
    parts,
    pieces,
    principal_axes,
    reproducible,
    require_clustering,
    slices,
)
from overstory_entropy.compile import Floats, Ints
from overstory_systems.hirag.knowledge_graph import (
    NAME,
    Cluster,
    LayeredGraph,
    LayerEntity,
    SummaryLayers,
    SummaryLink,
    ref_of,
)
from overstory_systems.hirag.settings import Clusters, HiragIndexSettings
from overstory_systems.hirag.summaries import Group, JoinedMember, Summariser, Summary, common_words

# Clusters: small groups of entities with similar vectors. Each cluster is the input of one summary.
#
# Source: HiRAG paper, Section 4.1, Eq. 8. It fits a Gaussian mixture and assigns every entity to its most probable
# component. As in RAPTOR, the number of components is the one with the lowest BIC. Principal components replace
# RAPTOR's UMAP. Components are spherical: on descriptions, their BIC is lower than with full, tied or diagonal
# covariances.
#
# No step takes quadratic time: if there are more than `MIXTURE_PIECE_ENTITIES` entities, k-means first divides them
# into pieces, and no mixture has more than `_MOST_MIXTURE_COMPONENTS` components.

MOST_CLUSTER_MEMBERS = 30
"""Maximum number of members of a cluster, so that they fit into a prompt."""
MIXTURE_PIECE_ENTITIES = 25_000
"""Maximum number of entities to which one mixture is fitted."""
_K_MEANS_PIECE_ENTITIES = 4_000
"""Maximum number of entities that k-means clusters at once."""
_MOST_MIXTURE_COMPONENTS = 1_024
"""Maximum number of components, because a matrix of entities × components is held in memory."""
_MIXTURE_PATIENCE = 3
"""Number of attempts without a lower BIC after which the search for the number of components stops."""
_LEAST_VARIANCE_SHARE = 0.1
"""Minimum variance of a component, as a fraction of the mean variance of an axis. Without a minimum, a component that
consists of one entity or of equal entities has infinite likelihood, and BIC would prefer such components."""


class Clustering(NamedTuple):
    """The clusters of a layer.

    Attributes:
        labels: Shape (n,), the cluster of each entity. Clusters are numbered from 0 by their first member.
        components: Sizes of the clusters before large clusters were divided.
    """

    labels: Ints
    components: Sequence[int]


def clusters(
    vectors: Vectors,
    *,
    by: Clusters = "mixture",
    wanted: int = 10,
    most: int = MOST_CLUSTER_MEMBERS,
    seed: int = K_MEANS_SEED,
) -> Clustering:
    """Cluster the entities of a layer. Clusters of more than `most` entities are divided again.

    The result is deterministic for a given order of the vectors, on any number of threads. More than `most` equal
    vectors are divided by their order.

    Args:
        vectors: Shape (n, d).
        by: A Gaussian mixture, or k-means.
        wanted: Desired number of members of a k-means cluster.
        most: Maximum number of members of a cluster.
    """
    require_clustering()
    find, divide, piece = partial(_by_mixture, least=1), partial(_by_mixture, least=2), MIXTURE_PIECE_ENTITIES
    if by == "k-means":
        find = divide = partial(_by_k_means, wanted=wanted)
        piece = _K_MEANS_PIECE_ENTITIES
    with reproducible():
        pending = [group for rows in pieces(vectors, piece, seed=seed) for group in _cut(vectors, rows, find, seed)]
        components = [len(group) for group in pending]
        found: list[Ints] = []
        while pending:
            group = pending.pop()
            if len(group) <= most:
                found.append(group)
                continue
            cut = _cut(vectors, group, divide, seed)
            pending += cut if len(cut) > 1 else slices(group, most)
    return Clustering(_numbered(len(vectors), found), components)


def sparsity(sizes: Iterable[int]) -> float:
    """Return the cluster sparsity CS = 1 - Σ |S| (|S| - 1) / (|L| (|L| - 1)).

    CS is 0.0 for a single cluster, and 1.0 if every cluster has one member.

    Args:
        sizes: Sizes |S| of all clusters of a layer. |L| is their sum.

    Source: HiRAG paper, Eq. 17.
    """
    counts = list(sizes)
    total = sum(counts)
    return 1.0 - sum(size * (size - 1) for size in counts) / (total * (total - 1)) if total > 1 else 1.0


def _cut(vectors: Vectors, rows: Ints, find: Callable[[Floats, int], Ints], seed: int) -> list[Ints]:
    return parts(rows, find(_projected(vectors[rows]), seed))


def _by_mixture(points: Floats, seed: int, *, least: int) -> Ints:
    """Return the component of each point, given points of shape (n, c).

    Tries 1, 2, 3, 4, 6, 8, 12, … components until BIC no longer falls.

    Args:
        least: Minimum number of components, unless there are too few distinct points.
    """
    from sklearn.mixture import GaussianMixture

    best, lowest, worse = np.zeros(len(points), dtype=np.int64), np.inf, 0
    floor = _LEAST_VARIANCE_SHARE / max(1, points.shape[1])
    k, following, most = 1, 2, min(_distinct(points) // 2, _MOST_MIXTURE_COMPONENTS)
    while k <= most and worse < _MIXTURE_PATIENCE:
        if k >= least:
            mixture = GaussianMixture(k, covariance_type="spherical", reg_covar=floor, random_state=seed).fit(points)
            bic = float(mixture.bic(points))
            if bic < lowest:
                best, lowest, worse = mixture.predict(points).astype(np.int64), bic, 0
            else:
                worse += 1
        k, following = following, max(3, 2 * k)
    return best


def _by_k_means(points: Floats, seed: int, *, wanted: int) -> Ints:
    """Return the k-means cluster of each point (shape (n, c)), with `wanted` points per cluster on average."""
    from sklearn.cluster import KMeans

    k = min(-(-len(points) // wanted), _distinct(points))
    if k < 2:
        return np.zeros(len(points), dtype=np.int64)
    nearest: Ints = KMeans(k, random_state=seed).fit_predict(points).astype(np.int64)
    return nearest


def _distinct(points: Floats) -> int:
    """Count distinct points. Points without coordinates are all equal."""
    return len(np.unique(points.round(6), axis=0)) if points.shape[1] else min(1, len(points))


def _projected(vectors: Vectors) -> Floats:
    """Project vectors (n, d) to c principal components (n, c) with a total variance of 1.

    c is at most `COMPONENTS`. It is 0 if all vectors are equal.
    """
    exact = vectors.astype(np.float64)
    centre, axes = principal_axes(exact)
    points = (exact - centre) @ axes
    return points / np.sqrt(points.var(axis=0).sum()) if axes.shape[1] else points


def _numbered(n: int, groups: Sequence[Ints]) -> Ints:
    labels = np.zeros(n, dtype=np.int64)
    for number, group in enumerate(sorted(groups, key=lambda group: int(group.min()))):
        labels[group] = number
    return labels


_LEAST_SPARSITY_CHANGE = 0.05
"""The paper's ε (Section 5.4): relative change of cluster sparsity above which another layer is built."""
_LEAST_LAYER_ENTITIES = 3
"""Minimum number of entities of a layer on which another layer is built."""

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
    """Build all layers above layer 0. The result does not depend on the order of `base`.

    A layer is built only above at least three entities, at least two of them in the same cluster. Layers are added
    while the cluster sparsity changes by more than 5 % from one layer to the next. If `settings.layers` is not 0, it
    determines the number of layers instead. Sparsity is computed before large clusters are divided. The clusters of the
    last layer are returned without summaries, to show why no further layer was built.

    Args:
        vectors_of: Returns the vectors of `LayerEntity.embedded`, shape (texts, d). Called once per layer.
        in_use: Graph of an earlier build. Clusters with unchanged content keep the summaries that a language model
            wrote.
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
                f"mixtures were fitted to pieces of at most {MIXTURE_PIECE_ENTITIES:,}"
            )
        grown.sparsity.append(sparsity(found.components))
        if not _needs_another_layer(groups, grown.sparsity, settings.layers):
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
    """Provides the summaries that a language model wrote in an earlier build, by cluster."""

    def __init__(self, graph: LayeredGraph) -> None:
        self._entities = {each.ref: each for each in graph.entities if each.layer and each.by != RULES}
        self._below, self._above = defaultdict[str, list[SummaryLink]](list), defaultdict[str, list[SummaryLink]](list)
        for link in graph.links:
            self._below[link.summary].append(link)
            self._above[link.member].append(link)

    def of(self, cluster: Cluster) -> list[Summary] | None:
        """Return the earlier summaries of a cluster with the same content, or None if they cannot be reused.

        They cannot be reused if one of them was deleted with a passage or merged with a summary of another cluster.
        """
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


def _needs_another_layer(groups: Sequence[Ints], found: Sequence[float], layers: int) -> bool:
    """Return True if another layer should be built above these clusters.

    Args:
        found: Cluster sparsity of each layer so far, the current layer last.
        layers: Desired number of layers, 0 to decide by sparsity.
    """
    if sum(map(len, groups)) < _LEAST_LAYER_ENTITIES or max(map(len, groups)) < 2:
        return False
    if layers:
        return len(found) <= layers
    return len(found) == 1 or abs(found[-1] - found[-2]) > _LEAST_SPARSITY_CHANGE * found[-2]


def _places(labels: Ints) -> list[Ints]:
    """Return the ascending positions of each label."""
    order = np.argsort(labels, kind="stable")
    return [part for part in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(part)]


def _clusters(members: Sequence[LayerEntity], groups: Iterable[Ints], fingerprint: str) -> list[Cluster]:
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
    """Return the entities of the next layer, sorted by ref. Adds them, their links and their clusters to `grown`."""
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
    for at, joined in zip(new, summariser.write(asked), strict=True):
        summaries[at] = list(joined)
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
    """A layer under construction, in which summaries with equal keys become one entity."""

    def __init__(self, layer: int) -> None:
        self._layer = layer
        self._parts = defaultdict[str, dict[str, LayerEntity]](dict)
        self._links = dict[tuple[str, str], SummaryLink]()

    def add(self, cluster: Cluster, summaries: Sequence[Summary]) -> tuple[str, ...]:
        """Add the summaries of a cluster, and return the summaries' refs in ascending order."""
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
        """Add a link. If the same entities are already linked, the stronger link is kept."""
        there = self._links.get((link.member, link.summary))
        if there is None or there.weight < link.weight:
            self._links[link.member, link.summary] = link


def _merged(parts: Sequence[LayerEntity]) -> LayerEntity:
    """Merge summaries with equal keys: the first one's name and type, and the descriptions and passages of all."""
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
