"""Which chunks are a section, and what the first of each carries."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.index.sections import _LONGEST_SECTION_CHARACTERS, section_properties

Chunk = dict[str, str]
CARRIED = {"section_chunks", "section_words", "title_words"}


def chunk(number: int, heading: str, text: str, title: str = "Birds") -> Chunk:
    return {"id": f"c{number}", "title": title, "heading": heading, "text": text, "language": ""}


def chunks(*headings_and_texts: tuple[str, str]) -> list[Chunk]:
    return [chunk(number, heading, text) for number, (heading, text) in enumerate(headings_and_texts)]


def sections(given_chunks: list[Chunk]) -> list[list[str]]:
    return [each["section_chunks"] for each in section_properties(given_chunks) if each["section_chunks"]]


def test_a_run_of_one_heading_is_a_section() -> None:
    found = sections(chunks(("", "a"), ("", "b"), ("Owls", "c"), ("Owls", "d"), ("Finches", "e"), ("Owls", "f")))
    assert found == [["c0", "c1"], ["c2", "c3"], ["c4"], ["c5"]]  # the second run of "Owls" is another one


def test_the_first_chunk_carries_the_words_of_all_and_the_others_have_none() -> None:
    first, second = section_properties(chunks(("Birds › Owls", "Owls hunted mice."), ("Birds › Owls", "At night.")))
    assert first == {
        "section": "c0",
        "section_chunks": ["c0", "c1"],
        "section_words": "bird owl owl hunt mice at night",  # title and heading once, not once a chunk
        "title_words": "bird owl",
    }
    assert second == {"section": "c0"} | dict.fromkeys(CARRIED)


def test_a_title_alone_is_a_section() -> None:
    (only,) = section_properties([chunk(0, "", "")])
    assert (only["section_words"], only["title_words"], only["section_chunks"]) == ("bird", "bird", ["c0"])
    assert section_properties([]) == []


@pytest.mark.parametrize(
    ("lengths", "parted"),
    [
        ([3_000, 3_000], [2]),
        ([3_000, 3_001], [1, 1]),
        ([1_000] * 6, [6]),
        ([1_000] * 7, [3, 4]),  # evenly, not six and a rest of one
        ([1_000] * 13, [4, 5, 4]),
        ([20_000], [1]),  # nothing is cut
        ([100, 20_000, 100], [1, 1, 1]),
        ([0, 0], [2]),
    ],
)
def test_long_runs_are_parted_evenly(lengths: list[int], parted: list[int]) -> None:
    found = sections([chunk(number, "", "x" * length) for number, length in enumerate(lengths)])
    assert [len(section) for section in found] == parted


SOME_CHUNKS = st.lists(
    st.tuples(st.sampled_from(["", "A", "B"]), st.integers(0, 2 * _LONGEST_SECTION_CHARACTERS)), max_size=12
)


@given(SOME_CHUNKS)
def test_every_chunk_is_in_exactly_one_section_of_neighbours_under_one_heading(shapes: list[tuple[str, int]]) -> None:
    given_chunks = [chunk(number, heading, "x" * length) for number, (heading, length) in enumerate(shapes)]
    properties: list[dict[str, Any]] = section_properties(given_chunks)
    found = [each["section_chunks"] for each in properties if each["section_chunks"]]
    assert list(itertools.chain(*found)) == [each["id"] for each in given_chunks]
    heading_of = {each["id"]: each["heading"] for each in given_chunks}
    section_of = {id_: section[0] for section in found for id_ in section}
    assert all(len({heading_of[id_] for id_ in section}) == 1 for section in found)
    for one, each in zip(given_chunks, properties, strict=True):
        assert each["section"] == section_of[one["id"]]
        assert each.keys() == {"section", *CARRIED}
        is_first = each["section"] == one["id"]
        assert {name for name in CARRIED if each[name] is not None} == (CARRIED if is_first else set())


@given(st.lists(st.integers(1, 400), min_size=1, max_size=100))
def test_sections_of_short_chunks_keep_below_the_longest_but_for_half_a_chunk_at_each_end(lengths: list[int]) -> None:
    given_chunks = [chunk(number, "", "x" * length) for number, length in enumerate(lengths)]
    size = {each["id"]: len(each["text"]) for each in given_chunks}
    found = [sum(size[id_] for id_ in section) for section in sections(given_chunks)]
    assert max(found) <= _LONGEST_SECTION_CHARACTERS + max(lengths)
    assert len(found) == -(-sum(lengths) // _LONGEST_SECTION_CHARACTERS)
    assert min(found) >= sum(lengths) / len(found) - max(lengths)
