"""Tokens: what the file has, who can read it, and when a change counts."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from overstory.errors import FilterError, SettingsError
from overstory_service.access import LOCAL, Gate, access_of
from overstory_service.problems import NotAllowed, NotThere, SessionOver, TokenNeeded
from overstory_service.tokens import _MOST_SESSIONS, Rights, TokenFile

ROOT = (
    '{"format": 1, "tokens": [{"name": "x", "rights": "root", "corpora": [], "where": "", "created": "", '
    '"digest": ""}]}'
)


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "service" / "tokens.json")


def test_a_token_is_found_by_itself_alone_and_is_not_in_the_file(tokens: TokenFile, tmp_path: Path) -> None:
    secret = tokens.add("alice", "write", corpora=("notes", "notes"))
    found = tokens.find(secret)
    assert found is not None
    assert (found.name, found.rights, found.corpora) == ("alice", "write", ("notes",))
    assert tokens.find(secret[:-1]) is None
    assert secret not in (tmp_path / "service" / "tokens.json").read_text()


def test_only_its_user_can_read_the_file(tokens: TokenFile, tmp_path: Path) -> None:
    tokens.add("alice", "read")
    file = tmp_path / "service" / "tokens.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    file.chmod(0o644)
    with pytest.raises(SettingsError, match="Other users can read"):
        TokenFile(file).tokens()


def test_another_process_hears_of_a_revoked_token_at_once(tokens: TokenFile, tmp_path: Path) -> None:
    other = TokenFile(tmp_path / "service" / "tokens.json")
    secret = tokens.add("alice", "read")
    assert other.find(secret) is not None
    tokens.revoke("alice")
    assert other.find(secret) is None


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 65, "\x1b[31mred"])
def test_names_that_a_log_cannot_show_are_refused(tokens: TokenFile, name: str) -> None:
    with pytest.raises(SettingsError, match="not a valid name"):
        tokens.add(name, "read")


def test_what_cannot_be_added(tokens: TokenFile) -> None:
    tokens.add("alice", "read")
    with pytest.raises(SettingsError, match="already"):
        tokens.add("alice", "read")
    with pytest.raises(SettingsError, match="can only have read rights"):
        tokens.add("bob", "write", where="team = 'a'")
    with pytest.raises(SettingsError, match="page or section"):
        tokens.add("bob", "read", where="page = 3")
    with pytest.raises(FilterError):
        tokens.add("bob", "read", where="team =")
    assert [each.name for each in tokens.tokens()] == ["alice"]
    with pytest.raises(SettingsError, match="no token 'bob'") as caught:
        tokens.revoke("bob")
    assert "'alice'" in caught.value.remedy


@pytest.mark.parametrize(
    "text", ["", "{", '{"format": 2, "tokens": []}', '{"format": 1, "tokens": [{"name": 1}]}', "[]", ROOT]
)
def test_a_damaged_file_lets_nobody_in(tokens: TokenFile, tmp_path: Path, text: str) -> None:
    secret = tokens.add("alice", "read")
    file = tmp_path / "service" / "tokens.json"
    file.write_text(text)
    os.utime(file, (1, 1))
    with pytest.raises(SettingsError, match="cannot be read"):
        tokens.find(secret)
    with pytest.raises(SettingsError, match="cannot be read"):
        Gate(tokens, open_without_tokens=True).admit(None)


def test_the_gate_is_open_until_there_is_a_token_and_never_again(tokens: TokenFile) -> None:
    gate = Gate(tokens, open_without_tokens=True)
    assert gate.admit(None) is LOCAL
    assert gate.admit("Bearer whatever a client sends") is LOCAL
    secret = tokens.add("alice", "read")
    with pytest.raises(TokenNeeded):
        gate.admit(None)
    assert gate.admit(f"bearer {secret}").name == "alice"
    tokens.revoke("alice")
    for header in (None, f"Bearer {secret}", "Bearer ", "Basic YTpi", "Bearer"):
        with pytest.raises(TokenNeeded):
            gate.admit(header)


def test_a_new_start_does_not_open_what_tokens_have_closed(tokens: TokenFile, tmp_path: Path) -> None:
    tokens.add("alice", "admin")
    tokens.revoke("alice")
    file = tmp_path / "service" / "tokens.json"
    with pytest.raises(TokenNeeded):
        Gate(TokenFile(file), open_without_tokens=True).admit(None)
    file.unlink()  # by whoever runs it
    assert Gate(TokenFile(file), open_without_tokens=True).admit(None) is LOCAL


def test_a_session_has_the_rights_of_its_token_and_ends_with_it(tokens: TokenFile, tmp_path: Path) -> None:
    secret = tokens.add("alice", "write", corpora=("notes",))
    other = TokenFile(tmp_path / "service" / "tokens.json")
    cookie, second = tokens.begin_session(secret), other.begin_session(secret)
    assert cookie is not None
    assert second is not None
    assert tokens.begin_session("ovs_wrong") is None
    text = (tmp_path / "service" / "tokens.json").read_text()
    assert all(each not in text for each in (secret, cookie, second))
    gate = Gate(other, open_without_tokens=False)
    assert gate.admit(None, cookie) == access_of(tokens.tokens()[0])
    assert gate.admit(f"Bearer {secret}", "whatever").name == "alice"
    for wrong in ("", secret, cookie[:-1]):
        with pytest.raises(SessionOver):
            gate.admit(None, wrong)
    with pytest.raises(TokenNeeded):
        gate.admit(f"Bearer {cookie}")
    other.end_session(cookie)
    other.end_session(cookie)
    assert tokens.of_session(cookie) is None
    assert tokens.of_session(second) is not None
    tokens.revoke("alice")
    assert other.of_session(second) is None


def test_sessions_end_by_themselves_and_are_not_kept_without_end(tokens: TokenFile, tmp_path: Path) -> None:
    secret = tokens.add("alice", "read")
    first = tokens.begin_session(secret)
    assert first is not None
    for _ in range(_MOST_SESSIONS):
        tokens.begin_session(secret)
    assert len(tokens.tokens()[0].sessions) == _MOST_SESSIONS
    assert tokens.of_session(first) is None
    file = tmp_path / "service" / "tokens.json"
    last = tokens.begin_session(secret)
    assert last is not None
    text = json.loads(file.read_text())
    for each in text["tokens"][0]["sessions"]:
        each["ends"] = "2001-01-01T00:00:00+00:00"
    file.write_text(json.dumps(text))
    assert TokenFile(file).of_session(last) is None
    TokenFile(file).begin_session(secret)
    assert len(TokenFile(file).tokens()[0].sessions) == 1


def test_rights_contain_those_below(tokens: TokenFile) -> None:
    tokens.add("w", "write", corpora=("notes",))
    access = access_of(tokens.tokens()[0])
    access.require("read")
    access.require("write")
    access.require_corpus("notes")
    with pytest.raises(NotAllowed, match="admin"):
        access.require("admin")
    with pytest.raises(NotThere):
        access.require_corpus("other")


def test_a_filter_keeps_from_what_is_of_the_whole(tokens: TokenFile) -> None:
    tokens.add("r", "read", where="team = 'a'")
    with pytest.raises(NotAllowed, match="Status"):
        access_of(tokens.tokens()[0]).require_whole("Status")


@pytest.mark.parametrize(
    ("rights", "corpora", "shown"),
    [
        ("read", (), {"asking"}),
        ("write", (), {"asking"}),
        ("write", ("docs",), {"asking"}),
        ("admin", ("docs",), {"asking", "of docs"}),
        ("admin", (), {"asking", "of docs", "of both", "of all", "revoked"}),
    ],
)
def test_the_names_of_tokens_are_shown_to_those_who_administer_them(
    tokens: TokenFile, rights: Rights, corpora: tuple[str, ...], shown: set[str]
) -> None:
    for name, own in (("of docs", ("docs",)), ("of both", ("docs", "more")), ("of all", ())):
        tokens.add(name, "write", corpora=own)
    asking = Gate(tokens, open_without_tokens=False).admit(f"Bearer {tokens.add('asking', rights, corpora=corpora)}")
    names = [*(each.name for each in tokens.tokens()), "revoked"]
    assert {each for each in names if asking.may_name(each, tokens.tokens())} == shown
