"""The names in questions and answers, and what passages say of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from overstory.conversation.names import described, names_in, names_of_answer, names_of_question
from overstory.model import ChunkText, Extraction, Hit, Mention
from overstory.text.questions.antecedents import Named


def hit(title: str, text: str) -> Hit:
    return Hit("c1", "d1", "s", "k", title, "", text, 1.0)


def test_words_with_capitals_are_names_of_an_unknown_type_and_figures_are_none() -> None:
    assert names_in("When did Bram Stoker visit Whitby in 1890 with 3 friends?", None) == (
        Named("Bram Stoker"),
        Named("Whitby"),
        Named("1890", "DATE"),
        Named("3", "CARDINAL"),
    )
    assert names_in("Who won in 1912?", None) == (Named("1912", "DATE"),)
    assert names_in("Is J. R. R. Tolkien from Bloemfontein-Nord?", None)[-2:] == (
        Named("J. R. R. Tolkien"),
        Named("Bloemfontein-Nord"),
    )
    assert names_in("Quand est née Élodie?", None) == (Named("Élodie"),)
    assert names_in("who wrote it?", None) == ()


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("", "He wrote the novel Dracula.", Named("Dracula", "WORK_OF_ART")),
        ("", "Dracula is a gothic horror novel of 1897.", Named("Dracula", "WORK_OF_ART")),
        ("Dracula (film)", "It was made in 1931.", Named("Dracula", "WORK_OF_ART")),
        ("", "Dracula (Bela Lugosi) was a film director in Rome.", Named("Dracula", "PERSON")),
        ("Dracula", "Dracula is a Hong Kong film producer, who lives there.", Named("Dracula", "PERSON")),
        ("Dracula", "Dracula, they say, is a heavy metal band originally formed in Whitby.", Named("Dracula", "ORG")),
        ("Dracula", "Dracula was first printed in Whitby. Its author won.", Named("Dracula")),
        ("Dracula", "He lives in a castle.", Named("Dracula", "PERSON", "he")),
        ("Dracula", "She bit him. Her teeth. She fled. She flew.", Named("Dracula", "PERSON", "she")),
        ("Whitby", "He lives in a castle.", Named("Dracula", "PERSON")),
        ("Dracula", "He bit her.", Named("Dracula", "PERSON")),
    ],
)
def test_passages_say_what_a_name_is_and_which_pronoun_it_has(title: str, text: str, expected: Named) -> None:
    assert described([Named("Dracula", "PERSON")], [hit(title, text)]) == (expected,)


def test_a_title_in_a_question_is_one_name() -> None:
    found = [hit("The Wasp Factory", "A novel."), hit("Metallica (band)", ""), hit("Who", "A film.")]
    assert names_of_question("Who filmed the Wasp Factory of Iain Banks for Metallica?", None, found) == (
        Named("the Wasp Factory"),
        Named("Iain Banks"),
        Named("Metallica"),
    )


def test_a_guess_is_what_an_answer_gives_of_the_type_that_was_asked_for() -> None:
    given = names_of_answer(
        "Where was he born?", "Dublin", "He was born in Dublin. [1]", guess="Dublin", extractor=None
    )
    assert given == ((Named("Dublin", "GPE"),), ())


def test_without_a_guess_an_answer_gives_the_names_that_the_question_has_not() -> None:
    text = "He wrote Dracula. [1]\nThe author was Bram Stoker. [2]"
    given = names_of_answer("Who wrote Dracula?", "He wrote Dracula.", text, guess="", extractor=None)
    assert given == ((Named("Bram Stoker"),), ())


def test_names_that_nobody_asked_for_are_only_mentioned() -> None:
    said = "Metallica is a heavy metal band from Los Angeles."
    assert names_of_answer("What is Metallica?", said, said, guess="", extractor=None) == ((), (Named("Los Angeles"),))
    short = names_of_answer(
        "What is the capital of Portugal?", "Lisbon City", "Lisbon City [1]", guess="", extractor=None
    )
    assert short == ((Named("Lisbon City"),), ())
    [place], _ = names_of_answer("Where was she born?", "Anna Lee", "Anna Lee [1]", guess="", extractor=None)
    assert place == Named("Anna Lee", "GPE")


def test_a_question_who_somebody_is_is_about_that_name() -> None:
    said = "Amy Johnson Avenue is a road."
    given, _ = names_of_answer("Who is Amy Johnson?", said, said, guess="", extractor=None)
    assert given == ()


def test_a_family_name_is_the_person_whose_name_is_a_title() -> None:
    found = [hit("The Wasp Factory", "A novel."), hit("Iain Banks", "A writer.")]
    given, _ = names_of_answer(
        "Who wrote The Wasp Factory?",
        "Then Banks wrote it.",
        "Then Banks wrote it.",
        guess="",
        extractor=Banks(),
        hits=found,
    )
    assert given == (Named("Iain Banks", "PERSON"),)


class Banks:
    """Finds one name."""

    fingerprint = "banks:1"
    by = "ner"

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        for chunk in chunks:
            start = chunk.text.find("Banks")
            yield Extraction(
                chunk.id, (0,), (Mention("Banks", "PERSON", 0, start, start + 5),) if start >= 0 else (), ()
            )
