"""Patterns with wildcards mean what they always did, in time that hostile ones do not stretch."""

from __future__ import annotations

import re
import resource
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.wildcards import path_pattern, text_pattern

CPU_SECONDS = 20
"""Far more than the patterns take together, and far less than any of them takes an engine that backtracks."""
HOSTILE_TEXTS = [
    ("*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?X", "a" * 10_000),
    ("*a" * 400 + "X", "a" * 10_000),
    ("*" + "?" * 900 + "X/*", "a" * 10_000),
    ("*" + "a" * 900 + "*" + "X", "a" * 10_000),
    ("?*" * 400 + "X/*", "a\n" * 5_000 + "/"),
]
HOSTILE_PATHS = [
    ("**/a/" * 100 + "X", "a/" * 2_000),
    ("**" + "a*" * 400 + "X", "a" * 4_000),
    ("**a" * 300 + "X", "a/" * 2_000),
    ("*[!b]" * 150 + "X", "a" * 4_000),
    ("**/*?" * 200 + "/X", "ab/" * 1_300),
]


def backtracking(pattern: str, wild: dict[str, str], below: str) -> re.Pattern[str]:
    """The same pattern as an expression that tries all ways: right, and slow."""
    parts = re.split("(" + "|".join(map(re.escape, wild)) + ")", pattern)
    return re.compile("".join(wild.get(part) or re.escape(part) for part in parts) + below, re.DOTALL)


@given(st.lists(st.sampled_from(["a", "b", "/", "\n", "*", "?", "[*]", "[?]", "["])), st.text("aab/\n*?["))
def test_a_pattern_of_texts_fits_what_an_expression_that_tries_all_ways_fits(parts: list[str], text: str) -> None:
    pattern = "".join(parts)
    whole = pattern.removesuffix("/*")
    below = "" if whole == pattern else "(?:/.*)?"
    slow = backtracking(whole, {"[*]": r"\*", "[?]": r"\?", "*": ".*", "?": "."}, below)
    assert bool(text_pattern(pattern).fullmatch(text)) == bool(slow.fullmatch(text))


@given(st.lists(st.sampled_from(["a", "b", "/", "\n", "*", "?", "/**/", "**", "[ab]", "[!a]"])), st.text("aab/\n"))
def test_a_pattern_of_paths_fits_what_an_expression_that_tries_all_ways_fits(parts: list[str], path: str) -> None:
    pattern = re.sub(r"\*{3,}", "**", "".join(parts))
    wild = {"[ab]": "[ab]", "[!a]": "[^a/]", "/**/": "/(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    begins = re.match(r"\*\*/", pattern)
    slow = backtracking(pattern[3:] if begins else pattern, wild, "(?:/.*)?")
    slow = re.compile(f"(?:.*/)?{slow.pattern}", re.DOTALL) if begins else slow
    if not re.search(r"[^/]\*\*/|\*\*/\*\*/", pattern):  # which the slow one reads otherwise
        assert bool(path_pattern(pattern).fullmatch(path)) == bool(slow.fullmatch(path))


@pytest.mark.parametrize(("function", "cases"), [("text_pattern", HOSTILE_TEXTS), ("path_pattern", HOSTILE_PATHS)])
def test_a_hostile_pattern_is_done_soon(function: str, cases: list[tuple[str, str]]) -> None:
    code = f"from overstory.wildcards import {function} as f\nfor p, t in {cases!r}: assert not f(p).fullmatch(t)"

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))

    subprocess.run([sys.executable, "-"], input=code, text=True, check=True, preexec_fn=limited)


@pytest.mark.parametrize(
    ("listed", "held", "not_held"),
    [
        ("[z-a]", "", "za-"),
        ("[!z-a]", "az-", "/"),
        ("[a-c]", "abc", "-d"),
        ("[a-]", "a-", "b"),
        ("[]a]", "]a", "b"),
        ("[^a]", "b^", "a/"),
        ("[a&&b~~|]", "ab&~|", "c"),
        ("[\\]", "\\", "]"),
    ],
)
def test_brackets_stand_for_one_of_some_characters(listed: str, held: str, not_held: str) -> None:
    pattern = path_pattern(listed)
    assert all(map(pattern.fullmatch, held))
    assert not any(map(pattern.fullmatch, not_held))
