"""Which sentences are chosen, and what is asked for, without models: words stand for meaning here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from tests.fakes import HashingEmbedder

from overstory.answer import Extract, extract, read_within
from overstory.answer.answer_type import DATE, NUMBER, PERSON, PLACE, asks_to_choose, types_asked_for
from overstory.model import ChunkText, Evidence, Extraction, Hit, Mention


class Names:
    """Finds the names that it is told, in every sentence that has them."""

    fingerprint = "names"

    def __init__(self, *names: tuple[str, str], by: str = "ner") -> None:
        self.by = by
        self.read: list[str] = []
        self._names = names

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        for chunk in chunks:
            self.read.append(chunk.text)
            found = (Mention(name, kind, 0, 0, len(name)) for name, kind in self._names if name in chunk.text)
            yield Extraction(chunk.id, (0,), tuple(found), ())


def chosen(question: str, *passages: tuple[str, str], names: Names | None = None) -> Extract:
    hits = tuple(Hit(title, title, "test", "", title, "", text, 1.0) for title, text in passages)
    context = read_within(2_000, Evidence(question, "test", hits))
    return extract(question, context, HashingEmbedder(256), names or Names())


def test_the_nearest_sentence_comes_first_and_no_more_than_two_of_a_passage() -> None:
    found = chosen(
        "he was born in which old town here .",
        ("A", "Nothing . He was born in a town here . He was born in an old town here . Something else ."),
        ("B", "There are rivers ."),
    )
    assert [(each.passage.number, each.text) for each in found.sentences] == [
        (1, "He was born in an old town here ."),
        (1, "He was born in a town here ."),
        (2, "There are rivers ."),
    ]
    assert found.short == "He was born in an old town here ."


def test_the_short_answer_is_the_name_that_is_asked_for_and_not_one_of_the_question() -> None:
    names = Names(("Ulm", "GPE"), ("Einstein", "PERSON"), ("1879", "DATE"))
    passage = ("", "Einstein was born in Ulm. He lived until 1955.")
    assert chosen("Where was Einstein born?", passage, names=names).short == "Ulm"
    assert chosen("Who was born in Ulm?", passage, names=names).short == "Einstein"
    assert chosen("Where is Ulm?", passage, names=names).short.endswith(".")


def test_of_two_dates_the_second_is_that_of_a_death() -> None:
    names = Names(("14 March 1879", "DATE"), ("18 April 1955", "DATE"))
    passage = ("", "Einstein (14 March 1879 – 18 April 1955) was a physicist.")
    assert chosen("When was Einstein born?", passage, names=names).short == "14 March 1879"
    assert chosen("When did Einstein die?", passage, names=names).short == "18 April 1955"


def test_a_passage_that_another_one_leads_to_comes_first() -> None:
    found = chosen(
        "Where was the director of Nosferatu born?",
        ("Nosferatu (film)", "Nosferatu is Murnau's film."),
        ("Other", "The director of another film lives in Rome."),
        ("Murnau", "He grew up in Bielefeld."),
    )
    assert found.sentences[0].text == "He grew up in Bielefeld."


def test_an_extractor_that_may_ask_a_model_is_not_asked() -> None:
    names = Names(("Ulm", "GPE"), by="llm")
    assert chosen("Where was he born?", ("", "He was born in Ulm."), names=names).short == "He was born in Ulm."
    assert names.read == []


def test_references_of_a_passage_are_not_taken_for_ours() -> None:
    found = chosen(
        "Where was Ada Lovelace born?",
        ("", "Ada Lovelace was born in London in 1815.[3] She worked with Charles Babbage.[2][p. 7] Hers it is [7]."),
    )
    assert {each.text for each in found.sentences} <= {
        "Ada Lovelace was born in London in 1815.",
        "She worked with Charles Babbage.",
        "Hers it is.",
    }


def test_headings_do_not_run_into_sentences() -> None:
    names = Names(("Bram Stoker Bram Stoker", "PERSON"), ("Bram Stoker", "PERSON"))
    passage = ("", "# Bram Stoker\nBram Stoker was an Irish author.\n\nLife in Dublin\n\n## Work\nHe wrote Dracula.")
    found = chosen("Who was an Irish author?", passage, names=names)
    assert {each.text for each in found.sentences} == {"Bram Stoker was an Irish author.", "He wrote Dracula."}
    assert found.short == "Bram Stoker"


def test_control_characters_line_ends_and_endless_sentences_are_tamed() -> None:
    found = chosen("Where?", ("", "He was\nborn\x1b[31m in Ulm. The list goes " + "on and on " * 500))
    assert {each.text for each in found.sentences} >= {"He was born[31m in Ulm."}
    assert all(len(each.text) <= 500 for each in found.sentences)


def test_passages_without_a_word_give_nothing() -> None:
    assert chosen("Where?", ("", "… — !"), ("", "")) == Extract((), "")


@pytest.mark.parametrize(
    ("question", "types"),
    [
        ("Who wrote Dracula?", PERSON),
        ("Which American actor played Gatsby?", PERSON),
        ("When did he die?", DATE),
        ("In what year was it built?", DATE),
        ("Where was Einstein born?", PLACE),
        ("In which county is Johnnycake?", PLACE),
        ("How many people live there?", NUMBER),
        ("What is it made of?", ()),
        ("Is Ulm in Bavaria?", ()),
        ("Who is older, Ada or Bob?", ()),
    ],
)
def test_what_is_asked_for(question: str, types: tuple[str, ...]) -> None:
    assert types_asked_for(question) == types


def test_a_choice_is_one_of_several_things_or_yes_or_no() -> None:
    assert asks_to_choose("Are both in Ohio?")
    assert asks_to_choose("Which is older, Ulm or Bern?")
    assert not asks_to_choose("Who was the author of Orlando?")
