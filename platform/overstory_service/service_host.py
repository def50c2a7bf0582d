"""The parts of a service process, the requests on its corpora, and who may send them."""

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
from overstory.knowledge.restricted import RestrictedKnowledge
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
    """The parts of the service, made once a process.

    Attributes:
        ready: True once models are loaded and the database answered.
        asked: True once a question was answered: the first one takes seconds longer, for query plans and caches.
        works_at_need: start to work on jobs when this process queues the first one.
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
        """Return the parts of a process.

        Args:
            folder: folder of tokens and uploads.
            open_without_tokens: as of `Gate`.
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
        """Yield a corpus as a token may read it: the whole, or the part that passes its filter. Blocks.

        Raises:
            NotThere: it does not exist, or the token is not for it.
            CorpusNameInvalid, FilterError, IndexMissing, DatabaseError: it cannot be read.
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
        """Yield one corpus as `opened` does, or several as if they were one. Blocks.

        Raises:
            as `opened`, of each.
        """
        with ExitStack() as opened:
            views = [opened.enter_context(self.opened(access, corpus)) for corpus in dict.fromkeys(corpora)]
            yield views[0] if len(views) == 1 else Knowledge.over(views)
        self.asked = True

    def job_store(self) -> JobStore:
        """Return the queue of jobs, opened at the first call."""
        if self.store is None:
            self.store = JobStore(self.corpora.base.graph, self.uploads.place)
        return self.store

    def queue_job(
        self, corpus: str, kind: JobKind, given: dict[str, Any], *, by: str, job: str = "", files: bool = False
    ) -> ServiceJob:
        """Queue a job; blocks.

        Args:
            given: its input, as JSON types.
            by: name of a token.
            job: its id, if its folder of uploads has it already.

        Raises:
            CorpusNameInvalid, DatabaseError: it cannot be queued.
        """
        corpus_label(corpus)
        queued = self.job_store().add(corpus, kind, given, by=by, job=job, files=files)
        if self.works_at_need:
            self.start_runner(1)
        if self.runner is not None:
            self.runner.look()
        return queued

    def start_runner(self, threads: int) -> None:
        """Begin to work on jobs, if this process does not yet; blocks.

        Raises:
            DatabaseError: the queue cannot be read.
        """
        with self.lock:
            if self.runner is None:
                folders = self.settings.folders
                runner = JobRunner(self.corpora, self.job_store(), self.uploads, self.metrics, folders=folders)
                runner.start(threads)
                self.runner = runner

    def close(self) -> None:
        """End the work on jobs and requests, and close the corpora; blocks."""
        if self.runner is not None:
            self.runner.stop()
        self.threads.close()
        self.corpora.close()

    async def run(self, request: Request | None, call: Callable[[], R]) -> R:
        """Return the result of a blocking call.

        Raises:
            TookTooLong: it takes too long.
            ClientGone: the client has left.
            DatabaseUnreachable: the database does not answer.
            what `call` raises.
        """
        await self.watch.require()
        return await self.wanted(request, self.threads.run(call))

    async def wanted(self, request: Request | None, work: Awaitable[R]) -> R:
        """Return the result of an awaitable, unless the client leaves, the time is over or the database is silent.

        Raises:
            TookTooLong, ClientGone, DatabaseUnreachable: as `run`.
        """
        return await while_wanted(request, work, self.settings.request_seconds, self.watch)


@dataclass(slots=True)
class Call:
    """A request on a corpus, and the rights of whoever sent it.

    Attributes:
        request: None on stdio.
    """

    host: ServiceHost
    request: Request | None
    access: Access
    corpus: str = ""

    def require(self, rights: Rights) -> None:
        """
        Raises:
            NotAllowed, NotThere: the token has less rights, or is not for the corpus.
        """
        self.access.require(rights)
        if self.corpus:
            self.access.require_corpus(self.corpus)

    def note_question(self, question: str) -> None:
        """Leave a question for the access log, which has it only if the service was started so."""
        if self.request is not None:
            self.request.state.question = question

    async def run(self, call: Callable[[], R]) -> R:
        """Return the result of a blocking call, as `ServiceHost.run` does."""
        return await self.host.run(self.request, call)

    async def read(self, call: Callable[[Readable], R]) -> R:
        """Return the result of a blocking call on the corpus as the token may read it.

        Raises:
            as `ServiceHost.opened` and `ServiceHost.run`.
        """

        def work() -> R:
            with self.host.opened(self.access, self.corpus) as view:
                return call(view)

        return await self.run(work)

    async def ask(self, also: Sequence[str], call: Callable[[Askable], R]) -> R:
        """Return the result of a blocking call on the corpus, or on it and others as one.

        Raises:
            as `ServiceHost.opened_as_one` and `ServiceHost.run`.
        """

        def work() -> R:
            with self.host.opened_as_one(self.access, [self.corpus, *also]) as view:
                return call(view)

        return await self.run(work)

    async def whole(self, what: str, call: Callable[[Knowledge], R]) -> R:
        """Return the result of a blocking call that needs the whole corpus. A change waits a little for other writers.

        Args:
            what: subject of the sentence that refuses a token with a filter.

        Raises:
            NotAllowed: the token has a filter.
            as `read`.
        """
        self.access.require_whole(what)

        def work(view: Readable) -> R:
            if isinstance(view, RestrictedKnowledge):
                raise TypeError("a part of a corpus where the whole is needed")
            return when_free(lambda: call(view))

        return await self.read(work)


def host_of(request: Request) -> ServiceHost:
    """Return the parts of the service that a request came to."""
    found: ServiceHost = request.app.state.host
    return found


def address_of_service(request: Request) -> str:
    """Return the address by which the client reaches the service, without a final slash: the start of links."""
    settings = host_of(request).settings
    return (settings.address or str(request.base_url).rstrip("/")) + settings.root_path


SESSION_COOKIE = "overstory_session"
PAGE_HEADER = "x-overstory-page"
"""Header that the page sends with each request. Forms cannot send it, and pages of other origins only after CORS."""
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


async def admitted(request: Request) -> Access:
    """Return the rights of a request, by its token or the session of the page.

    Raises:
        TokenNeeded, SessionOver: as `Gate.admit`.
        Forged: it has the cookie of the page and changes something, but the page did not send it.
        TokensUnreadable: the tokens cannot be read.
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
    """Work with tokens.

    Raises:
        TokensUnreadable: their file cannot be read or written.
    """
    try:
        yield
    except SettingsError as error:  # which names the file
        _log.error("%s %s", error, error.remedy)
        raise TokensUnreadable from None


