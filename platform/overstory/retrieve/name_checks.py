"""Checks of edits of names before they are made: the names are there, and the edit would change something."""

from __future__ import annotations

from collections.abc import Sequence

from overstory.errors import QuestionError
from overstory.graph import Corpus, Transaction
from overstory.graph.ids import entity_id
from overstory.index.name_edits import edited_names
from overstory.retrieve.entity_paths.endpoints import name_not_found
from overstory.text.names.edits import EditedNames, NameEdit, checked_edit
from overstory.text.names.keys import entity_key

FUTURE = "A name that no passage has yet is taken with --future, in Python future=True."


def check_edits(tx: Transaction, corpus: Corpus, edits: Sequence[NameEdit], *, future: bool) -> list[NameEdit]:
    """The edits that change something: hiding what is hidden does not, nor does one that is given twice.

    Args:
        edits: of one kind; those that merge lead to one name.
        future: names that no passage mentions are taken as well.
    """
    state = edited_names(tx, corpus)
    made: dict[str, NameEdit] = {}
    for edit in edits:
        _check_names(edit)
        key, to = entity_key(edit.name), entity_key(edit.to)
        if not future:
            _require(tx, corpus, state, edit.name)
        if edit.kind == "hide":
            if not state.resolve(key):
                continue
        elif edit.kind == "merge":
            if not future:
                _require(tx, corpus, state, edit.to)
            if state.target(key) == state.target(to):
                raise QuestionError(
                    f"{edit.name!r} and {edit.to!r} are one name already.",
                    remedy=f"To call it {edit.to!r}: --rename NAME --to NAME, Knowledge.rename_name in Python.",
                )
        elif to != state.target(key) and state.target(to) == to and state.resolve(to) and _is_there(tx, corpus, [to]):
            raise QuestionError(
                f"There is a name {edit.to!r} already.",
                remedy="Merge the two: --merge NAME --into NAME, Knowledge.merge_names in Python.",
            )
        made.setdefault(key, edit)
    return list(made.values())


def check_names(tx: Transaction, corpus: Corpus, names: Sequence[str]) -> None:
    """Raises `NameNotFound` for a name that is not there: no passage mentions it, and no edit or vocabulary has it."""
    state = edited_names(tx, corpus)
    for name in names:
        _require(tx, corpus, state, name, hint="")


def _check_names(edit: NameEdit) -> None:
    try:
        checked_edit(edit.kind, edit.name, edit.to)
    except ValueError as error:
        raise QuestionError(
            f"This edit cannot be made: {error}.", remedy="Give names as passages write them."
        ) from error


def _require(tx: Transaction, corpus: Corpus, state: EditedNames, name: str, *, hint: str = FUTURE) -> None:
    key = entity_key(name)
    if (
        key in state.resolved
        or key in state.called
        or key in state.given
        or _is_there(tx, corpus, [key, state.resolve(key)])
    ):
        return
    raise name_not_found(tx, corpus, [(name, key)], hint=hint)


def _is_there(tx: Transaction, corpus: Corpus, keys: Sequence[str]) -> bool:
    (row,) = tx.run("retrieve/path_ends", corpus.label, ids=[entity_id(corpus.label, key) for key in keys])
    return bool(row["names"])
