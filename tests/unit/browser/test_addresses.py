from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from overstory.browser.guide import Addresses, browser_address

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
