"""Types of metadata, and dates as text."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.model.metadata import (
    Metadata,
    as_json,
    date_of,
    dated_keys,
    page_of,
    type_of,
    typed_json,
    typed_values,
    value_of,
    with_dates,
    with_zone,
)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-02-29", datetime(2024, 2, 29, tzinfo=UTC)),
        ("2024-02-29T12:30", datetime(2024, 2, 29, 12, 30, tzinfo=UTC)),
        ("2024-02-29 12:30:15Z", datetime(2024, 2, 29, 12, 30, 15, tzinfo=UTC)),
        ("2024-02-29T12:30:15.25+01:00", datetime(2024, 2, 29, 12, 30, 15, 250_000, timezone(timedelta(hours=1)))),
        ("2024-02-29T12:30:15.123456789Z", datetime(2024, 2, 29, 12, 30, 15, 123_456, UTC)),
        ("2024-02-29T12:30:15-0530", datetime(2024, 2, 29, 12, 30, 15, 0, timezone(-timedelta(hours=5, minutes=30)))),
        ("0001-01-01", datetime(1, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_text_in_iso_8601_is_a_date(text: str, date: datetime) -> None:
    found = date_of(text)
    assert found == date
    assert found is not None
    assert found.utcoffset() == date.utcoffset()


@pytest.mark.parametrize(
    "text",
    [
        *("", "2024", "2024-02", "20240229", "2024-W09-4", "2023-02-29", "2024-02-29T25:00", "on 2024-02-29"),
        *("2024-02-29 ", "2024-02-29T12", "29.02.2024", "2024-2-29", "٢٠٢٤-٠٢-٢٩", "0001-01-01T00:00+01:00"),
        *("9999-12-31T23:59:59-00:01", "2024-02-29T12:00+25:00"),
    ],
)
def test_other_texts_are_none(text: str) -> None:
    assert date_of(text) is None


def test_a_time_zone_becomes_its_offset_and_none_is_utc() -> None:
    berlin = with_zone(datetime(2024, 7, 1, 12, tzinfo=ZoneInfo("Europe/Berlin")))
    assert berlin.isoformat() == "2024-07-01T12:00:00+02:00"
    assert berlin.tzinfo == timezone(timedelta(hours=2))
    assert with_zone(datetime(2024, 7, 1)).isoformat() == "2024-07-01T00:00:00+00:00"  # noqa: DTZ001 # what it is for
    far = datetime(2024, 7, 1, tzinfo=timezone(timedelta(hours=20)))
    assert with_zone(far).isoformat() == "2024-06-30T04:00:00+00:00"


@given(st.datetimes(timezones=st.timezones() | st.just(UTC)))
def test_a_date_is_read_back_from_its_text(moment: datetime) -> None:
    try:
        kept = with_zone(moment)
    except ValueError:
        return  # not in UTC
    assert kept == moment.astimezone(UTC)  # as instants: an hour that comes twice is equal to none of another zone
    assert date_of(kept.isoformat()) == kept


def test_values_have_one_form_and_come_once() -> None:
    noon = datetime(2024, 2, 29, 12, tzinfo=UTC)
    metadata: Metadata = {
        "n": [1.0, 2.5],
        "again": [3, 3],
        "at": noon.astimezone(timezone(timedelta(hours=3))),
        "is": True,
        "text": "1",
        "nothing": [],
        "nan": math.nan,
        "large": 1e300,
    }
    found = [(value.key, value.type, value.canonical) for value in typed_values(metadata)]
    assert found == [
        ("n", "number", "1"),
        ("n", "number", "2.5"),
        ("again", "number", "3"),
        ("at", "date", "2024-02-29T12:00:00+00:00"),
        ("is", "boolean", "True"),
        ("text", "text", "1"),
        ("large", "number", "1e+300"),
    ]


def test_where_pages_begin_is_no_value_unless_somebody_else_calls_something_so() -> None:
    assert list(typed_values({"page_starts": [0, 10]})) == []
    assert [value.value for value in typed_values({"page_starts": "soon"})] == ["soon"]


def test_a_truth_is_no_number() -> None:
    assert [type_of(each) for each in (True, 1, 1.5, "1", datetime(2024, 1, 1, tzinfo=UTC))] == [
        "boolean",
        "number",
        "number",
        "text",
        "date",
    ]


def test_dates_survive_json() -> None:
    metadata: Metadata = {
        "at": datetime(2024, 2, 29, tzinfo=UTC),
        "all": [datetime(2024, 2, 29, 1, tzinfo=UTC)],
        "n": 1,
    }
    plain = json.loads(json.dumps(as_json(metadata)))
    assert plain == {"at": "2024-02-29T00:00:00+00:00", "all": ["2024-02-29T01:00:00+00:00"], "n": 1}
    assert dated_keys(metadata) == ["at", "all"]
    assert {key: with_dates(plain[key]) for key in dated_keys(metadata)} == {
        k: v for k, v in metadata.items() if k != "n"
    }


def test_a_digest_tells_a_date_from_its_text() -> None:
    date = datetime(2024, 2, 29, tzinfo=UTC)
    assert json.dumps([date], default=typed_json) != json.dumps([date.isoformat()], default=typed_json)
    with pytest.raises(TypeError):
        json.dumps([b""], default=typed_json)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("7", 7),
        ("-7", -7),
        ("0.5", 0.5),
        ("007", "007"),
        ("1.10", "1.10"),
        ("9223372036854775808", "9223372036854775808"),
        ("inf", "inf"),
        ("true", True),
        ("False", False),
        ("2024-02-29", datetime(2024, 2, 29, tzinfo=UTC)),
        ('"2024-02-29"', "2024-02-29"),
        ("'7'", "7"),
        ('""', ""),
        (" Ada Lovelace ", "Ada Lovelace"),
        ('"', '"'),
    ],
)
def test_a_value_is_read_as_people_write_it(written: str, value: object) -> None:
    found = value_of(written)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("start", "text", "page"),
    [
        (0, "First page.", 1),
        (23, ".", 1),
        (24, "\n\nThird page.", 3),  # the second has no text, and the third begins after two line ends
        (26, "Third page.", 3),
        (30, "d page.", 3),
    ],
)
def test_a_passage_is_on_the_page_of_its_first_word(start: int, text: str, page: int) -> None:
    assert page_of(start, text, [0, 24, 26]) == page


def test_pages_without_text_before_the_first_are_counted() -> None:
    assert page_of(0, "Salt.", [0, 0, 0]) == 3
