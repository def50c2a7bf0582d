"""Look-ups by beginnings and ends give the same result for a name as all names together."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import example, given
from hypothesis import strategies as st

from overstory.text.names.keys import entity_key
from overstory.text.names.neighbours import Seeks, other_names_among, seek_leads, seek_others
from overstory.text.names.subject_names import short_forms
from overstory.text.names.subjects import names_of_leads

WORDS = (
    "robert",
    "r",
    "rob",
    "george",
    "g",
    "rg",
    "springsteen",
    "springsten",
    "beyzai",
    "bayzai",
    "the",
    "a",
    "day",
    "of",
)
KEYS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
SURFACES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(lambda words: entity_key(" ".join(words)))


def sought(seeks: Seeks, keys: Collection[str]) -> set[str]:
    """Return the keys that the graph would find."""
    return {
        key
        for kind, read in ((seeks.beginning, key_as_it_is), (seeks.ending, reversed_key))
        for seek in kind
        for key in keys
        if " " in key
        and read(key).startswith(seek.start)
        and seek.within in f" {key}"
        and seek.least <= len(key) <= seek.most
    }


def key_as_it_is(key: str) -> str:
    return key


def reversed_key(key: str) -> str:
    return key[::-1]


@given(
    leads=st.sets(KEYS | SURFACES, max_size=6),
    named=st.sets(KEYS, max_size=6),
    parsed=st.sets(KEYS, max_size=8),
    touched=st.sets(KEYS, max_size=3),
)
@example(
    leads={"robert george springsteen"},
    named=set(),
    parsed={"r g springsteen", "rg springsteen"},
    touched={"rg springsteen"},
)
@example(leads={"the a day of"}, named={"day of"}, parsed=set(), touched={"day of"})
def test_names_and_full_names_that_are_found_say_what_all_of_them_say(
    leads: set[str], named: set[str], parsed: set[str], touched: set[str]
) -> None:
    whole = names_of_leads(sorted(leads), named | leads, parsed)
    stored = leads | named | parsed
    similar = sought(seek_others(touched), stored)
    keys = touched.union(*map(short_forms, touched), (key for _, key in other_names_among(touched, similar)))
    full = sought(seek_leads(keys), stored)
    near = {lead for lead, _ in other_names_among(full, keys)} | touched
    found = names_of_leads(sorted(near & leads), keys & (named | leads), keys & parsed)
    for lead in leads:
        for key in keys:  # every name that a touched one may be another name of, or that may be one of it
            assert found.get(lead, {}).get(key) == whole.get(lead, {}).get(key), (lead, key)
    for lead in touched & leads:
        assert found.get(lead, {}) == whole.get(lead, {})
