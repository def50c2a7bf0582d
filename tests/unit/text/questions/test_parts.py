"""The simpler questions that a question is made of, by rules."""

from __future__ import annotations

import pytest

from overstory.text.parsing.jobs import Workers
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.spacy_parser import SpacyParser
from overstory_systems.slimrag.retriever import _MOST_QUESTION_PARTS, QUESTION_PARTS

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
    found = PARSER.parse([question])[0]
    assert tuple(part.text for part in found.parts) == parts


def test_a_part_knows_what_it_refers_to() -> None:
    found = PARSER.parse(["Which city is larger, Paris or London?"])[0]
    named = [[each.surface for each in found.referred_to(part) if each.kind == "name"] for part in found.parts]
    assert named == [["Paris"], ["London"]]


def test_another_process_reads_the_same() -> None:
    texts = ["Who wrote the novel that inspired Nosferatu? Where is Ulm?"]
    with Workers("en_core_web_sm", 1, QUESTION_PARTS) as workers:
        assert list(workers.parse([texts])) == [PARSER.parse(texts)]


def test_a_very_long_question_has_a_few_parts_only() -> None:
    (parts,) = PARSER.parse(["Where was Albert Einstein born? And Curie? " * 500])
    assert 1 <= len(parts.parts) <= _MOST_QUESTION_PARTS
