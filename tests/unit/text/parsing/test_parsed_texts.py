"""Texts parsed in this run are found again; others are not."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from overstory.text.coreference.references import REFERENCES, Reference, References
from overstory.text.extraction.findings import FINDINGS
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.parsing.pipelines import Pipeline

PIPELINE = Pipeline("tiny", Path("/pipelines/tiny"), "1")


def refers(*names: str) -> References:
    return References((0,), tuple(Reference(name, "name", "PERSON", 0, place) for place, name in enumerate(names)))


def found(parsed: ParsedTexts, *texts: str) -> Sequence[References | None]:
    return parsed.find(PIPELINE, REFERENCES, texts)


def test_a_text_is_found_by_its_very_words(tmp_path: Path) -> None:
    with ParsedTexts(tmp_path, [REFERENCES]) as parsed:
        assert found(parsed, "Anna.") == [None]
        parsed.add(PIPELINE, "Anna.", [refers("Anna")])
        parsed.add(PIPELINE, "Łódź \ud800", [refers("Łódź")])
        parsed.add(PIPELINE, "Anna.", [refers("Anna")])  # two chunks may have one text
        assert found(parsed, "Ben.", "Łódź \ud800", "Anna. ", "Anna.", "Anna.") == [
            None,
            refers("Łódź"),
            None,
            refers("Anna"),
            refers("Anna"),
        ]


def test_what_another_pipeline_or_reading_found_is_not_taken(tmp_path: Path) -> None:
    with ParsedTexts(tmp_path, [REFERENCES]) as parsed:
        parsed.add(PIPELINE, "Anna.", [refers("Anna")])
        assert parsed.find(replace(PIPELINE, fingerprint="2"), REFERENCES, ["Anna."]) == [None]
        assert parsed.find(replace(PIPELINE, folder=Path("/other/tiny")), REFERENCES, ["Anna."]) == [None]
        assert parsed.find(PIPELINE, FINDINGS, ["Anna."]) == [None]


def test_the_same_reading_wanted_twice_is_kept_once(tmp_path: Path) -> None:
    assert ParsedTexts(tmp_path, [REFERENCES, FINDINGS, REFERENCES]).readings == (REFERENCES, FINDINGS)


def test_nothing_is_left_in_the_folder_even_where_a_run_is_killed(tmp_path: Path) -> None:
    with ParsedTexts(tmp_path / "cache", [REFERENCES]) as parsed:
        assert list(tmp_path.iterdir()) == []  # made when it is needed
        parsed.add(PIPELINE, "Anna.", [refers("Anna")])
        assert list((tmp_path / "cache").iterdir()) == []  # without a name, it goes with its process
        assert found(parsed, "Anna.") == [refers("Anna")]
    assert found(parsed, "Anna.") == [None]
    parsed.add(PIPELINE, "Anna.", [refers("Anna")])
    assert found(parsed, "Anna.") == [None]
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_folder_that_cannot_be_written_keeps_nothing_and_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with ParsedTexts(tmp_path / "cache", [REFERENCES]) as parsed:
        parsed.add(PIPELINE, "Anna.", [refers("Anna")])
        parsed.add(PIPELINE, "Ben.", [refers("Ben")])
        assert found(parsed, "Anna.", "Ben.") == [None, None]


def test_a_file_that_can_grow_no_more_is_given_up_and_ends_nothing(tmp_path: Path) -> None:
    texts = [f"Text {number}" for number in range(10_000)]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with ParsedTexts(tmp_path, [REFERENCES]) as parsed:
        parsed.add(PIPELINE, "Anna.", [refers("Anna")])
        assert found(parsed, "Anna.") == [refers("Anna")]
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        try:
            for text in texts:
                parsed.add(PIPELINE, text, [refers(*(f"{text}.{i}" for i in range(30)))])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert found(parsed, "Anna.", *texts[:100]) == [None] * 101


@pytest.mark.slow
def test_more_than_fits_into_memory_goes_to_the_file(tmp_path: Path) -> None:
    texts = [f"Text {number}" for number in range(20_000)]
    with ParsedTexts(tmp_path, [REFERENCES]) as parsed:
        for text in texts:
            parsed.add(PIPELINE, text, [refers(*(f"{text}.{i}" for i in range(30)))])
        for start in range(0, len(texts), 500):
            page = texts[start : start + 500]
            assert [each and each.references[7].surface for each in found(parsed, *page)] == [f"{t}.7" for t in page]


def test_threads_may_share_it(tmp_path: Path) -> None:
    with ParsedTexts(tmp_path, [REFERENCES]) as parsed, ThreadPoolExecutor(4) as threads:

        def kept(number: int) -> bool:
            parsed.add(PIPELINE, str(number), [refers(str(number))])
            return found(parsed, str(number)) == [refers(str(number))]

        assert all(threads.map(kept, range(400)))
