"""Downloads web pages, including those listed in a sitemap, for loaders to read as files. It obeys robots.txt."""

from __future__ import annotations

import codecs
import gzip
import io
import mimetypes
import zlib
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit
from xml.parsers import expat

from overstory.errors import BrokenSource, ExtraMissing
from overstory.model import MetadataValue
from overstory.model.metadata import FILE_NAME, FOLDER, MODIFIED, SIZE
from overstory.sources.paths import normal_address
from overstory.sources.remote_files import FetchedFile, RemoteFiles, placed
from overstory.sources.web_requests import AGENT, HostUnreachable, Page, PageGone, WebRequests

SITEMAP = "sitemap"
"""Metadata key for the address of the sitemap that lists a page. A later run uses it to find the sitemap's pages."""
_SITEMAP_BYTES = 52_428_800
"""Maximum size of a decompressed sitemap in bytes, according to the sitemap protocol."""
_ROBOTS_BYTES = 524_288
_LONGEST_CRAWL_DELAY_SECONDS = 30.0
"""Longest delay between two requests that is accepted from robots.txt. A longer delay is reduced to this value."""
_SUFFIXES = {
    "application/xhtml+xml": ".xhtml",
    "application/x-ndjson": ".jsonl",
    "application/jsonl": ".jsonl",
    "text/html": ".html",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/plain": ".txt",
}
_UNSPECIFIC = ("", "application/octet-stream", "binary/octet-stream", "text/plain")
"""Content types that do not identify the format of a page. The format then depends on the suffix of the address."""
_XML = ("application/xml", "text/xml", "application/gzip", "application/x-gzip")


