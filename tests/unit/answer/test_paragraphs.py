"""Sentences of a passage."""

from __future__ import annotations

import pytest

from overstory.answer.paragraphs import cells_of, is_navigation, paragraphs, row_texts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("# Ulm\nUlm is old.\n## Places\nThe minster.", ["Ulm is old.", "The minster."]),
        ("Ulm\n===\nUlm is old.\nPlaces\n---\nThe minster.", ["Ulm is old.", "The minster."]),
        ("Ulm\n\nUlm is\nold.", ["Ulm is\nold."]),
        ("Ulm is old\n\nIt has a minster", ["It has a minster"]),
        ("The keys:\n\n- of Ulm\n\n- of Bern\n\nAll lost.", ["The keys:", "- of Ulm", "- of Bern", "All lost."]),
        ("DESCRIPTION\nIt lists\nfiles.\n\nSEE ALSO\n   ls(1)", ["It lists\nfiles.", "   ls(1)"]),
        ("STOP\nALL SHIPS", ["STOP\nALL SHIPS"]),
        ("OPTIONS:\nRFC 2119\nA_B", ["OPTIONS:\nRFC 2119\nA_B"]),
        ("# Ulm", []),
        ("Ulm", ["Ulm"]),
        ("#hashtag is old", ["#hashtag is old"]),
        ("", []),
    ],
)
def test_headings_go_and_paragraphs_stay(text: str, parts: list[str]) -> None:
    assert paragraphs(text) == parts


def rows(text: str) -> list[str]:
    return [text[start:stop] for start, stop in row_texts(text, 0, len(text))]


def test_running_text_is_one_piece() -> None:
    text = "Ada lives in Ulm\nand works in Bern."
    assert rows(text) == [text]


def test_each_row_of_a_table_is_a_piece_without_its_rules() -> None:
    assert rows("| key | value |\n|---|---|\n| a | 1 |\n| b | 2 |") == ["| key | value |", "| a | 1 |", "| b | 2 |"]


def test_lines_of_keys_and_values_are_pieces() -> None:
    assert rows("NAME = Ada\nCITY = Ulm") == ["NAME = Ada", "CITY = Ulm"]
    assert rows("Name: Ada\nCity: Ulm") == ["Name: Ada", "City: Ulm"]


def test_a_line_of_a_paragraph_is_no_row_for_its_colon_or_dash() -> None:
    text = "The first token changes that: from then on every\nrequest needs one, also after the last\nwas revoked."
    assert rows(text) == [text]
    text = "Ada wrote it\nin Ulm - of all places - and\nthen left."
    assert rows(text) == [text]
    assert rows("Set these as follows:\ntimeout: 30\nretries: 3") == [
        "Set these as follows:",
        "timeout: 30",
        "retries: 3",
    ]


def test_a_row_after_running_text_stands_alone() -> None:
    assert rows("The table says\nit all in full\nulm | 1 | 2") == ["The table says\nit all in full", "ulm | 1 | 2"]


def test_cells() -> None:
    assert cells_of("| `a` | 1 |") == ["a", "1"]
    assert cells_of("a\tb") == ["a", "b"]
    assert cells_of("Ada lives in Ulm.") == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Prev The Debian Administrator's Handbook Next",
        "Download the ebook Prev Next",
        "Navigation index modules | next | previous | The Python Standard Library",
        "index modules | next | previous |",
        "Home » Documentation » Contents",
        "Previous Up Next",
        "Table of Contents",
        "A.3. The Debian Project",
        "Chapter 1. The Debian Project",
        "Appendix A. Derivative Distributions and Ports",
        "Login Search Help.",
    ],
)
def test_links_buttons_and_headings_are_navigation(sentence: str) -> None:
    assert is_navigation(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Bash is free software.",
        "License: GPL-3+",
        "version: 12; codename: Bookworm",
        "Owner | PyPA",
        "12 | Bookworm | 2023-06-10",
        "next | returns the item that follows",
        "Julian Seward",
        "Julian Seward, jseward@acm.org",
        "df - report file system space usage",
        "Use Next to go to the next page.",
        "Go back home before the index is read.",
        "The next release is Trixie",
        "contextlib.suppress(*exceptions)",
        "--help  print this help",
        "Ulm, Bern, Vienna",
        "",
        "… — !",
    ],
)
def test_sentences_values_and_names_are_not(sentence: str) -> None:
    assert not is_navigation(sentence)
