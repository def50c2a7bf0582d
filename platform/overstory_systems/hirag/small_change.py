"""One run of HiRAG's index that places a small change in the generation in use, in one transaction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from overstory.display import counted, index_command
from overstory.graph import Transaction, batches, generations, schema
from overstory.graph.client import Row
from overstory.graph.generations import slot_of
from overstory.index.derived_vectors import DerivedVectors, remove_unused, remove_unused_of, settle_awaited
from overstory.systems.base import SystemRun
from overstory.systems.figures import OF_ONE_BUILD, ModelRequests, PartSeconds
from overstory.systems.state import IndexState
from overstory.systems.texts.reports import Report
from overstory.systems.tree.changes import MOST_CHANGED_TREE_SHARE, MOST_ROWS_IN_PLACE, write_tree_in
from overstory.systems.tree.reports import ReportChanges, StoredReports, report_changes, store_reports_in
from overstory.systems.vector_indexes import SCANNED, indexed_generation
from overstory_entropy import EncodingTree
from overstory_systems.hirag.deleted import layer_of, read_deleted
from overstory_systems.hirag.in_use import HIRAG_IDS_A_STATEMENT, IndexInUse
from overstory_systems.hirag.index_settings import HiragIndexSettings
from overstory_systems.hirag.knowledge_graph import BaseLayer, LayeredGraph, LayerEntity
from overstory_systems.hirag.layers import VectorsOf
from overstory_systems.hirag.names import COMMUNITIES, ENTITY, NAME
from overstory_systems.hirag.placing import (
    MOST_TOUCHED_NAMES,
    Near,
    PlacedTree,
    compared,
    new_communities,
    place,
    read_near,
    touched_names,
)
from overstory_systems.hirag.report_material import Materials
from overstory_systems.hirag.reports import CommunityMaterial, Reporter, report_key
from overstory_systems.hirag.store import GraphChanges, Wanted, entity_of, graph_of, read_graph, write_graph_in
from overstory_systems.hirag.writers import reporter_for, summariser_for

DELETIONS_NOTED = "deletions_noted"
"""In the details of an index: from its build on, deletions note what they take along (`deleted`)."""
_MOST_REWRITTEN_MEMBERS = 500
"""Entities of a community whose report is written again; that of a larger one stays."""


@dataclass(frozen=True, slots=True)
class SmallEntityChange:
    """A change that may be small.

    Attributes:
        base_layer: layer 0, read by a language model; gets the stored one.
        vectors_of: float32[n, d] of n texts.
        asked: what the build asks of a language model.
    """

    job: SystemRun[HiragIndexSettings]
    base_layer: Callable[[Mapping[str, LayerEntity]], BaseLayer]
    store: DerivedVectors
    vectors_of: VectorsOf
    timed: PartSeconds
    asked: ModelRequests

    def placed(self) -> bool:
        """Places it, if it can be; False where all is to be built, as where much changed."""
        before = self.job.before
        where = self._in_use(before) if before is not None else None
        near = self._read(where, before) if before is not None and where is not None else None
        if before is None or where is None or near is None:
            return False
        texts = [entity.embedded for entity in near.graph.entities]
        vectors, ids = self.vectors_of(texts), self.store.ids(texts)
        changes = Wanted(where.corpus.label, near.graph, vectors, ids, near.cluster).changes_from(near.stored)
        if len(changes) > MOST_ROWS_IN_PLACE:
            return False
        job = self.job
        with self.timed("communities"):
            tree = job.graph.reading(
                NAME, lambda tx: place(tx, where, near, self.vectors_of, before.details["entropy"])
            )
        count = before.placed + len(near.told | tree.moved | near.left) + len(near.deleted.entities)
        if count > MOST_CHANGED_TREE_SHARE * (before.figures["entities"] + len(near.new)):
            return False
        interrupted = generations.discard_unpublished(job.writer, NAME, (ENTITY,))  # of a build that was killed
        job.figures |= _figures(before.figures, near, tree)
        if job.chat is not None:
            job.figures |= {**self.base_layer({}).counts, **self.asked.figures()}
        self._write(where, near, changes, tree, count, {**before.details, "entropy": tree.entropy})
        job.ledger.count("rebuilt", 0)
        if interrupted:
            remove_unused(job.writer, stage=NAME)
        else:
            settle_awaited(job.writer, stage=NAME)
        return True

    def _in_use(self, before: IndexState[HiragIndexSettings]) -> IndexInUse | None:
        """The index in use, if changes can be placed in it."""
        job = self.job
        details = before.details
        if job.scratch or job.improve or not before.generation:
            return None
        if details.get("levels", 0) < 1 or not details.get(DELETIONS_NOTED):
            return None
        index = schema.derived_index(job.corpus.label, ENTITY, slot_of(before.generation))
        return IndexInUse(
            job.graph,
            job.corpus,
            before.generation,
            "" if ENTITY in details.get(SCANNED, ()) else index,
            job.settings.flat,
            details["levels"],
            details["root"],
        )

    def _read(self, where: IndexInUse, before: IndexState[HiragIndexSettings]) -> Near | None:
        job = self.job
        summariser = summariser_for(job.chat, job.model)
        with self.timed("read"):
            deleted = read_deleted(where)
            if job.chat is None:
                names = touched_names(where, job.read_to)
                if len(names) + len(deleted.entities) > MOST_TOUCHED_NAMES:
                    return None
                return read_near(where, names, deleted, self.vectors_of, summariser)
            stored = read_graph(job.graph, job.corpus, where.generation)
            base = self.base_layer(stored.base)
            most = min(MOST_TOUCHED_NAMES, MOST_CHANGED_TREE_SHARE * before.figures["entities"] - before.placed)
            near = compared(where, base, stored, deleted, self.vectors_of, summariser, most=most)
            if near is not None:
                job.notes.extend((*base.notes, *summariser.notes))
            return near

    def _write(
        self,
        where: IndexInUse,
        near: Near,
        changes: GraphChanges,
        tree: PlacedTree,
        count: int,
        details: Mapping[str, object],
    ) -> None:
        job, label = self.job, where.corpus.label
        total = sum(figure for name, figure in job.figures.items() if re.fullmatch(r"(layer_\d+_)?entities", name))
        details = {**details, **indexed_generation(job, ENTITY, int(total), where.generation)}
        reports = NewReports(where, reporter_for(job.chat, job.model, where.sampled()), ask=job.chat is not None)
        gone = near.told | near.left
        was = self.store.ids([entity.embedded for entity in near.stored.base.values() if entity.ref in gone])
        away = near.deleted.entities.keys() | set(map(where.id, near.left))

        def write(tx: Transaction) -> None:
            reports.before(tx, tree)
            write_graph_in(tx, label, changes)
            write_tree_in(tx, label, tree.changes)
            tree.part.done(tx)
            store_reports_in(tx, label, reports.changes(tx, tree))
            if away:
                tx.run("systems/hirag/remove_bridges_by", label, generation=where.generation, ids=sorted(away))
            remove_unused_of(tx, label, was)
            job.figures["reports_written"] = reports.written
            job.publish_in(tx, job.state(generation=where.generation, placed=count, details=details))

        while True:
            try:
                with self.timed("write"):
                    job.commit(write)
                break
            except ReportsMissing as missing:  # nothing was committed: no transaction waits for a language model
                with self.timed("reports"):
                    reports.write(missing.materials)
                job.figures |= self.asked.figures()
        job.notes.extend(reports.reporter.notes)
        if without := reports.without:
            job.notes.append(
                f"{counted(without, 'community has', 'communities have')} lost the report and are too large to get "
                f"another without a new clustering: {index_command(where.corpus.name)} --improve"
            )


def _figures(before: Mapping[str, float], near: Near, tree: PlacedTree) -> dict[str, float]:
    """The figures of the index with the change in it."""
    figures = {name: figure for name, figure in before.items() if not name.endswith(OF_ONE_BUILD)}
    layers = Counter(map(layer_of, near.new))
    layers.subtract(each.layer for each in near.deleted.entities.values())
    layers.subtract(map(layer_of, near.left))
    for layer, more in layers.items():
        name = f"layer_{layer}_entities" if layer else "entities"
        figures[name] = figures.get(name, 0) + more
    relations = len(near.graph.relations) - len(near.stored.graph.relations) - near.deleted.relations
    return figures | {
        "relations": figures["relations"] + relations,
        "communities": figures["communities"] + tree.part.communities(),
        "clusters_summarised": sum(layer_of(ref) > 0 for ref in near.new),
        "reports_written": 0,
    }


class ReportsMissing(Exception):
    """Ends a transaction for which reports are to be written first.

    Attributes:
        materials: of the reports.
    """

    def __init__(self, materials: Sequence[CommunityMaterial]) -> None:
        super().__init__(f"{len(materials)} reports are missing")
        self.materials = materials


@dataclass(slots=True)
class NewReports:
    """Writes reports on communities again, by the communities as the transaction that changes them has them.

    Attributes:
        ask: for a reporter that takes long, a language model: the transaction ends with `ReportsMissing`, and runs
            again after `write`. It finds the reports by the digest of what they were made from.
        written: how many.
        without: how many communities lost theirs, and are too large to get another.
    """

    where: IndexInUse
    reporter: Reporter
    ask: bool
    stored: StoredReports = field(default_factory=StoredReports)
    written: int = 0
    without: int = 0
    _new: dict[str, Report] = field(default_factory=dict[str, Report])
    _missing: dict[str, CommunityMaterial] = field(default_factory=dict[str, CommunityMaterial])
    _unreported: set[str] = field(default_factory=set[str])

    def write(self, materials: Sequence[CommunityMaterial]) -> None:
        self._new |= {report.key: report for report in self.reporter.write(materials)}

    def before(self, tx: Transaction, placed: PlacedTree) -> None:
        """Reads the reports of what is about to change."""
        self.written = self.without = 0
        self._missing.clear()
        ids = [*placed.lowest, *placed.changes.gone]
        self.stored = StoredReports.from_rows(tx.run("systems/hirag/reports_of", self.where.corpus.label, ids=ids))
        rows = tx.run("systems/hirag/unreported", self.where.corpus.label, generation=self.where.generation)
        self._unreported = {row["id"] for row in rows}

    def changes(self, tx: Transaction, placed: PlacedTree) -> ReportChanges:
        """What is to be written of reports, by the communities as they now are."""
        gone = set(placed.changes.gone)
        wanted = {
            *placed.lowest,
            *new_communities(placed.changes),
            *(self.stored.of.keys() - gone),
            *(self._unreported - gone),
        }
        wanted.discard(self.where.root)
        label, generation = self.where.corpus.label, self.where.generation
        rows = tx.run("systems/hirag/members", label, ids=sorted(wanted), most=_MOST_REWRITTEN_MEMBERS)
        members = {row["id"]: frozenset[str](row["members"]) for row in rows}
        graph = self._read(tx, set().union(*members.values()) if members else set())
        found: dict[str, Report] = {}
        by_members: dict[frozenset[str], Report | None] = {}
        for id_ in sorted(wanted):
            if id_ not in members:  # too large: it keeps its report
                if id_ in self.stored.of:
                    found[id_] = self.stored.reports[self.stored.of[id_]]
                else:
                    self.without += 1
                continue
            some = members[id_]
            if some not in by_members:
                by_members[some] = self._report(graph, some)
            if report := by_members[some]:
                found[id_] = report
        if self._missing:
            raise ReportsMissing([*self._missing.values()])
        kept = {id_: report for id_, report in self.stored.of.items() if id_ in found}
        return report_changes(COMMUNITIES, label, generation, found, replace(self.stored, of=kept))

    def _read(self, tx: Transaction, ids: Collection[str]) -> LayeredGraph:
        """Some entities with all that they are tied to; of the other ends nothing but their refs."""
        label = self.where.corpus.label
        entities: list[LayerEntity] = []
        rows: dict[tuple[str, str, str], Row] = {}
        for some in batches(sorted(ids), HIRAG_IDS_A_STATEMENT):
            entities += map(entity_of, tx.run("systems/hirag/some_entities", label, ids=some))
            for row in tx.run("systems/hirag/some_relations", label, ids=some):
                rows[row["type"], row["source"], row["target"]] = row["properties"]
        return graph_of(entities, rows)

    def _report(self, graph: LayeredGraph, ids: Collection[str]) -> Report | None:
        """The report on a community, by its own members; None where it is to be asked for first."""
        inside = {each.ref for each in graph.entities if self.where.id(each.ref) in ids}
        part = _around(graph, inside)
        labels = [int(each.ref not in inside) for each in part.entities]
        tree = EncodingTree.from_labels(part.as_graph(), labels)
        materials = Materials(tree, part)
        node = int(tree.parents[part.number[min(inside)]])
        (material,) = materials.of([node])
        key = report_key(self.reporter, material.key)
        known = self.stored.by_key
        if key in known:
            return known[key]
        group = replace(material, key=key), ()
        if self.ask and key not in self._new:
            self._missing[key] = group
            return None
        if key not in self._new:
            self.write([group])
        self.written += 1
        return self._new[key]


def _around(graph: LayeredGraph, inside: Collection[str]) -> LayeredGraph:
    """Some entities, all that they are tied to, and these ends without what is said of them."""
    relations = [each for each in graph.relations if each.source in inside or each.target in inside]
    links = [each for each in graph.links if each.member in inside or each.summary in inside]
    same = [ends for ends in graph.same if ends[0] in inside or ends[1] in inside]
    ends = {end for each in relations for end in (each.source, each.target)}
    ends.update(end for each in links for end in (each.member, each.summary))
    ends.update(end for pair in same for end in pair)
    known = {each.ref: each for each in graph.entities}
    others = [_unread(ref) for ref in ends if ref not in inside]
    entities = sorted([*(known[ref] for ref in inside), *others], key=lambda each: each.ref)
    return LayeredGraph(entities, relations, links, same)


def _unread(ref: str) -> LayerEntity:
    layer, _, key = ref.partition(":")
    return LayerEntity(int(layer), key, key, "", "", ())
