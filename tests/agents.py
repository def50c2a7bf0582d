"""Agents of the tests: the client of the SDK, over HTTP and on standard input and output."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent
from tests.commands import PROGRAM, environment

from overstory.settings import Settings

R = TypeVar("R")
AGENT_SECONDS = 120.0


@asynccontextmanager
async def over_http(
    url: str, token: str = "", *, mode: str = "auto", certificate: Path | None = None
) -> AsyncGenerator[Client]:
    """An agent of a service.

    Args:
        url: of the service.
        mode: "legacy" for the handshake of protocols up to 2025, "auto" for the newest that both know.
        certificate: the one that its connection is checked by; None for those of the machine.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    verify = ssl.create_default_context(cafile=None if certificate is None else str(certificate))
    async with (
        httpx2.AsyncClient(headers=headers, verify=verify, timeout=AGENT_SECONDS, trust_env=False) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def on_stdio(
    settings: Settings, *options: str, variables: dict[str, str] | None = None, mode: str = "auto"
) -> AsyncGenerator[Client]:
    """An agent that starts `overstory mcp` with these options."""
    own = environment(settings) | (variables or {})
    async with Client(StdioServerParameters(command=PROGRAM, args=["mcp", *options], env=own), mode=mode) as client:
        yield client


def talk(work: Callable[[], Awaitable[R]]) -> R:
    """Runs what an agent does."""

    async def run() -> R:
        async with asyncio.timeout(AGENT_SECONDS):
            return await work()

    return asyncio.run(run())


def asked(
    url: str,
    tool: str,
    arguments: dict[str, Any],
    *,
    token: str = "",
    mode: str = "auto",
    certificate: Path | None = None,
) -> CallToolResult:
    """The result of one call of a tool, over HTTP."""
    return asked_all(url, [(tool, arguments)], token=token, mode=mode, certificate=certificate)[0]


def asked_all(
    url: str,
    calls: Sequence[tuple[str, dict[str, Any]]],
    *,
    token: str = "",
    mode: str = "auto",
    certificate: Path | None = None,
) -> list[CallToolResult]:
    """The results of some calls, one after the other, over HTTP."""

    async def work() -> list[CallToolResult]:
        async with over_http(url, token, mode=mode, certificate=certificate) as client:
            return [await client.call_tool(tool, arguments) for tool, arguments in calls]

    return talk(work)


def text(result: CallToolResult) -> str:
    """Return the text of a result, as an agent reads it."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def structure(result: CallToolResult) -> dict[str, Any]:
    """Return the structured content of a successful result, as a program reads it."""
    assert not result.is_error, text(result)
    assert result.structured_content is not None
    return dict(result.structured_content)
