from __future__ import annotations

from pathlib import Path

import pytest
from tests.sources import load, write

from overstory.model import Heading
from overstory_loaders import MarkdownLoader
from overstory_loaders.markdown import read_markdown

PAGE = """---
title: Guide
tags: [setup, linux]
---

# Install *it* with `pip`

Text.

```
# no heading
```

  ## Second #

> # quoted

Third
-----
"""


def test_headings_are_found_where_they_stand_and_the_text_is_kept(tmp_path: Path) -> None:
    document = load(MarkdownLoader(), write(tmp_path / "page.md", PAGE)).document
    assert [(heading.level, heading.text) for heading in document.headings] == [
        (1, "Install it with pip"),
        (2, "Second"),
        (2, "Third"),
    ]
    assert [document.text[heading.start :].partition("\n")[0] for heading in document.headings] == [
        "# Install *it* with `pip`",
        "## Second #",
        "Third",
    ]
    assert "# no heading" in document.text


def test_front_matter_becomes_metadata(tmp_path: Path) -> None:
    document = load(MarkdownLoader(), write(tmp_path / "page.md", PAGE)).document
    assert document.title == "Guide"
    assert document.metadata == {"tags": ["setup", "linux"]}
    assert document.text.startswith("# Install")


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("---\ntitle: From the matter\n---\n# Heading", "From the matter"),
        ("## Sub\n\n# First [of](x) *its* level\n", "First of its level"),
        ("## Only a second level", "page"),
    ],
)
def test_the_title_is_the_best_there_is(tmp_path: Path, content: str, title: str) -> None:
    assert load(MarkdownLoader(), write(tmp_path / "page.md", content)).document.title == title


def test_windows_line_ends_and_composed_letters_move_no_heading(tmp_path: Path) -> None:
    path = write(tmp_path / "page.md", "\ufeffcafe\u0301\r\n\r\n# Naïve\r\n")
    document = load(MarkdownLoader(), path).document
    assert document.headings == (Heading(start=6, level=1, text="Naïve"),)
    assert document.text[6:] == "# Naïve"


def test_link_definitions_elsewhere_are_known_in_headings() -> None:
    (heading,), _ = read_markdown("# See [the manual]\n\n[the manual]: https://example.org\n")
    assert heading.text == "See the manual"


def test_empty_headings_are_none() -> None:
    assert read_markdown("#\n\n# <br>\n\ntext")[0] == ()


def test_a_file_with_front_matter_alone_is_empty(tmp_path: Path) -> None:
    assert load(MarkdownLoader(), write(tmp_path / "a.md", "---\ntitle: T\n---\n")).messages == ["is empty"]
