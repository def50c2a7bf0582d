"""The objects that all requests of a service process share, and the objects that represent a request."""

from __future__ import annotations

import logging
import threading
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path as Folder
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Path, Query
from pydantic import AfterValidator
from starlette.requests import Request

from overstory.errors import CorpusNotFound, SettingsError
from overstory.graph.ids import corpus_label
from overstory.knowledge import Knowledge
from overstory.knowledge.asynchronous import WorkThreads
from overstory.knowledge.restricted_knowledge import RestrictedKnowledge
from overstory.knowledge.several import SeveralCorpora
from overstory.settings import Settings
from overstory_service.access import Access, Gate
from overstory_service.addresses import with_slashes
from overstory_service.jobs.runner import JobRunner
from overstory_service.jobs.store import JobKind, JobStore, ServiceJob
from overstory_service.jobs.uploads import Uploads
from overstory_service.metrics import ServiceMetrics
from overstory_service.open_corpora import OpenCorpora
from overstory_service.problems import Forged, NotThere, TokensUnreadable
from overstory_service.request_limits import DatabaseWatch, when_free, while_wanted
from overstory_service.settings import ServiceSettings
from overstory_service.tokens import TOKENS_FILE, Rights, TokenFile

R = TypeVar("R")
_log = logging.getLogger("overstory.service")

_MOST_WORKING_THREADS = 32
Readable = Knowledge | RestrictedKnowledge
Askable = Readable | SeveralCorpora


