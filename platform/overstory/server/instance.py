"""One instance of the embedded server: its files, its password and the record of the running process."""

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
    """Addresses and credentials of a running server: `uri` for drivers, `http_url` for Neo4j Browser."""

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
    """Record of a running server, written by the process that started it.

    Attributes:
        started: time of the start, in seconds since the epoch.
        ready: True once the server has answered its first query.
        java, jars: paths of the Java binary and of the folder of jars.
        idle_minutes: minutes without use after which the server is stopped; 0 for never.
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
    """Files of one embedded server, all below `<data>/server`.

    Only the lock file lies outside that folder, because it must survive `remove`.

    Attributes:
        data: the data folder from the settings.
    """

    data: Path

    @classmethod
    def of(cls, places: Places) -> Instance:
        return cls(places.data.resolve())  # a symbolic link and its target are the same instance

    @property
    def root(self) -> Path:
        return self.data / "server"

    @property
    def home(self) -> Path:
        """Neo4j's home folder: configuration, store and logs."""
        return self.root / "neo4j"

    @property
    def console(self) -> Path:
        """File with the output of the server's process."""
        return self.root / "console.log"

    @property
    def password_file(self) -> Path:
        return self.root / "password"

    @property
    def running_file(self) -> Path:
        return self.root / "running.json"

    @property
    def store_file(self) -> Path:
        """File with the Neo4j version and the ports that the store was last used with."""
        return self.root / "store.json"

    @property
    def use_file(self) -> Path:
        """File whose modification time is the last use of the server."""
        return self.root / "last-use"

    @property
    def watch_lock(self) -> Path:
        """Lock file that the watchdog holds while it runs."""
        return self.root / "watchdog.lock"

    @property
    def archives(self) -> Path:
        """Folder of the class archive."""
        return self.root / "class-archive"

    def create(self) -> None:
        """Create the folders, accessible only to the user."""
        with storage_errors(self.root, variable="OVERSTORY_HOME"):
            self.data.mkdir(parents=True, exist_ok=True)
            self.root.mkdir(mode=0o700, exist_ok=True)
            if self.root.stat().st_mode & 0o077:  # an existing folder, such as a copy, may be readable by others
                self.root.chmod(0o700)
            self.use_file.touch(mode=0o600)

    @contextmanager
    def locked(self, seconds: float) -> Generator[None]:
        """Hold the lock for starting and stopping the server. The kernel releases the lock if the process dies."""
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
        """Postpone the idle stop; return False if no server was ever started."""
        try:
            os.utime(self.use_file)
        except OSError:
            return False
        return True

    def last_use(self) -> float:
        """Return the time of the last use in seconds since the epoch; 0 if the server was never used."""
        try:
            return self.use_file.stat().st_mtime
        except OSError:
            return 0.0

    def running(self) -> Running | None:
        """Return the record of the running server, if there is one. The process may have ended since."""
        try:
            return Running(**json.loads(self.running_file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def check_version(self, version: str) -> None:
        """Raise an error if the store was last used with a later Neo4j version, because `version` could not open it."""
        recorded = self._store().get("neo4j")
        if isinstance(recorded, str) and _version_key(recorded) > _version_key(version):
            raise ServerStartError(
                f"The graph in {self.home} was last used with Neo4j {recorded}; "
                f"this version of Overstory uses {version}, and Neo4j cannot open stores of a later version.",
                remedy="Use the version of Overstory that wrote it, or set OVERSTORY_HOME to another folder.",
            )

    def last_ports(self) -> Ports | None:
        """Return the ports of the last start, if there was one."""
        recorded = self._store()
        bolt, http = recorded.get("bolt"), recorded.get("http")
        return Ports(bolt, http) if isinstance(bolt, int) and isinstance(http, int) else None

    def note_store(self, version: str, ports: Ports) -> None:
        """Record version and ports before a start, because the start may upgrade the store to this version's format."""
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
        """Hide the record of the running server temporarily. Renaming works even on a full disk."""
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
        """Create a new password in a file that only the user can read."""
        password = secrets.token_urlsafe(24)
        write_whole(self.password_file, password + "\n")
        return password

    def has_graph(self) -> bool:
        """Return True if Neo4j has created its databases."""
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