def require_page(request: Request) -> None:
    """
    Raises:
        Forged: the request may change something, and lacks the header of the page. The cookie's SameSite keeps most
            such requests out, and `Guards` check Origin.
    """
    if request.method not in _SAFE_METHODS and PAGE_HEADER not in request.headers:
        raise Forged(
            "This request has the page's cookie, but is not the page's.",
            remedy="Send a token as a header, Authorization: Bearer TOKEN; the page itself sends X-Overstory-Page.",
        )


Admitted = Annotated[Access, Depends(admitted)]
LONGEST_FILTER = 10_000
"""Characters."""
Where = Annotated[str | None, Query(max_length=LONGEST_FILTER, description="A filter on the metadata of documents.")]
LONGEST_CORPUS_NAME = 200
CorpusName = Annotated[
    str,
    Path(description="The name of a corpus, percent-encoded.", max_length=LONGEST_CORPUS_NAME),
    AfterValidator(with_slashes),
]


async def _on_service(request: Request, access: Admitted) -> Call:
    return Call(host_of(request), request, access)


async def _on_corpus(corpus: CorpusName, request: Request, access: Admitted) -> Call:
    return Call(host_of(request), request, access, corpus)


OnService = Annotated[Call, Depends(_on_service)]
OnCorpus = Annotated[Call, Depends(_on_corpus)]
