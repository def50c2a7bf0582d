"""What endpoints say: the key is masked, wherever it is cut, and terminal escapes are removed."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.endpoints import KeyMask, cleaned

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
