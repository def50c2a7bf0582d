"""Answer cache on disk, so that a resumed run does not pay for the same answer twice.

The cache is one SQLite file that all processes of a user share. It holds answers, digests of requests and the ids of
the passages that prompts quote, but neither prompts nor API keys. When a quoted passage is deleted, the answer is
deleted, too. If the file exceeds its size limit, the least recently used answers are dropped. A corrupt file, or one of
another version, is recreated.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from overstory.errors import LlmError
from overstory.llm.digests import digest_of
from overstory.model import Completion, JsonSchema, Message, Usage

R = TypeVar("R")

_CACHE_VERSION = 2
_BUSY_SECONDS = 30.0
_ANSWER_OVERHEAD_BYTES = 200  # size of a row in addition to the answer's text
_QUOTE_BYTES = 250
"""Size of each quoted passage's entry: two ids, in a table and in its index."""
_TOUCH_SECONDS = 3_600.0
"""Minimum time between two updates of an answer's last use, which saves writes."""
_KEPT_SHARE = 0.8  # share of the size limit that is left after dropping answers

_TABLES = (
    "DROP TABLE IF EXISTS answers",
    "DROP TABLE IF EXISTS quotes",
    """
    CREATE TABLE answers (
        key TEXT PRIMARY KEY, model TEXT NOT NULL, text TEXT NOT NULL,
        prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, estimated INTEGER NOT NULL,
        size INTEGER NOT NULL, used REAL NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE TABLE quotes (passage TEXT, key TEXT, PRIMARY KEY (passage, key)) WITHOUT ROWID",
    "CREATE INDEX quotes_by_key ON quotes (key)",
)
FORGET_ANSWERS = """
DELETE FROM answers WHERE key IN (SELECT key FROM quotes WHERE passage IN (SELECT value FROM json_each(?)))
"""
FORGET_QUOTES = """
DELETE FROM quotes WHERE key IN (SELECT key FROM quotes WHERE passage IN (SELECT value FROM json_each(?)))
"""


@dataclass(frozen=True, slots=True)
class CacheSize:
    """Number of cached answers, their size in bytes, and the tokens that they cost originally."""

    path: Path
    answers: int
    bytes: int
    tokens: int


def request_key(fingerprint: str, messages: Sequence[Message], schema: JsonSchema | None, max_tokens: int) -> str:
    """Return the cache key of a request, a digest of the model, messages, schema and token limit."""
    return digest_of(_CACHE_VERSION, fingerprint, [(each.role, each.text) for each in messages], schema, max_tokens)


class AnswerCache:
    """A cache of answers. Safe to share between threads; the file is safe to share between processes."""

    def __init__(self, path: Path, *, most_bytes: int) -> None:
        """Open nothing yet; the file is created on first use."""
        self.path = path
        self._most_bytes = most_bytes

    def prepare(self) -> None:
        """Create the file if it is missing, so that an unwritable cache fails before a request is paid for."""
        self._do(lambda _: None)

    def get(self, key: str, *, quotes: Collection[str] = ()) -> Completion | None:
        """Return the cached answer to a request, or None.

        Args:
            quotes: ids of the passages that the prompt quotes. The answer may have been cached for other passages with
                the same text; it is deleted with the first of all these passages that is deleted.
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
            if abs(now - used) > _TOUCH_SECONDS:
                database.execute("UPDATE answers SET used = ? WHERE key = ?", (now, key))
            if quotes:
                self._quote_also(database, key, quotes)
            return Completion(text, model, Usage(prompt, completion, bool(estimated)), cached=True)

        return self._do(read) if self.path.exists() else None

    def put(self, key: str, completion: Completion, *, quotes: Collection[str] = ()) -> None:
        """Store an answer. Answers larger than the whole cache are not stored.

        Args:
            quotes: ids of the passages that the prompt quotes; `forget` deletes the answer with any of them.
        """
        passages = set(quotes)
        size = len(completion.text.encode(errors="replace")) + _ANSWER_OVERHEAD_BYTES + _QUOTE_BYTES * len(passages)
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
            database.executemany("INSERT OR IGNORE INTO quotes VALUES (?, ?)", ((passage, key) for passage in passages))
            self._make_room(database)
            database.execute("COMMIT")

        self._do(write)

    def forget(self, passages: Sequence[str]) -> int:
        """Delete the answers whose prompts quote one of these passages, and return their number.

        The deleted content is overwritten in the file.
        """
        ids = json.dumps(list(passages))

        def delete(database: sqlite3.Connection) -> int:
            database.execute("PRAGMA secure_delete = ON")
            database.execute("BEGIN IMMEDIATE")
            forgotten = database.execute(FORGET_ANSWERS, (ids,)).rowcount
            database.execute(FORGET_QUOTES, (ids,))
            database.execute("COMMIT")
            return forgotten

        return self._do(delete) if self._exists() else 0

    def move(self, passages: Sequence[tuple[str, str]]) -> None:
        """Update passage ids after a document moved, given as (old, new) pairs."""

        def rename(database: sqlite3.Connection) -> None:
            database.execute("BEGIN IMMEDIATE")
            for old, new in passages:
                database.execute("UPDATE OR REPLACE quotes SET passage = ? WHERE passage = ?", (new, old))
            database.execute("COMMIT")

        if passages and self._exists():
            self._do(rename)

    def size(self) -> CacheSize:
        """Return the size of the cache."""
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
        """Delete all answers; return the size of the cache before."""
        found = self.size()
        if found.answers:
            self._do(lambda database: database.executescript("DELETE FROM answers; DELETE FROM quotes"))
            self._do(lambda database: database.execute("VACUUM"))
        return found

    def _make_room(self, database: sqlite3.Connection) -> None:
        [total] = database.execute("SELECT coalesce(sum(size), 0) FROM answers").fetchone()
        if total <= self._most_bytes:
            return
        excess = total - _KEPT_SHARE * self._most_bytes
        for key, size in database.execute("SELECT key, size FROM answers ORDER BY used").fetchall():
            if excess <= 0:
                return
            database.execute("DELETE FROM answers WHERE key = ?", (key,))
            database.execute("DELETE FROM quotes WHERE key = ?", (key,))
            excess -= size

    def _quote_also(self, database: sqlite3.Connection, key: str, passages: Collection[str]) -> None:
        """Add quoted passages to a cached answer. Writes only if some are missing."""
        known = {passage for (passage,) in database.execute("SELECT passage FROM quotes WHERE key = ?", (key,))}
        new = set(passages) - known
        if new:
            database.execute("BEGIN IMMEDIATE")
            database.execute("UPDATE answers SET size = size + ? WHERE key = ?", (_QUOTE_BYTES * len(new), key))
            database.executemany("INSERT OR IGNORE INTO quotes VALUES (?, ?)", ((passage, key) for passage in new))
            database.execute("COMMIT")

    def _exists(self) -> bool:
        try:
            return self.path.exists()
        except OSError as error:
            raise self._unusable(error) from error

    def _do(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """Run `work` on a new connection. A corrupt file is recreated.

        Opening a connection takes 0.1 ms, and threads with their own connections need not wait for each other.
        """
        try:
            try:
                with closing(self._connected()) as database:
                    return work(database)
            except sqlite3.OperationalError:
                raise  # locked for too long, disk full or no permission: the file is not corrupt
            except sqlite3.DatabaseError:
                for suffix in ("", "-wal", "-shm"):
                    self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
                with closing(self._connected()) as database:
                    return work(database)
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> LlmError:
        return LlmError(
            f"The answer cache {self.path} cannot be used: {error}",
            remedy="Make its folder writable, choose another with OVERSTORY_CACHE, or set OVERSTORY_LLM_CACHE_MB=0"
            " to turn the cache off.",
        )

    def _connected(self) -> sqlite3.Connection:
        """Return a connection in autocommit mode; the tables exist."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = not self.path.exists()
        database = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            if new:
                with suppress(OSError):  # answers may quote texts that only this user may read
                    self.path.chmod(0o600)
            [version] = database.execute("PRAGMA user_version").fetchone()
            if version != _CACHE_VERSION:
                database.execute("BEGIN IMMEDIATE")
                [version] = database.execute("PRAGMA user_version").fetchone()
                if version != _CACHE_VERSION:  # another process may have created them meanwhile
                    for statement in _TABLES:
                        database.execute(statement)
                    database.execute(f"PRAGMA user_version = {_CACHE_VERSION}")
                database.execute("COMMIT")
            with suppress(sqlite3.OperationalError):  # fails at once if the file is in use; the next connection retries
                database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            database.close()
            raise
        return database
