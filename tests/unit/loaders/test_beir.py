from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.sources import load, write

from overstory_loaders import BeirLoader, JsonLinesLoader

CORPUS = (
    '{"_id": "d1", "title": "Salt", "text": "Sodium chloride.", "metadata": {"lang": "en"}, "url": "x"}\n'
    '{"_id": 2, "title": "Title alone", "text": ""}\n'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "corpus.jsonl", CORPUS)
    write(tmp_path / "queries.jsonl", '{"_id": "q1", "text": "What is salt?"}\n')
    write(tmp_path / "qrels" / "test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    return tmp_path


def test_a_folder_gives_its_passages_under_their_ids(folder: Path) -> None:
    assert BeirLoader().recognises(str(folder))
    first, second = load(BeirLoader(), folder).documents
    assert (first.source, first.source_key, first.title) == (folder.as_posix(), "d1", "Salt")
    assert first.text == "Sodium chloride."
    assert first.metadata == {"lang": "en", "url": "x"}
    assert (second.source_key, second.text) == ("2", "Title alone")


def test_the_corpus_file_stands_for_its_folder(folder: Path) -> None:
    corpus = folder / "corpus.jsonl"
    assert BeirLoader().recognises(str(corpus))
    assert not JsonLinesLoader().recognises(str(corpus))
    assert load(BeirLoader(), corpus) == load(BeirLoader(), folder)


def test_a_compressed_corpus_is_read(tmp_path: Path) -> None:
    write(tmp_path / "corpus.jsonl.gz", gzip.compress(CORPUS.encode()))
    assert BeirLoader().recognises(str(tmp_path))
    assert len(load(BeirLoader(), tmp_path).documents) == 2


def test_a_file_of_that_name_with_other_fields_is_json_lines(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.jsonl", '{"id": "a", "content": "x"}\n')
    assert not BeirLoader().recognises(str(tmp_path))
    assert JsonLinesLoader().recognises(str(corpus))


def test_a_passage_without_an_id_is_broken_for_nothing_can_refer_to_it(tmp_path: Path) -> None:
    write(tmp_path / "corpus.jsonl", '{"_id": "a", "text": "x"}\n{"id": "b", "text": "y"}\n{"_id": "", "text": "z"}\n')
    outcome = load(BeirLoader(), tmp_path)
    assert outcome.messages == ["line 2: has no _id", "line 3: has no _id"]
    assert outcome.broken[0].source == str(tmp_path / "corpus.jsonl")


def test_other_folders_are_not_beir(tmp_path: Path) -> None:
    assert not BeirLoader().recognises(str(tmp_path))
    assert load(BeirLoader(), tmp_path).messages == ["is not a BEIR folder: it has no corpus.jsonl"]
