"""A cache of language models' answers on disk, so that a resumed run does not pay twice.

One SQLite file in the cache folder, shared by all processes of a user. It holds answers and digests of requests, but
neither prompts nor keys. The least recently used answers are dropped when the file exceeds its limit. A corrupt file,
or one of another version, is recreated: losing it only costs money.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from overstory.errors import LlmError
from overstory.llm.digests import digest_of
from overstory.model import Completion, JsonSchema, Message, Usage

R = TypeVar("R")

VERSION = 1
BUSY_SECONDS = 30.0
OVERHEAD = 200
"""Bytes of an answer in addition to its text."""
TOUCH_SECONDS = 3_600.0
"""Minimum time between two updates of an answer's last use, so that reads cause few writes."""
KEPT = 0.8
"""Share of the size limit that remains after dropping answers."""

_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, text TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, estimated INTEGER NOT NULL,
    size INTEGER NOT NULL, used REAL NOT NULL
) WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True)
class CacheSize:
    """Number of cached answers, their bytes, and the tokens that they cost originally."""

    path: Path
    answers: int
    bytes: int
    tokens: int


def request_key(fingerprint: str, messages: Sequence[Message], schema: JsonSchema | None, max_tokens: int) -> str:
    """The cache key of a request: model and its parameters, messages, schema and limit."""
    return digest_of(VERSION, fingerprint, [(each.role, each.text) for each in messages], schema, max_tokens)


class AnswerCache:
    """Cached answers. Safe to share between threads, and its file between processes."""

    def __init__(self, path: Path, *, most_bytes: int) -> None:
        """The file is created and opened on first use."""
        self.path = path
        self._most_bytes = most_bytes

    def prepare(self) -> None:
        """Create the file if it is missing, so that a cache that cannot be written fails before anything is paid.

        Raises:
            LlmError: the file cannot be created or opened.
        """
        self._do(lambda _: None)

    def get(self, key: str) -> Completion | None:
        """The cached answer to a request, or None.

        Raises:
            LlmError: the file cannot be opened.
        """

        def read(database: sqlite3.Connection) -> Completion | None:
            row = database.execute(
                "SELECT model, text, prompt_tokens, completion_tokens, estimated, used FROM answers WHERE key = ?",
                (key,),
            ).fetchone()
            if row is None:
                return None
            model, text, prompt, completion, estimated, used = row
            now = time.time()
            if abs(now - used) > TOUCH_SECONDS:
                database.execute("UPDATE answers SET used = ? WHERE key = ?", (now, key))
            return Completion(text, model, Usage(prompt, completion, bool(estimated)), cached=True)

        return self._do(read) if self.path.exists() else None

    def put(self, key: str, completion: Completion) -> None:
        """Store an answer; the caller decides which ones are worth it.

        Raises:
            LlmError: the file cannot be opened or written.
        """
        size = len(completion.text.encode(errors="replace")) + OVERHEAD
        if size > self._most_bytes:
            return
        usage = completion.usage

        def write(database: sqlite3.Connection) -> None:
            database.execute("BEGIN IMMEDIATE")
            database.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(key, completion.model, completion.text, usage.prompt_tokens, usage.completion_tokens),
                    *(usage.estimated, size, time.time()),
                ),
            )
            self._make_room(database)
            database.execute("COMMIT")

        self._do(write)

    def size(self) -> CacheSize:
        """The size of the cache.

        Raises:
            LlmError: the file cannot be opened.
        """
        if not self.path.exists():
            return CacheSize(self.path, 0, 0, 0)
        answers, size, tokens = self._do(
            lambda database: database.execute(
                "SELECT count(*), coalesce(sum(size), 0), coalesce(sum(prompt_tokens + completion_tokens), 0)"
                " FROM answers"
            ).fetchone()
        )
        return CacheSize(self.path, answers, size, tokens)

    def clear(self) -> CacheSize:
        """Delete all answers; returns their number and size.

        Raises:
            LlmError: the file cannot be opened or written.
        """
        found = self.size()
        if found.answers:
            self._do(lambda database: database.execute("DELETE FROM answers"))
            self._do(lambda database: database.execute("VACUUM"))
        return found

    def _make_room(self, database: sqlite3.Connection) -> None:
        [total] = database.execute("SELECT coalesce(sum(size), 0) FROM answers").fetchone()
        if total <= self._most_bytes:
            return
        excess = total - KEPT * self._most_bytes
        for key, size in database.execute("SELECT key, size FROM answers ORDER BY used").fetchall():
            if excess <= 0:
                return
            database.execute("DELETE FROM answers WHERE key = ?", (key,))
            excess -= size

    def _do(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """Run `work` on a connection of its own: opening takes a tenth of a millisecond, and threads need not wait for
        each other. A corrupt file is recreated."""
        try:
            try:
                with closing(self._connected()) as database:
                    return work(database)
            except sqlite3.OperationalError:
                raise  # locked for too long, disk full or no permission: the file itself is not corrupt
            except sqlite3.DatabaseError:
                for suffix in ("", "-wal", "-shm"):
                    self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
                with closing(self._connected()) as database:
                    return work(database)
        except (sqlite3.Error, OSError) as error:
            raise LlmError(
                f"The answer cache {self.path} cannot be used: {error}",
                remedy="Make its folder writable, choose another with OVERSTORY_CACHE, or set OVERSTORY_LLM_CACHE_MB=0"
                " to turn the cache off.",
            ) from error

    def _connected(self) -> sqlite3.Connection:
        """A connection in autocommit mode to a file with the table created."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = not self.path.exists()
        database = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            if new:
                with suppress(OSError):  # answers may quote texts that only this user may read
                    self.path.chmod(0o600)
            [version] = database.execute("PRAGMA user_version").fetchone()
            if version != VERSION:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("BEGIN IMMEDIATE")
                [version] = database.execute("PRAGMA user_version").fetchone()
                if version != VERSION:  # not created meanwhile by another process
                    database.execute("DROP TABLE IF EXISTS answers")
                    database.execute(_TABLE)
                    database.execute(f"PRAGMA user_version = {VERSION}")
                database.execute("COMMIT")
            database.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            database.close()
            raise
        return database
