from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.text.names.edits import EditedNames, NameEdit
from overstory.text.names.keys import entity_key


def hide(name: str) -> NameEdit:
    return NameEdit("hide", name)


def merge(name: str, into: str) -> NameEdit:
    return NameEdit("merge", name, into)


def rename(name: str, to: str) -> NameEdit:
    return NameEdit("rename", name, to)


def test_names_that_no_edit_concerns_stay() -> None:
    edits = EditedNames([hide("Note")])
    assert (edits.resolve("linux"), edits.resolve("note")) == ("linux", "")
    assert edits.name_first("linux", ["Linux", "LINUX"]) == ["Linux", "LINUX"]


def test_edits_compare_names_by_their_keys() -> None:
    edits = EditedNames([merge("the Big-Blue", "I.B.M.")])
    assert edits.resolve("big blue") == "ibm"
    assert list(edits.aliases("ibm")) == ["big blue"]


def test_merges_go_on_to_the_last_name() -> None:
    edits = EditedNames([merge("A1", "B1"), merge("B1", "C1")])
    assert [edits.resolve(key) for key in ("a1", "b1", "c1")] == ["c1", "c1", "c1"]
    assert list(edits.aliases("c1")) == ["a1", "b1"]
    assert edits.with_aliases({"c1", "d1"}) == {"a1", "b1", "c1", "d1"}
    assert edits.with_aliases({"b1"}) == {"b1"}


def test_a_name_merged_twice_goes_where_the_last_edit_says() -> None:
    assert EditedNames([merge("A1", "B1"), merge("A1", "C1")]).resolved == {"a1": "c1"}


def test_a_merge_back_makes_its_end_a_name_of_its_own() -> None:
    edits = EditedNames([merge("A1", "B1"), merge("B1", "C1"), merge("C1", "A1")])
    assert edits.resolved == {"b1": "a1", "c1": "a1"}


def test_hiding_a_merged_name_hides_this_spelling_alone() -> None:
    edits = EditedNames([merge("A1", "B1"), hide("A1")])
    assert (edits.resolve("a1"), edits.resolve("b1")) == ("", "b1")


def test_hiding_hides_what_was_merged_into_a_name() -> None:
    assert EditedNames([merge("A1", "B1"), hide("B1")]).resolved == {"a1": "", "b1": ""}


def test_merging_a_hidden_name_shows_it_again() -> None:
    assert EditedNames([hide("A1"), merge("A1", "B1")]).resolved == {"a1": "b1"}


def test_a_new_name_comes_first_and_leads_to_the_same_entity() -> None:
    edits = EditedNames([rename("lf", "Linux Foundation")])
    assert edits.resolve("lf") == "linux foundation"
    assert edits.name_first("linux foundation", ["LF", "Linux Foundation"]) == ["Linux Foundation", "LF"]


def test_a_new_spelling_is_no_merge() -> None:
    edits = EditedNames([rename("LINUX", "Linux")])
    assert edits
    assert edits.resolved == {}
    assert edits.name_first("linux", ["LINUX"]) == ["Linux", "LINUX"]


def test_renaming_a_merged_name_renames_what_it_leads_to() -> None:
    edits = EditedNames([merge("A1", "B1"), rename("A1", "C1")])
    assert edits.resolved == {"a1": "c1", "b1": "c1"}


@pytest.mark.parametrize(
    ("surfaces", "name"), [(["Big Blue", "IBM"], "IBM"), (["Big Blue"], "ibm"), ([], "ibm")], ids=str
)
def test_a_name_with_others_merged_into_it_is_called_by_its_own_spelling(surfaces: list[str], name: str) -> None:
    edits = EditedNames([merge("Big Blue", "ibm")])
    assert edits.name_first("ibm", surfaces)[0] == name


def test_a_name_without_letters_is_no_name_to_edit() -> None:
    assert not EditedNames([hide("…"), merge("A1", "“”"), rename("!", "B1")])


NAMES = st.sampled_from([f"N{number}" for number in range(6)])
EDITS = st.lists(
    st.one_of(
        st.builds(hide, NAMES),
        st.builds(merge, NAMES, NAMES),
        st.builds(rename, NAMES, NAMES),
    ),
    max_size=12,
)


@given(EDITS)
def test_every_log_leads_each_name_to_one_end(log: list[NameEdit]) -> None:
    edits = EditedNames(log)
    for number in range(6):
        key = f"n{number}"
        end = edits.resolve(key)
        assert end == "" or edits.resolve(end) == end
        assert end in {"", edits.target(key)}
        assert end in {"", key} or key in edits.aliases(end)
    assert EditedNames(log).resolved == edits.resolved


@given(EDITS)
def test_aliases_are_those_that_resolve_to_a_name(log: list[NameEdit]) -> None:
    edits = EditedNames(log)
    keys = {f"n{number}" for number in range(6)}
    for end in keys:
        assert set(edits.aliases(end)) == {key for key in keys - {end} if edits.resolve(key) == end}


@given(EDITS, st.one_of(st.builds(merge, NAMES, NAMES), st.builds(rename, NAMES, NAMES)))
def test_the_last_edit_wins(log: list[NameEdit], last: NameEdit) -> None:
    edits = EditedNames([*log, last])
    if entity_key(last.name) != entity_key(last.to):
        assert edits.target(entity_key(last.name)) == edits.target(entity_key(last.to))
    if last.kind == "rename":
        assert edits.target(entity_key(last.to)) == entity_key(last.to)
