"""One instance of the embedded server: its files, its password, and its record of the running server."""

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
    """How to reach a running server: `uri`, `user` and `password` for drivers, `http_url` for Neo4j Browser."""

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
    """The record of a running server, written by the process that started it.

    Attributes:
        started: seconds since the epoch.
        ready: False until its first query was answered.
        java, jars: the binary, and the folder of jars.
        idle_minutes: without use, after which it is stopped; 0 for never.
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
    """The files of one embedded server, all below `<data>/server` except its lock, which must survive a removal.

    Attributes:
        data: the folder of the settings' places.
    """

    data: Path

    @classmethod
    def of(cls, places: Places) -> Instance:
        return cls(places.data.resolve())  # a link and its target are the same instance

    @property
    def root(self) -> Path:
        return self.data / "server"

    @property
    def home(self) -> Path:
        """Neo4j's home: configuration, store, logs."""
        return self.root / "neo4j"

    @property
    def console(self) -> Path:
        """Neo4j's output."""
        return self.root / "console.log"

    @property
    def password_file(self) -> Path:
        return self.root / "password"

    @property
    def running_file(self) -> Path:
        return self.root / "running.json"

    @property
    def store_file(self) -> Path:
        """The versions and ports that the store was last used with."""
        return self.root / "store.json"

    @property
    def use_file(self) -> Path:
        """Its modification time is the last use of the server."""
        return self.root / "last-use"

    @property
    def watch_lock(self) -> Path:
        """Held by the watchdog while it runs."""
        return self.root / "watchdog.lock"

    @property
    def archives(self) -> Path:
        """The class archive."""
        return self.root / "class-archive"

    def create(self) -> None:
        """Create the folders, accessible only to the user."""
        with storage_errors(self.root, variable="OVERSTORY_HOME"):
            self.data.mkdir(parents=True, exist_ok=True)
            self.root.mkdir(mode=0o700, exist_ok=True)
            if self.root.stat().st_mode & 0o077:  # it was there before, maybe as a copy
                self.root.chmod(0o700)
            self.use_file.touch(mode=0o600)

    @contextmanager
    def locked(self, seconds: float) -> Generator[None]:
        """Hold the lock for starting and stopping the server; the kernel releases it if the process dies."""
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
        """Postpone the idle stop; returns False if no server was ever started."""
        try:
            os.utime(self.use_file)
        except OSError:
            return False
        return True

    def last_use(self) -> float:
        """Seconds since the epoch; 0 if the server was never used."""
        try:
            return self.use_file.stat().st_mtime
        except OSError:
            return 0.0

    def running(self) -> Running | None:
        """The record of the running server, if any; the process may have ended since."""
        try:
            return Running(**json.loads(self.running_file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def check_version(self, version: str) -> None:
        """Refuse a store that was last used with a later version of Neo4j than this one, which could not open it."""
        recorded = self._store().get("neo4j")
        if isinstance(recorded, str) and _version_key(recorded) > _version_key(version):
            raise ServerStartError(
                f"The graph in {self.home} was last used with Neo4j {recorded}; "
                f"this version of Overstory uses {version}, and Neo4j cannot open stores of a later version.",
                remedy="Use the version of Overstory that wrote it, or set OVERSTORY_HOME to another folder.",
            )

    def last_ports(self) -> Ports | None:
        """The ports of the last start, if any."""
        recorded = self._store()
        bolt, http = recorded.get("bolt"), recorded.get("http")
        return Ports(bolt, http) if isinstance(bolt, int) and isinstance(http, int) else None

    def note_store(self, version: str, ports: Ports) -> None:
        """Record version and ports before a start: from then on the store may be in this version's format."""
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
        """Hide the record for a moment; renaming works even on a full disk."""
        with suppress(FileNotFoundError):
            self.running_file.rename(self._hidden_running_file)

    def show_running(self) -> None:
        """Restore the hidden record."""
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
        """Create a new password, readable only by the user."""
        password = secrets.token_urlsafe(24)
        write_whole(self.password_file, password + "\n")
        return password

    def has_graph(self) -> bool:
        """Whether Neo4j has created its databases."""
        return (self.home / "data" / "databases").exists()

    def known_password(self) -> str:
        """The password."""
        password = self.password()
        if password is None:
            raise ServerError(
                f"{self.password_file} is missing: the password of this server's graph is unknown.",
                remedy="Put the password back into that file, or delete the graph with `overstory server remove`.",
            )
        return password

    def connection(self, running: Running) -> Connection:
        """The connection to a running server."""
        return Connection(f"bolt://{HOST}:{running.bolt}", USER, self.known_password(), running.http_url)


def _version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))
