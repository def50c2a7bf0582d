"""The ASGI application: routes, guards, and what is started and ended with them."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import asdict
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response

from overstory.errors import ExtraMissing, OverstoryError, SettingsError
from overstory.knowledge.asynchronous import WorkThreads
from overstory.settings import Settings
from overstory_service.access import Gate
from overstory_service.addresses import RequestAddresses, WithoutRootPath, require_known_parameters, with_slashes
from overstory_service.guards import OPENAPI_PATH, Guards
from overstory_service.hosted import MOST_WORKING_THREADS, Admitted, Hosted
from overstory_service.jobs.queueing import start_runner
from overstory_service.jobs.uploads import Uploads
from overstory_service.observing import Observed, ServiceFigures
from overstory_service.open_corpora import OpenCorpora
from overstory_service.problems import OPENAI_PATHS, by_status, invalid, response_of
from overstory_service.routes import (
    browser,
    chat,
    communities,
    corpora,
    documents,
    formats,
    health,
    jobs,
    page,
    questions,
    sessions,
    tokens,
)
from overstory_service.running import ClientGone
from overstory_service.settings import JOBS_AT_ONCE, ServiceSettings
from overstory_service.tokens import TOKENS_FILE, TokenFile, service_folder

if TYPE_CHECKING:
    from overstory_service.mcp.over_http import McpEndpoint

SETTINGS_VARIABLE = "OVERSTORY_SERVICE"
"""How a process of several learns the settings of the service, as JSON."""
_SECONDS_BETWEEN_STARTS = 5.0
"""After which the models and the database are tried again, where the service could not begin with them."""
MCP_PATH = "/mcp"
ROUTES = (
    health,
    page,
    sessions,
    tokens,
    questions,
    documents,
    formats,
    communities,
    corpora,
    browser,
    jobs,
    chat,
)
_CLIENT_GONE = 499
_MOST_PROBLEMS_OF_A_REQUEST = 3
_log = logging.getLogger("overstory.service")


def create_application(settings: Settings, service: ServiceSettings, *, folder: Path | None = None) -> FastAPI:
    """The application for one process.

    Args:
        folder: where tokens and uploads are; that of the instance if left out.

    Raises:
        SettingsError: other machines reach it, and there is no token; the tokens cannot be read; or its root path is
            that of one of its routes.
    """
    _check_root_path(service.root_path)
    own = service_folder(settings) if folder is None else folder
    token_file = TokenFile(own / TOKENS_FILE)
    if not token_file.tokens() and not service.serves_here_alone:
        behind = "" if not service.listens_here_alone else ", and leave out --address"
        raise SettingsError(
            f"On {service.address or service.host} others could ask without a token.",
            remedy=f"Make one first (overstory tokens add NAME), or listen on 127.0.0.1{behind}.",
        )
    gate = Gate(token_file, open_without_tokens=True)
    figures = ServiceFigures()
    host = Hosted(
        settings=service,
        corpora=OpenCorpora(settings),
        gate=gate,
        uploads=Uploads(own / "uploads"),
        figures=figures,
        threads=WorkThreads(min(MOST_WORKING_THREADS, service.most_requests)),
    )
    middleware = [Middleware(WithoutRootPath, root_path=service.root_path)] if service.root_path else []
    middleware.append(Middleware(Observed, figures=figures, log_questions=service.log_questions))
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
        summary="Questions to corpora of documents, answered with evidence.",
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
    application.state.hosted = host
    for each in ROUTES:
        application.include_router(each.router)
    if (endpoint := _mcp_endpoint(host)) is not None:
        endpoint.add_to(application)
    else:
        application.add_api_route(MCP_PATH, _without_mcp, methods=["POST"], include_in_schema=False)
    application.state.mcp = endpoint
    return application


def _check_root_path(root_path: str) -> None:
    """
    Raises:
        SettingsError: a request to a route could be taken for one that still has the root path.
    """
    paths = [route.path for each in ROUTES for route in each.router.routes if isinstance(route, APIRoute)]
    if root_path and any(f"{path}/".startswith(f"{root_path}/") for path in (*paths, MCP_PATH, OPENAPI_PATH)):
        raise SettingsError(
            f"--root-path {root_path} is a path of the service itself.", remedy="Use another one, like /kb."
        )


async def _without_mcp(_access: Admitted) -> None:
    """Says what agents need.

    Raises:
        ExtraMissing: always.
    """
    raise ExtraMissing("mcp", extra="mcp")


def _mcp_endpoint(host: Hosted) -> McpEndpoint | None:
    """That for agents; None without the extra `mcp`."""
    try:
        from overstory_service.mcp.over_http import McpEndpoint
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        return None
    return McpEndpoint(host, MCP_PATH)


def from_environment() -> FastAPI:
    """The application of one process of several, whose settings the first one left in the environment."""
    given: dict[str, Any] = json.loads(os.environ[SETTINGS_VARIABLE])  # as `to_environment` wrote it
    for name in ("allowed_hosts", "allowed_origins", "folders", "proxies"):
        given[name] = tuple(given[name])
    return create_application(Settings.from_environment(), ServiceSettings(**given))


def to_environment(service: ServiceSettings) -> None:
    """Leaves the settings for `from_environment`."""
    os.environ[SETTINGS_VARIABLE] = json.dumps(asdict(service))


@asynccontextmanager
async def _lifespan(application: FastAPI) -> AsyncGenerator[None]:
    host: Hosted = application.state.hosted
    endpoint: McpEndpoint | None = application.state.mcp
    starting = asyncio.create_task(_start(host))
    try:
        async with nullcontext() if endpoint is None else endpoint.running():
            yield
    finally:
        starting.cancel()
        with suppress(asyncio.CancelledError):
            await starting
        if host.runner is not None:
            await run_in_threadpool(host.runner.stop)
        await run_in_threadpool(host.threads.close)
        await run_in_threadpool(host.corpora.close)


async def _start(host: Hosted) -> None:
    """Loads the models, connects, and begins with jobs; tries again until all is there."""
    while not host.ready:
        try:
            await run_in_threadpool(host.corpora.warm)
            if host.settings.jobs:
                await run_in_threadpool(start_runner, host, JOBS_AT_ONCE)
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
    """Says where a request is wrong, but not what it had there."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 # for the type checker
    wrong = error.errors()
    found = [
        f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}" for each in wrong[:_MOST_PROBLEMS_OF_A_REQUEST]
    ]
    if any(each["loc"] == ("body",) for each in wrong) and "json" not in request.headers.get("content-type", ""):
        found = ["The body is not said to be JSON: send the header Content-Type: application/json"]
    return invalid("; ".join(found)).response(as_openai=_is_openai(request))


async def _by_status(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 # for the type checker
    headers = dict(error.headers) if error.headers else None
    detail = str(error.detail)
    if error.status_code == HTTPStatus.BAD_REQUEST and "parsing the body" in detail:  # FastAPI's words
        detail = "The body cannot be read: it is no JSON in UTF-8, has too long a number, or is nested too deeply."
    return by_status(error.status_code, detail).response(headers, as_openai=_is_openai(request))


def _is_openai(request: Request) -> bool:
    return request.url.path.startswith(OPENAI_PATHS)


async def _gone(_request: Request, _error: Exception) -> Response:
    return Response(status_code=_CLIENT_GONE)


async def _fault(request: Request, error: Exception) -> Response:
    return response_of(error, corpus=_corpus_of(request))
