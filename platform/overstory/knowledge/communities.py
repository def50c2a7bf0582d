"""Communities, reports on them, and paths between entities."""

from __future__ import annotations

from overstory.errors import QuestionError
from overstory.filters import Where
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
    """Communities in the trees of systems, reports on them, and paths between entities."""

    @one_question()
    def paths(self, start: str, end: str, k: int = 3, *, steps: int = 4, where: Where | None = None) -> EntityPaths:
        """Find how two entities are connected: the shortest path and the best others, with supporting sentences.

        A step leads from an entity to another one that a fact relates to it, that a link connects, or that a passage
        mentions with it. The best paths are short and go through entities that few passages mention. The result may
        have no path.

        Args:
            start, end: entity names in any spelling; case, accents and punctuation are ignored.
            k: number of paths, 1 to 100; no two go through the same entities.
            steps: maximum number of steps of a path, 1 to 6.
            where: metadata filter as for `search`. Passages, facts and links of other documents are ignored, and an
                entity that only they mention is unknown. Costs and `MOST_PASSAGES_OF_A_NAME` refer to the whole corpus.

        Raises:
            QuestionError: a name is empty, both names are the same entity, or `k` or `steps` is out of range.
            EntityNotFound: no passage mentions one of the entities; `unknown` lists similar names.
            IndexMissing: the corpus has no entities yet.
        """
        if not 1 <= k <= MOST_PATHS_FOUND:
            raise QuestionError(f"k is out of range: {k}.", remedy=f"Ask for 1 to {MOST_PATHS_FOUND} paths.")
        if not 1 <= steps <= MOST_STEPS_OF_A_PATH:
            raise QuestionError(f"steps is out of range: {steps}.", remedy=f"Allow 1 to {MOST_STEPS_OF_A_PATH} steps.")
        among = self.among_enabled(where)
        return find_paths(self.graph, self.corpus_name, start, end, k=k, steps=steps, among=among)

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
        """Return communities of a tree in a system's index, with their sizes, typical names and figures.

        Args:
            node: id of a community, or a unique prefix of it; by default the whole tree.
            depth: number of levels below `node`, 1 to 10.
            limit: maximum number of communities, and of passages, entities or documents, below each community, 1 to
                100. At most 100 of either are shown in all.
            first: number of direct children of `node` to skip, for paging.
            sentences: True to look for typical sentences of communities, which takes most of the time.
            tree: name of the tree; by default the corpus's first tree.
            where: metadata filter as for `search`. Shows only communities whose passages all match; without `node`, the
                highest of them. Figures of the whole tree are left out.

        Raises:
            QuestionError: no community or several communities have this id prefix, or `depth`, `limit` or `first` is
                out of range.
            SettingsError: no system has such a tree; the remedy names existing trees and commands that build others.
            IndexMissing: the corpus lacks this tree, or has no tree; the remedy has the command that builds it.
            EmbedderMismatch: the vectors of the corpus come from another embedder.
        """
        context = self.connection.retrieval_context()
        among = self.among_enabled(where)
        systems = installed_systems()
        return view_tree(
            systems, context, node, depth=depth, limit=limit, first=first, sentences=sentences, tree=tree, among=among
        )

    def trees(self) -> list[ListedTree]:
        """Return the trees of the corpus, with the names that `tree` accepts."""
        return listed_trees(installed_systems(), self.read())

    @read_again
    @one_question()
    def reports(
        self, *, level: int | None = None, limit: int = 20, tree: str = "", where: Where | None = None
    ) -> CommunityReports:
        """Return a system's reports on the communities of a tree, highest rating first.

        Args:
            level: level of the communities, 1 for the coarsest; by default the coarsest level with a report.
            limit: maximum number of reports, 1 to 100.
            tree: name of the tree; by default the corpus's first tree with reports.
            where: metadata filter as for `search`. Returns only reports whose passages all match.

        Raises:
            QuestionError: `level` or `limit` is out of range.
            SettingsError: no system writes reports on such a tree; the remedy names existing trees and commands that
                build others.
            IndexMissing: the corpus lacks this tree, or has no reports; the remedy has the command that builds them.
        """
        systems = installed_systems()
        among = self.among_enabled(where)
        return view_reports(systems, self.graph, self.corpus_name, level=level, limit=limit, tree=tree, among=among)

    @read_again
    @one_question()
    def report(self, community: str, *, tree: str = "", where: Where | None = None) -> FullReport:
        """Return the report on a community with the passages of each finding, and the communities above and below.

        Args:
            community: id of the community, or a unique prefix of it, as in `reports` and `Knowledge.tree`.
            tree, where: as for `reports`. A report that also uses other documents is reported as unknown.

        Raises:
            QuestionError: no community or several communities have this id prefix.
            SettingsError, IndexMissing: as for `reports`.
        """
        among = self.among_enabled(where)
        return view_report(installed_systems(), self.graph, self.corpus_name, community, tree=tree, among=among)
