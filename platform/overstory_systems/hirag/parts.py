"""Creates the parts of evidence other than passages: entities, relations, paths and reports. Pure functions."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from overstory.display import on_one_line, shortened
from overstory.model import Part, RatedReport, ReportFinding
from overstory.model.parts import PartKind
from overstory_systems.hirag.scores import NearEntity, StoredReport

_MOST_PASSAGES_OF_A_PATH = 8  # maximum number of passages cited for a path
_MOST_PASSAGES_OF_A_REPORT = 5  # maximum number of passages cited for a report
MOST_PASSAGES_OF_ONE = 3
"""Maximum number of passages cited for a description or relation. The evidence contains all of them."""
_MOST_RELATIONS_OFF_A_PATH = 3
"""Maximum number of relations shown for a path in addition to the relations along the path."""
_LONGEST_RELATION_CHARACTERS = 160
"""Maximum number of characters of a relation's description. It is low because a context has room for few paths."""
RELATED = "HIRAG_RELATED"

Documents = Mapping[str, str]
"""Maps the id of each existing passage to the id of its document."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EntityPart(Part):
    """An entity whose meaning is close to the question.

    Attributes:
        entity: Id of the entity in the graph.
        layer: 0 for an entity mentioned in the documents, above 0 for a summary.
    """

    kind: PartKind = field(default="entity", init=False)
    entity: str
    name: str
    type: str
    layer: int

    @property
    def standing(self) -> Mapping[str, str]:
        return {"systems/hirag/description_stands_on": self.entity}


@dataclass(frozen=True, slots=True)
class DescribedRelation:
    """A relation between two named entities. `description` may be ""."""

    source: str
    target: str
    weight: float
    description: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RelationPart(Part):
    """A path between entities of different communities, or a single relation.

    Attributes:
        names: Names of the entities from one end to the other.
        triples: Relations along the path, followed by other relations among its entities.
        stated: True if passages state all relations. False if a relation leads to a summary.
    """

    kind: PartKind = field(default="relation", init=False)
    names: tuple[str, ...]
    triples: tuple[DescribedRelation, ...]
    stated: bool

    @property
    def standing(self) -> Mapping[str, str] | None:
        return {} if self.stated else None


class PathEntity(NamedTuple):
    """An entity on a path. `description` is None if a passage that it uses was deleted."""

    id: str
    name: str
    layer: int
    cosine: float
    description: str | None
    chunks: Sequence[str]


class PathRelation(NamedTuple):
    """A relation among the entities of paths.

    Attributes:
        source, target: Ids of the two entities.
        type: HIRAG_RELATED, SUMMARIZED_BY or SAME_AS.
        description: May be "". None if its passage was deleted.
        chunks: Ids of the passages that state the relation.
    """

    source: str
    target: str
    type: str
    weight: float
    description: str | None
    chunks: Sequence[str]


@dataclass(frozen=True, slots=True)
class Paths:
    """Paths between key entities, and relations.

    Attributes:
        paths: For each path, the ids of its entities from end to end.
        entities: All entities on paths or at the ends of relations, by id.
        relations: Relations among the entities of paths, and relations of the entities nearest to the question.
    """

    paths: Sequence[Sequence[str]] = ()
    entities: Mapping[str, PathEntity] = field(default_factory=dict[str, PathEntity])
    relations: Sequence[PathRelation] = ()

    def joined_with(self, others: Paths, limit: int) -> Paths:
        """Keep the relations within paths, and add up to `limit` distinct other relations.

        Of these, relations between paths come first (Eq. 16), then relations of the entities nearest to the question.
        """
        on_paths = [frozenset(path) for path in self.paths]
        entities = {**others.entities, **self.entities}
        within: dict[object, PathRelation] = {}
        single: dict[object, PathRelation] = {}
        for each in (*self.relations, *others.relations):
            if any(each.source in path and each.target in path for path in on_paths):
                within.setdefault(_key(each), each)
            elif each.type == RELATED and each.chunks:
                single.setdefault(_key(each), each)
        found = Paths(self.paths, entities, list(within.values()))
        on_any = frozenset[str]().union(*on_paths)

        def order(one: PathRelation) -> tuple[bool, float, str, str]:
            induced = one.source in on_any and one.target in on_any
            return not induced, -found.similarity(one), one.source, one.target

        return replace(found, relations=[*found.relations, *sorted(single.values(), key=order)[:limit]])

    def chunks(self, relation: PathRelation) -> Sequence[str]:
        """Return the passages of a relation. For a relation between layers, return those of its lower entity."""
        if relation.type == RELATED:
            return relation.chunks
        ends = [self.entities[end] for end in (relation.source, relation.target) if end in self.entities]
        return min(ends, key=lambda end: end.layer).chunks if ends else ()

    def similarity(self, relation: PathRelation) -> float:
        """Return the mean cosine of a relation's ends with the question."""
        ends = [self.entities[end].cosine for end in (relation.source, relation.target) if end in self.entities]
        return sum(ends) / len(ends) if ends else 0.0


