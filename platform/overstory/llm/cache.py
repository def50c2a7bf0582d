"""Answers of language models, remembered on disk, so that a run that was stopped pays for nothing twice.

One SQLite file in the cache folder, shared by all processes of a user. It holds answers and digests of requests, and
neither prompts nor keys. What is not used is dropped when the file outgrows its bound; a file that is broken, or of
another version, is begun anew: nothing in it is more than money.
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
"""Bytes that an answer takes beside its text."""
TOUCH_SECONDS = 3_600.0
"""An answer is marked as used at most so often: a run that reads much should not write as much."""
KEPT = 0.8
"""Share of the bound that is left when answers are dropped."""

_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, text TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, estimated INTEGER NOT NULL,
    size INTEGER NOT NULL, used REAL NOT NULL
) WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True)
class CacheSize:
    """What is remembered: how many answers, their bytes, and the tokens they took when they were given."""

    path: Path
    answers: int
    bytes: int
    tokens: int


def request_key(fingerprint: str, messages: Sequence[Message], schema: JsonSchema | None, max_tokens: int) -> str:
    """What a request is remembered under: model and its parameters, messages, form and limit."""
    return digest_of(VERSION, fingerprint, [(each.role, each.text) for each in messages], schema, max_tokens)


class AnswerCache:
    """Remembered answers. Safe to share between threads, and its file between processes."""

    def __init__(self, path: Path, *, most_bytes: int) -> None:
        """Nothing is opened or made before it is needed."""
        self.path = path
        self._most_bytes = most_bytes

    def prepare(self) -> None:
        """Makes the file where it is not there, so that what cannot be remembered is known before it is paid for.

        Raises:
            LlmError: the file cannot be made or opened.
        """
        self._do(lambda _: None)

    def get(self, key: str) -> Completion | None:
        """The answer to a request, or None.

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
        """Remembers an answer. Whether it is worth that is for the caller to say.

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
        """
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
        """Forgets everything; what that was.

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
        """Works on a connection of its own: opening costs a tenth of a millisecond, and no thread waits for another. A
        broken file is begun anew."""
        try:
            try:
                with closing(self._connected()) as database:
                    return work(database)
            except sqlite3.OperationalError:
                raise  # locked for too long, a full disk, no permission: not the content's fault
            except sqlite3.DatabaseError:
                for suffix in ("", "-wal", "-shm"):
                    self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
                with closing(self._connected()) as database:
                    return work(database)
        except (sqlite3.Error, OSError) as error:
            raise LlmError(
                f"The file of remembered answers, {self.path}, cannot be used: {error}",
                remedy="Make its folder writeable, choose another with OVERSTORY_CACHE, or set OVERSTORY_LLM_CACHE_MB=0"
                " to remember nothing.",
            ) from error

    def _connected(self) -> sqlite3.Connection:
        """A connection that commits each statement, to a file that has its table."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = not self.path.exists()
        database = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            if new:
                with suppress(OSError):  # answers may quote what only this user may read
                    self.path.chmod(0o600)
            [version] = database.execute("PRAGMA user_version").fetchone()
            if version != VERSION:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("BEGIN IMMEDIATE")
                [version] = database.execute("PRAGMA user_version").fetchone()
                if version != VERSION:  # nobody else was faster
                    database.execute("DROP TABLE IF EXISTS answers")
                    database.execute(_TABLE)
                    database.execute(f"PRAGMA user_version = {VERSION}")
                database.execute("COMMIT")
            database.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            database.close()
            raise
        return database
