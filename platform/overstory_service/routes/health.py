"""Whether the service lives and can answer, and its figures."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import JSONResponse, PlainTextResponse, Response

from overstory.errors import OverstoryError
from overstory_service.hosted import Admitted, hosted
from overstory_service.sending import PROBLEMS

router = APIRouter(tags=["service"])

_READY_SECONDS = 2.0
"""For the database to answer, where whoever watches the service asks."""


@router.get("/healthz", response_model=None)
async def healthz() -> Response:
    """The process lives."""
    return JSONResponse({"status": "alive"})


@router.get("/readyz", response_model=None, responses={503: {"description": "Not yet, or not now."}})
async def readyz(request: Request) -> Response:
    """Models are loaded, and the database answers; and whether a question was asked since the start."""
    host = hosted(request)
    try:
        if host.ready:
            async with asyncio.timeout(_READY_SECONDS):
                await host.run(request, lambda: host.corpora.base.graph.run("schema/read_version", read=True))
            return JSONResponse({"status": "ready", "asked": host.asked})
    except (OverstoryError, TimeoutError):
        pass
    return JSONResponse({"status": "not ready"}, 503)


@router.get(
    "/metrics",
    response_model=None,
    responses=PROBLEMS | {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    response_class=PlainTextResponse,
)
async def metrics(request: Request, access: Admitted) -> Response:
    """ServiceFigures for Prometheus: requests, seconds, jobs."""
    access.require("admin")
    return Response(generate_latest(hosted(request).figures.registry), media_type=CONTENT_TYPE_LATEST)
