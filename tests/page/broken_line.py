"""A connection to a service that breaks in the middle of a request, as when the service ends."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

PIECE_BYTES = 1 << 14


class Line:
    """Forwards the bytes between clients and a service until it breaks; `mend` restores it.

    Attributes:
        breaks_after: bytes of one connection after which it breaks; None for never.
        when_answered: break only when the service answers a request of at least this many bytes.
    """

    def __init__(self, port: int) -> None:
        self.breaks_after: int | None = None
        self.when_answered = False
        self._to = port
        self._is_broken = threading.Event()
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._start(self._accept)

    def mend(self) -> None:
        self.breaks_after = None
        self._is_broken.clear()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._break()
        for each in self._threads:
            each.join()
        self._listener.close()

    def _start(self, target: Callable[..., None], *args: socket.socket) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _break(self) -> None:
        self._is_broken.set()
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                client, _ = self._listener.accept()
                if self._is_broken.is_set():
                    client.close()
                    continue
                service = socket.create_connection(("127.0.0.1", self._to))
                self._open += [client, service]
                self._start(self._join, client, service)

    def _join(self, client: socket.socket, service: socket.socket) -> None:
        sent = [0]
        answering = threading.Thread(target=self._answer, args=(client, service, sent), daemon=True)
        answering.start()
        with suppress(OSError):
            while piece := client.recv(PIECE_BYTES):
                sent[0] += len(piece)
                if self._is_late(sent) and not self.when_answered:
                    self._break()
                service.sendall(piece)
        with suppress(OSError):
            service.shutdown(socket.SHUT_WR)
        answering.join()
        client.close()
        service.close()

    def _answer(self, client: socket.socket, service: socket.socket, sent: list[int]) -> None:
        with suppress(OSError):
            while piece := service.recv(PIECE_BYTES):
                if self._is_late(sent):
                    self._break()
                client.sendall(piece)
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)

    def _is_late(self, sent: list[int]) -> bool:
        return self.breaks_after is not None and sent[0] > self.breaks_after


@contextmanager
def line_to(port: int) -> Generator[Line]:
    """A line to a service on this machine, until the block ends."""
    line = Line(port)
    try:
        yield line
    finally:
        line.close()
