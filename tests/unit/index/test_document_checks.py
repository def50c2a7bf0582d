"""Metadata that would cost the database much are refused, with the name of the document and of the key."""

from __future__ import annotations

from dataclasses import replace

import pytest

from overstory.errors import BrokenSource, SettingsError
from overstory.index.document_checks import (
    _LONGEST_METADATA_CHARACTERS,
    _LONGEST_METADATA_KEY_CHARACTERS,
    _MOST_METADATA_KEYS,
    _MOST_METADATA_VALUES,
    MOST_KEYS_OF_A_CORPUS,
    fault_of,
    metadata_of_json,
    storable,
)
from overstory.model import Document, Metadata
from overstory.model.metadata import PAGE_STARTS

DOCUMENT = Document("notes", "1", "Text.")
LONGEST = "x" * _LONGEST_METADATA_CHARACTERS


def numbered(count: int, prefix: str = "key") -> dict[str, int]:
    return {f"{prefix}{number}": number for number in range(count)}


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (numbered(_MOST_METADATA_KEYS + 1), "257 keys of metadata"),
        (numbered(20_000), "20000 keys of metadata"),
        ({"k" * (_LONGEST_METADATA_KEY_CHARACTERS + 1): 1}, "a key of metadata with 501 characters"),
        ({"a": LONGEST + "x"}, "'a' with 100,001 characters"),
        ({"a": [LONGEST, "x"]}, "'a' with 100,001 characters"),
        ({"a": list(range(_MOST_METADATA_VALUES + 1))}, "'a' with 10,001 values"),
        ({PAGE_STARTS: ["x"] * (_MOST_METADATA_VALUES + 1)}, "with 10,001 values"),
    ],
)
def test_more_metadata_than_the_database_bears_are_refused(metadata: Metadata, message: str) -> None:
    fault = fault_of(replace(DOCUMENT, metadata=metadata))
    assert fault is not None
    assert "document '1'" in str(fault)
    assert message in str(fault)
    assert "at most 256 keys" in (fault.remedy or "")
    with pytest.raises(SettingsError, match=message if PAGE_STARTS not in metadata else PAGE_STARTS):
        metadata_of_json(metadata)


@pytest.mark.parametrize(
    "metadata",
    [
        numbered(_MOST_METADATA_KEYS),
        {"k" * _LONGEST_METADATA_KEY_CHARACTERS: LONGEST},
        {"a": list(range(_MOST_METADATA_VALUES)), PAGE_STARTS: list(range(_MOST_METADATA_VALUES + 1))},
    ],
)
def test_as_much_as_is_allowed_is_stored(metadata: Metadata) -> None:
    assert fault_of(replace(DOCUMENT, metadata=metadata)) is None


def test_keys_that_are_known_of_the_file_count_too() -> None:
    fault = fault_of(replace(DOCUMENT, metadata=numbered(_MOST_METADATA_KEYS), file_metadata={"folder": "a"}))
    assert fault is not None


def test_a_document_with_new_keys_is_refused_where_the_corpus_has_as_many_as_it_may() -> None:
    keys = set(numbered(MOST_KEYS_OF_A_CORPUS - 2, "old"))
    own: list[Metadata] = [{"old1": 1, "a": 1}, {"b": 1, "c": 1}, {"b": 1}, {"old1": 2, "b": 2}, {"d": 1}]
    given = [replace(DOCUMENT, source_key=str(number), metadata=each) for number, each in enumerate(own)]
    broken: list[BrokenSource] = []
    assert [each.source_key for each in storable(given, broken.append, keys)] == ["0", "2", "3"]
    assert ["document '1'" in str(broken[0]), "document '4'" in str(broken[1])] == [True, True]
    assert len(keys) == MOST_KEYS_OF_A_CORPUS
    assert "at most 10,000 different keys" in (broken[0].remedy or "")
