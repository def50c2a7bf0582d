from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from overstory.browser.guide import File, GuideServer

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
