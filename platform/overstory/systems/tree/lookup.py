"""Finds the trees of a corpus, and the communities in a tree."""

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

_COMMUNITY_CANDIDATES = 6  # maximum number of communities listed if several ids start with the given characters
_COMMUNITIES_TRIED = 100  # maximum number of communities with a matching id that are checked against a filter

_READ_AGAIN = 2  # number of retries; more are not needed, because a build takes longer than two reads

_DIGITS = re.compile(r"[0-9a-f]{1,32}")


class TreeReplaced(IndexMissing):
    """Raised if a build replaces and deletes a tree while it is being read."""


def read_again(read: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function so that it runs again if the tree that it reads is replaced in the meantime."""

    @functools.wraps(read)
    def reading(*args: P.args, **kwargs: P.kwargs) -> T:
        for _ in range(_READ_AGAIN):
            with suppress(TreeReplaced):
                return read(*args, **kwargs)
        return read(*args, **kwargs)

    return reading


@dataclass(frozen=True, slots=True)
class FoundTree:
    """A tree in a corpus, with the state of the index to which it belongs."""

    system: System[Any, Any]
    kind: TreeKind
    state: IndexState[Any]

    def gone(self, corpus: Corpus) -> TreeReplaced:
        """Return the error for a tree that disappeared while it was being read, because a build has replaced it."""
        system = self.system.name
        return TreeReplaced(
            f"The tree {self.kind.name} of corpus {corpus.name!r} was replaced while it was being read.",
            remedy="Try again. If the error persists, remove the index (overstory index --remove-system "
            f"{system} --corpus {shlex.quote(corpus.name)}) and build it again (--system {system}).",
        )


def find_tree(
    systems: Sequence[System[Any, Any]], corpus: Corpus, name: str = "", *, with_reports: bool = False
) -> FoundTree:
    """Return the tree with the given name, or the first tree in the corpus if `name` is empty.

    Args:
        systems: Systems whose trees are considered, in this order.
        with_reports: True to consider only trees whose communities can have reports.

    Raises:
        SettingsError: No system has a tree with this name.
        IndexMissing: The corpus does not contain the tree.
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
            require_state(system, corpus)  # raises an error that explains the problem
    what = "no reports on communities" if with_reports else "no tree"
    raise IndexMissing(f"Corpus {corpus.name!r} has {what}.", remedy=_choice(offered, corpus))


def listed_trees(systems: Sequence[System[Any, Any]], corpus: Corpus) -> list[ListedTree]:
    """Return the trees in a corpus that can be searched, in the order of `systems`."""
    kinds = (found.kind for found in _trees_of(_offered(systems, with_reports=False), corpus))
    return [ListedTree(kind.name, kind.title, kind.unit, bool(kind.reports)) for kind in kinds]


def other_trees(
    systems: Sequence[System[Any, Any]], corpus: Corpus, shown: FoundTree, *, with_reports: bool = False
) -> tuple[str, ...]:
    """Return a note that names the other trees of the corpus, or nothing if there are no others.

    The note is for a caller who did not name a tree.

    Args:
        systems, with_reports: See `find_tree`.
    """
    offered = _offered(systems, with_reports=with_reports)
    others = [each.kind for each in _trees_of(offered, corpus) if each.kind.name != shown.kind.name]
    named = ", ".join(f"{kind.name} ({_described(kind)})" for kind in others)
    return (f"This is the tree {shown.kind.name}. Other trees (--tree NAME): {named}.",) if named else ()


def _of_one_name(named: _Offered, corpus: Corpus) -> FoundTree:
    """Return the tree of a corpus that has a given name.

    Args:
        named: All kinds of trees with this name. Several kinds may share a name if they differ in their units.

    Raises:
        IndexMissing: The corpus contains no such tree.
    """
    if (found := next(_trees_of(named, corpus), None)) is not None:
        return found
    system, kind = named[0]
    if len(named) > 1:
        require_state(system, corpus)
        raise IndexMissing(f"Corpus {corpus.name!r} has no tree {kind.name}.", remedy=_choice(named, corpus))
    return FoundTree(system, kind, require_tree(system, corpus, kind))  # raises an error that explains what is missing


def require_tree(system: System[S, Any], corpus: Corpus, kind: TreeKind) -> IndexState[S]:
    """Return the state of a system's index, which must be ready to be searched and contain this tree.

    Raises:
        IndexMissing: The index cannot be searched or does not contain the tree.
    """
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
    """Return the complete id of the community whose id starts with `begins`.

    Args:
        command: Name of the command that shows communities by id, such as "tree", for messages.
        own: Returns those of the given ids that the user may see. All other communities are treated as missing.

    Raises:
        CommunityNotFound: There is no such community.
        QuestionError: There are several such communities.
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
            f"No community has an id that starts with {begins!r}.",
            remedy=f"List the communities: {here}. Ids change when a tree is rebuilt.",
        )
    if len(rows) > 1:
        of = SINGULAR[kind.unit]
        named = ", ".join(
            f"{row['id'][:SHORT_ID_DIGITS]} ({counted(row['size'], of)})" for row in rows[:_COMMUNITY_CANDIDATES]
        )
        more = ", …" if len(rows) > _COMMUNITY_CANDIDATES else ""
        raise QuestionError(
            f"Several communities have an id that starts with {begins!r}: {named}{more}.",
            remedy=f"Give more characters of the id: {here} {rows[0]['id'][: max(SHORT_ID_DIGITS, len(wanted) + 1)]}",
        )
    return str(rows[0]["id"])


_Offered = Sequence[tuple[System[Any, Any], TreeKind]]


def _offered(systems: Sequence[System[Any, Any]], *, with_reports: bool) -> _Offered:
    return [(system, kind) for system in systems for kind in system.trees if kind.reports or not with_reports]


def _trees_of(offered: _Offered, corpus: Corpus) -> Iterator[FoundTree]:
    for system, kind in offered:
        try:
            yield FoundTree(system, kind, require_tree(system, corpus, kind))
        except IndexMissing:
            continue


def _choice(offered: _Offered, corpus: Corpus) -> str:
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
    return "\n  ".join(sentences) or "No installed system builds trees."


def _described(kind: TreeKind) -> str:
    return f"{kind.title}, of {PLURAL[kind.unit]}"
