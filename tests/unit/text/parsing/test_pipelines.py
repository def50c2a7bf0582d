"""A pipeline is loaded once a process, whoever parses with it."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import spacy
from tests.counting_pipeline import counting_pipeline

from overstory.errors import ModelError
from overstory.model import ChunkText
from overstory.settings import ExtractionSettings
from overstory.text import make_extractor
from overstory.text.coreference.references import REFERENCES
from overstory.text.extraction.findings import FINDINGS
from overstory.text.parsing.pipelines import FairLock, LoadedPipeline, find_pipeline
from overstory.text.parsing.readings import Reading
from overstory.text.parsing.spacy_parser import SpacyParser


def test_all_parsers_of_a_process_share_one_pipeline_whatever_they_read(tmp_path: Path) -> None:
    path, counts = counting_pipeline(tmp_path)
    SpacyParser(find_pipeline(path), FINDINGS).parse(["Anna."])
    SpacyParser(find_pipeline(path), REFERENCES).parse(["Anna lives."])
    list(make_extractor(ExtractionSettings(pipeline=path, processes=1)).extract([ChunkText("1", "", "", "Anna went.")]))
    assert counts.loads == 1
    assert counts.texts == ["Anna.", "Anna lives.", "Anna went."]


def test_threads_that_ask_at_once_load_a_pipeline_once_and_get_what_one_alone_gets(tmp_path: Path) -> None:
    path, counts = counting_pipeline(tmp_path)
    texts = [f"Anna met Ben{i}. He saw Anna." for i in range(100)]

    def parsed(number: int) -> object:
        reading: Reading[Any] = REFERENCES if number % 2 else FINDINGS
        return SpacyParser(find_pipeline(path), reading).parse(texts)

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(parsed, range(8)))
    assert counts.loads == 1
    assert found == [parsed(0), parsed(1)] * 4
    assert found[0] != found[1]


def test_words_of_texts_are_remembered_until_they_are_many() -> None:
    pipeline = LoadedPipeline(spacy.blank("en"), kept_words=0, most_words=20)

    def knows_after(text: str, word: str) -> bool:
        with pipeline.words():
            pipeline.language(text)
        return word in pipeline.language.vocab

    assert knows_after("qwa qwb qwc", "qwa")
    assert knows_after("qwd", "qwa")
    assert not knows_after(" ".join(f"qx{number}" for number in range(20)), "qwa")
    assert knows_after("qwa", "qwa")


def test_the_first_words_are_kept_for_good() -> None:
    pipeline = LoadedPipeline(spacy.blank("en"), kept_words=2, most_words=0)
    for text in ("qwa", "qwb qwc", "qwd", "qwe"):
        with pipeline.words():
            pipeline.language(text)

    assert [word in pipeline.language.vocab for word in ("qwa", "qwb", "qwc", "qwd")] == [True, True, True, False]


def test_words_of_a_text_that_cannot_be_read_are_forgotten() -> None:
    pipeline = LoadedPipeline(spacy.blank("en"), kept_words=0)

    def fail() -> None:
        with pipeline.words():
            pipeline.language("qwa qwb")
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert "qwa" not in pipeline.language.vocab
    assert "qwb" not in pipeline.language.vocab


def test_a_folder_that_got_another_pipeline_is_loaded_again(tmp_path: Path) -> None:
    path, counts = counting_pipeline(tmp_path)
    before = find_pipeline(path)
    assert before.load() is find_pipeline(path).load()
    meta = Path(path) / "meta.json"
    meta.write_text(json.dumps(json.loads(meta.read_text("utf-8")) | {"version": "2.0"}), "utf-8")
    assert find_pipeline(path).load() is not before.load()
    assert counts.loads == 2


def test_a_pipeline_that_could_not_be_loaded_is_tried_again(tmp_path: Path) -> None:
    path, counts = counting_pipeline(tmp_path)
    config = Path(path) / "config.cfg"
    content = config.read_text("utf-8")
    config.write_text("no configuration", "utf-8")
    parser = SpacyParser(find_pipeline(path), FINDINGS)
    with pytest.raises(ModelError, match="cannot be loaded"):
        parser.parse(["Anna."])
    config.write_text(content, "utf-8")
    (found,) = parser.parse(["Anna."])
    assert [mention.surface for mention in found.mentions] == ["Anna"]
    assert counts.loads == 1


def test_who_waits_for_a_pipeline_is_next_however_soon_the_last_one_asks_again() -> None:
    turns = FairLock()
    order: list[str] = []

    def ask() -> None:
        with turns:
            order.append("question")

    with ThreadPoolExecutor(1) as threads:
        with turns:
            asked = threads.submit(ask)
            while not turns.awaited:
                time.sleep(0.001)
        with turns:
            order.append("next batch")
        asked.result()
    assert order == ["question", "next batch"]
