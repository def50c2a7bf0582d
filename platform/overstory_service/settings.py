"""What a service is told at its start."""

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
"""Jobs of one process that work at a time, each on another corpus."""


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Where a service listens, and its limits.

    Attributes:
        host, port: where it listens.
        allowed_hosts: names in the Host header that are answered, beside those of this machine where it listens there
            alone; none: any name where it listens for others.
        allowed_origins: of web pages in other places, like https://app.example.org, that may ask; none: no page of
            another place.
        folders: of the server, from which a job may load and sync; none: jobs load what is uploaded alone.
        most_requests: that are worked on at a time, in each process; others are answered with 429.
        request_seconds: after which a question is given up; streams may last longer while they are read.
        upload_megabytes: of one request with documents; others have less.
        jobs: whether this process works on jobs; those that it is given are queued anyway.
        log_questions: whether the access log has the texts of questions.
        agents_write: whether agents (`/mcp`) have tools that change corpora, where their token has the rights.
        address: scheme and host by which others reach the service, like https://kb.example.org: links and cookies are
            made from it, and its host and origin are answered. "": as each request has it.
        root_path: path below which a proxy has the service, like /kb. Requests come with it or without it.
        proxies: addresses and networks whose X-Forwarded-Proto and X-Forwarded-For are believed.
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
        """Whether only programs of this machine can connect."""
        return is_loopback(self.host)

    @property
    def serves_here_alone(self) -> bool:
        """Whether nobody on another machine reaches it, through a proxy either."""
        return self.listens_here_alone and (not self.address or is_loopback(urlsplit(self.address).hostname or ""))


_ADDRESS = re.compile(r"https?://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_ROOT_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")


def public_address(given: str) -> str:
    """Return an address as browsers write an origin: lower case, without the default port.

    Raises:
        SettingsError: it is not an http or https address, or has more than a host and a port.
    """
    address = given.strip().rstrip("/").lower()
    if not _ADDRESS.fullmatch(address):
        raise SettingsError(
            f"--address {given!r} is not a scheme and a host.",
            remedy="Write it like https://kb.example.org; a path goes into --root-path.",
        )
    default = ":443" if address.startswith("https:") else ":80"
    return address.removesuffix(default)


def public_root_path(given: str) -> str:
    """Return a path like /kb; "" for the root.

    Raises:
        SettingsError: it has other characters than letters, digits and `-._~`.
    """
    path = "/" + given.strip().strip("/") if given.strip().strip("/") else ""
    if not _ROOT_PATH.fullmatch(path):
        raise SettingsError(
            f"--root-path {given!r} is not a path.", remedy="Write it like /kb, with letters, digits and -._~ only."
        )
    return path


def proxy_network(given: str) -> str:
    """Return the address or network of a proxy.

    Raises:
        SettingsError: it is neither.
    """
    try:
        return str(ipaddress.ip_network(given.strip()) if "/" in given else ipaddress.ip_address(given.strip()))
    except ValueError:
        raise SettingsError(
            f"--proxy {given!r} is not an IP address or a network.", remedy="Write it like 127.0.0.1 or 10.0.0.0/8."
        ) from None


def is_loopback(host: str) -> bool:
    """Whether a name or an address is that of this machine alone."""
    if host.lower() in ("localhost", "localhost."):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_any_address(host: str) -> bool:
    """Whether a service that listens there is reached by every name of this machine, as 0.0.0.0."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return False
