"""What is printed of texts that others wrote."""

from __future__ import annotations

import json

import pytest

from overstory.cli.output import show_evidence, show_json
from overstory.model import BridgePath, BridgeStep, Evidence, Hit, Reason
from overstory.notebook import printable

OBEYED = "a\x1b[2Jb\x07c\x9b31m\rd\u202ee\u2066f\x7f"


def test_what_a_terminal_would_obey_is_left_out() -> None:
    assert printable(OBEYED) == "a[2Jbc31mdef"
    assert printable("a\tb\nc") == "a\tb\nc"
    assert printable("نامه‌ای 👩\u200d🌾 é") == "نامه‌ای 👩\u200d🌾 é"  # joiners are letters' business


def test_json_says_it_and_shows_it_not(capsys: pytest.CaptureFixture[str]) -> None:
    show_json({"text": OBEYED})
    shown = capsys.readouterr().out
    assert printable(shown) == shown
    assert json.loads(shown) == {"text": OBEYED}


def test_hits_paths_and_sources_are_shown_without_it(capsys: pytest.CaptureFixture[str]) -> None:
    hit = Hit("c", "d", OBEYED, OBEYED, OBEYED, OBEYED, OBEYED, 1.0, (Reason("dense", 1.0, OBEYED),))
    step = BridgeStep(OBEYED, "mentions", "a", OBEYED, OBEYED, "c", OBEYED, OBEYED)
    show_evidence(Evidence("Where?", "test", (hit,), paths=(BridgePath(OBEYED, (step,), 1.0),)), why=True)
    shown = capsys.readouterr().out
    assert printable(shown) == shown
    assert "a[2Jbc31mdef" in shown
