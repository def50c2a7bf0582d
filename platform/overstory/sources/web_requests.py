"""Requests web pages, with limits, delays and a cache, and only from public IP addresses by default.

The module looks up the host name, checks the IP address, and connects to the same IP address that it checked. A second
DNS answer therefore cannot redirect a request to a private network. Redirects are followed only if they lead to the
same host and port. Responses with an ETag or a date are cached and downloaded again only if they have changed.
"""

from __future__ import annotations

import datetime
import email.utils
import ipaddress
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from importlib.metadata import version
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from overstory import cancellation
from overstory.endpoints import retry_after
from overstory.errors import BrokenSource
from overstory.sources.paths import is_default_port, normal_address, port_of
from overstory.sources.remote_files import PageCache

AGENT = "overstory"
_PAGE_BYTES = 67_108_864
"""Maximum size of a decompressed page in bytes. It equals the limit for files that are read into memory."""
_PAGE_SECONDS = 60.0
"""Maximum number of seconds for a page, including redirects. A server may be silent for a quarter of this time."""
_MOST_REDIRECTS = 5
_LONGEST_WAIT_SECONDS = 60.0
"""Longest time that a busy server may ask us to wait. If it asks for more, the page is reported as broken."""
_TRIES = 3
_BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_LOGIN = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


class PageGone(BrokenSource):
    """The page does not exist."""


class HostUnreachable(BrokenSource):
    """The host cannot be reached, or it must not be contacted because its address is private."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page that the server returned, either now or in an earlier run.

    Attributes:
        address: the address that was requested, before any redirect.
        modified: the modification time in the response header; None if there is none.
    """

    address: str
    body: bytes
    content_type: str
    modified: datetime.datetime | None


class WebRequests:
    """Requests pages from a host, one after another. It must be used in a `with` block."""

    def __init__(self, *, cache: PageCache, allow_private: bool, delay_seconds: float) -> None:
        self._cache = cache
        self._allow_private = allow_private
        self.delay_seconds = delay_seconds
        self._next = 0.0
        # Connections are not reused: two host names may share an IP address, but the certificate of a connection was
        # checked for only one of them. No proxy is used, because a proxy would look up host names itself.
        limits = httpx.Limits(max_keepalive_connections=0)
        timeout = httpx.Timeout(_PAGE_SECONDS / 4)
        self._client = httpx.Client(trust_env=False, follow_redirects=False, limits=limits, timeout=timeout)

    def __enter__(self) -> WebRequests:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def get(self, address: str, *, most_bytes: int = _PAGE_BYTES) -> Page:
        """Return the page at an address.

        Raises:
            PageGone: the page does not exist.
            BrokenSource: the page cannot be fetched; the message states the reason.
        """
        known = self._cache.known(address)
        conditions = {} if known is None else _conditions(known[0])
        end = time.monotonic() + _PAGE_SECONDS
        asked = address
        for _ in range(_MOST_REDIRECTS + 1):
            status, headers, body = self._ask(asked, address, conditions, most_bytes, end)
            if status == HTTPStatus.NOT_MODIFIED and known is not None:
                return _page(address, known[0], known[1])
            if status in (301, 302, 303, 307, 308) and headers.get("location"):
                asked = _redirected(asked, headers["location"], address)
                continue
            if status != HTTPStatus.OK:
                raise _refused(status, address)
            self._cache.keep(address, headers, body)
            return _page(address, headers, body)
        raise BrokenSource(
            f"redirects more than {_MOST_REDIRECTS} times", source=address, remedy="Use the final address instead."
        )

    def _ask(
        self, asked: str, address: str, conditions: Mapping[str, str], most_bytes: int, end: float
    ) -> tuple[int, dict[str, str], bytes]:
        """Return the status, headers and body of a response.

        If the server is busy and states how long to wait, wait for this time and try again.
        """
        tries = _TRIES
        while True:
            tries -= 1
            self._pause()
            try:
                status, headers, body = self._send(asked, address, conditions, most_bytes, end)
            except httpx.HTTPError as error:
                raise HostUnreachable(
                    f"cannot be fetched: {str(error) or type(error).__name__}",
                    source=address,
                    remedy="Check the address and the network; --retry tries again.",
                ) from error
            wait = retry_after(headers, datetime.datetime.now(datetime.UTC)) if status in _BUSY else None
            if wait is None or wait > _LONGEST_WAIT_SECONDS or not tries:
                return status, headers, body
            self._next = max(self._next, time.monotonic() + wait)
            end += wait

    def _send(
        self, asked: str, address: str, conditions: Mapping[str, str], most_bytes: int, end: float
    ) -> tuple[int, dict[str, str], bytes]:
        parts = urlsplit(asked)
        host, port = parts.hostname or "", port_of(parts)
        headers = {
            "Host": parts.netloc,
            "User-Agent": f"{AGENT}/{version('overstory')} (a reader of documents)",
            "Accept-Encoding": "gzip, deflate",
            **conditions,
        }
        failure: httpx.HTTPError | None = None
        for found in addresses_of(host, port, allow_private=self._allow_private, source=address):
            at = f"[{found}]" if ":" in found else found
            target = parts._replace(netloc=f"{at}:{port}", fragment="").geturl()
            extensions = {"sni_hostname": host}
            try:
                request = self._client.build_request("GET", target, headers=headers, extensions=extensions)
            except (httpx.InvalidURL, ValueError) as error:  # the host cannot be encoded, or the address is too long
                raise BrokenSource(
                    f"is not a valid address: {error}", source=address, remedy="Check the address."
                ) from error
            try:
                response = self._client.send(request, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                failure = error
                continue
            try:
                return response.status_code, dict(response.headers), _body(response, address, most_bytes, end)
            finally:
                response.close()
        raise failure or httpx.ConnectError("there is no address to connect to")

    def _pause(self) -> None:
        while (left := self._next - time.monotonic()) > 0:
            cancellation.check()
            time.sleep(min(left, 0.2))
        self._next = time.monotonic() + self.delay_seconds


def addresses_of(host: str, port: int, *, allow_private: bool, source: str) -> list[str]:
    """Return those IP addresses of a host to which a connection is allowed.

    Args:
        source: the address of the page, for error messages.

    Raises:
        HostUnreachable: the host has no IP address, or only addresses that are not allowed.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise HostUnreachable(
            f"its host {host!r} cannot be resolved: {error}", source=source, remedy="Check the address and the network."
        ) from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    usable = [each for each in addresses if allow_private or is_public(each)]
    if not usable:
        raise HostUnreachable(
            f"its host {host!r} has the address {addresses[0]}, which belongs to a private network or to this machine",
            source=source,
            remedy="If you trust it: --allow-private",
        )
    return usable


def is_public(address: str) -> bool:
    """Return True if an IP address is public. If an IPv6 address contains an IPv4 address, the latter is checked."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1]
        if inner is None and found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFF_FFFF)
        if inner is not None:
            found = inner
    is_special = any(found in network for network in _SPECIAL)
    return found.is_global and not (is_special or found.is_multicast or found.is_reserved)


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_SPECIAL = tuple(
    map(
        ipaddress.ip_network,
        ("192.0.0.0/24", "192.88.99.0/24", "64:ff9b:1::/48", "100:0:0:1::/64", "3fff::/20", "5f00::/16"),
    )
)
"""Networks that IANA reserves for special purposes but that some older versions of Python treat as public."""


