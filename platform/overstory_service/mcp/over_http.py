"""`/mcp` of the service: streamable HTTP without sessions, so that any process may answer any request."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from overstory_service.access import Access
from overstory_service.hosted import Admitted, Hosted
from overstory_service.mcp.serving import ToolServer


class McpEndpoint:
    """Answers requests to `/mcp`. What guards other routes guards it, too: hosts, origins, tokens, sizes, the log."""

    def __init__(self, host: Hosted, path: str) -> None:
        self._path = path
        self._server = ToolServer(host, _access, write=host.settings.agents_write).server()
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """The SDK's tasks, which end with the block."""
        self._manager = manager = StreamableHTTPSessionManager(self._server, stateless=True)
        async with manager.run():
            yield
        self._manager = None

    def add_to(self, application: FastAPI) -> None:
        """Adds the route. Other methods than POST, which would open streams that nothing comes from, are refused."""

        @application.post(self._path, include_in_schema=False, response_model=None)
        async def post(request: Request, access: Admitted) -> Response:
            request.state.access = access
            return _Answered(self)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Has the SDK answer a request that was admitted."""
        if self._manager is None:
            raise RuntimeError("the application is not running")
        await self._manager.handle_request(scope, receive, send)


class _Answered(Response):
    """What the SDK sends."""

    def __init__(self, endpoint: McpEndpoint) -> None:
        super().__init__()
        self._endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._endpoint.answer(scope, receive, send)


def _access(request: Request | None) -> Access:
    """That of a request which the route admitted."""
    if request is None:
        raise RuntimeError("a request over HTTP without one")
    found: Access = request.state.access
    return found
