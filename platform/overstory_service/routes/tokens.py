"""Tokens: listed, made and revoked by administrators; and signing in to the page, a token in exchange for a cookie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from overstory.errors import SettingsError
from overstory.graph.ids import corpus_label
from overstory_service.access import LOCAL, Access, access_of
from overstory_service.addresses import with_slashes
from overstory_service.problems import NotAllowed, NothingHere, Refused, TokenUnknown
from overstory_service.responses import PROBLEMS, DataclassResponse
from overstory_service.service_host import (
    LONGEST_FILTER,
    SESSION_COOKIE,
    Admitted,
    address_of_service,
    host_of,
    require_page,
    tokens_readable,
)
from overstory_service.tokens import LONGEST_TOKEN_NAME, SESSION_DAYS, AccessToken, Rights, TokenFile

router = APIRouter(prefix="/v1", responses=PROBLEMS)

_LONGEST_SENT_TOKEN = 1_000
"""Characters."""
_SECONDS_A_DAY = 86_400


class SignIn(BaseModel):
    """A token, as `overstory tokens add` printed it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    token: str = Field(min_length=1, max_length=_LONGEST_SENT_TOKEN)


@dataclass(frozen=True, slots=True)
class Session:
    """The user of a request, and their rights.

    Attributes:
        by: "local" if the service has no tokens, "cookie" of the page, "token" of an Authorization header.
        name: name of the token.
        filtered: True if the token has a filter, so that it sees a part of its corpora.
    """

    by: Literal["local", "cookie", "token"]
    name: str
    rights: Rights
    filtered: bool


@router.get("/session", tags=["sessions"], response_model=None, responses={200: {"model": Session}})
async def session(request: Request, access: Admitted) -> Response:
    """Who asks: 401 where a token is needed first."""
    by_cookie = "authorization" not in request.headers
    return DataclassResponse(_session(access, "local" if access is LOCAL else "cookie" if by_cookie else "token"))


@router.post("/session", tags=["sessions"], response_model=None, responses={200: {"model": Session}})
async def sign_in(given: SignIn, request: Request) -> Response:
    """Exchange a token for a cookie, which only a browser's own requests to this service carry (`HttpOnly`,
    `SameSite=Strict`; `Secure` where the page came by https)."""
    require_page(request)
    tokens = host_of(request).gate.tokens
    with tokens_readable():
        cookie = await run_in_threadpool(tokens.begin_session, given.token.strip())
        found = None if cookie is None else tokens.of_session(cookie)
    if cookie is None or found is None:
        raise TokenUnknown
    access = access_of(found)
    request.state.token = access.name
    answer = DataclassResponse(_session(access, "cookie"))
    answer.set_cookie(
        SESSION_COOKIE,
        cookie,
        max_age=SESSION_DAYS * _SECONDS_A_DAY,
        path=_cookie_path(request),
        secure=_by_https(request),
        httponly=True,
        samesite="strict",
    )
    return answer


@router.delete("/session", tags=["sessions"], status_code=204, response_model=None)
async def sign_out(request: Request) -> Response:
    """End the session of the cookie, whoever else may have it."""
    require_page(request)
    cookie = request.cookies.get(SESSION_COOKIE)
    if cookie is not None:
        with tokens_readable():
            await run_in_threadpool(host_of(request).gate.tokens.end_session, cookie)
    answer = Response(status_code=204)
    answer.delete_cookie(
        SESSION_COOKIE, path=_cookie_path(request), secure=_by_https(request), httponly=True, samesite="strict"
    )
    return answer


def _cookie_path(request: Request) -> str:
    # With the root path, other services of the same host do not get the cookie.
    return host_of(request).settings.root_path or "/"


def _by_https(request: Request) -> bool:
    # A proxy may end https before this service, so the browser's Origin counts, too; `Guards` compared it with Host.
    origin = request.headers.get("origin", "")
    return address_of_service(request).startswith("https://") or origin.startswith("https://")


def _session(access: Access, by: Literal["local", "cookie", "token"]) -> Session:
    return Session(by, access.name, access.rights, bool(access.where))


_MOST_CORPORA_OF_A_TOKEN = 1_000


