"""One run of HiRAG's index that places a small change in the generation in use, in one transaction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from overstory.display import counted, index_command
from overstory.graph import Transaction, generations, schema
from overstory.graph.generations import slot_of
from overstory.index.derived_vectors import DerivedVectors, remove_unused_of
from overstory.systems.base import SystemRun
from overstory.systems.figures import OF_ONE_BUILD, PartSeconds
from overstory.systems.state import IndexState
from overstory.systems.tree.changes import MOST_CHANGED, MOST_IN_PLACE, write_tree_in
from overstory.systems.tree.reports import store_reports_in
from overstory.systems.vector_indexes import SCANNED, indexed_generation
from overstory_systems.hirag import placing
from overstory_systems.hirag.deleted import layer_of, read_deleted
from overstory_systems.hirag.in_use import IndexInUse
from overstory_systems.hirag.index_settings import HiragIndexSettings
from overstory_systems.hirag.layers import VectorsOf
from overstory_systems.hirag.names import ENTITY, NAME
from overstory_systems.hirag.new_reports import NewReports
from overstory_systems.hirag.placing import Near, PlacedTree, place, read_near, touched_names
from overstory_systems.hirag.store import GraphChanges, Wanted, write_graph_in
from overstory_systems.hirag.writers import reporter_for

DELETIONS_NOTED = "deletions_noted"
"""In the details of an index: from its build on, deletions note what they take along (`deleted`)."""


@dataclass(frozen=True, slots=True)
class SmallChange:
    """A change that may be small.

    Attributes:
        vectors_of: float32[n, d] of n texts.
    """

    job: SystemRun[HiragIndexSettings]
    store: DerivedVectors
    vectors_of: VectorsOf
    timed: PartSeconds

    def placed(self) -> bool:
        """Places it, if it can be; False where the whole is to be read: in a small graph, with a language model, and
        where much changed.

        Raises:
            LeaseLost, DatabaseError: what was committed before stays; run again to go on.
        """
        before = self.job.before
        where = self._in_use(before) if before is not None else None
        near = self._read(where) if where is not None else None
        if before is None or where is None or near is None:
            return False
        texts = [entity.embedded for entity in near.graph.entities]
        vectors, ids = self.vectors_of(texts), self.store.ids(texts)
        changes = Wanted(where.corpus.label, near.graph, vectors, ids, near.cluster).changes_from(near.stored)
        if len(changes) > MOST_IN_PLACE:
            return False
        job = self.job
        with self.timed("communities"):
            tree = job.graph.reading(
                NAME, lambda tx: place(tx, where, near, self.vectors_of, before.details["entropy"])
            )
        count = before.placed + len(near.told | tree.moved | near.left) + len(near.deleted.entities)
        if count > MOST_CHANGED * (before.figures["entities"] + len(near.new)):
            return False
        generations.discard_unpublished(job.writer, NAME, (ENTITY,))  # of a build that was killed
        job.figures |= _figures(before.figures, near, tree)
        self._write(where, near, changes, tree, count, {**before.details, "entropy": tree.entropy})
        job.ledger.count("rebuilt", 0)
        return True

    def _in_use(self, before: IndexState[HiragIndexSettings]) -> IndexInUse | None:
        """The index in use, if changes can be placed in it."""
        job = self.job
        if job.scratch or job.improve or job.chat is not None or not before.generation:
            return None
        details = before.details
        if not (details.get("levels") and details.get(DELETIONS_NOTED)):
            return None
        if before.figures["entities"] < placing.PLACED_FROM:
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

    def _read(self, where: IndexInUse) -> Near | None:
        with self.timed("read"):
            deleted = read_deleted(where)
            names = touched_names(where, self.job.read_to)
            if len(names) + len(deleted.entities) > placing.MOST_TOUCHED:
                return None
            return read_near(where, names, deleted, self.vectors_of)

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
        reporter = reporter_for(None, "", where.sampled())
        gone = near.told | near.left
        was = self.store.ids([entity.embedded for entity in near.stored.base.values() if entity.ref in gone])
        away = near.deleted.entities.keys() | set(map(where.id, near.left))
        without = 0

        def write(tx: Transaction) -> None:
            nonlocal without
            reports = NewReports(where, reporter)
            reports.before(tx, tree)
            write_graph_in(tx, label, changes)
            write_tree_in(tx, label, tree.changes)
            tree.part.done(tx)
            store_reports_in(tx, label, reports.changes(tx, tree))
            if away:
                tx.run("systems/hirag/remove_bridges_by", label, generation=where.generation, ids=sorted(away))
            remove_unused_of(tx, label, was)
            job.figures["reports_written"], without = reports.written, reports.without
            job.publish_in(tx, job.state(generation=where.generation, placed=count, details=details))

        with self.timed("write"):
            job.commit(write)
        if without:
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
