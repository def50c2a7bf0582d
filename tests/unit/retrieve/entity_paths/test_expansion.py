from __future__ import annotations

import pytest

from overstory.retrieve.entity_paths.expansion import is_ambiguous, is_name


@pytest.mark.parametrize(
    ("key", "type_", "df", "parsed", "full", "name", "ambiguous"),
    [
        ("lars ulrich", "PERSON", 9, 8, False, True, False),
        ("ulrich", "PERSON", 9, 8, False, True, True),
        ("metallica", "", 9, 0, True, True, False),
        ("germany", "GPE", 9, 9, False, True, False),
        ("league", "", 41, 0, False, False, True),
        ("south", "LOC", 52, 2, False, False, False),
        ("1998", "", 30, 0, False, False, True),
        ("the", "", 30, 30, True, False, False),
        ("march 1998", "DATE", 3, 3, False, False, False),
    ],
)
def test_what_paths_go_through(
    *, key: str, type_: str, df: int, parsed: int, full: bool, name: bool, ambiguous: bool
) -> None:
    row = {"key": key, "type": type_, "df": df, "parsed": parsed, "full": full}
    assert is_name(row) == name
    assert is_ambiguous(row) == ambiguous
