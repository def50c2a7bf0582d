"""The HTTP server: uvicorn, which ends connections that never finish a request's head."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from overstory.service.application import create_application, to_environment
from overstory.service.settings import ServiceSettings
from overstory.settings import Settings

HEAD_SECONDS = 15.0
"""For a client to send the head of a request, from the connection or the end of the request before."""
KEEP_ALIVE_SECONDS = 10
GRACEFUL_SECONDS = 30
MOST_HEAD_BYTES = 32_768
MOST_CONNECTIONS = 1_000
"""Of a process; more are answered with 503."""


class PatientHttp(H11Protocol):
    """Closes connections on which no request begins in time, sent byte by byte or not at all."""

    _watch: asyncio.TimerHandle | None = None
    _idle_since = 0.0

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

    def _look(self) -> None:
        idle = self.conn.their_state is h11.IDLE and self.conn.our_state is h11.IDLE
        left = self._idle_since + HEAD_SECONDS - self.loop.time()
        if idle and left <= 0 and not self.transport.is_closing():
            self.transport.abort()
            return
        self._watch = self.loop.call_later(left if idle and left > 0 else HEAD_SECONDS, self._look)


def listen(settings: Settings, service: ServiceSettings, *, workers: int = 1) -> None:
    """Serves until it is told to stop (SIGINT, SIGTERM); what is worked on has 30 seconds to end.

    Raises:
        SettingsError: as `create_application`.
    """
    where: dict[str, Any] = {"host": service.host, "port": service.port}  # arguments of uvicorn
    if workers == 1:
        uvicorn.run(create_application(settings, service), **where, **server_options(service))
        return
    create_application(settings, service)  # says what is wrong before processes are started
    to_environment(service)
    uvicorn.run(
        "overstory.service.application:from_environment",
        factory=True,
        workers=workers,
        **where,
        **server_options(service),
    )


def server_options(service: ServiceSettings) -> dict[str, Any]:  # arguments of uvicorn
    """How requests are read, whoever listens for them."""
    return {
        "http": PatientHttp,
        "ws": "none",
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
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
