"""Printing of untrusted texts."""

from __future__ import annotations

import dataclasses
import datetime
import json
import textwrap
import unicodedata
from pathlib import Path

import click
import pytest

from overstory.answer import Answer, Citation, CitedPassage
from overstory.display import escaped, printable
from overstory.index import DocumentChange, LoadReport, StageRecord, StoredDocument
from overstory.model import BridgePath, BridgeStep, Evidence, Hit, Part, Reason, Repeat
from overstory.model.entity_paths import EntityPath, EntityPaths, PathStep
from overstory.sources import Kept
from overstory_cli.documents import _json, _line  # pyright: ignore[reportPrivateUsage]
from overstory_cli.output import (
    _MOST_PARTS_OF_A_KIND,
    JsonList,
    harmless,
    passage_lines,
    show_answer,
    show_evidence,
    show_json,
)
from overstory_cli.path import _show  # pyright: ignore[reportPrivateUsage]
from overstory_cli.status import _status  # pyright: ignore[reportPrivateUsage]

OBEYED = "a\x1b[2Jb\x07c\x9b31m\rd\u202ee\u2066f\x7f"


def test_a_stage_says_how_far_it_came() -> None:
    began = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    stage = StageRecord("embed", "e", "stopped", began, began, 1.0, 0, {}, 1, at=2_048, total=7_844)
    assert _status(stage) == "stopped at 2,048 of 7,844"
    assert _status(dataclasses.replace(stage, status="done", at=None, total=None)) == "done"


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
    assert _line(document) == "d      1  a\\u202eb\\x1b c  [s\\u202e]"
    named = dataclasses.replace(document, source="bad/new\nname")
    assert _line(named) == "d      1  a\\u202eb\\x1b c  [bad/new\\nname]"
    assert printable(_json(document)) == _json(document)
    assert json.loads(_json(document))["title"] == document.title


def test_an_answer_that_was_heard_is_not_shown_again(capsys: pytest.CaptureFixture[str]) -> None:
    evidence = Evidence("Where?", "test", ())
    show_answer(
        Answer("Where?", "In Ulm. [1]", "Ulm", "extractive", "answered", (), evidence, guess="Ulm", confidence=0.8),
        streamed=True,
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


def test_the_first_parts_of_each_kind_are_shown_and_all_of_them_with_why(capsys: pytest.CaptureFixture[str]) -> None:
    parts = tuple(
        dataclasses.replace(REPORT, kind=kind, text=f"{kind} {number}")
        for kind in ("entity", "report")
        for number in range(_MOST_PARTS_OF_A_KIND + 2)
    )
    evidence = Evidence("Where?", "test", (HIT,), parts=parts)
    show_evidence(evidence)
    shown = capsys.readouterr().out
    assert all(f"{kind} {_MOST_PARTS_OF_A_KIND - 1}" in shown for kind in ("entity", "report"))
    assert f"entity {_MOST_PARTS_OF_A_KIND}" not in shown
    assert "… and 4 more results: --why shows all" in shown
    show_evidence(evidence, why=True)
    shown = capsys.readouterr().out
    assert all(part.text in shown for part in parts)
    assert "more results" not in shown


def test_a_hit_says_in_words_what_led_to_it_and_the_figures_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    show_evidence(Evidence("Where?", "test", (HIT,)))
    assert capsys.readouterr().out.splitlines()[-2:] == ["    Ulm lies on the Danube.", "    It shares words."]
    show_evidence(Evidence("Where?", "test", (HIT,)), figures=True)
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "    It shares words.",
        "    score 0.5000",
        "      lexical 0.500: BM25",
    ]


def test_a_reason_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    other = dataclasses.replace(HIT, reasons=(Reason("lexical", 0.5, "BM25", "is nearest in meaning"),))
    unexplained = dataclasses.replace(HIT, reasons=())
    show_evidence(Evidence("Where?", "test", (HIT, other, unexplained, unexplained, HIT)))
    printed = capsys.readouterr().out
    assert printed.count("It shares words.") == 1
    assert printed.count("For the same reason as") == 1
    assert printed.splitlines()[-1] == "    For the same reason as 1."


