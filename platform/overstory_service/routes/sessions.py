"""Signing in to the page: a token once, and then a cookie that is good for what the token is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from overstory_service.access import LOCAL, Access, access_of
from overstory_service.hosted import (
    SESSION_COOKIE,
    Admitted,
    address_of_service,
    hosted,
    require_page,
    tokens_readable,
)
from overstory_service.refusals import TokenUnknown
from overstory_service.sending import PROBLEMS, Sent
from overstory_service.tokens import SESSION_DAYS, Rights

router = APIRouter(prefix="/v1", tags=["sessions"], responses=PROBLEMS)

_LONGEST_SENT_TOKEN = 1_000
"""Characters."""
_SECONDS_A_DAY = 86_400


class SignIn(BaseModel):
    """A token, as `overstory tokens add` printed it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    token: str = Field(min_length=1, max_length=_LONGEST_SENT_TOKEN)


@dataclass(frozen=True, slots=True)
class Session:
    """Who asks, and what they may.

    Attributes:
        by: "local" where the service has no tokens, "cookie" of the page, "token" of an Authorization header.
        name: of the token.
        filtered: whether all that is read goes through a filter, so that a part of the corpora is seen.
    """

    by: Literal["local", "cookie", "token"]
    name: str
    rights: Rights
    filtered: bool


@router.get("/session", response_model=None, responses={200: {"model": Session}})
async def session(request: Request, access: Admitted) -> Response:
    """Who asks: 401 where a token is needed first."""
    by_cookie = "authorization" not in request.headers
    return Sent(_session(access, "local" if access is LOCAL else "cookie" if by_cookie else "token"))


@router.post("/session", response_model=None, responses={200: {"model": Session}})
async def sign_in(given: SignIn, request: Request) -> Response:
    """Exchange a token for a cookie, which only a browser's own requests to this service carry (`HttpOnly`,
    `SameSite=Strict`; `Secure` where the page came by https)."""
    require_page(request)
    tokens = hosted(request).gate.tokens
    with tokens_readable():
        cookie = await run_in_threadpool(tokens.begin_session, given.token.strip())
        found = None if cookie is None else tokens.of_session(cookie)
    if cookie is None or found is None:
        raise TokenUnknown
    access = access_of(found)
    request.state.token = access.name
    answer = Sent(_session(access, "cookie"))
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


@router.delete("/session", status_code=204, response_model=None)
async def sign_out(request: Request) -> Response:
    """End the session of the cookie, whoever else may have it."""
    require_page(request)
    cookie = request.cookies.get(SESSION_COOKIE)
    if cookie is not None:
        with tokens_readable():
            await run_in_threadpool(hosted(request).gate.tokens.end_session, cookie)
    answer = Response(status_code=204)
    answer.delete_cookie(
        SESSION_COOKIE, path=_cookie_path(request), secure=_by_https(request), httponly=True, samesite="strict"
    )
    return answer


def _cookie_path(request: Request) -> str:
    """The root path, so that other services of the same host do not get the cookie."""
    return hosted(request).settings.root_path or "/"


def _by_https(request: Request) -> bool:
    """Whether the browser has the page by https. A proxy may end that before this service, so the browser's own word
    counts, too: the Origin of the request, which `Guards` compared with the Host."""
    origin = request.headers.get("origin", "")
    return address_of_service(request).startswith("https://") or origin.startswith("https://")


def _session(access: Access, by: Literal["local", "cookie", "token"]) -> Session:
    return Session(by, access.name, access.rights, bool(access.where))
