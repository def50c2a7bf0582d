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
from overstory.settings import Settings
from overstory_service.application import create_application, to_environment
from overstory_service.settings import ServiceSettings

_HEAD_SECONDS = 15.0
"""For a client to send the head of a request, from the connection or the end of the request before, and to take
anything of what it was sent."""
_KEEP_ALIVE_SECONDS = 10
_GRACEFUL_SECONDS = 30
_MOST_HEAD_BYTES = 32_768
_MOST_CONNECTIONS = 1_000
"""Of a process; more are answered with 503."""
_MOST_FRAMING_BYTES = 1_000_000
"""Of a body in chunks: bytes that are not content, or come after the answer, beyond half as many as the content has."""


class PatientHttp(H11Protocol):
    """Closes connections that only cost: on which no request begins in time, whose client does not take what it was
    sent, or on which the body of a request goes on after the answer. Refuses a body in tiny chunks, since each costs
    time to parse.
    """

    _watch: asyncio.TimerHandle | None = None
    _idle_since = 0.0
    _unsent = sys.maxsize  # bytes, when last looked at
    _content = 0  # bytes of the body of the present request
    _framing = 0  # other bytes that came with it

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # uvicorn's signature
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        self._watch = self.loop.call_later(_HEAD_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        cycle = self.cycle  # None before the first request, whatever uvicorn's type says
        held = len(cycle.body) if cycle else 0
        super().data_received(data)
        if self.cycle is not cycle:
            self._content = self._framing = 0
        elif cycle and self.conn.their_state is h11.SEND_BODY and _is_chunked(self.headers):
            content = len(cycle.body) - held
            self._content += content
            self._framing += len(data) - content
            if self._framing > _MOST_FRAMING_BYTES + self._content // 2:
                self._refuse_chunks()

    def _refuse_chunks(self) -> None:
        if self.conn.our_state is h11.SEND_RESPONSE:
            self.send_400_response("The chunks of the body are too small. Send larger ones, or Content-Length.")
        else:
            self.transport.abort()

    def on_response_complete(self) -> None:
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def resume_writing(self) -> None:
        self._unsent = sys.maxsize
        super().resume_writing()

    def _look(self) -> None:
        idle = self.conn.our_state in (h11.IDLE, h11.DONE)  # done: the rest of the body is of no use any more
        left = self._idle_since + _HEAD_SECONDS - self.loop.time()
        over = self.transport.is_closing() or (idle and left <= 0)
        if over or self.flow.write_paused:  # then nothing is added to what is unsent, which tells whether it is taken
            unsent = self.transport.get_write_buffer_size()
            if unsent >= self._unsent or (over and not unsent):
                self.transport.abort()
                return
            self._unsent = unsent
        self._watch = self.loop.call_later(left if idle and left > 0 else _HEAD_SECONDS, self._look)


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
        "overstory_service.application:from_environment",
        factory=True,
        workers=workers,
        **where,
        **server_options(service),
    )


def _is_chunked(headers: list[tuple[bytes, bytes]]) -> bool:
    return any(name == b"transfer-encoding" for name, _ in headers)


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
        "timeout_keep_alive": _KEEP_ALIVE_SECONDS,
        "timeout_graceful_shutdown": _GRACEFUL_SECONDS,
        "h11_max_incomplete_event_size": _MOST_HEAD_BYTES,
        "limit_concurrency": max(_MOST_CONNECTIONS, 2 * service.most_requests),
        "log_config": LOGGING,
    }


LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"lines": {"format": "%(asctime)s %(levelname)s %(message)s"}},
    "handlers": {"err": {"class": "logging.StreamHandler", "formatter": "lines", "stream": "ext://sys.stderr"}},
    "loggers": {
        "uvicorn": {"handlers": ["err"], "level": "WARNING", "propagate": False},
        "overstory_service": {"handlers": ["err"], "level": "INFO", "propagate": False},
    },
}
