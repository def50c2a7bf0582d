"""Download of jars: several at a time, hashed while streaming, renamed only when complete."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from queue import SimpleQueue

import httpx

from overstory.errors import ProvisioningError
from overstory.server.provision import Jar

_DOWNLOAD_THREADS = 16
_DOWNLOAD_TRIES = 3
_DOWNLOAD_PAUSE_SECONDS = 0.5
DOWNLOAD_PIECE_BYTES = 1 << 16

CLOSED_NETWORK = (
    "Check the connection (HTTPS_PROXY and SSL_CERT_FILE are honoured) and try again: complete jars are kept. "
    "For a closed network: `overstory server fetch` on a connected machine prints its folder of jars; "
    "copy it and run `overstory server fetch --from DIR`."
)

Stream = Callable[[Jar], Iterator[bytes]]


class _SpoiltError(Exception):
    """The received file is not the jar; `str()` says why. A retry may succeed."""


class _StoppedError(Exception):
    """Another download failed, or the user interrupted."""


def download(jars: Sequence[Jar], folder: Path, repository: str, on_bytes: Callable[[int], None]) -> None:
    """Download the jars from a Maven repository into the folder.

    Args:
        on_bytes: called in the calling thread with the number of bytes written; negative when an attempt failed.
    """
    try:
        client = httpx.Client(
            base_url=repository.rstrip("/") + "/",
            timeout=httpx.Timeout(30, connect=10),
            limits=httpx.Limits(max_connections=_DOWNLOAD_THREADS),
            follow_redirects=True,
        )
    except (ImportError, ValueError, OSError) as error:  # the address of a proxy or SSL_CERT_FILE is invalid
        raise ProvisioningError(f"The network settings cannot be used: {error}", remedy=CLOSED_NETWORK) from error
    with client:
        _in_parallel(jars, folder, lambda jar: _over_http(client, jar), on_bytes)


def copy(jars: Iterable[tuple[Jar, Path]], folder: Path, on_bytes: Callable[[int], None]) -> None:
    """Copy jars from files, with the same checks as for downloads."""
    for jar, file in jars:
        try:
            _store(jar, folder, _pieces(file), on_bytes, threading.Event())
        except _SpoiltError as error:
            raise ProvisioningError(
                f"{file} {error}.", remedy="Copy it again from a machine where `overstory server fetch` succeeded."
            ) from error


def is_whole(jar: Jar, file: Path) -> bool:
    """Whether the file is the jar of the lock list, by its hash."""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == jar.sha256
    except FileNotFoundError:
        return False


def _in_parallel(jars: Sequence[Jar], folder: Path, stream: Stream, on_bytes: Callable[[int], None]) -> None:
    """Download several at a time, the largest first, so that no thread is left with a large one at the end."""
    stop, written = threading.Event(), SimpleQueue[int]()

    def tell() -> None:
        while not written.empty():
            on_bytes(written.get())

    with ThreadPoolExecutor(_DOWNLOAD_THREADS, thread_name_prefix="overstory-fetch") as pool:
        by_size = sorted(jars, key=lambda jar: -jar.size)
        waiting: set[Future[None]] = {pool.submit(_fetch, jar, folder, stream, written.put, stop) for jar in by_size}
        try:
            while waiting:
                done, waiting = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
                tell()
                for future in done:
                    future.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
    tell()


def _fetch(jar: Jar, folder: Path, stream: Stream, on_bytes: Callable[[int], None], stop: threading.Event) -> None:
    for attempt in range(1, _DOWNLOAD_TRIES + 1):
        try:
            return _store(jar, folder, stream(jar), on_bytes, stop)
        except (_SpoiltError, httpx.TransportError) as error:
            if attempt == _DOWNLOAD_TRIES:
                raise ProvisioningError(_said(jar, error), remedy=CLOSED_NETWORK) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ProvisioningError(_said(jar, error), remedy=CLOSED_NETWORK) from error
        if stop.wait(_DOWNLOAD_PAUSE_SECONDS * attempt):
            raise _StoppedError
    raise AssertionError  # the last attempt returns or raises


def _said(jar: Jar, error: Exception) -> str:
    return (
        f"{jar.file_name} {error}."
        if isinstance(error, _SpoiltError)
        else f"{jar.file_name} could not be fetched: {error}"
    )


def _over_http(client: httpx.Client, jar: Jar) -> Iterator[bytes]:
    # A jar is already compressed; with a content encoding the transferred size would differ from the list's.
    with client.stream("GET", jar.path, headers={"Accept-Encoding": "identity"}) as response:
        if response.status_code in {408, 425, 429} or response.status_code >= 500:
            raise _SpoiltError(
                f"could not be fetched: the repository answers {response.status_code} {response.reason_phrase}"
            )
        response.raise_for_status()
        yield from response.iter_bytes(DOWNLOAD_PIECE_BYTES)


def _pieces(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while piece := stream.read(DOWNLOAD_PIECE_BYTES):
            yield piece


def _store(
    jar: Jar, folder: Path, pieces: Iterator[bytes], on_bytes: Callable[[int], None], stop: threading.Event
) -> None:
    """Write to a temporary name and rename once size and hash match the list."""
    part = folder / f"{jar.file_name}.part"
    digest, size = hashlib.sha256(), 0
    try:
        with part.open("wb") as target:
            for piece in pieces:
                if stop.is_set():
                    raise _StoppedError
                size += len(piece)
                if size > jar.size:
                    raise _SpoiltError(f"is not the file of the lock list: it is larger than {jar.size} bytes")
                target.write(piece)
                digest.update(piece)
                on_bytes(len(piece))
        if size < jar.size:
            raise _SpoiltError(f"arrived incomplete: {size} of {jar.size} bytes")
        if digest.hexdigest() != jar.sha256:
            raise _SpoiltError("is not the file of the lock list: its SHA-256 differs")
        part.replace(folder / jar.file_name)
    except BaseException:
        on_bytes(-min(size, jar.size))
        part.unlink(missing_ok=True)
        raise
