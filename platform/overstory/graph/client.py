"""The Neo4j client: named statements with parameters, a fixed database, and retries of transient errors.

Each statement carries the application's and its own name as transaction metadata, so that a slow query in the server
log leads to a file. If a caller is cancelled, its running read ends on the server; a running write completes, and no
further write starts.
"""

from __future__ import annotations

import logging
import operator
import queue
import threading
import uuid
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString, Self, TypeVar

from overstory import server
from overstory.cancellation import can_be_cancelled, check, ended_by
from overstory.closable import Closable
from overstory.errors import AuthenticationFailed, DatabaseError, SettingsError
from overstory.graph.failures import conflicts, driver_errors, refusals
from overstory.graph.statements import (
    OLDEST,
    Capabilities,
    read_capabilities,
    statement,
    takes_corpus,
    with_a_map,
    with_index_names,
)
from overstory.protocols import Progress
from overstory.settings import Settings

if TYPE_CHECKING:
    import neo4j  # imported when a client is created, because it takes 0.2 s if pandas is installed

logging.getLogger("neo4j").addHandler(logging.NullHandler())  # keeps driver warnings off the user's terminal

T = TypeVar("T")
# The header of each statement describes its rows.
Row = dict[str, Any]

APPLICATION = "overstory"
QUESTIONS = "retrieve/"
"""Prefix of statements that a user waits for, which have a time limit; index statements may take long."""

_TERMINATE_AGAIN_SECONDS = 0.1
"""Interval for repeating a termination request, because the cancelled query may not have started yet."""

SCHEMA = "schema/"
"""Prefix of statements whose parameters are passed individually, not in a map."""

# Drivers of garbage-collected clients, closed later because the collector may run while a message is being sent.
_forgotten: queue.SimpleQueue[neo4j.Driver] = queue.SimpleQueue()


def close_forgotten() -> None:
    """Close connections of garbage-collected clients, as opening or closing another client does."""
    while True:
        try:
            driver = _forgotten.get_nowait()
        except queue.Empty:
            return
        driver.close()


# Finalizers run in reverse order at exit, so this one runs after those of all clients.
weakref.finalize(_forgotten, close_forgotten)


class Transaction:
    """A transaction, in which either all statements take effect or none."""

    def __init__(self, transaction: neo4j.ManagedTransaction | neo4j.Transaction, server: tuple[int, ...]) -> None:
        """Wrap a driver transaction.

        Args:
            server: server version, which selects the form of statements.
        """
        self._transaction = transaction
        self._server_version = server

    def run(self, name: str, label: str | None = None, /, **parameters: object) -> list[Row]:
        text, given = _prepared(name, label, parameters, self._server_version)
        return [_row(record) for record in self._transaction.run(text, given)]


