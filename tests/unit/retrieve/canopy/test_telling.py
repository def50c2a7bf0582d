"""Names and ways explain why a passage was found."""

from __future__ import annotations

from typing import Any

import pytest

from overstory.retrieve.canopy.scoring import Candidate, MentionWay, Scored, WeighedWay
from overstory.retrieve.canopy.stored_names import ChunkNames, QuestionNames, names_in
from overstory.retrieve.canopy.telling import Telling
from overstory.retrieve.question import read_question
from overstory.retrieve.question_entities import QuestionEntities, QuestionEntity, entities_in
from overstory.text.names.keys import entity_key
from overstory.text.questions.asked_words import AskedWords

TEXT = "The keys are with Raphaël Hertzog. He lives in France."
QUESTION = "Who has the keys of the barn?"


def row(chunk: str, text: str = "", **other: Any) -> dict[str, Any]:  # columns of several types
    common = {"chunk_id": chunk, "document_id": f"d-{chunk}", "title": chunk, "heading": chunk, "boilerplate": None}
    return common | {"text": text or f"{TEXT} {chunk}.", "sentences": [0, 35] if not text else [0]} | other


def asked(question: str, *names: str) -> QuestionNames:
    known = [QuestionEntity(name, entity_key(name), name, 1, subject=True) for name in names]
    found = entities_in(read_question(question), lambda key: key, lambda _wanted, _terms: known)
    return names_in(read_question(question), QuestionEntities(*found, outdated=False))


def named(*names: str, about: tuple[str, ...] = (), type_: str = "PERSON") -> ChunkNames:
    spellings = {entity_key(name): {name} for name in names}
    return ChunkNames({entity_key(name) for name in about}, set(), spellings, dict.fromkeys(spellings, type_))


def scored(chunk: str, own: float) -> Scored:
    return Scored(chunk, Candidate(own, own), own, 0.0, 0.0, 0.0, None, None)


def telling(
    first: dict[str, Any],
    second: dict[str, Any],
    names: dict[str, ChunkNames],
    *,
    question: QuestionNames | None = None,
    own: tuple[float, float] = (0.5, 0.4),
) -> Telling:
    all_scored = {"a": scored("a", own[0]), "b": scored("b", own[1])}
    asked_names = question or asked(QUESTION)
    words = AskedWords.of(asked_names.question)
    return Telling(asked_names, words, 1_000, 0.0, all_scored, {"a": first, "b": second}, names)


def way(name: str, *, about: float | None = None, idf: float = 0.8, sentence: int = 0) -> tuple[WeighedWay]:
    return (WeighedWay(MentionWay("a", entity_key(name), name, about, sentence, sentence, None, idf), 0.5),)


HERTZOG = "Raphaël Hertzog"
OTHER = "Raphaël Hertzog lent a ladder."


def tells(
    name: str = HERTZOG,
    first: dict[str, Any] | None = None,
    second: dict[str, Any] | None = None,
    *,
    of: tuple[ChunkNames, ChunkNames] | None = None,
    about: float | None = None,
    idf: float = 0.8,
    own: tuple[float, float] = (0.5, 0.4),
    question: QuestionNames | None = None,
) -> bool:
    here, there = of or (named(name), named(name))
    known = telling(first or row("a"), second or row("b", OTHER), {"a": here, "b": there}, question=question, own=own)
    return known.tells(way(name, about=about, idf=idf), "b")


def test_a_specific_name_in_a_sentence_with_words_of_the_question_explains_a_passage() -> None:
    assert tells()