@dataclass(slots=True)
class ServiceHost:
    """The objects that all requests of a service process share, such as open corpora, threads and the job queue.

    Attributes:
        ready: True once the models are loaded and the database has responded.
        asked: True once a question was answered. The first question takes some seconds longer than later ones, because
            Neo4j must plan its queries and caches are empty.
        works_at_need: if True, this process runs jobs only after it has queued a job itself.
    """

    settings: ServiceSettings
    corpora: OpenCorpora
    gate: Gate
    uploads: Uploads
    metrics: ServiceMetrics
    threads: WorkThreads
    store: JobStore | None = None
    runner: JobRunner | None = None
    ready: bool = False
    asked: bool = False
    works_at_need: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)
    watch: DatabaseWatch = field(init=False)

    def __post_init__(self) -> None:
        self.watch = DatabaseWatch(lambda: self.corpora.address)

    @classmethod
    def of(
        cls,
        settings: Settings,
        service: ServiceSettings,
        folder: Folder,
        *,
        open_without_tokens: bool,
        works_at_need: bool = False,
    ) -> ServiceHost:
        """Create the objects for a process.

        Args:
            folder: the folder that contains tokens and uploaded files.
            open_without_tokens: as in `Gate`.
        """
        return cls(
            settings=service,
            corpora=OpenCorpora(settings),
            gate=Gate(TokenFile(folder / TOKENS_FILE), open_without_tokens=open_without_tokens),
            uploads=Uploads(folder / "uploads"),
            metrics=ServiceMetrics(),
            threads=WorkThreads(min(_MOST_WORKING_THREADS, service.most_requests)),
            works_at_need=works_at_need,
        )

    @contextmanager
    def opened(self, access: Access, corpus: str) -> Generator[Readable]:
        """Provide a corpus during the `with` block. This call blocks.

        If the token has a filter, a view is provided that contains only the matching documents.

        Raises:
            NotThere: the corpus does not exist, or the token may not access it.
            CorpusNameInvalid, FilterError, IndexMissing, DatabaseError: the corpus cannot be read.
        """
        access.require_corpus(corpus)
        with ExitStack() as borrowed:
            try:
                knowledge = borrowed.enter_context(self.corpora.borrow(corpus))
                view = self.corpora.part(corpus, knowledge, access.where) if access.where else knowledge
            except CorpusNotFound:
                raise NotThere(corpus) from None
            yield view

    @contextmanager
    def opened_as_one(self, access: Access, corpora: Sequence[str]) -> Generator[Askable]:
        """Provide one or several corpora during the `with` block. This call blocks.

        A single corpus is provided as by `opened`. Several corpora are provided as one object that searches all of
        them.

        Raises:
            the errors of `opened`.
        """
        with ExitStack() as opened:
            views = [opened.enter_context(self.opened(access, corpus)) for corpus in dict.fromkeys(corpora)]
            yield views[0] if len(views) == 1 else Knowledge.over(views)
        self.asked = True

    def job_store(self) -> JobStore:
        """Return the job queue, which is opened with the first call."""
        if self.store is None:
            self.store = JobStore(self.corpora.base.graph, self.uploads.place)
        return self.store

    def queue_job(
        self, corpus: str, kind: JobKind, given: dict[str, Any], *, by: str, job: str = "", files: bool = False
    ) -> ServiceJob:
        """Add a job to the queue. This call blocks.

        Args:
            given: the input of the job, as JSON types.
            job: the id of the job, if files were uploaded for it; by default a new id.

        Raises:
            CorpusNameInvalid, DatabaseError: the job cannot be queued.
        """
        corpus_label(corpus)
        queued = self.job_store().add(corpus, kind, given, by=by, job=job, files=files)
        if self.works_at_need:
            self.start_runner(1)
        if self.runner is not None:
            self.runner.wake()
        return queued

    def start_runner(self, threads: int) -> None:
        """Let this process run jobs from the queue, unless it already does. This call blocks.

        Args:
            threads: maximum number of jobs to run at the same time.

        Raises:
            DatabaseError: the job queue cannot be read.
        """
        with self.lock:
            if self.runner is None:
                folders = self.settings.folders
                runner = JobRunner(self.corpora, self.job_store(), self.uploads, self.metrics, folders=folders)
                runner.start(threads)
                self.runner = runner

    def close(self) -> None:
        """Stop all jobs and requests, and close the corpora. This call blocks."""
        if self.runner is not None:
            self.runner.stop()
        self.threads.close()
        self.corpora.close()

    async def run(self, request: Request | None, call: Callable[[], R]) -> R:
        """Run a blocking function in a thread, and return its result.

        Raises:
            TookTooLong: the function took too long.
            ClientGone: the client has closed the connection.
            DatabaseUnreachable: the database does not respond.
            the errors of `call`.
        """
        await self.watch.require()
        return await self.wanted(request, self.threads.run(call))

    async def wanted(self, request: Request | None, work: Awaitable[R]) -> R:
        """Wait for the result of `work`, but no longer than a request may take.

        Raises:
            TookTooLong, ClientGone, DatabaseUnreachable: as in `run`.
        """
        return await while_wanted(request, work, self.settings.request_seconds, self.watch)


@dataclass(slots=True)
class Call:
    """A request together with its rights.

    Attributes:
        request: the HTTP request; None if the call arrived on standard input (`overstory mcp`).
        corpus: name of the corpus that the request is about; "" if there is none.
    """

    host: ServiceHost
    request: Request | None
    access: Access
    corpus: str = ""

    def require(self, rights: Rights) -> None:
        """Check that the token has at least these rights and may access the corpus.

        Raises:
            NotAllowed: the token has fewer rights.
            NotThere: the token may not access the corpus.
        """
        self.access.require(rights)
        if self.corpus:
            self.access.require_corpus(self.corpus)

    def note_question(self, question: str) -> None:
        """Pass a question to the access log, which contains questions only with `log_questions`."""
        if self.request is not None:
            self.request.state.question = question

    async def run(self, call: Callable[[], R]) -> R:
        return await self.host.run(self.request, call)

    async def read(self, call: Callable[[Readable], R]) -> R:
        """Run a blocking function on the corpus, and return its result.

        If the token has a filter, the function receives a view that contains only the matching documents.

        Raises:
            the errors of `ServiceHost.opened` and `ServiceHost.run`.
        """

        def work() -> R:
            with self.host.opened(self.access, self.corpus) as view:
                return call(view)

        return await self.run(work)

    async def ask(self, also: Sequence[str], call: Callable[[Askable], R]) -> R:
        """Run a blocking function on the corpus together with other corpora, and return its result.

        Raises:
            the errors of `ServiceHost.opened_as_one` and `ServiceHost.run`.
        """

        def work() -> R:
            with self.host.opened_as_one(self.access, [self.corpus, *also]) as view:
                return call(view)

        return await self.run(work)

    async def whole(self, what: str, call: Callable[[Knowledge], R]) -> R:
        """Run a blocking function that concerns all documents of the corpus, and return its result.

        If the function changes the corpus while another process is changing it, it is repeated for some seconds.

        Args:
            what: what was requested; the error message for a token with a filter begins with these words.

        Raises:
            NotAllowed: the token has a filter.
            the errors of `read` and `when_free`.
        """
        self.access.require_whole(what)

        def work(view: Readable) -> R:
            if isinstance(view, RestrictedKnowledge):
                raise TypeError("The call needs the whole corpus, got a filtered view.")
            return when_free(lambda: call(view))

        return await self.read(work)


