"""The settings of a service, and checks of their values."""

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
"""Maximum number of jobs that a process runs at the same time. Each job is for a different corpus."""


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The address and the limits of a service.

    Attributes:
        host: host name or IP address on which the service listens.
        allowed_hosts: names that are accepted in the Host header. If the service listens only to this machine, the
            names of this machine are accepted, too. Otherwise, () means that every name is accepted.
        allowed_origins: other web origins that may send requests, such as "https://app.example.org".
        folders: folders of the server that jobs may load and sync. With (), jobs can load only uploaded files.
        most_requests: maximum number of concurrent requests per process; further requests get status 429.
        request_seconds: timeout for a question. A streamed response may last longer while the client reads it.
        upload_megabytes: maximum size of a request with files; the limits of other requests are lower.
        jobs: if True, run jobs in this process; if False, only add them to the queue.
        log_questions: if True, write questions to the access log.
        agents_write: if True, agents (`/mcp`) whose token has write rights can use tools that change corpora.
        address: public scheme and host of the service, such as "https://kb.example.org". It is used in links and for
            cookies, and requests with this host or origin are accepted. If "", the address of each request is used.
        root_path: path prefix of the service behind a proxy, such as "/kb". The proxy may remove the prefix or keep it.
        proxies: IP addresses and networks of proxies whose X-Forwarded-Proto and X-Forwarded-For headers are trusted.
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
        """True if only programs on this machine can connect to the service."""
        return is_loopback(self.host)

    @property
    def serves_here_alone(self) -> bool:
        """True if other machines cannot reach the service, not even through a proxy."""
        return self.listens_here_alone and (not self.address or is_loopback(urlsplit(self.address).hostname or ""))


_ADDRESS = re.compile(r"https?://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_ROOT_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")


def public_address(given: str) -> str:
    """Return an address in the form in which browsers send it as origin: in lower case, without a default port.

    Raises:
        SettingsError: the scheme is not http or https, or the address contains more than a host and a port.
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
    """Return a path prefix in normal form, such as "/kb", or "" if there is no prefix.

    Raises:
        SettingsError: the path contains characters other than letters, digits and `-._~`, or a part begins with ".".
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
    """Return True if a host is "localhost" or a loopback address."""
    if host.lower() in ("localhost", "localhost."):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_any_address(host: str) -> bool:
    """Return True if a host is an address that stands for all network interfaces, such as 0.0.0.0."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return False
