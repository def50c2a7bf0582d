"""`overstory llm` as a user runs it, against a server on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.chat_endpoint import Endpoint, failing, running_chat_endpoint, saying

from overstory.errors import install_command
from overstory.llm import answer_cache, open_chat
from overstory.model import Message
from overstory.settings import Settings
from overstory_cli.main import run

KEY = "sk-very-secret"


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Endpoint]:
    with running_chat_endpoint() as endpoint:
        monkeypatch.setenv("OVERSTORY_CACHE", str(tmp_path))
        monkeypatch.setenv("OVERSTORY_LLM_BASE_URL", endpoint.url)
        monkeypatch.setenv("OVERSTORY_LLM_MODEL", "m")
        monkeypatch.setenv("OVERSTORY_LLM_API_KEY", KEY)
        monkeypatch.setenv("OVERSTORY_LLM_RETRIES", "0")
        yield endpoint


def test_check_asks_once_and_says_what_came_of_it(endpoint: Endpoint, capsys: pytest.CaptureFixture[str]) -> None:
    endpoint.then = saying('{"answer": "In Dublin", "passage": 2}')
    assert run(["llm", "check"]) == 0
    out = capsys.readouterr().out
    assert "Answer   In Dublin [2] (correct), valid JSON on the first try" in out
    assert "Took     12 tokens" in out
    assert len(endpoint.requests) == 1
    assert run(["llm", "check", "--json", "--model", "other"]) == 0
    assert json.loads(capsys.readouterr().out)["usage"]["completion_tokens"] == 2
    assert endpoint.requests[1]["model"] == "other"


def test_check_says_when_a_model_is_wrong_or_had_to_be_corrected(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.acts = [saying("Dublin!"), saying('{"answer": "In London", "passage": 1}')]
    assert run(["llm", "check"]) == 0
    out = capsys.readouterr().out
    assert "wrong" in out
    assert "after a correction" in out
    assert "24 tokens" in out


@pytest.mark.parametrize("code", [200, 400, 500])
def test_check_prints_nothing_that_a_terminal_would_obey(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    hostile = "\x1b]0;owned\x07"
    said = json.dumps({"answer": hostile, "passage": 2})
    endpoint.then = saying(said, model=f"m{hostile}") if code == 200 else failing(code, f"no {hostile}")
    run(["llm", "check"])
    captured = capsys.readouterr()
    assert "owned" in captured.out + captured.err
    assert not {"\x1b", "\x07"} & set(captured.out + captured.err)


def test_a_mistyped_option_is_shown_without_what_a_terminal_would_obey(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["\x1b]0;owned\x07"]) == 2
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 14, "refused the key"),
        (["--budget-tokens", "100"], 15, "The budget of 100 tokens"),
    ],
)
def test_a_failure_has_a_remedy_and_an_exit_code(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, said: str
) -> None:
    endpoint.then = failing(401, f"not {KEY}")
    assert run(["llm", "check", "-v", *arguments]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert KEY not in captured.err


def test_without_a_model_the_remedy_names_both_ways(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("", "_BASE_URL", "_MODEL", "_API_KEY"):
        monkeypatch.delenv(f"OVERSTORY_LLM{name}", raising=False)
    assert run(["llm", "check"]) == 14
    err = capsys.readouterr().err
    assert "OVERSTORY_LLM_BASE_URL" in err
    assert install_command("local-llm") in err


def test_cache_shows_and_forgets_what_is_remembered(endpoint: Endpoint, capsys: pytest.CaptureFixture[str]) -> None:
    settings = Settings.from_environment()
    with open_chat(settings) as chat:
        chat.ask([Message("user", "Where?")])
        chat.ask([Message("user", "Where?")])
    assert len(endpoint.requests) == 1
    folder = answer_cache(settings).path.parent
    assert all(KEY.encode() not in file.read_bytes() for file in folder.iterdir())
    assert run(["llm", "cache"]) == 0
    assert "1 response cached, 0.0 MB, 12 tokens" in capsys.readouterr().out
    assert run(["llm", "cache", "--clear", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["answers"] == 1
    assert answer_cache(settings).size().answers == 0


def test_nothing_is_remembered_where_that_is_not_wanted(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OVERSTORY_LLM_CACHE_MB", "0")
    with open_chat(Settings.from_environment()) as chat:
        chat.ask([Message("user", "Where?")])
        chat.ask([Message("user", "Where?")])
    assert len(endpoint.requests) == 2
