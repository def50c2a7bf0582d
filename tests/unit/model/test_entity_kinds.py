"""Kinds of entities are words for a reader."""

from __future__ import annotations

from pathlib import Path

import pytest

import overstory_service
from overstory.model.entity_kinds import KIND_WORDS, LISTED_LATER, kind_word, type_of_kind
from overstory.text.names.vocabulary import TYPES


def test_every_type_has_a_word_and_the_page_uses_the_same() -> None:
    assert set(KIND_WORDS) == set(TYPES)
    page = (Path(overstory_service.__file__).parent / "page" / "js" / "words.js").read_text(encoding="utf-8")
    for type_, word in KIND_WORDS.items():
        assert f'    {type_}: "{word}",' in page


@pytest.mark.parametrize(("kind", "type_"), [("person", "PERSON"), ("File", "FILE"), ("ORG", "ORG"), ("GENE", "GENE")])
def test_a_kind_is_asked_for_by_its_word_or_type(kind: str, type_: str) -> None:
    assert type_of_kind(kind) == type_


def test_technical_kinds_come_last() -> None:
    assert [LISTED_LATER.get(each, 0) for each in ("PERSON", "GENE", "TERM", "", "OPTION")] == [0, 0, 1, 2, 3]
    assert (kind_word("OPTION"), kind_word("GENE"), kind_word("")) == ("Option", "GENE", "")