class WebPages(RemoteFiles):
    """The page at a given address or, if there is a sitemap at the address, the pages that it lists."""

    def files(self, only: Sequence[str] | None = None) -> Iterator[FetchedFile]:
        """Yield each page as a file. Pages that cannot be fetched are reported as broken."""
        options = self._options
        if only is not None and self._address in only:
            only = None
        requests = WebRequests(
            cache=self._cache, allow_private=options.allow_private, delay_seconds=options.delay_seconds
        )
        with requests:
            try:
                robots = _Robots(self._address, requests)
                first = self._first(requests, robots)
                listed = _listed(first)
            except PageGone as error:
                self._coverage.add_root(self._address, with_contents=False)
                self._coverage.add_empty(self._address)
                self._on_broken(error)
                return
            except BrokenSource as error:
                host = _origin(self._address)
                self._coverage.add_root(host)
                self._coverage.add_unread(host, "it could not be fetched")
                self._on_broken(error)
                return
            if listed is None:
                self._coverage.add_root(self._address, with_contents=False)
                yield from self._file(first, sitemap="")
            else:
                yield from self._pages(first, listed, requests, robots, only)

    @staticmethod
    def _normal(named: str) -> str:
        return normal_address(named)

    def _first(self, requests: WebRequests, robots: _Robots) -> Page:
        robots.check(self._address)
        return requests.get(self._address)

    def _pages(
        self, sitemap: Page, listed: _Listed, requests: WebRequests, robots: _Robots, only: Sequence[str] | None
    ) -> Iterator[FetchedFile]:
        host = _origin(self._address)
        if only is None:
            self._coverage.add_root(host, sitemap=self._address)
        number = 0
        for address in self._addresses(sitemap, listed, requests, robots):
            if only is not None and address not in only:
                continue
            relative = unquote(urlsplit(address).path).lstrip("/")
            if relative and self._chosen is not None and not self._chosen.chooses(relative):
                self._coverage.add_excluded(address)
                continue
            if number == self._options.most_pages:
                why = f"only the first {number:,} pages were read"
                self._coverage.add_unread(host, why)
                remedy = "Raise the limit: --most-pages N"
                self._on_broken(BrokenSource(f"lists more than {number:,} pages", source=self._address, remedy=remedy))
                return
            number += 1
            if only is not None:
                self._coverage.add_root(address, with_contents=False)
            try:
                robots.check(address)
                page = requests.get(address)
            except PageGone as error:
                self._on_broken(error)
            except BrokenSource as error:
                self._coverage.add_unread(address, "it could not be fetched")
                self._on_broken(error)
            else:
                yield from self._file(page, sitemap=self._address)
        if not number and only is None:
            self._coverage.add_empty(host)
            self._on_broken(BrokenSource("lists no pages", source=self._address, remedy="Check the sitemap."))

    def _addresses(self, sitemap: Page, listed: _Listed, requests: WebRequests, robots: _Robots) -> Iterator[str]:
        """Each address is yielded once. Pages and sitemaps on other hosts are reported as skipped."""
        host = _origin(self._address)
        seen: set[str] = set()
        for given in listed.addresses if listed.is_index else ():
            address = self._located(sitemap, given)
            if address is None:
                self._coverage.add_unread(host, "a sitemap could not be read, because its address is invalid")
                continue
            if _origin(address) != host:
                self._on_skipped(f"{address} (a sitemap on another host)")
                continue
            try:
                robots.check(address)
                page = requests.get(address, most_bytes=_SITEMAP_BYTES)
                below = _listed(page)
                if below is None or below.is_index:
                    raise BrokenSource("is not a list of pages", source=address, remedy="Check the sitemap.")
            except BrokenSource as error:
                self._coverage.add_unread(host, f"the sitemap {address} could not be read")
                self._on_broken(error)
                continue
            yield from self._of_host(page, below, seen)
        if not listed.is_index:
            yield from self._of_host(sitemap, listed, seen)

    def _located(self, sitemap: Page, given: str) -> str | None:
        """Return an address from a sitemap in normal form.

        If the address is invalid, report it as skipped and return None.
        """
        try:
            return normal_address(urljoin(sitemap.address, given))
        except BrokenSource as error:
            self._on_skipped(f"{error.source} ({error.reason})")
        except ValueError as error:
            self._on_skipped(f"{given} (is not a valid address: {error})")
        return None

    def _of_host(self, sitemap: Page, listed: _Listed, seen: set[str]) -> Iterator[str]:
        for given in listed.addresses:
            address = self._located(sitemap, given)
            if address is None or address in seen:
                continue
            seen.add(address)
            if _origin(address) != _origin(self._address):
                self._on_skipped(f"{address} (on another host than the sitemap)")
            else:
                yield address

    def _file(self, page: Page, *, sitemap: str) -> Iterator[FetchedFile]:
        if page.address in self._coverage.read:
            return
        parts = urlsplit(page.address)
        relative = parts.path.lstrip("/") + ("index.html" if parts.path.endswith("/") or not parts.path else "")
        content_type = page.content_type.partition(";")[0].strip().lower()
        name = PurePosixPath(relative).name
        suffix = _SUFFIXES.get(content_type) or mimetypes.guess_extension(content_type) or ""
        if content_type in _UNSPECIFIC and self._knows_name(name):
            suffix = ""
        if suffix and not name.lower().endswith(suffix) and not (suffix == ".html" and name.lower().endswith(".htm")):
            relative += suffix
        metadata: dict[str, MetadataValue] = {FILE_NAME: unquote(name), SIZE: len(page.body)}
        metadata[FOLDER] = unquote(parts.path).rpartition("/")[0].strip("/") or "."
        if page.modified is not None:
            metadata[MODIFIED] = page.modified
        if sitemap:
            metadata[SITEMAP] = sitemap
        with placed(relative) as (folder, path):
            path.write_bytes(_in_utf8(page))
            if not self._is_recognised(str(path)):
                why = f"no loader reads {content_type or 'a page without a content type'}"
                self._coverage.add_unread(page.address, why)
                self._on_skipped(f"{page.address} ({why})")
                return
            self._coverage.read.add(page.address)
            yield FetchedFile(page.address, path, folder, f"{_origin(page.address)}/", metadata)


