from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources import load, pdf_of, write

from overstory.model.metadata import page_starts
from overstory_loaders import PdfLoader
from overstory_loaders.pdf import without_running_heads

BODIES = [
    "\n".join(f"{sentence} {line}" for line in "abcdefghijklmnopqrstu")
    for sentence in ("Salt is a mineral", "It melts late", "Sea salt is dried", "Rock salt is mined", "Trade was brisk")
]
"""Pages of as many lines as a book has."""


def test_headers_footers_and_page_numbers_go(tmp_path: Path) -> None:
    pages = [f"On Salt\n{body}\nACME Press\nPage {n} of 5" for n, body in enumerate(BODIES, start=1)]
    document = load(PdfLoader(), write(tmp_path / "a.pdf", pdf_of(pages))).document
    first = f"On Salt\n{BODIES[0]}\nACME Press"
    assert document.text == "\n\n".join([first, *BODIES[1:]])
    starts = page_starts(document.metadata)
    first_lines = [body.partition("\n")[0] for body in BODIES[1:]]
    assert [document.text[start:].partition("\n")[0] for start in starts] == ["On Salt", *first_lines]


LETTER = """Dear {},
your rent is now {} euro.
Please pay within 30 days to account 4711.
Mira Toft, landlord"""


def test_letters_keep_their_last_lines(tmp_path: Path) -> None:
    letters = [LETTER.format(*each) for each in (("Ada", 840), ("Bo Falk", 910), ("Cho Min", 700), ("Dag Ek", 650))]
    assert load(PdfLoader(), write(tmp_path / "a.pdf", pdf_of(letters))).document.text == "\n\n".join(letters)


@pytest.mark.parametrize(
    "last",
    [
        "Please pay within 30 days to account 4711.\nMira Toft, landlord",
        "Mira Toft, landlord\nWe will not remind you of this payment!",
        "请在三十天内支付。\n房东",
        "Bitte zahlen Sie bis zum Monatsende (Konto 4711).",
    ],
)
def test_a_repeated_line_with_a_sentence_stays_and_so_does_the_line_next_to_it(last: str) -> None:
    pages = [f"On Salt\n{body}\n{last}" for body in BODIES]
    without_title = [f"{body}\n{last}" for body in BODIES[1:]]
    assert without_running_heads(pages) == [pages[0], *without_title]


@pytest.mark.parametrize("last", ["© 2024 ACME. All rights reserved.", "A Short History of Salt", "acme.example"])
def test_what_only_looks_like_a_sentence_goes(last: str) -> None:
    assert without_running_heads([f"{body}\n{last}" for body in BODIES]) == [f"{BODIES[0]}\n{last}", *BODIES[1:]]


def test_of_short_pages_only_the_numbers_go() -> None:
    slides = [f"Plan\nStep {letter}\nACME Press\n{number}" for number, letter in enumerate("abcde", start=7)]
    assert without_running_heads(slides) == [f"Plan\nStep {letter}\nACME Press" for letter in "abcde"]


def test_left_and_right_pages_have_heads_of_their_own() -> None:
    heads = ["12 The Handbook", "Salt 13", "14 The Handbook", "Salt 15", "16 The Handbook", "Salt 17"]
    pages = [f"{head}\nbody {'abcdef'[at]}" for at, head in enumerate(heads)]
    assert without_running_heads(pages) == [f"body {letter}" for letter in "abcdef"]


def test_roman_page_numbers_go() -> None:
    pages = [f"{body}\n{number}" for body, number in zip(BODIES, ["viii", "ix", "x", "xi", "xii"], strict=True)]
    assert without_running_heads(pages) == BODIES


def test_numbers_that_do_not_count_pages_stay() -> None:
    totals = [17, 3, 99, 4, 58]
    pages = [f"{body}\nTotal {total}" for body, total in zip(BODIES, totals, strict=True)]
    assert without_running_heads(pages) == pages


def test_what_stands_on_few_pages_stays() -> None:
    pages = ["Chapter 1\none", "Chapter 1\ntwo", "Chapter 2\nthree", "four", "five", "six"]
    assert without_running_heads(pages) == pages


def test_pages_that_have_nothing_else_stay_whole() -> None:
    pages = [f"page {number}" for number in range(5)]
    assert without_running_heads(pages) == pages


@given(st.lists(st.lists(st.sampled_from(["Head", "1", "2", "3", "a", "b", "", "iv"]), max_size=6), max_size=8))
def test_nothing_is_lost_but_repeated_lines_and_no_page_is_emptied(pages: list[list[str]]) -> None:
    texts = ["\n".join([*lines, "x\n" * 20 if number % 2 else "", *lines]) for number, lines in enumerate(pages)]
    kept = without_running_heads(texts)
    assert len(kept) == len(texts)
    for before, after in zip(texts, kept, strict=True):
        assert set(after.split()) <= set(before.split())
        assert bool(after.strip()) == bool(before.strip())
    for word in ("Head", "a", "b"):
        assert any(word in text.split() for text in kept) == any(word in text.split() for text in texts)
