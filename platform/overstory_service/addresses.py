"""Prepares the addresses of requests for routing, and refuses unknown parameters.

The root path of a proxy is removed, encoded slashes are preserved, and HEAD requests are treated like GET requests.
"""

from __future__ import annotations

import difflib
from http import HTTPStatus
from urllib.parse import quote, unquote

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from overstory_service.problems import UnknownParameter, by_status

_SLASH = "\ue000"
"""Placeholder for "%2F" during routing. If the slash were decoded, the name that contains it would be split."""
_FOLLOWED = ("/events", "/mcp")
"""Ends of the paths whose responses are streamed. These paths do not support HEAD requests."""


class WithoutRootPath:
    """ASGI middleware that removes the root path from the addresses of requests.

    Requests then reach the same routes, whether or not the proxy has already removed the root path.
    """

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self._app = app
        self._root = root_path
        self._raw_root = root_path.encode("ascii")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            raw: bytes = scope.get("raw_path", b"")
            if raw.partition(b"?")[0] == self._raw_root:
                await RedirectResponse(f"{self._root}/", HTTPStatus.PERMANENT_REDIRECT)(scope, receive, send)
                return
            if raw.startswith(self._raw_root + b"/"):
                scope["raw_path"] = raw[len(self._raw_root) :]
                scope["path"] = scope["path"][len(self._root) :]
        await self._app(scope, receive, send)


class RequestAddresses:
    """ASGI middleware that preserves encoded slashes in the segments of a path, and handles HEAD requests.

    A HEAD request gets the same response as a GET request, but without the body.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            raw = scope.get("raw_path", b"").partition(b"?")[0].decode("latin-1")
            changed: Scope = {}
            if _SLASH in scope["path"]:
                await by_status(HTTPStatus.NOT_FOUND, "Not Found").response()(scope, receive, send)
                return
            if "%2f" in raw.lower():
                encoded = quote(_SLASH)
                changed["path"] = unquote(raw.replace("%2F", encoded).replace("%2f", encoded))
            if scope["method"] == "HEAD" and not scope["path"].endswith(_FOLLOWED):
                changed["method"] = "GET"  # in the server's own scope, the method is still HEAD, so it omits the body
            if changed:
                inner = {**scope, **changed}
                await self._app(inner, receive, send)
                scope["route"] = inner.get("route")  # the access log needs the route in the original scope
                return
        await self._app(scope, receive, send)


def with_slashes(name: str) -> str:
    """Return a segment of a path with slashes in place of the placeholder that `RequestAddresses` inserted."""
    return name.replace(_SLASH, "/")


async def require_known_parameters(request: Request) -> None:
    """Check that the route knows all query parameters of a request, and that none is repeated.

    Raises:
        UnknownParameter: a parameter is unknown or repeated.
    """
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    known = [each.alias for each in route.dependant.query_params]
    for name in request.query_params:
        if len(request.query_params.getlist(name)) > 1:
            raise UnknownParameter(f"The parameter {name[:50]!r} is given twice.", remedy="Give it once.")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            there = f"The parameters are {', '.join(known)}." if known else "This route has no parameters."
            raise UnknownParameter(
                f"Unknown parameter {name[:50]!r}.", remedy=f"Did you mean {near[0]}? {there}" if near else there
            )
