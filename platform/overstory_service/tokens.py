"""Tokens: who may ask the service, and for what. One file, which only its user can read, has their digests."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import secrets
import stat
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from filelock import FileLock

from overstory.errors import SettingsError
from overstory.filters import read_filter
from overstory.filters.expression import asks_passages
from overstory.settings import Settings
from overstory.whole_files import write_whole

Rights = Literal["read", "write", "admin"]
"""`read` asks; `write` also loads, deletes, edits names and indexes; `admin` also makes and deletes corpora, reads
folders of the server, and sees the figures of the service."""

RIGHTS: tuple[Rights, ...] = get_args(Rights)
_SECRET_BYTES = 32
LONGEST_TOKEN_NAME = 64
TOKENS_FILE = "tokens.json"
SESSION_DAYS = 30
"""After which a session of the page ends by itself."""
_MOST_SESSIONS = 50
"""Of one token; the oldest ends when one more begins."""
_PREFIX = "ovs_"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class PageSession:
    """A browser that was signed in with a token.

    Attributes:
        digest: SHA-256 of what its cookie has, hexadecimal. As of a token, it tells nothing.
        ends: date and time, ISO 8601.
    """

    digest: str
    ends: str


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token as the file has it.

    Attributes:
        name: unique; what the access log says of it.
        corpora: that it is good for; empty for all.
        where: a fixed filter on the documents that it sees, as text; "" for none.
        created: date and time, ISO 8601.
        digest: SHA-256 of the token, hexadecimal. A token has 256 random bits, so that its digest tells nothing.
        sessions: of browsers that were signed in with it, oldest first; they end with it.
    """

    name: str
    rights: Rights
    corpora: tuple[str, ...]
    where: str
    created: str
    digest: str
    sessions: tuple[PageSession, ...] = ()


