"""Identifiers: functions of content, one for each thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.errors import CorpusNameInvalid
from overstory.graph.ids import CORPUS_LABEL, chunk_id, content_id, corpus_label, document_id, entity_id

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
