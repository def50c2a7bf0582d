"""What is printed of texts that others wrote."""

from __future__ import annotations

import json
import unicodedata

import pytest

from overstory.answer import Answer, Citation, CitedPassage
from overstory.cli.documents import _json, _line  # pyright: ignore[reportPrivateUsage]
from overstory.cli.output import harmless, show_answer, show_evidence, show_json
from overstory.display import printable
from overstory.index import StoredDocument
from overstory.model import BridgePath, BridgeStep, Evidence, Hit, Part, Reason

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
    show_answer(
        Answer("Where?", "In Ulm. [1]", "Ulm", "extractive", "answered", (), evidence, guess="Ulm"), streamed=True
    )
    shown = capsys.readouterr().out
    assert "In Ulm" not in shown
    assert "Perhaps: Ulm" in shown


def test_json_says_it_and_shows_it_not(capsys: pytest.CaptureFixture[str]) -> None:
    show_json({"text": OBEYED})
    shown = capsys.readouterr().out
    assert printable(shown) == shown
    assert json.loads(shown) == {"text": OBEYED}


def test_hits_paths_and_sources_are_shown_without_it(capsys: pytest.CaptureFixture[str]) -> None:
    hit = Hit("c", "d", OBEYED, OBEYED, OBEYED, OBEYED, OBEYED, 1.0, (Reason("dense", 1.0, OBEYED, OBEYED),))
    step = BridgeStep(OBEYED, "mentions", "a", OBEYED, OBEYED, "c", OBEYED, OBEYED)
    path = BridgePath.along([step], asked=OBEYED, score=1.0, documents=["d"])
    report = Part(kind="report", text=OBEYED, score=1.0, chunks=("c",), documents=("d",))
    show_evidence(Evidence("Where?", "test", (hit,), parts=(path, report)), why=True)
    shown = capsys.readouterr().out
    assert printable(shown) == shown
    assert "a[2Jbc31mdef" in shown


HIT = Hit(
    "c1",
    "d1",
    "wiki",
    "ulm",
    "Ulm",
    "",
    "Ulm lies on the Danube.",
    0.5,
    (Reason("lexical", 0.5, "BM25", "shares words"),),
)
REPORT = Part(kind="report", text="Rivers\n" + "- Ulm\n" * 9, score=0.25, chunks=("c1",), documents=("d1",))


def test_a_hit_says_in_words_what_led_to_it_and_then_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    show_evidence(Evidence("Where?", "test", (HIT,)))
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "    It shares words.",
        "    score 0.5000 — lexical 0.500: BM25",
    ]


def test_parts_come_after_the_hits_with_their_sources(capsys: pytest.CaptureFixture[str]) -> None:
    show_evidence(Evidence("Where?", "test", (HIT,), parts=(REPORT,)))
    shown = capsys.readouterr().out.splitlines()
    assert shown[-7:] == [
        "",
        "Beside the passages:",
        "  report  Rivers",
        *["    - Ulm"] * 3,
        "    score 0.2500 — from wiki#ulm",
    ]


def test_json_has_parts_with_their_keys(capsys: pytest.CaptureFixture[str]) -> None:
    show_json(Evidence("Where?", "test", (HIT,), parts=(REPORT,)))
    shown = json.loads(capsys.readouterr().out)
    assert shown["parts"] == [REPORT.as_json()]
    assert shown["hits"][0]["reasons"][0] == {
        "kind": "lexical",
        "score": 0.5,
        "detail": "BM25",
        "clause": "shares words",
    }


def test_the_sources_of_an_answer_name_the_passages_of_a_part(capsys: pytest.CaptureFixture[str]) -> None:
    passages = (CitedPassage("c1", "d1", "wiki", "ulm", "Ulm"), CitedPassage("c2", "d2", "a.pdf", "", "", page=3))
    cited = Citation(1, "c1", "d1", "wiki", "ulm", "Rivers", "Rivers …", kind="report", passages=passages)
    show_answer(
        Answer("Where?", "Ulm. [1]", "Ulm", "llm", "answered", (cited,), Evidence("Where?", "test", (HIT,)), model="m")
    )
    shown = capsys.readouterr().out.splitlines()
    assert "  1. Rivers  (report)" in shown
    assert shown[shown.index("  1. Rivers  (report)") + 1 :][:2] == [
        "     from Ulm  [wiki#ulm]",
        "     from (no title)  [a.pdf, page 3]",
    ]


def test_an_answer_without_a_guess_is_its_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    evidence = Evidence("Why?", "test", (HIT,))
    said = "Ulm lies on the Danube. [1]\nIt is old. [1]"
    show_answer(Answer("Why?", said, "Ulm lies on the Danube.", "extractive", "answered", (), evidence))
    assert capsys.readouterr().out.startswith("    Ulm lies on the Danube. [1]\n    It is old. [1]\n\nThis answer is")


def test_what_is_not_in_the_documents_is_said_with_the_nearest_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    others = [Hit(f"c{number}", f"d{number // 2}", OBEYED, "", "", "", OBEYED, 0.4) for number in range(4, 12)]
    evidence = Evidence("Who?", "test", (HIT, *others))
    show_answer(
        Answer("Who?", "The documents found do not answer this.", "", "extractive", "not_in_documents", (), evidence)
    )
    shown = capsys.readouterr().out
    assert printable(shown) == shown
    lines = shown.splitlines()
    assert lines[:4] == [
        "The documents found do not answer this.",
        "",
        "The nearest documents:",
        "     Ulm  [wiki#ulm]",
    ]
    assert len(lines) == 7
    assert lines[-1] == "`overstory search` with the same question shows their passages."
