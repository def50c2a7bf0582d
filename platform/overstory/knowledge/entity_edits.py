"""Manual edits of entities, merge suggestions, and vocabularies."""

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
from overstory.retrieve.question_entities import short_names
from overstory.retrieve.suggested_merges import SuggestedMerges, suggested_merges
from overstory.text.names.edits import EditedNames, NameEdit, checked_edit
from overstory.text.names.keys import entity_key
from overstory.text.names.same_names import MergeReason
from overstory.text.names.vocabulary import read_vocabulary

MOST_MERGES_SUGGESTED = 20
MERGE_REASONS: tuple[MergeReason, ...] = ("spelling", "abbreviation", "initials", "part")
_FUTURE = "To edit a name that no passage mentions yet: --future, in Python future=True."


class EntityEdits(WholePart):
    """Manual edits of entities, merge suggestions, and vocabularies."""

    def hide_entities(self, names: str | Sequence[str], *, future: bool = False) -> list[StoredEntityEdit]:
        """Hide entities: after the next `index`, they are no longer entities, and searches ignore them.

        Args:
            names: one or several names, in any spelling.
            future: also accept names that no passage mentions yet.

        Returns:
            The new edits, in the order of `names`. Names that are already hidden get no new edit.

        Raises:
            EntityNotFound: an entity does not exist. The error's remedy lists similar names. Nothing was changed.
            QuestionError: a name is empty. Nothing was changed.
        """
        return self._edit_names([NameEdit("hide", name) for name in _texts(names)], future=future)

    def merge_entities(self, names: str | Sequence[str], into: str, *, future: bool = False) -> list[StoredEntityEdit]:
        """Merge entities: after the next `index`, the given names refer to the entity `into`.

        Args:
            names: one or several names, in any spelling. They must not include `into`.
            future: also accept names that no passage mentions yet.

        Returns:
            The new edits, in the order of `names`.

        Raises:
            EntityNotFound: as for `hide_entities`.
            QuestionError: a name is empty, or it already refers to the same entity as `into`. Nothing was changed.
        """
        return self._edit_names([NameEdit("merge", name, into) for name in _texts(names)], future=future)

    def rename_entity(self, name: str, to: str, *, future: bool = False) -> StoredEntityEdit:
        """Rename an entity. The new name takes effect with the next `index`; the old names still refer to the entity.

        Args:
            name: current name, in any spelling.
            to: new name, exactly as it should be displayed.
            future: also accept a name that no passage mentions yet.

        Raises:
            EntityNotFound: as for `hide_entities`.
            QuestionError: a name is empty, or another entity already has the new name. To combine them, use
                `merge_entities`.
        """
        (edit,) = self._edit_names([NameEdit("rename", name, to)], future=future)
        return edit

    def entity_edits(self) -> list[StoredEntityEdit]:
        """List the manual edits of entities, in the order in which they are applied."""
        return stored_edits(self.graph, self.read())

    def undo_entity_edit(self, number: int | None = None) -> StoredEntityEdit:
        """Undo a manual edit of an entity. This takes effect with the next `index`. Later edits are kept.

        Args:
            number: number of the edit (`StoredEntityEdit.number`); by default the last edit.

        Raises:
            QuestionError: there is no such edit.
        """
        with writing(self.graph, self.read(), "names") as writer:
            made = stored_edits(self.graph, writer.corpus)
            found = made[-1:] if number is None else [edit for edit in made if edit.number == number]
            if not found:
                raise QuestionError(
                    "There is no edit to undo." if number is None else f"There is no edit {number}.",
                    remedy="`overstory entities edits` lists the edits, in Python Knowledge.entity_edits.",
                )
            remove_edit(writer, found[0].number)
        return found[0]

    def suggested_merges(
        self, *, limit: int = MOST_MERGES_SUGGESTED, reason: MergeReason | None = None
    ) -> SuggestedMerges:
        """Suggest pairs of entities that may be the same, with their passages. The most likely pairs come first.

        There are four reasons for a suggestion:

        - "spelling": the two names are spelled similarly.
        - "abbreviation": one name is an acronym of the other.
        - "initials": one name abbreviates or omits first names of the other.
        - "part": one name is part of the other, and both occur in the same passages.

        Nothing is changed: accept a suggestion with `merge_entities`, or reject it with `dismiss_merge`. All entities
        are read once. The result states how many suggestions exceed `limit`.

        Args:
            limit: maximum number of suggestions, 1 or more.

        Raises:
            QuestionError: `limit` is below 1, or the reason does not exist.
            DocumentsDisabled: a document is disabled. A suggested name might occur in that document only.
        """
        if limit < 1:
            raise QuestionError(f"limit is out of range: {limit}.", remedy="Ask for 1 or more.")
        if reason is not None and reason not in MERGE_REASONS:
            raise QuestionError(f"Unknown reason {reason!r}.", remedy=f"Use one of {', '.join(MERGE_REASONS)}.")
        self.refuse_disabled("suggestions")
        corpus = self.read()
        return suggested_merges(self.graph, corpus, limit=limit, reason=reason)

    def dismiss_merge(self, name: str, into: str) -> None:
        """Record that two entities are different, so that merging them, in either direction, is not suggested again.

        If they were merged because documents use one name for the other, the next `index` separates them.

        Raises:
            EntityNotFound: an entity does not exist. The error's remedy lists similar names. Nothing was changed.
            QuestionError: a name is empty, or both names are the same.
        """
        _check_pair(name, into)
        with writing(self.graph, self.read(), "names") as writer:
            self.graph.reading("retrieve/path_ends", lambda tx: check_names(tx, writer.corpus, (name, into)))
            dismiss_merge(writer, name, into)

    def dismissed_merges(self) -> list[DismissedMerge]:
        """List the pairs of entities that were recorded as different with `dismiss_merge`, latest first."""
        return list(dismissed_merges(self.graph, self.read()).values())

    def undo_dismissed_merge(self, name: str, into: str) -> None:
        """Delete the record that two entities are different, so that their merge may be suggested again.

        Raises:
            QuestionError: the pair was not dismissed.
        """
        with writing(self.graph, self.read(), "names") as writer:
            if not undo_dismissed_merge(writer, name, into):
                raise QuestionError(
                    f"{name!r} and {into!r} were not dismissed.",
                    remedy="`overstory entities dismissed` lists such pairs, in Python Knowledge.dismissed_merges.",
                )

    def load_vocabulary(self, path: str | Path, *, dry_run: bool = False) -> VocabularyChange:
        """Load a file of entity names (a vocabulary).

        The next `index` finds these names in all texts, even where the parser does not recognise them. Loading a file
        again replaces the names loaded from it before; if the file is now empty, they are removed.

        Args:
            path: a CSV file with the header "name,type,aliases", or a JSON Lines file with these keys.
            dry_run: True to return the changes without making them.

        Raises:
            BrokenSource: the file cannot be read, or a line is invalid. Nothing was changed.
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
        """List the vocabularies of the corpus, sorted by path, which is the order in which they are applied."""
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
    """Validate edits, and return them without duplicates and without entities that are already hidden.

    Args:
        edits: edits of one kind; merges must have the same target.
        future: also accept names that no passage mentions yet.
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
                    f"{edit.name!r} and {edit.to!r} are already the same entity.",
                    remedy=f"To rename it to {edit.to!r}: overstory entities rename, in Python rename_entity().",
                )
        elif to != state.target(key) and state.target(to) == to and state.resolve(to) and _is_there(tx, corpus, [to]):
            raise QuestionError(
                f"Another entity is already named {edit.to!r}.",
                remedy="Merge them: overstory entities merge NAME --into NAME, in Python Knowledge.merge_entities.",
            )
        made.setdefault(key, edit)
    return list(made.values())


