"""Pages are fetched within limits, by the rules of their server, and never from private addresses."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.sources import pdf_of
from tests.website import Answer, Website, website

from overstory.model import Document, Link
from overstory.sources import Coverage, ReadOptions, read_sources
from overstory.sources.web_requests import is_public

FAST = ReadOptions(allow_private=True, delay_seconds=0)


@pytest.fixture
def site() -> Generator[Website]:
    with website() as running:
        yield running


@dataclass
class Read:
    """The outcome of a run."""

    texts: dict[str, str] = field(default_factory=dict[str, str])
    documents: list[Document] = field(default_factory=list[Document])
    links: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    broken: list[str] = field(default_factory=list[str])
    skipped: list[str] = field(default_factory=list[str])
    coverage: Coverage = field(default_factory=Coverage)


def read(site: Website, *paths: str, options: ReadOptions = FAST, cache: Path | None = None) -> Read:
    found = Read()
    items = read_sources(
        [path if "://" in path else site.url + path for path in paths],
        loader=None,
        on_broken=lambda error: found.broken.append(f"{error}".replace(site.url, "")),
        on_skipped=lambda what: found.skipped.append(what.replace(site.url, "")),
        coverage=found.coverage,
        options=options,
        page_cache=cache,
    )
    for item in items:
        if isinstance(item, Document):
            found.texts[item.source.replace(site.url, "")] = item.text
            found.documents.append(item)
        elif isinstance(item, Link):
            found.links.append((item.source.replace(site.url, ""), item.target_source.replace(site.url, "")))
    return found


def test_content_types_go_to_their_loaders_and_sources_are_addresses(site: Website) -> None:
    site.page("/docs/", 'Start with <a href="intro.html">this</a> or <a href="../../out.html">that</a>.')
    site.answers["/docs/notes"] = Answer(b"# Notes\n\nSome.", "text/markdown; charset=utf-8")
    site.answers["/old?id=7"] = Answer("<p>Über Köln</p>".encode("cp1252"), "text/html; charset=iso-8859-1")
    site.answers["/a.csv"] = Answer(b"id,text\n1,One.\n2,Two.\n3\n", "application/octet-stream")
    site.answers["/photo.png"] = Answer(b"\x89PNG", "image/png")
    site.answers["/get?id=8"] = Answer(pdf_of(["A file to download."]), "application/octet-stream")
    site.answers["/get?id=9"] = Answer(bytes(range(256)), "application/octet-stream")
    names = ("/docs/", "/docs/notes#part", "/old?id=7", "/a.csv", "/photo.png", "/get?id=8", "/get?id=9")
    found = read(site, *names)
    assert set(found.texts) == {"/docs/", "/docs/notes", "/old?id=7", "/a.csv", "/get?id=8"}
    assert found.texts["/get?id=8"] == "A file to download."
    assert found.texts["/old?id=7"] == "Über Köln"
    assert found.links == [("/docs/", "/docs/intro.html")]
    assert found.broken == ["/a.csv, line 4: has 1 cell where the header has 2"]
    assert found.skipped == [
        "/photo.png (no loader reads image/png)",
        "/get?id=9 (no loader reads application/octet-stream)",
    ]
    first = found.documents[0]
    assert (first.title, first.file_metadata["folder"]) == ("/docs/", "docs")
    assert not [document for document in found.documents if "overstory-fetched" in repr(document.all_metadata)]


def test_a_second_run_asks_whether_pages_changed(site: Website, tmp_path: Path) -> None:
    site.page("/a.html", "One.", etag='"1"')
    site.page("/b.html", "Two.")
    first = read(site, "/a.html", "/b.html", cache=tmp_path)
    site.asked.clear()
    assert read(site, "/a.html", "/b.html", cache=tmp_path).texts == first.texts
    assert [asked for asked in site.asked if asked[0] != "/robots.txt"] == [("/a.html", 304), ("/b.html", 200)]
    site.page("/a.html", "Three.", etag='"2"')
    assert read(site, "/a.html", cache=tmp_path).texts == {"/a.html": "Three."}
    for kept in tmp_path.iterdir():
        kept.write_bytes(kept.read_bytes()[:-1])  # broken off, as on a full disk
    assert read(site, "/a.html", cache=tmp_path).texts == {"/a.html": "Three."}
    assert site.asked[-1] == ("/a.html", 200)


def test_robots_txt_and_its_delay_are_kept_to(site: Website) -> None:
    site.answers["/robots.txt"] = Answer(
        b"User-agent: *\nDisallow: /private/*.html$\nCrawl-delay: 0.01\n", "text/plain"
    )
    site.page("/private/a.html", "No.")
    site.page("/b.html", "Yes.")
    found = read(site, "/private/a.html", "/b.html")
    assert set(found.texts) == {"/b.html"}
    assert found.broken == ["/private/a.html: may not be read by programs, according to robots.txt"]
    site.answers["/robots.txt"] = Answer(status=500)
    assert read(site, "/b.html").broken == [
        "/b.html: its robots.txt could not be read: the server responded with status 500"
    ]
    site.answers["/robots.txt"] = Answer(status=403)
    assert set(read(site, "/b.html").texts) == {"/b.html"}


def test_a_sitemap_is_followed_on_its_host_within_its_limit(site: Website) -> None:
    for name in ("a", "b", "c", "drafts/d"):
        site.page(f"/{name}.html", f"Text of {name}.")
    site.sitemap("/sitemap.xml", "/one.xml", "/two.xml.gz", "/bad.xml", "https://other.example/s.xml", kind="sitemap")
    site.sitemap("/one.xml", "/a.html", "/b.html", "/a.html#again", "https://other.example/x.html", "/gone.html")
    site.sitemap("/two.xml", "/c.html", "/drafts/d.html")
    site.answers["/two.xml.gz"] = Answer(gzip.compress(site.answers["/two.xml"].body), "application/x-gzip")
    site.answers["/bad.xml"] = Answer(b"<urlset><url>", "application/xml")
    chosen = replace(FAST, include=("*.html",), exclude=("/drafts/",))
    found = read(site, "/sitemap.xml", options=chosen)
    assert list(found.texts) == ["/a.html", "/b.html", "/c.html"]
    assert found.documents[0].file_metadata["sitemap"] == f"{site.url}/sitemap.xml"
    assert found.skipped == [
        "https://other.example/x.html (on another host than the sitemap)",
        "https://other.example/s.xml (a sitemap on another host)",
    ]
    assert found.broken[0] == "/gone.html: the page does not exist (404)"
    assert found.broken[1].startswith("/bad.xml: is not well-formed XML")
    few = read(site, "/one.xml", options=replace(FAST, most_pages=1))
    assert (list(few.texts), few.broken) == (["/a.html"], ["/one.xml: lists more than 1 pages"])
    assert few.coverage.why_kept(f"{site.url}/b.html") is not None
    whole = read(site, "/one.xml").coverage
    assert whole.why_kept(f"{site.url}/gone.html") is None


@pytest.mark.parametrize(
    ("bad", "listed"),
    [
        ("http://[::1", "http://[::1 (is not a valid address: Invalid IPv6 URL)"),
        ("http://localhost:x/a.html", "http://localhost:x/a.html (is not a valid address: "),
        ("http://localhost:99999/", "http://localhost:99999/ (is not a valid address: "),
        ("ftp://localhost/a.html", "ftp://localhost/a.html (is not the address of a web page)"),
        ("file:///etc/passwd", "file:///etc/passwd (is not the address of a web page)"),
        ("http://local host/a.html", "http://local host/a.html (is not the address of a web page)"),
        (
            "http://ada:secret@localhost/",
            "http://localhost/ (contains a user name or a password, which would be stored)",
        ),
        ("http://@localhost/", "http://localhost/ (contains a user name or a password, which would be stored)"),
    ],
)
def test_an_address_in_a_sitemap_that_is_none_is_skipped_and_listed(site: Website, bad: str, listed: str) -> None:
    site.page("/a.html", "One.")
    site.page("/b.html", "Two.")
    site.sitemap("/pages.xml", "/a.html", bad, "/b.html")
    site.sitemap("/index.xml", bad, "/pages.xml", kind="sitemap")
    found = read(site, "/pages.xml")
    assert (list(found.texts), found.broken) == (["/a.html", "/b.html"], [])
    assert [each.startswith(listed) for each in found.skipped] == [True]
    through = read(site, "/index.xml")
    assert (list(through.texts), through.broken) == (["/a.html", "/b.html"], [])
    assert [each.startswith(listed) for each in through.skipped] == [True, True]
    assert through.coverage.why_kept(f"{site.url}/gone.html") is not None  # it may be listed where the address is wrong


def test_an_address_that_cannot_be_asked_for_does_not_end_the_run(site: Website) -> None:
    site.page("/b.html", "Two.")
    site.sitemap("/pages.xml", f"/{'a' * 70_000}", "/b.html")
    found = read(site, "/pages.xml")
    assert list(found.texts) == ["/b.html"]
    assert [each.rpartition(": is not a valid address: ")[2] for each in found.broken] == ["URL too long"]


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("http://localhost:1/a.html", "redirects to another port: http://localhost:1/a.html"),
        ("https://localhost/a.html", "redirects to another port: https://localhost/a.html"),
        ("//localhost/a.html", "redirects to another port: http://localhost/a.html"),
        ("http://[::1", "cannot be fetched: Invalid URL in location header"),
        ("http://localhost:x/", "cannot be fetched: Invalid URL in location header"),
        ("ftp://localhost/", "redirects to ftp://localhost/, which is not the address of a web page"),
        ("http://ada:secret@localhost/", "redirects to http://localhost/, which contains a user name or a password"),
    ],
)
def test_a_redirect_to_another_port_or_to_no_address_is_not_followed(
    site: Website, location: str, message: str
) -> None:
    site.answers["/away"] = Answer(status=302, headers={"Location": location})
    site.page("/a.html", "One.")
    found = read(site, "/away", "/a.html")
    assert list(found.texts) == ["/a.html"]
    assert [each.startswith(f"/away: {message}") for each in found.broken] == [True]
    assert "secret" not in found.broken[0]


def test_what_is_too_large_elsewhere_or_wrong_is_said(site: Website) -> None:
    bomb = zlib.compressobj(wbits=31)
    packed = b"".join(bomb.compress(b" " * 2**20) for _ in range(70)) + bomb.flush()
    site.answers["/bomb"] = Answer(packed, "text/plain", headers={"Content-Encoding": "gzip"})
    site.answers["/away"] = Answer(status=302, headers={"Location": "http://169.254.169.254/latest/meta-data/"})
    site.answers["/file"] = Answer(status=302, headers={"Location": "file:///etc/passwd"})
    site.answers["/round"] = Answer(status=302, headers={"Location": "/round"})
    site.answers["/moved"] = Answer(status=301, headers={"Location": "/a.html"})
    site.answers["/login"] = Answer(status=401)
    site.answers["/busy"] = Answer(status=503, headers={"Retry-After": "9999"})
    site.answers["/laughs.xml"] = Answer(b'<!DOCTYPE u [<!ENTITY a "b">]><urlset/>', "text/xml")
    site.page("/a.html", "One.")
    said = {
        "/bomb": "has more than 64 MiB",
        "/away": "redirects to another host: http://169.254.169.254/latest/meta-data/",
        "/file": "redirects to file:///etc/passwd, which is not the address of a web page",
        "/round": "redirects more than 5 times",
        "/login": "access is denied (401)",
        "/busy": "the server responded with status 503",
        "/laughs.xml": "declares an XML entity, which is not allowed",
        "/gone": "the page does not exist (404)",
    }
    found = read(site, *said, "/moved")
    assert found.broken == [f"{path}: {what}" for path, what in said.items()]
    assert found.texts == {"/moved": "One."}
    wrong = read(site, "http://ada:secret@localhost/", "http:///x", "http://no-such-host.invalid/")
    assert wrong.broken[0] == "http://localhost/: contains a user name or a password, which would be stored"
    assert "is not the address of a web page" in wrong.broken[1]
    assert "cannot be resolved" in wrong.broken[2]


def test_nothing_is_asked_of_this_machine_or_private_networks_unless_that_is_allowed(site: Website) -> None:
    site.page("/a.html", "One.")
    port = site.url.rpartition(":")[2]
    named = (f"http://{host}:{port}/a.html" for host in ("localhost", "127.0.0.1", "[::1]", "0.0.0.0", "2130706433"))  # noqa: S104 # tried
    found = read(site, *named, options=ReadOptions(delay_seconds=0))
    assert len(found.broken) == 5
    assert all(
        "to a private network or to this machine" in each or "cannot be resolved" in each for each in found.broken
    )
    assert site.asked == []
    assert read(site, "/a.html").texts == {"/a.html": "One."}
    assert site.hosts == {f"localhost:{port}"}  # the name, though the connection is to its address


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("10.1.2.3", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b:1::5db8:d822", False),
        ("192.0.0.192", False),
        ("::ffff:192.0.0.192", False),
        ("192.88.99.1", False),
        ("3fff::1", False),
        ("5f00::1", False),
        ("2002:7f00:1::", False),
        ("nonsense", False),
    ],
)
def test_public_addresses_are_told_from_others(address: str, public: bool) -> None:
    assert is_public(address) is public