class TokenFile:
    """The tokens of an instance. Several processes may change them; a change counts from the next request on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._seen: tuple[int, int, int, int] | None = None
        self._tokens: dict[str, AccessToken] = {}
        self._sessions: dict[str, tuple[PageSession, AccessToken]] = {}

    def tokens(self) -> list[AccessToken]:
        """All of them, in the order in which they were added.

        Raises:
            SettingsError: the file cannot be read, or others can read it.
        """
        with self._lock:
            self._read()
            return list(self._tokens.values())

    def had_some(self) -> bool:
        """Whether there are tokens, or were before the last one was revoked: their file is there.

        Raises:
            SettingsError: as `tokens`.
        """
        with self._lock:
            self._read()
            return self._seen is not None

    def find(self, secret: str) -> AccessToken | None:
        """What a token is good for; None for one that is not in the file.

        Raises:
            SettingsError: as `tokens`.
        """
        digest = _digest(secret)
        with self._lock:
            self._read()
            return self._tokens.get(digest)

    def add(self, name: str, rights: Rights, *, corpora: Sequence[str] = (), where: str = "") -> str:
        """Makes a token, and returns it; nobody can read it from the file afterwards.

        Raises:
            SettingsError: the name is taken or empty, rights other than `read` with a filter, a filter that asks for
                pages or sections, or the file cannot be written.
            FilterError: `where` cannot be read.
        """
        shown = name.strip()
        if not shown or len(shown) > LONGEST_TOKEN_NAME or not shown.isprintable():
            raise SettingsError(
                f"{name!r} is no name of a token.",
                remedy=f"Give it one of 1 to {LONGEST_TOKEN_NAME} letters, digits and signs.",
            )
        if rights not in RIGHTS:
            raise SettingsError(f"There are no rights {rights!r}.", remedy=f"Give one of {', '.join(RIGHTS)}.")
        if where:
            if rights != "read":
                raise SettingsError(
                    f"A token with a filter only reads; this one was to have the rights {rights!r}.",
                    remedy="Leave out the filter, or give it the rights 'read'.",
                )
            if asks_passages(read_filter(where)):
                raise SettingsError(
                    "page and section belong to passages: the filter of a token is on documents.",
                    remedy="Leave them out.",
                )
        secret = _PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
        now = datetime.datetime.now(datetime.UTC).replace(microsecond=0).isoformat()
        with self._changing():
            if any(each.name == shown for each in self._tokens.values()):
                raise SettingsError(
                    f"There is a token {shown!r} already.",
                    remedy="Choose another name, or end that one: `overstory tokens revoke`, or Tokens on the page.",
                )
            token = AccessToken(shown, rights, tuple(dict.fromkeys(corpora)), where, now, _digest(secret))
            self._write([*self._tokens.values(), token])
        return secret

    def revoke(self, name: str) -> AccessToken:
        """Ends a token, from the next request on.

        Raises:
            SettingsError: there is none by this name; the remedy lists those there are.
        """
        with self._changing():
            for token in self._tokens.values():
                if token.name == name:
                    self._write([each for each in self._tokens.values() if each is not token])
                    return token
            there = ", ".join(repr(each.name) for each in self._tokens.values())
            raise SettingsError(
                f"There is no token {name!r}.", remedy=f"There are {there}." if there else "There are none yet."
            )

    def begin_session(self, secret: str) -> str | None:
        """Signs a browser in: what its cookie is to have, from which nobody learns the token. None for a token that is
        not in the file.

        Raises:
            SettingsError: the file cannot be read or written.
        """
        digest, cookie, now = _digest(secret), secrets.token_urlsafe(_SECRET_BYTES), datetime.datetime.now(datetime.UTC)
        ends = (now + datetime.timedelta(days=SESSION_DAYS)).replace(microsecond=0).isoformat()
        with self._changing():
            token = self._tokens.get(digest)
            if token is None:
                return None
            going_on = [each for each in token.sessions if not _is_over(each, now)]
            kept = (*going_on[-(_MOST_SESSIONS - 1) :], PageSession(_digest(cookie), ends))
            self._write_instead(token, kept)
        return cookie

    def of_session(self, cookie: str) -> AccessToken | None:
        """The token of a session; None for one that has ended, or was none.

        Raises:
            SettingsError: as `tokens`.
        """
        digest = _digest(cookie)
        with self._lock:
            self._read()
            found = self._sessions.get(digest)
        if found is None or _is_over(found[0], datetime.datetime.now(datetime.UTC)):
            return None
        return found[1]

    def end_session(self, cookie: str) -> None:
        """Signs a browser out.

        Raises:
            SettingsError: the file cannot be read or written.
        """
        digest = _digest(cookie)
        with self._changing():
            found = self._sessions.get(digest)
            if found is not None:
                self._write_instead(found[1], tuple(each for each in found[1].sessions if each.digest != digest))

    @contextmanager
    def _changing(self) -> Generator[None]:
        """Nobody else changes the file meanwhile."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(self._path.with_name(f"{self._path.name}.lock")), self._lock:
            self._read()
            yield

    def _read(self) -> None:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            self._seen, self._tokens, self._sessions = None, {}, {}
            return
        except OSError as error:
            raise self._unreadable(error.strerror or str(error)) from error
        seen = (found.st_ino, found.st_mtime_ns, found.st_size, found.st_mode)
        if seen == self._seen:
            return
        if stat.S_IMODE(found.st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
            raise SettingsError(
                f"Others can read or write {self._path}, which has the tokens.", remedy=f"chmod 600 {self._path}"
            )
        try:
            stored = json.loads(self._path.read_text(encoding="utf-8"))
            if stored["format"] != _FORMAT:
                raise self._unreadable(f"its format is {stored['format']}, not {_FORMAT}")
            tokens = [_token(each) for each in stored["tokens"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._unreadable(str(error)) from error
        self._seen, self._tokens = seen, {each.digest: each for each in tokens}
        self._sessions = {session.digest: (session, each) for each in tokens for session in each.sessions}

    def _write_instead(self, token: AccessToken, sessions: tuple[PageSession, ...]) -> None:
        changed = replace(token, sessions=sessions)
        self._write([changed if each is token else each for each in self._tokens.values()])

    def _write(self, tokens: Sequence[AccessToken]) -> None:
        text = json.dumps({"format": _FORMAT, "tokens": [asdict(each) for each in tokens]}, indent=2)
        write_whole(self._path, text + "\n")
        self._seen = None

    def _unreadable(self, why: str) -> SettingsError:
        return SettingsError(
            f"The tokens in {self._path} cannot be read: {why}.",
            remedy="Restore that file, or delete it and add the tokens anew.",
        )


def token_file(settings: Settings) -> TokenFile:
    """The tokens of the instance that the settings name (OVERSTORY_HOME)."""
    return TokenFile(service_folder(settings) / TOKENS_FILE)


def service_folder(settings: Settings) -> Path:
    """Where a service keeps its files, beside the server's."""
    return Path(os.path.abspath(settings.places.data)) / "service"  # noqa: PTH100 # no link is followed


def _token(stored: dict[str, Any]) -> AccessToken:  # of a file that somebody may have edited
    texts = {name: stored[name] for name in ("name", "where", "created", "digest")}
    corpora = tuple(stored["corpora"])
    if stored["rights"] not in RIGHTS or not all(isinstance(each, str) for each in (*texts.values(), *corpora)):
        raise ValueError(f"the token {stored['name']!r} has a value that none can have")
    sessions = tuple(PageSession(each["digest"], each["ends"]) for each in stored.get("sessions", ()))
    for each in sessions:
        datetime.datetime.fromisoformat(each.ends)
    return AccessToken(rights=stored["rights"], corpora=corpora, sessions=sessions, **texts)


def _is_over(session: PageSession, now: datetime.datetime) -> bool:
    return datetime.datetime.fromisoformat(session.ends) <= now


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
