from __future__ import annotations

import pytest

from overstory.text.names.entity_types import entity_types, head_type


@pytest.mark.parametrize(
    ("key", "votes", "types"),
    [
        ("dora whelan", {"GPE": 3, "PERSON": 2, "": 9}, ["PERSON", "GPE"]),
        ("dora whelan", {"GPE": 5, "PERSON": 2}, ["GPE", "PERSON"]),
        ("kestrel hall", {"PERSON": 5, "FAC": 4}, ["FAC", "PERSON"]),
        ("monty hall", {"PERSON": 3}, ["PERSON"]),
        ("sundwick", {"PERSON": 3, "GPE": 2}, ["GPE", "PERSON"]),
        ("x", {"": 2}, []),
    ],
)
def test_the_type_is_that_of_most_mentions(key: str, votes: dict[str, int], types: list[str]) -> None:
    assert entity_types(key, votes) == types


def test_the_kind_of_thing_in_a_name_is_its_type() -> None:
    assert head_type("friends of the Amberholt Music School") == "ORG"
    assert head_type("Musikschule Rotenfleth") == "ORG"
    assert head_type("Central Station") == "FAC"
    assert not head_type("Dora Whelan")
    assert not head_type("School")
