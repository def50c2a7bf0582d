"""The ASGI application of the service, and the HTTP server that runs it (uvicorn)."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import asdict
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from overstory.errors import ExtraMissing, OverstoryError, SettingsError
from overstory.settings import Settings
from overstory_service.addresses import RequestAddresses, WithoutRootPath, require_known_parameters, with_slashes
from overstory_service.guards import OPENAPI_PATH, Guards
from overstory_service.metrics import MetricsMiddleware
from overstory_service.problems import OPENAI_PATHS, by_status, invalid, response_of
from overstory_service.request_limits import ClientGone
from overstory_service.routes import chat, communities, corpora, documents, jobs, page, questions, tokens
from overstory_service.service_host import Admitted, ServiceHost
from overstory_service.settings import JOBS_AT_ONCE, ServiceSettings
from overstory_service.tokens import service_folder

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


SETTINGS_VARIABLE = "OVERSTORY_SERVICE"
"""Name of the environment variable that passes the settings of the service to worker processes, as JSON."""
_SECONDS_BETWEEN_STARTS = 5.0
"""Number of seconds to wait before the start is tried again, if the models or the database were not available."""
MCP_PATH = "/mcp"
ROUTES = (page, tokens, questions, documents, communities, corpora, jobs, chat)
_CLIENT_GONE = 499
_MOST_PROBLEMS_OF_A_REQUEST = 3
_log = logging.getLogger("overstory.service")


def create_application(settings: Settings, service: ServiceSettings, *, folder: Path | None = None) -> FastAPI:
    """Return the application for a process.

    Args:
        folder: the folder that contains tokens and uploaded files; by default the folder of the service in
            OVERSTORY_HOME.

    Raises:
        SettingsError: there is no token although other machines can reach the service; the file of the tokens cannot be
            read; or the root path conflicts with a route.
    """
    _check_root_path(service.root_path)
    own = service_folder(settings) if folder is None else folder
    host = ServiceHost.of(settings, service, own, open_without_tokens=True)
    if not host.gate.tokens.tokens() and not service.serves_here_alone:
        behind = "" if not service.listens_here_alone else " and leave out --address"
        raise SettingsError(
            f"There is no token, so anyone could use the service at {service.address or service.host}.",
            remedy=f"Create a token first (overstory tokens add NAME), or listen on 127.0.0.1{behind}.",
        )
    middleware = [Middleware(WithoutRootPath, root_path=service.root_path)] if service.root_path else []
    middleware.append(Middleware(MetricsMiddleware, metrics=host.metrics, log_questions=service.log_questions))
    if service.allowed_origins:
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(service.allowed_origins),
                allow_methods=["GET", "POST", "DELETE"],
                allow_headers=["Authorization", "Content-Type"],
            )
        )
    middleware += [Middleware(Guards, settings=service), Middleware(RequestAddresses)]
    application = FastAPI(
        title="Overstory",
        version=version("overstory"),
        summary="Ask questions about your documents, and get answers with evidence.",
        servers=[{"url": service.address + service.root_path}] if service.address or service.root_path else None,
        openapi_url=OPENAPI_PATH,
        docs_url=None,
        redoc_url=None,
        middleware=middleware,
        lifespan=_lifespan,
        redirect_slashes=False,
        dependencies=[Depends(require_known_parameters)],
        exception_handlers={
            OverstoryError: _refused,
            OSError: _refused,
            RequestValidationError: _invalid,
            HTTPException: _by_status,
            ClientGone: _gone,
            Exception: _fault,
        },
    )
    application.state.host = host
    for each in ROUTES:
        application.include_router(each.router)
    application.state.mcp = _add_mcp(application, host)
    return application


def _check_root_path(root_path: str) -> None:
    """Check that the path of no route begins with the root path, because requests would then be ambiguous.

    Raises:
        SettingsError: the path of a route begins with the root path.
    """
    paths = [route.path for each in ROUTES for route in each.router.routes if isinstance(route, APIRoute)]
    if root_path and any(f"{path}/".startswith(f"{root_path}/") for path in (*paths, MCP_PATH, OPENAPI_PATH)):
        raise SettingsError(
            f"--root-path {root_path} conflicts with a path of the service.", remedy="Use another one, like /kb."
        )


def _add_mcp(application: FastAPI, host: ServiceHost) -> StreamableHTTPSessionManager | None:
    """Add the route for MCP. If the extra `mcp` is not installed, add a route that responds with an error instead."""
    try:
        from overstory_service.mcp.server import add_endpoint
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        application.add_api_route(MCP_PATH, _without_mcp, methods=["POST"], include_in_schema=False)
        return None
    return add_endpoint(application, host, MCP_PATH)


async def _without_mcp(_access: Admitted) -> None:
    raise ExtraMissing("mcp", extra="mcp")


def from_environment() -> FastAPI:
    """Return the application for a worker process, whose settings are in an environment variable."""
    given: dict[str, Any] = json.loads(os.environ[SETTINGS_VARIABLE])  # this value was written by `to_environment`
    for name in ("allowed_hosts", "allowed_origins", "folders", "proxies"):
        given[name] = tuple(given[name])
    return create_application(Settings.from_environment(), ServiceSettings(**given))


def to_environment(service: ServiceSettings) -> None:
    """Store the settings in an environment variable, from which `from_environment` reads them in worker processes."""
    os.environ[SETTINGS_VARIABLE] = json.dumps(asdict(service))


@asynccontextmanager
async def _lifespan(application: FastAPI) -> AsyncGenerator[None]:
    host: ServiceHost = application.state.host
    manager: StreamableHTTPSessionManager | None = application.state.mcp
    starting = asyncio.create_task(_start(host))
    try:
        async with nullcontext() if manager is None else manager.run():
            yield
    finally:
        starting.cancel()
        with suppress(asyncio.CancelledError):
            await starting
        await run_in_threadpool(host.close)


async def _start(host: ServiceHost) -> None:
    while not host.ready:
        try:
            await run_in_threadpool(host.corpora.warm)
            if host.settings.jobs:
                await run_in_threadpool(host.start_runner, JOBS_AT_ONCE)
            host.ready = True
        except OverstoryError as error:
            _log.error("The service is not ready: %s %s", error, error.remedy)
            await asyncio.sleep(_SECONDS_BETWEEN_STARTS)
    _log.info("ready")


def _corpus_of(request: Request) -> str:
    return with_slashes(str(request.path_params.get("corpus", "")))


async def _refused(request: Request, error: Exception) -> Response:
    return response_of(error, corpus=_corpus_of(request), as_openai=_is_openai(request))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 # for the type checker
    wrong = error.errors()
    found = [  # the messages contain the names of the fields but not their values, which could end up in logs
        f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}" for each in wrong[:_MOST_PROBLEMS_OF_A_REQUEST]
    ]
    if any(each["loc"] == ("body",) for each in wrong) and "json" not in request.headers.get("content-type", ""):
        found = ["The body is not marked as JSON: send the header Content-Type: application/json"]
    return invalid("; ".join(found)).response(as_openai=_is_openai(request))


async def _by_status(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 # for the type checker
    headers = dict(error.headers) if error.headers else None
    detail = str(error.detail)
    if error.status_code == HTTPStatus.BAD_REQUEST and "parsing the body" in detail:  # part of a message from FastAPI
        detail = "The body is not valid JSON in UTF-8, has too long a number, or is nested too deeply."
    return by_status(error.status_code, detail).response(headers, as_openai=_is_openai(request))


def _is_openai(request: Request) -> bool:
    return request.url.path.startswith(OPENAI_PATHS)


async def _gone(_request: Request, _error: Exception) -> Response:
    return Response(status_code=_CLIENT_GONE)


async def _fault(request: Request, error: Exception) -> Response:
    return response_of(error, corpus=_corpus_of(request))


_HEAD_SECONDS = 15.0
"""How many seconds a client may take to send the head of a request, or to read any part of a response.

