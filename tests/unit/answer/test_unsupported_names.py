"""Names, numbers and dates of an answer that stand in nothing that it cites."""

from __future__ import annotations

import pytest

from overstory.answer.unsupported_names import unsupported_names

PASSAGE = """Bram Stoker
Bram Stoker was an Irish author, born in Dublin on 8 November 1847, who worked with Henry Irving. He wrote the novel
Dracula, of which 1,234,500 copies were sold for 3.5 million pounds. He died on 20. April 1912. Hanna Kern and Jonas
Lindqvist lead Project Sparrow, order 7001, by ISO-9001 and `--max-depth`; error E42. John F. Kennedy read it. L'autrice
Amélie Nothomb ne l'a pas lu."""
QUESTION = "Where was the author of Nosferatu born?"


def marked(answer: str) -> tuple[str, ...]:
    return unsupported_names(answer, [PASSAGE, QUESTION])


@pytest.mark.parametrize(
    "answer",
    [
        "Dublin.",
        "Bram Stoker was born in Dublin.",
        "STOKER",
        "Stoker, Bram",
        "Stoker's Dracula",
        "Stokers",
        "Bräm Stokér",
        "Dr. Hanna Kern and Mr Lindqvist",
        "Author Bram Stoker and Director Kern",
        "John Kennedy",
        "Amelie Nothomb; l'Amélie; d’Amélie",
        "Nosferatu",
        "However, he was born there. Written in Dublin. Yes. Twelve.",
        "## Early Life\nDublin",
        "**Later Years**\nDublin",
        "1. Dublin\n2. Dracula\n3) Kern",
    ],
)
def test_names_that_are_there_in_another_form_are_not_marked(answer: str) -> None:
    assert marked(answer) == ()


@pytest.mark.parametrize(
    "answer",
    [
        "8 November 1847",
        "November 8, 1847",
        "Nov 8th, 1847",
        "8. November 1847",
        "8 de noviembre de 1847",
        "le 8 novembre 1847",
        "1847-11-08",
        "08.11.1847",
        "8. 11. 1847",
        "11/8/1847",
        "1847年11月8日",
        "November 1847",
        "8 November",
        "1847",
        "20 April 1912",
        "1912",
        "1 234 500 copies",
        "1.234.500 copies",
        "1’234’500",
        "1234500",
        "3,500,000 pounds",
        "3,5 Mio",
        "7001",
        "E42",
        "ISO 9001",
        "--max-depth",
    ],
)
def test_numbers_and_dates_are_compared_by_what_they_mean(answer: str) -> None:
    assert marked(answer) == ()


@pytest.mark.parametrize(
    ("answer", "surfaces"),
    [
        ("Paris.", ("Paris",)),
        ("Paris is the capital.", ("Paris",)),
        ("He was born in Cork, Ireland, in 1921.", ("Cork", "Ireland", "1921")),
        ("Florence Balcombe, his wife", ("Florence Balcombe",)),
        ("Hanna Lindqvist leads it with Jonas Kern.", ("Hanna Lindqvist", "Jonas Kern")),
        ("Paris and Paris again, in PARIS", ("Paris",)),
        ("Order 7000, not 7001 or 700", ("7000", "700")),
        ("234 of them, 500 more", ("234", "500")),
        ("8 November 1848", ("8 November 1848",)),
        ("9 November 1847", ("9 November 1847",)),
        ("20 November", ("20 November",)),
        ("1847-08-12", ("1847-08-12",)),
        ("December 1847", ("December 1847",)),
        ("E43 and `--min-depth`", ("E43", "--min-depth")),
        ("3.5 billion pounds", ("3.5 billion",)),
        ("the 19th century", ("19th",)),
        ("Das Projekt wird von Jonas Müller geleitet und ist nicht in Höhe von 7001.", ("Jonas Müller",)),
        ("**Cork**", ("Cork",)),
        ("NASA built it", ("NASA",)),
    ],
)
def test_what_stands_nowhere_is_marked_as_it_is_written(answer: str, surfaces: tuple[str, ...]) -> None:
    assert marked(answer) == surfaces


def test_german_nouns_are_no_names() -> None:
    said = "Die Kosten der Bestellung 7001 wurden von der Firma bezahlt, und das Ergebnis ist nicht bekannt."
    assert marked(said) == ()


def test_a_number_in_words_is_a_number() -> None:
    assert unsupported_names("5 films and the 3rd opera", ["Five films, the third opera"]) == ()


def test_without_texts_everything_is_marked_and_nothing_of_an_empty_answer() -> None:
    assert unsupported_names("In Dublin in 1847", []) == ("Dublin", "1847")
    assert unsupported_names("", []) == ()
