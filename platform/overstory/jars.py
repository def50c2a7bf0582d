"""Fetch jars from a Maven repository into the user's cache, and verify them. Neo4j and the models are such jars."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from filelock import FileLock

from overstory.display import counted
from overstory.errors import ProvisioningError
from overstory.storage import check_space, storage_errors

if TYPE_CHECKING:
    import httpx  # the import is slow and rarely needed

    from overstory.protocols import Progress


@dataclass(frozen=True, slots=True)
class Jar:
    """One file of a Maven repository.

    Attributes:
        classifier: platform for which the jar contains a native library; "" for most jars.
        sha256: SHA-256 hash of the content, in hexadecimal digits.
        size: size in bytes.
    """

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str
    size: int

    @property
    def file_name(self) -> str:
        """The file name, which is unique within a lock list."""
        suffix = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{suffix}.jar"

    @property
    def path(self) -> str:
        """The path of the file in a Maven repository, relative to the root of the repository."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.file_name}"


@dataclass(frozen=True, slots=True)
class LockList:
    """Jars that are fetched and verified together.

    Attributes:
        name: title of the progress bar.
        digest: SHA-256 hash of the list. It changes whenever a jar changes.
    """

    name: str
    jars: tuple[Jar, ...]
    digest: str

    @property
    def size(self) -> int:
        return sum(jar.size for jar in self.jars)

    @classmethod
    def of(cls, name: str, jars: Iterable[Jar]) -> LockList:
        """Create a lock list and compute its digest."""
        listed = tuple(jars)
        return cls(name, listed, hashlib.sha256("".join(jar.sha256 for jar in listed).encode()).hexdigest())


def provision(
    cache: Path,
    lock_list: LockList,
    *,
    source: Path | None = None,
    verify: bool = False,
    progress: Progress | None = None,
    repository: str | None = None,
) -> Path:
    """Fetch the missing and damaged jars into the folder `jars` of a cache, and return this folder.

    By default, only the sizes of jars are compared with the lock list. Hashes are compared for jars that are new or
    were changed since the last check.

    Args:
        source: folder from which jars are copied instead of downloaded. It may be flat or have the layout of a Maven
            repository.
        verify: True to compare the hash of every jar.
        repository: address of a Maven repository; None for the default repository of jgo.
    """
    folder = cache / "jars"
    stamp = folder / f".checked-{lock_list.digest[:16]}"
    with storage_errors(cache, error=ProvisioningError, variable="OVERSTORY_CACHE"):
        if not verify and not _doubtful(lock_list, folder, stamp):
            return folder
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / "jars.lock", mode=0o600):
            doubtful = _doubtful(lock_list, folder, None if verify else stamp)
            wanted = [jar for jar in doubtful if not is_whole(jar, folder / jar.file_name)]
            _get(lock_list.name, wanted, folder, source, repository, progress)
            stamp.touch()
    return folder


def missing(cache: Path, lock_list: LockList) -> tuple[Jar, ...]:
    """Return the jars that `provision` would have to verify or fetch. This does not compute any hashes."""
    folder = cache / "jars"
    with storage_errors(cache, error=ProvisioningError, variable="OVERSTORY_CACHE"):
        return tuple(_doubtful(lock_list, folder, folder / f".checked-{lock_list.digest[:16]}"))


def _doubtful(lock_list: LockList, folder: Path, stamp: Path | None) -> list[Jar]:
    """Return the jars that are missing, have a wrong size, or were changed after the last check."""
    try:
        checked = stamp.stat().st_mtime_ns if stamp else 0
    except FileNotFoundError:
        checked = 0
    return [jar for jar in lock_list.jars if not _as_checked(jar, folder / jar.file_name, checked)]


def _as_checked(jar: Jar, file: Path, checked: int) -> bool:
    try:
        found = file.stat()
    except FileNotFoundError:
        return False
    return found.st_size == jar.size and found.st_mtime_ns <= checked


def _get(
    name: str,
    wanted: Sequence[Jar],
    folder: Path,
    source: Path | None,
    repository: str | None,
    progress: Progress | None,
) -> None:
    if not wanted:
        return
    from overstory.protocols import Silence

    for leftover in folder.glob("*.part"):  # an interrupted process left it: only the holder of the lock writes here
        leftover.unlink(missing_ok=True)
    size = sum(jar.size for jar in wanted)
    check_space(folder, size, error=ProvisioningError, variable="OVERSTORY_CACHE")
    progress = progress or Silence()
    progress.start(name, round(size / 1e6), "MB")
    megabytes = _Megabytes(progress)
    if source is not None:
        copy(_found(wanted, source), folder, megabytes.add)
    else:
        download(wanted, folder, repository or _default_repository(), megabytes.add)
    progress.finish(f"{counted(len(wanted), 'jar')}, {size / 1e6:.0f} MB")


class _Megabytes:
    """Reports bytes to a progress bar that counts in megabytes."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bytes = self._reported = 0

    def add(self, amount: int) -> None:
        self._bytes += amount
        now = round(self._bytes / 1e6)
        if now != self._reported:
            self._progress.advance(now - self._reported)
            self._reported = now


def _default_repository() -> str:
    """Return the address of jgo's default Maven repository, so that we do not hard-code an address."""
    from jgo.maven import MavenContext

    repositories: dict[str, str] = MavenContext().remote_repos
    return next(iter(repositories.values()))


