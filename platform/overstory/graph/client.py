"""The only access to Neo4j: statements by name, values as parameters, the database named, transient errors retried.

Every statement is sent with the application's name and its own as transaction metadata, so that a slow query in the
server's log leads to a file. What a cancelled caller reads is ended on the server; what it writes is not, but it writes
nothing after it.
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
    import neo4j  # takes a fifth of a second where pandas is installed, and is imported when a client is made

logging.getLogger("neo4j").addHandler(logging.NullHandler())  # or its warnings reach the terminal of our users

T = TypeVar("T")
# A row is whatever the statement's header says; its types are known to the caller alone.
Row = dict[str, Any]

APPLICATION = "overstory"
QUESTIONS = "retrieve/"
"""Statements that a user waits for have a time limit; those of stages may take long on a large corpus."""

_TERMINATE_AGAIN_SECONDS = 0.1
"""Until the server is asked once more to end what was cancelled: it may not have begun yet."""

SCHEMA = "schema/"
"""Statements that take parameters by their names alone."""

# Of clients that nobody closed: the garbage collector does not close them itself, since it may find one while another
# message is being sent.
_forgotten: queue.SimpleQueue[neo4j.Driver] = queue.SimpleQueue()


def close_forgotten() -> None:
    """Closes connections of clients that nobody has any more, as opening or closing another client does."""
    while True:
        try:
            driver = _forgotten.get_nowait()
        except queue.Empty:
            return
        driver.close()


# At exit finalizers run from the last made to the first: this one after those of all clients.
weakref.finalize(_forgotten, close_forgotten)


class Transaction:
    """A transaction in which all statements run or none."""

    def __init__(self, transaction: neo4j.ManagedTransaction | neo4j.Transaction, server: tuple[int, ...]) -> None:
        """
        Args:
            server: its version, for which statements are chosen.
        """
        self._transaction = transaction
        self._server_version = server

    def run(self, name: str, label: str | None = None, /, **parameters: object) -> list[Row]:
        """The rows of a statement."""
        text, given = _prepared(name, label, parameters, self._server_version)
        return [_row(record) for record in self._transaction.run(text, given)]


class GraphClient(Closable):
    """A connection to one Neo4j database; safe to share between threads. Close it, or use it in a `with` block.

    A client without references is closed before the next is opened.

    Raises:
        DatabaseError: in any method: the server cannot be reached, or refuses the statement; the message names it.
            Transactions are retried on transient errors; if they fail, nothing was committed.
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
        """Connects, and asks the server what it is.

        Args:
            storage: the folder of the embedded server, whose free space is told when the server cannot write.

        Raises:
            DatabaseUnreachable: nothing answers at `uri`.
            AuthenticationFailed: the server refuses the user or the password.
            ServerTooOld: it is older than Neo4j 5.26.
        """
        self.uri = uri
        self.user = user
        self.database = database
        self.browser_url = browser_url
        self._query_seconds = query_seconds or None
        self._storage = storage
        self._server_version = OLDEST  # until it has said which one it is
        close_forgotten()
        with driver_errors(uri, storage=storage):
            self._driver = _driver(uri, user, password)
        self._forget = weakref.finalize(self, _forgotten.put, self._driver)
        try:
            with driver_errors(uri, storage=storage):
                self._driver.verify_connectivity()  # at once, where a statement would be tried again for a while
            this = weakref.proxy(self)  # a cycle would wait for the garbage collector
            self.capabilities: Capabilities = read_capabilities(lambda name: this.run(name))
            self._server_version = self.capabilities.numbers
        except BaseException as error:
            self.close()
            if isinstance(error, AuthenticationFailed) and password is None:
                raise AuthenticationFailed(
                    f"{uri}: the server wants a password, and OVERSTORY_NEO4J_PASSWORD is not set.",
                    remedy="Set it, or OVERSTORY_NEO4J_PASSWORD_FILE, in Python password=.",
                ) from error
            raise

    @classmethod
    def open(cls, settings: Settings, *, progress: Progress | None = None) -> Self:
        """A client of the user's own server if `settings.database.uri` is set, else of the embedded one.

        Raises:
            ServerError: the embedded server could not be started.
            DatabaseUnreachable, AuthenticationFailed, ServerTooOld: as the constructor.
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
        """A client of the Neo4j whose graph is loaded; use `stream`, which only reads.

        Raises:
            SettingsError: there is a password for it, but no address.
            ServerError, DatabaseUnreachable, AuthenticationFailed, ServerTooOld: as `open`.
        """
        wanted = settings.source
        if wanted.uri is None and wanted.password is not None:
            raise SettingsError(
                "OVERSTORY_SOURCE_NEO4J_PASSWORD without an address: the database of the corpora would be read.",
                remedy="Set OVERSTORY_SOURCE_NEO4J_URI or use --from-uri, in Python from_uri=; or unset the password.",
            )
        if wanted.uri is None:
            own = cls.open(settings)
            own.database = wanted.database or own.database
            return own
        database = wanted.database or "neo4j"
        return cls(wanted.uri, wanted.user, wanted.password, database=database, query_seconds=0.0)

    def run(self, name: str, label: str | None = None, /, *, read: bool = False, **parameters: object) -> list[Row]:
        """The rows of a statement in a transaction of its own, retried on transient errors."""
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
        """The rows of a reading statement, fetched as they are consumed: for results that need not fit in memory.
        Nothing is retried."""
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
        """The rows of a reading statement in pages, each read on request: writes between two pages do not
        matter, as they may to `stream`.

        Args:
            name: of a statement that gives at most $limit rows in order of id, those after the id $after.
            size: rows of a page.
            id_of: the id of a row.
        """
        after = ""
        while rows := self.run(name, label, read=True, after=after, limit=size, **parameters):
            yield rows
            after = id_of(rows[-1])

    def run_in_batches(self, name: str, label: str | None = None, /, **parameters: object) -> None:
        """Runs a statement that commits as it goes (`CALL … IN TRANSACTIONS`), which no outer transaction may hold. An
        error leaves what was committed before."""
        text, given = _prepared(name, label, parameters, self._server_version)
        import neo4j

        query = neo4j.Query(text, metadata=_metadata(name))
        with self._errors(name), self._driver.session(database=self.database) as session:
            session.run(query, given).consume()

    def transaction(self, doing: str, work: Callable[[Transaction], T]) -> T:
        """Runs `work` in one transaction and returns its result. On a transient error all of it runs again."""
        import neo4j

        @neo4j.unit_of_work(metadata=_metadata(doing))
        def unit(transaction: neo4j.ManagedTransaction) -> T:
            return work(Transaction(transaction, self._server_version))

        with self._errors(doing), self._driver.session(database=self.database) as session:
            return session.execute_write(unit)

    def attempt(self, doing: str, work: Callable[[Transaction], T], *, seconds: float) -> T:
        """Runs `work` in one transaction, once: for what may as well be written later.

        Args:
            seconds: after which the server ends it; it looks every two seconds.

        Raises:
            WriteConflict: another transaction has what this one writes, or it took too long; nothing was committed.
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
        """Runs `work`, which only reads, in one transaction and returns its result: half the time of as many `run`s.

        `doing` begins with "retrieve/" if a user waits for it. On a transient error all of it runs again.
        """
        return self._read(doing, lambda transaction: work(Transaction(transaction, self._server_version)))

    def run_own(self, doing: str, text: str, parameters: Mapping[str, object], work: Callable[[Iterator[Row]], T]) -> T:
        """Runs a statement of the user's own in a transaction that cannot write, and returns what `work` makes of its
        rows, which are fetched as they are consumed.

        Args:
            doing: begins with "retrieve/" if a user waits for it.

        Raises:
            StatementRefused: the server refuses it, or it writes.
        """
        literal: LiteralString = text  # type: ignore[assignment,unused-ignore] # pyright: ignore[reportAssignmentType] # as in `_prepared`

        def unit(transaction: neo4j.ManagedTransaction) -> T:
            with refusals():
                return work(_row(record) for record in transaction.run(literal, dict(parameters)))

        return self._read(doing, unit)

    def native_driver(self) -> neo4j.Driver:
        """The driver itself, for the Graph Data Science client."""
        return self._driver

    def close(self) -> None:
        self._forget.detach()
        self._driver.close()
        close_forgotten()

    def _read(self, doing: str, work: Callable[[neo4j.ManagedTransaction], T]) -> T:
        """Runs `work` in one transaction that cannot write, with the time limit of questions if it is one."""
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
        """Begins nothing that is not wanted any more, and translates errors."""
        check()
        with driver_errors(doing, storage=self._storage):
            yield

    @contextmanager
    def _terminable(self, *, reads: bool = True) -> Generator[dict[str, str]]:
        """Metadata for transactions that the server ends if the work that waits for them is cancelled."""
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
            with suppress(DatabaseError):  # whoever waits meets the same trouble
                self.run("corpus/terminate", mark=mark)
            over.wait(_TERMINATE_AGAIN_SECONDS)

    def _limit(self, name: str) -> float | None:
        return self._query_seconds if name.startswith(QUESTIONS) else None


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of at most `size` items, lazily."""
    batch: list[T] = []
    for item in items:
        batch.append(item)
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


def batches_by_size(items: Iterable[T], size: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """Lists whose items' sizes add up to at most `most`, lazily; an item that is larger has a list of its own."""
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
    """A statement and its parameters as they are sent, lists and strings in a map.

    The server plans a statement again, some 70 ms, for each order of magnitude of a list or string, but not in a map.
    """
    text = statement(name, label, server)
    if takes_corpus(name, server) and "corpus" not in parameters:
        if label is None:
            raise ValueError(f"{name} needs a corpus label")
        parameters = {**parameters, "corpus": label}
    text = with_index_names(text, parameters)
    mapped = {} if name.startswith(SCHEMA) else {k: v for k, v in parameters.items() if isinstance(v, list | str)}
    others = {key: value for key, value in parameters.items() if key not in mapped}
    literal: LiteralString = with_a_map(text, tuple(sorted(mapped)))  # pyright: ignore[reportAssignmentType] # mypy has no literal strings, a cast is nothing to it
    return literal, others | ({"given": mapped} if mapped else {})


def _row(record: neo4j.Record) -> Row:
    # Statements return plain values, no nodes: `Record.data` would look into every list for some, a vector's too.
    return dict(zip(record.keys(), record.values(), strict=True))


def _metadata(name: str) -> dict[str, str]:
    return {"app": APPLICATION, "statement": name}


def _driver(uri: str, user: str, password: str | None) -> neo4j.Driver:
    import neo4j

    return neo4j.GraphDatabase.driver(
        uri,
        auth=None if password is None else (user, password),
        user_agent=APPLICATION,
        notifications_min_severity="OFF",  # they would reach a user's terminal as warnings
        telemetry_disabled=True,
        max_transaction_retry_time=15.0,
        connection_timeout=10.0,
    )
