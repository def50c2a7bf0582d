"""The trees of a corpus by name, among those of all systems."""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from overstory.display import counted, index_command
from overstory.errors import CommunityNotFound, IndexMissing, QuestionError, SettingsError
from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.model.communities import SHORT_ID_DIGITS, ListedTree
from overstory.model.documents import PLURAL, SINGULAR
from overstory.systems.base import System
from overstory.systems.settings import SettingsClass
from overstory.systems.state import IndexState, index_missing, read_state, require_state, with_options
from overstory.systems.tree.kinds import TreeKind

S = TypeVar("S", bound=SettingsClass)
T = TypeVar("T")
P = ParamSpec("P")

_COMMUNITY_CANDIDATES = 6
"""Communities listed if the requested id fits several."""
_COMMUNITIES_TRIED = 100
"""Communities with such an id among which those are looked for that a filter lets through."""

_READ_AGAIN = 2  # a build takes longer than two attempts

_DIGITS = re.compile(r"[0-9a-f]{1,32}")


class TreeReplaced(IndexMissing):
    """A build published another tree, and deleted this one, while it was read."""


def read_again(read: Callable[P, T]) -> Callable[P, T]:
    """Return a function that reads the tree that took the place of the one that was just read."""

    @functools.wraps(read)
    def reading(*args: P.args, **kwargs: P.kwargs) -> T:
        for _ in range(_READ_AGAIN):
            with suppress(TreeReplaced):
                return read(*args, **kwargs)
        return read(*args, **kwargs)

    return reading


@dataclass(frozen=True, slots=True)
class FoundTree:
    """A tree that a corpus has, and the state of the index that it belongs to."""

    system: System[Any, Any]
    kind: TreeKind
    state: IndexState[Any]

    def gone(self, corpus: Corpus) -> TreeReplaced:
        """The error where it cannot be read: a build publishes its tree and then deletes the one before, which somebody
        may be reading."""
        system = self.system.name
        return TreeReplaced(
            f"The tree {self.kind.name} of corpus {corpus.name!r} was replaced while it was read.",
            remedy="Ask again. If that does not help, remove the index (overstory index --remove-system "
            f"{system} --corpus {shlex.quote(corpus.name)}) and build it again (--system {system}).",
        )


def find_tree(
    systems: Sequence[System[Any, Any]], corpus: Corpus, name: str = "", *, with_reports: bool = False
) -> FoundTree:
    """The tree of a name; without one the first that the corpus has.

    Args:
        systems: whose trees are looked at, in this order.
        with_reports: only trees on whose communities their systems write reports.
    """
    offered = _offered(systems, with_reports=with_reports)
    if named := [(system, kind) for system, kind in offered if kind.name == name]:
        return _of_one_name(named, corpus)
    if name:
        what = f"There is no tree {name!r}{' with reports' if with_reports else ''}."
        raise SettingsError(what, remedy=_choice(offered, corpus))
    found = next(_trees_of(offered, corpus), None)
    if found is not None:
        return found
    for system, _ in offered:
        if read_state(system, corpus) is not None:
            require_state(system, corpus)  # says what is wrong with it
    what = "no reports on communities" if with_reports else "no tree"
    raise IndexMissing(f"Corpus {corpus.name!r} has {what}.", remedy=_choice(offered, corpus))


def listed_trees(systems: Sequence[System[Any, Any]], corpus: Corpus) -> list[ListedTree]:
    """The trees of a corpus that can be searched, by system."""
    kinds = (found.kind for found in _trees_of(_offered(systems, with_reports=False), corpus))
    return [ListedTree(kind.name, kind.title, kind.unit, bool(kind.reports)) for kind in kinds]


def other_trees(
    systems: Sequence[System[Any, Any]], corpus: Corpus, shown: FoundTree, *, with_reports: bool = False
) -> tuple[str, ...]:
    """A note that names the other trees of a corpus, where one is shown that nobody named; none if it is the only one.

    Args:
        systems, with_reports: as of `find_tree`.
    """
    offered = _offered(systems, with_reports=with_reports)
    others = [each.kind for each in _trees_of(offered, corpus) if each.kind.name != shown.kind.name]
    named = ", ".join(f"{kind.name} ({_described(kind)})" for kind in others)
    return (f"This is the tree {shown.kind.name}. There are also: {named}. --tree NAME shows one.",) if named else ()


