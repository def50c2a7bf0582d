"""Which expressions of a document stand for the same thing."""

from __future__ import annotations

import pytest

from overstory.text.coreference.chains import Resolved, as_written, resolved
from overstory.text.coreference.references import REFERENCES
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.spacy_parser import SpacyParser

PARSER = SpacyParser(find_pipeline("en_core_web_sm"), REFERENCES)


def meant(text: str, surface: str, title: str = "") -> str | None:
    """The canonical name that the last sentence which says `surface` means by it; None if it means nothing."""
    found = [each for sentence in resolved(PARSER.parse([text])[0], title) for each in sentence]
    return next((each.name for each in reversed(found) if each.surface == surface), None)


@pytest.mark.parametrize(
    ("text", "surface", "name"),
    [
        ("Marie Curie was born in Warsaw. She moved to Paris.", "She", "Marie Curie"),
        ("Albert Einstein met Marie Curie in Brussels. He admired Paris.", "He", "Albert Einstein"),
        ("Albert Einstein worked in Bern. Later Einstein went to Berlin.", "Einstein", "Albert Einstein"),
        ("Microsoft bought Nokia in 2014. The company is in Redmond.", "company", "Microsoft"),
        ("The United Nations met in New York. The UN was founded in 1945.", "UN", "United Nations"),
        ("Barack Obama spoke. Joe Biden listened. Obama left with his wife Michelle.", "his", "Barack Obama"),
    ],
)
def test_an_expression_stands_for_a_name(text: str, surface: str, name: str) -> None:
    assert meant(text, surface) == name


def test_a_pronoun_without_anything_that_fits_means_nothing() -> None:
    assert meant("It rained. He slept.", "He") is None
    assert meant("Ulm is a city. She slept.", "She") is None


def test_one_person_is_not_both_he_and_she() -> None:
    text = "Marie Curie met Albert Einstein. She spoke of radium. He smiled."
    assert meant(text, "She") == "Marie Curie"
    assert meant(text, "He") == "Albert Einstein"


@pytest.mark.parametrize(
    ("text", "surface", "title"),
    [
        ("James Terry Sanford was a politician. Sanford was born in Laurinburg.", "Sanford", "Terry Sanford"),
        ("Leland is a town in North Carolina.", "Leland", "Leland, North Carolina"),
        ("He played for Philadelphia.", "He", "Chuck Rowland"),
        ("It is located west of Watertown.", "It", "Watertown International Airport (New York)"),
    ],
)
def test_a_title_counts_as_spoken_of(text: str, surface: str, title: str) -> None:
    assert meant(text, surface, title) == title.removesuffix(" (New York)")


def test_what_was_long_not_spoken_of_is_not_meant() -> None:
    text = "Microsoft sells software. " + "Nobody came. " * 8 + "It rained."
    assert meant(text, "It") is None


def test_without_coreference_sentences_refer_to_what_they_say() -> None:
    first, second = as_written(PARSER.parse(["Marie Curie was born in Warsaw. She liked the old town."])[0])
    assert first == [Resolved("Marie Curie", "Marie Curie", "text"), Resolved("Warsaw", "Warsaw", "text")]
    assert [each.name for each in second] == ["old town"]


def test_nothing_is_lost_by_resolving() -> None:
    text = PARSER.parse(["Marie Curie was born in Warsaw. She met Curie's friends in Paris, a large city."])[0]
    said = [{each.surface for each in sentence} for sentence in as_written(text)]
    kept = [{each.surface for each in sentence} for sentence in resolved(text)]
    assert all(one <= other for one, other in zip(said, kept, strict=True))
