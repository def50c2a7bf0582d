"""One instance of the embedded server: its files, its password, and what it says about a running server."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from overstory.errors import ServerError
from overstory.server.atomic_files import storage_errors, write_whole
from overstory.settings import Places

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
    """What the process that started a server wrote down about it.

    Attributes:
        started: seconds since the epoch.
        ready: False until its first query was answered.
    """

    pid: int
    bolt: int
    http: int
    started: float
    neo4j: str
    ready: bool

    @property
    def http_url(self) -> str:
        return f"http://{HOST}:{self.http}"


@dataclass(frozen=True, slots=True)
class Instance:
    """The files of one embedded server, all below `<data>/server` but its lock, which must outlive a removal.

    Attributes:
        data: the folder of the settings' places.
    """

    data: Path

    @classmethod
    def of(cls, places: Places) -> Instance:
        return cls(places.data.resolve())  # a link and its target are one instance

    @property
    def root(self) -> Path:
        return self.data / "server"

    @property
    def home(self) -> Path:
        """Neo4j's own: configuration, store, logs."""
        return self.root / "neo4j"

    @property
    def console(self) -> Path:
        """What Neo4j prints."""
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
        """Its modification time is the last time that somebody asked for the server."""
        return self.root / "last-use"

    @property
    def watch_lock(self) -> Path:
        """Held by the watchdog as long as it lives."""
        return self.root / "watchdog.lock"

    def create(self) -> None:
        """Makes the folders, for the user alone."""
        with storage_errors(self.root, variable="OVERSTORY_HOME"):
            self.data.mkdir(parents=True, exist_ok=True)
            self.root.mkdir(mode=0o700, exist_ok=True)
            self.use_file.touch(mode=0o600)

    @contextmanager
    def locked(self, seconds: float) -> Generator[None]:
        """Holds the lock that decides who starts or stops the server; the kernel frees it with its holder.

        Raises:
            ServerError: another process held it for so long.
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
        """Puts off the idle stop; False where no server was ever started."""
        try:
            os.utime(self.use_file)
        except OSError:
            return False
        return True

    def last_use(self) -> float:
        """Seconds since the epoch; 0 where nobody ever asked."""
        try:
            return self.use_file.stat().st_mtime
        except OSError:
            return 0.0

    def running(self) -> Running | None:
        """What is noted about a running server; whether it still runs is another question."""
        try:
            return Running(**json.loads(self.running_file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def note_running(self, running: Running) -> None:
        write_whole(self.running_file, json.dumps(asdict(running)))

    def forget_running(self) -> None:
        self.running_file.unlink(missing_ok=True)
        self._hidden_running_file.unlink(missing_ok=True)

    def hide_running(self) -> None:
        """Takes the note away for a moment; renaming works on a full disk, too."""
        with suppress(FileNotFoundError):
            self.running_file.rename(self._hidden_running_file)

    def show_running(self) -> None:
        """Puts a hidden note back."""
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
        """A new password, readable by the user alone."""
        password = secrets.token_urlsafe(24)
        write_whole(self.password_file, password + "\n")
        return password

    def has_graph(self) -> bool:
        """Whether Neo4j has begun to store something, its users to begin with."""
        return (self.home / "data" / "databases").exists()

    def known_password(self) -> str:
        """Raises:
        ServerError: the password file is gone.
        """
        password = self.password()
        if password is None:
            raise ServerError(
                f"{self.password_file} is missing: the password of this server's graph is not known.",
                remedy="Put the password back into that file, or delete the graph with `overstory server remove`.",
            )
        return password

    def connection(self, running: Running) -> Connection:
        """Raises:
        ServerError: the password file is gone.
        """
        return Connection(f"bolt://{HOST}:{running.bolt}", USER, self.known_password(), running.http_url)
