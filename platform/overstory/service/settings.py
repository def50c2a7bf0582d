"""What a service is told at its start."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

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

    @property
    def listens_here_alone(self) -> bool:
        """Whether only programs of this machine can connect."""
        return is_loopback(self.host)


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
