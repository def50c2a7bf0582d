"""Routes with which administrators manage tokens, and with which users of the web page sign in and out."""

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
"""Maximum number of characters in the token of a sign-in request."""
_SECONDS_A_DAY = 86_400


class SignIn(BaseModel):
    """A token to sign in with."""

    model_config = ConfigDict(extra="forbid", strict=True)

    token: str = Field(min_length=1, max_length=_LONGEST_SENT_TOKEN)


@dataclass(frozen=True, slots=True)
class Session:
    """User of a request, and their rights.

    Attributes:
        by: "local" if the service has no tokens, "cookie" for the page's cookie, "token" for an Authorization header.
        name: name of the token.
        filtered: True if the token has a filter, and so sees only some documents.
    """

    by: Literal["local", "cookie", "token"]
    name: str
    rights: Rights
    filtered: bool


@router.get("/session", tags=["sessions"], response_model=None, responses={200: {"model": Session}})
async def read_session(request: Request, access: Admitted) -> Response:
    """Return the user of the request, or 401 if a token is needed."""
    by_cookie = "authorization" not in request.headers
    return DataclassResponse(_session(access, "local" if access is LOCAL else "cookie" if by_cookie else "token"))


@router.post("/session", tags=["sessions"], response_model=None, responses={200: {"model": Session}})
async def sign_in(given: SignIn, request: Request) -> Response:
    """Sign in: exchange a token for a cookie.

    The cookie is `HttpOnly` and `SameSite=Strict`, and over https also `Secure`.
    """
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
    """Sign out: end the session of the cookie."""
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
    # Because of this path, browsers do not send the cookie to other services on the same host.
    return host_of(request).settings.root_path or "/"


def _by_https(request: Request) -> bool:
    # A proxy may receive https and forward http. Therefore an Origin header with https counts, too. `Guards` has
    # compared this header with the Host header.
    origin = request.headers.get("origin", "")
    return address_of_service(request).startswith("https://") or origin.startswith("https://")


def _session(access: Access, by: Literal["local", "cookie", "token"]) -> Session:
    return Session(by, access.name, access.rights, bool(access.where))


_MOST_CORPORA_OF_A_TOKEN = 1_000


class TokenRequest(BaseModel):
    """A token to create.

    Attributes:
        name: name of its user or program.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=LONGEST_TOKEN_NAME)
    rights: Rights = "read"
    corpora: list[str] = Field(
        default_factory=list,
        max_length=_MOST_CORPORA_OF_A_TOKEN,
        description="Corpora that the token can access. If empty, the corpora of your own token.",
    )
    where: str = Field(
        "", max_length=LONGEST_FILTER, description="Filter on document metadata; only for tokens with read rights."
    )


@dataclass(frozen=True, slots=True)
class ListedToken:
    """A token without its secret.

    Attributes:
        corpora: corpora that it can access; empty for all.
        where: filter on the documents that it can see; "" for no filter.
        created: date and time, ISO 8601.
        sessions: number of browsers that are signed in with it.
        own: True for the token of the request.
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
    """Tokens whose corpora the token of the request can access, too."""

    tokens: tuple[ListedToken, ...]


@dataclass(frozen=True, slots=True)
class CreatedToken:
    """A new token. Its `secret` cannot be retrieved later."""

    token: ListedToken
    secret: str


@router.get("/tokens", tags=["tokens"], response_model=None, responses={200: {"model": TokenList}})
async def list_tokens(request: Request, access: Admitted) -> Response:
    """List tokens, oldest first. Needs admin rights."""
    access.require("admin")
    with tokens_readable():
        found = await run_in_threadpool(host_of(request).gate.tokens.tokens)
    return DataclassResponse(TokenList(tuple(_listed(each, access) for each in found if access.covers(each.corpora))))


@router.post("/tokens", tags=["tokens"], status_code=201, response_model=None, responses={201: {"model": CreatedToken}})
async def create_token(body: TokenRequest, request: Request, access: Admitted) -> Response:
    """Create a token with at most your own rights and corpora. Needs admin rights."""
    access.require("admin")
    for corpus in body.corpora:
        access.require_corpus(corpus)
        corpus_label(corpus)
    corpora = tuple(body.corpora) or tuple(sorted(access.corpora or ()))
    file = host_of(request).gate.tokens
    if access is LOCAL and not (body.rights == "admin" and not corpora):
        raise NotAllowed(
            "The first token must have admin rights for all corpora.",
            remedy="Create it first: once it exists, every request needs a token, and only this one can create more.",
        )
    return DataclassResponse(await run_in_threadpool(_made, file, body, corpora, access), 201)


@router.delete("/tokens/{name}", tags=["tokens"], response_model=None, responses={200: {"model": ListedToken}})
async def revoke_token(
    name: Annotated[str, Path(max_length=LONGEST_TOKEN_NAME), AfterValidator(with_slashes)],
    request: Request,
    access: Admitted,
) -> Response:
    """Revoke a token, and end the sessions of browsers that are signed in with it. Needs admin rights."""
    access.require("admin")
    return DataclassResponse(await run_in_threadpool(_revoked, host_of(request).gate.tokens, name, access))


def _made(file: TokenFile, body: TokenRequest, corpora: Sequence[str], access: Access) -> CreatedToken:
    with tokens_readable():
        there = {each.name for each in file.tokens()}
    if body.name.strip() in there:
        raise Refused(f"Token {body.name.strip()!r} already exists.", remedy="Choose another name.")
    secret = file.add(body.name, body.rights, corpora=corpora, where=body.where)
    made = file.find(secret)
    if made is None:
        raise NothingHere("token with this name")
    return CreatedToken(_listed(made, access), secret)


def _revoked(file: TokenFile, name: str, access: Access) -> ListedToken:
    with tokens_readable():
        seen = {each.name for each in file.tokens() if access.covers(each.corpora)}
    if name not in seen:
        raise NothingHere("token with this name")
    try:
        return _listed(file.revoke(name), access)
    except SettingsError:  # another request has revoked the token in the meantime
        raise NothingHere("token with this name") from None


def _listed(token: AccessToken, access: Access) -> ListedToken:
    own = access is not LOCAL and token.name == access.name
    return ListedToken(
        token.name, token.rights, token.corpora, token.where, token.created, len(token.sessions), own=own
    )
