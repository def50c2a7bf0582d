from __future__ import annotations

import datetime

import pytest

from overstory.retrying import Backoff, retry_after

NOW = datetime.datetime(2026, 1, 1, 12, 0, 0, tzinfo=datetime.UTC)


def test_pauses_double_up_to_a_bound_and_end() -> None:
    backoff = Backoff(retries=4, first=1.0, longest=4.0)
    assert [backoff.pause(n, asked=None, chance=1.0) for n in range(1, 6)] == [1.0, 2.0, 4.0, 4.0, None]


def test_chance_takes_up_to_half_of_a_pause() -> None:
    assert Backoff(first=1.0).pause(1, asked=None, chance=0.0) == 0.5


def test_a_server_is_never_asked_earlier_than_it_says() -> None:
    backoff = Backoff(first=1.0, longest=2.0, patience=60.0)
    assert backoff.pause(1, asked=10.0, chance=0.0) == 10.0
    assert backoff.pause(1, asked=10.0, chance=1.0) == 11.0
    assert backoff.pause(1, asked=61.0, chance=0.0) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 -0000"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0.0),
        ({}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds
