"""The answer cache on disk. Thanks to it, a run that is resumed does not pay for the same answer twice.

The cache is one SQLite file that all processes of a user share. It contains answers, digests of requests, and the ids
of the passages that the prompts quote. It contains neither prompts nor API keys. An answer is deleted with any passage
that its prompt quotes. If the file exceeds its size limit, the least recently used answers are dropped. If the file is
corrupt or was written by another version, it is recreated.
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
_ANSWER_OVERHEAD_BYTES = 200  # estimated size of a database row without the text of the answer
_QUOTE_BYTES = 250
"""Estimated size of the entry for a quoted passage: two ids, which are stored in a table and in an index."""
_TOUCH_SECONDS = 3_600.0
"""Minimum number of seconds between two updates of the time at which an answer was last used. This saves writes."""
_KEPT_SHARE = 0.8  # when answers are dropped, the cache shrinks to this fraction of its size limit

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
    """The size of the answer cache.

    Attributes:
        tokens: tokens that the answers originally cost.
    """

    path: Path
    answers: int
    bytes: int
    tokens: int


def request_key(fingerprint: str, messages: Sequence[Message], schema: JsonSchema | None, max_tokens: int) -> str:
    """Return the cache key for a request: a digest of the model, the messages, the schema and the token limit."""
    return digest_of(_CACHE_VERSION, fingerprint, [(each.role, each.text) for each in messages], schema, max_tokens)


class AnswerCache:
    """A cache of answers. It is safe to share between threads, and its file is safe to share between processes."""

    def __init__(self, path: Path, *, most_bytes: int) -> None:
        """Create a cache whose file is not opened before its first use."""
        self.path = path
        self._most_bytes = most_bytes

    def prepare(self) -> None:
        """Create the file if it is missing. If it cannot be written, this fails before a request is paid for."""
        self._do(lambda _: None)

    def get(self, key: str, *, quotes: Collection[str] = ()) -> Completion | None:
        """Return the cached answer to a request, or None if there is none.

        Args:
            key: key of the request; see `request_key`.
            quotes: ids of the passages that the prompt quotes. The answer may have been cached for other passages with
                the same text. From now on, it is deleted when any passage of either group is deleted.
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
        """Store an answer. An answer that is larger than the size limit of the cache is not stored.

        Args:
            key: key of the request; see `request_key`.
            quotes: ids of the passages that the prompt quotes. When any of them is deleted, `forget` deletes the
                answer.
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
        """Delete all answers whose prompts quote one of the given passages, and return the number of deleted answers.

        The deleted content is overwritten in the file.

        Args:
            passages: ids of the passages.
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
        """Replace passage ids after a document has been moved. Each pair contains an old id and a new id."""

        def rename(database: sqlite3.Connection) -> None:
            database.execute("BEGIN IMMEDIATE")
            for old, new in passages:
                database.execute("UPDATE OR REPLACE quotes SET passage = ? WHERE passage = ?", (new, old))
            database.execute("COMMIT")

        if passages and self._exists():
            self._do(rename)

    def size(self) -> CacheSize:
        """Return the number and the size of the cached answers."""
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
        """Delete all answers, and return the size that the cache had before."""
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
        """Run `work` on a new connection. If the file is corrupt, recreate it and run `work` again.

        Opening a connection takes only 0.1 ms. Because each thread has its own connection, threads do not wait for each
        other.
        """
        try:
            try:
                with closing(self._connected()) as database:
                    return work(database)
            except sqlite3.OperationalError:
                raise  # the file is not corrupt, but locked, or the disk is full, or permissions are missing
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
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = not self.path.exists()
        database = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            if new:
                with suppress(OSError):  # only this user may read the file, because answers may quote private texts
                    self.path.chmod(0o600)
            [version] = database.execute("PRAGMA user_version").fetchone()
            if version != _CACHE_VERSION:
                database.execute("BEGIN IMMEDIATE")
                [version] = database.execute("PRAGMA user_version").fetchone()
                if version != _CACHE_VERSION:  # checked again: another process may have just created the tables
                    for statement in _TABLES:
                        database.execute(statement)
                    database.execute(f"PRAGMA user_version = {_CACHE_VERSION}")
                database.execute("COMMIT")
            with suppress(sqlite3.OperationalError):  # fails if the file is in use; a later connection tries again
                database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            database.close()
            raise
        return database
