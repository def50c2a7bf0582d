"""The access tokens of the service. Only their digests are stored, in a file that only its owner can read."""

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
"""The rights of a token.

- "read": ask questions.
- "write": also load, delete and index documents, and edit entities.
- "admin": also delete corpora, load folders of the server, manage tokens, and read metrics.
"""

RIGHTS: tuple[Rights, ...] = get_args(Rights)
_SECRET_BYTES = 32
LONGEST_TOKEN_NAME = 64
TOKENS_FILE = "tokens.json"
SESSION_DAYS = 30
"""Number of days after which a session of the web page expires."""
_MOST_SESSIONS = 50
"""Maximum number of sessions for each token. Another sign-in ends the oldest session."""
_PREFIX = "ovs_"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class PageSession:
    """The session of a browser that is signed in with a token.

    Attributes:
        digest: SHA-256 digest of the cookie's value, in hexadecimal.
        ends: date and time when the session expires, in ISO 8601 format.
    """

    digest: str
    ends: str


@dataclass(frozen=True, slots=True)
class AccessToken:
    """An access token as it is stored in the file.

    Attributes:
        name: unique name of the token, which is written to the access log.
        corpora: names of the corpora that the token can access; () for all corpora.
        where: filter that selects the documents that the token can see; "" for all documents.
        created: date and time when the token was created, in ISO 8601 format.
        digest: SHA-256 digest of the token's secret, in hexadecimal. The secret contains 256 random bits, therefore it
            cannot be computed from the digest.
        sessions: sessions of browsers that are signed in with the token, oldest first. They end when the token is
            revoked.
    """

    name: str
    rights: Rights
    corpora: tuple[str, ...]
    where: str
    created: str
    digest: str
    sessions: tuple[PageSession, ...] = ()


