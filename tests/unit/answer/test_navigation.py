"""What of a page leads through it and answers nothing."""

from __future__ import annotations

import pytest

from overstory.answer.paragraphs import is_navigation


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
