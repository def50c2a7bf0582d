"""Messages of endpoints: the key is masked, wherever it is cut, and terminal escapes are removed."""

from __future__ import annotations

import datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.endpoints import Backoff, KeyMask, cleaned, retry_after

KEY = "sk-secret"


def masked(key: str | None, *pieces: str) -> str:
    mask = KeyMask(key)
    return "".join(mask.take(piece) for piece in pieces) + mask.rest()


@given(st.text(alphabet="sk-ecrt .", max_size=30), st.lists(st.integers(0, 60), max_size=8))
def test_a_key_is_masked_wherever_the_text_is_cut(around: str, cuts: list[int]) -> None:
    said = f"{around}{KEY}{around}"
    bounds = [0, *sorted(cuts), len(said)]
    pieces = [said[start:end] for start, end in pairwise(bounds)]
    assert masked(KEY, *pieces) == said.replace(KEY, "***")


def test_a_text_that_cannot_be_the_key_is_not_held_back() -> None:
    mask = KeyMask(KEY)
    assert mask.take("He said sk-se") == "He said "
    assert mask.take("veral") == "sk-several"
    assert mask.rest() == ""


@pytest.mark.parametrize("key", [None, "", "ollama"])
def test_a_placeholder_is_no_secret(key: str | None) -> None:
    assert masked(key, "I am olla", "ma.") == "I am ollama."


def test_a_message_is_one_line_without_escapes_and_without_the_key() -> None:
    assert cleaned(f"no\x1b[31m\n{KEY}\x07 \u202eok", KEY) == "no[31m *** ok"
    assert cleaned(f"{KEY[:4]}\x07\u200b{KEY[4:]}", KEY) == "***"
    assert len(cleaned("x" * 10_000, None)) == 500


def test_a_message_shows_no_spelling_of_the_key() -> None:
    key = "sk-proj-8Fh2kQzL0w"
    for shown in (key.upper(), " ".join(key), key[:9], key[9:]):
        assert cleaned(f"Incorrect key {shown}.", key) == "Incorrect key ***."
    assert cleaned("Ollama said no", "ollama") == "Ollama said no"


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