class _Robots:
    """The rules in the robots.txt of a host (RFC 9309)."""

    def __init__(self, address: str, requests: WebRequests) -> None:
        """
        Raises:
            BrokenSource: robots.txt could not be read although it may exist; pages must then not be read.
            ExtraMissing: protego is not installed.
        """
        try:
            protego: Any = import_module("protego")
        except ImportError as error:
            raise ExtraMissing("protego", extra="web") from error
        try:
            text = requests.get(f"{_origin(address)}/robots.txt", most_bytes=_ROBOTS_BYTES).body
        except PageGone:
            text = b""
        except HostUnreachable as error:
            raise BrokenSource(error.reason, source=address, remedy=error.remedy) from error
        except BrokenSource as error:
            if "access is denied" not in error.reason:  # RFC 9309 allows all pages if access to robots.txt is denied
                raise BrokenSource(
                    f"its robots.txt could not be read: {error.reason}", source=address, remedy=error.remedy
                ) from error
            text = b""
        self._rules = protego.Protego.parse(text.decode("utf-8", "replace"))
        asked = self._rules.crawl_delay(AGENT)
        if asked is not None:
            requests.delay_seconds = max(requests.delay_seconds, min(float(asked), _LONGEST_CRAWL_DELAY_SECONDS))

    def check(self, address: str) -> None:
        """Raise `BrokenSource` if robots.txt forbids programs to read the page."""
        if not self._rules.can_fetch(address, AGENT):
            raise BrokenSource(
                "may not be read by programs, according to robots.txt", source=address, remedy="Leave it out."
            )


class _Listed:
    """The entries of a sitemap, which are the addresses of pages or, if `is_index`, of other sitemaps."""

    def __init__(self, *, is_index: bool) -> None:
        self.is_index = is_index
        self.addresses: list[str] = []


def _listed(page: Page) -> _Listed | None:
    """Return the entries of a page that is a sitemap, or None if the page is not a sitemap.

    Raises:
        BrokenSource: the sitemap is too large, damaged, or not well-formed.
    """
    kind = page.content_type.partition(";")[0].strip().lower()
    if kind not in _XML and not urlsplit(page.address).path.lower().endswith((".xml", ".xml.gz")):
        return None
    body = page.body
    if body.startswith(b"\x1f\x8b"):
        try:
            with gzip.open(io.BytesIO(body)) as stream:
                body = stream.read(_SITEMAP_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise BrokenSource(f"is damaged: {error}", source=page.address, remedy="Check the sitemap.") from error
    if len(body) > _SITEMAP_BYTES:
        raise BrokenSource("has more than 50 MiB", source=page.address, remedy="Split the sitemap.")
    return _parsed(body, page.address)


def _parsed(body: bytes, address: str) -> _Listed | None:
    parser = expat.ParserCreate(namespace_separator=" ")
    found: list[_Listed] = []
    path: list[str] = []
    text: list[str] = []

    def start(name: str, _attributes: dict[str, str]) -> None:
        local = name.rpartition(" ")[2]
        if not path:
            if local not in ("urlset", "sitemapindex"):
                raise _OtherXml
            found.append(_Listed(is_index=local == "sitemapindex"))
        path.append(local)
        text.clear()

    def end(_name: str) -> None:
        if path[1:] in (["url", "loc"], ["sitemap", "loc"]):
            found[0].addresses.append("".join(text).strip())
        path.pop()

    def entity(*_: object) -> None:
        raise BrokenSource("declares an XML entity, which is not allowed", source=address, remedy="Write it out.")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = text.append, entity
    try:
        parser.Parse(body, True)
    except _OtherXml:
        return None
    except expat.ExpatError as error:
        if not found:
            return None  # the page is not a sitemap; the loader for its format will report the error
        raise BrokenSource(f"is not well-formed XML: {error}", source=address, remedy="Check the sitemap.") from error
    return found[0]


class _OtherXml(Exception):
    """The root element shows that the XML document is not a sitemap."""


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def _in_utf8(page: Page) -> bytes:
    """Return the body of a page, converted to UTF-8 if the server declares another encoding.

    A converted body begins with a byte order mark, because the page itself may declare another encoding, and loaders
    trust the mark more.
    """
    kind, _, rest = page.content_type.partition(";")
    charset = next(
        (
            each.partition("=")[2].strip(" \"'")
            for each in rest.split(";")
            if each.strip().lower().startswith("charset=")
        ),
        "",
    )
    if not charset or not (kind.strip().lower().startswith("text/") or "xhtml" in kind):
        return page.body
    try:
        codec = codecs.lookup(
            "windows-1252" if charset.lower() in ("iso-8859-1", "latin-1", "latin1") else charset
        ).name
        if codec == "utf-8":
            return page.body
        return page.body.decode(codec).encode("utf-8-sig")
    except (LookupError, ValueError):
        return page.body