def check_names(tx: Transaction, corpus: Corpus, names: Sequence[str]) -> None:
    """Raise `EntityNotFound` if one of the names appears in no passage, edit or vocabulary."""
    state = edited_names(tx, corpus)
    for name in names:
        _require(tx, corpus, state, name, hint="")


def _check_names(edit: NameEdit) -> None:
    try:
        checked_edit(edit.kind, edit.name, edit.to)
    except ValueError as error:
        raise QuestionError(f"The edit is invalid: {error}.", remedy="Use names as passages spell them.") from error


def _require(tx: Transaction, corpus: Corpus, state: EditedNames, name: str, *, hint: str = _FUTURE) -> None:
    key = entity_key(name)
    if (
        key in state.resolved
        or key in state.called
        or key in state.given
        or _is_there(tx, corpus, [key, state.resolve(key)])
        or short_names(tx, corpus, [key])
    ):
        return
    raise entity_not_found(tx, corpus, [(name, key)], hint=hint)


def _is_there(tx: Transaction, corpus: Corpus, keys: Sequence[str]) -> bool:
    (row,) = tx.run("retrieve/path_ends", corpus.label, ids=[entity_id(corpus.label, key) for key in keys])
    return bool(row["names"])


def _check_pair(name: str, into: str) -> None:
    for each in (name, into):
        if not entity_key(each):
            raise QuestionError(f"{each!r} is not a valid name.", remedy="Use names as passages spell them.")
    if entity_key(name) == entity_key(into):
        raise QuestionError(f"{name!r} and {into!r} are the same name.", remedy="Give two different names.")


def _texts(source: str | Sequence[str]) -> Sequence[str]:
    return [source] if isinstance(source, str) else source
