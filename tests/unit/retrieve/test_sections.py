"""Queries from the words of a question, and candidates from sections."""

from __future__ import annotations

import re

import numpy as np
import pytest

from overstory.protocols import Vectors
from overstory.retrieve.sections import (
    _PASSAGES_A_SECTION,
    FoundSection,
    chunk_query,
    nearest_passages,
    section_query,
    with_section,
)
from overstory.text.words import MOST_QUERY_WORDS

QUERY = re.compile(
    r"section_words:\((?P<words>[^()]*)\) title_words:\((?P<same>[^()]*)\)\^0\.5"
    r'(?: section_words:"(?P<phrase>[^"]*)"\^(?:1\.0|0\.25))?'
)
"""Form of a query in which everything else is escaped."""

HOSTILE = {
    "quotes": 'a "quoted phrase" and "an open one',
    "operators": "ulm AND bern OR NOT rome",
    "required and forbidden": "+ulm -bern !rome",
    "a field": "title:(ulm) section_words:bern",
    "wildcards": "ul* b?rn ~ x~2 a^4",
    "a range": "[a TO z] {a TO z}",
    "an expression": "/ul.*/",
    "backslashes": r"c:\temp\name \\ \" \u0041",
    "an option": "--max-depth -v",
    "brackets": ")) ((foo) find(1) join()",
    "and and or": "a && b || c",
    "a path": "/etc/fstab ~/.bashrc",
    "marks": "cafe\u0301 \u0301 भारत",
    "an address": "http://example.com/?q=(a)",
}


def unescaped(words: str) -> str:
    """Words without what is escaped: whatever is left, Lucene reads."""
    return re.sub(r"\\.", "", words)


@pytest.mark.parametrize("question", HOSTILE.values(), ids=HOSTILE.keys())
def test_nothing_of_a_question_is_syntax(question: str) -> None:
    query = QUERY.fullmatch(re.sub(r"\\[()]", "", section_query(question)))
    assert query, section_query(question)
    assert query["words"] == query["same"]
    left = unescaped(f"{query['words']} {query['phrase'] or ''}")
    assert all(character.isalnum() or character in "_ " for character in left)
    assert not {"AND", "OR", "NOT", "TO"} & set(left.split())
    assert left.split()


def test_quotation_marks_ask_for_words_next_to_each_other() -> None:
    query = section_query('Which page says "do not use max-depth"?')
    assert query.endswith(' section_words:"do not us max depth"^0.25')
    assert section_query('page "keep calm"').endswith(' section_words:"keep calm"^1.0')
    assert chunk_query('Which page says "do not panic"?') == 'page says panic "do not panic"'


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How do I sort a list?", "sort list"),
        ("Who are you?", "who ar you"),
        ("NOT AND OR", "not and or"),
        ("Does --max-depth help?", r"max depth help \-\-max\-depth"),
        ("Is it in /etc/fstab?", r"etc fstab \/etc\/fstab"),
        ("what is max_depth", "max_depth max depth"),
    ],
)
def test_the_words_of_a_question_are_looked_for_in_sections_and_titles(question: str, words: str) -> None:
    assert section_query(question) == f"section_words:({words}) title_words:({words})^0.5"


@pytest.mark.parametrize("question", ["", "?!", "… — «»", "🧪", '"" () \\ *'])
def test_a_question_without_words_has_no_query(question: str) -> None:
    assert section_query(question) == ""


@pytest.mark.parametrize(
    "question", [" ".join(f"word{i}" for i in range(2_000)), "".join(chr(0x4E00 + i) for i in range(1_500))]
)
def test_a_query_keeps_below_what_lucene_takes(question: str) -> None:
    query = QUERY.fullmatch(section_query(question))
    assert query
    assert len(query["words"].split()) == MOST_QUERY_WORDS


def test_of_a_section_the_passages_nearest_to_the_question_are_candidates() -> None:
    long = FoundSection(["a", "b", "c", "d", "e"], "one", 2.0)
    short = FoundSection(["f"], "two", 1.0)
    cosines = {"a": 0.1, "b": 0.5, "c": 0.2, "d": 0.4, "e": -0.1, "f": 0.0}
    found = list(nearest_passages([long, short], cosines))
    assert found == [("b", long), ("d", long), ("c", long), ("f", short)]
    assert len(found) == _PASSAGES_A_SECTION + 1


def passages_with_cosine(cosine: float, count: int) -> Vectors:
    """Return `count` unit vectors with pairwise this cosine."""
    gram = np.full((count, count), cosine) + (1 - cosine) * np.eye(count)
    return np.array(np.linalg.cholesky(gram), dtype=np.float32)


@pytest.mark.parametrize(
    ("cosine", "weight"), [(0.9, 0.5), (0.5, 0.5), (0.3, 0.3), (0.1, 0.1), (0.0, 0.0), (-0.2, 0.0)]
)
def test_a_section_counts_as_much_as_its_passages_are_like_each_other_and_half_at_most(
    cosine: float, weight: float
) -> None:
    passages = passages_with_cosine(cosine, 4)
    expected = (1 - weight) * passages + weight * passages.mean(axis=0)
    assert with_section(passages, [50] * 4) == pytest.approx(expected, abs=1e-6)
    assert with_section(passages, [0] * 4) == pytest.approx(expected, abs=1e-6)  # nobody counted


def test_longer_passages_count_more_in_the_mean_of_their_section() -> None:
    passages = passages_with_cosine(0.6, 2)
    blended = with_section(passages, [400, 100])
    assert blended[1] == pytest.approx(0.5 * passages[1] + (2 * passages[0] + passages[1]) / 6, abs=1e-6)


def test_a_passage_that_is_a_section_by_itself_keeps_its_vector() -> None:
    (passage,) = passages = passages_with_cosine(0.0, 1)
    assert with_section(passages, [7])[0].tolist() == passage.tolist()
