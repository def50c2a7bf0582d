from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overstory.model.metadata import value_of
from overstory_loaders.markdown import split_front_matter

YAML = """---
title: "A: title"
draft: false
# a comment
weight: 3
ratio: 0.5
version: 1.10
zip: 007
empty:
date: 2024-02-29
updated: 2024-02-29 12:30:00 +0100  # as Jekyll has it
quoted: "2024-02-29"
tags: [a, "b c", 3]
authors:
  - Ada
  - 'Grace'
summary: >
  two
  lines
nested:
  key: value
note: with words # and a comment
---
# Body
"""


def test_yaml_gives_scalars_lists_and_folded_texts() -> None:
    matter = split_front_matter(YAML)
    assert matter.text == "# Body\n"
    assert matter.values == {
        "title": "A: title",
        "draft": False,
        "weight": 3,
        "ratio": 0.5,
        "version": "1.10",
        "zip": "007",
        "empty": None,
        "date": datetime(2024, 2, 29, tzinfo=UTC),
        "updated": datetime(2024, 2, 29, 12, 30, tzinfo=timezone(timedelta(hours=1))),
        "quoted": "2024-02-29",
        "tags": ["a", "b c", 3],
        "authors": ["Ada", "Grace"],
        "summary": "two lines",
        "nested": {"key": "value"},
        "note": "with words",
    }


def test_yaml_as_people_write_it() -> None:
    matter = split_front_matter(
        """---
"quoted key": "Ada" # boss
ключ: значение
authors: ["Lovelace, Ada", 'O''Hara']
said: "a \\"b\\""
more: [one,
  two]
steps:
- one
- two # second
deep: {a: [1, {b: c}]}
same: &x Ada
alias: *x
prefix: inf
---
body"""
    )
    assert matter.text == "body"
    assert matter.values == {
        "quoted key": "Ada",
        "ключ": "значение",
        "authors": ["Lovelace, Ada", "O'Hara"],
        "said": 'a "b"',
        "more": ["one", "two"],
        "steps": ["one", "two"],
        "deep": {"a": [1, {"b": "c"}]},
        "same": "Ada",
        "alias": "Ada",
        "prefix": "inf",
    }


def test_an_entry_that_is_no_yaml_is_text_and_harms_no_other() -> None:
    matter = split_front_matter("---\ntitle: Rust: a guide\nauthor: Ada\nby: @bob\ntags: [a, b]\n---\nbody")
    assert matter.values == {"title": "Rust: a guide", "author": "Ada", "by": "@bob", "tags": ["a", "b"]}


def test_a_number_beyond_every_float_is_read() -> None:
    digits = "1" * 400
    assert split_front_matter(f"---\nid: {digits}\n---\nbody").values == {"id": int(digits)}
    assert value_of(digits) == digits  # of 64 bits at most


@pytest.mark.parametrize(
    ("fence", "block"),
    [
        ("---", "a: &a [*a]"),
        ("---", "a: b: c\na: &a [*a]"),
        ("---", "a: " + "[" * 50_000),
        ("---", "a: " + "[" * 101 + "]" * 101),
        ("---", "a: 1\n? [a, b]\n: c"),
        ("---", "a: b: c\n" + "x: [&a [x, x, x, x, x], *a, *a, *a, *a, *a, *a]\n" * 500),
        ("---", "a: b: c\n" + "x\n" * 30_000),
        ("---", "a: " + "x" * 70_000),
        ("+++", ".".join(["a"] * 50_000) + " = 1"),
        ("+++", "a = " + "[" * 30_000),
        ("+++", "a = " + "[" * 120 + "]" * 120),
        ("+++", "a = " + "1" * 5_000),
    ],
)
def test_front_matter_beyond_the_bounds_is_text(fence: str, block: str) -> None:
    text = f"{fence}\n{block}\n{fence}\nbody"
    assert split_front_matter(text).text == text


def test_toml_is_read_too() -> None:
    matter = split_front_matter('+++\ntitle = "T"\n[x]\ny = 1\n+++\nbody')
    assert matter.text == "body"
    assert matter.values == {"title": "T", "x": {"y": 1}}


@pytest.mark.parametrize(
    "text",
    [
        "---\nA rule above, a rule below.\n---\nbody",
        "---\ntitle: never closed\n\nbody",
        "+++\nno = = toml\n+++\nbody",
        "# Heading\n---\na: b\n---",
        "---",
        "",
    ],
)
def test_what_is_no_front_matter_stays(text: str) -> None:
    matter = split_front_matter(text)
    assert matter.text == text
    assert matter.values == {}


def test_long_lines_take_no_time() -> None:
    block = "key " * 100_000
    assert split_front_matter(f"---\n{block}\n---\nbody").values == {}
    assert split_front_matter("---\n" + "#\n" * 100_000 + "---\nbody").values == {}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # machines may be busy
@given(st.text("ab:-+#'[]|> \n\t"))
def test_nothing_makes_it_fail_and_the_text_is_an_end_of_the_file(block: str) -> None:
    for fence in ("---", "+++"):
        text = f"{fence}\n{block}\n{fence}\nbody"
        assert text.endswith(split_front_matter(text).text)
