"""The health check of the database uses a connection of its own."""

from __future__ import annotations

import asyncio

import pytest

from overstory.errors import DatabaseUnreachable
from overstory_service import request_limits
from overstory_service.request_limits import DatabaseWatch


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limits, "_GREETING_SECONDS", 0.3)
    monkeypatch.setattr(request_limits, "_GREETING_AGAIN_SECONDS", 0.3)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readexactly(20)
    writer.write(b"\0\0\x08\x05")
    writer.close()


async def _break_off(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def _say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


@pytest.mark.parametrize("scheme", ["bolt", "neo4j", "neo4j+s", "bolt+ssc"])
def test_a_database_that_takes_connections_and_says_nothing_is_silent_until_it_answers(scheme: str) -> None:
    async def ask() -> None:
        silent = await asyncio.start_server(_say_nothing, "127.0.0.1", 0)
        port = silent.sockets[0].getsockname()[1]
        address = f"{scheme}://127.0.0.1:{port}"
        watch = DatabaseWatch(lambda: address)
        await watch.require()  # nobody waits for it yet
        assert await asyncio.gather(*(watch.answers() for _ in range(20))) == [False] * 20
        with pytest.raises(DatabaseUnreachable):
            await watch.require()
        silent.close()
        answering = await asyncio.start_server(_answer, "127.0.0.1", 0)
        address = f"bolt://127.0.0.1:{answering.sockets[0].getsockname()[1]}"
        await watch.require()
        assert not watch.silent
        answering.close()

    asyncio.run(ask())


def test_one_that_refuses_or_breaks_off_may_be_about_to_start() -> None:
    async def ask() -> None:
        breaking = await asyncio.start_server(_break_off, "127.0.0.1", 0)
        port = breaking.sockets[0].getsockname()[1]
        watch = DatabaseWatch(lambda: f"bolt://127.0.0.1:{port}")
        assert not await watch.answers()
        breaking.close()
        assert not await watch.answers()
        starting = asyncio.create_task(watch.answers())
        answering = await asyncio.start_server(_answer, "127.0.0.1", port)
        assert await starting
        answering.close()

    asyncio.run(ask())


def test_without_an_address_nothing_is_watched() -> None:
    assert asyncio.run(DatabaseWatch(lambda: "").answers())
