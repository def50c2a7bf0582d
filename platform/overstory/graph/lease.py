"""The writer lease, which allows one writer at a time for each corpus. Readers need no lease.

The writer renews its lease with a heartbeat. Another process can take over the lease in one of three cases:

- The writer has released the lease.
- The writer ran on the same machine as the other process and has ended.
- The last heartbeat of the writer was more than 30 seconds ago.

Every commit checks the lease, so that a writer that was paused for long cannot write alongside its successor. Only
deletions in batches and changes of indexes skip this check.
"""

from __future__ import annotations

import getpass
import os
import socket
import threading
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import psutil

from overstory.cancellation import cancellable
from overstory.errors import CorpusNotFound, DatabaseError, DatabaseUnreachable, LeaseLost, WriterBusy
from overstory.graph import schema
from overstory.graph.client import GraphClient, Row, Transaction
from overstory.graph.corpora import Corpus, corpus_from

T = TypeVar("T")

_LEASE_SECONDS = 30
_HEARTBEAT_SECONDS = 8.0


class Writer:
    """The holder of the lease of a corpus. Change the corpus only through `commit` and `set`, which check the lease.

    Attributes:
        corpus: the corpus after the last change.
        properties: all properties of the corpus node, including some that are not fields of `Corpus`.
        noted: properties that every call of `commit` also writes to the corpus node.
    """

    def __init__(self, graph: GraphClient, properties: Row, token: str) -> None:
        self.graph = graph
        self.token = token
        self.noted: Row = {}
        self._keep(properties)

    def commit(self, doing: str, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction that also increases the version of the corpus; return the result of `work`."""

        def unit(transaction: Transaction) -> tuple[T, list[Row]]:
            result = work(transaction)
            rows = transaction.run("corpus/commit", self.corpus.label, token=self.token, properties=self.noted)
            if not rows:
                raise self._lost()
            return result, rows

        result, (row,) = self.graph.transaction(doing, unit)
        self._keep(row["corpus"])
        return result

    def renew(self) -> None:
        """Extend the lease. Raise `LeaseLost` if this writer no longer holds it."""
        if not self.graph.run("corpus/renew_lease", self.corpus.label, token=self.token, seconds=_LEASE_SECONDS):
            raise self._lost()

    def delete_corpus(self) -> None:
        """Delete the corpus node. All other nodes of the corpus must have been deleted already."""
        if not self.graph.run("corpus/delete", self.corpus.label, token=self.token):
            raise self._lost()

    def set(self, **properties: object) -> None:
        rows = self.graph.run("corpus/commit", self.corpus.label, token=self.token, properties=properties)
        if not rows:
            raise self._lost()
        self._keep(rows[0]["corpus"])

    def _keep(self, properties: Row) -> None:
        self.properties = properties
        self.corpus = corpus_from(properties, to_delete=True)

    def _lost(self) -> LeaseLost:
        return LeaseLost(
            f"Corpus {self.corpus.name!r} now has another writer, or was deleted; the last batch was not written.",
            remedy="Run the command again: finished batches are kept.",
        )


@contextmanager
def writing(graph: GraphClient, corpus: Corpus, doing: str) -> Generator[Writer]:
    """Hold the writer lease of a corpus while the block runs.

    Args:
        doing: description of the work. A second writer gets it in the message of `WriterBusy`.
    """
    schema.prepare(graph)
    token = uuid.uuid4().hex
    properties = _acquire(graph, corpus, token, doing)
    ended = threading.Event()
    heart = threading.Thread(target=_beat, args=(graph, corpus, token, ended), name="overstory-lease", daemon=True)
    heart.start()
    answers = True
    try:
        corpus_from(properties, to_delete=corpus.is_deleting)  # another process may have begun to delete the corpus
        yield Writer(graph, properties, token)
    except DatabaseUnreachable:
        answers = False
        raise
    finally:
        ended.set()
        heart.join(timeout=1.0)
        if answers:
            with suppress(DatabaseError), cancellable(None):  # ignore this error: the lease expires by itself
                graph.run("corpus/release_lease", corpus.label, token=token)


def _acquire(graph: GraphClient, corpus: Corpus, token: str, doing: str) -> Row:
    holder = _ask(graph, corpus, token, doing)
    if not holder["granted"] and is_dead(holder):
        holder = _ask(graph, corpus, token, doing, abandoned=holder["token"])
    if holder["granted"]:
        return dict(holder["corpus"])
    raise WriterBusy(
        f"Corpus {corpus.name!r} is being written to: {_who(holder)}, since {str(holder['since'])[:19]} UTC.",
        remedy="Wait until that process finishes, or end it. Searches continue to work.",
    )


def _ask(graph: GraphClient, corpus: Corpus, token: str, doing: str, *, abandoned: str = "") -> Row:
    """Request the lease. Return a row with `granted`, the properties of the corpus, and the holder of the lease.

    Args:
        abandoned: token of a writer whose process has ended and whose lease may be taken over.
    """
    rows = graph.run(
        "corpus/acquire_lease",
        corpus.label,
        token=token,
        holder=_user(),
        host=this_host(),
        pid=os.getpid(),
        started=psutil.Process().create_time(),
        doing=doing,
        seconds=_LEASE_SECONDS,
        abandoned=abandoned,
    )
    if not rows:
        raise CorpusNotFound(f"Corpus {corpus.name!r} was deleted.")
    return rows[0]


def current_writer(graph: GraphClient, corpus: Corpus) -> str:
    """Return a description of the current writer and its work; "" if nobody is writing to the corpus."""
    holder = _current_holder(graph, corpus)
    return "" if holder is None else _who(holder)


def current_token(graph: GraphClient, corpus: Corpus) -> str:
    holder = _current_holder(graph, corpus)
    return "" if holder is None else str(holder["token"])


def _current_holder(graph: GraphClient, corpus: Corpus) -> Row | None:
    rows = graph.run("corpus/read_writer", corpus.label, read=True)
    return None if not rows or is_dead(rows[0]) else rows[0]


def _who(holder: Row) -> str:
    host = holder["host"].split("/")[0]
    return f"{holder['doing']} by {holder['holder']}, process {holder['pid']} on {host}"


def _beat(graph: GraphClient, corpus: Corpus, token: str, ended: threading.Event) -> None:
    while not ended.wait(_HEARTBEAT_SECONDS):
        try:
            graph.run("corpus/renew_lease", corpus.label, token=token, seconds=_LEASE_SECONDS)
        except DatabaseError:
            continue  # the next statement of the writer will fail, too, and report the error


def is_dead(holder: Row) -> bool:
    """Return True if the holder of a lease ran on this machine and its process has ended."""
    if holder["host"] != this_host():
        return False
    try:
        process = psutil.Process(holder["pid"])
        another = abs(process.create_time() - float(holder["started"])) > 1.0
        return another or bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied:
        return False


def this_host() -> str:
    """Return the machine name, boot id and process namespace, within which process numbers are unique."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    start = boot.read_text(encoding="ascii").strip() if boot.exists() else str(int(psutil.boot_time()))
    return f"{socket.gethostname()}/{start}/{_process_namespace()}"


def _process_namespace() -> str:
    """Return the process namespace; "" if unknown.

    Containers on one machine may have the same machine name and boot id, but each numbers its processes separately.
    """
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a UID without a passwd entry
        return f"user {os.getuid()}"
