"""What a process of the service has, and how a route reads a corpus with it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Annotated, TypeVar

from fastapi import Depends, Path, Query
from pydantic import AfterValidator
from starlette.requests import Request

from overstory.errors import CorpusNotFound, SettingsError
from overstory.knowledge import Knowledge
from overstory.knowledge.asynchronous import WorkThreads
from overstory.knowledge.restricted import RestrictedKnowledge
from overstory.knowledge.several import SeveralCorpora
from overstory_service.access import Access, Gate
from overstory_service.addresses import with_slashes
from overstory_service.database_watch import DatabaseWatch
from overstory_service.jobs.runner import JobRunner
from overstory_service.jobs.store import JobStore
from overstory_service.jobs.uploads import Uploads
from overstory_service.observing import ServiceFigures
from overstory_service.open_corpora import OpenCorpora
from overstory_service.refusals import Forged, NotThere, TokensUnreadable
from overstory_service.running import when_free, while_wanted
from overstory_service.settings import ServiceSettings

R = TypeVar("R")
_log = logging.getLogger("overstory.service")

MOST_WORKING_THREADS = 32
Readable = Knowledge | RestrictedKnowledge
Askable = Readable | SeveralCorpora


@dataclass(slots=True)
class Hosted:
    """The parts of the service, made once a process.

    Attributes:
        ready: whether models are loaded and the database answered.
        asked: whether a question was answered: the first one takes seconds more, for plans and what is kept in memory.
        works_at_need: whether this process begins to work on jobs when it queues the first one.
    """

    settings: ServiceSettings
    corpora: OpenCorpora
    gate: Gate
    uploads: Uploads
    figures: ServiceFigures
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

    @contextmanager
    def opened(self, access: Access, corpus: str) -> Generator[Readable]:
        """A corpus as a token may read it: the whole, or the part that its filter leaves. Blocks.

        Raises:
            NotThere: there is none, or the token is not for it.
            CorpusNameInvalid, FilterError, IndexMissing, DatabaseError: it cannot be read.
        """
        access.require_corpus(corpus)
        with ExitStack() as lent:
            try:
                knowledge = lent.enter_context(self.corpora.lent(corpus))
                view = self.corpora.part(corpus, knowledge, access.where) if access.where else knowledge
            except CorpusNotFound:
                raise NotThere(corpus) from None
            yield view

    @contextmanager
    def opened_as_one(self, access: Access, corpora: Sequence[str]) -> Generator[Askable]:
        """One corpus as by `opened`, or several to be asked as if they were one. Blocks.

        Raises:
            as `opened`, of each.
        """
        with ExitStack() as opened:
            views = [opened.enter_context(self.opened(access, corpus)) for corpus in dict.fromkeys(corpora)]
            yield views[0] if len(views) == 1 else Knowledge.over(views)
        self.asked = True

    async def run(self, request: Request | None, call: Callable[[], R]) -> R:
        """The result of a blocking call.

        Raises:
            TookTooLong: it was not there in time.
            ClientGone: nobody waits for it.
            DatabaseUnreachable: the database does not answer.
            what `call` raises.
        """
        await self.watch.require()
        return await self.wanted(request, self.threads.run(call))

    async def wanted(self, request: Request | None, work: Awaitable[R]) -> R:
        """The result of what is awaited, unless the client leaves, the time is over or the database is silent.

        Raises:
            TookTooLong, ClientGone, DatabaseUnreachable: as `run`.
        """
        return await while_wanted(request, work, self.settings.request_seconds, self.watch)

    async def read(self, request: Request | None, access: Access, corpus: str, call: Callable[[Readable], R]) -> R:
        """The result of a blocking call on a corpus as the token may read it.

        Raises:
            as `opened` and `run`.
        """

        def work() -> R:
            with self.opened(access, corpus) as view:
                return call(view)

        return await self.run(request, work)

    async def ask(
        self, request: Request | None, access: Access, corpora: Sequence[str], call: Callable[[Askable], R]
    ) -> R:
        """Likewise of one corpus or of several as one.

        Raises:
            as `opened_as_one` and `run`.
        """

        def work() -> R:
            with self.opened_as_one(access, corpora) as view:
                return call(view)

        return await self.run(request, work)

    async def whole(
        self, request: Request | None, access: Access, corpus: str, what: str, call: Callable[[Knowledge], R]
    ) -> R:
        """Likewise of what can only be had of the whole corpus. A change waits a little while somebody else writes.

        Args:
            what: that is, at the beginning of a sentence.

        Raises:
            NotAllowed: the token has a filter.
            as `read`.
        """
        access.require_whole(what)

        def work(view: Readable) -> R:
            if isinstance(view, RestrictedKnowledge):
                raise TypeError("a part of a corpus where the whole is needed")
            return when_free(lambda: call(view))

        return await self.read(request, access, corpus, work)


def hosted(request: Request) -> Hosted:
    """That of the application that a request came to."""
    found: Hosted = request.app.state.hosted
    return found


def address_of_service(request: Request) -> str:
    """Return the address by which the client reaches the service, without a slash at its end: links begin with it."""
    settings = hosted(request).settings
    return (settings.address or str(request.base_url).rstrip("/")) + settings.root_path


SESSION_COOKIE = "overstory_session"
PAGE_HEADER = "x-overstory-page"
"""Which the page sends with each request. No page of another place can, without asking first by CORS, and no form."""
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


async def admitted(request: Request) -> Access:
    """What the request may do, by its token or the session of the page.

    Raises:
        TokenNeeded, SessionOver: as `Gate.admit`.
        Forged: it has the cookie of the page and changes something, but the page did not send it.
        TokensUnreadable: nobody can be admitted.
    """
    authorization, session = request.headers.get("authorization"), request.cookies.get(SESSION_COOKIE)
    if session is not None and authorization is None:
        require_page(request)
    with tokens_readable():
        access = hosted(request).gate.admit(authorization, session)
    request.state.token = access.name
    return access


@contextmanager
def tokens_readable() -> Generator[None]:
    """What is done with tokens.

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
        Forged: the request may change something, and is not the page's own. SameSite of the cookie keeps out most of
            these; that it is the page is what this header says, and `Guards` look at Origin.
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
