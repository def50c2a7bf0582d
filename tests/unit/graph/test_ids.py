"""Identifiers: functions of content, one for each thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.errors import CorpusNameInvalid
from overstory.graph.ids import (
    CORPUS_LABEL,
    chunk_id,
    content_id,
    corpus_label,
    derived_label,
    derived_vector_id,
    document_id,
    entity_id,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.lists(TEXT, max_size=4), st.lists(TEXT, max_size=4))
def test_other_parts_give_another_id_even_where_they_read_alike_joined(first: list[str], second: list[str]) -> None:
    assert (content_id("kind", *first) == content_id("kind", *second)) == (first == second)


def test_the_kind_is_part_of_an_id() -> None:
    assert len({document_id("c", "a", "b"), entity_id("c", "a"), chunk_id("c", "a", 0)}) == 3


def test_a_moved_chunk_keeps_its_id_and_a_repeated_one_has_its_own() -> None:
    assert chunk_id("d", "text", 0) == chunk_id("d", "text", 0) != chunk_id("d", "text", 1)


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=200))
def test_every_name_gives_a_label_that_may_stand_in_a_statement(name: str) -> None:
    assert CORPUS_LABEL.fullmatch(corpus_label(name))


@pytest.mark.parametrize("name", ["", " padded", "padded ", "a\nb", "a\x00b", "x" * 201, "\ud800"])
def test_a_name_that_nobody_could_type_again_is_refused(name: str) -> None:
    with pytest.raises(CorpusNameInvalid):
        corpus_label(name)


def test_the_label_of_a_kind_has_the_slot_of_a_generation_at_its_end() -> None:
    label = corpus_label("films")
    assert derived_label(label, "HiragEntity") == f"{label}_HiragEntity"
    assert derived_label(label, "HiragEntity", "B") == f"{label}_HiragEntity_B"


@pytest.mark.parametrize("kind", ["", "entity", "Entity1", "Entity_A_B", "Entity) DETACH DELETE (n"])
def test_what_is_no_kind_makes_no_label(kind: str) -> None:
    with pytest.raises(ValueError, match="label for a kind"):
        derived_label(corpus_label("films"), kind)


def test_a_derived_vector_is_of_one_corpus_embedder_and_text() -> None:
    parts = [("a", "x", "text"), ("b", "x", "text"), ("a", "y", "text"), ("a", "x", "other")]
    assert len({derived_vector_id(*each) for each in parts}) == len(parts)
    assert derived_vector_id("a", "x", "text") == derived_vector_id("a", "x", "text")
