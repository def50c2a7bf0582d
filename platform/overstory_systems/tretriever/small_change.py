"""One run of T-Retriever's index that places a small change in the generation in use, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.display import counted
from overstory.graph import generations
from overstory.index.derived_vectors import remove_unused, settle_awaited
from overstory.systems.base import SystemRun
from overstory.systems.figures import OF_ONE_BUILD
from overstory.systems.state import IndexState
from overstory.systems.tree.build import stored_form
from overstory.systems.tree.changes import MOST_CHANGED, MOST_IN_PLACE
from overstory.systems.vector_indexes import indexed_generation
from overstory_systems.tretriever.contents import Contents, Stored
from overstory_systems.tretriever.index_settings import TRetrieverIndexSettings, Vertices
from overstory_systems.tretriever.names import NAME, NODE
from overstory_systems.tretriever.placing import placed_figures, placed_tree, region_changes, within_whole
from overstory_systems.tretriever.region import (
    MOST_TOUCHED,
    ReadRegion,
    Region,
    read_documents_of,
    read_entities_of,
    read_region,
    touched_units,
)
from overstory_systems.tretriever.vertices import KINDS, deletions_of


def state_in_use(job: SystemRun[TRetrieverIndexSettings], over: Vertices) -> IndexState[TRetrieverIndexSettings] | None:
    """The state of the index, None if it is to be built from scratch."""
    before = job.before
    if job.scratch or before is None or not before.generation or before.details.get("over") != over:
        return None
    return before


@dataclass(frozen=True, slots=True)
class SmallChange:
    """A change that may be small."""

    job: SystemRun[TRetrieverIndexSettings]
    over: Vertices
    contents: Contents

    def placed(self) -> bool:
        """Places it in the generation in use; False where the whole is to be read: in a small graph, and where much
        changed.

        Raises:
            LlmError, BudgetExhausted, ModelError, LeaseLost, DatabaseError: what was committed before stays.
        """
        job, contents, before = self.job, self.contents, state_in_use(self.job, self.over)
        if before is None or not self._can_be_placed(before):
            return False
        generation, near = before.generation, self._read(before.generation)
        if near is None:
            return False
        region, found = near
        changed, left = region_changes(found, region)
        if before.placed + changed + left > MOST_CHANGED * (before.figures["vertices"] + changed):
            return False
        kept = {name: number for name, number in before.figures.items() if not name.endswith(OF_ONE_BUILD)}
        job.figures |= kept | {"vertices_changed": changed, "vertices_gone": left}
        job.progress.start(f"{NAME} tree", changed, "changed vertices")
        read, edges = found.read, found.read.graph.as_graph(weighted=job.settings.edge_weights)
        with contents.timed("tree"):
            tree = placed_tree(read.graph, edges, found.inside, region)
            nodes = stored_form(
                tree,
                read.graph.ids,
                read.graph.vectors,
                kind=KINDS[self.over],
                corpus=job.corpus.label,
                generation=generation,
            )
        job.progress.finish(counted(len(tree) - tree.leaves - 1, "set"))
        stored = Stored(generation, region.tree, region.index, region.reports)
        whole = within_whole(nodes, found.inside, region)
        changes = contents.changes(read, edges, tree, nodes, stored, found.sample, placed=whole)
        if len(changes) > MOST_IN_PLACE:
            return False
        job.figures |= placed_figures(kept, whole, region)
        size = int(job.figures["vertices"] + job.figures["sets"])
        interrupted = generations.discard_unpublished(job.writer, NAME, (NODE,))
        gone = deletions_of(job.corpus, self.over)
        details = {**before.details, "gone": gone, **indexed_generation(job, NODE, size, generation)}
        contents.commit(changes, generation, before.placed + changed + left, details)
        job.notes.extend(contents.notes)
        if interrupted:
            remove_unused(job.writer, stage=NAME)
        else:
            settle_awaited(job.writer, stage=NAME)
        return True

    def _can_be_placed(self, before: IndexState[TRetrieverIndexSettings]) -> bool:
        """Whether the index was built by a version that marks the sets that lost something, and has a tree."""
        if self.job.improve or not before.figures.get("vertices", 0):
            return False
        return bool(before.details.get("marked")) or before.details.get("gone") == deletions_of(
            self.job.corpus, self.over
        )

    def _read(self, generation: int) -> tuple[Region, ReadRegion] | None:
        """The region of the tree that changed, and what is there now; None if it is too large."""
        graph, corpus = self.job.graph, self.job.corpus
        with self.contents.timed("read"):
            touched = touched_units(graph, corpus, self.over, self.job.read_to, generation)
            region = read_region(graph, corpus, generation, touched) if len(touched) <= MOST_TOUCHED else None
            if region is None:
                return None
            if self.over == "documents":
                return region, read_documents_of(graph, corpus, region, touched)
            return region, read_entities_of(graph, corpus, region, touched, self.contents.vectors_of)