class GraphClient(Closable):
    """A connection to one Neo4j database; safe to share between threads. Call `close` or use a `with` block.

    Unreferenced clients are closed before the next one opens.

    Raises:
        DatabaseError: from any method if the server cannot be reached or rejects the statement; the message names the
            statement. Transactions are retried after transient errors; if they fail, nothing was committed.
    """

    def __init__(
        self,
        uri: str,
        user: str,
        password: str | None,
        *,
        database: str,
        query_seconds: float,
        browser_url: str = "",
        storage: Path | None = None,
    ) -> None:
        """Connect and read the server's version and edition.

        Args:
            storage: folder of the embedded server, whose free space is reported if the server cannot write.

        Raises:
            DatabaseUnreachable: no server responds at `uri`.
            AuthenticationFailed: the server rejects the user or the password.
            ServerTooOld: the server is older than Neo4j 5.26.
        """
        self.uri = uri
        self.user = user
        self.database = database
        self.browser_url = browser_url
        self._query_seconds = query_seconds or None
        self._storage = storage
        self._server_version = OLDEST  # until the version is known
        close_forgotten()
        with driver_errors(uri, storage=storage):
            self._driver = _driver(uri, user, password)
        self._forget = weakref.finalize(self, _forgotten.put, self._driver)
        try:
            with driver_errors(uri, storage=storage):
                self._driver.verify_connectivity()  # fails at once, whereas a statement would be retried
            this = weakref.proxy(self)  # avoids a reference cycle, which would delay the finalizer
            self.capabilities: Capabilities = read_capabilities(lambda name: this.run(name))
            self._server_version = self.capabilities.numbers
        except BaseException as error:
            self.close()
            if isinstance(error, AuthenticationFailed) and password is None:
                raise AuthenticationFailed(
                    f"{uri}: the server requires a password, but OVERSTORY_NEO4J_PASSWORD is not set.",
                    remedy="Set OVERSTORY_NEO4J_PASSWORD or OVERSTORY_NEO4J_PASSWORD_FILE, in Python password=.",
                ) from error
            raise

    @classmethod
    def open(cls, settings: Settings, *, progress: Progress | None = None) -> Self:
        """Connect to the user's own server if `settings.database.uri` is set, otherwise to the embedded server.

        Raises:
            ServerError: the embedded server could not be started.
            DatabaseUnreachable, AuthenticationFailed, ServerTooOld: as for the constructor.
        """
        wanted = settings.database
        if wanted.uri is not None:
            return cls(
                wanted.uri,
                wanted.user,
                wanted.password,
                database=wanted.database,
                query_seconds=wanted.query_seconds,
            )
        embedded = server.ensure_running(settings, progress=progress)
        return cls(
            embedded.uri,
            embedded.user,
            embedded.password,
            database="neo4j",
            query_seconds=wanted.query_seconds,
            browser_url=embedded.http_url,
            storage=settings.places.data,
        )

    @classmethod
    def open_source(cls, settings: Settings) -> Self:
        """Connect to the Neo4j whose graph is loaded as documents. Use only `stream`, which cannot write.

        Raises:
            SettingsError: a password is set, but no address.
            ServerError, DatabaseUnreachable, AuthenticationFailed, ServerTooOld: as for `open`.
        """
        wanted = settings.source
        if wanted.uri is None and wanted.password is not None:
            raise SettingsError(
                "OVERSTORY_SOURCE_NEO4J_PASSWORD is set without an address.",
                remedy="Set OVERSTORY_SOURCE_NEO4J_URI or use --from-uri, in Python from_uri=; or unset the password.",
            )
        if wanted.uri is None:
            own = cls.open(settings)
            own.database = wanted.database or own.database
            return own
        database = wanted.database or "neo4j"
        return cls(wanted.uri, wanted.user, wanted.password, database=database, query_seconds=0.0)

    def run(self, name: str, label: str | None = None, /, *, read: bool = False, **parameters: object) -> list[Row]:
        """Run a statement in its own transaction, with retries after transient errors, and return its rows."""
        text, given = _prepared(name, label, parameters, self._server_version)
        import neo4j

        with self._errors(name), self._terminable(reads=read or name.startswith(QUESTIONS)) as mark:
            query = neo4j.Query(text, metadata=_metadata(name) | mark, timeout=self._limit(name))
            result = self._driver.execute_query(
                query,
                given,
                routing_=neo4j.RoutingControl.READ if read else neo4j.RoutingControl.WRITE,
                database_=self.database,
            )
        return [_row(record) for record in result.records]

    def stream(self, name: str, label: str | None = None, /, **parameters: object) -> Iterator[Row]:
        """Run a reading statement and yield its rows as they are fetched; failures are not retried."""
        text, given = _prepared(name, label, parameters, self._server_version)
        import neo4j

        with (
            self._errors(name),
            self._terminable() as mark,
            self._driver.session(database=self.database, default_access_mode=neo4j.READ_ACCESS) as session,
        ):
            query = neo4j.Query(text, metadata=_metadata(name) | mark)
            for record in session.run(query, given):
                yield _row(record)

    def pages(
        self,
        name: str,
        label: str | None = None,
        /,
        *,
        size: int,
        id_of: Callable[[Row], str] = operator.itemgetter("id"),
        **parameters: object,
    ) -> Iterator[list[Row]]:
        """Run a reading statement page by page. Unlike with `stream`, writes between two pages do no harm.

        Args:
            name: statement that returns at most $limit rows in order of id, with ids after $after.
            size: rows per page.
            id_of: returns the id of a row.
        """
        after = ""
        while rows := self.run(name, label, read=True, after=after, limit=size, **parameters):
            yield rows
            after = id_of(rows[-1])

    def run_in_batches(self, name: str, label: str | None = None, /, **parameters: object) -> None:
        """Run a statement that commits in batches (`CALL … IN TRANSACTIONS`). An error keeps the committed batches."""
        text, given = _prepared(name, label, parameters, self._server_version)
        import neo4j

        query = neo4j.Query(text, metadata=_metadata(name))
        with self._errors(name), self._driver.session(database=self.database) as session:
            session.run(query, given).consume()

    def transaction(self, doing: str, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one transaction and return its result. A transient error repeats all of it."""
        import neo4j

        @neo4j.unit_of_work(metadata=_metadata(doing))
        def unit(transaction: neo4j.ManagedTransaction) -> T:
            return work(Transaction(transaction, self._server_version))

        with self._errors(doing), self._driver.session(database=self.database) as session:
            return session.execute_write(unit)

    def attempt(self, doing: str, work: Callable[[Transaction], T], *, seconds: float) -> T:
        """Run `work` in one transaction without retries, for writes that may be postponed.

        Args:
            seconds: time limit on the server, which checks it every two seconds.

        Raises:
            WriteConflict: another transaction holds a lock, or the time limit was exceeded. Nothing was committed.
        """
        with (
            self._errors(doing),
            conflicts(doing),
            self._driver.session(database=self.database) as session,
            session.begin_transaction(metadata=_metadata(doing), timeout=seconds) as transaction,
        ):
            result = work(Transaction(transaction, self._server_version))
            transaction.commit()
            return result

    def reading(self, doing: str, work: Callable[[Transaction], T]) -> T:
        """Run reading `work` in one transaction and return its result; twice as fast as separate `run` calls.

        `doing` starts with "retrieve/" if a user waits for the result. A transient error repeats all of it.
        """
        return self._read(doing, lambda transaction: work(Transaction(transaction, self._server_version)))

    def run_own(self, doing: str, text: str, parameters: Mapping[str, object], work: Callable[[Iterator[Row]], T]) -> T:
        """Run a user's own statement in a read-only transaction, and return what `work` makes of its rows.

        Rows are fetched as `work` consumes them.

        Args:
            doing: starts with "retrieve/" if a user waits for the result.

        Raises:
            StatementRefused: the server rejects the statement, or the statement writes.
        """
        literal: LiteralString = text  # type: ignore[assignment,unused-ignore] # pyright: ignore[reportAssignmentType] # as in `_prepared`

        def unit(transaction: neo4j.ManagedTransaction) -> T:
            with refusals():
                return work(_row(record) for record in transaction.run(literal, dict(parameters)))

        return self._read(doing, unit)

    def native_driver(self) -> neo4j.Driver:
        return self._driver

    def close(self) -> None:
        self._forget.detach()
        self._driver.close()
        close_forgotten()

    def _read(self, doing: str, work: Callable[[neo4j.ManagedTransaction], T]) -> T:
        """Run `work` in a read-only transaction, with the time limit of questions if `doing` is one."""
        import neo4j

        with (
            self._errors(doing),
            self._terminable() as mark,
            self._driver.session(database=self.database, default_access_mode=neo4j.READ_ACCESS) as session,
        ):
            unit = neo4j.unit_of_work(metadata=_metadata(doing) | mark, timeout=self._limit(doing))(work)
            return session.execute_read(unit)

    @contextmanager
    def _errors(self, doing: str) -> Generator[None]:
        """Stop if the caller was cancelled, and translate driver errors."""
        check()
        with driver_errors(doing, storage=self._storage):
            yield

    @contextmanager
    def _terminable(self, *, reads: bool = True) -> Generator[dict[str, str]]:
        """Yield metadata by which the server can find and end the transaction if the caller is cancelled."""
        if not reads or not can_be_cancelled():
            yield {}
            return
        mark, over = uuid.uuid4().hex, threading.Event()
        ending = threading.Thread(target=self._terminate, args=(mark, over), name="overstory-terminate", daemon=True)
        try:
            with ended_by(ending.start):
                yield {"marked": mark}
        finally:
            over.set()
            if ending.ident is not None:
                ending.join()

    def _terminate(self, mark: str, over: threading.Event) -> None:
        while not over.is_set():
            with suppress(DatabaseError):  # the waiting caller gets the same error
                self.run("corpus/terminate", mark=mark)
            over.wait(_TERMINATE_AGAIN_SECONDS)

    def _limit(self, name: str) -> float | None:
        return self._query_seconds if name.startswith(QUESTIONS) else None


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Split items into lists of at most `size`, lazily."""
    batch: list[T] = []
    for item in items:
        batch.append(item)
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


def batches_by_size(items: Iterable[T], size: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """Split items lazily into lists whose sizes add up to at most `most`; a larger item gets its own list."""
    batch: list[T] = []
    total = 0
    for item in items:
        own = size(item)
        if batch and total + own > most:
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += own
    if batch:
        yield batch


def _prepared(
    name: str, label: str | None, parameters: Mapping[str, object], server: tuple[int, ...]
) -> tuple[LiteralString, Row]:
    """Return statement text and parameters, with strings and lists passed in one map.

    The server replans a statement, in about 70 ms, for each order of magnitude of a list or string parameter, but not
    for values in a map.
    """
    text = statement(name, label, server)
    if takes_corpus(name, server) and "corpus" not in parameters:
        if label is None:
            raise ValueError(f"{name} needs a corpus label")
        parameters = {**parameters, "corpus": label}
    text = with_index_names(text, parameters)
    mapped = {} if name.startswith(SCHEMA) else {k: v for k, v in parameters.items() if isinstance(v, list | str)}
    others = {key: value for key, value in parameters.items() if key not in mapped}
    literal: LiteralString = with_a_map(text, tuple(sorted(mapped)))  # pyright: ignore[reportAssignmentType] # mypy does not check LiteralString
    return literal, others | ({"given": mapped} if mapped else {})


def _row(record: neo4j.Record) -> Row:
    # Not `Record.data`, which searches every list for nodes, even vectors. Statements return no nodes.
    return dict(zip(record.keys(), record.values(), strict=True))


def _metadata(name: str) -> dict[str, str]:
    return {"app": APPLICATION, "statement": name}


def _driver(uri: str, user: str, password: str | None) -> neo4j.Driver:
    import neo4j

    return neo4j.GraphDatabase.driver(
        uri,
        auth=None if password is None else (user, password),
        user_agent=APPLICATION,
        notifications_min_severity="OFF",  # notifications would appear on the user's terminal
        telemetry_disabled=True,
        max_transaction_retry_time=15.0,
        connection_timeout=10.0,
    )
