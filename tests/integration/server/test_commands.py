"""`overstory server …` as an operator uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overstory import Evidence, server
from overstory.knowledge import Knowledge
from overstory.settings import Settings
from overstory_cli.main import run
from overstory_cli.server import FIRST_QUESTION, ask_first_question


@pytest.fixture
def shared(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The environment points at the shared server."""
    monkeypatch.setenv("OVERSTORY_HOME", str(settings.places.data))
    return settings


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment points at a place where no server ever was."""
    monkeypatch.setenv("OVERSTORY_HOME", str(tmp_path))


def test_start_says_how_to_reach_a_server_that_runs_already(
    shared: Settings, connection: server.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["server", "start", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["state"], told["uri"], told["http_url"]) == ("running", connection.uri, connection.http_url)
    assert Path(told["password_file"]).read_text(encoding="utf-8").strip() == connection.password


def test_status_and_logs_and_password_are_told(
    shared: Settings, connection: server.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["server", "status"]) == 0
    assert run(["server", "logs", "-n", "5000"]) == 0
    shown = capsys.readouterr().out
    assert connection.uri in shown
    assert "Started." in shown
    assert connection.password not in shown
    assert run(["server", "password"]) == 0
    assert capsys.readouterr().out == connection.password + "\n"


@pytest.mark.usefixtures("nowhere")
def test_where_no_server_was_nothing_fails_and_nothing_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["server", "status", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["state"] == "stopped"
    assert run(["server", "stop"]) == 0
    assert run(["server", "remove", "--yes"]) == 0
    assert run(["server", "password"]) == 4
    assert run(["server", "logs"]) == 4
    assert "overstory server start" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("nowhere")
def test_a_setting_that_cannot_be_used_is_named_before_anything_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OVERSTORY_SERVER_HEAP", "lots")
    assert run(["server", "start"]) == 3
    assert "OVERSTORY_SERVER_HEAP" in capsys.readouterr().err
    assert not (tmp_path / "cache").exists()


def test_after_a_start_a_question_is_asked_that_nobody_waits_for(
    shared: Settings, shared_corpus: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []
    search = Knowledge.search

    def recorded(knowledge: Knowledge, question: str) -> Evidence:
        asked.append((knowledge.corpus_name, question))
        return search(knowledge, question)

    monkeypatch.setattr(Knowledge, "search", recorded)
    ask_first_question()
    ((corpus, question),) = asked
    assert corpus in [size.corpus.name for size in shared_corpus.corpora()]
    assert question == FIRST_QUESTION
