"""Settings of a service."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from overstory.errors import SettingsError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8484
MOST_REQUESTS_AT_ONCE = 64
SERVED_REQUEST_SECONDS = 120.0
MOST_UPLOAD_MEGABYTES = 100
JOBS_AT_ONCE = 2
"""Concurrent jobs of a process, each on a different corpus."""


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Address and limits of a service.

    Attributes:
        host, port: address to listen on.
        allowed_hosts: accepted names in the Host header, in addition to the names of this machine if the service
            listens only there. If empty and the service listens to other machines, every name is accepted.
        allowed_origins: other web origins that may send requests, such as https://app.example.org.
        folders: folders of the server that jobs may load and sync. If empty, jobs load only uploaded files.
        most_requests: most concurrent requests per process; further requests get 429.
        request_seconds: timeout of a question. Streams may last longer while they are read.
        upload_megabytes: largest request with files; other requests have lower limits.
        jobs: run jobs in this process; False to only queue them.
        log_questions: write questions to the access log.
        agents_write: offer agents (`/mcp`) tools that change corpora, if their token has write rights.
        address: public scheme and host of the service, such as https://kb.example.org. Links and cookies use it, and
            its host and origin are accepted. If "", the address of each request is used.
        root_path: path prefix of the service behind a proxy, such as /kb. The proxy may strip it or not.
        proxies: addresses and networks whose X-Forwarded-Proto and X-Forwarded-For headers are trusted.
    """

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    most_requests: int = MOST_REQUESTS_AT_ONCE
    request_seconds: float = SERVED_REQUEST_SECONDS
    upload_megabytes: int = MOST_UPLOAD_MEGABYTES
    jobs: bool = field(default=True)
    log_questions: bool = False
    agents_write: bool = False
    address: str = ""
    root_path: str = ""
    proxies: tuple[str, ...] = ()

    @property
    def listens_here_alone(self) -> bool:
        """Return True if only programs on this machine can connect."""
        return is_loopback(self.host)

    @property
    def serves_here_alone(self) -> bool:
        """Return True if other machines cannot reach the service, not even through a proxy."""
        return self.listens_here_alone and (not self.address or is_loopback(urlsplit(self.address).hostname or ""))


_ADDRESS = re.compile(r"https?://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_ROOT_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")


def public_address(given: str) -> str:
    """Return an address in the form of a browser's origin: lower case, without the default port.

    Raises:
        SettingsError: the address is not http or https, or has more than a host and a port.
    """
    address = given.strip().rstrip("/").lower()
    if not _ADDRESS.fullmatch(address):
        raise SettingsError(
            f"--address needs a scheme and a host, got {given!r}.",
            remedy="Write it like https://kb.example.org, and give the path with --root-path.",
        )
    default = ":443" if address.startswith("https:") else ":80"
    return address.removesuffix(default)


def public_root_path(given: str) -> str:
    """Return a path prefix like "/kb", or "" for the root.

    Raises:
        SettingsError: the path has characters other than letters, digits and `-._~`.
    """
    path = "/" + given.strip().strip("/") if given.strip().strip("/") else ""
    if not _ROOT_PATH.fullmatch(path):
        raise SettingsError(
            f"--root-path {given!r} is not a valid path.",
            remedy="Write it like /kb, with letters, digits and -._~ only.",
        )
    return path


def proxy_network(given: str) -> str:
    """Return the IP address or network of a proxy in normal form.

    Raises:
        SettingsError: the text is not an IP address or a network.
    """
    try:
        return str(ipaddress.ip_network(given.strip()) if "/" in given else ipaddress.ip_address(given.strip()))
    except ValueError:
        raise SettingsError(
            f"--proxy {given!r} is not an IP address or a network.", remedy="Write it like 127.0.0.1 or 10.0.0.0/8."
        ) from None


def is_loopback(host: str) -> bool:
    """Return True for localhost and loopback addresses."""
    if host.lower() in ("localhost", "localhost."):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_any_address(host: str) -> bool:
    """Return True for addresses like 0.0.0.0, which stand for all network interfaces."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return False