def _body(response: httpx.Response, address: str, most_bytes: int, end: float) -> bytes:
    if response.status_code != HTTPStatus.OK:
        return b""
    parts: list[bytes] = []
    received = 0
    for part in response.iter_bytes():
        cancellation.check()
        received += len(part)
        parts.append(part)
        if received > most_bytes:
            raise BrokenSource(
                f"has more than {most_bytes // 2**20 or 1} MiB",
                source=address,
                remedy="Download it, and load the file.",
            )
        if time.monotonic() > end:
            raise BrokenSource(
                f"took longer than {_PAGE_SECONDS:.0f} s to download", source=address, remedy="Try again later: --retry"
            )
    return b"".join(parts)


def _conditions(headers: Mapping[str, str]) -> dict[str, str]:
    conditions = {"If-None-Match": headers.get("etag", ""), "If-Modified-Since": headers.get("last-modified", "")}
    return {name: value for name, value in conditions.items() if value}


def _redirected(asked: str, location: str, address: str) -> str:
    try:
        target = urlsplit(normal_address(urljoin(asked, location)))
    except (BrokenSource, ValueError) as error:
        what = f"{error.source}, which {error.reason}" if isinstance(error, BrokenSource) else location
        raise BrokenSource(f"redirects to {what}", source=address, remedy="Use another address.") from error
    here = urlsplit(asked)
    remedy = "If you trust that address, use it instead."
    if (here.scheme, target.scheme) == ("https", "http"):
        raise BrokenSource(f"redirects to {target.geturl()}", source=address, remedy=remedy)
    is_same_port = port_of(target) == port_of(here) or (is_default_port(target) and is_default_port(here))
    if target.hostname != here.hostname or not is_same_port:
        which = "host" if target.hostname != here.hostname else "port"
        raise BrokenSource(f"redirects to another {which}: {target.geturl()}", source=address, remedy=remedy)
    return target.geturl()


def _refused(status: int, address: str) -> BrokenSource:
    if status in _GONE:
        return PageGone(f"the page does not exist ({status})", source=address, remedy="Check the address.")
    if status in _LOGIN:
        remedy = "Download what you may read, and load the file."
        return BrokenSource(f"access is denied ({status})", source=address, remedy=remedy)
    return BrokenSource(f"the server responded with status {status}", source=address, remedy="Try again later: --retry")


def _page(address: str, headers: Mapping[str, str], body: bytes) -> Page:
    modified: datetime.datetime | None = None
    with suppress(ValueError, TypeError):
        parsed: Any = email.utils.parsedate_to_datetime(headers.get("last-modified", ""))
        modified = parsed if parsed.tzinfo else parsed.replace(tzinfo=datetime.UTC)
    return Page(address, body, headers.get("content-type", ""), modified)
