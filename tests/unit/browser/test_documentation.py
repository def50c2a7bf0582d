from __future__ import annotations

import re
from pathlib import Path

from overstory.browser.queries import all_queries, saved_queries
from overstory_cli.browser import contributions

PAGE = (Path(__file__).parents[3] / "docs" / "browser.md").read_text(encoding="utf-8")


def test_the_page_on_browser_lists_the_saved_queries_as_the_guide_does() -> None:
    rows = re.findall(r"^\| (.+?) \| a (picture|table) \| (.*)\|$", PAGE, re.MULTILINE)
    expected = [
        (
            query.title,
            "picture" if query.is_picture else "table",
            ", ".join(f"`${name}`" for name in query.parameters),
        )
        for query in all_queries(saved_queries("Corpus_0123456789abcdef", contributions()))
    ]
    assert [(title, gives, asks.strip()) for title, gives, asks in rows] == expected
