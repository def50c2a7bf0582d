"""The simpler questions that a question is made of, by rules."""

from __future__ import annotations

import pytest

from overstory.text.pipelines import find_pipeline
from overstory.text.question_parts import MOST, QUESTION_PARTS
from overstory.text.spacy_parser import SpacyParser

PARSER = SpacyParser(find_pipeline("en_core_web_sm"), QUESTION_PARTS)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Which city is larger, Paris or London?", ("Which city is larger, Paris?", "Which city is larger, London?")),
        (
            "Who wrote the novel that inspired Nosferatu?",
            ("Who wrote the novel?", "the novel that inspired Nosferatu"),
        ),
        ("Where was Marie Curie born?", ("Where was Marie Curie born?",)),
        ("Who is he? Where is Ulm?", ("Who is he?", "Where is Ulm?")),
        ("", ("",)),
    ],
)
def test_a_question_is_split_where_it_compares_and_at_clauses(question: str, parts: tuple[str, ...]) -> None:
    assert PARSER.parse([question])[0] == parts


def test_a_very_long_question_has_a_few_parts_only() -> None:
    (parts,) = PARSER.parse(["Where was Albert Einstein born? And Curie? " * 500])
    assert 1 <= len(parts) <= MOST
