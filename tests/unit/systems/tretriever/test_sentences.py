"""What passages say of names and of two names together."""

from __future__ import annotations

from typing import Any

import pytest

from overstory.text.sentences import sentence_starts
from overstory_systems.tretriever.sentences import DOCUMENT_CHARACTERS, EDGE_CHARACTERS, Passages


def row(text: str, boilerplate: list[int] | None = None) -> dict[str, Any]:
    return {"text": text, "boilerplate": boilerplate, "sentences": sentence_starts(text)}


PASSAGES = Passages(
    {
        "c1": row("# Albert Einstein\n\nAlbert Einstein was a physicist. He was born in Ulm."),
        "c2": row("Ulmer means of Ulm. Einstein, born in ULM, left early. Einstein and Ulm again."),
        "c3": row("Home | Login\n\nÉvariste Galois died young.", [0, 12]),
    }
)


def test_a_name_is_told_by_the_first_sentence_that_says_it_and_is_not_only_the_name() -> None:
    assert PASSAGES.on("Albert Einstein", "c1") == "Albert Einstein was a physicist."
    assert PASSAGES.on("Ulm", "c1") == "He was born in Ulm."
    assert PASSAGES.on("evariste galois", "c3") == "Évariste Galois died young."


def test_a_name_that_a_passage_does_not_say_is_told_by_its_beginning() -> None:
    assert PASSAGES.on("Danube", "c2") == "Ulmer means of Ulm."


def test_a_name_is_not_found_within_a_word() -> None:
    passages = Passages({"c": row("Ulmer came first. Then came Ulm.")})
    assert passages.on("Ulm", "c") == "Then came Ulm."


@pytest.mark.parametrize(
    ("one", "other", "chunks", "told"),
    [
        ("Einstein", "Ulm", ["c1", "c2"], ("Einstein, born in ULM, left early.", "c2")),
        ("Einstein", "Ulm", ["gone", "c2", "c1"], ("Einstein, born in ULM, left early.", "c2")),
        ("Einstein", "Danube", ["c3", "c1"], ("Albert Einstein", "c1")),
        ("Rhine", "Danube", ["c3", "c1"], ("", "c3")),
        ("Einstein", "Ulm", ["gone"], ("", "")),
    ],
)
def test_an_edge_is_told_by_the_first_sentence_that_says_both_names_or_else_one(
    one: str, other: str, chunks: list[str], told: tuple[str, str]
) -> None:
    assert PASSAGES.between(one, other, chunks) == told


def test_what_is_told_of_a_document_is_its_beginning_without_boilerplate_and_marks() -> None:
    assert PASSAGES.beginning("c1") == "Albert Einstein Albert Einstein was a physicist. He was born in Ulm."
    assert PASSAGES.beginning("c3") == "Évariste Galois died young."


def test_long_texts_are_cut() -> None:
    passages = Passages({"c": row("Ulm lies by a river that " + "very " * 100 + "slowly flows.")})
    assert len(passages.beginning("c")) <= DOCUMENT_CHARACTERS
    assert len(passages.between("Ulm", "Danube", ["c"])[0]) <= EDGE_CHARACTERS + 4
