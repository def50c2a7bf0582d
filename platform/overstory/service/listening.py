"""The HTTP server: uvicorn, which ends connections that never finish a request's head."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from overstory.errors import SettingsError
from overstory.service.application import create_application, to_environment
from overstory.service.settings import ServiceSettings
from overstory.settings import Settings

HEAD_SECONDS = 15.0
"""For a client to send the head of a request, from the connection or the end of the request before, and to take
anything of what it was sent."""
KEEP_ALIVE_SECONDS = 10
GRACEFUL_SECONDS = 30
MOST_HEAD_BYTES = 32_768
MOST_CONNECTIONS = 1_000
"""Of a process; more are answered with 503."""


class PatientHttp(H11Protocol):
    """Closes connections on which no request begins in time, sent byte by byte or not at all, and those whose client
    does not take what it was sent: asyncio alone would keep that for as long as the client likes.
    """

    _watch: asyncio.TimerHandle | None = None
    _idle_since = 0.0
    _unsent = sys.maxsize  # bytes, when last looked at

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # uvicorn's signature
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        self._watch = self.loop.call_later(HEAD_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def resume_writing(self) -> None:
        self._unsent = sys.maxsize
        super().resume_writing()

    def _look(self) -> None:
        idle = self.conn.their_state is h11.IDLE and self.conn.our_state is h11.IDLE
        left = self._idle_since + HEAD_SECONDS - self.loop.time()
        over = self.transport.is_closing() or (idle and left <= 0)
        if over or self.flow.write_paused:  # then nothing is added to what is unsent, which tells whether it is taken
            unsent = self.transport.get_write_buffer_size()
            if unsent >= self._unsent or (over and not unsent):
                self.transport.abort()
                return
            self._unsent = unsent
        self._watch = self.loop.call_later(left if idle and left > 0 else HEAD_SECONDS, self._look)


def listen(
    settings: Settings, service: ServiceSettings, *, workers: int = 1, on_listening: Callable[[], object]
) -> None:
    """Serves until it is told to stop (SIGINT, SIGTERM); what is worked on has 30 seconds to end.

    Args:
        on_listening: called when nothing is known to be in the way.

    Raises:
        SettingsError: as `create_application`; or something else has the port, or there is no such host.
    """
    where: dict[str, Any] = {"host": service.host, "port": service.port}  # arguments of uvicorn
    application = create_application(settings, service)  # says what is wrong before processes are started
    _check_place(service)
    on_listening()
    if workers == 1:
        uvicorn.run(application, **where, **server_options(service))
        return
    to_environment(service)
    uvicorn.run(
        "overstory.service.application:from_environment",
        factory=True,
        workers=workers,
        **where,
        **server_options(service),
    )


def _check_place(service: ServiceSettings) -> None:
    try:
        family = socket.getaddrinfo(service.host, service.port, type=socket.SOCK_STREAM)[0][0]
        socket.create_server((service.host, service.port), family=family).close()
    except OSError as error:
        raise SettingsError(
            f"Port {service.port} of {service.host!r} cannot be listened on: {error.strerror or error}.",
            remedy="Choose another one: --port N, --host NAME",
        ) from error


def server_options(service: ServiceSettings) -> dict[str, Any]:  # arguments of uvicorn
    """How requests are read, whoever listens for them."""
    return {
        "http": PatientHttp,
        "ws": "none",
        "access_log": False,
        "server_header": False,
        "proxy_headers": bool(service.proxies),
        "forwarded_allow_ips": list(service.proxies),
        "timeout_keep_alive": KEEP_ALIVE_SECONDS,
        "timeout_graceful_shutdown": GRACEFUL_SECONDS,
        "h11_max_incomplete_event_size": MOST_HEAD_BYTES,
        "limit_concurrency": max(MOST_CONNECTIONS, 2 * service.most_requests),
        "log_config": LOGGING,
    }


LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"lines": {"format": "%(asctime)s %(levelname)s %(message)s"}},
    "handlers": {"err": {"class": "logging.StreamHandler", "formatter": "lines", "stream": "ext://sys.stderr"}},
    "loggers": {
        "uvicorn": {"handlers": ["err"], "level": "WARNING", "propagate": False},
        "overstory.service": {"handlers": ["err"], "level": "INFO", "propagate": False},
    },
}