class TokenRequest(BaseModel):
    """A token to be made: whose it is, and what it is good for."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=LONGEST_TOKEN_NAME)
    rights: Rights = "read"
    corpora: list[str] = Field(
        default_factory=list,
        max_length=_MOST_CORPORA_OF_A_TOKEN,
        description="What it is for; where it is empty, what your own token is for.",
    )
    where: str = Field("", max_length=LONGEST_FILTER, description="A filter; with the rights `read` alone.")


@dataclass(frozen=True, slots=True)
class ListedToken:
    """A token as others see it.

    Attributes:
        corpora: that it is good for; empty for all.
        where: a filter on the documents that it sees; "" for none.
        created: date and time, ISO 8601.
        sessions: browsers that are signed in with it.
        own: whether it is the one that asks.
    """

    name: str
    rights: Rights
    corpora: tuple[str, ...]
    where: str
    created: str
    sessions: int
    own: bool


@dataclass(frozen=True, slots=True)
class TokenList:
    """The tokens that are good for nothing that the asking one is not good for."""

    tokens: tuple[ListedToken, ...]


@dataclass(frozen=True, slots=True)
class CreatedToken:
    """A new token. `secret` is shown this once."""

    token: ListedToken
    secret: str


@router.get("/tokens", tags=["tokens"], response_model=None, responses={200: {"model": TokenList}})
async def tokens(request: Request, access: Admitted) -> Response:
    """List tokens, in the order in which they were made (admin)."""
    access.require("admin")
    with tokens_readable():
        found = await run_in_threadpool(host_of(request).gate.tokens.tokens)
    return DataclassResponse(TokenList(tuple(_listed(each, access) for each in found if access.covers(each.corpora))))


@router.post("/tokens", tags=["tokens"], status_code=201, response_model=None, responses={201: {"model": CreatedToken}})
async def add(asked: TokenRequest, request: Request, access: Admitted) -> Response:
    """Make a token (admin): with no more rights and for no more corpora than yours."""
    access.require("admin")
    for corpus in asked.corpora:
        access.require_corpus(corpus)
        corpus_label(corpus)
    corpora = tuple(asked.corpora) or tuple(sorted(access.corpora or ()))
    file = host_of(request).gate.tokens
    if access is LOCAL and not (asked.rights == "admin" and not corpora):
        raise NotAllowed(
            "The first token must have the rights 'admin' for all corpora.",
            remedy="From then on every request needs a token, and with another one nobody could make more.",
        )
    return DataclassResponse(await run_in_threadpool(_made, file, asked, corpora, access), 201)


@router.delete("/tokens/{name}", tags=["tokens"], response_model=None, responses={200: {"model": ListedToken}})
async def revoke(
    name: Annotated[str, Path(max_length=LONGEST_TOKEN_NAME), AfterValidator(with_slashes)],
    request: Request,
    access: Admitted,
) -> Response:
    """End a token, and the sessions of browsers that were signed in with it (admin)."""
    access.require("admin")
    return DataclassResponse(await run_in_threadpool(_revoked, host_of(request).gate.tokens, name, access))


def _made(file: TokenFile, asked: TokenRequest, corpora: Sequence[str], access: Access) -> CreatedToken:
    with tokens_readable():
        there = {each.name for each in file.tokens()}
    if asked.name.strip() in there:
        raise Refused(f"There is a token {asked.name.strip()!r} already.", remedy="Choose another name.")
    secret = file.add(asked.name, asked.rights, corpora=corpora, where=asked.where)
    made = file.find(secret)
    if made is None:
        raise NothingHere("token by this name")
    return CreatedToken(_listed(made, access), secret)


def _revoked(file: TokenFile, name: str, access: Access) -> ListedToken:
    with tokens_readable():
        seen = {each.name for each in file.tokens() if access.covers(each.corpora)}
    if name not in seen:
        raise NothingHere("token by this name")
    try:
        return _listed(file.revoke(name), access)
    except SettingsError:  # somebody else ended it
        raise NothingHere("token by this name") from None


def _listed(token: AccessToken, access: Access) -> ListedToken:
    own = access is not LOCAL and token.name == access.name
    return ListedToken(
        token.name, token.rights, token.corpora, token.where, token.created, len(token.sessions), own=own
    )
