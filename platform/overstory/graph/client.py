"""The Neo4j client, which runs named statements in one database and retries them after transient errors.

The transaction metadata of each statement contains "overstory" and the name of the statement. If the server logs a slow
query, the name therefore leads to the file that contains the statement.

If a caller is cancelled, the server stops a read that is in progress. A write that is in progress completes, and no
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
    import neo4j  # the import takes 0.2 s if pandas is installed, so it waits until a client is created

logging.getLogger("neo4j").addHandler(logging.NullHandler())  # the terminal must not show warnings of the driver

T = TypeVar("T")
# A row of a result: values by column name. A comment in each Cypher statement describes the columns.
Row = dict[str, Any]

APPLICATION = "overstory"
QUESTIONS = "retrieve/"
"""Prefix of the names of statements for which a user waits. Only these statements have a time limit."""

_TERMINATE_AGAIN_SECONDS = 0.1
"""Seconds between termination requests. They are repeated because the cancelled query may not have started yet."""

SCHEMA = "schema/"
"""Prefix of the names of statements whose parameters are passed individually instead of in one map."""

# Drivers of garbage-collected clients. The garbage collector may run while a driver sends a message, so it cannot close
# them itself.
_forgotten: queue.SimpleQueue[neo4j.Driver] = queue.SimpleQueue()


def close_forgotten() -> None:
    """Close the connections of garbage-collected clients. Opening or closing another client does this, too."""
    while True:
        try:
            driver = _forgotten.get_nowait()
        except queue.Empty:
            return
        driver.close()


# At exit, finalizers run in reverse order of creation. This finalizer therefore runs after those of all clients.
weakref.finalize(_forgotten, close_forgotten)


class Transaction:
    """A transaction: either all of its statements take effect, or none."""

    def __init__(self, transaction: neo4j.ManagedTransaction | neo4j.Transaction, server: tuple[int, ...]) -> None:
        self._transaction = transaction
        self._server_version = server

    def run(self, name: str, label: str | None = None, /, **parameters: object) -> list[Row]:
        text, given = _prepared(name, label, parameters, self._server_version)
        return [_row(record) for record in self._transaction.run(text, given)]


class GraphClient(Closable):
    """A connection to one Neo4j database, which threads can share. Call `close` or use a `with` block.

    Clients that were garbage-collected without `close` are closed before the next client opens.

    Raises:
        DatabaseError: Any method raises this error if the server cannot be reached or rejects a statement. The message
            names the statement. A transaction is retried after transient errors. If it still fails, nothing was
            committed.
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
            storage: data folder of the embedded server; None for another server. If the server cannot write, the error
                message reports how much space is free for this folder.

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
        self._server_version = OLDEST  # this is assumed until the version has been read
        close_forgotten()
        with driver_errors(uri, storage=storage):
            self._driver = _driver(uri, user, password)
        self._forget = weakref.finalize(self, _forgotten.put, self._driver)
        try:
            with driver_errors(uri, storage=storage):
                self._driver.verify_connectivity()  # without a server, this fails at once; a statement would be retried
            this = weakref.proxy(self)  # a reference cycle would delay the finalizer
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
        """Connect to the Neo4j server whose graph is to be loaded as documents. Use only `stream`, which cannot write.

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
        """Run a statement in a transaction of its own and return its rows. After a transient error, it runs again."""
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
        """Run a reading statement and yield its rows as the driver fetches them. Failures are not retried."""
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
        """Run a reading statement page by page. Unlike with `stream`, other transactions may write between two pages.

        Args:
            name: name of the statement. It must return the first `$limit` rows whose ids are greater than `$after`,
                sorted by id.
        """
        after = ""
        while rows := self.run(name, label, read=True, after=after, limit=size, **parameters):
            yield rows
            after = id_of(rows[-1])

    def run_in_batches(self, name: str, label: str | None = None, /, **parameters: object) -> None:
        """Run a statement that commits in batches (`CALL … IN TRANSACTIONS`). Errors do not undo earlier batches."""
        text, given = _prepared(name, label, parameters, self._server_version)
        import neo4j

        query = neo4j.Query(text, metadata=_metadata(name))
        with self._errors(name), self._driver.session(database=self.database) as session:
            session.run(query, given).consume()

    def transaction(self, doing: str, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one transaction and return its result. After a transient error, `work` runs again."""
        import neo4j

        @neo4j.unit_of_work(metadata=_metadata(doing))
        def unit(transaction: neo4j.ManagedTransaction) -> T:
            return work(Transaction(transaction, self._server_version))

        with self._errors(doing), self._driver.session(database=self.database) as session:
            return session.execute_write(unit)

    def attempt(self, doing: str, work: Callable[[Transaction], T], *, seconds: float) -> T:
        """Run `work` in one transaction, without retries. Use this method for writes that can be postponed.

        Args:
            seconds: time limit of the transaction. The server checks it every two seconds.

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
        """Run `work`, which only reads, in one transaction and return its result.

        One transaction is twice as fast as separate calls of `run`. After a transient error, `work` runs again.

        Args:
            doing: name of the transaction. Start it with "retrieve/" if a user waits for the result.
        """
        return self._read(doing, lambda transaction: work(Transaction(transaction, self._server_version)))

    def run_own(self, doing: str, text: str, parameters: Mapping[str, object], work: Callable[[Iterator[Row]], T]) -> T:
        """Run a statement written by a user in a read-only transaction, and return the result of `work`.

        Args:
            doing: name of the transaction. Start it with "retrieve/" if a user waits for the result.
            work: function of the statement's rows, which are fetched as it consumes them.

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
        """The time limit applies if `doing` starts with "retrieve/"."""
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
        check()
        with driver_errors(doing, storage=self._storage):
            yield

    @contextmanager
    def _terminable(self, *, reads: bool = True) -> Generator[dict[str, str]]:
        """Yield metadata that marks a transaction. If the caller is cancelled, end this transaction on the server."""
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
            with suppress(DatabaseError):  # the caller, who waits for the query, gets the same error
                self.run("corpus/terminate", mark=mark)
            over.wait(_TERMINATE_AGAIN_SECONDS)

    def _limit(self, name: str) -> float | None:
        return self._query_seconds if name.startswith(QUESTIONS) else None


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Split items into lists of at most `size` items. The items are consumed lazily."""
    batch: list[T] = []
    for item in items:
        batch.append(item)
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


def batches_by_size(items: Iterable[T], size: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """Split items into lists, so that the sizes of the items in a list add up to at most `most`.

    An item larger than `most` gets a list of its own. The items are consumed lazily.
    """
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
    """Return the text and the parameters of a statement, with all string and list parameters moved into one map.

    If a list or a string is a parameter itself, the server makes a new plan for each order of magnitude of its length,
    which takes about 70 ms. Values in a map do not cause new plans.
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
    # `Record.data` would search every list, even vectors, for nodes, but our statements never return nodes.
    return dict(zip(record.keys(), record.values(), strict=True))


def _metadata(name: str) -> dict[str, str]:
    return {"app": APPLICATION, "statement": name}


def _driver(uri: str, user: str, password: str | None) -> neo4j.Driver:
    import neo4j

    return neo4j.GraphDatabase.driver(
        uri,
        auth=None if password is None else (user, password),
        user_agent=APPLICATION,
        notifications_min_severity="OFF",  # otherwise, notifications would appear on the user's terminal
        telemetry_disabled=True,
        max_transaction_retry_time=15.0,
        connection_timeout=10.0,
    )
