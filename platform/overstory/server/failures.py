"""The reason why a server did not start, from its output."""

from __future__ import annotations

from pathlib import Path

from overstory.errors import ServerStartError

_LAST_LINES = 12


class PortTakenError(ServerStartError):
    """The port was taken meanwhile; retry with other ports."""


_KNOWN: tuple[tuple[str, str, str], ...] = (
    (
        "No space left on device",
        "The disk is full.",
        "Free some space, or set OVERSTORY_HOME to a folder on another disk.",
    ),
    (
        "FileLockException",
        "Another process uses the graph in {home}.",
        "It may run on another machine or in a container: stop it there, or set OVERSTORY_HOME to another folder.",
    ),
    (
        "Could not reserve enough space",
        "There is not enough memory for the server's heap.",
        "Set OVERSTORY_SERVER_HEAP to a smaller size (the default is 1g).",
    ),
    (
        "Cannot allocate memory",
        "There is not enough memory for the server.",
        "Close other programs, or set OVERSTORY_SERVER_HEAP and OVERSTORY_SERVER_PAGECACHE to smaller sizes.",
    ),
    (
        "exceeds physical memory",
        "The server's heap and page cache do not fit into this machine's memory.",
        "Set OVERSTORY_SERVER_HEAP and OVERSTORY_SERVER_PAGECACHE to smaller sizes (the defaults are 1g and 256m).",
    ),
    (
        "OutOfMemoryError",
        "The server ran out of memory while starting.",
        "Set OVERSTORY_SERVER_HEAP to a larger size (the default is 1g).",
    ),
    (
        "AccessDeniedException",
        "A file below {home} cannot be read or written.",
        "Make the folder yours (chown -R), or set OVERSTORY_HOME to another one.",
    ),
    (
        "NoClassDefFoundError",
        "A jar is missing or damaged.",
        "Check them with `overstory server fetch`.",
    ),
    (
        "ClassNotFoundException",
        "A jar is missing or damaged.",
        "Check them with `overstory server fetch`.",
    ),
)


def explained(printed: str, home: Path, *, what: str) -> ServerStartError:
    """The error for a start that failed.

    Args:
        printed: the server's output since this start.
        what: the observed failure, used if the output contains no known error.
    """
    if "PortBindException" in printed or "Address already in use" in printed:
        return PortTakenError("A port that was free was taken meanwhile.", remedy="Try again.")
    for mark, message, remedy in _KNOWN:
        if mark in printed:
            return ServerStartError(message.format(home=home), remedy=remedy)
    tail = "\n".join(f"    {line}" for line in printed.splitlines()[-_LAST_LINES:])
    return ServerStartError(
        f"{what} Its last output:\n{tail}" if tail else f"{what} It printed nothing.",
        remedy="See `overstory server logs -n 100` and `overstory doctor`.",
    )
