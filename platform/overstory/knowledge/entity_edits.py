"""Edits of entities by hand, suggestions for them, and vocabularies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from overstory.errors import QuestionError
from overstory.graph import Corpus, Transaction, writing
from overstory.graph.ids import entity_id
from overstory.index import DismissedMerge, StoredEntityEdit, StoredVocabulary, VocabularyChange
from overstory.index.name_edits import (
    add_edits,
    dismiss_merge,
    dismissed_merges,
    edited_names,
    remove_edit,
    replace_vocabulary,
    stored_edits,
    stored_vocabularies,
    undo_dismissed_merge,
    vocabulary_change,
)
from overstory.knowledge.connection import WholePart
from overstory.retrieve.entity_paths.endpoints import entity_not_found
from overstory.retrieve.suggested_merges import SuggestedMerges, suggested_merges
from overstory.text.names.edits import EditedNames, NameEdit, checked_edit
from overstory.text.names.keys import entity_key
from overstory.text.names.same_names import MergeReason
from overstory.text.names.vocabulary import read_vocabulary

MOST_MERGES_SUGGESTED = 20
MERGE_REASONS: tuple[MergeReason, ...] = ("spelling", "abbreviation", "initials", "part")
_FUTURE = "A name that no passage has yet is taken with --future, in Python future=True."


class EntityEdits(WholePart):
    """Edits of entities by hand, suggestions for them, and vocabularies."""

    def hide_entities(self, names: str | Sequence[str], *, future: bool = False) -> list[StoredEntityEdit]:
        """Hides names: from the next `index` on they are no names, and nothing is found by them.

        Args:
            names: one, or several, in any spelling.
            future: also take names that no passage mentions yet.

        Returns:
            The new edits, in their order; none for a name that is hidden already.

        Raises:
            EntityNotFound: the corpus has no such name; the remedy names the nearest. Nothing was changed.
            QuestionError: a name is empty; nothing was changed.
        """
        return self._edit_names([NameEdit("hide", name) for name in _texts(names)], future=future)

    def merge_entities(self, names: str | Sequence[str], into: str, *, future: bool = False) -> list[StoredEntityEdit]:
        """Makes names others of the same thing: from the next `index` on they lead to the name `into`.

        Args:
            names: one, or several, in any spelling, without `into`.
            future: also take names that no passage mentions yet.

        Returns:
            The new edits, in their order.

        Raises:
            EntityNotFound: as `hide_entities`.
            QuestionError: a name is empty, or two are one already; nothing was changed.
        """
        return self._edit_names([NameEdit("merge", name, into) for name in _texts(names)], future=future)

    def rename_entity(self, name: str, to: str, *, future: bool = False) -> StoredEntityEdit:
        """Gives a name another one, by which it is called from the next `index` on; the old ones still lead to it.

        Args:
            name: in any spelling.
            to: as it is to be written.
            future: also take a name that no passage mentions yet.

        Raises:
            EntityNotFound: as `hide_entities`.
            QuestionError: a name is empty, or there is a name `to` already, with which it can be merged.
        """
        (edit,) = self._edit_names([NameEdit("rename", name, to)], future=future)
        return edit

    def entity_edits(self) -> list[StoredEntityEdit]:
        """The edits of names by hand, in the order in which they apply."""
        return stored_edits(self.graph, self.read())

    def undo_entity_edit(self, number: int | None = None) -> StoredEntityEdit:
        """Takes back an edit of names; those after it stay. The next `index` undoes what it did.

        Args:
            number: of the edit, as `entity_edits` has it; the last one if left out.

        Raises:
            QuestionError: there is no such edit.
        """
        with writing(self.graph, self.read(), "names") as writer:
            made = stored_edits(self.graph, writer.corpus)
            found = made[-1:] if number is None else [edit for edit in made if edit.number == number]
            if not found:
                raise QuestionError(
                    "No edit of names is there to undo." if number is None else f"There is no edit {number}.",
                    remedy="`overstory entities edits` lists the edits, Knowledge.entity_edits in Python.",
                )
            remove_edit(writer, found[0].number)
        return found[0]

    def suggested_merges(
        self, *, limit: int = MOST_MERGES_SUGGESTED, reason: MergeReason | None = None
    ) -> SuggestedMerges:
        """Pairs of names that may be one: spelt otherwise, abbreviated, with initials, or one a part of the other in
        the same passages; those with the most evidence first, with passages. Nothing is changed: `merge_entities` accepts
        one, `dismiss_merge` has it not suggested again.

        Reads all names once. What is left out is counted in the result.

        Args:
            limit: the most that are returned, 1 or more.
            reason: only those of one kind: "spelling", "abbreviation", "initials" or "part".

        Raises:
            QuestionError: `limit` is below 1, or there is no such reason.
            DocumentsDisabled: documents are disabled, and maybe only they have some of the names.
        """
        if limit < 1:
            raise QuestionError(f"limit is {limit}.", remedy="Ask for 1 or more.")
        if reason is not None and reason not in MERGE_REASONS:
            raise QuestionError(f"There is no reason {reason!r}.", remedy=f"Give one of {', '.join(MERGE_REASONS)}.")
        self.refuse_disabled("suggestions")
        corpus = self.read()
        return suggested_merges(self.graph, corpus, limit=limit, reason=reason)

    def dismiss_merge(self, name: str, into: str) -> None:
        """Says that two names are not one, in whatever order: they are not suggested again.

        Raises:
            EntityNotFound: the corpus has no such name; the remedy names the nearest. Nothing was changed.
            QuestionError: a name is empty, or both are the same.
        """
        _check_pair(name, into)
        with writing(self.graph, self.read(), "names") as writer:
            self.graph.reading("retrieve/path_ends", lambda tx: check_names(tx, writer.corpus, (name, into)))
            dismiss_merge(writer, name, into)

    def dismissed_merges(self) -> list[DismissedMerge]:
        """The pairs of names that are not one, the latest first."""
        return list(dismissed_merges(self.graph, self.read()).values())

    def undo_dismissed_merge(self, name: str, into: str) -> None:
        """Takes back that two names are not one: they may be suggested again.

        Raises:
            QuestionError: this was not said of them.
        """
        with writing(self.graph, self.read(), "names") as writer:
            if not undo_dismissed_merge(writer, name, into):
                raise QuestionError(
                    f"{name!r} and {into!r} were not dismissed.",
                    remedy="`overstory entities dismissed` lists such pairs, Knowledge.dismissed_merges in Python.",
                )

    def load_vocabulary(self, path: str | Path, *, dry_run: bool = False) -> VocabularyChange:
        """Makes the names of a file known to the corpus, whether a parser found them or not; the next `index` looks for
        them in all texts. Loading a file again replaces what it said before; an empty one removes it.

        Args:
            path: CSV that begins with the line "name,type,aliases", or JSON lines with these keys.
            dry_run: write nothing, and return what would change.

        Raises:
            BrokenSource: the file cannot be read, or a line is wrong; nothing was changed.
        """
        source = Path(path).expanduser().resolve()
        wanted = read_vocabulary(source)
        corpus = self.read()
        if dry_run:
            known = stored_vocabularies(self.graph, corpus).get(str(source), {})
            return vocabulary_change(str(source), known, wanted)
        with writing(self.graph, corpus, "names") as writer:
            return replace_vocabulary(writer, str(source), wanted)

    def vocabularies(self) -> list[StoredVocabulary]:
        """The vocabularies of the corpus, in the order in which they apply, that of their paths."""
        stored = stored_vocabularies(self.graph, self.read())
        return [
            StoredVocabulary(source, len(names), sum(len(name.aliases) for name in names.values()))
            for source, names in stored.items()
        ]

    def _edit_names(self, edits: Sequence[NameEdit], *, future: bool) -> list[StoredEntityEdit]:
        with writing(self.graph, self.read(), "names") as writer:

            def check(tx: Transaction) -> list[NameEdit]:
                return check_edits(tx, writer.corpus, edits, future=future)

            made = self.graph.reading("retrieve/path_ends", check)
            return add_edits(writer, made) if made else []


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
                    remedy=f"To call it {edit.to!r}: overstory entities rename, Knowledge.rename_entity in Python.",
                )
        elif to != state.target(key) and state.target(to) == to and state.resolve(to) and _is_there(tx, corpus, [to]):
            raise QuestionError(
                f"There is a name {edit.to!r} already.",
                remedy="Merge the two: overstory entities merge NAME --into NAME, Knowledge.merge_entities in Python.",
            )
        made.setdefault(key, edit)
    return list(made.values())


def check_names(tx: Transaction, corpus: Corpus, names: Sequence[str]) -> None:
    """Raises `EntityNotFound` for a name that is not there: no passage mentions it, and no edit or vocabulary has it."""
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


def _require(tx: Transaction, corpus: Corpus, state: EditedNames, name: str, *, hint: str = _FUTURE) -> None:
    key = entity_key(name)
    if (
        key in state.resolved
        or key in state.called
        or key in state.given
        or _is_there(tx, corpus, [key, state.resolve(key)])
    ):
        return
    raise entity_not_found(tx, corpus, [(name, key)], hint=hint)


def _is_there(tx: Transaction, corpus: Corpus, keys: Sequence[str]) -> bool:
    (row,) = tx.run("retrieve/path_ends", corpus.label, ids=[entity_id(corpus.label, key) for key in keys])
    return bool(row["names"])


def _check_pair(name: str, into: str) -> None:
    for each in (name, into):
        if not entity_key(each):
            raise QuestionError(f"{each!r} is no name.", remedy="Give names as passages write them.")
    if entity_key(name) == entity_key(into):
        raise QuestionError(f"{name!r} and {into!r} are one name already.", remedy="Give two names.")


def _texts(source: str | Sequence[str]) -> Sequence[str]:
    return [source] if isinstance(source, str) else source
