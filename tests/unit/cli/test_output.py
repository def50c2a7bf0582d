"""What is printed of texts that others wrote."""

from __future__ import annotations

import json
import unicodedata

import pytest

from overstory.answer import Answer
from overstory.cli.documents import _json, _line  # pyright: ignore[reportPrivateUsage]
from overstory.cli.output import harmless, show_answer, show_evidence, show_json
from overstory.display import printable
from overstory.index import StoredDocument
from overstory.model import BridgePath, BridgeStep, Evidence, Hit, Reason

OBEYED = "a\x1b[2Jb\x07c\x9b31m\rd\u202ee\u2066f\x7f"


def test_what_a_terminal_would_obey_is_left_out() -> None:
    assert printable(OBEYED) == "a[2Jbc31mdef"
    assert printable("a\tb\nc") == "a\tb\nc"
    assert printable("نامه‌ای 👩\u200d🌾 é") == "نامه‌ای 👩\u200d🌾 é"  # joiners are letters' business


def test_what_nobody_sees_is_left_out_but_joiners_and_signs_that_are_seen() -> None:
    hidden = {chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cf", "Cs")}
    seen = {"\u200c", "\u200d", *map(chr, range(0x600, 0x606)), *"\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"}
    assert {each for each in hidden if printable(each)} == seen
    assert json.loads(harmless(json.dumps("a\U000e0041\u200b", ensure_ascii=False))) == "a\U000e0041\u200b"


def test_a_title_in_a_list_of_documents_is_harmless() -> None:
    document = StoredDocument("d", "s\u202e", "", "a\u202eb\x1b\nc", 1, {})
    assert _line(document) == "d  ab c  [s]"
    assert printable(_json(document)) == _json(document)
    assert json.loads(_json(document))["title"] == document.title


def test_an_answer_that_was_heard_is_not_shown_again(capsys: pytest.CaptureFixture[str]) -> None:
    evidence = Evidence("Where?", "test", ())
    show_answer(Answer("Where?", "In Ulm. [1]", "Ulm", "extractive", True, (), evidence), streamed=True)
    shown = capsys.readouterr().out
    assert "In Ulm" not in shown
    assert "Perhaps: Ulm" in shown


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
