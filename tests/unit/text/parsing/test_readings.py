"""Several readings of one parse hold what each of them holds alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.counting_pipeline import counting_pipeline

from overstory.text.coreference.references import REFERENCES
from overstory.text.extraction.findings import FINDINGS
from overstory.text.parsing.jobs import Workers
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.readings import Reading, combined, encoded, find_reading
from overstory.text.parsing.spacy_parser import _LONGEST_PARSED_CHARACTERS, SpacyParser
from overstory_systems.slimrag.retriever import QUESTION_PARTS

PIPELINE = find_pipeline("en_core_web_sm")
READINGS: tuple[Reading[Any], ...] = (FINDINGS, REFERENCES, QUESTION_PARTS)
TEXTS = [
    "Marie Curie was a Polish physicist. She was born in Warsaw, and worked with her husband in Paris.",
    "",
    "Is Ulm, which lies on the Danube, larger than Vienna?",
    "Albert Einstein was a clever physicist.\n" * (_LONGEST_PARSED_CHARACTERS // 40 + 10),
    "\ud800 Paris",
]


def test_readings_of_one_parse_are_those_of_a_parse_for_each() -> None:
    together = SpacyParser(PIPELINE, combined(READINGS)).parse(TEXTS)
    alone = [SpacyParser(PIPELINE, reading).parse(TEXTS) for reading in READINGS]
    assert together == list(zip(*alone, strict=True))
    assert len(together[3][0].facts) == _LONGEST_PARSED_CHARACTERS // 40 + 10


def test_another_process_takes_the_same_readings_from_its_parse() -> None:
    reading = combined(READINGS)
    with Workers("en_core_web_sm", 1, reading) as workers:
        assert list(workers.parse([TEXTS])) == [SpacyParser(PIPELINE, reading).parse(TEXTS)]


def test_one_reading_can_be_combined_with_none() -> None:
    reading = find_reading(combined([FINDINGS]).address)
    assert SpacyParser(PIPELINE, reading).parse(TEXTS[:1]) == [(SpacyParser(PIPELINE, FINDINGS).parse(TEXTS[:1])[0],)]


def test_several_readings_take_one_parse(tmp_path: Path) -> None:
    path, counts = counting_pipeline(tmp_path)
    SpacyParser(find_pipeline(path), combined(READINGS)).parse(["Anna.", "Ben."])
    assert counts.texts == ["Anna.", "Ben."]


def test_values_survive_json() -> None:
    for reading in READINGS:
        for value in SpacyParser(PIPELINE, reading).parse(TEXTS):
            assert reading.decoded(json.loads(encoded(value))) == value
