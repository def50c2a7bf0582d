"""Names that say the same become one symbol, by `ALIAS_OF` alone: what was read stays, and merging can be undone.

Layer 1 compares the symbols that are new. It looks for names of one form (`same_name`), and merges those that are
near enough: nearness alone does not tell names apart. While few are new, the vector index says which are near; else all
forms are compared, which finds the same and more, in linear time. Layer 2 serves a codebook above its budget: k-means
cuts it into pieces of some fifty names, and in each those become one that only differ in a describing word.

Source: AutoPrunedRetriever, Section 2.7, Lemmas 9 and 11. Entities are merged and relations not, as there.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from overstory.display import counted
from overstory.errors import ExtraMissing
from overstory.graph import Transaction, batches, schema
from overstory.protocols import Vectors
from overstory.systems.base import SystemRun
from overstory.vectors.k_means import pieces, require_clustering
from overstory_systems.apr.ids import edge_id
from overstory_systems.apr.index_settings import AprIndexSettings
from overstory_systems.apr.same_name import name_form, near_name, same_name


class SymbolName(NamedTuple):
    """A symbol of an entity.

    Attributes:
        group: the id of the symbol that stands for it; its own where none does.
    """

    id: str
    text: str
    group: str


class Alias(NamedTuple):
    """A symbol, and the one that stands for it."""

    id: str
    representative: str
    cosine: float


def aliases(
    names: Sequence[SymbolName], vectors: Vectors, least: float, same: Callable[[str, str], bool]
) -> list[Alias]:
    """Divides names into groups, each around a medoid: the name with the greatest sum of cosines to those that it may
    stand for, of equal ones the shortest. Every other name of a group may be one with the medoid itself: no chain of
    small steps leads from a name to another. O(n²) cosines.

    Args:
        names: one and its representative may stay together.
        vectors: float32[n, d], of unit length.
        least: the cosine from which names may be one.
        same: whether two texts may be one, whatever their cosine is.

    Source: AutoPrunedRetriever, Section 2.7 and Lemma 11.
    """
    cosines = np.triu(vectors @ vectors.T, 1)
    near = np.zeros_like(cosines)
    for one, other in np.argwhere(cosines >= least).tolist():
        a, b = names[one], names[other]
        if b.id == a.group or a.id == b.group or same(a.text, b.text):
            near[one, other] = near[other, one] = min(1.0, cosines[one, other])
    found: list[Alias] = []
    while near.any():
        sums = near.sum(axis=1).round(4).tolist()
        medoid = min(range(len(names)), key=lambda place: (-sums[place], len(names[place].text), names[place].id))
        others = np.flatnonzero(near[medoid]).tolist()
        found += [Alias(names[each].id, names[medoid].id, float(near[medoid, each])) for each in others]
        taken = [medoid, *others]
        near[taken] = near[:, taken] = 0.0
    return found


MERGED_FROM = "merged_from"
"""In the details of an index' state: the cosine from which its names are merged, None where they are not."""
CLUSTERED = "clustered"
"""In the details of an index' state: how many symbols stood for themselves when k-means last cut them into pieces."""
_CONSOLIDATION_GROWTH = 1.1
"""By how much they must have grown until it does so again."""
_SYMBOL_SEARCH_DEPTH = 50
"""Symbols that the index is asked for."""
_COMPARISONS_A_SEARCH = 200
"""The index answers for one name while this many names are compared by their forms."""
_NAMES_A_PAGE = 400
_CONSOLIDATED_EDGES_A_STATEMENT = 2_000
_NAMES_A_PIECE = 100
"""Names of a piece at most. The mean is half of that: k = n / 50."""
_MOST_NAMES_OF_A_FORM = 200
"""Names that are compared with each other; of more the first by id."""

Run = SystemRun[AprIndexSettings]
Same = Callable[[str, str], bool]


def consolidate(run: Run) -> Mapping[str, object]:
    """Merges the symbols that are new since the last time, or undoes merging where the settings say so.

    Call it at the end of a build, when the vector index is there.

    Returns:
        `MERGED_FROM` and `CLUSTERED`, for the details of the index' state. A build that ends before they are published
        compares all names again.
    """
    label, settings = run.corpus.label, run.settings
    before = run.before.details if run.before is not None else {}
    if not settings.merge:
        run.graph.run_in_batches("systems/apr/merging/unmerge", label)
        return {MERGED_FROM: None}
    if before.get(MERGED_FROM) != settings.same:
        run.graph.run_in_batches("systems/apr/merging/unmerge", label)
        run.graph.run_in_batches("systems/apr/merging/compare_all", label)
        before = {}
    run.graph.run_in_batches("systems/apr/merging/remove_unused", label)
    merging = _Merging(run)
    merging.compare_new()
    clustered = merging.fit_budget(before.get(CLUSTERED, 0))
    merging.write_edges()
    return {MERGED_FROM: settings.same, CLUSTERED: clustered}


