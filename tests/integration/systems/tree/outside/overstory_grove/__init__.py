"""A system of another package with trees over names and over documents, as small as one can be.

Names are joined by the facts that relate them, documents by the names that both mention.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from overstory.graph import generations
from overstory.graph.client import Row
from overstory.protocols import Retriever
from overstory.retrieve import DEFAULT_RETRIEVER, RetrievalContext, make_retriever
from overstory.systems import IndexState, Owned, System, SystemRun, option
from overstory.systems.texts.reports import Finding, Report
from overstory.systems.tree.build import TreeNodes, make_tree, stored_form
from overstory.systems.tree.changes import new_tree, write_tree
from overstory.systems.tree.kinds import TreeKind
from overstory.systems.tree.reports import ReportRows, store_reports
from overstory_entropy import EncodingTree, Graph

LABEL, REPORT = "GroveNode", "GroveReport"
NAMES = TreeKind(
    "grove-names",
    "Grove tree",
    "entity",
    LABEL,
    structure="grove",
    properties=("title", "summary"),
    reports=REPORT,
)
DOCUMENTS = TreeKind(
    "grove-documents", "Grove tree over what documents share", "document", LABEL, structure="grove", options="documents"
)


@dataclass(frozen=True, slots=True)
class GroveIndexSettings:
    """Which trees there are."""

    documents: bool = option(False, "a second tree, of documents")


@dataclass(frozen=True, slots=True)
class GroveRetrieverSettings:
    """Nothing can be set."""


class Grove(System[GroveIndexSettings, GroveRetrieverSettings]):
    """A tree of one level of communities."""

    name = "grove"
    title = "Grove"
    settings = GroveIndexSettings
    retriever_settings = GroveRetrieverSettings
    unit = "entity"
    owns = Owned(labels=(LABEL, REPORT), generations=("grove",))
    trees = (NAMES, DOCUMENTS)
    statements = files("overstory_grove").joinpath("cypher")

    def has_tree(self, tree: TreeKind, state: IndexState[GroveIndexSettings]) -> bool:
        """Return True if the tree exists; the tree of documents is optional."""
        return tree == NAMES or state.settings.documents

    def build(self, run: SystemRun[GroveIndexSettings]) -> None:
        """Into a new generation."""
        generation = generations.begin(run.writer, "grove")
        trees = [self._nodes(run, kind, generation) for kind in self.trees if kind == NAMES or run.settings.documents]
        for nodes in trees:
            write_tree(run.writer, new_tree(nodes), run.progress)
        store_reports(run.writer, _reports(run, trees[0]), run.progress)
        run.publish(run.state(generation=generation))

    def retriever(self, context: RetrievalContext, settings: GroveRetrieverSettings) -> Retriever:  # noqa: ARG002
        """Return the retriever of the corpus, because a grove has none of its own."""
        return make_retriever(DEFAULT_RETRIEVER, context)

    def _nodes(self, run: SystemRun[GroveIndexSettings], kind: TreeKind, generation: int) -> TreeNodes:
        """The tree of a kind over the corpus as it is."""
        rows = run.graph.run(f"systems/grove/{kind.unit}", run.corpus.label, read=True)
        edges = run.graph.run(f"systems/grove/{kind.unit}_edges", run.corpus.label, read=True)
        number = {row["id"]: place for place, row in enumerate(rows)}
        ends = np.array([[number[row["one"]], number[row["other"]]] for row in edges], dtype=np.int64).reshape(-1, 2)
        tree = make_tree(Graph.from_edges(len(rows), ends, [row["weight"] for row in edges]), levels=1)
        return stored_form(
            tree,
            list(number),
            run.context.embedder.embed([row["text"] for row in rows]),
            kind=kind,
            corpus=run.corpus.label,
            generation=generation,
            properties=_titles(tree, rows),
        )


def _titles(tree: EncodingTree, rows: Sequence[Row]) -> dict[int, Row]:
    """Each community is named after its strongest member."""
    titles: dict[int, Row] = {}
    for node in tree.children(tree.root).tolist():
        members = tree.members(node).tolist()
        first = rows[max(members, key=lambda member: float(tree.volume[member]))]["text"]
        titles[node] = {"title": f"Around {first}", "summary": f"{first} and {len(members) - 1} more."}
    return titles


def _reports(run: SystemRun[GroveIndexSettings], names: TreeNodes) -> ReportRows:
    """Each community is reported on with a finding for each of its names, the most mentioned first."""
    rows = {row["id"]: row for row in run.graph.run("systems/grove/passages", run.corpus.label, read=True)}
    members: dict[str, list[Row]] = {}
    for unit, parent in zip(names.units, names.parents, strict=False):
        members.setdefault(parent, []).append(rows[unit])
    wanted: dict[str, Report] = {}
    for community, found in members.items():
        found.sort(key=lambda row: (-len(row["chunks"]), row["name"]))
        stands_on = tuple(dict.fromkeys(chunk for row in found for chunk in row["chunks"]))
        called = [row["name"] for row in found]
        wanted[community] = Report(
            key=" ".join([*called, *stands_on]),
            title=f"Report on {called[0]}",
            summary=f"{', '.join(called)} belong together.",
            rating=min(10.0, float(len(stands_on))),
            findings=[Finding(f"{row['name']} is there.", tuple(row["chunks"]), (row["name"],)) for row in found],
            by="rules",
            stands_on=stands_on,
        )
    return ReportRows.of(NAMES, run.corpus.label, names.generation, wanted)
