"""What systems and facts show of a corpus: communities, reports on them, and paths between entities."""

from __future__ import annotations

from overstory.errors import QuestionError
from overstory.filters import Where
from overstory.knowledge.connection import CorpusPart
from overstory.model.communities import CommunityReports, CommunityTree, FullReport, ListedTree
from overstory.model.entity_paths import EntityPaths
from overstory.retrieve.context import one_question
from overstory.retrieve.entity_paths import find_paths
from overstory.systems import installed_systems
from overstory.systems.tree.finding import listed_trees, read_again
from overstory.systems.tree.report_view import view_report, view_reports
from overstory.systems.tree.view import view_tree

MOST_PATHS_FOUND = 100
MOST_STEPS_OF_A_PATH = 6


class CorpusCommunities(CorpusPart):
    """Communities of the trees of systems, reports on them, and paths between entities."""

    @one_question()
    def paths(self, start: str, end: str, k: int = 3, *, steps: int = 4, where: Where | None = None) -> EntityPaths:
        """How two names are connected: the shortest path and the best others, with the sentences that state each step.

        A step goes from a name to one that a fact ties to it, that a link leads to or from, or that a passage mentions
        with it. The best paths are short, and go through names that few passages mention. Finding none is no error.

        Args:
            start, end: as texts write them; case, accents and punctuation do not matter.
            k: how many paths, 1 to 100; no two go through the same names.
            steps: the most that a path may have, 1 to 6.
            where: a filter on the metadata of documents, as of `search`: passages, facts and links of others are not
                gone through, and a name that only they mention is unknown. `MOST_PASSAGES_OF_A_NAME` and costs are
                those of the whole corpus.

        Raises:
            QuestionError: a name is empty, both are the same, or `k` or `steps` is out of bounds.
            EntityNotFound: no passage mentions one of them, or both; `unknown` has the most similar names of each.
            IndexMissing: the corpus has no names yet.
        """
        if not 1 <= k <= MOST_PATHS_FOUND:
            raise QuestionError(f"k is {k}.", remedy=f"Ask for 1 to {MOST_PATHS_FOUND} paths.")
        if not 1 <= steps <= MOST_STEPS_OF_A_PATH:
            raise QuestionError(f"steps is {steps}.", remedy=f"Allow 1 to {MOST_STEPS_OF_A_PATH} steps.")
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
        """The communities of a tree that a system's index has: how large each is, what it is about, what it keeps
        together.

        Args:
            node: the id of a community, or a unique prefix of it; the whole tree if left out.
            depth: levels below it, 1 to 10: communities, and passages, names or documents that are in none of these.
            limit: communities below each, the largest, and passages, names or documents; 1 to 100. No more than 100 of
                either are shown.
            first: communities, and passages, names or documents right below `node` that are left out before the others,
                to go on from a page.
            sentences: whether to look for the sentences that communities are about, which takes most of the time.
            tree: its name; the first that the corpus has if left out.
            where: a filter on the metadata of documents, as of `search`: only communities all of whose passages are
                theirs, and of the tree without a `node` the highest of these. Without figures on the rest of the tree.

        Raises:
            QuestionError: no community has this id, or several begin so; `depth`, `limit` or `first` is out of
                bounds.
            SettingsError: no system has such a tree; the remedy names those there are, and what builds the others.
            IndexMissing: the corpus does not have it, or has no tree; the remedy says what builds it.
            EmbedderMismatch: the corpus has vectors of another embedder.
        """
        context = self.connection.retrieval_context()
        among = self.among_enabled(where)
        systems = installed_systems()
        return view_tree(
            systems, context, node, depth=depth, limit=limit, first=first, sentences=sentences, tree=tree, among=among
        )

    def trees(self) -> list[ListedTree]:
        """The trees of the corpus that systems' indexes have, by the names that `tree` takes."""
        return listed_trees(installed_systems(), self.read())

    @read_again
    @one_question()
    def reports(
        self, *, level: int | None = None, limit: int = 20, tree: str = "", where: Where | None = None
    ) -> CommunityReports:
        """The reports that a system wrote on the communities of a tree, those of the highest rating first.

        Args:
            level: of the communities, 1 for the coarsest; the coarsest that has a report if left out.
            limit: 1 to 100.
            tree: its name; the first of the corpus with reports if left out.
            where: a filter on the metadata of documents, as of `search`: only reports all of whose passages are theirs.

        Raises:
            QuestionError: `level` or `limit` is out of bounds.
            SettingsError: no system writes reports on such a tree; the remedy names those there are, and what builds
                the others.
            IndexMissing: the corpus does not have it, or has no reports; the remedy says what builds them.
        """
        systems = installed_systems()
        among = self.among_enabled(where)
        return view_reports(systems, self.graph, self.corpus_name, level=level, limit=limit, tree=tree, among=among)

    @read_again
    @one_question()
    def report(self, community: str, *, tree: str = "", where: Where | None = None) -> FullReport:
        """The report on a community, each finding with the passages it stands on, and what is above and below it.

        Args:
            community: its id, or a unique prefix of it, as `reports` and `Knowledge.tree` have them.
            tree, where: as of `reports`; a report that stands on other documents, too, is as unknown as one that is not
                there.

        Raises:
            QuestionError: no community has this id, or several begin so.
            SettingsError, IndexMissing: as `reports`.
        """
        among = self.among_enabled(where)
        return view_report(installed_systems(), self.graph, self.corpus_name, community, tree=tree, among=among)
