"""Texts that were parsed before are not parsed again, and stand in their places among the others."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.counting_pipeline import counting_pipeline

from overstory.text.coreference.references import REFERENCES, References
from overstory.text.parsing.jobs import _CHARACTERS_WORTH_A_PROCESS, read_texts
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.spacy_parser import SpacyParser

TEXTS = [f"Anna{i} was born in Rome in {1900 + i}. She met Ben{i}." for i in range(300)]


def workers() -> list[psutil.Process]:
    return [each for each in psutil.Process().children() if "overstory.text.parsing.jobs" in " ".join(each.cmdline())]


def itself(text: str) -> str:
    return text


@pytest.mark.parametrize("known", [range(0), range(300), range(0, 300, 3), range(100), range(200, 300)], ids=str)
def test_each_text_is_parsed_once_and_all_come_in_order(tmp_path: Path, known: range) -> None:
    path, counts = counting_pipeline(tmp_path)
    pipeline = find_pipeline(path)
    parser = SpacyParser(pipeline, REFERENCES)
    expected = parser.parse(TEXTS)
    counts.texts.clear()
    with ParsedTexts(tmp_path, [REFERENCES]) as parsed:
        for place in known:
            parsed.add(pipeline, TEXTS[place], [expected[place]])
        found = list(read_texts(parser, iter(TEXTS), itself, processes=1, parsed=parsed))
    assert found == list(zip(TEXTS, expected, strict=True))
    assert counts.texts == [text for place, text in enumerate(TEXTS) if place not in known]


def test_processes_parse_what_is_not_known_and_all_come_in_order(tmp_path: Path) -> None:
    pipeline = find_pipeline("en_core_web_sm")
    parser = SpacyParser(pipeline, REFERENCES)
    marked = References((0,), ())  # not what a parse gives, so that one would be noticed
    with ParsedTexts(tmp_path, [REFERENCES]) as parsed:
        for text in TEXTS[::3]:
            parsed.add(pipeline, text, [marked])
        reading = read_texts(parser, iter(TEXTS), itself, processes=2, parsed=parsed)
        first = next(reading)
        second = next(reading)
        started = len(workers())
        found = dict([first, second, *reading])
    assert started == 2
    assert list(found) == TEXTS
    assert [place for place, text in enumerate(TEXTS) if found[text] == marked] == list(range(0, 300, 3))
    assert [found[text] for text in TEXTS[1::3]] == parser.parse(TEXTS[1::3])


def test_texts_that_are_all_known_start_no_process_and_load_nothing(tmp_path: Path) -> None:
    path, counts = counting_pipeline(tmp_path)
    parser = SpacyParser(find_pipeline(path), REFERENCES)
    with ParsedTexts(tmp_path, [REFERENCES]) as parsed:
        for text in TEXTS:
            parsed.add(parser.pipeline, text, [References((0,), ())])
        reading = read_texts(parser, TEXTS, itself, processes=2, parsed=parsed)
        assert next(reading)[0] == TEXTS[0]
        assert workers() == []
        assert [text for text, _ in reading] == TEXTS[1:]
    assert (counts.loads, counts.texts) == (0, [])


def test_known_texts_are_looked_at_as_they_are_needed(tmp_path: Path) -> None:
    """However many are known: a single text that is not starts no process, and is not searched for to the end."""
    parser = SpacyParser(find_pipeline("en_core_web_sm"), REFERENCES)
    known = "Anna lives in Rome. " * 50
    taken = 0

    def many() -> Iterator[str]:
        nonlocal taken
        yield "Ben lives in Ulm."
        for _ in range(10_000):
            taken += 1
            yield known

    with ParsedTexts(tmp_path, [REFERENCES]) as parsed:
        parsed.add(parser.pipeline, known, parser.parse([known]))
        reading = read_texts(parser, many(), itself, processes=0, parsed=parsed)
        assert next(reading)[0] == "Ben lives in Ulm."
        assert workers() == []
        assert taken * len(known) < 6 * _CHARACTERS_WORTH_A_PROCESS
        reading.close()  # type: ignore[attr-defined] # a generator


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor: nothing to start")
def test_enough_text_to_parse_starts_processes_though_much_is_known(tmp_path: Path) -> None:
    parser = SpacyParser(find_pipeline("en_core_web_sm"), REFERENCES)
    known = "Anna lives in Rome. " * 50
    texts = [known if place % 2 else f"Ben lives in Ulm, at number {place}. " * 30 for place in range(400)]
    with ParsedTexts(tmp_path, [REFERENCES]) as parsed:
        parsed.add(parser.pipeline, known, parser.parse([known]))
        reading = read_texts(parser, texts, itself, processes=0, parsed=parsed)
        assert next(reading)[0] == texts[0]
        assert len(workers()) > 1
        reading.close()  # type: ignore[attr-defined] # a generator
    assert workers() == []