def test_a_hit_that_is_repeated_says_how_often_and_where(capsys: pytest.CaptureFixture[str]) -> None:
    elsewhere = tuple(Repeat(f"c{i}", f"d{i}", "Wiki", f"Page{i}", "", "") for i in range(2, 6))
    show_evidence(Evidence("Where?", "test", (dataclasses.replace(HIT, repeated=9, repeats=elsewhere),)))
    shown = capsys.readouterr().out.splitlines()
    assert shown[2] == "    Also 9 more times, in Wiki#Page2, Wiki#Page3, Wiki#Page4 and others."


def test_a_hit_without_reasons_in_words_says_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    show_evidence(Evidence("Where?", "test", (dataclasses.replace(HIT, reasons=(Reason("own", 0.5, "x"),)),)))
    assert capsys.readouterr().out.splitlines()[-2:] == ["    score 0.5000", "      own 0.500: x"]


def test_a_title_and_an_origin_stay_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    show_evidence(Evidence("Where?", "test", (dataclasses.replace(HIT, title="U\nlm", source="a\nb"),)))
    assert capsys.readouterr().out.splitlines()[0] == r" 1. U lm  [a\nb#ulm]"
    show_evidence(Evidence("Where?", "test", (dataclasses.replace(HIT, title=""),)))
    assert capsys.readouterr().out.splitlines()[0] == " 1. Ulm lies on the Danube.  [wiki#ulm]"


def test_files_below_the_current_folder_are_named_from_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here, other = (dataclasses.replace(HIT, source=source) for source in (f"{tmp_path}/a/b.txt", f"{tmp_path}b.txt"))
    monkeypatch.chdir(tmp_path)
    show_evidence(Evidence("Where?", "test", (here, other)))
    shown = capsys.readouterr().out
    assert " 1. Ulm  [a/b.txt#ulm]" in shown
    assert f" 2. Ulm  [{tmp_path}b.txt#ulm]" in shown


def test_paths_are_shown_when_asked_each_sentence_once(capsys: pytest.CaptureFixture[str]) -> None:
    step = BridgeStep("Danube", "mentions", "a", "Vienna", "It is on the Danube.", "c1", "Ulm", HIT.text)
    further = dataclasses.replace(step, target_id="c2", target_title="Linz", target_sentence="Linz: Danube.")
    paths = [BridgePath.along([each], asked="", score=0.25, documents=["d"]) for each in (step, further)]
    evidence = Evidence("Where?", "test", (HIT, dataclasses.replace(HIT, chunk_id="c2")), parts=tuple(paths))
    show_evidence(evidence, why=True)
    shown = capsys.readouterr().out.splitlines()
    assert shown[3:6] == [
        "    by way of the question → Vienna → Danube → Ulm",
        '      "Vienna" names Danube: «It is on the Danube.»',
        "      This passage names Danube, too: «Ulm lies on the Danube.»",
    ]
    assert shown[-2:] == [
        "    by way of the question → Vienna → Danube → Linz",
        "      This passage names Danube, too: «Linz: Danube.»",
    ]
    show_evidence(evidence, why=True, figures=True)
    assert "    by way of the question → Vienna → Danube → Ulm  (+0.2500)" in capsys.readouterr().out


def test_words_and_sentence_are_marked_for_a_terminal() -> None:
    text = "Linz. (Ulm) lies on it."
    hit = dataclasses.replace(HIT, text=text, matches=((7, 10),), sentence=(6, len(text)))
    (line,) = passage_lines(hit, width=96, most=4)
    assert click.unstyle(line) == text
    assert click.style("Ulm", bold=True, underline=True) in line
    assert line.startswith("Linz. ")


