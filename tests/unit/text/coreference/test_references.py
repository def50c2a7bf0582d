"""The entities that a text refers to, in its own words."""

from __future__ import annotations

from overstory.text.coreference.references import REFERENCES, References, united
from overstory.text.parsing.jobs import Workers
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.spacy_parser import SpacyParser

PARSER = SpacyParser(find_pipeline("en_core_web_sm"), REFERENCES)


def read(text: str) -> References:
    return PARSER.parse([text])[0]


def surfaces(text: str, kind: str) -> list[str]:
    return [reference.surface for reference in read(text).references if reference.kind == kind]


def test_names_phrases_and_pronouns_are_told_apart() -> None:
    text = "Marie Curie was a Polish physicist. She worked in Paris with her husband."
    assert surfaces(text, "name") == ["Marie Curie", "Polish", "Paris"]
    assert surfaces(text, "phrase") == ["Polish physicist", "husband"]
    assert surfaces(text, "pronoun") == ["She", "her"]
    assert [reference.type for reference in read(text).references if reference.kind == "pronoun"] == ["she", "she"]


def test_numbers_and_dates_name_nothing() -> None:
    text = "Three people lived in Rome in 1903, on 4 May, for two years."
    assert surfaces(text, "name") == ["Rome"]


def test_references_know_their_sentence_and_place() -> None:
    text = "Ulm is a city. The Danube flows through it."
    found = read(text)
    assert found.sentences == (0, 15)
    assert all(text[each.start :].startswith(each.surface) for each in found.references)
    assert [each.sentence for each in found.references] == sorted(each.sentence for each in found.references)


def test_a_phrase_says_of_a_name_what_it_is() -> None:
    found = read("Albert Einstein was a clever physicist.")
    (phrase,) = (each for each in found.references if each.kind == "phrase")
    assert found.references[phrase.describes].surface == "Albert Einstein"
    assert phrase.type == "physicist"


def test_parts_of_a_text_are_put_together() -> None:
    one, other = "Albert Einstein was a clever physicist.", "Marie Curie was a great chemist."
    whole = united([(0, read(one)), (40, read(other))])
    assert whole.sentences == (0, 40)
    said = [each for each in whole.references if each.describes >= 0]
    assert [whole.references[each.describes].surface for each in said] == ["Albert Einstein", "Marie Curie"]
    assert [each.sentence for each in said] == [0, 1]


def test_another_process_reads_the_same() -> None:
    texts = ["Marie Curie was born in Warsaw. She was a Polish physicist.", ""]
    with Workers("en_core_web_sm", 1, REFERENCES) as workers:
        assert list(workers.parse([texts])) == [PARSER.parse(texts)]