The time for sending the head begins with the connection or with the end of the previous response.
"""
_KEEP_ALIVE_SECONDS = 10
_GRACEFUL_SECONDS = 30
_MOST_HEAD_BYTES = 32_768
_MOST_CONNECTIONS = 1_000
"""Maximum number of connections of a process. Requests on further connections get status 503."""
_MOST_FRAMING_BYTES = 1_000_000
"""In a chunked body, the overhead may be at most this many bytes larger than half the size of the content."""


class PatientHttp(H11Protocol):
    """The HTTP protocol of uvicorn, with additional limits for slow clients.

    A connection is closed in these cases:

    - The client does not begin a request in time.
    - The client does not read the response.
    - The client continues to send the body after the response was sent.

    A body that consists of tiny chunks is refused, because it would take too much time to parse it.
    """

    _watch: asyncio.TimerHandle | None = None
    _idle_since = 0.0
    _unsent = sys.maxsize  # number of bytes that were waiting to be sent at the last check
    _content = 0  # number of content bytes that have arrived in the body of the current request
    _framing = 0  # number of overhead bytes that have arrived in the body of the current request

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # uvicorn's signature
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        self._watch = self.loop.call_later(_HEAD_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        cycle = self.cycle  # None before the first request, although uvicorn declares another type
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
            self.send_400_response("The chunks of the body are too small. Send larger chunks, or use Content-Length.")
        else:
            self.transport.abort()

    def on_response_complete(self) -> None:
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def resume_writing(self) -> None:
        self._unsent = sys.maxsize
        super().resume_writing()

    def _look(self) -> None:
        idle = self.conn.our_state in (h11.IDLE, h11.DONE)  # DONE: the response was sent, so the body has no more use
        left = self._idle_since + _HEAD_SECONDS - self.loop.time()
        over = self.transport.is_closing() or (idle and left <= 0)
        if over or self.flow.write_paused:
            # Nothing is added to the buffer in this state. If it does not shrink, the client is not reading.
            unsent = self.transport.get_write_buffer_size()
            if unsent >= self._unsent or (over and not unsent):
                self.transport.abort()
                return
            self._unsent = unsent
        self._watch = self.loop.call_later(left if idle and left > 0 else _HEAD_SECONDS, self._look)


def listen(
    settings: Settings, service: ServiceSettings, *, workers: int = 1, on_listening: Callable[[], object]
) -> None:
    """Run the service until the process receives SIGINT or SIGTERM. Running requests then have 30 seconds to finish.

    Args:
        workers: number of worker processes; with 1, the service runs in this process.
        on_listening: called once the settings and the port have been checked.

    Raises:
        SettingsError: as in `create_application`; or the port is in use; or the host is unknown.
    """
    where: dict[str, Any] = {"host": service.host, "port": service.port}  # arguments for uvicorn
    application = create_application(settings, service)  # raises if a setting is wrong, before workers are started
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
            f"Cannot listen on port {service.port} of {service.host!r}: {error.strerror or error}.",
            remedy="Choose another port or host: --port N, --host NAME",
        ) from error


def server_options(service: ServiceSettings) -> dict[str, Any]:  # the types of uvicorn's arguments differ
    """Return the arguments for uvicorn, except host and port."""
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