class _Merging:
    """The merging of one build."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._graph = run.graph
        self._label = run.corpus.label

    def compare_new(self) -> None:
        """Layer 1."""
        (size,) = self._graph.run("systems/apr/merging/size", self._label, read=True)
        if not size["unmerged"]:
            return
        index = schema.derived_index(self._label, "AprEntity")
        indexed = bool(self._graph.run("schema/index_state", read=True, name=index))
        few = indexed and size["unmerged"] * _COMPARISONS_A_SEARCH < size["entities"]
        for names in self._near(index) if few else self._of_one_form():
            self._regroup(names, same_name)
        self._graph.run_in_batches("systems/apr/merging/compared", self._label)

    def fit_budget(self, clustered: int) -> int:
        """Layer 2, where the codebook is above its budget and has grown since the last time.

        Args:
            clustered: symbols then, 0 for never.

        Returns:
            The same, as of now.
        """
        (size,) = self._graph.run("systems/apr/merging/size", self._label, read=True)
        own, budget = size["symbols"] - size["aliases"], self._run.settings.budget
        if own <= budget or own < clustered * _CONSOLIDATION_GROWTH:
            return clustered
        try:
            require_clustering()
        except ExtraMissing as error:
            self._run.notes.append(f"{own:,} symbols, more than the {budget:,} of the budget: {error} {error.remedy}")
            return clustered
        for page in _together(self._alike()):
            self._regroup(page, near_name)
        (size,) = self._graph.run("systems/apr/merging/size", self._label, read=True)
        own = int(size["symbols"] - size["aliases"])
        if own > budget:
            self._run.notes.append(f"{counted(own, 'symbol')} after merging, more than the {budget:,} of the budget")
        return own

    def write_edges(self) -> None:
        """Writes what edges are after merging to those that do not say so."""
        rows = self._graph.stream("systems/apr/merging/edges", self._label)
        found = [
            {"id": row["id"], "canonical": edge_id(self._label, row["head"], row["relation"], row["tail"])}
            for row in rows
        ]
        for some in batches(found, _CONSOLIDATED_EDGES_A_STATEMENT):
            self._commit(("write_canonical", {"rows": some}))

    def _near(self, index: str) -> Iterator[list[str]]:
        """The new symbols with those near them that may be the same."""
        ids = [row["id"] for row in self._graph.run("systems/apr/merging/unmerged", self._label, read=True)]
        for some in batches(ids, _NAMES_A_PAGE // 4):
            rows = self._graph.run(
                "systems/apr/merging/near",
                self._label,
                read=True,
                index=index,
                ids=some,
                depth=_SYMBOL_SEARCH_DEPTH,
                least=self._run.settings.same,
            )
            found: dict[str, None] = {}
            for row in rows:
                others = [id_ for id_, text in row["near"] if same_name(row["text"], text)]
                found |= dict.fromkeys([row["id"], *others] if others else [])
            yield list(found)

    def _of_one_form(self) -> Iterator[list[str]]:
        """The symbols of each form that a new one has, where there are several."""
        seen, twice = set[int](), set[int]()
        for row in self._graph.stream("systems/apr/merging/texts", self._label):
            code = hash(name_form(row["text"]))
            (twice if code in seen else seen).add(code)
        forms: dict[str, list[str]] = defaultdict(list)
        new = set[str]()
        for row in self._graph.stream("systems/apr/merging/texts", self._label):
            form = name_form(row["text"])
            if form and hash(form) in twice:
                forms[form].append(row["id"])
                if row["unmerged"]:
                    new.add(form)
        cut = sum(max(0, len(forms[form]) - _MOST_NAMES_OF_A_FORM) for form in new)
        if cut:
            self._run.notes.append(
                f"{counted(cut, 'symbol was', 'symbols were')} not compared: "
                f"more than {_MOST_NAMES_OF_A_FORM} have their form"
            )
        yield from _together(
            sorted(forms[form])[:_MOST_NAMES_OF_A_FORM] for form in sorted(new) if len(forms[form]) > 1
        )

    def _alike(self) -> Iterator[list[str]]:
        """The symbols of each piece that one describing word tells apart."""
        names: list[SymbolName] = []
        flat = array("f")
        for row in self._graph.stream("systems/apr/merging/vectors", self._label):
            names.append(SymbolName(row["id"], row["text"], row["id"]))
            flat.extend(row["vector"])
        vectors = np.frombuffer(flat, dtype=np.float32).reshape(len(names), -1)
        for piece in pieces(vectors, _NAMES_A_PIECE):
            joined = aliases([names[place] for place in piece], vectors[piece], self._run.settings.same, near_name)
            yield sorted({id_ for alias in joined for id_ in (alias.id, alias.representative)})

    def _regroup(self, ids: Sequence[str], same: Same) -> None:
        """Divides some symbols and all of their groups into groups again, and writes what changed."""
        if not ids:
            return
        rows = self._graph.run("systems/apr/merging/groups", self._label, read=True, ids=list(ids))
        names = [SymbolName(row["id"], row["text"], row["group"]) for row in rows]
        vectors = np.array([row["vector"] for row in rows], np.float32)
        now = {alias.id: alias for alias in aliases(names, vectors, self._run.settings.same, same)}
        before = {name.id: name.group for name in names}
        changed = [id_ for id_, group in before.items() if (now[id_].representative if id_ in now else id_) != group]
        joined = [now[id_]._asdict() for id_ in changed if id_ in now]
        if not changed:
            return
        self._commit(("part", {"ids": changed}), ("join", {"rows": joined}))
        self._run.ledger.count("merged", len(joined))

    def _commit(self, *statements: tuple[str, Mapping[str, object]]) -> None:
        """Runs statements with their parameters in one transaction."""

        def write(tx: Transaction) -> None:
            for name, parameters in statements:
                tx.run(f"systems/apr/merging/{name}", self._label, **parameters)

        self._run.commit(write)


def _together(groups: Iterable[list[str]]) -> Iterator[list[str]]:
    """Several groups at a time: those of one page do not meet, because their names have other forms."""
    page: list[str] = []
    for group in groups:
        page += group
        if len(page) >= _NAMES_A_PAGE:
            yield page
            page = []
    yield page