def test_passages_never_explain_only_each_other() -> None:
    assert not tells(own=(0.4, 0.5))
    assert not tells(own=(0.5, 0.5))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (row("a", document_id="d"), row("b", OTHER, document_id="d")),  # within one document
        (row("a", OTHER), row("b", OTHER.upper())),  # equal sentences
        (row("a", heading="a › People › A.3. Raphaël Hertzog"), row("b", OTHER)),
        (row("a"), row("b", OTHER, heading="Raphaël Hertzog")),
        (row("a", title="Letters of Raphaël Hertzog"), row("b", OTHER)),  # a part of a title
        (row("a", "Raphaël Hertzog lives in France."), row("b", OTHER)),  # no word of the question
    ],
)
def test_what_tells_nothing_is_left_out(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert not tells(HERTZOG, first, second)


@pytest.mark.parametrize("name", ["A.3. Linux Mint", "6. Acknowledgments", "2.1 Options"])
def test_a_numbered_heading_is_no_name(name: str) -> None:
    first, second = row("a", f"The keys: {name} here."), row("b", f"See {name} there.")
    assert not tells(name, first, second)


@pytest.mark.parametrize("name", ["50 Cent", "J. R. R. Tolkien", "3 Doors Down", "G. Preserve"])
def test_names_with_initials_and_numbers_are_no_headings(name: str) -> None:
    assert tells(name, row("a", f"The keys are with {name} now."), row("b", f"It was lent to {name} once."))


def test_a_name_in_many_passages_and_a_place_explain_nothing() -> None:
    assert not tells(idf=0.6)
    place = named(HERTZOG, type_="GPE")
    assert not tells(of=(place, place))


def test_a_part_of_a_longer_name_is_another_name() -> None:
    longer = named(HERTZOG, "Raphaël Hertzog Foundation")
    text = "The keys are with the Raphaël Hertzog Foundation."
    assert not tells(HERTZOG, row("a", text), of=(longer, named(HERTZOG)))
    assert tells(HERTZOG, row("a", f"{text} Raphaël Hertzog has one."), of=(longer, named(HERTZOG)))
    assert not tells("Carol", row("a", "The keys are with Carol."), row("b", "A Christmas Carol is a novel."))
    assert tells("Carol", row("a", "The keys are with Carol."), row("b", "In winter, Carol reads a novel."))


def test_a_passage_is_about_a_name_that_its_title_gives_in_full() -> None:
    second = row("b", OTHER, title=HERTZOG)
    assert tells(HERTZOG, row("a"), second, of=(named(HERTZOG), named(about=(HERTZOG,))), about=1.0)
    assert not tells(HERTZOG, row("a"), second, of=(named(HERTZOG), named(HERTZOG)), about=0.8)


def test_what_the_question_names_leads_to_a_subject_without_further_words() -> None:
    question = asked("When was Ostwind shown?", "Ostwind")
    first, second = row("a", "Ostwind was directed by Raphaël Hertzog."), row("b", OTHER, title=HERTZOG)
    of = (named(HERTZOG, "Ostwind"), named(HERTZOG, about=(HERTZOG,)))
    assert tells(HERTZOG, first, second, of=of, about=1.0, question=question)
    assert not tells(HERTZOG, first, second, of=(named(HERTZOG), of[1]), about=1.0, question=question)


def in_question(question: str, names: tuple[str, ...], text: str, of: ChunkNames) -> tuple[list[str], list[str]]:
    return telling(row("a", text), row("b"), {"a": of}, question=asked(question, *names)).asked_names("a")


def test_names_of_the_question_are_told_as_it_spells_them() -> None:
    of = named("Bad Wimpfen", "Karla Ehrenreich", about=("Karla Ehrenreich",))
    text = "Karla Ehrenreich was born in Bad Wimpfen."
    names = ("Karla Ehrenreich", "Bad Wimpfen")
    question = "Was KARLA EHRENREICH born in Bad Wimpfen?"
    assert in_question(question, names, text, of) == (["KARLA EHRENREICH"], ["Bad Wimpfen"])


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Karla Ehrenreich (born 1920) was a director.", True),
        ("Karla Ehrenreich ist eine Regisseurin.", True),
        ("Karla Ehrenreich asked for the key.", False),
        ("The keys are here.\n\nKarla Ehrenreich", False),
    ],
)
def test_a_paragraph_that_begins_with_a_name_is_about_it_if_it_defines_it(text: str, about: bool) -> None:
    of = named("Karla Ehrenreich")
    of.leads.add("karla ehrenreich")
    found = in_question("Who is Karla Ehrenreich?", ("Karla Ehrenreich",), text, of)
    assert found == ((["Karla Ehrenreich"], []) if about else ([], ["Karla Ehrenreich"]))


def test_a_nationality_is_a_word_of_the_question() -> None:
    of = named("Welsh", type_="NORP")
    assert in_question("Which Welsh singer has a husky voice?", ("Welsh",), "She is Welsh.", of) == ([], [])


@pytest.mark.parametrize(
    ("question", "name", "text", "found"),
    [
        ("Where was Christina Aguilera born?", "Aguilera", "Aguilera was a boxer.", False),
        ("Where was Christina Aguilera born?", "Aguilera", "Aguilera, Christina: born in New York.", True),
        ("Who plays James Bond now?", "James Bond", "James Bond Stockdale was a vice admiral.", False),
        ("Who plays James Bond now?", "James Bond", "Or was it James Bond himself?", True),
        ("Where is Ulm?", "Ulm", "Ulm lies on the Danube.", True),
    ],
)
def test_a_part_of_a_name_is_another_name(question: str, name: str, text: str, found: bool) -> None:
    of = named(name, *(["James Bond Stockdale"] if "Stockdale" in text else []))
    assert in_question(question, (name,), text, of) == ([], [name] if found else [])
