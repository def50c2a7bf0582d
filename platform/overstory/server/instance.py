"""An instance of the embedded server: its files, its password, and the record of its running process."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from overstory.errors import ServerError, ServerStartError
from overstory.settings import Places
from overstory.storage import storage_errors
from overstory.whole_files import write_whole

USER = "neo4j"
HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Connection:
    """Addresses and credentials of a running server: `uri` is for drivers, `http_url` is for Neo4j Browser."""

    uri: str
    user: str
    password: str = field(repr=False)
    http_url: str


@dataclass(frozen=True, slots=True)
class Ports:
    bolt: int
    http: int


@dataclass(frozen=True, slots=True)
class Running:
    """The record of a running server, which is written by the process that started the server.

    Attributes:
        started: start time, in seconds since the epoch.
        ready: True once the server has answered its first query.
        java, jars: paths of the Java binary and of the folder of jars.
        idle_minutes: number of minutes without use after which the server is stopped; 0 to keep it running.
    """

    pid: int
    bolt: int
    http: int
    started: float
    neo4j: str
    ready: bool
    java: str = ""
    jars: str = ""
    idle_minutes: float = 0.0

    @property
    def http_url(self) -> str:
        return f"http://{HOST}:{self.http}"


@dataclass(frozen=True, slots=True)
class Instance:
    """The files of one embedded server.

    All of them are in the folder `<data>/server`, except the lock file, which must still exist after `remove`.
    """

    data: Path

    @classmethod
    def of(cls, places: Places) -> Instance:
        return cls(places.data.resolve())  # resolved, so that a symbolic link and its target are the same instance

    @property
    def root(self) -> Path:
        return self.data / "server"

    @property
    def home(self) -> Path:
        """Neo4j's home folder, which contains its configuration, graph and logs."""
        return self.root / "neo4j"

    @property
    def console(self) -> Path:
        """File to which the server process writes its output."""
        return self.root / "console.log"

    @property
    def password_file(self) -> Path:
        return self.root / "password"

    @property
    def running_file(self) -> Path:
        return self.root / "running.json"

    @property
    def store_file(self) -> Path:
        """File that records the Neo4j version and the ports with which the graph was last used."""
        return self.root / "store.json"

    @property
    def use_file(self) -> Path:
        """File whose modification time is the time when the server was last used."""
        return self.root / "last-use"

    @property
    def watch_lock(self) -> Path:
        """Lock file that the watchdog holds while it runs."""
        return self.root / "watchdog.lock"

    @property
    def archives(self) -> Path:
        return self.root / "class-archive"

    def create(self) -> None:
        """Create the folders, and make them accessible only to the user."""
        with storage_errors(self.root, variable="OVERSTORY_HOME"):
            self.data.mkdir(parents=True, exist_ok=True)
            self.root.mkdir(mode=0o700, exist_ok=True)
            if self.root.stat().st_mode & 0o077:  # an existing folder, such as a copy, may be readable by others
                self.root.chmod(0o700)
            self.use_file.touch(mode=0o600)

    @contextmanager
    def locked(self, seconds: float) -> Generator[None]:
        """Hold the lock that a process needs for starting or stopping the server during the `with` block.

        If the process dies, the kernel releases the lock.

        Args:
            seconds: how long to wait for the lock before `ServerError` is raised.
        """
        lock = FileLock(self.data / "server.lock", mode=0o600)
        with storage_errors(self.data, variable="OVERSTORY_HOME"):
            self.data.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire(timeout=seconds, poll_interval=0.05)
            except Timeout as error:
                raise ServerError(
                    f"Another process has been starting or stopping the server in {self.data} for {seconds:.0f} s.",
                    remedy="Look for other `overstory` processes and end them, then try again.",
                ) from error
        try:
            yield
        finally:
            lock.release()

    def note_use(self) -> bool:
        """Record that the server is used now, so that it is not stopped as idle.

        Return False if no server has been started in this data folder yet.
        """
        try:
            os.utime(self.use_file)
        except OSError:
            return False
        return True

    def last_use(self) -> float:
        """Return the time when the server was last used, in seconds since the epoch; 0 if it was never used."""
        try:
            return self.use_file.stat().st_mtime
        except OSError:
            return 0.0

    def running(self) -> Running | None:
        """Return the record of the running server, or None if there is none.

        The recorded process may have ended in the meantime; use `process.is_server` to check.
        """
        try:
            return Running(**json.loads(self.running_file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def check_version(self, version: str) -> None:
        """Raise `ServerStartError` if the graph was last used with a later version of Neo4j.

        Neo4j cannot open the graph of a later version.
        """
        recorded = self._store().get("neo4j")
        if isinstance(recorded, str) and _version_key(recorded) > _version_key(version):
            raise ServerStartError(
                f"The graph in {self.home} was last used with Neo4j {recorded}; "
                f"this version of Overstory uses {version}, and Neo4j cannot open stores of a later version.",
                remedy="Use the version of Overstory that wrote it, or set OVERSTORY_HOME to another folder.",
            )

    def last_ports(self) -> Ports | None:
        """Return the ports that the server used last, or None if it has not been started yet."""
        recorded = self._store()
        bolt, http = recorded.get("bolt"), recorded.get("http")
        return Ports(bolt, http) if isinstance(bolt, int) and isinstance(http, int) else None

    def note_store(self, version: str, ports: Ports) -> None:
        """Record the version of Neo4j and the ports that the server is about to use.

        This must be done before the server starts, because it may convert the graph to the format of its version.
        """
        text = json.dumps({"neo4j": version, "bolt": ports.bolt, "http": ports.http})
        write_whole(self.store_file, text + "\n")

    def _store(self) -> dict[str, object]:
        try:
            recorded = json.loads(self.store_file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return recorded if isinstance(recorded, dict) else {}

    def note_running(self, running: Running) -> None:
        write_whole(self.running_file, json.dumps(asdict(running)))

    def forget_running(self) -> None:
        self.running_file.unlink(missing_ok=True)
        self._hidden_running_file.unlink(missing_ok=True)

    def hide_running(self) -> None:
        """Hide the record of the running server by renaming its file, which works even on a full disk.

        `show_running` undoes this.
        """
        with suppress(FileNotFoundError):
            self.running_file.rename(self._hidden_running_file)

    def show_running(self) -> None:
        with suppress(FileNotFoundError):
            self._hidden_running_file.rename(self.running_file)

    @property
    def _hidden_running_file(self) -> Path:
        return self.running_file.with_suffix(".json.hidden")

    def password(self) -> str | None:
        try:
            return self.password_file.read_text(encoding="utf-8").strip() or None
        except FileNotFoundError:
            return None

    def make_password(self) -> str:
        """Generate a password, save it in a file that only the user can read, and return it."""
        password = secrets.token_urlsafe(24)
        write_whole(self.password_file, password + "\n")
        return password

    def has_graph(self) -> bool:
        """Return True if Neo4j has already created its databases."""
        return (self.home / "data" / "databases").exists()

    def known_password(self) -> str:
        """Return the password, or raise `ServerError` if its file is missing."""
        password = self.password()
        if password is None:
            raise ServerError(
                f"{self.password_file} is missing: the password of this server's graph is unknown.",
                remedy="Put the password back into that file, or delete the graph with `overstory server remove`.",
            )
        return password

    def connection(self, running: Running) -> Connection:
        return Connection(f"bolt://{HOST}:{running.bolt}", USER, self.known_password(), running.http_url)


def _version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))