class TokenFile:
    """The file that contains the access tokens.

    Several processes may change the file. A change takes effect with the next request.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._seen: tuple[int, int, int, int] | None = None
        self._tokens: dict[str, AccessToken] = {}
        self._sessions: dict[str, tuple[PageSession, AccessToken]] = {}

    def tokens(self) -> list[AccessToken]:
        """Return all tokens, oldest first.

        Raises:
            SettingsError: the file cannot be read, or other users can read it.
        """
        with self._lock:
            self._read()
            return list(self._tokens.values())

    def had_some(self) -> bool:
        """Return True if a token was ever created, that is, if the file exists.

        Raises:
            SettingsError: the file cannot be read, or other users can read it.
        """
        with self._lock:
            self._read()
            return self._seen is not None

    def find(self, secret: str) -> AccessToken | None:
        """Return the stored token with this secret, or None if there is none.

        Raises:
            SettingsError: the file cannot be read, or other users can read it.
        """
        digest = _digest(secret)
        with self._lock:
            self._read()
            return self._tokens.get(digest)

    def add(self, name: str, rights: Rights, *, corpora: Sequence[str] = (), where: str = "") -> str:
        """Create a token, and return its secret, which cannot be retrieved later.

        Args:
            corpora: names of the corpora that the token can access; () for all corpora.
            where: filter that selects the documents that the token can see; "" for all documents.

        Raises:
            SettingsError: the name is invalid or already in use; the file cannot be written; or there is a filter, and
                the rights are not "read" or the filter uses pages or sections.
            FilterError: `where` is not a valid filter.
        """
        shown = name.strip()
        if not shown or len(shown) > LONGEST_TOKEN_NAME or not shown.isprintable():
            raise SettingsError(
                f"{name!r} is not a valid name for a token.",
                remedy=f"Use 1 to {LONGEST_TOKEN_NAME} printable characters.",
            )
        if rights not in RIGHTS:
            raise SettingsError(f"Unknown rights {rights!r}.", remedy=f"Use one of {', '.join(RIGHTS)}.")
        if where:
            if rights != "read":
                raise SettingsError(
                    f"A token with a filter can only have read rights, got {rights!r}.",
                    remedy="Leave out the filter, or use the rights 'read'.",
                )
            if asks_passages(read_filter(where)):
                raise SettingsError(
                    "The filter of a token applies to documents, so it cannot use page or section.",
                    remedy="Leave out page and section.",
                )
        secret = _PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
        now = datetime.datetime.now(datetime.UTC).replace(microsecond=0).isoformat()
        with self._changing():
            if any(each.name == shown for each in self._tokens.values()):
                raise SettingsError(
                    f"Token {shown!r} already exists.",
                    remedy="Choose another name, or revoke that token (`overstory tokens revoke NAME`).",
                )
            token = AccessToken(shown, rights, tuple(dict.fromkeys(corpora)), where, now, _digest(secret))
            self._write([*self._tokens.values(), token])
        return secret

    def revoke(self, name: str) -> AccessToken:
        """Revoke a token, and return it. The next request with this token is refused.

        Raises:
            SettingsError: no token has this name.
        """
        with self._changing():
            for token in self._tokens.values():
                if token.name == name:
                    self._write([each for each in self._tokens.values() if each is not token])
                    return token
            there = ", ".join(repr(each.name) for each in self._tokens.values())
            raise SettingsError(
                f"There is no token {name!r}.",
                remedy=f"The tokens are {there}." if there else "No tokens have been created.",
            )

    def begin_session(self, secret: str) -> str | None:
        """Start a session, and return the value of its cookie, which does not reveal the token.

        Returns:
            The value of the cookie, or None if there is no token with this secret.

        Raises:
            SettingsError: the file cannot be read or written.
        """
        digest, cookie, now = _digest(secret), secrets.token_urlsafe(_SECRET_BYTES), datetime.datetime.now(datetime.UTC)
        ends = (now + datetime.timedelta(days=SESSION_DAYS)).replace(microsecond=0).isoformat()
        with self._changing():
            token = self._tokens.get(digest)
            if token is None:
                return None
            active = [each for each in token.sessions if not _is_over(each, now)]
            kept = (*active[-(_MOST_SESSIONS - 1) :], PageSession(_digest(cookie), ends))
            self._write_instead(token, kept)
        return cookie

    def of_session(self, cookie: str) -> AccessToken | None:
        """Return the token with which a session was started, or None if the session does not exist or has ended.

        Raises:
            SettingsError: the file cannot be read, or other users can read it.
        """
        digest = _digest(cookie)
        with self._lock:
            self._read()
            found = self._sessions.get(digest)
        if found is None or _is_over(found[0], datetime.datetime.now(datetime.UTC)):
            return None
        return found[1]

    def end_session(self, cookie: str) -> None:
        """End a session. If there is no such session, do nothing.

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
        """Read the file, and keep other processes and threads from changing it during the `with` block."""
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
                f"Other users can read or write the token file {self._path}.", remedy=f"Run: chmod 600 {self._path}"
            )
        try:
            stored = json.loads(self._path.read_text(encoding="utf-8"))
            if stored["format"] != _FORMAT:
                raise self._unreadable(f"format {stored['format']} instead of {_FORMAT}")
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
            f"The token file {self._path} cannot be read: {why}.",
            remedy="Restore the file, or delete it and create new tokens.",
        )


def token_file(settings: Settings) -> TokenFile:
    """Return the token file in OVERSTORY_HOME."""
    return TokenFile(service_folder(settings) / TOKENS_FILE)


def service_folder(settings: Settings) -> Path:
    """Return the folder in OVERSTORY_HOME that contains the files of the service."""
    return Path(os.path.abspath(settings.places.data)) / "service"  # noqa: PTH100 # `resolve` would follow links


def _token(stored: dict[str, Any]) -> AccessToken:  # values are checked because the file may have been edited by hand
    texts = {name: stored[name] for name in ("name", "where", "created", "digest")}
    corpora = tuple(stored["corpora"])
    if stored["rights"] not in RIGHTS or not all(isinstance(each, str) for each in (*texts.values(), *corpora)):
        raise ValueError(f"token {stored['name']!r} has an invalid value")
    sessions = tuple(PageSession(each["digest"], each["ends"]) for each in stored.get("sessions", ()))
    for each in sessions:
        datetime.datetime.fromisoformat(each.ends)
    return AccessToken(rights=stored["rights"], corpora=corpora, sessions=sessions, **texts)


def _is_over(session: PageSession, now: datetime.datetime) -> bool:
    return datetime.datetime.fromisoformat(session.ends) <= now


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
