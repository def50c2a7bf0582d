"""Cursors of pages."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory_service.problems import Refused
from overstory_service.responses import cursor_of, job_number_of, place_of


@pytest.mark.parametrize("text", ["[" * 50_000, '{"a":' * 50_000, "[" + "1" * 5_000 + "]", "[1]", "\ud800"])
def test_a_cursor_of_nested_or_other_json_is_refused(text: str) -> None:
    cursor = base64.urlsafe_b64encode(text.encode(errors="surrogatepass")).decode()
    with pytest.raises(Refused, match="cursor"):
        place_of(cursor, parts=1)


@given(st.lists(st.text(max_size=20), min_size=1, max_size=3))
def test_a_cursor_gives_its_place_back(place: list[str]) -> None:
    assert place_of(cursor_of(*place), parts=len(place)) == tuple(place)


def test_the_cursor_of_a_list_of_jobs_gives_its_number_back() -> None:
    assert job_number_of(cursor_of("17")) == 17


@pytest.mark.parametrize("number", ["", "x", "-1", "1.5", "٣", str(2**63), "9" * 140])
def test_a_cursor_of_jobs_with_another_number_is_refused(number: str) -> None:
    with pytest.raises(Refused, match="cursor"):
        job_number_of(cursor_of(number))


@pytest.mark.parametrize("cursor", ["", "!", "e30", "WzFd", "ä", "WyJhIl0", "bnVsbA"])
def test_a_cursor_that_was_not_given_is_refused(cursor: str) -> None:
    with pytest.raises(Refused, match="cursor"):
        place_of(cursor, parts=2)
