"""API methods for communities, reports on communities, and paths between entities."""

from __future__ import annotations

from overstory.errors import QuestionError
from overstory.filters import Where
from overstory.filters.expression import as_of
from overstory.knowledge.connection import CorpusPart
from overstory.model.communities import CommunityReports, CommunityTree, FullReport, ListedTree
from overstory.model.entity_paths import EntityPaths
from overstory.retrieve.context import one_question
from overstory.retrieve.entity_paths import find_paths
from overstory.systems import installed_systems
from overstory.systems.tree.lookup import listed_trees, read_again
from overstory.systems.tree.report_view import view_report, view_reports
from overstory.systems.tree.view import view_tree

MOST_PATHS_FOUND = 100
MOST_STEPS_OF_A_PATH = 6


class CorpusCommunities(CorpusPart):
    """Methods that return communities, reports on communities, and paths between entities."""

    @one_question()
    def paths(self, start: str, end: str, k: int = 3, *, steps: int = 4, where: Where | None = None) -> EntityPaths:
        """Find how two entities are connected: the shortest path and the next best paths, with supporting sentences.

        A path consists of steps. A step leads from one entity to another if a fact relates them, a link connects them,
        or a passage mentions both. The best paths are short and lead through entities that few passages mention. The
        result may contain no path.

        Args:
            start, end: entity names in any spelling; case, accents and punctuation are ignored.
            k: maximum number of paths, 1 to 100. No two paths lead through the same entities.
            steps: maximum number of steps in a path, 1 to 6.
            where: metadata filter as for `search`. Passages, facts and links of documents that do not match are
                ignored. An entity that only such documents mention raises `EntityNotFound`. The cost of a path is
                still computed from the whole corpus, as is the limit on passages that mention an entity.

        Raises:
            QuestionError: a name is empty, both names refer to the same entity, or `k` or `steps` is out of range.
            EntityNotFound: no passage mentions one of the entities. The error's `unknown` lists similar names.
            IndexMissing: the corpus has no entities yet.
        """
        if not 1 <= k <= MOST_PATHS_FOUND:
            raise QuestionError(f"k is out of range: {k}.", remedy=f"Ask for 1 to {MOST_PATHS_FOUND} paths.")
        if not 1 <= steps <= MOST_STEPS_OF_A_PATH:
            raise QuestionError(f"steps is out of range: {steps}.", remedy=f"Allow 1 to {MOST_STEPS_OF_A_PATH} steps.")
        among = self.among_enabled(where)
        day = as_of(self.within(where))
        return find_paths(self.graph, self.corpus_name, start, end, k=k, steps=steps, among=among, as_of=day)

    @read_again
    @one_question()
    def tree(
        self,
        node: str | None = None,
        *,
        depth: int = 1,
        limit: int = 20,
        first: int = 0,
        sentences: bool = True,
        tree: str = "",
        where: Where | None = None,
    ) -> CommunityTree:
        """Return the communities of a tree that a system has built, with their sizes, typical names and figures.

        Args:
            node: id of a community, or the start of the id if it is unique; its part of the tree is returned. By
                default the whole tree is returned, from its root.
            depth: number of levels to return below `node`, 1 to 10.
            limit: maximum number of child communities to return for each community, 1 to 100. It also limits how many
                passages, entities or documents are listed directly below each community. In total, at most 100
                communities and 100 such items are returned.
            first: number of direct children of `node` to skip, for paging.
            sentences: True to find typical sentences of each community, which takes most of the time.
            tree: name of the tree; by default the corpus's first tree.
            where: metadata filter as for `search`. Only communities whose passages all match are returned; without
                `node`, the largest such communities appear directly below the root. Figures about the whole tree are
                left out.

        Raises:
            QuestionError: no community or several communities have this id prefix, or `depth`, `limit` or `first` is
                out of range.
            SettingsError: no system builds such a tree. The error's remedy names the existing trees, and the commands
                that build others.
            IndexMissing: the corpus does not contain this tree, or contains no tree. The error's remedy states the
                command that builds it.
            EmbedderMismatch: the vectors of the corpus come from another embedder.
        """
        context = self.connection.retrieval_context()
        among = self.among_enabled(where)
        systems = installed_systems()
        return view_tree(
            systems, context, node, depth=depth, limit=limit, first=first, sentences=sentences, tree=tree, among=among
        )

    def trees(self) -> list[ListedTree]:
        """List the trees of the corpus, with the names that the parameter `tree` accepts."""
        return listed_trees(installed_systems(), self.read())

    @read_again
    @one_question()
    def reports(
        self, *, level: int | None = None, limit: int = 20, tree: str = "", where: Where | None = None
    ) -> CommunityReports:
        """Return the reports that a system wrote about the communities of a tree, highest rating first.

        Args:
            level: level of the communities; level 1 has the largest ones. By default the first level with a report.
            limit: maximum number of reports, 1 to 100.
            tree: name of the tree; by default the corpus's first tree with reports.
            where: metadata filter as for `search`. Only reports whose passages all match are returned.

        Raises:
            QuestionError: `level` or `limit` is out of range.
            SettingsError: no system writes reports about such a tree. The error's remedy names the existing trees, and
                the commands that build others.
            IndexMissing: the corpus does not contain this tree, or contains no reports. The error's remedy states the
                command that builds them.
        """
        systems = installed_systems()
        among = self.among_enabled(where)
        return view_reports(systems, self.graph, self.corpus_name, level=level, limit=limit, tree=tree, among=among)

    @read_again
    @one_question()
    def report(self, community: str, *, tree: str = "", where: Where | None = None) -> FullReport:
        """Return the report about a community, the passages behind each finding, and the communities above and below.

        Args:
            community: id of the community, which `reports` and `Knowledge.tree` return, or the start of the id if it is
                unique.
            tree, where: as for `reports`. A report that is also based on documents that do not match is treated as
                unknown.

        Raises:
            QuestionError: no community or several communities have this id prefix.
            SettingsError, IndexMissing: as for `reports`.
        """
        among = self.among_enabled(where)
        return view_report(installed_systems(), self.graph, self.corpus_name, community, tree=tree, among=among)
