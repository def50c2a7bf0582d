from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser

import pytest

from overstory.browser.guide import guide, parameter_command, parameters_command
from overstory.browser.queries import PARAMETERS, all_queries, saved_queries

CHAPTERS = saved_queries("Corpus_0123456789abcdef")
EXAMPLES = dict.fromkeys(PARAMETERS, 'O\'Brien; "x" \\ <b>')

# What Neo4j Browser 5.24 strips from a guide (remoteUtils.ts): event handlers, or what looks like one.
HANDLERS = re.compile(r"""(\s+(on[^\s=]+)[^\s=]*\s*=\s*("[^"]*"|'[^']*'|[\w\-.:]+\s*))""", re.IGNORECASE)


class Page(HTMLParser):
    """What a browser makes of the page: slides, and the texts of what can be clicked."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.slides = 0
        self.runs: list[str] = []
        self.edits: list[str] = []
        self.links: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.slides += tag == "slide"
        self.runs += [values["data-exec"]] if "data-exec" in values else []
        self.edits += [values["data-populate"]] if "data-populate" in values else []
        self.links += [values["href"]] if "href" in values else []
        if tag not in {"meta", "br"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


@pytest.fixture
def text() -> str:
    return guide("wiki & <co>", CHAPTERS, EXAMPLES, style_url="http://localhost:1/a.grass", queries_url="http://b/c")


def test_a_slide_tells_how_to_begin_and_each_chapter_has_one(text: str) -> None:
    assert Page(text).slides == 1 + len(CHAPTERS)


def test_the_way_to_the_password_is_told_for_the_embedded_server(text: str) -> None:
    own = guide("wiki", CHAPTERS, EXAMPLES, style_url="", queries_url="", embedded=True)
    assert "overstory server password" in own
    assert "password" not in text


def test_every_query_is_there_word_for_word(text: str) -> None:
    assert set(Page(text).edits) >= {query.text for query in all_queries(CHAPTERS)}


def test_a_click_sets_the_style_and_the_examples(text: str) -> None:
    style, only_found, parameters = Page(text).runs
    assert only_found == "config autoComplete: false"
    assert style == "style http://localhost:1/a.grass"
    assert json.loads(parameters.removeprefix("params ")) == EXAMPLES
    assert Page(text).links == ["http://b/c"]


def test_browser_strips_nothing_of_it(text: str) -> None:
    assert HANDLERS.findall(html.unescape(text)) == []


def test_names_are_text_never_markup_and_never_end_a_command(text: str) -> None:
    assert "<co>" not in text
    assert ";" not in parameters_command(EXAMPLES)
    assert parameter_command("name", "a'; \\b") == r":param name => 'a\'\u003b \\b'"
