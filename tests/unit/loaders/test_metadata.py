from __future__ import annotations

import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import PurePosixPath
from uuid import UUID

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overstory_loaders.metadata import clean_metadata

NUMBERS = st.integers() | st.floats() | st.booleans()
ANYTHING = st.recursive(
    st.none() | st.text(st.characters(exclude_categories=())) | NUMBERS | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("a\x00b ", "ab"),
        (True, True),
        (7, 7),
        (2**63 - 1, 2**63 - 1),
        (2**63, "9223372036854775808"),
        (1.5, 1.5),
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (["a", "b"], ["a", "b"]),
        ([], []),
        ([1, 2.5], [1.0, 2.5]),
        ([1, True], "[1, true]"),
        (["a", None], '["a", null]'),
        ({"née": ["x", 1]}, '{"née": ["x", 1]}'),
        (date(2024, 2, 29), datetime(2024, 2, 29, tzinfo=UTC)),
        (datetime(2024, 2, 29, 12, tzinfo=UTC), datetime(2024, 2, 29, 12, tzinfo=UTC)),
        (datetime(2024, 2, 29, 12), datetime(2024, 2, 29, 12, tzinfo=UTC)),  # noqa: DTZ001 # as many programs have them
        (datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))), "9999-12-31T23:59:59.999999-01:00"),
        ("2024-02-29", datetime(2024, 2, 29, tzinfo=UTC)),
        ("2024", "2024"),
        ("since 2024-02-29", "since 2024-02-29"),
        (["2024-02-29", "2024-03-01"], [datetime(2024, 2, 29, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC)]),
        (["2024-02-29", "soon"], ["2024-02-29", "soon"]),
        ({"at": date(2024, 2, 29)}, '{"at": "2024-02-29"}'),
        (time(12, 30), "12:30:00"),
        (Decimal("1.10"), "1.10"),
        (PurePosixPath("a/b"), "a/b"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ],
)
def test_values_become_what_a_property_holds(value: object, stored: object) -> None:
    cleaned = clean_metadata({"x": value}).values["x"]
    assert cleaned == stored
    assert type(cleaned) is type(stored)


@pytest.mark.parametrize("value", [math.nan, math.inf, b"bytes", object(), {"x": object()}, [math.nan]])
def test_what_no_property_holds_is_dropped_and_named(value: object) -> None:
    cleaned = clean_metadata({"gone": value, "kept": 1})
    assert cleaned.values == {"kept": 1}
    assert cleaned.dropped == ("gone",)


def test_a_format_that_has_dates_of_its_own_keeps_texts_that_are_like_them() -> None:
    cleaned = clean_metadata({"text": "2024-02-29", "date": date(2024, 2, 29)}, dates_in_text=False)
    assert cleaned.values == {"text": "2024-02-29", "date": datetime(2024, 2, 29, tzinfo=UTC)}


def test_absent_values_and_nameless_ones_are_not_worth_a_word() -> None:
    cleaned = clean_metadata({"none": None, " ": 1})
    assert cleaned.values == {}
    assert cleaned.dropped == ()


def test_a_list_that_contains_itself_is_dropped() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert clean_metadata({"loop": loop}).dropped == ("loop",)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # machines may be busy
@given(st.dictionaries(st.text(st.characters(exclude_categories=())), ANYTHING))
def test_everything_kept_is_storable(values: dict[str, object]) -> None:
    for name, value in clean_metadata(values).values.items():
        name.encode()
        parts = value if isinstance(value, list) else [value]
        assert len({type(part) for part in parts}) <= 1
        for part in parts:
            assert isinstance(part, str | bool | int | float | datetime)
            if isinstance(part, datetime):
                assert part.utcoffset() is not None
            elif isinstance(part, str):
                part.encode()
            elif not isinstance(part, float):
                assert -(2**63) <= part < 2**63
            else:
                assert math.isfinite(part)
