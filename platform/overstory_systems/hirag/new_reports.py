"""Reports on the communities that a small change touched, written again within the transaction that changed them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from overstory.graph import Transaction, batches
from overstory.graph.client import Row
from overstory.systems.tree.reports import Report, ReportChanges, StoredReports, report_changes
from overstory_entropy import EncodingTree
from overstory_systems.hirag.in_use import IDS_A_STATEMENT, IndexInUse
from overstory_systems.hirag.knowledge_graph import LayeredGraph, LayerEntity
from overstory_systems.hirag.names import COMMUNITIES
from overstory_systems.hirag.placing import PlacedTree, new_communities
from overstory_systems.hirag.report_material import Materials
from overstory_systems.hirag.reports import Reporter, report_key
from overstory_systems.hirag.store import entity_of, graph_of

MOST_MEMBERS = 500
"""Entities of a community whose report is written again; that of a larger one stays."""


@dataclass(slots=True)
class NewReports:
    """Writes reports on communities again, within the transaction that changed them.

    Attributes:
        written: how many.
        without: how many communities lost theirs, and are too large to get another.
    """

    where: IndexInUse
    reporter: Reporter
    stored: dict[str, Report] = field(default_factory=dict[str, Report])
    of: dict[str, str] = field(default_factory=dict[str, str])
    written: int = 0
    without: int = 0
    _unreported: set[str] = field(default_factory=set[str])

    def before(self, tx: Transaction, placed: PlacedTree) -> None:
        """Reads the reports of what is about to change."""
        ids = [*placed.lowest, *placed.changes.gone]
        for row in tx.run("systems/hirag/reports_of", self.where.corpus.label, ids=ids):
            self.stored[row["id"]] = Report.from_properties(row["properties"], row["chunks"])
            self.of |= dict.fromkeys(row["communities"], row["id"])
        rows = tx.run("systems/hirag/unreported", self.where.corpus.label, generation=self.where.generation)
        self._unreported = {row["id"] for row in rows}

    def changes(self, tx: Transaction, placed: PlacedTree) -> ReportChanges:
        """What is to be written of reports, by the communities as they now are."""
        gone = set(placed.changes.gone)
        wanted = {
            *placed.lowest,
            *new_communities(placed.changes),
            *(self.of.keys() - gone),
            *(self._unreported - gone),
        }
        wanted.discard(self.where.root)
        label, generation = self.where.corpus.label, self.where.generation
        rows = tx.run("systems/hirag/members", label, ids=sorted(wanted), most=MOST_MEMBERS)
        members = {row["id"]: frozenset[str](row["members"]) for row in rows}
        graph = self._read(tx, set().union(*members.values()) if members else set())
        found: dict[str, Report] = {}
        by_members: dict[frozenset[str], Report] = {}
        for id_ in sorted(wanted):
            if id_ not in members:  # too large: it keeps its report
                if id_ in self.of:
                    found[id_] = self.stored[self.of[id_]]
                else:
                    self.without += 1
                continue
            some = members[id_]
            if some not in by_members:
                by_members[some] = self._report(graph, some)
            found[id_] = by_members[some]
        kept = {id_: report for id_, report in self.of.items() if id_ in found}
        return report_changes(COMMUNITIES, label, generation, found, StoredReports(self.stored, kept))

    def _read(self, tx: Transaction, ids: Collection[str]) -> LayeredGraph:
        """Some entities with all that they are tied to; of the other ends nothing but their refs."""
        label = self.where.corpus.label
        entities: list[LayerEntity] = []
        rows: dict[tuple[str, str, str], Row] = {}
        for some in batches(sorted(ids), IDS_A_STATEMENT):
            entities += map(entity_of, tx.run("systems/hirag/some_entities", label, ids=some))
            for row in tx.run("systems/hirag/some_relations", label, ids=some):
                rows[row["type"], row["source"], row["target"]] = row["properties"]
        return graph_of(entities, rows)

    def _report(self, graph: LayeredGraph, ids: Collection[str]) -> Report:
        """The report on a community, by its own sentences."""
        part = _around(graph, {each.ref for each in graph.entities if self.where.id(each.ref) in ids})
        inside = {each.ref for each in graph.entities if self.where.id(each.ref) in ids}
        labels = [int(each.ref not in inside) for each in part.entities]
        tree = EncodingTree.from_labels(part.as_graph(), labels)
        materials = Materials(tree, part)
        node = int(tree.parents[part.number[min(inside)]])
        (material,) = (each for each in materials.of_level(1) if each.node == node)
        key = report_key(self.reporter, material)
        known = {report.key: report for report in self.stored.values()}
        if key in known:
            return known[key]
        (report,) = self.reporter.write([(replace(material, key=key), [])])
        self.written += 1
        return report


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
