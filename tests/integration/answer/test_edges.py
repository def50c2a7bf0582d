"""Questions that edges of a loaded graph answer, and those on all documents, asked of a real corpus."""

from __future__ import annotations

import pytest
from tests.passages import OpenCorpus

from overstory.knowledge import Knowledge
from overstory.model import Document, Link, LinkEdge

S = "g"
VERTICES = {
    "ada": ("Ada Huber", "Ada Huber is an engineer, born in 1957."),
    "cleo": ("Cleo Reuter", "Cleo Reuter is a technician, born in 1980."),
    "hanna": ("Hanna Kern", "Hanna Kern is a buyer, born in 1970."),
    "plant": ("Plant Sueddorf", "A factory in Sueddorf, opened in 1901."),
    "north": ("Plant Nordheim", "A factory in Nordheim, opened in 1950."),
    "lenses": ("lenses", "lenses"),
    "gears": ("gears", "gears"),
    "o1": ("Order 7000", "An order of 20 gears, placed in May 2020."),
    "o2": ("Order 7001", "An order of 30 lenses, placed in July 2021."),
    "o3": ("Order 7008", "An order of 50 lenses, placed in March 2022."),
}
EDGES = [
    ("ada", "plant", "MANAGES"),
    ("cleo", "plant", "WORKS_AT"),
    ("cleo", "north", "MANAGES"),
    ("plant", "lenses", "MAKES"),
    ("north", "gears", "MAKES"),
    ("hanna", "o2", "SIGNED"),
    ("cleo", "o1", "SIGNED"),
    ("ada", "o3", "SIGNED"),
]


@pytest.fixture
def plants(open_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_corpus()
    vertices = [Document(S, key, text, title=title) for key, (title, text) in VERTICES.items()]
    knowledge.ingest_documents([*vertices, *(Link(S, source, target, type=type_) for source, target, type_ in EDGES)])
    knowledge.index()
    knowledge.use_model("none")
    return knowledge


def test_questions_are_answered_along_edges_and_numbers_match_as_wholes(plants: Knowledge) -> None:
    asked = {
        "Who signed order 7001?": ("Hanna Kern", ["Hanna Kern SIGNED Order 7001"]),
        "Who manages Plant Sueddorf?": ("Ada Huber", ["Ada Huber MANAGES Plant Sueddorf"]),
        "What does the plant that Ada Huber manages make?": (
            "lenses",
            ["Ada Huber MANAGES Plant Sueddorf", "Plant Sueddorf MAKES lenses"],
        ),
    }
    for question, (short, lines) in asked.items():
        found = plants.ask(question)
        assert found.short == short
        assert [each.text for each in found.citations] == lines
        edges = [part for part in found.evidence.parts if isinstance(part, LinkEdge)]
        assert [edge.text for edge in edges] == lines
        assert all(found.evidence.passages_of(edge) for edge in edges)
    placed = plants.ask("When was order 7001 placed?")
    assert [each.title for each in placed.citations] == ["Order 7001"]
    opened = plants.ask("When was the plant that Cleo Reuter manages opened?")
    assert [each.text for each in opened.citations] == [
        "Cleo Reuter MANAGES Plant Nordheim",
        "A factory in Nordheim, opened in 1950.",
    ]


def test_questions_on_everything_and_on_a_kind_are_answered_by_what_is_there(plants: Knowledge) -> None:
    found = plants.ask("Give me an overview of everything")
    assert found.answered
    assert "overstory index --system hirag" in found.notes[0]
    assert found.text.startswith("10 documents — 10 without a file [1]")
    assert {each.kind for each in found.citations} == {"report", "passage"}
    listed = plants.ask("Which plants are there?")
    assert set(listed.short.split("; ")) == {"Plant Sueddorf", "Plant Nordheim"}
