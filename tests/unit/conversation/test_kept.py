"""The last turns of a corpus on disk."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from overstory.conversation import MOST_TURNS, KeptConversation
from overstory.settings import DatabaseSettings, Places, Settings
from overstory.text.questions.antecedents import Named, Turn

TURN = Turn("Where was \ud800 Bram?", "Dublin", (Named("Bram", "PERSON", "he"),), (Named("Dublin", "GPE"),), ("c1",))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(Places(tmp_path / "data", tmp_path / "cache"))


def test_turns_are_read_as_they_were_written_and_only_their_user_can(settings: Settings) -> None:
    kept = KeptConversation(settings, "Corpus_1")
    assert kept.read() == []
    kept.write([TURN])
    assert kept.read() == [TURN]
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.path.parent.stat().st_mode) == 0o700


def test_the_last_turns_are_kept_of_each_corpus_and_database(settings: Settings) -> None:
    kept = KeptConversation(settings, "Corpus_1")
    kept.write(Turn(str(number)) for number in range(MOST_TURNS + 3))
    assert kept.read()[0].question == "3"
    assert KeptConversation(settings, "Corpus_2").read() == []
    elsewhere = replace(settings, database=DatabaseSettings(uri="bolt://localhost:7687"))
    assert KeptConversation(elsewhere, "Corpus_1").read() == []


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"version": 0, "turns": []}', '{"version": 1, "turns": [{}]}', '{"version": 1, "turns": 7}'],
)
def test_a_file_that_is_broken_counts_as_none(settings: Settings, text: str) -> None:
    kept = KeptConversation(settings, "Corpus_1")
    kept.write([TURN])
    kept.path.write_text(text, encoding="utf-8")
    assert kept.read() == []


def test_turns_are_forgotten_with_a_passage_that_an_answer_cites(settings: Settings) -> None:
    kept = KeptConversation(settings, "Corpus_1")
    kept.forget_passages(["c1"])
    kept.write([TURN])
    kept.forget_passages(["c2"])
    assert kept.read() == [TURN]
    kept.forget_passages(["c2", "c1"])
    assert not kept.path.exists()
    kept.forget()


def test_a_file_that_cannot_be_deleted_is_logged(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    kept = KeptConversation(settings, "Corpus_1")
    kept.path.mkdir(parents=True)
    kept.forget()
    assert "Delete the file" in caplog.text
