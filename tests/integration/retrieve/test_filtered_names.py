"""Names of the documents that a filter lets through, with their passages and spellings there."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.commands import Run
from tests.passages import OpenCorpus

from overstory.errors import EntityNotFound, MetadataNotFound
from overstory.filters import field
from overstory.knowledge import Knowledge
from overstory.model import Document

DOCUMENTS = [
    Document(
        "notes",
        str(number),
        f"{'CITY OF LEITH' if number % 2 else 'City of Leith'} was visited by Ada Stone."
        f"{' Bob Fern came.' * (number % 3 > 0)}",
        metadata={"number": number, "odd": number % 2 == 1},
    )
    for number in range(12)
]


@pytest.fixture(scope="module")
def visits(open_module_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_module_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index()
    return knowledge


def test_names_are_those_of_a_corpus_of_the_matching_documents(visits: Knowledge, open_corpus: OpenCorpus) -> None:
    draw = random.Random(1)  # noqa: S311 # the same every time
    for _ in range(2):
        chosen = draw.sample(range(12), 5)
        alone = open_corpus(f"alone {chosen}")
        alone.ingest_documents([DOCUMENTS[number] for number in chosen])
        alone.index()
        expected = {name.key: (name.name, name.passages) for name in alone.entities()}
        listed = {n.key: (n.name, n.passages) for n in visits.entities(where=field("number").one_of(*chosen))}
        assert {key: listed.get(key) for key in expected} == expected


def test_a_misspelt_name_of_a_question_is_like_one_that_matching_documents_mention(visits: Knowledge) -> None:
    asked = visits.ask("Who is Bob Ferm?")
    assert asked.did_you_mean == {"Bob Ferm": ("Bob Fern",)}
    assert "No document mentions 'Bob Ferm'. Did you mean 'Bob Fern'?" in asked.notes
    assert visits.ask("Who is Bob Fern?").did_you_mean == {}
    others = "number in (0, 3)"
    assert visits.ask("Who is Bob Ferm?", where=others).did_you_mean == {}
    assert visits.restricted_to(others).ask("Who is Bob Ferm?").did_you_mean == {}
    assert visits.ask("Who is Bob Ferm?", where="not page = 2").did_you_mean == {"Bob Ferm": ("Bob Fern",)}


def test_all_documents_have_the_names_of_the_corpus(visits: Knowledge) -> None:
    for limit, type_, like in ((50, "", ""), (50, "PERSON", ""), (50, "", "bob"), (2, "", "")):
        listed = visits.entities(limit=limit, type=type_, like=like, where="number exists")
        expected = visits.entities(limit=limit, type=type_, like=like)
        assert [replace(name, aliases=()) for name in listed] == [replace(name, aliases=()) for name in expected]


def test_spellings_are_those_of_the_matching_documents(visits: Knowledge) -> None:
    assert {name.name for name in visits.entities(where="odd = true", like="city of")} == {"CITY OF LEITH"}
    assert not visits.entities(where="number in (0, 3)", like="bob")
    with pytest.raises(MetadataNotFound):
        visits.entities(where="odder = true")


def test_a_name_that_only_a_title_has_is_written_as_there_with_its_type(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    title = "The Blue Lantern Handbook"
    knowledge.ingest_documents(
        [
            Document("s", "1", "It begins here, and it is long enough to be read.", title, metadata={"a": 1}),
            Document("s", "2", "Ada Stone read the Blue Lantern Handbook in Leith.", metadata={"a": 2}),
            Document("s", "3", "Bob Fern came to Leith.", "Of Ada", metadata={"a": 1}),
        ]
    )
    knowledge.index()
    expected = {name.key: (name.name, name.type) for name in knowledge.entities()}
    listed = {name.key: (name.name, name.type) for name in knowledge.entities(where="a = 1")}
    assert listed == {
        "blue lantern handbook": (title, expected["blue lantern handbook"][1]),
        "of ada": expected["of ada"],
        "bob fern": expected["bob fern"],
        "leith": expected["leith"],
    }
    assert expected["blue lantern handbook"][1]
    knowledge.disable_documents(where="a = 2")
    assert {name.key: (name.name, name.type) for name in knowledge.entities()} == listed


def test_a_name_that_only_a_title_of_the_matching_documents_has_is_nowhere_written_as_others_do(
    open_corpus: OpenCorpus,
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(
        [
            Document("s", "1", "It begins here, and Bob Fern came.", "The Blue Lantern Handbook", metadata={"a": 1}),
            Document("s", "2", "Ada Stone read the BLUE LANTERN HANDBOOK in Leith.", metadata={"a": 2}),
            Document("s", "3", "Bob Fern came to Leith.", metadata={"a": 1}),
            Document("s", "4", "Red Lantern is good.", "ADA STONE (novel)", metadata={"a": 3}),
        ]
    )
    knowledge.index()
    assert knowledge.entity("blue lantern handbook").name == "BLUE LANTERN HANDBOOK"
    part = knowledge.restricted_to("a = 1")
    found = part.entity("blue lantern handbook")
    assert (found.name, found.aliases, found.passages) == ("The Blue Lantern Handbook", (), 1)
    paths = part.paths("blue lantern handbook", "bob fern")
    assert paths.start == "The Blue Lantern Handbook"
    assert paths.paths[0].names == ("The Blue Lantern Handbook", "Bob Fern")
    with pytest.raises(EntityNotFound) as unknown:
        part.entity("blue lantern handbok")
    assert "The Blue Lantern Handbook" in unknown.value.suggestions
    assert knowledge.entity("ada stone", where="a = 3").name == "ADA STONE"
    knowledge.rename_entity("blue lantern handbook", "Lantern Book")
    knowledge.index()
    assert part.entity("lantern book").name == "Lantern Book"


def test_the_command_lists_them(visits: Knowledge, overstory: Run) -> None:
    shown = overstory("entities", "list", "--where", "number = 0", "--corpus", visits.corpus_name)
    assert "Bob Fern" not in shown.out
    assert "Ada Stone" in shown.out
    entity = overstory("entities", "show", "ada stone", "--where", "number = 0", "--corpus", visits.corpus_name)
    assert "Ada Stone" in entity.out
