"""Routes for the files of the web page, health checks, readiness checks, and metrics."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, PlainTextResponse, Response

from overstory.errors import OverstoryError
from overstory_service.problems import NothingHere
from overstory_service.responses import PROBLEMS
from overstory_service.service_host import Admitted, host_of

router = APIRouter(tags=["service"])

PAGE_FOLDER = Path(__file__).parents[1] / "page"
PAGE_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
"""Map from suffixes of file names to media types. Files with other suffixes are not sent."""
_MOST_FILES_KEPT = 256
PAGE_HEADERS = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "connect-src 'self'",
            "img-src 'self' data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    ),
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-cache",
    "Vary": "Accept-Encoding",
}
"""Headers of every file. Browsers cache files, and at each use they check with the `ETag` that a file is unchanged."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the web page.

    Attributes:
        compressed: the content, compressed with gzip.
        kind: the media type.
    """

    content: bytes
    compressed: bytes
    etag: str
    kind: str


@router.get("/", response_model=None, include_in_schema=False)
async def index(request: Request) -> Response:
    return await _sent(request, "index.html")


@router.get("/page/{name:path}", response_model=None, include_in_schema=False)
async def file(name: str, request: Request) -> Response:
    return await _sent(request, name)


async def _sent(request: Request, name: str) -> Response:
    found = await run_in_threadpool(page_file, name, host_of(request).settings.root_path)
    if found is None:
        raise NothingHere("file with this name")
    headers = {**PAGE_HEADERS, "ETag": found.etag}
    if found.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(found.compressed, headers={**headers, "Content-Encoding": "gzip"}, media_type=found.kind)
    return Response(found.content, headers=headers, media_type=found.kind)


def page_file(name: str, root_path: str = "") -> PageFile | None:
    """Return a file of the web page, or None if it does not exist.

    Args:
        name: the path of the file in the folder of the page.
        root_path: the root path of the service, which is inserted into the addresses in HTML files. Scripts derive it
            from their own address.
    """
    parts = name.split("/")
    kind = PAGE_TYPES.get(Path(name).suffix)
    if kind is None or any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        return None
    path = PAGE_FOLDER.joinpath(*parts)
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        return None
    return _read(path, changed, kind, root_path) if path.is_file() else None


@lru_cache(maxsize=_MOST_FILES_KEPT)
def _read(path: Path, _changed: int, kind: str, root_path: str) -> PageFile:
    content = path.read_bytes()
    if path.suffix == ".html":
        content = content.replace(b'="/page/', f'="{root_path}/page/'.encode("ascii"))
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    return PageFile(content, gzip.compress(content, 9, mtime=0), etag, kind)


_READY_SECONDS = 2.0
"""Number of seconds that the database may take to respond in a readiness check."""


@router.get("/healthz", response_model=None)
async def check_health() -> Response:
    """Return 200 while the process is running."""
    return JSONResponse({"status": "alive"})


@router.get("/readyz", response_model=None, responses={503: {"description": "Not ready."}})
async def check_readiness(request: Request) -> Response:
    """Return 200 if the models are loaded and the database responds.

    `asked` is true once a question was answered since the start.
    """
    host = host_of(request)
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
async def read_metrics(request: Request, access: Admitted) -> Response:
    """Return Prometheus metrics of requests and jobs. Needs admin rights."""
    access.require("admin")
    return Response(generate_latest(host_of(request).metrics.registry), media_type=CONTENT_TYPE_LATEST)
