"""Questions about sets, asked of a workbook, a table in Markdown, and sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook
from tests.passages import OpenCorpus

from overstory.knowledge import Knowledge
from overstory.model import Document, Link, TablePart
from overstory.retrieve import asked_tables

STAFF = [
    ("Name", "City", "Team", "Phone"),
    ("Ada Huber", "Ulm", "Valves", "301"),
    ("Ben Okoro", "Ulm", "Valves", "302"),
    ("Carla Diaz", "Ulm", "Pumps", None),
    ("Dev Rao", "Kiel", "Valves", "401"),
    *((f"Guest Nr{'abcdefghijklmnopqrst'[number]}", "Bonn", "Visitors", "999") for number in range(20)),
    ("Edith Moor", "Kiel", "Pumps", "402"),
]
SITES = [("City", "State", "Lift"), ("Ulm", "Baden", "yes"), ("Kiel", "Holstein", "no"), ("Bonn", "Rhineland", "yes")]
NOTE = """\
The safety committee meets in Ulm. Ada Huber leads it. Edith Moor does not vote.

| Room | Floor |
|---|---|
| Danube | 1 |
| Iller | 2 |
"""
TICKETS = """\
id,title,text,status,owner,hours
1,Door,The north door does not close.,open,Ada Huber,2
2,Lamp,The lamp in the stairs is dark.,closed,Ben Okoro,1
3,Pipe,A pipe in the cellar leaks.,open,Ada Huber,7
"""
EDGES = [("hanna", "o1", "SIGNED"), ("cleo", "o1", "SIGNED"), ("cleo", "o2", "SIGNED"), ("olaf", "o2", "SIGNED")]
VERTICES = {"hanna": "Hanna Kern", "cleo": "Cleo Reuter", "olaf": "Olaf Brandt", "o1": "Order 7001", "o2": "Order 7002"}


@pytest.fixture(scope="module")
def works(open_module_corpus: OpenCorpus, tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    folder = tmp_path_factory.mktemp("works")
    _workbook(folder / "staff.xlsx")
    (folder / "committee.md").write_text(NOTE, encoding="utf-8")
    (folder / "tickets.csv").write_text(TICKETS, encoding="utf-8")
    knowledge = open_module_corpus("works")
    knowledge.ingest([folder])
    vertices = [Document("g", key, title, title=title) for key, title in VERTICES.items()]
    knowledge.ingest_documents([*vertices, *(Link("g", source, target, type=kind) for source, target, kind in EDGES)])
    knowledge.index()
    knowledge.use_model("none")
    return knowledge


def _workbook(path: Path) -> None:
    book = Workbook()
    for title, rows in (("Staff", STAFF), ("Sites", SITES)):
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.remove(book.worksheets[0])
    book.save(path)


def test_all_rows_of_a_table_are_counted_and_cited(works: Knowledge) -> None:
    found = works.ask("How many work in Ulm?")
    assert (found.guess, found.short, found.state) == ("3", "3", "answered")
    first, *rows = found.text.splitlines()
    assert first == "3 rows of staff › Staff (City: Ulm): Ada Huber, Ben Okoro, Carla Diaz [1]"
    assert [row.split(" | ")[0] for row in rows] == ["Name: Ada Huber", "Name: Ben Okoro", "Name: Carla Diaz"]
    (part,) = [part for part in found.evidence.parts if isinstance(part, TablePart)]
    assert (part.kind, part.number, part.condition) == ("table", 3, "City: Ulm")
    assert found.evidence.passages_of(part)
    assert works.ask("How many people work in Bonn?", k=1).guess == "20"
    assert works.ask("How many people work in Bonn or Kiel?").notes == (
        "2 more rows also answer this: --json lists them.",
    )


def test_differences_and_rows_of_two_sheets_are_exact(works: Knowledge) -> None:
    asked = {
        "Who works in Ulm but not in Valves?": "Carla Diaz",
        "Who has no phone?": "Carla Diaz",
        "Who in Valves works at a site without a lift?": "Dev Rao",
        "How many people do not work in Baden or Rhineland?": "2",
        "Which rooms are on floor 2?": "Iller",
        "How many tickets are open?": "2",
        "Wer arbeitet in Ulm, aber nicht in Valves?": "Carla Diaz",
    }
    assert {question: works.ask(question).guess for question in asked} == asked


def test_edges_are_counted_and_subtracted(works: Knowledge) -> None:
    assert works.ask("Who signed Order 7001 but not Order 7002?").guess == "Hanna Kern"
    assert works.ask("Who signed both Order 7001 and Order 7002?").guess == "Cleo Reuter"
    assert works.ask("How many people signed Order 7001?").guess == "2"


def test_sentences_never_answer_the_opposite_of_a_question(works: Knowledge) -> None:
    refused = works.ask("Who does not lead the safety committee?", least_confidence=0)
    assert refused.state == "not_in_documents"
    assert "The question excludes “lead the safety committee”" in refused.text
    stated = works.ask("Who does not vote in the safety committee?", least_confidence=0)
    assert [each.text for each in stated.citations] == ["Edith Moor does not vote."]


def test_no_number_is_claimed_without_a_table(works: Knowledge) -> None:
    counted = works.ask("How many women work in Ulm?", least_confidence=0)
    assert counted.state == "not_in_documents"
    assert "nothing was counted" in counted.text


def test_too_many_records_are_reported(works: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    question = "How many tickets of Ada Huber are open?"
    assert works.ask(question).guess == "2"
    monkeypatch.setattr(asked_tables, "_MOST_RECORDS", 2)
    found = works.ask(question)
    assert found.guess != "2"
    assert "“tickets.csv” has more than 2 records, so they were not counted." in found.notes


def test_only_documents_that_match_a_filter_are_counted(works: Knowledge) -> None:
    assert works.ask("How many work in Ulm?", where={"file_name": "staff.xlsx"}).guess == "3"
    assert works.ask("How many work in Ulm?", where={"file_name": "committee.md"}).guess != "3"


def test_a_question_about_everything_gets_kinds_names_and_projects(works: Knowledge) -> None:
    found = works.ask("What are these documents about?")
    first = found.text.splitlines()[0]
    assert first == "10 documents — 5 without a file, 3 .csv, 1 .md, 1 .xlsx [1]"
    assert {each.kind for each in found.citations} == {"report", "passage"}
