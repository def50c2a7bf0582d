"""Names and subjects in a temporary file equal those computed in memory."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.index.spooled_names import NameKeys, PassageNames
from overstory.text.names.dictionary import PossibleNames
from overstory.text.names.edits import NO_EDITS
from overstory.text.names.subjects import OTHER_NAMES, About, Subject, looked_for, names_of_leads

WORDS = st.sampled_from(["robert", "rob", "r", "g", "george", "springsteen", "springsteem", "beyzai", "bayzai", "ulm"])
KEYS = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
SUBJECTS = st.builds(Subject, st.just(0.8), st.just("lead"), st.booleans(), common=st.booleans())
ABOUTS = st.dictionaries(st.sampled_from("abcd"), st.dictionaries(KEYS, SUBJECTS, max_size=3), max_size=4)

LEAD, TITLE = Subject(0.8, "lead", full=True), Subject(1.0, "title", full=True)


def filled(own: Mapping[str, Mapping[str, Subject]], parsed: set[str], *, megabytes: float = 0.0) -> PassageNames:
    names = PassageNames(megabytes)
    for chunk, found in own.items():
        names.add_found(chunk, found, NO_EDITS)
    names.add_parsed(parsed)
    names.find_others()
    names.find_wanted([])
    return names


def about_in_memory(own: About, parsed: set[str]) -> About:
    named = {key for names in own.values() for key in names}
    leads = {key for names in own.values() for key, subject in names.items() if subject.full}
    others = names_of_leads(sorted(leads), named, parsed)
    about = {chunk: dict(names) for chunk, names in own.items()}
    for chunk, names in own.items():
        for lead, subject in names.items():
            if subject.full:
                about[chunk] |= {key: other for key, other in others.get(lead, {}).items() if key not in names}
    return about


@given(own=ABOUTS, parsed=st.sets(KEYS, max_size=8))
def test_other_names_and_names_to_look_for_are_those_of_all_in_memory(own: About, parsed: set[str]) -> None:
    about = about_in_memory(own, parsed)
    everywhere, subjects = looked_for(about.values(), parsed)
    with filled(own, parsed) as names:
        found = [(chunk, key, subject) for chunk, key, subject in names.newly_about()]
        assert found == sorted((chunk, key, of) for chunk, named in about.items() for key, of in named.items())
        assert names.wanted() == NameKeys(everywhere, subjects)
        assert list(names.came()) == sorted(everywhere)


@pytest.mark.parametrize(
    ("parsed", "kind"),
    [
        ("francis ford", "short form"),
        ("f coppola", "abbreviation"),
        ("francis ford copola", "spelling"),
        ("francis ford copolla", None),
        ("francis fort coppola", None),
        ("coppola", None),
        ("mario puzo", None),
    ],
)
def test_another_name_leads_to_the_full_one_where_a_parser_found_it(parsed: str, kind: str | None) -> None:
    own = {"coppola": {"francis ford coppola": TITLE}}
    with filled(own, {parsed}) as names:
        found = [subject for _, key, subject in names.newly_about() if key == parsed]
    assert found == [subject for source, subject in OTHER_NAMES.items() if source == kind]


def test_what_changed_is_told_from_what_the_graph_has() -> None:
    with PassageNames(0.0) as names:
        names.add_stored("a", {"ada": TITLE, "old name": LEAD})
        names.add_stored("b", {"grace": LEAD})
        for chunk, found in {"a": {"ada": TITLE, "new name": LEAD}, "b": {"grace": TITLE}}.items():
            names.add_found(chunk, found, NO_EDITS)
        names.find_others()
        names.find_wanted(["given"])
        names.add_known([("ada", False), ("grace", True), ("old name", True)])
        assert list(names.no_longer_about()) == [("a", "old name")]
        assert list(names.newly_about()) == [("a", "new name", LEAD), ("b", "grace", TITLE)]
        assert list(names.gone()) == ["old name"]
        assert list(names.came()) == ["ada", "given", "new name"]


def test_names_that_texts_may_have_are_found_by_their_words_and_long_ones_by_their_beginning() -> None:
    long = "one two three four five six seven eight nine"
    own = {"a": {"ada": TITLE, long: LEAD}}
    with filled(own, {"grace"}) as names:
        possible = PossibleNames({"ada", "grace", "other"}, {"one two three four five six seven eight "})
        assert names.wanted_among(possible) == NameKeys({"ada", "grace", long}, {"ada", long})