def entity_parts(
    near: Iterable[NearEntity], descriptions: Mapping[str, tuple[str, Sequence[str]]], documents: Documents
) -> Iterator[EntityPart]:
    """Yield a part for each entity whose description an existing passage supports, in order."""
    for entity in near:
        description, all_chunks = descriptions.get(entity.id, ("", ()))
        chunks = tuple(chunk for chunk in all_chunks if chunk in documents)
        if chunks:
            kind = ", ".join(filter(None, (entity.type, f"summary of layer {entity.layer}" if entity.layer else "")))
            head = f"{on_one_line(entity.name)} ({kind})" if kind else on_one_line(entity.name)
            yield EntityPart(
                text=f"{head}\n{description}".strip(),
                score=entity.cosine,
                chunks=chunks,
                documents=_documents(chunks, documents),
                entity=entity.id,
                name=entity.name,
                type=entity.type,
                layer=entity.layer,
            )


def relation_parts(found: Paths, documents: Documents) -> list[RelationPart]:
    """Return one part per path, and one per single relation.

    The part of a path contains the relations along the path, then other relations among its entities. Parts are sorted
    by the cosine of the end that is less similar to the question.
    """
    made = (part for part in _parts(found, documents) if part is not None)
    return sorted(made, key=lambda part: (-part.score, part.names))


def _parts(found: Paths, documents: Documents) -> Iterator[RelationPart | None]:
    shown_keys: set[tuple[frozenset[str], str]] = set()
    for path in found.paths:
        on_path = set(path)
        steps = {frozenset(step) for step in itertools.pairwise(path)}
        inside = [each for each in found.relations if {each.source, each.target} <= on_path]
        inside.sort(key=lambda each: (frozenset((each.source, each.target)) not in steps, _along(each, path)))
        shown_keys |= {_key(each) for each in inside}
        yield _relation_part(found, path, inside[: len(steps) + _MOST_RELATIONS_OFF_A_PATH], documents)
    between = [each for each in found.relations if each.type == RELATED and _key(each) not in shown_keys]
    for each in sorted(between, key=lambda one: (-found.similarity(one), one.source, one.target)):
        yield _relation_part(found, (each.source, each.target), [each], documents)


def _relation_part(
    found: Paths, path: Sequence[str], relations: Sequence[PathRelation], documents: Documents
) -> RelationPart | None:
    chunks = tuple(dict.fromkeys(chunk for each in relations for chunk in found.chunks(each) if chunk in documents))[
        :_MOST_PASSAGES_OF_A_PATH
    ]
    shown = [each for each in relations if set(found.chunks(each)) & set(chunks)]
    if not shown or any(id_ not in found.entities for id_ in path):
        return None
    names = tuple(on_one_line(found.entities[id_].name) for id_ in path)
    triples = tuple(_triple(each, found) for each in shown)
    lines = dict.fromkeys(f"- {_line(each)}" for each in triples)
    return RelationPart(
        text="\n".join([" → ".join(names), *lines]),
        score=min(found.entities[path[0]].cosine, found.entities[path[-1]].cosine),
        chunks=chunks,
        documents=_documents(chunks, documents),
        names=names,
        triples=triples,
        stated=all(each.type == RELATED and set(each.chunks[:1]) <= set(chunks) for each in shown),
    )


def _triple(relation: PathRelation, found: Paths) -> DescribedRelation:
    source, target = (found.entities[end] for end in (relation.source, relation.target))
    description = relation.description or ""
    if relation.type == "SUMMARIZED_BY" and not description:
        description = f"{on_one_line(source.name)} is one of its entities"
    return DescribedRelation(on_one_line(source.name), on_one_line(target.name), relation.weight, description)


def _line(triple: DescribedRelation) -> str:
    ends = f"{triple.source} — {triple.target}"
    return f"{ends}: {shortened(triple.description, _LONGEST_RELATION_CHARACTERS)}" if triple.description else ends


def _key(relation: PathRelation) -> tuple[frozenset[str], str]:
    return frozenset((relation.source, relation.target)), relation.type


def _along(relation: PathRelation, path: Sequence[str]) -> tuple[int, int]:
    first, second = sorted((path.index(relation.source), path.index(relation.target)))
    return first, second


def report_part(
    stored: StoredReport, score: float, documents: Documents, most: int = _MOST_PASSAGES_OF_A_REPORT
) -> RatedReport | None:
    """Convert a report to a part with at most `most` findings, or return None if all its passages were deleted."""
    report = stored.report
    chunks = dict.fromkeys(chunk for finding in report.findings for chunk in finding.chunks if chunk in documents)
    carried = tuple(chunks or dict.fromkeys(chunk for chunk in report.stands_on if chunk in documents))[
        :_MOST_PASSAGES_OF_A_REPORT
    ]
    if not carried:
        return None
    findings = tuple(
        ReportFinding(finding.text, tuple(chunk for chunk in finding.chunks if chunk in carried))
        for finding in report.findings
        if set(finding.chunks) & set(carried)
    )[:most]
    heading = on_one_line(report.title)
    return RatedReport(
        text="\n".join(filter(None, [heading, report.summary, *(f"- {finding.text}" for finding in findings)])),
        score=score,
        chunks=carried,
        documents=_documents(carried, documents),
        community=stored.community,
        level=stored.level,
        size=stored.size,
        heading=heading,
        summary=report.summary,
        rating=report.rating,
        findings=findings,
    )


def report_chunks(stored: StoredReport) -> list[str]:
    """Return the passages that `report_part` can cite."""
    of_findings = dict.fromkeys(chunk for finding in stored.report.findings for chunk in finding.chunks)
    return list(of_findings or dict.fromkeys(stored.report.stands_on))[:_MOST_PASSAGES_OF_A_REPORT]


def _documents(chunks: Iterable[str], documents: Documents) -> tuple[str, ...]:
    return tuple(dict.fromkeys(documents[chunk] for chunk in chunks))
