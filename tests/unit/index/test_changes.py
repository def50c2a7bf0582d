"""The changes of a run depend only on what was stored and what was read."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from overstory.index.changes import Changes, DocumentChange, Identity, Outcome
from overstory.index.stages.load import LargestDocument, LoadReport
from overstory.model import Annotation, Document

Contents = Mapping[str, tuple[str, str]]
"""By source: the title and the rest of a document's content."""

# Few of each, so that contents meet in several places.
SOURCES = st.sampled_from(["/d/a", "/d/b", "/d/c", "/d/x/a", "/d/x/b"])
CONTENTS = st.dictionaries(SOURCES, st.tuples(st.sampled_from("TU"), st.sampled_from("12")))


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def identity(source: str, title: str, text: str, *, key: str = "", content: bool = True) -> Identity:
    return Identity(sha(f"{source}#{key}")[:32], source, key, sha(title + text), sha(text) if content else "")


def outcome(before: tuple[str, str] | None, after: tuple[str, str]) -> Outcome:
    if before is None:
        return "added"
    return "unchanged" if before == after else "changed"


def changes_between(before: Contents, after: Contents) -> list[DocumentChange]:
    with Changes() as changes:
        for source, content in after.items():
            changes.note_read(identity(source, *content), outcome(before.get(source), content))
        for source, content in before.items():
            if not changes.was_read(identity(source, *content).id):
                changes.note_missing(identity(source, *content))
        changes.find_moves()
        return list(changes.listed(vanished=True))


@given(CONTENTS, CONTENTS)
def test_the_changes_lead_from_what_was_stored_to_what_was_read(before: Contents, after: Contents) -> None:
    state = dict(before)
    changes = changes_between(before, after)
    for change in changes:
        if change.kind in ("removed", "moved"):
            del state[change.before or change.origin]
    for change in changes:
        if change.kind != "removed":
            assert (change.origin in state) == (change.kind == "changed")
            state[change.origin] = after[change.origin]
    assert state == after


@given(CONTENTS, CONTENTS)
def test_as_many_documents_move_as_contents_vanish_here_and_come_there(before: Contents, after: Contents) -> None:
    moves = [change for change in changes_between(before, after) if change.kind == "moved"]
    for move in moves:
        assert before[move.before][1] == after[move.origin][1]
        assert move.before not in after
        assert move.origin not in before
    gone = Counter(text for source, (_, text) in before.items() if source not in after)
    came = Counter(text for source, (_, text) in after.items() if source not in before)
    assert len(moves) == (gone & came).total()


def test_of_several_equal_files_each_is_paired_with_its_own_name() -> None:
    before = {"/d/a": ("T", "1"), "/d/b": ("T", "1")}
    after = {"/d/x/b": ("T", "1"), "/d/y/a": ("T", "1")}
    assert changes_between(before, after) == [
        DocumentChange("moved", "/d/y/a", "/d/a"),
        DocumentChange("moved", "/d/x/b", "/d/b"),
    ]


def test_a_file_whose_title_is_its_name_moves_with_a_new_title() -> None:
    assert changes_between({"/d/old": ("old", "1")}, {"/d/new": ("new", "1")}) == [
        DocumentChange("moved", "/d/new", "/d/old")
    ]


def test_documents_of_before_contents_were_noted_move_by_all_of_their_content() -> None:
    with Changes() as changes:
        changes.note_read(identity("/d/b", "T", "1"), "added")
        changes.note_read(identity("/d/d", "V", "2"), "added")
        changes.note_missing(identity("/d/a", "T", "1", content=False))
        changes.note_missing(identity("/d/c", "U", "2", content=False))
        changes.find_moves()
        assert (changes.moved, changes.removed) == (1, 1)


def test_a_move_that_was_interrupted_leaves_what_was_found_to_the_document_that_is_there() -> None:
    old, new = identity("/d/a", "T", "1"), identity("/d/b", "T", "1")
    with Changes() as changes:
        changes.note_read(new, "unchanged")
        changes.note_missing(old)
        changes.find_moves()
        assert [(each.id, each.heir) for each in changes.removals()] == [(old.id, new.id)]
        assert list(changes.listed(vanished=True)) == [DocumentChange("removed", "/d/a")]


def test_records_are_told_by_their_keys_and_nothing_is_removed_without_sync() -> None:
    with Changes() as changes:
        changes.note_read(identity("/d/r.csv", "", "1", key="new"), "added")
        changes.note_missing(identity("/d/r.csv", "", "1", key="old"))
        changes.find_moves()
        moved = DocumentChange("moved", "/d/r.csv#new", "/d/r.csv#old")
        assert list(changes.listed(vanished=True)) == [moved]
        assert list(changes.listed(vanished=False)) == [DocumentChange("added", "/d/r.csv#new")]


def test_a_change_says_into_how_many_passages_a_document_is_cut() -> None:
    with Changes() as changes:
        changes.note_read(Identity("0" * 32, "a.txt", "", "1", "2", chunks=7), "added")
        changes.note_read(Identity("1" * 32, "b.txt", "", "3", "4", chunks=2), "changed")
        assert {change.origin: change.chunks for change in changes.listed(vanished=False)} == {"a.txt": 7, "b.txt": 2}


def test_a_document_that_makes_most_of_the_passages_is_named() -> None:
    report = LoadReport()
    report.count_chunks(Document("log.txt", "", "A log."), 40_000)
    report.count_chunks(Document("a.txt", "", "A."), 1_000)
    assert report.largest == LargestDocument("log.txt", 40_000)
    (note,) = report.notes
    assert "One document has 40,000 of 41,000 new chunks: log.txt" in note
    report.count_chunks(Document("b.txt", "", "B."), 39_000)
    assert report.notes == ()
    alone = LoadReport()
    alone.count_chunks(Document("small.txt", "", "A."), 900)
    assert alone.notes == ()


def test_annotations_come_back_as_they_were_in_their_order() -> None:
    document = Document("/d/a", "k", "A text.")
    annotations = [Annotation("", f"k{i}", ("Ulm", "\ud800"), (("Ulm", "is", "a city"),)) for i in range(3)]
    with Changes() as changes:
        assert list(changes.without_annotations([annotations[0], document, *annotations[1:]])) == [document]
        assert list(changes.annotations()) == annotations


def test_what_may_still_be_there_is_gone_only_if_it_moved() -> None:
    with Changes() as changes:
        changes.note_read(identity("/d/new/a", "T", "1"), "added")
        changes.note_missing(identity("/d/old/a", "T", "1"), kept=0)
        changes.note_missing(identity("/d/old/b", "U", "2"), kept=0)
        assert changes.find_moves() == {0: 1}
        assert (changes.moved, changes.removed) == (1, 0)