def host_of(request: Request) -> ServiceHost:
    found: ServiceHost = request.app.state.host
    return found


def address_of_service(request: Request) -> str:
    """Return the address at which the client reaches the service, without a slash at the end."""
    settings = host_of(request).settings
    return (settings.address or str(request.base_url).rstrip("/")) + settings.root_path


SESSION_COOKIE = "overstory_session"
PAGE_HEADER = "x-overstory-page"
"""A header that the web page sends with each request.

Forms cannot send this header, and pages of other origins can send it only if CORS allows it.
"""
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


async def admitted(request: Request) -> Access:
    """Return the rights of a request, which depend on its token or on the session of the web page.

    Raises:
        TokenNeeded, TokenUnknown, SessionOver: as in `Gate.admit`.
        Forged: the request contains the cookie of the web page and may change data, but it was not sent by the page.
        TokensUnreadable: the file of the tokens cannot be read.
    """
    authorization, session = request.headers.get("authorization"), request.cookies.get(SESSION_COOKIE)
    if session is not None and authorization is None:
        require_page(request)
    with tokens_readable():
        access = host_of(request).gate.admit(authorization, session)
    request.state.token = access.name
    return access


@contextmanager
def tokens_readable() -> Generator[None]:
    """Convert errors of the token file during the `with` block, so that their details are logged but not sent.

    Raises:
        TokensUnreadable: the file cannot be read or written.
    """
    try:
        yield
    except SettingsError as error:  # its message contains the path of the file, which clients must not see
        _log.error("%s %s", error, error.remedy)
        raise TokensUnreadable from None


def require_page(request: Request) -> None:
    """Check that a request that may change data was sent by the web page.

    This protects against forged requests, in addition to the SameSite attribute of the cookie and the check of the
    Origin header.

    Raises:
        Forged: the request may change data, but does not contain the header that the web page sends.
    """
    if request.method not in _SAFE_METHODS and PAGE_HEADER not in request.headers:
        raise Forged(
            "This request has the page's cookie, but was not sent by the page.",
            remedy="Send a token in the header Authorization: Bearer TOKEN. (The page sends X-Overstory-Page.)",
        )


Admitted = Annotated[Access, Depends(admitted)]
LONGEST_FILTER = 10_000
"""Maximum number of characters in a filter."""
Where = Annotated[str | None, Query(max_length=LONGEST_FILTER, description="Filter on document metadata.")]
LONGEST_CORPUS_NAME = 200
CorpusName = Annotated[
    str,
    Path(description="Name of a corpus, percent-encoded.", max_length=LONGEST_CORPUS_NAME),
    AfterValidator(with_slashes),
]


async def _on_service(request: Request, access: Admitted) -> Call:
    return Call(host_of(request), request, access)


async def _on_corpus(corpus: CorpusName, request: Request, access: Admitted) -> Call:
    return Call(host_of(request), request, access, corpus)


OnService = Annotated[Call, Depends(_on_service)]
OnCorpus = Annotated[Call, Depends(_on_corpus)]
