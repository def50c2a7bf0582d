from __future__ import annotations

import pytest

from overstory_systems.apr.pronouns import resolved, subject_of
from overstory_systems.apr.triples import Triple


def told(title: str, *triples: tuple[str, str, str]) -> list[tuple[str, str, str]]:
    return [(each.head, each.relation, each.tail) for each in resolved([Triple(*triple) for triple in triples], title)]


def test_the_first_pronoun_is_the_subject_of_the_passage_and_the_other_is_somebody_else() -> None:
    assert told(
        "Marie Curie",
        ("Marie Curie", "be born in", "Warsaw"),
        ("She", "discover", "polonium"),
        ("Her husband", "admire", "her"),
        ("he", "be", "physicist"),
        ("his work", "impress", "her colleagues"),
    ) == [
        ("Marie Curie", "be born in", "Warsaw"),
        ("Marie Curie", "discover", "polonium"),
        ("Marie Curie's husband", "admire", "Marie Curie"),
        ("Marie Curie's husband", "be", "physicist"),
        ("his work", "impress", "Marie Curie's colleagues"),
    ]


def test_what_is_no_person_is_not_he() -> None:
    assert told("Lloyd (film)", ("he", "love", "Anna"), ("it", "have", "its release")) == [
        ("Lloyd", "have", "Lloyd's release")
    ]
    assert told("The Birds", ("she", "fear", "birds")) == []
    assert told("The Beatles", ("they", "love", "her")) == [("The Beatles", "love", "her")]


def test_a_name_that_ends_in_s_takes_an_apostrophe_alone() -> None:
    assert told("Brahms", ("his mother", "teach", "him")) == [("Brahms' mother", "teach", "Brahms")]


@pytest.mark.parametrize(
    "title",
    ["", "  ", "12", "Introduction", "How I learnt to stop worrying and why nobody should ever do as I did then"],
)
def test_where_the_title_names_nothing_a_pronoun_is_the_last_subject(title: str) -> None:
    assert told(title, ("he", "be born in", "Ulm")) == []
    assert told(title, ("Bram Stoker", "be", "author"), ("He", "be born in", "Dublin")) == [
        ("Bram Stoker", "be", "author"),
        ("Bram Stoker", "be born in", "Dublin"),
    ]


def test_sentences_are_kept() -> None:
    (triple,) = resolved([Triple("It", "be", "river", 7)], "Danube")
    assert triple == Triple("Danube", "be", "river", 7)


def test_a_subject_is_the_title_without_what_tells_it_from_others() -> None:
    assert subject_of("Lloyd (film)") == "Lloyd"
    assert subject_of("Chapter 3. Linux Mint") == "Linux Mint"
    assert subject_of("(I Can't Get No) Satisfaction") == "(I Can't Get No) Satisfaction"