def test_a_passage_is_wrapped_and_cut_as_without_marks() -> None:
    text = "A long sentence about nothing at all. " * 30 + "Ulm " + "x" * 150 + " ends."
    start = text.index("Ulm")
    hit = dataclasses.replace(HIT, text=text, matches=((start, start + 3),), sentence=(start, len(text)))
    lines = [click.unstyle(line) for line in passage_lines(hit, width=60, most=4)]
    assert lines == ["… Ulm", "x" * 60, "x" * 60, "x" * 30 + " ends."]
    plain = [click.unstyle(line) for line in passage_lines(dataclasses.replace(hit, sentence=None), width=60, most=4)]
    assert plain == [*textwrap.wrap(text, 60)[:3], textwrap.wrap(text, 60)[3] + " …"]
    assert passage_lines(dataclasses.replace(HIT, text=" "), width=60, most=4) == []


def test_parts_come_after_the_hits_with_their_sources(capsys: pytest.CaptureFixture[str]) -> None:
    show_evidence(Evidence("Where?", "test", (HIT,), parts=(REPORT,)))
    shown = capsys.readouterr().out.splitlines()
    assert shown[-7:] == [
        "",
        "Other results:",
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


def test_a_name_with_line_feeds_and_escapes_stays_on_one_line() -> None:
    assert escaped("a\nb\tc\x1b[31md\u2028e\u202ef") == "a\\nb\\tc\\x1b[31md\\u2028e\\u202ef"
    assert escaped("Ulm · Bücher\u200c.txt") == "Ulm · Bücher\u200c.txt"


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_list_that_is_printed_item_by_item_is_json(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    changes = JsonList("changes")
    for each in range(number):
        changes.add(DocumentChange("added", f"/d/\x1b{each}"))
    changes.end(LoadReport(added=number, kept=[Kept("/d/x", "it cannot be read")]))
    printed = json.loads(capsys.readouterr().out)
    assert [change["origin"] for change in printed["changes"]] == [f"/d/\x1b{each}" for each in range(number)]
    assert printed["added"] == number
    assert printed["kept"] == [
        {"path": "/d/x", "why": "it cannot be read", "empty": False, "excluded": False, "documents": 1}
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
        "Closest documents:",
        "     Ulm  [wiki#ulm]",
    ]
    assert len(lines) == 7
    assert lines[-1] == "To see their passages, run `overstory search` with the same question."


def test_repeats_and_nearest_documents_are_named_from_the_current_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    above = tmp_path.parent / "above.txt"
    places = [str(tmp_path / "b.txt"), str(tmp_path / "docs" / "c.txt"), str(above)]
    repeats = tuple(Repeat("c", f"other {source}", source, "", "", "") for source in places)
    hit = dataclasses.replace(HIT, source=str(tmp_path / "a.txt"), source_key="", repeated=3, repeats=repeats)
    show_evidence(Evidence("Who?", "test", (hit,)))
    shown = " ".join(capsys.readouterr().out.split())
    assert "1. Ulm [a.txt]" in shown
    assert f"Also 3 more times, in b.txt, docs/c.txt, {above}." in shown
    passage = CitedPassage("c1", "d1", hit.source, "", "Ulm", None, None, None, also=hit.also)
    cited = Citation(1, "c1", "d1", hit.source, "", "Ulm", hit.text, passages=(passage,))
    show_answer(Answer("Who?", "[1]", "", "extractive", "answered", (cited,), Evidence("Who?", "test", (hit,))))
    assert f"     also 3 more times, in b.txt, docs/c.txt, {above}\n" in capsys.readouterr().out
    show_answer(Answer("Who?", "No.", "", "extractive", "not_in_documents", (), Evidence("Who?", "test", (hit,))))
    assert "     Ulm  [a.txt]\n" in capsys.readouterr().out


def test_a_path_between_names_is_shown_without_control_characters(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = str(tmp_path / "a.txt")
    step = PathStep(OBEYED, "Ulm", "sentence", "", "", "", (OBEYED,), OBEYED, "", source, "", "d1", "c1", 1.1, 0)
    _show(EntityPaths(OBEYED, "Ulm", (EntityPath((OBEYED, "Ulm"), (step,), 1.1),), ()), 4)
    shown = capsys.readouterr().out
    assert printable(shown) == shown
    assert "[a.txt]" in shown