def _of_one_name(named: _Offered, corpus: Corpus) -> FoundTree:
    """The one of a name that a corpus has. A system whose tree is of one unit or another has a kind for each."""
    if (found := next(_trees_of(named, corpus), None)) is not None:
        return found
    system, kind = named[0]
    if len(named) > 1:
        require_state(system, corpus)
        raise IndexMissing(f"Corpus {corpus.name!r} has no tree {kind.name}.", remedy=_choice(named, corpus))
    return FoundTree(system, kind, require_tree(system, corpus, kind))  # says what is missing


def require_tree(system: System[S, Any], corpus: Corpus, kind: TreeKind) -> IndexState[S]:
    """The state of an index that can be searched and has this tree."""
    state = require_state(system, corpus)
    if not system.has_tree(kind, state):
        raise index_missing(system, corpus, f"has no {kind.title}", options=kind.options)
    return state


def community_id(
    tx: Transaction,
    corpus: Corpus,
    found: FoundTree,
    begins: str,
    *,
    command: str,
    own: Callable[[Iterable[str]], set[str]] | None = None,
) -> str:
    """The id of the community that `begins` is, or is the beginning of.

    Args:
        command: of ours, that shows communities by id: "tree".
        own: which of some may be shown; others are as unknown as those that are not there.
    """
    wanted, kind = begins.strip().lower(), found.kind
    here = f"overstory {command} --corpus {shlex.quote(corpus.name)} --tree {kind.name}"
    rows: list[Row] = []
    if _DIGITS.fullmatch(wanted):
        rows = tx.run(
            kind.statement("systems/tree/begins"),
            corpus.label,
            begins=wanted,
            tree=kind.name,
            generation=found.state.generation,
            limit=_COMMUNITY_CANDIDATES + 1 if own is None else _COMMUNITIES_TRIED,
        )
    if own is not None:
        kept = own(row["id"] for row in rows)
        rows = [row for row in rows if row["id"] in kept][: _COMMUNITY_CANDIDATES + 1]
    if not rows:
        raise CommunityNotFound(
            f"No community has an id that begins with {begins!r}.",
            remedy=f"See what there is: {here}. Ids change when a tree is rebuilt.",
        )
    if len(rows) > 1:
        of = SINGULAR[kind.unit]
        named = ", ".join(
            f"{row['id'][:SHORT_ID_DIGITS]} ({counted(row['size'], of)})" for row in rows[:_COMMUNITY_CANDIDATES]
        )
        more = ", …" if len(rows) > _COMMUNITY_CANDIDATES else ""
        raise QuestionError(
            f"Several communities have an id that begins with {begins!r}: {named}{more}.",
            remedy=f"Give more of the id: {here} {rows[0]['id'][: max(SHORT_ID_DIGITS, len(wanted) + 1)]}",
        )
    return str(rows[0]["id"])


_Offered = Sequence[tuple[System[Any, Any], TreeKind]]


def _offered(systems: Sequence[System[Any, Any]], *, with_reports: bool) -> _Offered:
    return [(system, kind) for system in systems for kind in system.trees if kind.reports or not with_reports]


def _trees_of(offered: _Offered, corpus: Corpus) -> Iterator[FoundTree]:
    """The trees of a corpus that can be searched."""
    for system, kind in offered:
        try:
            yield FoundTree(system, kind, require_tree(system, corpus, kind))
        except IndexMissing:
            continue


def _choice(offered: _Offered, corpus: Corpus) -> str:
    """Names the trees that a corpus has, and for the others what builds them."""
    there = [found.kind for found in _trees_of(offered, corpus)]
    names = {kind.name for kind in there}
    missing = [(system, kind) for system, kind in offered if kind.name not in names]
    sentences: list[str] = []
    if there:
        named = ", ".join(f"{kind.name} ({_described(kind)})" for kind in there)
        sentences.append(f"Corpus {corpus.name!r} has: {named}.")
    for system, kind in missing:
        command = index_command(corpus.name, with_options(system, kind.options))
        sentences.append(f"To build {kind.name} ({_described(kind)}): {command}")
    return "\n  ".join(sentences) or "No system that is installed has any."


def _described(kind: TreeKind) -> str:
    return f"{kind.title}, of {PLURAL[kind.unit]}"
