from __future__ import annotations

import html
import http.client
import json
import re
import socket
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

import pytest

from overstory.browser.guide import (
    Addresses,
    File,
    GuideServer,
    browser_address,
    guide,
    parameter_command,
    parameters_command,
)
from overstory.browser.queries import PARAMETERS, all_queries, saved_queries

CHAPTERS = saved_queries("Corpus_0123456789abcdef")
EXAMPLES = dict.fromkeys(PARAMETERS, 'O\'Brien; "x" \\ <b>')

# What Neo4j Browser 5.24 strips from a guide (remoteUtils.ts): event handlers, or what looks like one.
HANDLERS = re.compile(r"""(\s+(on[^\s=]+)[^\s=]*\s*=\s*("[^"]*"|'[^']*'|[\w\-.:]+\s*))""", re.IGNORECASE)


class Page(HTMLParser):
    """The guide as a browser shows it: slides, and texts that can be clicked."""

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


BROWSER = "http://127.0.0.1:7474"


@pytest.fixture
def server() -> Iterator[GuideServer]:
    with GuideServer(origin=BROWSER, port=0) as server:
        server.put("guide", File(b"<slide>", "text/html"))
        yield server


def ask(server: GuideServer, method: str, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(server.url("")).port, timeout=60)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    response.read(0)
    return response


def test_browser_gets_the_guide_and_may_read_it(server: GuideServer) -> None:
    response = ask(server, "GET", "/guide?x=1", Origin=BROWSER)
    assert response.read() == b"<slide>"
    assert response.headers["Access-Control-Allow-Origin"] == BROWSER
    assert response.headers["Content-Type"] == "text/html"


def test_browser_may_send_its_own_headers(server: GuideServer) -> None:
    wanted = "cache-control,pragma,sentry-trace"
    response = ask(server, "OPTIONS", "/guide", Origin=BROWSER, Access_Control_Request_Headers=wanted)
    assert response.status == 204
    assert response.headers["Access-Control-Allow-Origin"] == BROWSER
    assert response.headers["Access-Control-Allow-Headers"] == "*"


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", "http://[broken", ""])
def test_pages_of_other_sites_may_not_read_it(server: GuideServer, origin: str) -> None:
    for method in ("GET", "OPTIONS"):
        assert ask(server, method, "/guide", Origin=origin).headers["Access-Control-Allow-Origin"] is None


def test_a_foreign_name_that_points_here_gets_nothing(server: GuideServer) -> None:
    assert ask(server, "GET", "/guide", Host="elsewhere.example:7479").status == 403


def test_what_is_not_there_is_not_found(server: GuideServer) -> None:
    assert ask(server, "GET", "/../guide.py").status == 404


def test_a_file_to_be_saved_keeps_its_name(server: GuideServer) -> None:
    server.put("queries.zip", File(b"PK", "application/zip", "overstory-日本.zip"))
    response = ask(server, "GET", "/queries.zip")
    assert response.headers["Content-Disposition"] == "attachment; filename*=UTF-8''overstory-%E6%97%A5%E6%9C%AC.zip"


def test_a_port_that_is_taken_is_no_obstacle() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with GuideServer(origin=BROWSER, port=taken.getsockname()[1]) as server:
            assert ask(server, "GET", "/none").status == 404


EMBEDDED = Addresses("http://127.0.0.1:41000/browser/", "bolt://127.0.0.1:42000", "neo4j", "neo4j", embedded=True)


def test_the_link_fills_in_everything_but_the_password() -> None:
    values = parse_qs(urlsplit(EMBEDDED.link()).query)
    assert values == {"dbms": ["bolt://neo4j@127.0.0.1:42000"], "db": ["neo4j"]}


def test_the_link_opens_the_guide() -> None:
    values = parse_qs(urlsplit(EMBEDDED.link("http://localhost:7479/guide")).query)
    assert (values["cmd"], values["arg"]) == (["guide"], ["http://localhost:7479/guide"])


def test_the_origin_is_the_pages_own() -> None:
    assert EMBEDDED.origin == "http://127.0.0.1:41000"


@pytest.mark.parametrize(
    ("named", "own", "bolt", "expected"),
    [
        (None, "http://127.0.0.1:41000", "bolt://127.0.0.1:1", "http://127.0.0.1:41000/browser/"),
        (None, "", "neo4j+s://graph.example:7687", "http://graph.example:7474/browser/"),
        (None, "", "bolt://[::1]:7687", "http://[::1]:7474/browser/"),
        ("https://graph.example:7473/browser", "", "bolt://graph.example", "https://graph.example:7473/browser/"),
        ("https://graph.example/", "", "bolt://graph.example", "https://graph.example/browser/"),
    ],
)
def test_where_browser_is(named: str | None, own: str, bolt: str, expected: str) -> None:
    assert browser_address(named, own, bolt) == expected