def _found(wanted: Sequence[Jar], source: Path) -> list[tuple[Jar, Path]]:
    by_name = {file.name: file for file in source.rglob("*.jar")}
    absent = [jar.file_name for jar in wanted if jar.file_name not in by_name]
    if absent:
        more = f" and {len(absent) - 3} more" if len(absent) > 3 else ""
        raise ProvisioningError(
            f"{source} lacks {', '.join(absent[:3])}{more}.",
            remedy="On a machine with network access, run `overstory server fetch` with the same version of "
            "Overstory, then copy the folder that it prints.",
        )
    return [(jar, by_name[jar.file_name]) for jar in wanted]


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
    """The received file is not the expected jar, for the reason in the message. A retry may succeed."""


class _StoppedError(Exception):
    """The download was stopped because another download failed or the user interrupted the program."""


def download(jars: Sequence[Jar], folder: Path, repository: str, on_bytes: Callable[[int], None]) -> None:
    """Download jars from a Maven repository into a folder.

    Args:
        on_bytes: function that is called, in the calling thread, with the number of bytes written since the last call.
            If an attempt fails, the number is negative, because its bytes no longer count.
    """
    import httpx

    try:
        client = httpx.Client(
            base_url=repository.rstrip("/") + "/",
            timeout=httpx.Timeout(30, connect=10),
            limits=httpx.Limits(max_connections=_DOWNLOAD_THREADS),
            follow_redirects=True,
        )
    except (ImportError, ValueError, OSError) as error:  # the proxy address or SSL_CERT_FILE is invalid
        raise ProvisioningError(f"The network settings cannot be used: {error}", remedy=CLOSED_NETWORK) from error
    with client:
        _in_parallel(jars, folder, lambda jar: _over_http(client, jar), on_bytes)


def copy(jars: Iterable[tuple[Jar, Path]], folder: Path, on_bytes: Callable[[int], None]) -> None:
    """Copy jars from files into a folder, with the same checks as for downloads."""
    for jar, file in jars:
        try:
            _store(jar, folder, _pieces(file), on_bytes, threading.Event())
        except _SpoiltError as error:
            raise ProvisioningError(
                f"{file} {error}.", remedy="Copy it again from a machine where `overstory server fetch` succeeded."
            ) from error


def is_whole(jar: Jar, file: Path) -> bool:
    """Return True if the file exists and its hash is the hash of the jar in the lock list."""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == jar.sha256
    except FileNotFoundError:
        return False


def _in_parallel(jars: Sequence[Jar], folder: Path, stream: Stream, on_bytes: Callable[[int], None]) -> None:
    """The largest jars come first, so that no large jar is left for the end."""
    stop, written = threading.Event(), SimpleQueue[int]()

    def report() -> None:
        while not written.empty():
            on_bytes(written.get())

    with ThreadPoolExecutor(_DOWNLOAD_THREADS, thread_name_prefix="overstory-fetch") as pool:
        by_size = sorted(jars, key=lambda jar: -jar.size)
        waiting: set[Future[None]] = {pool.submit(_fetch, jar, folder, stream, written.put, stop) for jar in by_size}
        try:
            while waiting:
                done, waiting = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
                report()
                for future in done:
                    future.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
    report()


def _fetch(jar: Jar, folder: Path, stream: Stream, on_bytes: Callable[[int], None], stop: threading.Event) -> None:
    import httpx

    for attempt in range(1, _DOWNLOAD_TRIES + 1):
        try:
            return _store(jar, folder, stream(jar), on_bytes, stop)
        except (_SpoiltError, httpx.TransportError) as error:
            if attempt == _DOWNLOAD_TRIES:
                raise ProvisioningError(_failure(jar, error), remedy=CLOSED_NETWORK) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ProvisioningError(_failure(jar, error), remedy=CLOSED_NETWORK) from error
        if stop.wait(_DOWNLOAD_PAUSE_SECONDS * attempt):
            raise _StoppedError
    raise AssertionError  # unreachable: the last attempt returns or raises


def _failure(jar: Jar, error: Exception) -> str:
    return (
        f"{jar.file_name} {error}."
        if isinstance(error, _SpoiltError)
        else f"{jar.file_name} could not be fetched: {error}"
    )


def _over_http(client: httpx.Client, jar: Jar) -> Iterator[bytes]:
    # With a content encoding, the transferred size would differ from the size in the lock list.
    with client.stream("GET", jar.path, headers={"Accept-Encoding": "identity"}) as response:
        if response.status_code in {408, 425, 429} or response.status_code >= 500:
            raise _SpoiltError(
                f"could not be fetched: the repository responded with {response.status_code} {response.reason_phrase}"
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
    """Write a jar to a temporary file, and rename the file once its size and hash match the lock list."""
    part = folder / f"{jar.file_name}.part"
    digest, size = hashlib.sha256(), 0
    try:
        with part.open("wb") as target:
            for piece in pieces:
                if stop.is_set():
                    raise _StoppedError
                size += len(piece)
                if size > jar.size:
                    raise _SpoiltError(f"is not the expected file: it is larger than {jar.size} bytes")
                target.write(piece)
                digest.update(piece)
                on_bytes(len(piece))
        if size < jar.size:
            raise _SpoiltError(f"arrived incomplete: {size} of {jar.size} bytes")
        if digest.hexdigest() != jar.sha256:
            raise _SpoiltError("is not the expected file: its SHA-256 differs from the lock list")
        part.replace(folder / jar.file_name)
    except BaseException:
        on_bytes(-min(size, jar.size))
        part.unlink(missing_ok=True)
        raise
